//! Completions as a stream of events.

use super::answer::{Head, Heard, last_words, text_of};
use super::{Refusal, tools};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use model::{Object, Value};
use node_api::trigger::{Chunk, ChunkKind};
use runtime::{Pieces, Taken};
use std::collections::VecDeque;
use std::convert::Infallible;

/// What a stream tells besides the words.
#[derive(Clone, Copy)]
pub(super) struct Told {
    pub(super) usage: bool,
    pub(super) steps: bool,
}

/// The answer as it comes. A run that fails before its first word is an answer of its own, with a
/// status that says so.
pub(super) async fn answer(mut taken: Taken, head: Head, told: Told) -> Result<Response, Refusal> {
    let mut streaming = Streaming {
        pieces: taken.pieces.take(),
        taken: Some(taken),
        heard: Heard::default(),
        ready: VecDeque::new(),
        has_spoken: false,
        head,
        told,
    };
    let first =
        streaming.delta(Object::from_iter([("role", "assistant"), ("content", "")]), Value::Null);
    streaming.ready.push_back(first);
    while !streaming.has_spoken && streaming.taken.is_some() {
        streaming.advance().await?;
    }
    let events = stream::unfold(streaming, |mut streaming| async move {
        let data = streaming.next().await?;
        Some((Ok::<_, Infallible>(Event::default().data(data)), streaming))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

struct Streaming {
    pieces: Option<Pieces>,
    /// The run, until its end was told.
    taken: Option<Taken>,
    heard: Heard,
    ready: VecDeque<String>,
    has_spoken: bool,
    head: Head,
    told: Told,
}

impl Streaming {
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(data) = self.ready.pop_front() {
                return Some(data);
            }
            self.taken.as_ref()?;
            if let Err(refusal) = self.advance().await {
                self.taken = None;
                self.ready.push_back(model::json::to_string(&refusal.to_value()));
            }
        }
    }

    /// Hears one thing more of the run, and has something ready to be sent if there is something to
    /// say.
    async fn advance(&mut self) -> Result<(), Refusal> {
        let next = match &mut self.pieces {
            Some(pieces) => pieces.next().await,
            None => None,
        };
        match next {
            Some(Ok(chunk)) => self.hear(&chunk),
            // A caller that was too slow has missed pieces; its answer cannot be made whole.
            Some(Err(error)) => {
                return Err(Refusal::of_run(model::Code::REQUEST_TIMEOUT, error.to_string()));
            }
            None => self.finish().await?,
        }
        Ok(())
    }

    fn hear(&mut self, chunk: &Chunk) {
        self.heard.hear(chunk);
        match (&chunk.kind, &chunk.content) {
            (ChunkKind::Item, Some(content)) => {
                self.say(text_of(content));
            }
            (ChunkKind::ToolCalls, Some(content)) => {
                let calls = content
                    .get("calls")
                    .and_then(Value::as_array)
                    .unwrap_or_default()
                    .iter()
                    .enumerate();
                let calls = calls
                    .map(|(place, call)| tools::to_value(&self.head.ticket, Some(place), call))
                    .collect();
                let data = self
                    .delta(Object::from_iter([("tool_calls", Value::array(calls))]), Value::Null);
                self.ready.push_back(data);
                self.has_spoken = true;
            }
            (ChunkKind::ToolStart | ChunkKind::ToolEnd | ChunkKind::Approval, Some(_))
                if self.told.steps =>
            {
                let mut data = self.chunk(Object::new(), Value::Null);
                data.insert("heddle", chunk.to_value());
                self.ready.push_back(model::json::to_string(&data.into()));
                self.has_spoken = true;
            }
            _ => {}
        }
    }

    fn say(&mut self, words: model::Str) {
        let data = self.delta(Object::from_iter([("content", words)]), Value::Null);
        self.ready.push_back(data);
        self.has_spoken = true;
    }

    async fn finish(&mut self) -> Result<(), Refusal> {
        let Some(taken) = self.taken.take() else { return Ok(()) };
        let words = last_words(taken, &self.heard).await?;
        if !self.has_spoken && !words.is_empty() {
            self.say(words);
        }
        let last = self.delta(Object::new(), self.heard.finish_reason().into());
        self.ready.push_back(last);
        if self.told.usage {
            let mut data = self.head.to_object("chat.completion.chunk");
            data.insert("choices", Value::array(Vec::new()));
            data.insert("usage", self.heard.usage());
            self.ready.push_back(model::json::to_string(&data.into()));
        }
        self.ready.push_back("[DONE]".to_owned());
        Ok(())
    }

    fn delta(&self, delta: Object, finish_reason: Value) -> String {
        model::json::to_string(&self.chunk(delta, finish_reason).into())
    }

    fn chunk(&self, delta: Object, finish_reason: Value) -> Object {
        let choice =
            [("index", Value::from(0)), ("delta", delta.into()), ("finish_reason", finish_reason)];
        let mut data = self.head.to_object("chat.completion.chunk");
        data.insert("choices", Value::array(vec![Object::from_iter(choice).into()]));
        data
    }
}
