//! Answers as JSON of a given form.

use super::autofixing::{FixingParser, fix_prompt_param};
use super::{json_in, json_param, parser_spec, schema_of_example};
use crate::ai::sub_nodes::models;
use agent::SchemaCheck;
use model::Kind;
use node_api::ai::{Message, OutputParser, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

const EXAMPLE: &str = "{\n\t\"state\": \"California\",\n\t\"cities\": [\"Los Angeles\", \"San Francisco\", \"San Diego\"]\n}";
const SCHEMA: &str = "{\n\t\"type\": \"object\",\n\t\"properties\": {\n\t\t\"state\": {\n\t\t\t\"type\": \"string\"\n\t\t},\n\t\t\"cities\": {\n\t\t\t\"type\": \"array\",\n\t\t\t\"items\": {\n\t\t\t\t\"type\": \"string\"\n\t\t\t}\n\t\t}\n\t}\n}";

pub(crate) struct OutputParserStructured;

impl Supplier for OutputParserStructured {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.outputParserStructured",
            &[1.0, 1.1, 1.2, 1.3],
            "Structured Output Parser",
            "Get the answer as JSON in a given format",
        )
        .icon("braces");
        let kinds =
            [("fromJson", "Generate from JSON example"), ("manual", "Define using JSON Schema")];
        parser_spec(spec)
            .inputs([Port::of(Kind::AiLanguageModel, "Model").optional().show("autoFix", &[true])])
            .params([
                Param::choice("schemaType", "Schema type", &kinds)
                    .raw()
                    .since(1.2)
                    .help("How to define the format."),
                Param::json("jsonSchemaExample", "JSON example", EXAMPLE)
                    .since(1.2)
                    .show("schemaType", &["fromJson"])
                    .help("Example of an answer. Since version 1.3 all its fields are required."),
                Param::json("inputSchema", "JSON Schema", SCHEMA)
                    .since(1.2)
                    .show("schemaType", &["manual"])
                    .help("Format of the response."),
                Param::json("jsonSchema", "JSON Schema", SCHEMA)
                    .until(1.1)
                    .help("Format of the response."),
                Param::flag("autoFix", "Auto-fix format", false)
                    .since(1.2)
                    .raw()
                    .help("Use the connected model to fix answers that do not match the format."),
                Param::flag("customizeRetryPrompt", "Customize retry prompt", false)
                    .show("autoFix", &[true])
                    .help("Use your own prompt to fix answers."),
                fix_prompt_param().show("autoFix", &[true]).show("customizeRetryPrompt", &[true]),
            ])
            .hint(
                "Connect it to an agent or a chain whose answer another node reads field by field.",
            )
            .alias(&["json", "zod", "schema"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let version = inner.version();
        let schema = match inner.param("schemaType", item)?.as_str() {
            _ if version < 1.2 => json_param(&inner, "jsonSchema", item)?,
            Some("manual") => json_param(&inner, "inputSchema", item)?,
            _ => schema_of_example(&json_param(&inner, "jsonSchemaExample", item)?, version >= 1.3),
        };
        let wrapping = if version < 1.1 { Wrapping::None } else { Wrapping::Output };
        let parser: Arc<dyn OutputParser> = Arc::new(StructuredParser::new(&schema, wrapping)?);
        if !inner.flag("autoFix", item)? {
            return Ok(Supply::Parser(parser));
        }
        let connected = models(ctx.host().as_ref(), item).await?;
        let model = connected.into_iter().next().map(|(_, model)| agent::with_tools(model));
        let model = model.ok_or_else(|| {
            NodeError::failed("A model is not connected")
                .hint("Connect a model to the parser, or turn off auto-fix.")
        })?;
        Ok(Supply::Parser(Arc::new(FixingParser::new(parser, model, inner.text("prompt", item)?)?)))
    }
}

/// Whether the fields stand in a field `output` of their own, as they do since version 1.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::ai) enum Wrapping {
    None,
    Output,
}

/// Reads JSON that fits a schema.
pub(in crate::ai) struct StructuredParser {
    /// What the model is asked for. It is always an object, because providers take no other
    /// schemas.
    requested_schema: Value,
    shape: SchemaCheck,
    wrapping: Wrapping,
}

impl StructuredParser {
    pub(in crate::ai) fn new(schema: &Value, wrapping: Wrapping) -> Result<Self, NodeError> {
        let schema = &normalize_schema(schema.clone());
        let shape = SchemaCheck::new(schema).map_err(|problem| {
            NodeError::parameter("inputSchema", "Error during parsing of JSON Schema.")
                .describe(problem)
        })?;
        let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
        let asked = match wrapping {
            Wrapping::None if is_object => schema.clone(),
            _ => {
                json!({ "type": "object", "properties": {}, "required": ["output"], "additionalProperties": false })
            }
        };
        let mut asked = asked;
        if wrapping == Wrapping::Output || !is_object {
            asked
                .make_object()
                .insert("properties", Object::from_iter([("output", schema.clone())]));
        }
        Ok(Self { requested_schema: asked, shape, wrapping })
    }

