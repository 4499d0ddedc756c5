//! The formats: which request is of which, and how an answer looks in each.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use crate::fault::NetFault;
use crate::reply::ScriptedReply;
use serde_json::{Value, json};

/// A format that model providers speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WireFormat {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Ollama,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ApiEndpoint {
    Chat(WireFormat),
    Embeddings(WireFormat),
    Models(WireFormat),
    /// What a model can do, which only Ollama tells.
    Abilities,
    Unknown,
}

/// One event of a stream.
pub(crate) struct WireEvent {
    pub(crate) name: Option<&'static str>,
    pub(crate) data: String,
    pub(crate) part: EventPart,
}

/// What an event is in the answer, for the faults that happen at certain places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventPart {
    Begin,
    Word,
    Call,
    /// Says why the answer ends, or how much it took.
    End,
    /// The mark after which nothing comes.
    Done,
}

impl WireFormat {
    pub const ALL: &[WireFormat] = &[
        WireFormat::OpenAiChat,
        WireFormat::OpenAiResponses,
        WireFormat::Anthropic,
        WireFormat::Gemini,
        WireFormat::Ollama,
    ];

    pub(crate) fn content_type(self, streams: bool) -> &'static str {
        match (self, streams) {
            (_, false) => "application/json",
            (WireFormat::Ollama, true) => "application/x-ndjson",
            (_, true) => "text/event-stream",
        }
    }

    /// The events of an answer.
    pub(crate) fn events(self, reply: &ScriptedReply) -> Vec<WireEvent> {
        match self {
            WireFormat::OpenAiChat => openai::events(reply),
            WireFormat::OpenAiResponses => responses::events(reply),
            WireFormat::Anthropic => anthropic::events(reply),
            WireFormat::Gemini => gemini::events(reply),
            WireFormat::Ollama => ollama::events(reply),
        }
    }

    /// The answer in one piece.
    pub(crate) fn whole(self, reply: &ScriptedReply) -> Value {
        match self {
            WireFormat::OpenAiChat => openai::whole(reply),
            WireFormat::OpenAiResponses => responses::whole(reply, "completed"),
            WireFormat::Anthropic => anthropic::whole(reply),
            WireFormat::Gemini => gemini::whole(reply),
            WireFormat::Ollama => ollama::whole(reply),
        }
    }

    /// An error as the format writes it.
    pub(crate) fn error(self, status: u16, words: &str) -> Value {
        match self {
            WireFormat::OpenAiChat | WireFormat::OpenAiResponses => {
                let code = match status {
                    401 => "invalid_api_key",
                    404 => "model_not_found",
                    429 => "rate_limit_exceeded",
                    _ => "server_error",
                };
                json!({ "error": { "message": words, "type": code, "param": null, "code": code } })
            }
            WireFormat::Anthropic => {
                let kind = match status {
                    401 => "authentication_error",
                    404 => "not_found_error",
                    429 => "rate_limit_error",
                    500 => "api_error",
                    _ => "overloaded_error",
                };
                json!({ "type": "error", "error": { "type": kind, "message": words }, "request_id": "req_mock" })
            }
            WireFormat::Gemini => {
                let name = match status {
                    401 => "UNAUTHENTICATED",
                    404 => "NOT_FOUND",
                    429 => "RESOURCE_EXHAUSTED",
                    500 => "INTERNAL",
                    _ => "UNAVAILABLE",
                };
                json!({ "error": { "code": status, "status": name, "message": words } })
            }
            WireFormat::Ollama => json!({ "error": words }),
        }
    }

    /// An event as bytes.
    pub(crate) fn frame(self, event: &WireEvent) -> String {
        match (self, event.name) {
            (WireFormat::Ollama, _) => format!("{}\n", event.data),
            (_, Some(name)) => format!("event: {name}\ndata: {}\n\n", event.data),
            (_, None) => format!("data: {}\n\n", event.data),
        }
    }
}

