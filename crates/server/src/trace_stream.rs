//! The decision trace of agents as it happens: over SSE here, over gRPC in `grpc`.
//!
//! A stream begins with what a run has told already, from behind the event that a client had last,
//! and goes on with what agents do.

use crate::App;
use crate::access::{AccessLevel, Principal, check_origin};
use crate::api::RequestQuery;
use crate::error::ApiError;
use crate::events::{AccessCheck, EventSubscriber, last_seq};
use crate::read_budget::ReadReservation;
use crate::wire::{TraceEvent, TraceStreamQuery};
use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use formats::sensitive::Redaction;
use futures::stream;
use model::Str;
use runtime::trace::{self, TraceBatch, TraceKind, TraceRecord, TraceSubscription};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// A stream on which nothing happens says so as often.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Events that leave at once.
const MAX_EVENTS: usize = 512;

/// What somebody wants to hear of.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraceRequest {
    /// One run: the stream ends with it.
    pub(crate) run: Option<Str>,
    pub(crate) workflow: Option<Str>,
    /// Events of the run up to this place are known.
    pub(crate) after: u64,
    pub(crate) tools_only: bool,
}

/// A stream under way.
pub(crate) struct TraceStream {
    backlog: std::vec::IntoIter<Arc<TraceRecord>>,
    reservation: Option<ReadReservation>,
    live: TraceSubscription,
    request: TraceRequest,
    subscriber: EventSubscriber,
    is_over: bool,
}

impl TraceStream {
    pub(crate) async fn open(
        app: &App,
        who: Principal,
        headers: HeaderMap,
        mut request: TraceRequest,
    ) -> Result<Self, ApiError> {
        // Listening first and reading then: what falls between comes twice and is left out once.
        let live = app.runtime.recorder.trace.subscribe();
        let (mut backlog, mut reservation, mut is_over) = (Vec::new(), None, false);
        if let Some(run) = &request.run {
            let execution = who.flushed_execution(app, run, AccessLevel::View).await?;
            let (id, store) = (execution.id, app.store.clone());
            let workflow = execution.started.workflow_id.clone();
            let weight = store.outline_bytes(id).await?;
            let (run, after, tools_only) = (run.clone(), request.after, request.tools_only);
            let reading = async move {
                let events = store.outline(id).await?;
                let n_told = events.len() as u64;
                let read = || -> Vec<Arc<TraceRecord>> {
                    let all = trace::TraceEvent::read_all(&events).into_iter();
                    all.filter(|event| event.seq > after)
                        .map(|event| TraceRecord::new(run.clone(), workflow.clone(), event))
                        .filter(|record| is_wanted(record, tools_only))
                        .map(Arc::new)
                        .collect()
                };
                Ok::<_, ApiError>((compute::for_size(weight, read)?, n_told))
            };
            let (read, room) = app.read_budget().read(&who.user_id, weight, reading).await?;
            let n_told;
            (backlog, n_told) = read?;
            request.after = request.after.max(n_told);
            reservation = Some(room);
            is_over = execution.state.status.is_over();
        } else if let Some(workflow) = &request.workflow {
            who.workflow(app, workflow, AccessLevel::View).await?;
        }
        let subscriber = EventSubscriber::new(app.clone(), who, headers);
        Ok(Self { backlog: backlog.into_iter(), reservation, live, request, subscriber, is_over })
    }

    /// What comes next, once there is something; nothing once the stream is over.
    pub(crate) async fn next(&mut self) -> Option<TraceBatch> {
        let past: Vec<_> = self.backlog.by_ref().take(MAX_EVENTS).collect();
        if let Some(first) = past.first() {
            let workflow = first.workflow_id.clone();
            return match self.subscriber.check_access(&workflow).await {
                AccessCheck::Allowed => Some(TraceBatch { events: past, missed: 0 }),
                AccessCheck::Denied | AccessCheck::Revoked => None,
            };
        }
        self.reservation = None;
        loop {
            if self.is_over {
                return None;
            }
            let TraceBatch { events, missed } = self.live.next().await;
            let mut wanted = Vec::with_capacity(events.len());
            for record in events {
                if !self.matches(&record) {
                    continue;
                }
                match self.subscriber.check_access(&record.workflow_id).await {
                    AccessCheck::Allowed => {}
                    AccessCheck::Denied => continue,
                    AccessCheck::Revoked => return None,
                }
                self.is_over =
                    self.request.run.is_some() && record.event.kind == TraceKind::ExecutionFinished;
                wanted.push(record);
            }
            if !wanted.is_empty() || missed > 0 {
                return Some(TraceBatch { events: wanted, missed });
            }
        }
    }

