//! Answers that leave in pieces: a short queue between a run and its caller.

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

/// Pieces that wait for a slow caller; a node that has another one waits with it.
const QUEUED_CHUNKS: usize = 64;

/// How long a node waits for a caller that takes nothing. Then the caller is given up, and the run
/// goes on without it.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// The pieces of an answer as they come.
pub struct ChunkStream {
    chunks: mpsc::Receiver<StreamChunk>,
    is_given_up: Arc<AtomicBool>,
}

/// The caller was too slow and has missed pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the client took too long to read the response")]
pub struct SlowReader;

impl ChunkStream {
    /// The next piece; `None` once the run has ended.
    pub async fn next(&mut self) -> Option<Result<StreamChunk, SlowReader>> {
        match self.chunks.recv().await {
            Some(chunk) => Some(Ok(chunk)),
            None if self.is_given_up.swap(false, Ordering::Relaxed) => Some(Err(SlowReader)),
            None => None,
        }
    }
}

/// Takes a run's answer: one whole one, or pieces. Whoever watches the run hears the pieces too,
/// and never holds them up.
pub(crate) struct RunResponder {
    whole: Mutex<Option<oneshot::Sender<WebhookResponse>>>,
    pieces: Option<Mutex<Option<mpsc::Sender<StreamChunk>>>>,
    takes: ReplyMode,
    /// What is watched: a run of this process, by its log.
    watched: Option<(Arc<Recorder>, Arc<RunJournal>)>,
    has_begun: AtomicBool,
    /// Words of an answer were among the pieces.
    has_spoken: AtomicBool,
    is_given_up: Arc<AtomicBool>,
    send_timeout: Duration,
}

impl RunResponder {
    pub(crate) fn new(
        takes: ReplyMode,
        watched: Option<(Arc<Recorder>, Arc<RunJournal>)>,
    ) -> (Self, oneshot::Receiver<WebhookResponse>, Option<ChunkStream>) {
        let (tell, answer) = oneshot::channel();
        let is_given_up = Arc::new(AtomicBool::new(false));
        let (sender, pieces) = match takes {
            ReplyMode::Streamed(_) => {
                let (sender, chunks) = mpsc::channel(QUEUED_CHUNKS);
                (
                    Some(Mutex::new(Some(sender))),
                    Some(ChunkStream { chunks, is_given_up: is_given_up.clone() }),
                )
            }
            ReplyMode::Buffered => (None, None),
        };
        let (whole, has_begun, has_spoken) =
            (Mutex::new(Some(tell)), AtomicBool::new(false), AtomicBool::new(false));
        (
            Self {
                whole,
                pieces: sender,
                takes,
                watched,
                has_begun,
                has_spoken,
                is_given_up,
                send_timeout: SEND_TIMEOUT,
            },
            answer,
            pieces,
        )
    }

    /// A stream that has begun says that the run stands still until a person has decided; before
    /// that the whole answer does.
    pub(crate) async fn wait(&self, outcome: &RunOutcome, workflow: &LoadedWorkflow) {
        let is_heard = self.has_begun.load(Ordering::Relaxed) || self.is_watched();
        if !is_heard {
            return;
        }
        let words = approval_notice(&outcome.run_id);
        let words =
            if self.has_spoken.load(Ordering::Relaxed) { format!("\n\n{words}") } else { words };
        let reason = Object::from_iter([("finishReason", "approval")]);
        let told = [
            (ChunkKind::Item, Some(Value::from(words))),
            (ChunkKind::Done, Some(Value::from(reason))),
            (ChunkKind::End, None),
        ];
        for (kind, content) in told {
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

/// What whoever waits for an answer is told while a person is asked.
pub(crate) fn approval_notice(run_id: &str) -> String {
    format!(
        "Waiting for approval: a person must approve a tool call before this continues \
             (execution {run_id})."
    )
}

/// A piece that tells how a run ended at its last node.
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
        if let Some(tell) = lock(&self.whole).take() {
            // A caller that has hung up is no reason to stop.
            let _ = tell.send(answer);
        }
    }

    fn is_streaming(&self) -> bool {
        matches!(self.takes, ReplyMode::Streamed(_))
    }

    fn is_watched(&self) -> bool {
        self.watched.as_ref().is_some_and(|(recorder, _)| recorder.has_watchers())
    }

    async fn stream(&self, chunk: StreamChunk) {
        if chunk.kind == ChunkKind::Item {
            self.has_spoken.store(true, Ordering::Relaxed);
        }
        if let Some((recorder, log)) = &self.watched {
            recorder.send_chunk(log, &chunk);
        }
        let Some(pieces) = &self.pieces else { return };
        let Some(sender) = lock(pieces).clone() else { return };
        let Some(chunk) = self.takes.filter_chunk(chunk) else { return };
        self.has_begun.store(true, Ordering::Relaxed);
        match tokio::time::timeout(self.send_timeout, sender.send(chunk)).await {
            Ok(Ok(())) => {}
            // It has hung up.
            Ok(Err(_)) => drop(lock(pieces).take()),
            Err(_) => {
                self.is_given_up.store(true, Ordering::Relaxed);
                drop(lock(pieces).take());
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
    async fn pieces_come_in_order_and_end_with_the_run() {
        let (caller, _answer, pieces) =
            RunResponder::new(ReplyMode::Streamed(StreamDetail::Answer), None);
        let mut pieces = pieces.unwrap();
        for item in 0..3 {
            caller.stream(chunk(item)).await;
        }
        drop(caller);
        let mut seen = Vec::new();
        while let Some(Ok(chunk)) = pieces.next().await {
            seen.push(chunk.item);
        }
        assert_eq!(seen, [0, 1, 2]);
    }

    #[tokio::test]
    async fn a_caller_that_hangs_up_holds_nobody() {
        let (caller, _answer, pieces) =
            RunResponder::new(ReplyMode::Streamed(StreamDetail::Answer), None);
        drop(pieces);
        for item in 0..10 * QUEUED_CHUNKS {
            caller.stream(chunk(item)).await;
        }
    }

    #[tokio::test]
    async fn a_caller_that_reads_nothing_is_given_up_and_learns_that_pieces_are_missing() {
        let (mut caller, _answer, pieces) =
            RunResponder::new(ReplyMode::Streamed(StreamDetail::Answer), None);
        caller.send_timeout = Duration::from_millis(20);
        let mut pieces = pieces.unwrap();
        for item in 0..2 * QUEUED_CHUNKS {
            caller.stream(chunk(item)).await;
        }
        let mut n_seen = 0;
        let end = loop {
            match pieces.next().await {
                Some(Ok(_)) => n_seen += 1,
                other => break other,
            }
        };
        assert_eq!(n_seen, QUEUED_CHUNKS);
        assert!(matches!(end, Some(Err(SlowReader))));
        assert!(pieces.next().await.is_none());
    }
}
