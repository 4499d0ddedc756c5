//! Turns of a model as data, for notes.

use model::{Object, Value};
use ports::ai::{Message, ModelReply, StopReason, TokenUsage};

pub fn reply_to_value(turn: &ModelReply) -> Value {
    Object::from_iter([
        ("message", turn.message.to_value()),
        ("stop", turn.stop.name().into()),
        ("usage", usage_to_value(&turn.usage)),
        ("model", turn.model.clone().into()),
    ])
    .into()
}

pub fn reply_from_value(value: &Value) -> Option<ModelReply> {
    let stop = match value.get("stop")?.as_str()? {
        "stop" => StopReason::Stop,
        "tool_calls" => StopReason::ToolCalls,
        "length" => StopReason::Length,
        "content_filter" => StopReason::ContentFilter,
        "refusal" => StopReason::Refusal,
        "pause" => StopReason::Pause,
        other => StopReason::Other(other.into()),
    };
    Some(ModelReply {
        message: Message::from_value(value.get("message")?)?,
        stop,
        usage: value.get("usage").map(usage_from_value).unwrap_or_default(),
        model: value.get("model").and_then(Value::as_str).unwrap_or_default().into(),
    })
}

pub(crate) fn usage_to_value(usage: &TokenUsage) -> Value {
    Object::from_iter([
        ("input", Value::from(usage.input as f64)),
        ("cachedRead", (usage.cached_read as f64).into()),
        ("cacheWrite", (usage.cache_write as f64).into()),
        ("output", (usage.output as f64).into()),
        ("reasoning", (usage.reasoning as f64).into()),
    ])
    .into()
}

pub(crate) fn usage_from_value(value: &Value) -> TokenUsage {
    let count = |key: &str| value.get(key).and_then(Value::as_f64).unwrap_or(0.0) as u64;
    TokenUsage {
        input: count("input"),
        cached_read: count("cachedRead"),
        cache_write: count("cacheWrite"),
        output: count("output"),
        reasoning: count("reasoning"),
        raw: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ports::ai::{MessagePart, ToolArguments, ToolCall};

    #[test]
    fn a_turn_comes_back_as_it_was() {
        let call = ToolCall {
            id: "1".into(),
            name: "add".into(),
            arguments: ToolArguments::Parsed(Object::from_iter([("a", 1)])),
            opaque: None,
        };
        let message = Message {
            parts: vec![MessagePart::Text("yes".into()), MessagePart::ToolCall(call)],
            ..Message::assistant("")
        };
        let usage = TokenUsage {
            input: 3,
            cached_read: 1,
            cache_write: 0,
            output: 9,
            reasoning: 2,
            raw: None,
        };
        let turn =
            ModelReply { message, stop: StopReason::Other("odd".into()), usage, model: "m".into() };
        assert_eq!(reply_from_value(&reply_to_value(&turn)), Some(turn));
    }
}
