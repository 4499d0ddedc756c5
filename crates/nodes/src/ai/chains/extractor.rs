//! Reads fields out of a text.

use super::{ask_json, chain_spec, fill_template};
use crate::ai::batches::Batches;
use crate::ai::parsers::{json_param, schema_of_example};
use node_api::prelude::*;

const SYSTEM_PROMPT: &str = "You read information out of texts. Give only what the text says. Leave out a field whose value the text does not tell.";
const EXAMPLE: &str = "{\n\t\"state\": \"California\",\n\t\"cities\": [\"Los Angeles\", \"San Francisco\", \"San Diego\"]\n}";
const SCHEMA: &str = "{\n\t\"type\": \"object\",\n\t\"properties\": {\n\t\t\"state\": {\n\t\t\t\"type\": \"string\"\n\t\t},\n\t\t\"cities\": {\n\t\t\t\"type\": \"array\",\n\t\t\t\"items\": {\n\t\t\t\t\"type\": \"string\"\n\t\t\t}\n\t\t}\n\t}\n}";

pub(crate) struct InformationExtractor;

impl Node for InformationExtractor {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.informationExtractor",
            &[1.0, 1.1, 1.2],
            "Information Extractor",
            "Extract fields from a text",
        )
        .icon("scan-text");
        chain_spec(spec)
            .params(params())
            .hint("Use it when another node needs facts from a text as fields: names, dates, amounts.")
            .alias(&["ner", "parse", "data extraction", "structured"])
            .note("The model's response is stored on disk before the node continues. After a crash \
                 the model is not called again.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let batches =
            Batches::read(ctx, "options.batching", if ctx.version() >= 1.1 { 5 } else { 1 })?;
        batches.output(ctx, &items, |index| extract_fields(ctx, index)).await
    }
}

fn params() -> Vec<Param> {
    let kinds = [
        ("fromAttributes", "From attribute descriptions"),
        ("fromJson", "Generate from JSON example"),
        ("manual", "Define using JSON Schema"),
    ];
    let types =
        [("string", "String"), ("number", "Number"), ("boolean", "Boolean"), ("date", "Date")];
    let attribute = [
        Param::text("name", "Name", "").required().help("The field."),
        Param::choice("type", "Type", &types).help("Description of the field."),
        Param::text("description", "Description", "").required().help("Description for the model."),
        Param::flag("required", "Required", false).help("Whether the field is required."),
    ];
    let options = [
        Param::long_text("systemPromptTemplate", "System prompt template", SYSTEM_PROMPT)
            .help("System prompt for the model."),
        Batches::param(5).since(1.1),
    ];
    vec![
        Param::long_text("text", "Text", "").help("Text to extract the fields from."),
        Param::choice("schemaType", "Schema type", &kinds).raw().help("How to define the fields."),
        Param::json("jsonSchemaExample", "JSON example", EXAMPLE)
            .show("schemaType", &["fromJson"])
            .help("Example of a result. Since version 1.2 all its fields are required."),
        Param::json("inputSchema", "Input schema", SCHEMA)
            .show("schemaType", &["manual"])
            .help("The fields as JSON Schema."),
        Param::repeated(
            "attributes",
            "Attributes",
            [FieldGroup::new("attributes", "Attribute list", attribute)],
        )
        .show("schemaType", &["fromAttributes"])
        .help("The fields, one by one."),
        Param::collection("options", "Options", options).help("Extraction options."),
    ]
}

async fn extract_fields(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let schema = schema(ctx, index)?;
    let given = ctx.param("options.systemPromptTemplate", index)?;
    let system =
        fill_template(given.as_str().unwrap_or(SYSTEM_PROMPT), &[("format_instructions", "")]);
    let found = ask_json(ctx, index, "answer", system, ctx.text("text", index)?, &schema).await?;
    Ok(vec![Item::new(Object::from_iter([("output", without_nulls(found, &schema))]))])
}

fn schema(ctx: &Ctx<'_>, index: usize) -> Result<Value, NodeError> {
    match ctx.param("schemaType", index)?.as_str() {
        Some("fromJson") => Ok(schema_of_example(
            &json_param(ctx, "jsonSchemaExample", index)?,
            ctx.version() >= 1.2,
        )),
        Some("manual") => json_param(ctx, "inputSchema", index),
        _ => {
            let attributes = ctx.param("attributes.attributes", index)?;
            let attributes = attributes.as_array().unwrap_or_default();
            if attributes.is_empty() {
                return Err(NodeError::parameter(
                    "attributes",
                    "At least one attribute must be specified",
                )
                .on_item(index));
            }
            Ok(schema_of(attributes))
        }
    }
}

/// The schema of fields that are described one by one. What need not be found may be null.
fn schema_of(attributes: &[Value]) -> Value {
    let text = |attribute: &Value, name: &str| {
        attribute.get(name).map(Value::to_js_string).unwrap_or_default()
    };
    let is_required = |attribute: &&Value| attribute.get("required").is_some_and(Value::is_truthy);
    let field = |attribute: &Value| {
        let (kind, form) = match text(attribute, "type").as_str() {
            "number" => ("number", None),
            "boolean" => ("boolean", None),
            "date" => ("string", Some("A date in ISO 8601 format.")),
            _ => ("string", None),
        };
        let kind = if is_required(&attribute) {
            json!(kind)
        } else {
            Value::array(vec![kind.into(), "null".into()])
        };
        let description = [Some(text(attribute, "description")), form.map(Str::from)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        Object::from_iter([("type", kind), ("description", description.trim().into())])
    };
    let properties: Object =
        attributes.iter().map(|attribute| (text(attribute, "name"), field(attribute))).collect();
    let required: Vec<Value> = attributes
        .iter()
        .filter(is_required)
        .map(|attribute| text(attribute, "name").into())
        .collect();
    Object::from_iter([
        ("type", Value::from("object")),
        ("properties", properties.into()),
        ("required", Value::array(required)),
    ])
    .into()
}

/// A null in the place of a field that need not be found says that it was not.
fn without_nulls(mut found: Value, schema: &Value) -> Value {
    let may_be_null = |key: &str| {
        let kinds =
            schema.get("properties").and_then(|fields| fields.get(key)?.get("type")?.as_array());
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind.as_str() == Some("null")))
    };
    if found.is_object() {
        found.make_object().retain(|key, value| !(value.is_null() && may_be_null(key)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_become_a_schema_and_unfound_ones_are_left_out() {
        let schema = schema_of(&[
            json!({ "name": "who", "type": "string", "description": "The person", "required": true }),
            json!({ "name": "when", "type": "date", "description": "The day", "required": false }),
        ]);
        let wanted = json!({
            "type": "object",
            "properties": {
                "who": { "type": "string", "description": "The person" },
                "when": { "type": ["string", "null"], "description": "The day A date in ISO 8601 format." }
            },
            "required": ["who"]
        });
        assert_eq!(schema, wanted);
        assert_eq!(
            without_nulls(json!({ "who": "Ada", "when": null }), &schema),
            json!({ "who": "Ada" })
        );
    }
}
