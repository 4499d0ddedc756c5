//! The first version of Filter: conditions in groups by type.

use crate::conditions::{LegacyCombine, LegacyConditions, legacy_groups};
use model::OnError;
use node_api::prelude::*;

pub(crate) struct FilterV1;

impl Node for FilterV1 {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.filter", &[1.0], "Filter", "Keep items that match the conditions").icon("filter").subtitle(&["{conditions.conditions:conditions}"])
            .group(NodeGroup::Flow)
            .outputs([Port::named("Kept")])
            .param(legacy_groups())
            .param(
                Param::choice("combineConditions", "Combine conditions", &[("AND", "And"), ("OR", "Or")])
                    .help("Whether all conditions must match, or any of them."),
            )
            .hint("Kept for older workflows; new ones use version 2.")
            .repeatable()
            .example(
                "Keep matching text",
                r#"{ "conditions": { "string": [{ "value1": "apple", "operation": "contains", "value2": "pp" }] } }"#,
                r#"[{ "fruit": "apple" }]"#,
                r#"[[{ "fruit": "apple" }], []]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let (mut kept, mut dropped) = (ctx.builder(), ctx.builder());
        for (index, item) in items.iter().enumerate() {
            let combine = match ctx.text("combineConditions", index)?.as_str() {
                "OR" => LegacyCombine::Any,
                _ => LegacyCombine::All,
            };
            let holds = LegacyConditions::read(ctx, index)?
                .hold(combine)
                .map_err(|error| error.on_item(index))?;
            if holds { &mut kept } else { &mut dropped }.push(item.paired_with(index));
        }
        // What is dropped is only shown, never connected; with an error output that one comes
        // second.
        let with_error_output = ctx.node().on_error == OnError::ContinueError;
        Ok(if with_error_output {
            vec![kept.finish()]
        } else {
            vec![kept.finish(), dropped.finish()]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn items_that_meet_no_condition_are_dropped() {
        let params = json!({ "conditions": { "boolean": [{ "value1": true, "value2": false }] }, "combineConditions": "OR" });
        assert_eq!(
            run::<FilterV1>(params, json!([{ "a": 1 }])).await.unwrap(),
            [json!([]), json!([{ "a": 1 }])]
        );
    }
}
