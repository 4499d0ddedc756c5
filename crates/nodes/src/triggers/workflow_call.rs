//! Starts a run because another workflow calls this one.

use node_api::prelude::*;

pub(crate) struct ExecuteWorkflowTrigger;

impl Node for ExecuteWorkflowTrigger {
    fn spec() -> Spec {
        let sources = [
            ("workflowInputs", "Define using fields below"),
            ("jsonExample", "Define using JSON example"),
            ("passthrough", "Accept all data"),
        ];
        let types = [
            ("any", "Allow any type"),
            ("string", "Text"),
            ("number", "Number"),
            ("boolean", "Boolean"),
            ("array", "Array"),
            ("object", "Object"),
        ];
        let field = FieldGroup::new(
            "values",
            "Values",
            [
                Param::text("name", "Name", "")
                    .raw()
                    .required()
                    .help("Name of the input for callers."),
                Param::choice("type", "Type", &types)
                    .preset("string")
                    .raw()
                    .help("Type of the input for callers."),
            ],
        );
        let versions = [1.0, 1.1, 1.2];
        Spec::trigger("n8n-nodes-base.executeWorkflowTrigger", &versions, "Execute Workflow Trigger", "Start when another workflow calls this one").icon("corner-down-right").triggered_by(TriggerKind::Workflow)
            .untrusted()
            .param(Param::hidden("events", "worklfow_call"))
            .param(
                Param::notice("notice", "Runs when an Execute Workflow node in another workflow calls it. It does not \
                     need to be active.").until(1.0),
            )
            .param(Param::choice("inputSource", "Input data mode", &sources).raw().since(1.1).help("Which data callers can pass."))
            .param(
                Param::json("jsonExample", "JSON example", EXAMPLE)
                    .raw()
                    .since(1.1)
                    .show("inputSource", &["jsonExample"])
                    .help("An object with one field per input. Each value sets the type; `null` \
                         allows any type."),
            )
            .param(
                Param::repeated("workflowInputs", "Workflow inputs", [field])
                    .since(1.1)
                    .show("inputSource", &["workflowInputs"])
                    .help("Inputs of the workflow. Inputs a caller omits are `null`; any other data \
                         it sends is dropped."),
            )
            .hint("Use it for workflows that others call, or that an agent uses as a tool. Define the \
                 inputs.")
            .alias(&["subworkflow", "called", "function"])
            .repeatable()
            .started_by(StartCause::Workflow)
            .example(
                "Two inputs",
                r#"{ "workflowInputs": { "values": [{ "name": "city" }, { "name": "days", "type": "number" }] } }"#,
                r#"[{ "city": "Turin", "secret": 1 }]"#,
                r#"[[{ "city": "Turin", "days": null }]]"#,
            )
            .example("All data", r#"{ "inputSource": "passthrough" }"#, r#"[{ "a": 1 }]"#, r#"[[{ "a": 1 }]]"#)
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let names = match ctx.param("inputSource", 0)?.as_str() {
            None | Some("passthrough") => return Ok(vec![items]),
            Some("jsonExample") => names_of_example(&ctx.param("jsonExample", 0)?)?,
            Some(_) => names_of_fields(&ctx.param("workflowInputs.values", 0)?),
        };
        ctx.map_items(&items, |_, mut item| {
            let value_of = |name: &Str| {
                item.json
                    .get(name)
                    .filter(|value| !value.is_undefined())
                    .cloned()
                    .unwrap_or(Value::Null)
            };
            let json: Object = names.iter().map(|name| (name.clone(), value_of(name))).collect();
            item.json = Value::object(json);
            Ok(item)
        })
    }
}

const EXAMPLE: &str = r#"{
  "aField": "a string",
  "aNumber": 123,
  "thisFieldAcceptsAnyType": null,
  "anArray": []
}"#;

fn names_of_fields(values: &Value) -> Vec<Str> {
    let names = values.as_array().unwrap_or_default().iter().filter_map(|field| field.get("name"));
    names.map(Value::to_js_string).filter(|name| !name.is_empty()).collect()
}

fn names_of_example(example: &Value) -> Result<Vec<Str>, NodeError> {
    let read = match example {
        Value::String(text) => model::json::parse(text).map_err(|error| {
            NodeError::parameter("jsonExample", format!("The JSON example is not valid: {error}"))
        })?,
        value => value.clone(),
    };
    match read.as_object() {
        Some(fields) => Ok(fields.keys().cloned().collect()),
        None => Err(NodeError::parameter("jsonExample", "The JSON example must be an object")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::{TestHost, items, run, run_on, run_version};

    #[tokio::test]
    async fn the_first_version_takes_everything() {
        let outputs = run_version::<ExecuteWorkflowTrigger>(1.0, json!({}), &[json!([{ "a": 1 }])])
            .await
            .unwrap();
        assert_eq!(outputs, [json!([{ "a": 1 }])]);
    }

    #[tokio::test]
    async fn the_fields_of_an_example_are_the_inputs() {
        let parameters = json!({ "inputSource": "jsonExample", "jsonExample": "{ \"a\": \"x\", \"b\": { \"c\": 1 } }" });
        let outputs = run::<ExecuteWorkflowTrigger>(parameters, json!([{ "b": 5, "z": 1 }, {}]))
            .await
            .unwrap();
        assert_eq!(outputs, [json!([{ "a": null, "b": 5 }, { "a": null, "b": null }])]);
        for example in ["[1]", "{", "null"] {
            let parameters = json!({ "inputSource": "jsonExample", "jsonExample": example });
            assert_eq!(
                run::<ExecuteWorkflowTrigger>(parameters, json!([{}])).await.unwrap_err().code(),
                Code::NODE_PARAMETER
            );
        }
    }

    #[tokio::test]
    async fn files_are_kept() {
        let host = TestHost::new(
            &ExecuteWorkflowTrigger::spec(),
            1.1,
            &json!({ "workflowInputs": { "values": [{ "name": "a" }] } }),
        );
        let given = items(
            &json!([{ "json": { "a": 1 }, "binary": { "data": { "data": "eA==", "mimeType": "text/plain" } } }]),
        );
        let outputs = run_on::<ExecuteWorkflowTrigger>(&host, 1.1, vec![given], Default::default())
            .await
            .unwrap();
        assert!(outputs[0].iter().all(|item| item.binary("data").is_some()));
    }
}
