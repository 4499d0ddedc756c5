//! Streamed responses: a short queue of chunks between a run and its caller.

use crate::execute::journal::{Recorder, RunJournal};
use crate::loaded_workflow::LoadedWorkflow;
use crate::lock;
use engine::{Responder, RunOutcome};
use model::{Object, Value};
use node_api::trigger::{ChunkKind, ReplyMode, StreamChunk, WebhookResponse};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Chunks that wait for a slow caller; a node with another one waits until there is room.
const QUEUED_CHUNKS: usize = 64;

/// How long a node waits for a caller that reads nothing. Then the run continues without it.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// The chunks of a response as they come.
pub struct ChunkStream {
    chunks: mpsc::Receiver<StreamChunk>,
    is_given_up: Arc<AtomicBool>,
}

/// The caller was too slow and has missed chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client took too long to read the response")]
pub struct SlowReader;

impl ChunkStream {
    /// The next chunk; `None` once the run has ended.
    pub async fn next(&mut self) -> Option<Result<StreamChunk, SlowReader>> {
        match self.chunks.recv().await {
            Some(chunk) => Some(Ok(chunk)),
            None if self.is_given_up.swap(false, Ordering::Relaxed) => Some(Err(SlowReader)),
            None => None,
        }
    }
}

/// Receives a run's response: one whole one, or chunks. Watchers of the run see the chunks too, and
/// never delay them.
pub(crate) struct RunResponder {
    whole: Mutex<Option<oneshot::Sender<WebhookResponse>>>,
    /// `None` if the caller takes no chunks, or takes them no longer.
    chunks: Mutex<Option<mpsc::Sender<StreamChunk>>>,
    reply: ReplyMode,
    /// The run that may be watched.
    watched: Option<(Arc<Recorder>, Arc<RunJournal>)>,
    has_begun: AtomicBool,
    /// Text of an answer was among the chunks.
    has_text: AtomicBool,
    is_given_up: Arc<AtomicBool>,
    send_timeout: Duration,
}

impl RunResponder {
    pub(crate) fn new(
        reply: ReplyMode,
        watched: Option<(Arc<Recorder>, Arc<RunJournal>)>,
    ) -> (Self, oneshot::Receiver<WebhookResponse>, Option<ChunkStream>) {
        let (whole, response) = oneshot::channel();
        let is_given_up = Arc::new(AtomicBool::new(false));
        let (sender, stream) = match reply {
            ReplyMode::Streamed(_) => {
                let (sender, chunks) = mpsc::channel(QUEUED_CHUNKS);
                (Some(sender), Some(ChunkStream { chunks, is_given_up: is_given_up.clone() }))
            }
            ReplyMode::Buffered => (None, None),
        };
        let responder = Self {
            whole: Mutex::new(Some(whole)),
            chunks: Mutex::new(sender),
            reply,
            watched,
            has_begun: AtomicBool::new(false),
            has_text: AtomicBool::new(false),
            is_given_up,
            send_timeout: SEND_TIMEOUT,
        };
        (responder, response, stream)
    }

    /// A stream that has begun says that the run stands still until a person has decided; before
    /// that the whole answer does.
    pub(crate) async fn wait(&self, outcome: &RunOutcome, workflow: &LoadedWorkflow) {
        let has_listener = self.has_begun.load(Ordering::Relaxed) || self.is_watched();
        if !has_listener {
            return;
        }
        let notice = approval_notice(&outcome.run_id);
        let has_text = self.has_text.load(Ordering::Relaxed);
        let notice = if has_text { format!("\n\n{notice}") } else { notice };
        let reason = Object::from_iter([("finishReason", "approval")]);
        let chunks = [
            (ChunkKind::Item, Some(Value::from(notice))),
            (ChunkKind::Done, Some(Value::from(reason))),
            (ChunkKind::End, None),
        ];
        for (kind, content) in chunks {
            self.stream(last_chunk(kind, content, outcome, workflow)).await;
        }
    }

    /// A stream that has begun says so if the run fails; before that the whole answer does.
    pub(crate) async fn fail(&self, outcome: &RunOutcome, workflow: &LoadedWorkflow) {
        if !self.has_begun.load(Ordering::Relaxed) {
            return;
        }
        // What exactly went wrong is for those who may see the execution.
        let content = Some("Error in workflow".into());
        self.stream(last_chunk(ChunkKind::Error, content, outcome, workflow)).await;
    }
}

