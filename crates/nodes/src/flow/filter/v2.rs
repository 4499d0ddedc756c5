//! Filter since version 2: one filter, evaluated for each item.

use crate::flow::if_else::{params, split};
use model::OnError;
use node_api::prelude::*;

pub(crate) struct FilterNode;

impl Node for FilterNode {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.filter", &[2.0, 2.1, 2.2, 2.3], "Filter", "Keep items that match the conditions").icon("filter").subtitle(&["{conditions.conditions:conditions}"])
            .group(NodeGroup::Flow)
            .outputs([Port::named("Kept")])
            .params(params("Items that match are kept."))
            .hint("Use it to discard items that do not match. If keeps both branches.")
            .alias(&["where", "condition"])
            .repeatable()
            .example(
                "Keep non-empty values",
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
