//! A call of an address: who may make it, the run it starts, and its answer.

use crate::Error;
use crate::execute::journal::{Durability, RunJournal};
use crate::execute::run_handle::RunHandle;
use crate::execute::runner::Runner;
use crate::execute::start::{AcceptedRun, Admission, RunRequest};
use crate::listen::auth;
use crate::listen::chat;
use crate::listen::response_stream::{ChunkStream, approval_notice};
use crate::listen::routes::TriggerEndpoint;
use bytes::Bytes;
use engine::RunOutcome;
use model::{Binary, Item, Items, Object, RunStatus, Str, Value};
use node_api::trigger::{
    ChunkKind, ReplyMode, ResponseBody, ResponseData, ResponseMode, StreamChunk, WebhookResponse,
};
use std::net::IpAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// How long it may take to find out whether a call is to start a run.
const LONGEST_CONDITION_MS: u64 = 10_000;

/// A request as it came in, its body read.
#[derive(Clone, Debug)]
pub struct EndpointRequest {
    pub method: Str,
    /// With scheme and host.
    pub url: Str,
    pub headers: Object,
    pub params: Object,
    pub query: Object,
    pub body: Value,
    pub files: Vec<(Str, Binary)>,
    pub remote: Option<IpAddr>,
    /// Who is signed in, where the address wants to know.
    pub user: Option<Str>,
    /// What the log calls the request.
    pub request_id: Str,
    pub is_test: bool,
    /// How much memory the body takes as it was read, about.
    pub length: usize,
}

/// The answer to a call: whole, or in pieces that come while the run goes on.
pub enum EndpointResponse {
    Whole(WebhookResponse),
    Stream { status: u16, headers: Vec<(Str, Str)>, first: Box<StreamChunk>, rest: ChunkStream },
}

impl EndpointRequest {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(Value::as_str)
    }

    /// The item that the run starts with.
    pub(crate) fn into_item(self) -> Item {
        let json = Object::from_iter([
            ("headers", Value::from(self.headers)),
            ("params", self.params.into()),
            ("query", self.query.into()),
            ("body", self.body),
            ("webhookUrl", self.url.into()),
            ("executionMode", if self.is_test { "test" } else { "production" }.into()),
        ]);
        let mut item = Item::new(json);
        if !self.files.is_empty() {
            item.binary = Some(Arc::new(self.files));
        }
        item
    }
}

/// Answers a call: with a refusal, or by starting the workflow behind the address.
pub(crate) async fn handle(
    runner: &Arc<Runner>,
    hook: &TriggerEndpoint,
    call: EndpointRequest,
) -> Result<EndpointResponse, Error> {
    if let Some(refusal) = auth::refusal(runner, hook, &call) {
        return Ok(EndpointResponse::Whole(refusal));
    }
    if let Some(answer) = chat::answer_without_run(runner, hook, &call).await? {
        return Ok(EndpointResponse::Whole(answer));
    }
    // A test may come as often as somebody presses the button.
    let header = hook.route.delivery_header.as_ref().filter(|_| hook.test_run.is_none());
    let value = header.and_then(|name| call.header(name)).filter(|value| !value.is_empty());
    let delivery = value.map(|value| format!("{}/{}/{value}", hook.workflow.id, hook.node));
    let method = call.method.clone();
    let demand = Admission { bytes: call.length, reply: reply_mode(hook) };
    let request_id = call.request_id.clone();
    let mut item = match &hook.chat {
        Some(_) => chat::item_of(call),
        None => call.into_item(),
    };
    if hook.chat.is_none() && hook.route.methods.len() > 1 {
        item.json.make_object().insert("$method", method);
    }
    if hook.route.is_conditional && is_filtered_out(runner, hook, &item).await {
        return Ok(EndpointResponse::Whole(plain(hook, not_started(&hook.route.data))));
    }
    let start = RunRequest { request_id, ..RunRequest::from_call(hook, item) };
    let taken = match delivery {
        Some(key) => runner.start_once(key, start, demand).await?,
        None => Some(runner.accept(start, demand)?),
    };
    let Some(taken) = taken else {
        let body = ResponseBody::Json(
            Object::from_iter([("message", "This delivery was already received")]).into(),
        );
        return Ok(EndpointResponse::Whole(plain(hook, body)));
    };
    wait_for_response(runner, hook, taken).await
}

