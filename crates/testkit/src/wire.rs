//! The formats: which request is of which, and how an answer looks in each.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod responses;

use crate::fault::Fault;
use crate::reply::Reply;
use serde_json::{Value, json};

/// A format that model providers speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini,
    Ollama,
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Chat(Format),
    Embeddings(Format),
    Models(Format),
    /// What a model can do, which only Ollama tells.
    Abilities,
    Unknown,
}

/// One event of a stream.
pub(crate) struct Event {
    pub(crate) name: Option<&'static str>,
    pub(crate) data: String,
    pub(crate) part: Part,
}

/// What an event is in the answer, for the faults that happen at certain places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Begin,
    Word,
    Call,
    /// Says why the answer ends, or how much it took.
    End,
    /// The mark after which nothing comes.
    Done,
}

impl Format {
    pub const ALL: &[Format] = &[
        Format::OpenAiChat,
        Format::OpenAiResponses,
        Format::Anthropic,
        Format::Gemini,
        Format::Ollama,
    ];

    pub(crate) fn content_type(self, streams: bool) -> &'static str {
        match (self, streams) {
            (_, false) => "application/json",
            (Format::Ollama, true) => "application/x-ndjson",
            (_, true) => "text/event-stream",
        }
    }

    /// The events of an answer.
    pub(crate) fn events(self, reply: &Reply) -> Vec<Event> {
        match self {
            Format::OpenAiChat => openai::events(reply),
            Format::OpenAiResponses => responses::events(reply),
            Format::Anthropic => anthropic::events(reply),
            Format::Gemini => gemini::events(reply),
            Format::Ollama => ollama::events(reply),
        }
    }

    /// The answer in one piece.
    pub(crate) fn whole(self, reply: &Reply) -> Value {
        match self {
            Format::OpenAiChat => openai::whole(reply),
            Format::OpenAiResponses => responses::whole(reply, "completed"),
            Format::Anthropic => anthropic::whole(reply),
            Format::Gemini => gemini::whole(reply),
            Format::Ollama => ollama::whole(reply),
        }
    }

    /// An error as the format writes it.
    pub(crate) fn error(self, status: u16, words: &str) -> Value {
        match self {
            Format::OpenAiChat | Format::OpenAiResponses => {
                let code = match status {
                    401 => "invalid_api_key",
                    404 => "model_not_found",
                    429 => "rate_limit_exceeded",
                    _ => "server_error",
                };
                json!({ "error": { "message": words, "type": code, "param": null, "code": code } })
            }
            Format::Anthropic => {
                let kind = match status {
                    401 => "authentication_error",
                    404 => "not_found_error",
                    429 => "rate_limit_error",
                    500 => "api_error",
                    _ => "overloaded_error",
                };
                json!({ "type": "error", "error": { "type": kind, "message": words }, "request_id": "req_mock" })
            }
            Format::Gemini => {
                let name = match status {
                    401 => "UNAUTHENTICATED",
                    404 => "NOT_FOUND",
                    429 => "RESOURCE_EXHAUSTED",
                    500 => "INTERNAL",
                    _ => "UNAVAILABLE",
                };
                json!({ "error": { "code": status, "status": name, "message": words } })
            }
            Format::Ollama => json!({ "error": words }),
        }
    }

    /// An event as bytes.
    pub(crate) fn frame(self, event: &Event) -> String {
        match (self, event.name) {
            (Format::Ollama, _) => format!("{}\n", event.data),
            (_, Some(name)) => format!("event: {name}\ndata: {}\n\n", event.data),
            (_, None) => format!("data: {}\n\n", event.data),
        }
    }
}

impl Endpoint {
    pub(crate) fn of(path: &str) -> Self {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let is = |end: &str| path.ends_with(end);
        match () {
            () if is("/chat/completions") => Endpoint::Chat(Format::OpenAiChat),
            () if is("/responses") => Endpoint::Chat(Format::OpenAiResponses),
            () if is("/messages") => Endpoint::Chat(Format::Anthropic),
            () if is(":generateContent") || is(":streamGenerateContent") => {
                Endpoint::Chat(Format::Gemini)
            }
            () if is("/api/chat") => Endpoint::Chat(Format::Ollama),
            () if is("EmbedContents") || is(":embedContent") => {
                Endpoint::Embeddings(Format::Gemini)
            }
            () if is("/api/embed") => Endpoint::Embeddings(Format::Ollama),
            () if is("/embeddings") || is("/embed") => Endpoint::Embeddings(Format::OpenAiChat),
            () if is("/api/show") => Endpoint::Abilities,
            () if is("/api/tags") => Endpoint::Models(Format::Ollama),
            () if is("/models") && (path.contains("/v1beta/") || query.contains("pageSize")) => {
                Endpoint::Models(Format::Gemini)
            }
            () if is("/models") => Endpoint::Models(Format::OpenAiChat),
            () => Endpoint::Unknown,
        }
    }

    pub(crate) fn format(self) -> Option<Format> {
        match self {
            Endpoint::Chat(format) | Endpoint::Embeddings(format) | Endpoint::Models(format) => {
                Some(format)
            }
            Endpoint::Abilities => Some(Format::Ollama),
            Endpoint::Unknown => None,
        }
    }

    /// Whether the answer is wanted piece by piece.
    pub(crate) fn streams(self, path: &str, body: &Value) -> bool {
        match self.format() {
            Some(Format::Gemini) => path.contains(":streamGenerateContent"),
            Some(Format::Ollama) => body["stream"] != false,
            _ => body["stream"] == true,
        }
    }
}

impl Event {
    fn new(part: Part, data: &Value) -> Self {
        Self { name: None, data: data.to_string(), part }
    }

    fn named(part: Part, name: &'static str, data: &Value) -> Self {
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
fn argument_pieces(reply: &Reply, arguments: &Value) -> Vec<String> {
    let text = arguments.to_string();
    match reply.fault {
        Some(Fault::ArgumentsByByte) => text.chars().map(String::from).collect(),
        _ => {
            let middle =
                (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            vec![text[..middle].to_owned(), text[middle..].to_owned()]
        }
    }
}

/// The number under which a call goes: its own, unless the fault is that all go under one.
fn call_index(reply: &Reply, number: usize) -> usize {
    if reply.fault == Some(Fault::DuplicatedIndex) { 0 } else { number }
}

/// The groups of events of each call, one after the other, or the other way round.
fn in_order(reply: &Reply, mut groups: Vec<Vec<Event>>) -> Vec<Event> {
    if reply.fault == Some(Fault::OutOfOrderBlocks) {
        groups.reverse();
    }
    groups.into_iter().flatten().collect()
}