    /// The part of the answer that fits, or what is wrong with the answer.
    fn matching_part(&self, answer: Value) -> Result<Value, Vec<String>> {
        let inner = answer.get("output").cloned();
        let innermost = inner.as_ref().and_then(|inner| inner.get("output")).cloned();
        let mut problems = None;
        for candidate in [inner, innermost, Some(answer)].into_iter().flatten() {
            match self.shape.problems(&candidate) {
                none if none.is_empty() => return Ok(candidate),
                found => drop(problems.get_or_insert(found)),
            }
        }
        Err(problems.unwrap_or_default())
    }
}

/// The schema without what people write and no schema has: n8n takes such schemas for what they can
/// only mean.
fn normalize_schema(mut schema: Value) -> Value {
    const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "object", "array", "null"];
    let is_type = |name: &Value| name.as_str().is_some_and(|name| TYPES.contains(&name));
    match &mut schema {
        Value::Array(parts) => {
            for part in Arc::make_mut(parts) {
                *part = normalize_schema(std::mem::take(part));
            }
        }
        Value::Object(fields) => {
            let fields = Arc::make_mut(fields);
            match fields.get("type") {
                Some(Value::Array(names)) => {
                    let named = |name: &Value| {
                        if name.is_null() { Value::from("null") } else { name.clone() }
                    };
                    let names: Vec<Value> = names.iter().map(named).filter(is_type).collect();
                    fields.insert("type", names);
                }
                Some(name) if name.as_str().is_some() && !is_type(name) => {
                    drop(fields.remove("type"))
                }
                _ => {}
            }
            // In old drafts a field says itself that it is required.
            if fields
                .get("required")
                .is_some_and(|required| !required.is_array() && !required.is_object())
            {
                fields.remove("required");
            }
            let holds_data =
                |key: &str| matches!(key, "default" | "example" | "examples" | "enum" | "const");
            for (_, part) in fields.iter_mut().filter(|(key, _)| !holds_data(key)) {
                *part = normalize_schema(std::mem::take(part));
            }
        }
        _ => {}
    }
    schema
}

#[async_trait::async_trait]
impl OutputParser for StructuredParser {
    fn instructions(&self) -> Str {
        let schema = model::json::to_string(&self.requested_schema);
        format!("Answer with JSON that fits this schema, with no words around it and no code fence: {schema}").into()
    }

    fn schema(&self) -> Option<&Value> {
        Some(&self.requested_schema)
    }

    async fn parse(&self, answer: &Message) -> Result<Value, NodeError> {
        let unfit = |why: &str| {
            NodeError::failed("Model output doesn't fit required format")
                .with("outputParserFailReason", why)
        };
        let value = json_in(&answer.text())
            .map_err(|problem| unfit("Invalid JSON in model output").describe(problem))?;
        let fitting = self.matching_part(value).map_err(|problems| {
            unfit("Model output does not match the expected schema")
                .describe(problems.join("; "))
                .hint("Set 'On Error' of the parent node to continue, or make the format less strict.")
        })?;
        Ok(match self.wrapping {
            Wrapping::Output => Object::from_iter([("output", fitting)]).into(),
            Wrapping::None => fitting,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parser(wrapping: Wrapping) -> StructuredParser {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] });
        StructuredParser::new(&schema, wrapping).unwrap()
    }

    async fn parsed(parser: &StructuredParser, text: &str) -> Result<Value, NodeError> {
        parser.parse(&Message::assistant(text)).await
    }

    #[tokio::test]
    async fn an_answer_fits_with_its_wrapper_without_it_and_with_one_too_many() {
        let parser = parser(Wrapping::Output);
        for text in [
            r#"{"n":1}"#,
            r#"{"output":{"n":1}}"#,
            r#"{"output":{"output":{"n":1}}}"#,
            "```json\n{\"n\":1}\n```",
        ] {
            assert_eq!(
                parsed(&parser, text).await.unwrap(),
                json!({ "output": { "n": 1 } }),
                "{text}"
            );
        }
        assert_eq!(
            parser.schema().unwrap().get_path("properties.output.required[0]"),
            Some(&json!("n"))
        );
    }

    #[tokio::test]
    async fn the_oldest_version_puts_the_fields_out_bare() {
        assert_eq!(parsed(&parser(Wrapping::None), r#"{"n":1}"#).await.unwrap(), json!({ "n": 1 }));
    }

    #[tokio::test]
    async fn schemas_that_are_almost_right_are_read_for_what_they_mean() {
        let schema = json!({ "type": "object", "properties": { "a": { "type": ["string", null] }, "b": { "type": "text", "required": true } } });
        let parser = StructuredParser::new(&schema, Wrapping::None).unwrap();
        assert_eq!(
            parsed(&parser, r#"{"a":null,"b":1}"#).await.unwrap(),
            json!({ "a": null, "b": 1 })
        );
        assert!(parsed(&parser, r#"{"a":1}"#).await.is_err());
    }

    #[tokio::test]
    async fn what_does_not_fit_is_told_with_the_reason() {
        let parser = parser(Wrapping::Output);
        let error = parsed(&parser, r#"{"output":{"n":"x"}}"#).await.unwrap_err();
        assert_eq!(error.message(), "Model output doesn't fit required format");
        assert!(error.description().unwrap().contains("number"), "{:?}", error.description());
        assert!(parsed(&parser, "It is one.").await.is_err());
        assert!(StructuredParser::new(&json!({ "pattern": "(" }), Wrapping::Output).is_err());
    }
}
