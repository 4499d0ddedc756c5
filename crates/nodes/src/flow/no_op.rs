//! Passes its items on unchanged; a place to join or name a branch.

use node_api::prelude::*;

pub(crate) struct NoOp;

impl Node for NoOp {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.noOp",
            &[1.0],
            "No Operation, do nothing",
            "Pass items on unchanged",
        )
        .icon("corner-down-right")
        .group(NodeGroup::Flow)
        .hint("Use it to mark the end of an empty branch.")
        .repeatable()
        .example("Pass through", "{}", r#"[{ "n": 1 }]"#, r#"[[{ "n": 1 }]]"#)
    }

    async fn run(_ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(vec![items])
    }
}
