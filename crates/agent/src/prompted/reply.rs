//! Reads the actions out of an answer.

use model::{Object, Str, Value};
use ports::ai::{Message, MessagePart, ModelReply, StopReason, ToolArguments, ToolCall};

/// How many beginnings of JSON are looked at in one answer.
const MAX_JSON_STARTS: usize = 20;

/// What was heard and not told on, because it may be an action.
#[derive(Default)]
pub(super) struct ActionBuffer {
    emitted: String,
    is_holding: bool,
}

impl ActionBuffer {
    /// The part of a piece that is surely words.
    pub(super) fn take(&mut self, piece: &str) -> Option<Str> {
        let end =
            if self.is_holding { 0 } else { piece.find(['{', '[', '`']).unwrap_or(piece.len()) };
        self.is_holding |= end < piece.len();
        let words = &piece[..end];
        // White space before an action is no answer.
        if words.is_empty() || (self.emitted.is_empty() && words.trim().is_empty()) {
            return None;
        }
        self.emitted.push_str(words);
        Some(words.into())
    }

    /// What is left to tell of the answer.
    pub(super) fn flush(&self, answer: &str) -> Option<Str> {
        // What was told begins with the first word, whatever stood before it.
        let rest = if self.emitted.is_empty() {
            answer
        } else {
            answer.trim_start().strip_prefix(self.emitted.trim_start()).unwrap_or_default()
        };
        (!rest.is_empty()).then(|| rest.into())
    }
}

/// The turn with the calls that its text means.
pub(super) fn with_calls(turn: ModelReply) -> ModelReply {
    let text = turn.message.text();
    let (words, found) = match find(&text) {
        Some(found) => found,
        None if text.contains("\"action\"") => {
            return with_parts(turn, "", vec![unreadable(&text)]);
        }
        None => return turn,
    };
    let actions = match &found {
        Value::Array(list) => list.to_vec(),
        one => vec![one.clone()],
    };
    if let [only] = actions.as_slice()
        && is_final(only)
    {
        let answer = ["message", "answer", "input", "action_input"]
            .iter()
            .find_map(|key| only.get(key))
            .map(as_text)
            .unwrap_or_default();
        return with_parts(turn, &format!("{words}{answer}"), Vec::new());
    }
    let calls = actions
        .iter()
        .filter(|action| !is_final(action))
        .enumerate()
        .map(|(number, action)| call(number, action))
        .collect();
    with_parts(turn, words.trim_end(), calls)
}

/// The first JSON in a text that is an action or a list of them, and the words before it.
fn find(text: &str) -> Option<(&str, Value)> {
    for (at, _) in text.match_indices(['{', '[']).take(MAX_JSON_STARTS) {
        let Some(end) = end_of_json(&text[at..]) else { continue };
        let Ok(value) = model::json::parse(&text[at..at + end]) else { continue };
        let is_action = |value: &Value| value.get("action").is_some_and(Value::is_string);
        let is_found = match &value {
            Value::Array(list) => !list.is_empty() && list.iter().all(is_action),
            other => is_action(other),
        };
        if is_found {
            let before = text[..at].trim_end().trim_end_matches("```json").trim_end_matches("```");
            return Some((if before.trim().is_empty() { "" } else { before }, value));
        }
    }
    None
}

/// Where the bracket that a text begins with is closed.
fn end_of_json(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn is_final(action: &Value) -> bool {
    let name = action.get("action").and_then(Value::as_str).unwrap_or_default();
    name.eq_ignore_ascii_case("final")
        || name.eq_ignore_ascii_case("final answer")
        || name.eq_ignore_ascii_case("final_answer")
}

/// Models say it in the words that they have learned elsewhere, too.
fn call(number: usize, action: &Value) -> ToolCall {
    let text = |key: &str| action.get(key).and_then(Value::as_str).unwrap_or_default();
    let name =
        if text("action").eq_ignore_ascii_case("tool") { text("tool") } else { text("action") };
    let input =
        ["input", "action_input", "arguments", "parameters"].iter().find_map(|key| action.get(key));
    let arguments = match input {
        None | Some(Value::Null) => ToolArguments::Parsed(Object::new()),
        Some(Value::Object(object)) => ToolArguments::Parsed((**object).clone()),
        Some(other) => ToolArguments::parse(&as_text(other)),
    };
    ToolCall { id: format!("call_{number}").into(), name: name.into(), arguments, opaque: None }
}

/// An action that is meant but no JSON: the model hears what is wrong with it.
fn unreadable(text: &str) -> ToolCall {
    let problem = Str::from("the action is no valid JSON");
    ToolCall {
        id: "call_0".into(),
        name: Str::new(),
        arguments: ToolArguments::Malformed { text: text.into(), problem },
        opaque: None,
    }
}

fn as_text(value: &Value) -> Str {
    match value {
        Value::String(text) => text.clone(),
        other => model::json::to_string(other).into(),
    }
}

fn with_parts(turn: ModelReply, words: &str, calls: Vec<ToolCall>) -> ModelReply {
    let thoughts = turn
        .message
        .parts
        .iter()
        .filter(|part| matches!(part, MessagePart::Thinking { .. }))
        .cloned();
    let words = (!words.is_empty()).then(|| MessagePart::Text(words.into()));
    let stop = if calls.is_empty() { turn.stop } else { StopReason::ToolCalls };
    let parts = thoughts.chain(words).chain(calls.into_iter().map(MessagePart::ToolCall)).collect();
    ModelReply { message: Message { parts, ..turn.message }, stop, ..turn }
}
