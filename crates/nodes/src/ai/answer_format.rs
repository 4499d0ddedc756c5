//! The form of an agent's answer, as its options say.

use super::parsers::structured::{StructuredParser, Wrapping};
use super::parsers::{json_in, json_param};
use agent::AgentOptions;
use node_api::ai::{Message, OutputFormat, OutputParser};
use node_api::prelude::*;
use std::sync::Arc;

/// Has the model asked for the form that the options name. Gives the parser that reads it, where
/// the answer is more than text.
pub(super) fn read(
    ctx: &Ctx<'_>,
    index: usize,
    options: &mut AgentOptions,
) -> Result<Option<Arc<dyn OutputParser>>, NodeError> {
    let option = |name: &str| ctx.param(&format!("options.{name}"), index);
    if option("onInvalid")?.as_str() == Some("stop") {
        options.max_repairs = 0;
    }
    if option("outputFormat")?.as_str() != Some("json") {
        return Ok(None);
    }
    let schema = match option("jsonSchema")? {
        Value::Undefined | Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        _ => Some(json_param(ctx, "options.jsonSchema", index)?),
    };
    let parser: Arc<dyn OutputParser> = match schema {
        None => Arc::new(JsonParser),
        Some(schema) => Arc::new(StructuredParser::new(&schema, Wrapping::None)?),
    };
    options.answer_format = match parser.schema() {
        None => OutputFormat::Json,
        Some(schema) => OutputFormat::Schema { name: "answer".into(), schema: schema.clone() },
    };
    Ok(Some(parser))
}

/// Reads JSON of any form.
struct JsonParser;

#[async_trait::async_trait]
impl OutputParser for JsonParser {
    fn instructions(&self) -> Str {
        "Give your final answer as JSON and nothing else.".into()
    }

    fn schema(&self) -> Option<&Value> {
        None
    }

    async fn parse(&self, answer: &Message) -> Result<Value, NodeError> {
        let text = answer.text();
        json_in(&text).map_err(|problem| {
            NodeError::failed(format!("The answer is not valid JSON: {problem}"))
                .describe(text.clone())
                .hint("Ask for JSON in the system prompt, or choose another model.")
        })
    }
}