/// Whether the node wants no run for a call. A condition that fails is told by the run that begins.
async fn is_filtered_out(runner: &Arc<Runner>, hook: &TriggerEndpoint, item: &Item) -> bool {
    let asked = runner
        .ask_trigger(&hook.workflow, &hook.node, Items::one(item.clone()), LONGEST_CONDITION_MS)
        .await;
    asked.error.is_none() && asked.last_items().is_none()
}

/// Whoever is answered when a run begins waits so long for its end, which is then written together
/// with its beginning.
const SHORT_RUN: Duration = Duration::from_millis(20);

/// What callers of an address take while the run goes on.
pub(crate) fn reply_mode(hook: &TriggerEndpoint) -> ReplyMode {
    match hook.route.answer {
        ResponseMode::Streaming => ReplyMode::Streamed(hook.route.detail),
        ResponseMode::Received | ResponseMode::LastNode | ResponseMode::ResponseNode => {
            ReplyMode::Buffered
        }
    }
}

pub(crate) async fn wait_for_response(
    runner: &Arc<Runner>,
    hook: &TriggerEndpoint,
    taken: AcceptedRun,
) -> Result<EndpointResponse, Error> {
    let route = &hook.route;
    let answer = match route.answer {
        ResponseMode::Received => {
            let AcceptedRun { mut outcome, log, .. } = taken;
            // A run that only computes is over at once, and its end is written together with its
            // beginning. Any other writes its steps too, and this caller waits for no more than the
            // beginning.
            let begun = match log.durability() {
                Durability::Ends if hook.workflow.plan.computes() => {
                    outcome.detach();
                    tokio::time::timeout(SHORT_RUN, &mut outcome)
                        .await
                        .map_or(Poll::Pending, Poll::Ready)
                }
                Durability::Ends => outcome.poll_once().await,
                Durability::EachStep => Poll::Pending,
            };
            match begun {
                Poll::Ready(ended) => drop(unless_refused(ended, &log)?),
                Poll::Pending if log.is_over() => drop(outcome_of(outcome, &log).await?),
                Poll::Pending => {
                    outcome.detach();
                    runner.wait_accepted(&log).await?;
                }
            }
            plain(hook, received(&route.data))
        }
        ResponseMode::Streaming if taken.chunks.is_some() => {
            return stream(runner, hook, taken.detach()).await;
        }
        ResponseMode::LastNode | ResponseMode::Streaming => {
            let AcceptedRun { mut answer, outcome, log, .. } = taken;
            let ended = outcome_of(outcome, &log).await?;
            // In a chat, what was said before the run went to sleep is the answer.
            let waits_in_chat = hook.chat.is_some()
                && ended.as_ref().is_some_and(|outcome| outcome.status == RunStatus::Waiting);
            match (ended, answer.try_recv()) {
                (Some(_), Ok(said)) if waits_in_chat => said,
                (Some(outcome), _) => outcome_response(hook, &outcome),
                (None, _) => internal_error(),
            }
        }
        ResponseMode::ResponseNode => {
            let AcceptedRun { mut answer, mut outcome, log, .. } = taken;
            let mut said = None;
            let ended = tokio::select! {
                biased;
                ended = &mut outcome => Some(ended),
                told = &mut answer => {
                    said = told.ok();
                    None
                }
            };
            let said = said.or_else(|| answer.try_recv().ok());
            // What the caller is told about has happened: it is on disk before the answer leaves. A
            // run that is over sees to it itself.
            if ended.is_none()
                && !log.is_over()
                && let Some(answer) = said
            {
                outcome.detach();
                runner.flush_journal(&log).await?;
                return Ok(EndpointResponse::Whole(answer));
            }
            let ended = match ended {
                Some(ended) => unless_refused(ended, &log)?,
                None => outcome_of(outcome, &log).await?,
            };
            match (said, ended) {
                (Some(answer), Some(_)) => answer,
                (None, Some(outcome)) if outcome.asks => approval_pending(hook, &outcome),
                (None, Some(outcome)) if outcome.error.is_none() => {
                    plain(hook, ResponseBody::Empty)
                }
                _ => internal_error(),
            }
        }
    };
    Ok(EndpointResponse::Whole(answer))
}