    fn matches(&self, record: &TraceRecord) -> bool {
        let TraceRequest { run, workflow, after, tools_only } = &self.request;
        run.as_ref().is_none_or(|run| *run == record.run_id && record.event.seq > *after)
            && workflow.as_ref().is_none_or(|workflow| *workflow == record.workflow_id)
            && is_wanted(record, *tools_only)
    }
}

fn is_wanted(record: &TraceRecord, tools_only: bool) -> bool {
    let kind = record.event.kind;
    !tools_only || kind.is_of_tools() || kind == TraceKind::ExecutionFinished
}

/// An event as JSON, written once for all who read it.
pub(crate) fn json_of(record: &TraceRecord) -> &Bytes {
    record.json.get_or_init(|| {
        let event = TraceEvent::new(&record.run_id, &record.event, Redaction::default());
        serde_json::to_vec(&event).unwrap_or_default().into()
    })
}

/// `/api/v1/executions/ID/trace/events`: the trace of one run, from its start or from behind
/// `Last-Event-ID`.
pub(crate) async fn execution_trace_events(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    RequestQuery(query): RequestQuery<TraceStreamQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    check_origin(&headers)?;
    let after = headers.get("last-event-id").and_then(|value| last_seq(value.to_str().ok()?));
    let request = TraceRequest {
        run: Some(id.into()),
        after: after.unwrap_or_default(),
        tools_only: query.tools_only.unwrap_or_default(),
        ..TraceRequest::default()
    };
    Ok(respond(TraceStream::open(&app, who, headers, request).await?))
}

/// `/api/v1/trace/events`: the traces of all runs that somebody may see, from now on.
pub(crate) async fn trace_events(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    RequestQuery(query): RequestQuery<TraceStreamQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    check_origin(&headers)?;
    let request = TraceRequest {
        workflow: query.workflow_id.map(Str::from),
        tools_only: query.tools_only.unwrap_or_default(),
        ..TraceRequest::default()
    };
    Ok(respond(TraceStream::open(&app, who, headers, request).await?))
}

fn respond(stream: TraceStream) -> Response {
    let events = stream::unfold(Some(stream), |following| async move {
        let mut following = following?;
        match tokio::time::timeout(KEEP_ALIVE, following.next()).await {
            Ok(Some(batch)) => Some((Ok::<_, Infallible>(written(&batch)), Some(following))),
            Ok(None) => None,
            Err(_) => Some((Ok(Bytes::from_static(b":\n\n")), Some(following))),
        }
    });
    // Firefox shows a page nothing of a response until the first byte of its body is there.
    let first = stream::once(async { Ok(Bytes::from_static(b":\n\n")) });
    let mut response = Response::new(Body::from_stream(futures::StreamExt::chain(first, events)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn written(batch: &TraceBatch) -> Bytes {
    let sizes = batch.events.iter().map(|record| json_of(record).len() + 64);
    let mut out = BytesMut::with_capacity(sizes.sum::<usize>() + 64);
    if batch.missed > 0 {
        out.extend_from_slice(format!("event: missed\ndata: {}\n\n", batch.missed).as_bytes());
    }
    for record in &batch.events {
        let seq = record.event.seq;
        let head = format!("id: {}:{seq}\nevent: trace\ndata: ", record.run_id);
        out.extend_from_slice(head.as_bytes());
        out.extend_from_slice(json_of(record));
        out.extend_from_slice(b"\n\n");
    }
    out.freeze()
}
