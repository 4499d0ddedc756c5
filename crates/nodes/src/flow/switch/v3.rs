//! Switch since version 3: a filter for each output, or a computed number.

use super::SwitchOutputs;
use crate::conditions::FilterPlan;
use crate::field_type::to_number;
use node_api::prelude::*;

pub(crate) struct Switch;

impl Node for Switch {
    fn spec() -> Spec {
        let rule = [
            Param::filter("conditions", "Conditions")
                .help("Items that match are sent to this output."),
            Param::flag("renameOutput", "Rename output", false)
                .help("Use a custom name for the output."),
            Param::text("outputKey", "Output name", "")
                .show("renameOutput", &[true])
                .help("The name of the output."),
        ];
        let rules = ["rules"];
        Spec::new("n8n-nodes-base.switch", &[3.0, 3.1, 3.2, 3.3, 3.4], "Switch", "Send items to one of several outputs").icon("route").subtitle(&["{rules.values:count rule}", "{rules.rules:count rule}"])
            .group(NodeGroup::Flow)
            .outputs((0..4).map(|number| Port::named(&number.to_string())))
            .output_rule(PortRule::number("numberOutputs", "").when("mode", "expression"))
            .output_rule(PortRule::entries("rules.values", "outputKey").extra("options.fallbackOutput", "extra", "Fallback"))
            .params([
                Param::choice("mode", "Mode", &[("rules", "Rules"), ("expression", "Expression")])
                    .help("Whether rules or a computed number choose the output."),
                Param::number("numberOutputs", "Number of outputs", 4).show("mode", &["expression"]).help("Number of outputs."),
                Param::number("output", "Output index", "={{ }}")
                    .show("mode", &["expression"])
                    .help("Number of the item's output, starting at 0."),
                Param::repeated("rules", "Routing rules", [FieldGroup::new("values", "Rule", rule)])
                    .preset(first_rule())
                    .show("mode", &rules)
                    .help("One output per rule. The first matching rule gets the item."),
                Param::flag("looseTypeValidation", "Convert types where required", false)
                    .since(3.1)
                    .show("mode", &rules)
                    .help("Convert values to the expected type before comparing."),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::text("fallbackOutput", "Fallback output", "none")
                            .help("For items that match no rule: `none`, `extra` (a separate output) \
                                 or the number of an output."),
                        Param::text("renameFallbackOutput", "Rename fallback output", "Fallback").help("The name of the extra output."),
                        Param::flag("ignoreCase", "Ignore case", true).help("Treat upper and lower case as equal."),
                        Param::flag("looseTypeValidation", "Convert types where required", true)
                            .help("Convert values to the expected type before comparing."),
                        Param::flag("allMatchingOutputs", "Send data to all matching outputs", false)
                            .help("Send the item to the outputs of all matching rules, not only the \
                                 first."),
                    ],
                )
                .show("mode", &rules)
                .help("How to handle items that match no rule, or several."),
            ])
            .hint("Use it for more than two branches. Each rule has its own output, in order.")
            .alias(&["router", "case", "branch"])
            .repeatable()
            .example(
                "By rules, with an extra output for the rest",
                r#"{ "rules": { "values": [{ "conditions": { "combinator": "and", "options": { "version": 2 },
                    "conditions": [{ "leftValue": "a", "rightValue": "b", "operator": { "type": "string", "operation": "equals" } }] } }] },
                    "options": { "fallbackOutput": "extra" } }"#,
                r#"[{ "n": 1 }]"#,
                r#"[[], [{ "n": 1 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        match ctx.text("mode", 0)?.as_str() {
            "expression" => by_number(ctx, &items),
            _ => by_rules(ctx, &items),
        }
    }
}

/// A new Switch has one rule: nothing equals nothing, which always holds.
fn first_rule() -> Value {
    json!({ "values": [{ "conditions": {
        "options": { "caseSensitive": true, "leftValue": "", "typeValidation": "strict" },
        "conditions": [{ "leftValue": "", "rightValue": "", "operator": { "type": "string", "operation": "equals" } }],
        "combinator": "and"
    } }] })
}

fn by_number(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let mut lanes = SwitchOutputs::new(ctx, ctx.number("numberOutputs", 0)?.max(0.0) as usize)?;
    for (index, item) in items.iter().enumerate() {
        let output =
            output_number(ctx, index).and_then(|output| check_range(output, lanes.count()));
        match output {
            Ok(output) => lanes.push(output, item.paired_with(index)),
            Err(error) => lanes.push(0, ctx.failed_item(index, error)?),
        }
    }
    Ok(lanes.finish())
}

/// Where the workflow does not say, the item's own number.
fn output_number(ctx: &Ctx<'_>, index: usize) -> Result<f64, NodeError> {
    if ctx.raw_param("output").is_none_or(|raw| raw.as_str() == Some("={{ }}")) {
        return Ok(index as f64);
    }
    let value = ctx.param("output", index)?;
    let number = to_number(&value);
    if number.is_nan() || value.is_nullish() {
        let message = format!("'output' expects a number but we got '{}'", value.to_js_string());
        return Err(NodeError::parameter("output", message));
    }
    Ok(number)
}