/// How a run ended, unless it was turned away; `None` if nobody knows.
async fn outcome_of(outcome: RunHandle, log: &RunJournal) -> Result<Option<RunOutcome>, Error> {
    unless_refused(outcome.await, log)
}

fn unless_refused(
    outcome: Option<RunOutcome>,
    log: &RunJournal,
) -> Result<Option<RunOutcome>, Error> {
    match log.refusal() {
        Some(error) => Err(error.into()),
        None => Ok(outcome),
    }
}

/// Pieces as they come. A node that answers before the first one is heard too, and if there are
/// none at all, the items of the last node are the pieces.
async fn stream(
    runner: &Runner,
    hook: &TriggerEndpoint,
    taken: AcceptedRun,
) -> Result<EndpointResponse, Error> {
    runner.wait_accepted(&taken.log).await?;
    let AcceptedRun { mut answer, outcome, log, chunks: pieces, .. } = taken;
    let Some(mut pieces) = pieces else { return Ok(EndpointResponse::Whole(internal_error())) };
    let (status, headers) = (hook.route.status, hook.route.headers.clone());
    let first = tokio::select! {
        biased;
        first = pieces.next() => first,
        Ok(answer) = &mut answer => {
            runner.flush_journal(&log).await?;
            return Ok(EndpointResponse::Whole(answer));
        }
    };
    if let Some(Ok(first)) = first {
        return Ok(EndpointResponse::Stream {
            status,
            headers,
            first: Box::new(first),
            rest: pieces,
        });
    }
    if let Ok(answer) = answer.try_recv() {
        runner.flush_journal(&log).await?;
        return Ok(EndpointResponse::Whole(answer));
    }
    let answer = match outcome.await {
        Some(outcome) if outcome.asks => approval_pending(hook, &outcome),
        Some(outcome) if outcome.error.is_none() => {
            let lines: String = chunks_of(hook, &outcome).iter().map(encode_chunk).collect();
            with_type(
                plain(hook, ResponseBody::Bytes(lines.into())),
                "application/json; charset=utf-8",
            )
        }
        Some(_) | None => internal_error(),
    };
    Ok(EndpointResponse::Whole(answer))
}

/// A piece as it stands in a stream.
pub fn encode_chunk(chunk: &StreamChunk) -> String {
    let mut line = model::json::to_string(&chunk.to_value());
    line.push('\n');
    line
}

/// What whoever waits for an answer hears of a run that asks a person first. What it asks is for
/// those who may see the execution.
fn approval_pending(hook: &TriggerEndpoint, outcome: &RunOutcome) -> WebhookResponse {
    let mut told = Object::from_iter([
        ("message", "Waiting for approval"),
        ("executionId", outcome.run_id.as_str()),
    ]);
    if hook.chat.is_some() {
        told.insert("output", approval_notice(&outcome.run_id));
    }
    WebhookResponse {
        status: 202,
        headers: hook.route.headers.clone(),
        body: ResponseBody::Json(told.into()),
    }
}

/// What the last node left, as the pieces it could have sent.
fn chunks_of(hook: &TriggerEndpoint, outcome: &RunOutcome) -> Vec<StreamChunk> {
    let node = outcome.last_node.as_ref().and_then(|name| hook.workflow.plan.node(name));
    let (node_id, node_name) =
        node.map(|node| (node.info.id.clone(), node.info.name.clone())).unwrap_or_default();
    let chunk = |kind: ChunkKind, item: usize, content: Option<Value>| StreamChunk {
        kind,
        content,
        node_id: node_id.clone(),
        node_name: node_name.clone(),
        item,
        run_index: 0,
        timestamp_ms: outcome.finished_ms,
    };
    let items = outcome.last_items().into_iter().flat_map(Items::iter).enumerate();
    let of_item = |(index, item): (usize, Item)| {
        [(ChunkKind::Begin, None), (ChunkKind::Item, Some(item.json)), (ChunkKind::End, None)]
            .map(|(kind, content)| chunk(kind, index, content))
    };
    items.flat_map(of_item).collect()
}

