//! A conversation with a workflow in the terminal: one run for each message, heard as it goes.

mod approvals;
mod asleep;

pub(crate) use asleep::Asleep;

use crate::terminal::{Colour, note, paint};
use engine::{Engine, Outcome, Plan, Responder, RunOptions};
use model::{Items, RunEvent, RunStatus, Str, Value};
use node_api::trigger::{Answer, AnswerBody, Chunk, ChunkKind};
use runtime::chat::{ChatMessage, words_of};
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// The longest piece of a tool's arguments or result that is shown.
const SHOWN: usize = 200;

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Words,
    /// Events as lines of JSON.
    Json,
}

/// A workflow that is talked to.
pub(crate) struct Talk {
    pub(crate) engine: Engine,
    pub(crate) plan: Arc<Plan>,
    /// The node that messages arrive at.
    pub(crate) node: Str,
    pub(crate) options: RunOptions,
    pub(crate) manner: Manner,
    pub(crate) session: Str,
    /// What was said, for agents without a memory of their own.
    pub(crate) said: Vec<Value>,
    /// A run that waits for what is said next.
    pub(crate) asleep: Option<Asleep>,
    /// What a run did that asks whoever sits here before it goes on.
    pub(crate) asking: Vec<RunEvent>,
}

impl Talk {
    /// Sends a message and prints the answer; whether there was one.
    pub(crate) async fn send(&mut self, text: &str, cancel: CancellationToken) -> bool {
        let message = ChatMessage {
            text: text.into(),
            session: Some(self.session.clone()),
            earlier: self.said.clone(),
            ..ChatMessage::default()
        };
        let listener = Arc::new(Listener::new(self.manner));
        let options = RunOptions { responder: Some(listener.clone()), ..self.options.clone() };
        let outcome = match self.run(message.into_item(), options.clone(), cancel.clone()).await {
            Ok(outcome) => match self.until_answered(outcome, &options, &cancel).await {
                Some(outcome) => outcome,
                None => return false,
            },
            Err(error) => {
                note(&format!("{} {error}", paint("not taken:", Colour::Red)));
                return false;
            }
        };
        let Some(words) = listener.finish(&outcome) else { return false };
        let turn = |role: &str, content: Str| {
            model::Object::from_iter([("role", Value::from(role)), ("content", content.into())])
        };
        self.said.extend([turn("user", text.into()).into(), turn("assistant", words).into()]);
        true
    }
}

/// Prints what a run says while it goes on.
struct Listener {
    manner: Manner,
    has_spoken: AtomicBool,
    /// All that was said.
    spoken: Mutex<String>,
    answered: Mutex<Option<Answer>>,
}

impl Listener {
    fn new(manner: Manner) -> Self {
        Self {
            manner,
            has_spoken: AtomicBool::new(false),
            spoken: Mutex::default(),
            answered: Mutex::default(),
        }
    }

    /// Prints how the run ended. The words of its answer, if it has one.
    fn finish(&self, outcome: &Outcome) -> Option<Str> {
        if let Some(error) = &outcome.error {
            match self.manner {
                Manner::Words => {
                    self.end_line();
                    note(&format!(
                        "{} {} [{}]",
                        paint("failed:", Colour::Red),
                        error.message,
                        error.code
                    ));
                    for text in [&error.description, &error.hint].into_iter().flatten() {
                        note(&format!("  {text}"));
                    }
                }
                Manner::Json => print(&line_of("error", error.to_value())),
            }
            return None;
        }
        let answered = self.answered.lock().unwrap_or_else(PoisonError::into_inner).take();
        let words = match answered.map(|answer| answer.body) {
            // It has asked something, and goes on with what is said next.
            None if outcome.status == RunStatus::Waiting => {
                self.spoken.lock().unwrap_or_else(PoisonError::into_inner).as_str().into()
            }
            Some(AnswerBody::Json(value)) => words_of(&value),
            Some(AnswerBody::Bytes(bytes)) => String::from_utf8_lossy(&bytes).into_owned().into(),
            Some(AnswerBody::Empty | AnswerBody::Page(_)) | None => outcome
                .last_items()
                .and_then(Items::first)
                .map(|item| words_of(&item.json))
                .unwrap_or_default(),
        };
        match self.manner {
            Manner::Words if self.has_spoken.load(Ordering::Relaxed) => self.end_line(),
            Manner::Words => print(&format!("{words}\n")),
            Manner::Json => print(&line_of("answer", words.clone().into())),
        }
        Some(words)
    }

    fn end_line(&self) {
        if self.has_spoken.swap(false, Ordering::Relaxed) {
            print("\n");
        }
    }

    fn show(&self, chunk: &Chunk) {
        let field = |key: &str| {
            chunk.content.as_ref().and_then(|content| content.get(key)).cloned().unwrap_or_default()
        };
        match chunk.kind {
            ChunkKind::Item => {
                let text = chunk
                    .content
                    .as_ref()
                    .map(|content| content.as_str().map_or_else(|| words_of(content), Str::from));
                self.has_spoken.store(true, Ordering::Relaxed);
                print(&text.unwrap_or_default());
            }
            ChunkKind::ToolStart => {
                self.end_line();
                note(&paint(
                    &format!(
                        "· {} {}",
                        field("name").to_js_string(),
                        shortened(&field("arguments"))
                    ),
                    Colour::Dim,
                ));
            }
            ChunkKind::ToolEnd => {
                let mark = if field("isError").is_truthy() { "✗" } else { "✓" };
                let milliseconds = field("durationMs").as_f64().unwrap_or_default();
                note(&paint(
                    &format!("  {mark} {} ({milliseconds} ms)", shortened(&field("result"))),
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
impl Responder for Listener {
    fn respond(&self, answer: Answer) {
        self.answered.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(answer);
    }

    fn is_streaming(&self) -> bool {
        true
    }

    async fn stream(&self, chunk: Chunk) {
        if let (ChunkKind::Item, Some(Value::String(words))) = (chunk.kind, &chunk.content) {
            self.spoken.lock().unwrap_or_else(PoisonError::into_inner).push_str(words);
        }
        match self.manner {
            Manner::Words => self.show(&chunk),
            Manner::Json => print(&format!("{}\n", model::json::to_string(&chunk.to_value()))),
        }
    }
}

fn line_of(kind: &str, content: Value) -> String {
    let line = model::Object::from_iter([("type", Value::from(kind)), ("content", content)]);
    format!("{}\n", model::json::to_string(&line.into()))
}

fn shortened(value: &Value) -> String {
    let text = if let Value::String(text) = value {
        text.to_string()
    } else {
        model::json::to_string(value)
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
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
