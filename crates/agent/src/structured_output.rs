//! The form of an agent's answer: the tool by which it is given, and how it is read.

use crate::ask::parse_reply;
use crate::host::{AgentError, AgentHost};
use model::{Str, Value};
use ports::ai::{Message, OutputParser, ToolCall, ToolDefinition, ToolEffect};

/// n8n's name for it, which prompts of imported workflows mention.
pub(crate) const OUTPUT_TOOL: &str = "format_final_json_response";

/// What the model is told about its last answer.
pub(crate) fn instructions(parser: &dyn OutputParser) -> Str {
    match parser.schema() {
        Some(_) => format!(
            "Give your final answer by calling the tool `{OUTPUT_TOOL}` with the complete \
                 answer in the format the tool takes. Call it once, when everything else is done. A \
                 plain text answer is not accepted."
        )
        .into(),
        None => parser.instructions(),
    }
}

/// The tool by which the final answer is given. Where the form has no schema, the answer is text.
pub(crate) fn tool(parser: &dyn OutputParser) -> Option<ToolDefinition> {
    Some(ToolDefinition {
        name: OUTPUT_TOOL.into(),
        description: "Takes your final answer to the user. Call it only when you are done; what you give here is the answer.".into(),
        parameters: parser.schema()?.clone(),
        effect: ToolEffect::None,
        flow: ports::ai::DataFlow::default(),
    })
}

/// The final answer, if one of the calls gives it.
pub(crate) fn final_reply(calls: &[ToolCall]) -> Option<Message> {
    calls
        .iter()
        .find(|call| call.name == OUTPUT_TOOL)
        .map(|call| Message::assistant(call.arguments.to_text()))
}

pub(crate) async fn parse_final(
    world: &dyn AgentHost,
    key: &str,
    parser: &dyn OutputParser,
    message: &Message,
) -> Result<(Str, Value), AgentError> {
    let value = parse_reply(world, key, parser, message).await?;
    Ok((model::json::to_string(&value).into(), value))
}
