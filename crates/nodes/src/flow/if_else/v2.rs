//! If since version 2: one filter, evaluated for each item.

use crate::conditions::FilterPlan;
use node_api::prelude::*;

pub(crate) struct If;

impl Node for If {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.if", &[2.0, 2.1, 2.2, 2.3], "If", "Send items to one of two branches").icon("git-branch").subtitle(&["{conditions.conditions:conditions}"])
            .group(NodeGroup::Flow)
            .outputs([Port::named("true"), Port::named("false")])
            .params(params("Items that match are sent to the true output."))
            .hint("Use it for a decision with two outcomes. Switch has more outputs, Filter keeps \
                 only matches.")
            .alias(&["branch", "condition", "router"])
            .repeatable()
            .example(
                "Adults",
                r#"{ "conditions": { "combinator": "and", "options": { "caseSensitive": true, "typeValidation": "strict", "version": 2 },
                    "conditions": [{ "leftValue": 20, "rightValue": 18, "operator": { "type": "number", "operation": "gte" } }] } }"#,
                r#"[{ "age": 20 }]"#,
                r#"[[{ "age": 20 }], []]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let [yes, no] = split(ctx, &items)?;
        Ok(vec![yes, no])
    }
}

/// The form of one filter; Filter has the same.
pub(in crate::flow) fn params(what_happens: &str) -> [Param; 3] {
    let loose = |preset| {
        let flag = Param::flag("looseTypeValidation", "Convert types where required", preset);
        flag.help("Convert values to the expected type before comparing.")
    };
    let ignore_case =
        Param::flag("ignoreCase", "Ignore case", true).help("Treat upper and lower case as equal.");
    [
        Param::filter("conditions", "Conditions").help(what_happens),
        loose(false).since(2.1),
        Param::collection("options", "Options", [ignore_case, loose(true)])
            .help("Comparison options."),
    ]
}

/// The items that pass the parameter `conditions`, and the others. An item that fails with
/// continue-on-fail does not pass.
pub(in crate::flow) fn split(ctx: &Ctx<'_>, items: &Items) -> Result<[Items; 2], NodeError> {
    let mut plan = FilterPlan::new(ctx, "conditions")?;
    let (mut yes, mut no) = (ctx.builder(), ctx.builder());
    for (index, item) in items.iter().enumerate() {
        let passes = match plan.passes(ctx, index) {
            Ok(passes) => passes,
            Err(_) if ctx.continues_on_fail() => false,
            Err(error) => return Err(error),
        };
        if passes { &mut yes } else { &mut no }.push(item.paired_with(index));
    }
    Ok([yes.finish(), no.finish()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run, run_on, to_json};

    fn wrong_type() -> Value {
        json!({ "conditions": {
            "combinator": "and",
            "options": { "caseSensitive": true, "typeValidation": "strict", "version": 2 },
            "conditions": [{ "leftValue": "x", "rightValue": 1, "operator": { "type": "number", "operation": "equals" } }]
        } })
    }

    #[tokio::test]
    async fn a_wrong_type_stops_the_run_unless_it_continues_on_fail() {
        let error = run::<If>(wrong_type(), json!([{}])).await.unwrap_err();
        assert_eq!(
            error.message(),
            "Wrong type: 'x' is a string but was expecting a number [condition 0, item 0]"
        );
        let host = TestHost::new(&If::spec(), 2.2, &wrong_type());
        let outputs =
            run_on::<If>(&host, 2.2, vec![items(&json!([{ "a": 1 }]))], OnError::ContinueRegular)
                .await
                .unwrap();
        assert_eq!(to_json(&outputs[1]), json!([{ "a": 1 }]));
    }

    #[tokio::test]
    async fn without_conditions_everything_passes() {
        assert_eq!(
            run::<If>(json!({}), json!([{ "a": 1 }])).await.unwrap(),
            [json!([{ "a": 1 }]), json!([])]
        );
    }
}