/// The text that a caller gets while a person is asked.
pub(crate) fn approval_notice(run_id: &str) -> String {
    format!(
        "Waiting for approval: a person must approve a tool call before this continues \
             (execution {run_id})."
    )
}

/// A chunk that says how a run ended at its last node.
fn last_chunk(
    kind: ChunkKind,
    content: Option<Value>,
    outcome: &RunOutcome,
    workflow: &LoadedWorkflow,
) -> StreamChunk {
    let node = outcome.last_node.as_ref().and_then(|name| workflow.plan.node(name));
    let (node_id, node_name) =
        node.map(|node| (node.info.id.clone(), node.info.name.clone())).unwrap_or_default();
    StreamChunk {
        kind,
        content,
        node_id,
        node_name,
        item: 0,
        run_index: 0,
        timestamp_ms: outcome.finished_ms,
    }
}

#[async_trait::async_trait]
impl Responder for RunResponder {
    fn respond(&self, answer: WebhookResponse) {
        if let Some(whole) = lock(&self.whole).take() {
            // A caller that has hung up is no reason to stop.
            let _ = whole.send(answer);
        }
    }

    fn is_streaming(&self) -> bool {
        matches!(self.reply, ReplyMode::Streamed(_))
    }

    fn is_watched(&self) -> bool {
        self.watched.as_ref().is_some_and(|(recorder, _)| recorder.has_watchers())
    }

    async fn stream(&self, chunk: StreamChunk) {
        if chunk.kind == ChunkKind::Item {
            self.has_text.store(true, Ordering::Relaxed);
        }
        if let Some((recorder, log)) = &self.watched {
            recorder.send_chunk(log, &chunk);
        }
        let Some(sender) = lock(&self.chunks).clone() else { return };
        let Some(chunk) = self.reply.filter_chunk(chunk) else { return };
        self.has_begun.store(true, Ordering::Relaxed);
        match tokio::time::timeout(self.send_timeout, sender.send(chunk)).await {
            Ok(Ok(())) => {}
            // It has hung up.
            Ok(Err(_)) => drop(lock(&self.chunks).take()),
            Err(_) => {
                self.is_given_up.store(true, Ordering::Relaxed);
                drop(lock(&self.chunks).take());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Str;
    use node_api::trigger::StreamDetail;

    fn chunk(item: usize) -> StreamChunk {
        let (node_id, node_name) = (Str::from("1"), Str::from("A"));
        StreamChunk {
            kind: ChunkKind::Item,
            content: None,
            node_id,
            node_name,
            item,
            run_index: 0,
            timestamp_ms: 0,
        }
    }

    #[tokio::test]
    async fn chunks_come_in_order_and_end_with_the_run() {
        let (responder, _answer, chunks) =
            RunResponder::new(ReplyMode::Streamed(StreamDetail::Answer), None);
        let mut chunks = chunks.unwrap();
        for item in 0..3 {
            responder.stream(chunk(item)).await;
        }
        drop(responder);
        let mut seen = Vec::new();
        while let Some(Ok(chunk)) = chunks.next().await {
            seen.push(chunk.item);
        }
        assert_eq!(seen, [0, 1, 2]);
    }

    #[tokio::test]
    async fn a_caller_that_hangs_up_holds_nobody() {
        let (responder, _answer, chunks) =
            RunResponder::new(ReplyMode::Streamed(StreamDetail::Answer), None);
        drop(chunks);
        for item in 0..10 * QUEUED_CHUNKS {
            responder.stream(chunk(item)).await;
        }
    }

    #[tokio::test]
    async fn a_caller_that_reads_nothing_is_given_up_and_learns_that_chunks_are_missing() {
        let (mut responder, _answer, chunks) =
            RunResponder::new(ReplyMode::Streamed(StreamDetail::Answer), None);
        responder.send_timeout = Duration::from_millis(20);
        let mut chunks = chunks.unwrap();
        for item in 0..2 * QUEUED_CHUNKS {
            responder.stream(chunk(item)).await;
        }
        let mut n_seen = 0;
        let end = loop {
            match chunks.next().await {
                Some(Ok(_)) => n_seen += 1,
                other => break other,
            }
        };
        assert_eq!(n_seen, QUEUED_CHUNKS);
        assert!(matches!(end, Some(Err(SlowReader))));
        assert!(chunks.next().await.is_none());
    }
}