fn received(data: &ResponseData) -> ResponseBody {
    message_body(data, "Workflow was started")
}

/// A caller that was promised an answer of the author's words gets it whether or not a run begins.
fn not_started(data: &ResponseData) -> ResponseBody {
    message_body(data, "Workflow was not started: the call does not meet its condition")
}

fn message_body(data: &ResponseData, message: &str) -> ResponseBody {
    match data {
        ResponseData::Nothing => ResponseBody::Empty,
        ResponseData::Text(text) => ResponseBody::Bytes(Bytes::copy_from_slice(text.as_bytes())),
        _ => ResponseBody::Json(Object::from_iter([("message", message)]).into()),
    }
}

/// What the last node left, as the route wants it told.
fn outcome_response(hook: &TriggerEndpoint, outcome: &RunOutcome) -> WebhookResponse {
    if outcome.asks {
        return approval_pending(hook, outcome);
    }
    if outcome.status == RunStatus::Waiting {
        return plain(hook, received(&ResponseData::Started));
    }
    if outcome.error.is_some() {
        return internal_error();
    }
    let items = outcome.last_items();
    let first = || items.and_then(Items::first);
    let no_item = || {
        Object::from_iter([
            ("code", Value::from(0)),
            ("message", "No item to return was found".into()),
        ])
    };
    match &hook.route.data {
        ResponseData::AllItems => {
            let all = items
                .map(|items| items.iter().map(|item| item.json).collect::<Vec<_>>())
                .unwrap_or_default();
            plain(hook, ResponseBody::Json(Value::array(all)))
        }
        ResponseData::FirstItem { field, content_type } => match first() {
            Some(item) => {
                let value = field
                    .as_ref()
                    .map_or(Some(item.json.clone()), |path| item.json.get_path(path).cloned())
                    .unwrap_or_default();
                match content_type {
                    Some(kind) => {
                        let text = value
                            .as_str()
                            .map_or_else(|| model::json::to_string(&value), str::to_owned);
                        with_type(plain(hook, ResponseBody::Bytes(text.into())), kind)
                    }
                    None => plain(hook, ResponseBody::Json(value)),
                }
            }
            None => WebhookResponse {
                status: 404,
                headers: Vec::new(),
                body: ResponseBody::Json(no_item().into()),
            },
        },
        ResponseData::FirstFile { field } => {
            let file = first()
                .and_then(|item| item.binary)
                .and_then(|files| files.iter().find(|(name, _)| name == field).cloned());
            match file {
                Some((_, file)) => {
                    with_type(plain(hook, ResponseBody::Bytes(file.data.clone())), &file.mime_type)
                }
                None => WebhookResponse {
                    status: 404,
                    headers: Vec::new(),
                    body: ResponseBody::Json(no_item().into()),
                },
            }
        }
        ResponseData::Started => plain(hook, received(&ResponseData::Started)),
        other => plain(hook, received(other)),
    }
}

fn plain(hook: &TriggerEndpoint, body: ResponseBody) -> WebhookResponse {
    let mut answer =
        WebhookResponse { status: hook.route.status, headers: hook.route.headers.clone(), body };
    if matches!(answer.body, ResponseBody::Bytes(_))
        && !answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        answer.headers.push(("content-type".into(), "text/html; charset=utf-8".into()));
    }
    answer
}

fn with_type(mut answer: WebhookResponse, content_type: &str) -> WebhookResponse {
    answer.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    answer.headers.push(("content-type".into(), content_type.into()));
    answer
}

/// The caller learns that it went wrong; what exactly is for those who may see the execution.
fn internal_error() -> WebhookResponse {
    let body =
        Object::from_iter([("code", Value::from(0)), ("message", "Error in workflow".into())]);
    WebhookResponse { status: 500, headers: Vec::new(), body: ResponseBody::Json(body.into()) }
}
