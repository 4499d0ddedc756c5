//! Switch in its first two versions: one value compared by rules of one type.

use super::SwitchOutputs;
use crate::conditions::{
    LEGACY_OPERATIONS, compare, legacy_operation, legacy_values, to_milliseconds,
};
use node_api::prelude::*;

pub(crate) struct SwitchV1;
pub(crate) struct SwitchV2;

impl Node for SwitchV1 {
    fn spec() -> Spec {
        let outputs = (0..4).map(|number| Port::named(&number.to_string()));
        let spec = Spec::new(
            "n8n-nodes-base.switch",
            &[1.0],
            "Switch",
            "Send items to one of four outputs",
        )
        .icon("route")
        .subtitle(&["{rules.values:count rule}", "{rules.rules:count rule}"])
        .outputs(outputs);
        let output = Param::number("output", "Output", 0)
            .between(0.0, 3.0)
            .help("Output for items that match the rule, starting at 0.");
        let fallback = Param::number("fallbackOutput", "Fallback output", -1).between(-1.0, 3.0);
        form(spec, output, fallback).example(
            "By size",
            r#"{ "value1": 7, "rules": { "rules": [{ "operation": "smaller", "value2": 5 }, { "operation": "larger", "value2": 5, "output": 1 }] } }"#,
            r#"[{ "n": 7 }]"#,
            r#"[[], [{ "n": 7 }], [], []]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let lanes = SwitchOutputs::new(ctx, 4)?;
        route(ctx, &items, lanes, |rule, _| {
            rule.get("output").and_then(Value::as_f64).unwrap_or(0.0)
        })
    }
}

impl Node for SwitchV2 {
    fn spec() -> Spec {
        let spec = Spec::new(
            "n8n-nodes-base.switch",
            &[2.0],
            "Switch",
            "Send items to one of several outputs",
        )
        .icon("route")
        .subtitle(&["{rules.values:count rule}", "{rules.rules:count rule}"])
        .outputs((0..4).map(|number| Port::named(&number.to_string())))
        .output_rule(PortRule::number("outputsAmount", "").when("mode", "expression"))
        .output_rule(PortRule::entries("rules.rules", "outputKey"))
        .param(
            Param::number("outputsAmount", "Outputs", 4)
                .show("mode", &["expression"])
                .help("Number of outputs."),
        );
        let output = Param::text("outputKey", "Output", "").help("The name of the rule's output.");
        let fallback = Param::number("fallbackOutput", "Fallback output", -1);
        form(spec, output, fallback).example(
            "By text",
            r#"{ "dataType": "string", "value1": "b", "rules": { "rules": [{ "value2": "a" }, { "value2": "b" }] } }"#,
            r#"[{ "x": "b" }]"#,
            r#"[[], [{ "x": "b" }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let count = match ctx.text("mode", 0)?.as_str() {
            "expression" => ctx.number("outputsAmount", 0)?.max(0.0) as usize,
            _ => ctx.param("rules.rules", 0)?.as_array().map_or(0, <[Value]>::len),
        };
        let lanes = SwitchOutputs::new(ctx, count)?;
        route(ctx, &items, lanes, |_, position| position as f64)
    }
}

fn route(
    ctx: &Ctx<'_>,
    items: &Items,
    mut lanes: SwitchOutputs,
    output_of: fn(&Value, usize) -> f64,
) -> Result<Outputs, NodeError> {
    for (index, item) in items.iter().enumerate() {
        match choose(ctx, index, lanes.count(), output_of) {
            Ok(Some(output)) => lanes.push(output, item.paired_with(index)),
            Ok(None) => {}
            Err(error) => lanes.push(0, ctx.failed_item(index, error)?),
        }
    }
    Ok(lanes.finish())
}

fn choose(
    ctx: &Ctx<'_>,
    index: usize,
    outputs: usize,
    output_of: fn(&Value, usize) -> f64,
) -> Result<Option<usize>, NodeError> {
    let allowed = |output: f64| {
        if output >= 0.0 && output < outputs as f64 {
            return Ok(Some(output as usize));
        }
        let output = model::number_to_string(output);
        let last = outputs as f64 - 1.0;
        Err(NodeError::parameter(
            "output",
            format!("The ouput {output} is not allowed. It has to be between 0 and {last}!"),
        ))
    };
    if ctx.text("mode", index)? == "expression" {
        return allowed(ctx.number("output", index)?);
    }
    let is_date = ctx.text("dataType", 0)? == "dateTime";
    let side =
        |value: Value| if is_date { to_milliseconds(&value).map(Value::Number) } else { Ok(value) };
    let value = side(ctx.param("value1", index)?)?;
    let rules = ctx.param("rules.rules", index)?;
    for (position, rule) in rules.as_array().unwrap_or_default().iter().enumerate() {
        let operation = rule.get("operation").and_then(Value::as_str).unwrap_or_default();
        if compare(operation, &value, &side(rule.get("value2").cloned().unwrap_or_default())?)? {
            return allowed(output_of(rule, position));
        }
    }
    let fallback = crate::field_type::to_number(&ctx.param("fallbackOutput", index)?);
    if fallback == -1.0 || fallback.is_nan() { Ok(None) } else { allowed(fallback) }
}

fn form(spec: Spec, output: Param, fallback: Param) -> Spec {
    let kinds = LEGACY_OPERATIONS.map(|(kind, title, _)| (kind, title));
    let mut spec = spec
        .group(NodeGroup::Flow)
        .param(
            Param::choice("mode", "Mode", &[("expression", "Expression"), ("rules", "Rules")])
                .preset("rules")
                .help("Whether rules or a computed number choose the output."),
        )
        .param(
            Param::number("output", "Output", 0)
                .show("mode", &["expression"])
                .help("Number of the output, starting at 0."),
        )
        .param(
            Param::choice("dataType", "Data type", &kinds)
                .preset("number")
                .show("mode", &["rules"])
                .help("The type of the values that the rules compare."),
        );
    for (kind, _, operations) in LEGACY_OPERATIONS {
        let (first, second) = legacy_values(kind);
        let rule =
            [legacy_operation(operations), second.help("Value to compare with."), output.clone()];
        spec = spec
            .param(
                first
                    .show("mode", &["rules"])
                    .show("dataType", &[kind])
                    .help("Value that every rule compares."),
            )
            .param(
                Param::repeated("rules", "Rules", [FieldGroup::new("rules", "Rule", rule)])
                    .show("mode", &["rules"])
                    .show("dataType", &[kind])
                    .help("The first matching rule decides."),
            );
    }
    spec.param(
        fallback
            .show("mode", &["rules"])
            .help("Output for items that match no rule. -1 discards them."),
    )
    .hint("Kept for older workflows; new ones use version 3.")
    .repeatable()
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn an_output_that_is_not_there_is_refused() {
        let error = run::<SwitchV1>(json!({ "mode": "expression", "output": 4 }), json!([{}]))
            .await
            .unwrap_err();
        assert_eq!(error.message(), "The ouput 4 is not allowed. It has to be between 0 and 3!");
    }

    #[tokio::test]
    async fn what_fits_no_rule_goes_to_the_fallback_or_nowhere() {
        let params = |fallback: i32| json!({ "value1": 1, "rules": { "rules": [{ "value2": 1 }] }, "fallbackOutput": fallback });
        assert_eq!(run::<SwitchV2>(params(-1), json!([{ "a": 1 }])).await.unwrap(), [json!([])]);
        assert_eq!(
            run::<SwitchV2>(params(0), json!([{ "a": 1 }])).await.unwrap(),
            [json!([{ "a": 1 }])]
        );
    }
}