fn by_rules(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let count = ctx.param("rules.values", 0)?.as_array().map_or(0, <[Value]>::len);
    if count == 0 {
        return Ok(vec![Items::new()]);
    }
    let mut plans = Vec::with_capacity(count);
    for rule in 0..count {
        plans.push(FilterPlan::new(ctx, &format!("rules.values[{rule}].conditions"))?);
    }
    let has_extra = ctx.param("options.fallbackOutput", 0)?.as_str() == Some("extra");
    let mut lanes = SwitchOutputs::new(ctx, count + usize::from(has_extra))?;
    for (index, item) in items.iter().enumerate() {
        let item = item.paired_with(index);
        if let Err(error) = route_item(ctx, &mut plans, &mut lanes, index, &item) {
            lanes.push(0, ctx.failed_item(index, error)?);
        }
    }
    Ok(lanes.finish())
}

fn route_item(
    ctx: &Ctx<'_>,
    plans: &mut [FilterPlan],
    lanes: &mut SwitchOutputs,
    index: usize,
    item: &Item,
) -> Result<(), NodeError> {
    let to_all = ctx.param("options.allMatchingOutputs", index)?.is_truthy();
    let mut placed = false;
    for (rule, plan) in plans.iter_mut().enumerate() {
        if plan.passes(ctx, index)? {
            lanes.push(rule, item.clone());
            placed = true;
            if !to_all {
                return Ok(());
            }
        }
    }
    if placed {
        return Ok(());
    }
    let fallback = ctx.param("options.fallbackOutput", index)?;
    let output = match &fallback {
        Value::Undefined => return Ok(()),
        Value::String(name) if name == "none" => return Ok(()),
        Value::String(name) if name == "extra" => lanes.count().saturating_sub(1),
        number => check_range(to_number(number), lanes.count())?,
    };
    lanes.push(output, item.clone());
    Ok(())
}

fn check_range(output: f64, count: usize) -> Result<usize, NodeError> {
    let text = model::number_to_string(output);
    if output == count as f64 {
        let description = format!(
            "Output indexes are zero based, if you want to use the extra output use {}",
            count as f64 - 1.0
        );
        return Err(NodeError::parameter("output", format!("The ouput {text} is not allowed. "))
            .describe(description));
    }
    if !(0.0..count as f64).contains(&output) || output.fract() != 0.0 {
        let description = format!("It has to be between 0 and {}", count as f64 - 1.0);
        return Err(NodeError::parameter("output", format!("The ouput {text} is not allowed"))
            .describe(description));
    }
    Ok(output as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    fn rule(left: Value, right: Value) -> Value {
        json!({ "conditions": { "combinator": "and", "options": { "caseSensitive": true, "typeValidation": "strict" },
            "conditions": [{ "leftValue": left, "rightValue": right, "operator": { "type": "number", "operation": "equals" } }] } })
    }

    #[tokio::test]
    async fn an_item_goes_to_every_fitting_output_only_when_asked() {
        let params = |all: bool| {
            json!({ "rules": { "values": [rule(json!(1), json!(1)), rule(json!(1), json!(2)), rule(json!(1), json!(1))] },
                "options": { "allMatchingOutputs": all } })
        };
        let lengths = |outputs: Vec<Value>| {
            outputs.iter().map(|output| output.as_array().unwrap().len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(run::<Switch>(params(true), json!([{}])).await.unwrap()), [1, 0, 1]);
        assert_eq!(lengths(run::<Switch>(params(false), json!([{}])).await.unwrap()), [1, 0, 0]);
    }

    #[tokio::test]
    async fn a_number_beyond_the_outputs_is_refused() {
        let run_with = |output: i32| {
            run::<Switch>(
                json!({ "mode": "expression", "numberOutputs": 2, "output": output }),
                json!([{}]),
            )
        };
        assert_eq!(run_with(2).await.unwrap_err().message(), "The ouput 2 is not allowed. ");
        assert_eq!(
            run_with(9).await.unwrap_err().description().unwrap(),
            "It has to be between 0 and 1"
        );
        assert_eq!(run_with(1).await.unwrap(), [json!([]), json!([{}])]);
    }

    #[tokio::test]
    async fn a_switch_that_was_never_filled_in_sends_everything_to_its_first_output() {
        assert_eq!(
            run::<Switch>(json!({}), json!([{ "a": 1 }])).await.unwrap(),
            [json!([{ "a": 1 }])]
        );
        assert_eq!(
            run::<Switch>(json!({ "rules": {} }), json!([{ "a": 1 }])).await.unwrap(),
            [json!([])]
        );
    }

    #[tokio::test]
    async fn the_fallback_may_be_the_output_of_a_rule() {
        let params = json!({ "rules": { "values": [rule(json!(1), json!(2))] }, "options": { "fallbackOutput": 0 } });
        assert_eq!(
            run::<Switch>(params, json!([{ "a": 1 }])).await.unwrap(),
            [json!([{ "a": 1 }])]
        );
    }
}
