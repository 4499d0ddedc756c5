//! Completions as a stream of events.

use super::completion::{CompletionHead, ReplyCollector, final_text, text_of};
use super::{OpenAiError, tools};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures::stream;
use model::{Object, Value};
use node_api::trigger::{ChunkKind, StreamChunk};
use runtime::{AcceptedRun, ChunkStream};
use std::collections::VecDeque;
use std::convert::Infallible;

/// What a stream tells besides the words.
#[derive(Clone, Copy)]
pub(super) struct StreamOptions {
    pub(super) usage: bool,
    pub(super) steps: bool,
}

/// The answer as it comes. A run that fails before its first word is an answer of its own, with a
/// status that says so.
pub(super) async fn stream_response(
    mut taken: AcceptedRun,
    head: CompletionHead,
    told: StreamOptions,
) -> Result<Response, OpenAiError> {
    let mut streaming = CompletionStream {
        chunks: taken.chunks.take(),
        run: Some(taken),
        collected: ReplyCollector::default(),
        ready: VecDeque::new(),
        has_output: false,
        head,
        options: told,
    };
    let first =
        streaming.delta(Object::from_iter([("role", "assistant"), ("content", "")]), Value::Null);
    streaming.ready.push_back(first);
    while !streaming.has_output && streaming.run.is_some() {
        streaming.advance().await?;
    }
    let events = stream::unfold(streaming, |mut streaming| async move {
        let data = streaming.next().await?;
        Some((Ok::<_, Infallible>(Event::default().data(data)), streaming))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()).into_response())
}

struct CompletionStream {
    chunks: Option<ChunkStream>,
    /// The run, until its end was told.
    run: Option<AcceptedRun>,
    collected: ReplyCollector,
    ready: VecDeque<String>,
    has_output: bool,
    head: CompletionHead,
    options: StreamOptions,
}

impl CompletionStream {
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(data) = self.ready.pop_front() {
                return Some(data);
            }
            self.run.as_ref()?;
            if let Err(refusal) = self.advance().await {
                self.run = None;
                self.ready.push_back(model::json::to_string(&refusal.to_value()));
            }
        }
    }

    /// Hears one thing more of the run, and has something ready to be sent if there is something to
    /// say.
    async fn advance(&mut self) -> Result<(), OpenAiError> {
        let next = match &mut self.chunks {
            Some(pieces) => pieces.next().await,
            None => None,
        };
        match next {
            Some(Ok(chunk)) => self.handle_chunk(&chunk),
            // A caller that was too slow has missed pieces; its answer cannot be made whole.
            Some(Err(error)) => {
                return Err(OpenAiError::run_failed(
                    model::Code::REQUEST_TIMEOUT,
                    error.to_string(),
                ));
            }
            None => self.finish().await?,
        }
        Ok(())
    }

    fn handle_chunk(&mut self, chunk: &StreamChunk) {
        self.collected.add_chunk(chunk);
        match (&chunk.kind, &chunk.content) {
            (ChunkKind::Item, Some(content)) => {
                self.push_text(text_of(content));
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
                self.has_output = true;
            }
            (ChunkKind::ToolStart | ChunkKind::ToolEnd | ChunkKind::Approval, Some(_))
                if self.options.steps =>
            {
                let mut data = self.chunk(Object::new(), Value::Null);
                data.insert("heddle", chunk.to_value());
                self.ready.push_back(model::json::to_string(&data.into()));
                self.has_output = true;
            }
            _ => {}
        }
    }

    fn push_text(&mut self, words: model::Str) {
        let data = self.delta(Object::from_iter([("content", words)]), Value::Null);
        self.ready.push_back(data);
        self.has_output = true;
    }

    async fn finish(&mut self) -> Result<(), OpenAiError> {
        let Some(taken) = self.run.take() else { return Ok(()) };
        let words = final_text(taken, &self.collected).await?;
        if !self.has_output && !words.is_empty() {
            self.push_text(words);
        }
        let last = self.delta(Object::new(), self.collected.finish_reason().into());
        self.ready.push_back(last);
        if self.options.usage {
            let mut data = self.head.to_object("chat.completion.chunk");
            data.insert("choices", Value::array(Vec::new()));
            data.insert("usage", self.collected.usage());
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
