//! A note on the canvas. It never runs.

use node_api::prelude::*;

pub(crate) struct StickyNote;

impl Node for StickyNote {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.stickyNote", &[1.0], "Sticky Note", "A note on the canvas")
            .icon("sticky-note")
            .group(NodeGroup::Flow)
            .inputs([])
            .outputs([])
            .params([
                Param::long_text("content", "Content", "").help("Text of the note, in Markdown."),
                Param::number("height", "Height", 160).help("In pixels."),
                Param::number("width", "Width", 240).help("In pixels."),
                Param::color("color", "Color", 1)
                    .help("A number from 1 to 7, or a color such as #ff8800."),
            ])
            .hint("Use it to explain a part of the workflow to its readers.")
            .repeatable()
    }

    async fn run(_ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(vec![items])
    }
}
