//! The schema of a tool's arguments as the form of a node tells it: by an example or in full.

use crate::ai::parsers::schema_of_example;
use node_api::SupplyCtx;
use node_api::prelude::*;

/// The parameters by which a node tells the schema of what it is called with.
pub(crate) fn params() -> Vec<Param> {
    let kinds =
        [("fromJson", "Generate from JSON example"), ("manual", "Define using JSON Schema")];
    let example = "{\n\t\"some_input\": \"some_value\"\n}";
    let schema = "{\n\"type\": \"object\",\n\"properties\": {\n\t\"some_input\": {\n\t\t\"type\": \"string\",\n\t\t\"description\": \"Some input to the function\"\n\t\t}\n\t}\n}";
    vec![
        Param::flag("specifyInputSchema", "Specify input schema", false)
            .raw()
            .help("Have the model pass named values instead of one text."),
        Param::choice("schemaType", "Schema type", &kinds)
            .raw()
            .show("specifyInputSchema", &[true])
            .help("How to define the values."),
        Param::json("jsonSchemaExample", "JSON example", example)
            .raw()
            .show("specifyInputSchema", &[true])
            .show("schemaType", &["fromJson"])
            .help("Example object whose fields the model fills in."),
        Param::json("inputSchema", "Input schema", schema)
            .raw()
            .show("specifyInputSchema", &[true])
            .show("schemaType", &["manual"])
            .help("The JSON Schema of the values."),
    ]
}

/// The schema that the form gives; `None` if the tool takes one text.
pub(crate) fn argument_schema(
    ctx: &SupplyCtx,
    all_required: bool,
) -> Result<Option<Value>, NodeError> {
    let (inner, item) = (ctx.ctx(), ctx.item());
    if !inner.flag("specifyInputSchema", item)? {
        return Ok(None);
    }
    let (parameter, is_example) = match inner.text("schemaType", item)?.as_str() {
        "manual" => ("inputSchema", false),
        _ => ("jsonSchemaExample", true),
    };
    let written = inner.param(parameter, item)?;
    let value = match written.as_str() {
        Some(text) => model::json::parse(text).map_err(|error| {
            NodeError::parameter(parameter, format!("The tool's schema is not valid JSON: {error}"))
        })?,
        None => written,
    };
    let schema = if is_example { schema_of_example(&value, all_required) } else { value };
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => Ok(Some(schema)),
        _ => Err(NodeError::parameter(parameter, "The tool's schema must describe an object")
            .hint("Define an object with a field for each value that the model should fill in.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_read_as_a_schema() {
        let example = json!({ "city": "Lyon", "days": 3, "fine": true, "where": { "list": [{ "a": 1 }] }, "none": [] });
        let expected = json!({
            "type": "object",
            "properties": {
                "city": { "type": "string" },
                "days": { "type": "number" },
                "fine": { "type": "boolean" },
                "where": { "type": "object", "properties": { "list": { "type": "array", "items": { "type": "object", "properties": { "a": { "type": "number" } } } } } },
                "none": { "type": "array", "items": {} }
            }
        });
        assert_eq!(schema_of_example(&example, false), expected);
        assert_eq!(
            schema_of_example(&json!({ "a": 1 }), true).get("required"),
            Some(&json!(["a"]))
        );
    }
}
