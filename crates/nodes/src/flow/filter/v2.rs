//! Filter since version 2: one filter, evaluated for each item.

use crate::flow::if_else::{params, split};
use model::OnError;
use node_api::prelude::*;

pub(crate) struct FilterNode;

impl Node for FilterNode {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.filter", &[2.0, 2.1, 2.2, 2.3], "Filter", "Keep the items that meet conditions")
            .group(NodeGroup::Flow)
            .outputs([Port::named("Kept")])
            .params(params("An item is kept if they hold."))
            .hint("Use it when the items that do not fit are of no interest; If keeps both branches.")
            .alias(&["where", "condition"])
            .repeatable()
            .example(
                "Keep what is not empty",
                r#"{ "conditions": { "combinator": "and", "options": { "caseSensitive": true, "typeValidation": "loose", "version": 3 },
                    "conditions": [{ "leftValue": "text", "rightValue": "", "operator": { "type": "string", "operation": "notEmpty" } }] } }"#,
                r#"[{ "note": "text" }]"#,
                r#"[[{ "note": "text" }], []]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let [kept, dropped] = split(ctx, &items)?;
        // What is dropped is only shown, never connected; with an error output that one comes
        // second.
        Ok(if ctx.node().on_error == OnError::ContinueError {
            vec![kept]
        } else {
            vec![kept, dropped]
        })
    }
}
