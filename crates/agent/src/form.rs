//! The form of an agent's answer: the tool by which it is given, and how it is read.

use crate::ask::read;
use crate::world::{AgentError, World};
use model::{Str, Value};
use node_api::ai::{Effect, Message, Parser, ToolCall, ToolDefinition};

/// n8n's name for it, which prompts of imported workflows mention.
pub(crate) const FORM_TOOL: &str = "format_final_json_response";

/// What the model is told about its last answer.
pub(crate) fn instructions(parser: &dyn Parser) -> Str {
    match parser.schema() {
        Some(_) => format!(
            "Give your final answer by calling the tool `{FORM_TOOL}` with all of it in the form that the tool takes. \
             Call it once, when everything else is done. An answer in other words is not taken."
        )
        .into(),
        None => parser.instructions(),
    }
}

/// The tool by which the final answer is given. Where the form has no schema, the answer is text.
pub(crate) fn tool(parser: &dyn Parser) -> Option<ToolDefinition> {
    Some(ToolDefinition {
        name: FORM_TOOL.into(),
        description: "Takes your final answer to the user. Call it only when you are done; what you give here is the answer.".into(),
        parameters: parser.schema()?.clone(),
        effect: Effect::None,
        flow: node_api::ai::Flow::default(),
    })
}

/// The final answer, if one of the calls gives it.
pub(crate) fn given(calls: &[ToolCall]) -> Option<Message> {
    calls
        .iter()
        .find(|call| call.name == FORM_TOOL)
        .map(|call| Message::assistant(call.arguments.to_text()))
}

pub(crate) async fn answer(
    world: &dyn World,
    key: &str,
    parser: &dyn Parser,
    message: &Message,
) -> Result<(Str, Value), AgentError> {
    let value = read(world, key, parser, message).await?;
    Ok((model::json::to_string(&value).into(), value))
}
