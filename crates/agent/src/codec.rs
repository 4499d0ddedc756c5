//! Turns of a model as data, for notes.

use model::{Object, Value};
use node_api::ai::{Message, Stop, Turn, Usage};

pub fn turn_to_value(turn: &Turn) -> Value {
    Object::from_iter([
        ("message", turn.message.to_value()),
        ("stop", turn.stop.name().into()),
        ("usage", usage_to_value(&turn.usage)),
        ("model", turn.model.clone().into()),
    ])
    .into()
}

pub fn turn_from_value(value: &Value) -> Option<Turn> {
    let stop = match value.get("stop")?.as_str()? {
        "stop" => Stop::Stop,
        "tool_calls" => Stop::ToolCalls,
        "length" => Stop::Length,
        "content_filter" => Stop::ContentFilter,
        "refusal" => Stop::Refusal,
        "pause" => Stop::Pause,
        other => Stop::Other(other.into()),
    };
    Some(Turn {
        message: Message::from_value(value.get("message")?)?,
        stop,
        usage: value.get("usage").map(usage_from_value).unwrap_or_default(),
        model: value.get("model").and_then(Value::as_str).unwrap_or_default().into(),
    })
}

pub(crate) fn usage_to_value(usage: &Usage) -> Value {
    Object::from_iter([
        ("input", Value::from(usage.input as f64)),
        ("cachedRead", (usage.cached_read as f64).into()),
        ("cacheWrite", (usage.cache_write as f64).into()),
        ("output", (usage.output as f64).into()),
        ("reasoning", (usage.reasoning as f64).into()),
    ])
    .into()
}

pub(crate) fn usage_from_value(value: &Value) -> Usage {
    let count = |key: &str| value.get(key).and_then(Value::as_f64).unwrap_or(0.0) as u64;
    Usage {
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
    use node_api::ai::{Arguments, Part, ToolCall};

    #[test]
    fn a_turn_comes_back_as_it_was() {
        let call = ToolCall {
            id: "1".into(),
            name: "add".into(),
            arguments: Arguments::Read(Object::from_iter([("a", 1)])),
            opaque: None,
        };
        let message = Message {
            parts: vec![Part::Text("yes".into()), Part::ToolCall(call)],
            ..Message::assistant("")
        };
        let usage =
            Usage { input: 3, cached_read: 1, cache_write: 0, output: 9, reasoning: 2, raw: None };
        let turn = Turn { message, stop: Stop::Other("odd".into()), usage, model: "m".into() };
        assert_eq!(turn_from_value(&turn_to_value(&turn)), Some(turn));
    }
}