impl ApiEndpoint {
    pub(crate) fn of(path: &str) -> Self {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let is = |end: &str| path.ends_with(end);
        match () {
            () if is("/chat/completions") => ApiEndpoint::Chat(WireFormat::OpenAiChat),
            () if is("/responses") => ApiEndpoint::Chat(WireFormat::OpenAiResponses),
            () if is("/messages") => ApiEndpoint::Chat(WireFormat::Anthropic),
            () if is(":generateContent") || is(":streamGenerateContent") => {
                ApiEndpoint::Chat(WireFormat::Gemini)
            }
            () if is("/api/chat") => ApiEndpoint::Chat(WireFormat::Ollama),
            () if is("EmbedContents") || is(":embedContent") => {
                ApiEndpoint::Embeddings(WireFormat::Gemini)
            }
            () if is("/api/embed") => ApiEndpoint::Embeddings(WireFormat::Ollama),
            () if is("/embeddings") || is("/embed") => {
                ApiEndpoint::Embeddings(WireFormat::OpenAiChat)
            }
            () if is("/api/show") => ApiEndpoint::Abilities,
            () if is("/api/tags") => ApiEndpoint::Models(WireFormat::Ollama),
            () if is("/models") && (path.contains("/v1beta/") || query.contains("pageSize")) => {
                ApiEndpoint::Models(WireFormat::Gemini)
            }
            () if is("/models") => ApiEndpoint::Models(WireFormat::OpenAiChat),
            () => ApiEndpoint::Unknown,
        }
    }

    pub(crate) fn format(self) -> Option<WireFormat> {
        match self {
            ApiEndpoint::Chat(format)
            | ApiEndpoint::Embeddings(format)
            | ApiEndpoint::Models(format) => Some(format),
            ApiEndpoint::Abilities => Some(WireFormat::Ollama),
            ApiEndpoint::Unknown => None,
        }
    }

    /// Whether the answer is wanted piece by piece.
    pub(crate) fn streams(self, path: &str, body: &Value) -> bool {
        match self.format() {
            Some(WireFormat::Gemini) => path.contains(":streamGenerateContent"),
            Some(WireFormat::Ollama) => body["stream"] != false,
            _ => body["stream"] == true,
        }
    }
}

impl WireEvent {
    fn new(part: EventPart, data: &Value) -> Self {
        Self { name: None, data: data.to_string(), part }
    }

    fn named(part: EventPart, name: &'static str, data: &Value) -> Self {
        Self { name: Some(name), ..Self::new(part, data) }
    }
}

/// A text in the pieces in which it is said: words with what stands before them.
fn words(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut begin = 0;
    for (at, letter) in text.char_indices() {
        if letter == ' ' && at > begin {
            pieces.push(&text[begin..at]);
            begin = at;
        }
    }
    if begin < text.len() {
        pieces.push(&text[begin..]);
    }
    pieces
}

/// The arguments of a call as the text that most formats send, in its pieces.
fn argument_pieces(reply: &ScriptedReply, arguments: &Value) -> Vec<String> {
    let text = arguments.to_string();
    match reply.fault {
        Some(NetFault::ArgumentsByByte) => text.chars().map(String::from).collect(),
        _ => {
            let middle =
                (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            vec![text[..middle].to_owned(), text[middle..].to_owned()]
        }
    }
}

/// The number under which a call goes: its own, unless the fault is that all go under one.
fn call_index(reply: &ScriptedReply, number: usize) -> usize {
    if reply.fault == Some(NetFault::DuplicatedIndex) { 0 } else { number }
}

/// The groups of events of each call, one after the other, or the other way round.
fn in_order(reply: &ScriptedReply, mut groups: Vec<Vec<WireEvent>>) -> Vec<WireEvent> {
    if reply.fault == Some(NetFault::OutOfOrderBlocks) {
        groups.reverse();
    }
    groups.into_iter().flatten().collect()
}
