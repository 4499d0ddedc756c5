//! Live events: what runs do as they do it, over SSE.

use crate::App;
use crate::access::{AccessLevel, Principal, authenticate, check_origin};
use crate::api::RequestQuery;
use crate::error::ApiError;
use crate::paced::{PacedReceiver, PacedSender};
use crate::read_budget::ReadReservation;
use crate::wire::events::{
    self as wire, AgentStageReached, AnswerChunk, ApprovalEvent, ChunkSource, ExecutionFinished,
    ExecutionResumed, ExecutionStarted, ExecutionWaiting, ModelUsed, NodeFinished, NodeLog,
    NodeRetried, NodeServed, NodeSilent, NodeStarted, NodeStep, OfRun,
};
use crate::wire::{EventQuery, Json, Number};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, Method};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream;
use futures::{Stream, StreamExt as _};
use model::{Kind, RunEvent, Str, TaskData};
use node_api::checkpoints::{self, ApprovalRequest};
use runtime::{LiveChunk, LiveEvent};
use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::time::{Duration, Instant};
use store::executions::Execution;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc;

type SseStream = Sse<
    axum::response::sse::KeepAliveStream<
        std::pin::Pin<Box<dyn Stream<Item = Result<Event, Infallible>> + Send>>,
    >,
>;

/// How long a look at who is listening counts. Whoever loses a session, a key, a role or a project
/// hears no more after it.
const RECHECK_INTERVAL: Duration = Duration::from_secs(1);

/// `/api/v1/events`: the events of all runs that somebody may see, from now on. `?workflowId=`
/// keeps to one workflow.
pub(crate) async fn all_events(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<EventQuery>,
    headers: HeaderMap,
) -> Result<SseStream, ApiError> {
    check_origin(&headers)?;
    let workflow = query.workflow_id.map(Str::from);
    if let Some(id) = &workflow {
        who.workflow(&app, id, AccessLevel::View).await?;
    }
    let live = app.runtime.recorder.subscribe();
    Ok(follow(
        None,
        (live, None),
        EventFilter { run: None, workflow, after: 0 },
        EventSubscriber::new(app, who, headers),
    ))
}

/// `/api/v1/executions/ID/events`: the events of one run from its start, or from behind
/// `Last-Event-ID`.
pub(crate) async fn execution_events(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<SseStream, ApiError> {
    check_origin(&headers)?;
    // Listening first and reading then: an event that falls between comes twice and is left out the
    // second time.
    let live = (app.runtime.recorder.subscribe(), Some(app.runtime.recorder.subscribe_chunks()));
    // Whoever has heard that a run began may be here before its row is.
    let execution = who.flushed_execution(&app, &id, AccessLevel::View).await?;
    let after = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok())
        .and_then(last_seq)
        .unwrap_or(0);
    let run_id: Str = execution.id.to_string().into();
    let (past, n_told) = EventBacklog::read(&app, &who, &execution, after).await?;
    let wanted = EventFilter { run: Some(run_id), workflow: None, after: n_told.max(after) };
    Ok(follow(Some(past), live, wanted, EventSubscriber::new(app, who, headers)))
}

/// What a run has told before somebody came to listen, as it is sent: a slow reader holds no items,
/// and nothing for long.
struct EventBacklog {
    workflow: Str,
    events: PacedReceiver<OutgoingEvent>,
}

impl EventBacklog {
    /// Gives also how many events there were in all.
    async fn read(
        app: &App,
        who: &Principal,
        execution: &Execution,
        after: u64,
    ) -> Result<(Self, u64), ApiError> {
        let (id, store) = (execution.id, app.store.clone());
        let weight = store.outline_bytes(id).await?;
        let reading = async move {
            let events = store.outline(id).await?;
            let (n_told, run) = (events.len() as u64, Str::from(id.to_string()));
            let later = (1..).zip(events).filter(|(seq, _)| *seq > after);
            let tell = || -> Vec<OutgoingEvent> {
                later.map(|(seq, event)| OutgoingEvent::new(&run, seq, &event, false)).collect()
            };
            Ok::<_, ApiError>((compute::for_size(weight, tell)?, n_told))
        };
        let (read, mut room) = app.read_budget().read(&who.user_id, weight, reading).await?;
        let (all, n_told) = read?;
        room.shrink_to(all.iter().map(|told| told.bytes).sum());
        Ok((
            Self { workflow: execution.started.workflow_id.clone(), events: send_paced(all, room) },
            n_told,
        ))
    }
}

