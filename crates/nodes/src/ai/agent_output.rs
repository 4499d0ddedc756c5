//! How the end of an agent's loop shows in its item.

use agent::{AgentOutcome, EndReason, ToolUse};
use model::{ItemError, OnError};
use node_api::prelude::*;
use std::sync::Arc;

/// Marks an item whose answer is not the final one. With an error output, it goes there.
pub(super) fn mark_end(ctx: &Ctx<'_>, end_reason: EndReason, item: &mut Item) {
    if !end_reason.is_partial() {
        return;
    }
    let json = item.json.make_object();
    json.insert("finishReason", end_reason.name());
    json.insert("partial", true);
    if ctx.node().on_error == OnError::ContinueError {
        let words = format!("The agent ended before its final answer ({})", end_reason.name());
        let message = Str::from(words);
        json.insert("error", message.clone());
        let error = ItemError { message, description: None, is_final: true };
        item.error = Some(Arc::new(error));
    }
}

/// The tools that an agent has used, each once, in the order of their first call.
pub(super) fn tools_used(outcome: &AgentOutcome) -> Value {
    let mut names: Vec<Str> = Vec::new();
    for used in &outcome.record.tool_uses {
        if !names.contains(&used.name) {
            names.push(used.name.clone());
        }
    }
    Value::array(names.into_iter().map(Value::from).collect())
}

/// A step in LangChain's form.
pub(super) fn intermediate_step(used: &ToolUse) -> Value {
    let input = model::json::to_string(&used.arguments);
    let action = Object::from_iter([
        ("tool", Value::from(used.name.clone())),
        ("toolInput", used.arguments.clone()),
        ("toolCallId", used.call_id.clone().into()),
        ("log", format!("Calling {} with input: {input}", used.name).into()),
        ("type", "tool_call".into()),
    ]);
    Object::from_iter([
        ("action", Value::from(action)),
        ("observation", used.content.clone().into()),
    ])
    .into()
}
