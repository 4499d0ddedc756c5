//! A conversation with a workflow in the terminal: one run for each message, heard as it goes.

mod approvals;
mod suspended;

pub(crate) use suspended::SuspendedChat;

use crate::terminal::{Colour, eprint_line, paint};
use engine::{Engine, Plan, Responder, RunOptions, RunOutcome};
use model::{Items, RunEvent, RunStatus, Str, Value};
use node_api::trigger::{ChunkKind, ResponseBody, StreamChunk, WebhookResponse};
use runtime::chat::{ChatMessage, reply_text};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The longest piece of a tool's arguments or result that is shown.
const MAX_SHOWN: usize = 200;

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputStyle {
    Text,
    /// Events as lines of JSON.
    Json,
}

/// A workflow that is talked to.
pub(crate) struct ChatSession {
    pub(crate) engine: Engine,
    pub(crate) plan: Arc<Plan>,
    /// The node that messages arrive at.
    pub(crate) node: Str,
    pub(crate) options: RunOptions,
    pub(crate) style: OutputStyle,
    pub(crate) session: Str,
    /// What was said, for agents without a memory of their own.
    pub(crate) history: Vec<Value>,
    /// A run that waits for what is said next.
    pub(crate) suspended: Option<SuspendedChat>,
    /// What a run did that asks whoever sits here before it goes on.
    pub(crate) pending_events: Vec<RunEvent>,
}

impl ChatSession {
    /// Sends a message and prints the answer; whether there was one.
    pub(crate) async fn send(&mut self, text: &str, cancel: CancellationToken) -> bool {
        let message = ChatMessage {
            text: text.into(),
            session: Some(self.session.clone()),
            earlier: self.history.clone(),
            ..ChatMessage::default()
        };
        let listener = Arc::new(ReplyPrinter::new(self.style));
        let options = RunOptions { responder: Some(listener.clone()), ..self.options.clone() };
        let outcome = match self.run(message.into_item(), options.clone(), cancel.clone()).await {
            Ok(outcome) => match self.resolve_approvals(outcome, &options, &cancel).await {
                Some(outcome) => outcome,
                None => return false,
            },
            Err(error) => {
                eprint_line(&format!("{} {error}", paint("not accepted:", Colour::Red)));
                return false;
            }
        };
        let Some(words) = listener.finish(&outcome) else { return false };
        let turn = |role: &str, content: Str| {
            model::Object::from_iter([("role", Value::from(role)), ("content", content.into())])
        };
        self.history.extend([turn("user", text.into()).into(), turn("assistant", words).into()]);
        true
    }
}

/// Prints what a run says while it goes on.
struct ReplyPrinter {
    style: OutputStyle,
    has_output: AtomicBool,
    /// All that was said.
    streamed_text: Mutex<String>,
    response: Mutex<Option<WebhookResponse>>,
}

impl ReplyPrinter {
    fn new(manner: OutputStyle) -> Self {
        Self {
            style: manner,
            has_output: AtomicBool::new(false),
            streamed_text: Mutex::default(),
            response: Mutex::default(),
        }
    }

    /// Prints how the run ended. The words of its answer, if it has one.
    fn finish(&self, outcome: &RunOutcome) -> Option<Str> {
        if let Some(error) = &outcome.error {
            match self.style {
                OutputStyle::Text => {
                    self.end_line();
                    eprint_line(&format!(
                        "{} {} [{}]",
                        paint("failed:", Colour::Red),
                        error.message,
                        error.code
                    ));
                    for text in [&error.description, &error.hint].into_iter().flatten() {
                        eprint_line(&format!("  {text}"));
                    }
                }
                OutputStyle::Json => print(&json_line("error", error.to_value())),
            }
            return None;
        }
        let answered = self.response.lock().unwrap_or_else(PoisonError::into_inner).take();
        let words = match answered.map(|answer| answer.body) {
            // It has asked something, and goes on with what is said next.
            None if outcome.status == RunStatus::Waiting => {
                self.streamed_text.lock().unwrap_or_else(PoisonError::into_inner).as_str().into()
            }
            Some(ResponseBody::Json(value)) => reply_text(&value),
            Some(ResponseBody::Bytes(bytes)) => String::from_utf8_lossy(&bytes).into_owned().into(),
            Some(ResponseBody::Empty | ResponseBody::Page(_)) | None => outcome
                .last_items()
                .and_then(Items::first)
                .map(|item| reply_text(&item.json))
                .unwrap_or_default(),
        };
        match self.style {
            OutputStyle::Text if self.has_output.load(Ordering::Relaxed) => self.end_line(),
            OutputStyle::Text => print(&format!("{words}\n")),
            OutputStyle::Json => print(&json_line("answer", words.clone().into())),
        }
        Some(words)
    }

    fn end_line(&self) {
        if self.has_output.swap(false, Ordering::Relaxed) {
            print("\n");
        }
    }

    fn show(&self, chunk: &StreamChunk) {
        let field = |key: &str| {
            chunk.content.as_ref().and_then(|content| content.get(key)).cloned().unwrap_or_default()
        };
        match chunk.kind {
            ChunkKind::Item => {
                let text = chunk
                    .content
                    .as_ref()
                    .map(|content| content.as_str().map_or_else(|| reply_text(content), Str::from));
                self.has_output.store(true, Ordering::Relaxed);
                print(&text.unwrap_or_default());
            }
            ChunkKind::ToolStart => {
                self.end_line();
                eprint_line(&paint(
                    &format!(
                        "· {} {}",
                        field("name").to_js_string(),
                        truncate(&field("arguments"))
                    ),
                    Colour::Dim,
                ));
            }
            ChunkKind::ToolEnd => {
                let mark = if field("isError").is_truthy() { "✗" } else { "✓" };
                let milliseconds = field("durationMs").as_f64().unwrap_or_default();
                eprint_line(&paint(
                    &format!("  {mark} {} ({milliseconds} ms)", truncate(&field("result"))),
                    Colour::Dim,
                ));
            }
            // Another message, or a question to whoever sits here, begins on a line of its own.
            ChunkKind::Begin | ChunkKind::Approval => self.end_line(),
            ChunkKind::End
            | ChunkKind::Error
            | ChunkKind::ToolCalls
            | ChunkKind::Usage
            | ChunkKind::Done => {}
        }
    }
}

#[async_trait::async_trait]
impl Responder for ReplyPrinter {
    fn respond(&self, answer: WebhookResponse) {
        self.response.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(answer);
    }

    fn is_streaming(&self) -> bool {
        true
    }

    async fn stream(&self, chunk: StreamChunk) {
        if let (ChunkKind::Item, Some(Value::String(words))) = (chunk.kind, &chunk.content) {
            self.streamed_text.lock().unwrap_or_else(PoisonError::into_inner).push_str(words);
        }
        match self.style {
            OutputStyle::Text => self.show(&chunk),
            OutputStyle::Json => print(&format!("{}\n", model::json::to_string(&chunk.to_value()))),
        }
    }
}

fn json_line(kind: &str, content: Value) -> String {
    let line = model::Object::from_iter([("type", Value::from(kind)), ("content", content)]);
    format!("{}\n", model::json::to_string(&line.into()))
}

fn truncate(value: &Value) -> String {
    let text = if let Value::String(text) = value {
        text.to_string()
    } else {
        model::json::to_string(value)
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// Prints at once, so that words are seen as they come; a closed pipe ends the program quietly.
fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        std::process::exit(0);
    }
}