/// Holds events, and their room, until they are taken or the reader has proved too slow.
fn send_paced(all: Vec<OutgoingEvent>, room: ReadReservation) -> PacedReceiver<OutgoingEvent> {
    let (sender, events) = mpsc::channel(1);
    let sending = tokio::spawn(async move {
        let _room = room;
        let mut sender = PacedSender::new(sender);
        for told in all {
            let bytes = told.bytes;
            sender.send(told, bytes).await?;
        }
        Ok::<(), io::Error>(())
    });
    PacedReceiver::new(events, sending)
}

/// An event in the words of the protocol.
struct OutgoingEvent {
    event: Event,
    bytes: usize,
    is_end: bool,
}

impl OutgoingEvent {
    fn new(run: &Str, seq: u64, event: &RunEvent, is_cut: bool) -> Self {
        let is_end = matches!(event, RunEvent::RunFinished { .. });
        let id = Event::default().id(format!("{run}:{seq}"));
        let (event, bytes) = to_wire(id, run, event, is_cut);
        Self { event, bytes, is_end }
    }
}

/// An event's id is `RUN:PLACE`.
pub(crate) fn last_seq(id: &str) -> Option<u64> {
    id.rsplit(':').next()?.parse().ok()
}

struct EventFilter {
    run: Option<Str>,
    workflow: Option<Str>,
    /// Events of the run up to this place were sent already.
    after: u64,
}

impl EventFilter {
    fn matches(&self, event: &LiveEvent) -> bool {
        self.run.as_ref().is_none_or(|run| *run == event.run_id && event.seq > self.after)
            && self.workflow.as_ref().is_none_or(|workflow| *workflow == event.workflow_id)
    }
}

/// What a stream still has to send.
struct EventFeed {
    backlog: Option<EventBacklog>,
    live: Receiver<LiveEvent>,
    /// Pieces of answers, for whoever follows one run.
    chunks: Option<Receiver<LiveChunk>>,
    filter: EventFilter,
    subscriber: EventSubscriber,
    is_over: bool,
}

/// What happens from now on: events, and pieces of answers.
type LiveReceivers = (Receiver<LiveEvent>, Option<Receiver<LiveChunk>>);

fn follow(
    past: Option<EventBacklog>,
    (live, chunks): LiveReceivers,
    wanted: EventFilter,
    listener: EventSubscriber,
) -> SseStream {
    let following = EventFeed {
        backlog: past,
        live,
        chunks,
        filter: wanted,
        subscriber: listener,
        is_over: false,
    };
    let events = stream::unfold(following, |mut following| async move {
        let event = following.next().await?;
        Some((Ok(event), following))
    });
    // Firefox shows a page nothing of a response, not even its status, until the first byte of its
    // body is there.
    let first = stream::once(async { Ok(Event::default().comment("")) });
    let events = first.chain(events);
    Sse::new(
        Box::pin(events) as std::pin::Pin<Box<dyn Stream<Item = Result<Event, Infallible>> + Send>>
    )
    .keep_alive(KeepAlive::default())
}

/// Who a stream is for, looked at again while it goes on.
pub(crate) struct EventSubscriber {
    app: App,
    who: Principal,
    headers: HeaderMap,
    checked_at: Instant,
    /// Which workflows may be heard of, since the last look.
    visible: HashMap<Str, bool>,
}

pub(crate) enum AccessCheck {
    Allowed,
    Denied,
    Revoked,
}

impl EventSubscriber {
    pub(crate) fn new(app: App, who: Principal, headers: HeaderMap) -> Self {
        Self { app, who, headers, checked_at: Instant::now(), visible: HashMap::new() }
    }

    pub(crate) async fn check_access(&mut self, workflow: &Str) -> AccessCheck {
        if self.checked_at.elapsed() >= RECHECK_INTERVAL {
            match authenticate(&self.app, &Method::GET, &self.headers).await {
                Ok(who) if who.require("execution:read").is_ok() => self.who = who,
                _ => return AccessCheck::Revoked,
            }
            self.checked_at = Instant::now();
            self.visible.clear();
        }
        let may = match self.visible.get(workflow) {
            Some(known) => *known,
            None => {
                let may = self.who.can_view_executions(&self.app, workflow).await;
                self.visible.insert(workflow.clone(), may);
                may
            }
        };
        if may { AccessCheck::Allowed } else { AccessCheck::Denied }
    }
}

