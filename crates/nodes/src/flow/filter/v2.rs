//! Filter since version 2: one filter, evaluated for each item.

use crate::flow::if_else::split;
use model::OnError;
use node_api::prelude::*;

pub(crate) struct Filter;

impl Node for Filter {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.filter", &[2.0, 2.1, 2.2, 2.3], "Filter", "Keep the items that meet conditions")
            .group(Group::Flow)
            .outputs([Port::named("Kept")])
            .param(Param::filter("conditions", "Conditions").help("An item is kept if they hold."))
            .param(
                Param::flag("looseTypeValidation", "Convert types where required", false)
                    .since(2.1)
                    .help("Compare values of another type by converting them."),
            )
            .param(
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("ignoreCase", "Ignore case", true).help("Upper and lower case count as equal."),
                        Param::flag("looseTypeValidation", "Convert types where required", true)
                            .help("Compare values of another type by converting them."),
                    ],
                )
                .help("How values are compared."),
            )
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
        // What is dropped is only shown, never connected; with an error output that one comes second.
        Ok(if ctx.node().on_error == OnError::ContinueError { vec![kept] } else { vec![kept, dropped] })
    }
}
