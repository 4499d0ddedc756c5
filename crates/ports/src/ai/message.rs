//! The messages of a conversation, in one shape for all providers.

use bytes::Bytes;
use model::{Object, Str, Value};

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChatRole {
    System,
    User,
    Assistant,
    /// The results of tools that the assistant called.
    Tool,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub role: ChatRole,
    pub parts: Vec<MessagePart>,
    /// Data of the provider that must go back unchanged with this message.
    pub opaque: Option<Opaque>,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum MessagePart {
    Text(Str),
    Image(Media),
    File(Media),
    ToolCall(ToolCall),
    ToolResult(ToolResult),
    /// What a model thought. It goes back to the same model and is shown to nobody unless asked
    /// for.
    Thinking {
        text: Str,
        opaque: Option<Opaque>,
    },
}

/// Something only the named provider understands: a signature, an encrypted block.
#[derive(Clone, Debug, PartialEq)]
pub struct Opaque {
    pub provider: Str,
    pub data: Value,
}

/// An image or a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    pub mime_type: Str,
    pub name: Option<Str>,
    pub data: MediaData,
}

#[derive(Clone, Debug, PartialEq)]
pub enum MediaData {
    Bytes(Bytes),
    Url(Str),
}

/// A tool that the model wants called.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The provider's, or one of ours where it gives none; unique within the turn.
    pub id: Str,
    pub name: Str,
    pub arguments: ToolArguments,
    pub opaque: Option<Opaque>,
}

/// What a model says a tool shall be called with.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolArguments {
    Parsed(Object),
    /// It is no JSON object; the model is told so.
    Malformed {
        text: Str,
        problem: Str,
    },
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    pub id: Str,
    pub name: Str,
    pub content: Str,
    pub is_error: bool,
}

/// What the arguments of a call may take in memory: far more than any tool takes.
const MAX_ARGUMENTS: usize = 64 << 20;

impl ToolArguments {
    /// Reads the text that a provider sends; nothing at all means no arguments.
    pub fn parse(text: &str) -> Self {
        if text.trim().is_empty() {
            return ToolArguments::Parsed(Object::new());
        }
        match model::json::parse_within(text, MAX_ARGUMENTS) {
            Ok(Value::Object(object)) => ToolArguments::Parsed((*object).clone()),
            Ok(other) => ToolArguments::Malformed {
                text: text.into(),
                problem: format!("expected an object, got {}", other.kind_name()).into(),
            },
            Err(error) => {
                ToolArguments::Malformed { text: text.into(), problem: error.to_string().into() }
            }
        }
    }

    pub fn to_value(&self) -> Value {
        match self {
            ToolArguments::Parsed(object) => object.clone().into(),
            ToolArguments::Malformed { text, .. } => text.clone().into(),
        }
    }

    /// As text, the way providers want them back.
    pub fn to_text(&self) -> Str {
        match self {
            ToolArguments::Parsed(object) => model::json::to_string(&object.clone().into()).into(),
            ToolArguments::Malformed { text, .. } => text.clone(),
        }
    }
}

impl Message {
    pub fn new(role: ChatRole, parts: Vec<MessagePart>) -> Self {
        Self { role, parts, opaque: None }
    }

    pub fn system(text: impl Into<Str>) -> Self {
        Self::new(ChatRole::System, vec![MessagePart::Text(text.into())])
    }

    pub fn user(text: impl Into<Str>) -> Self {
        Self::new(ChatRole::User, vec![MessagePart::Text(text.into())])
    }

    pub fn assistant(text: impl Into<Str>) -> Self {
        Self::new(ChatRole::Assistant, vec![MessagePart::Text(text.into())])
    }

    pub fn results(results: impl IntoIterator<Item = ToolResult>) -> Self {
        Self::new(ChatRole::Tool, results.into_iter().map(MessagePart::ToolResult).collect())
    }

    /// All its text, without what was thought.
    pub fn text(&self) -> Str {
        let mut text = Str::new();
        for part in &self.parts {
            if let MessagePart::Text(piece) = part {
                text.push_str(piece);
            }
        }
        text
    }

    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| {
            if let MessagePart::ToolCall(call) = part { Some(call) } else { None }
        })
    }

    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResult> {
        self.parts.iter().filter_map(|part| {
            if let MessagePart::ToolResult(result) = part { Some(result) } else { None }
        })
    }
}