impl EventFeed {
    async fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        if let Some(past) = &mut self.backlog {
            // Whoever was too slow for all of it comes back with the id of the last event they
            // have.
            if let Some(told) = past.events.next().await.ok()? {
                return match self.subscriber.check_access(&past.workflow).await {
                    AccessCheck::Allowed => Some(self.emit(told)),
                    AccessCheck::Denied | AccessCheck::Revoked => None,
                };
            }
        }
        self.backlog = None;
        loop {
            // Pieces first: those that came before the end of a run leave before it.
            let heard = tokio::select! {
                biased;
                Some(chunk) = next_chunk(&mut self.chunks) => {
                    if self.filter.run.as_ref() != Some(&chunk.run_id) {
                        continue;
                    }
                    match self.subscriber.check_access(&chunk.workflow_id).await {
                        AccessCheck::Allowed => return Some(chunk_event(&chunk)),
                        AccessCheck::Denied => continue,
                        AccessCheck::Revoked => return None,
                    }
                }
                heard = self.live.recv() => heard,
            };
            match heard {
                Ok(live) if self.filter.matches(&live) => {
                    match self.subscriber.check_access(&live.workflow_id).await {
                        AccessCheck::Allowed => {
                            return Some(self.emit(OutgoingEvent::new(
                                &live.run_id,
                                live.seq,
                                &live.event,
                                live.is_cut,
                            )));
                        }
                        AccessCheck::Denied => {}
                        AccessCheck::Revoked => return None,
                    }
                }
                Ok(_) => {}
                // A reader that is too slow is told so; it may come back with the id of the last
                // event it has.
                Err(RecvError::Lagged(missed)) => {
                    self.is_over = true;
                    return Some(sse(Event::default(), &wire::LiveEvent::Missed(missed)).0);
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn emit(&mut self, told: OutgoingEvent) -> Event {
        // The stream of one run ends with it.
        self.is_over = self.filter.run.is_some() && told.is_end;
        told.event
    }
}

/// The next piece of an answer. Those that a slow reader misses are gone; what they were part of is
/// in the journal.
async fn next_chunk(chunks: &mut Option<Receiver<LiveChunk>>) -> Option<LiveChunk> {
    let receiver = chunks.as_mut()?;
    loop {
        match receiver.recv().await {
            Ok(chunk) => return Some(chunk),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

/// A piece of an answer has no id: nobody can come back to it.
fn chunk_event(live: &LiveChunk) -> Event {
    let chunk = &live.chunk;
    let content = chunk.to_value().get("content").cloned();
    let event = AnswerChunk {
        kind: chunk.kind.name(),
        content: content.filter(|content| !content.is_undefined()).map(Json),
        metadata: ChunkSource {
            node_id: &chunk.node_id,
            node_name: &chunk.node_name,
            item_index: chunk.item,
            run_index: chunk.run_index,
            timestamp: Number(chunk.timestamp_ms as f64),
        },
    };
    let event = OfRun { execution_id: &live.run_id, event, is_cut: false };
    sse(Event::default(), &wire::LiveEvent::Agent(event)).0
}

/// An event of the protocol behind what it begins with, and how many bytes of data it has.
fn sse(begun: Event, event: &wire::LiveEvent<'_>) -> (Event, usize) {
    match event.to_sse() {
        Ok((name, data)) => {
            let bytes = data.len();
            (begun.event(name).data(data), bytes)
        }
        Err(error) => {
            tracing::error!(%error, "Could not write an event.");
            (Event::default().comment(""), 0)
        }
    }
}

/// An event in the words of the protocol. Items stay where they are; the execution has them.
fn to_wire<'a>(begun: Event, run: &'a str, event: &'a RunEvent, is_cut: bool) -> (Event, usize) {
    use wire::LiveEvent as Live;
    macro_rules! of_run {
        ($event:expr) => {
            OfRun { execution_id: run, event: $event, is_cut }
        };
    }
    let live = match event {
        RunEvent::RunStarted { workflow_id, workflow_name, mode, started_ms, .. } => {
            Live::ExecutionStarted(of_run!(ExecutionStarted {
                workflow_id,
                workflow_name,
                mode,
                started_ms: *started_ms,
            }))
        }
        RunEvent::NodeStarted { node, run_index, started_ms } => {
            Live::NodeStarted(of_run!(NodeStarted {
                node,
                run: *run_index,
                started_ms: *started_ms,
            }))
        }
        RunEvent::NodeLog { node, line } => Live::NodeLog(of_run!(NodeLog { node, line })),
        RunEvent::StepRecorded { node, key, value } => {
            let asked = checkpoints::approval_target(key)
                .and_then(|call| Some((call, ApprovalRequest::from_value(value)?)));
            if let Some((call, asked)) = &asked {
                return sse(begun, &Live::Approval(of_run!(approval(node, call, asked))));
            }
            Live::NodeStep(of_run!(NodeStep { node, step: key, value: Json(value.clone()) }))
        }
        RunEvent::SubNodeCalled { node, task } => Live::NodeServed(of_run!(NodeServed {
            node,
            kind: task.serves().map(Kind::name),
            serves: task.source.first().and_then(Option::as_ref).map(|above| above.node.as_str()),
            status: task.status.name(),
            duration_ms: Number(task.execution_time_ms as f64),
            error: task.error.as_ref().map(Into::into),
        })),
        RunEvent::ModelUsed { node, spent } => Live::ModelUsed(of_run!(ModelUsed {
            node,
            provider: &spent.provider,
            model: &spent.model,
            input_tokens: spent.input,
            cached_tokens: spent.cached,
            output_tokens: spent.output,
            dollars: spent.dollars.map(Number),
        })),
        RunEvent::StageReached { node, run_index, reached } => {
            Live::AgentStage(of_run!(AgentStageReached {
                node,
                run: *run_index,
                item: reached.item,
                stage: reached.stage.into(),
                at_ms: reached.at_ms,
                detail: Json(reached.detail.clone()),
            }))
        }
        RunEvent::NodeRetried { node, attempt, error } => {
            Live::NodeRetried(of_run!(NodeRetried { node, attempt: *attempt, error: error.into() }))
        }
        RunEvent::NodeFinished { node, run_index, task, .. } => {
            Live::NodeFinished(of_run!(NodeFinished {
                node,
                run: *run_index,
                status: task.status.name(),
                duration_ms: Number(task.execution_time_ms as f64),
                items: counts(task),
                reused: task.reused_from(),
                error: task.error.as_ref().map(Into::into),
            }))
        }
        RunEvent::NodeSilent { node } => Live::NodeSilent(of_run!(NodeSilent { node })),
        RunEvent::RunPaused { node, until_ms, waits_for, asks, .. } => {
            Live::ExecutionWaiting(of_run!(ExecutionWaiting {
                node,
                asks: *asks,
                waits_for: waits_for.as_deref(),
                until_ms: until_ms.map(|moment| Number(moment as f64)),
            }))
        }
        RunEvent::RunResumed { .. } => Live::ExecutionResumed(of_run!(ExecutionResumed {})),
        RunEvent::RunFinished { status, error, finished_ms } => {
            Live::ExecutionFinished(of_run!(ExecutionFinished {
                status: status.name(),
                finished_ms: *finished_ms,
                error: error.as_ref().map(Into::into),
            }))
        }
    };
    sse(begun, &live)
}

/// What a person is asked, and what they have decided.
fn approval<'a>(node: &'a str, call: &'a str, asked: &'a ApprovalRequest) -> ApprovalEvent<'a> {
    let decided = asked.decision.as_ref();
    ApprovalEvent {
        node,
        call,
        tool: &asked.tool,
        arguments: Json(asked.arguments.clone()),
        digest: &asked.digest,
        asked_ms: asked.requested_ms,
        until_ms: asked.until_ms,
        decision: decided.map(|decided| decided.verdict.into()),
        reason: decided.and_then(|decided| decided.reason.as_deref()),
        by: decided.map(|decided| decided.by.as_str()),
        decided_ms: decided.map(|decided| decided.decided_ms),
    }
}

/// How many items each output has.
fn counts(task: &TaskData) -> Vec<usize> {
    let outputs = task.data.get(&Kind::Main).map(Vec::as_slice).unwrap_or_default();
    outputs.iter().map(|items| items.as_ref().map_or(0, model::Items::len)).collect()
}
