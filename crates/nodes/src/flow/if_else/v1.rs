//! The first version of If: conditions in groups by type.

use crate::conditions::{LegacyCombine, LegacyConditions, legacy_groups};
use node_api::prelude::*;

pub(crate) struct IfV1;

impl Node for IfV1 {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.if", &[1.0], "IF", "Send items to one of two branches").icon("git-branch").subtitle(&["{conditions.conditions:conditions}"])
            .group(NodeGroup::Flow)
            .outputs([Port::named("true"), Port::named("false")])
            .param(legacy_groups())
            .param(
                Param::choice("combineOperation", "Combine", &[("all", "All"), ("any", "Any")])
                    .help("Whether all conditions must match, or any of them."),
            )
            .hint("Kept for older workflows; new ones use version 2.")
            .repeatable()
            .example(
                "Large orders",
                r#"{ "conditions": { "number": [{ "value1": 5, "operation": "larger", "value2": 3 }] } }"#,
                r#"[{ "n": 5 }]"#,
                r#"[[{ "n": 5 }], []]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let (mut yes, mut no) = (ctx.builder(), ctx.builder());
        for (index, item) in items.iter().enumerate() {
            let combine = match ctx.text("combineOperation", index)?.as_str() {
                "any" => LegacyCombine::Any,
                _ => LegacyCombine::All,
            };
            let holds = LegacyConditions::read(ctx, index)?
                .hold(combine)
                .map_err(|error| error.on_item(index))?;
            if holds { &mut yes } else { &mut no }.push(item.paired_with(index));
        }
        Ok(vec![yes.finish(), no.finish()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn one_condition_is_enough_when_any_may_hold() {
        let condition =
            |value2: i32| json!({ "value1": 1, "operation": "equal", "value2": value2 });
        let params = |combine: &str| json!({ "conditions": { "number": [condition(1), condition(2)] }, "combineOperation": combine });
        let input = json!([{ "a": 1 }]);
        assert_eq!(
            run::<IfV1>(params("any"), input.clone()).await.unwrap(),
            [json!([{ "a": 1 }]), json!([])]
        );
        assert_eq!(
            run::<IfV1>(params("all"), input).await.unwrap(),
            [json!([]), json!([{ "a": 1 }])]
        );
    }

    #[tokio::test]
    async fn a_date_that_is_none_is_an_error() {
        let params = json!({ "conditions": { "dateTime": [{ "value1": "later", "value2": "2024-01-01" }] } });
        let error = run::<IfV1>(params, json!([{}])).await.unwrap_err();
        assert_eq!(error.message(), "The value \"later\" is not a valid DateTime.");
    }
}
