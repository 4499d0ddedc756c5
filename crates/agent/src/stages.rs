//! What the trace says about the stages of an agent's work that leave no other record: what it was
//! given, and what it answered.

use crate::record::{EndReason, Record};
use crate::remember::MemorySession;
use model::{Object, Str, Value};
use ports::ai::{Message, MessagePart};

/// What an agent was given: how much text, which files, whose conversation, how many tools.
pub fn given(message: &Message, n_tools: usize, memory: Option<&MemorySession>) -> Object {
    let mut characters = 0;
    let mut files = Vec::new();
    for part in &message.parts {
        match part {
            MessagePart::Text(text) => characters += text.chars().count(),
            MessagePart::Image(media) | MessagePart::File(media) => {
                files.push(Value::from(media.mime_type.clone()))
            }
            MessagePart::ToolCall(_)
            | MessagePart::ToolResult(_)
            | MessagePart::Thinking { .. } => {}
        }
    }
    let mut detail =
        Object::from_iter([("characters", Value::from(characters)), ("tools", n_tools.into())]);
    if !files.is_empty() {
        detail.insert("files", Value::array(files));
    }
    if let Some(memory) = memory {
        detail.insert("sessionId", memory.session.as_str());
    }
    detail
}

/// What it answered: why it ended, what that took, and what the answer is based on.
pub(crate) fn answered(ended: EndReason, record: &Record) -> Object {
    let mut detail = ended_with(ended, record.iterations, &record.sources);
    detail.insert("toolCalls", record.tool_uses.len());
    detail.insert("inputTokens", record.usage.input as f64);
    detail.insert("outputTokens", record.usage.output as f64);
    if let Some(dollars) = record.cost {
        detail.insert("dollars", dollars);
    }
    detail.insert("durationMs", record.duration_ms as f64);
    detail
}

/// The same for a strict loop, which keeps its own account.
pub fn ended_with(ended: EndReason, iterations: usize, sources: &[Value]) -> Object {
    Object::from_iter([
        ("finishReason", Value::from(ended.name())),
        ("iterations", iterations.into()),
        ("sources", Value::array(sources.iter().map(without_memory_text).collect())),
    ])
}

/// Entries of memory are named and not copied, so that deleting one leaves nothing behind.
fn without_memory_text(source: &Value) -> Value {
    let mut shown = source.clone();
    let is_memory = source.get("type").and_then(Value::as_str) == Some("memory");
    if let (true, Value::Object(_)) = (is_memory, &shown) {
        let kept = ["type", "id", "kind", "score", "tool", "callId", "iteration", "isQuoted"];
        let fields = kept.into_iter().filter_map(|name| Some((name, source.get(name)?.clone())));
        shown = Object::from_iter(fields.map(|(name, value)| (Str::from(name), value))).into();
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn entries_of_memory_are_named_without_what_they_say() {
        let memory = json!({ "type": "memory", "id": "e1", "text": "likes tea", "score": 0.5 });
        let document = json!({ "type": "document", "id": "d1", "text": "The warranty" });
        let detail = ended_with(EndReason::Completed, 1, &[memory, document.clone()]);
        let named = json!({ "type": "memory", "id": "e1", "score": 0.5 });
        assert_eq!(detail.get("sources"), Some(&Value::array(vec![named, document])));
    }

    #[test]
    fn what_was_given_is_counted_and_not_copied() {
        let detail = given(&Message::user("grüß"), 2, None);
        assert_eq!(Value::from(detail), json!({ "characters": 4, "tools": 2 }));
    }
}
