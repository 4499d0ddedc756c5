//! A call of an address: who may make it, the run it starts, and its answer.

use crate::Error;
use crate::auth;
use crate::chat;
use crate::going::Going;
use crate::log::{Durability, RunLog};
use crate::routes::Hook;
use crate::runner::Runner;
use crate::start::{Demand, Start, Taken};
use crate::stream::{Pieces, waiting_words};
use bytes::Bytes;
use engine::Outcome;
use model::{Binary, Item, Items, Object, RunStatus, Str, Value};
use node_api::trigger::{Answer, AnswerBody, AnswerData, AnswerWhen, Chunk, ChunkKind, Takes};
use std::net::IpAddr;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

/// How long it may take to find out whether a call is to start a run.
const LONGEST_CONDITION_MS: u64 = 10_000;

/// A request as it came in, its body read.
#[derive(Clone, Debug)]
pub struct Call {
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
pub enum Reply {
    Whole(Answer),
    Stream { status: u16, headers: Vec<(Str, Str)>, first: Box<Chunk>, rest: Pieces },
}

impl Call {
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
pub(crate) async fn answer(runner: &Arc<Runner>, hook: &Hook, call: Call) -> Result<Reply, Error> {
    if let Some(refusal) = auth::refusal(runner, hook, &call) {
        return Ok(Reply::Whole(refusal));
    }
    if let Some(answer) = chat::glance(runner, hook, &call).await? {
        return Ok(Reply::Whole(answer));
    }
    // A test may come as often as somebody presses the button.
    let header = hook.route.delivery_header.as_ref().filter(|_| hook.trial.is_none());
    let value = header.and_then(|name| call.header(name)).filter(|value| !value.is_empty());
    let delivery = value.map(|value| format!("{}/{}/{value}", hook.workflow.id, hook.node));
    let method = call.method.clone();
    let demand = Demand { weight: call.length, takes: taken_by(hook) };
    let request_id = call.request_id.clone();
    let mut item = match &hook.chat {
        Some(_) => chat::item_of(call),
        None => call.into_item(),
    };
    if hook.chat.is_none() && hook.route.methods.len() > 1 {
        item.json.make_object().insert("$method", method);
    }
    if hook.route.is_conditional && is_unwanted(runner, hook, &item).await {
        return Ok(Reply::Whole(plain(hook, not_started(&hook.route.data))));
    }
    let start = Start { request_id, ..Start::of_call(hook, item) };
    let taken = match delivery {
        Some(key) => runner.start_once(key, start, demand).await?,
        None => Some(runner.take_on(start, demand)?),
    };
    let Some(taken) = taken else {
        let body = AnswerBody::Json(
            Object::from_iter([("message", "This delivery was taken before")]).into(),
        );
        return Ok(Reply::Whole(plain(hook, body)));
    };
    wait_for_answer(runner, hook, taken).await
}

/// Whether the node wants no run for a call. A condition that fails is told by the run that begins.
async fn is_unwanted(runner: &Arc<Runner>, hook: &Hook, item: &Item) -> bool {
    let asked = runner
        .ask_trigger(&hook.workflow, &hook.node, Items::one(item.clone()), LONGEST_CONDITION_MS)
        .await;
    asked.error.is_none() && asked.last_items().is_none()
}

/// Whoever is answered when a run begins waits so long for its end, which is then written together
/// with its beginning.
const SHORT_RUN: Duration = Duration::from_millis(20);

/// What callers of an address take while the run goes on.
pub(crate) fn taken_by(hook: &Hook) -> Takes {
    match hook.route.answer {
        AnswerWhen::Streaming => Takes::Pieces(hook.route.detail),
        AnswerWhen::Received | AnswerWhen::LastNode | AnswerWhen::ResponseNode => Takes::Nothing,
    }
}

pub(crate) async fn wait_for_answer(
    runner: &Arc<Runner>,
    hook: &Hook,
    taken: Taken,
) -> Result<Reply, Error> {
    let route = &hook.route;
    let answer = match route.answer {
        AnswerWhen::Received => {
            let Taken { mut outcome, log, .. } = taken;
            // A run that only computes is over at once, and its end is written together with its
            // beginning. Any other writes its steps too, and this caller waits for no more than the
            // beginning.
            let begun = match log.durability() {
                Durability::Ends if hook.workflow.plan.computes() => {
                    outcome.let_go();
                    tokio::time::timeout(SHORT_RUN, &mut outcome)
                        .await
                        .map_or(Poll::Pending, Poll::Ready)
                }
                Durability::Ends => outcome.begin().await,
                Durability::EachStep => Poll::Pending,
            };
            match begun {
                Poll::Ready(ended) => drop(unless_refused(ended, &log)?),
                Poll::Pending if log.is_over() => drop(outcome_of(outcome, &log).await?),
                Poll::Pending => {
                    outcome.let_go();
                    runner.accepted(&log).await?;
                }
            }
            plain(hook, received(&route.data))
        }
        AnswerWhen::Streaming if taken.pieces.is_some() => {
            return stream(runner, hook, taken.let_go()).await;
        }
        AnswerWhen::LastNode | AnswerWhen::Streaming => {
            let Taken { mut answer, outcome, log, .. } = taken;
            let ended = outcome_of(outcome, &log).await?;
            // In a chat, what was said before the run went to sleep is the answer.
            let waits_in_chat = hook.chat.is_some()
                && ended.as_ref().is_some_and(|outcome| outcome.status == RunStatus::Waiting);
            match (ended, answer.try_recv()) {
                (Some(_), Ok(said)) if waits_in_chat => said,
                (Some(outcome), _) => of_outcome(hook, &outcome),
                (None, _) => broken(),
            }
        }
        AnswerWhen::ResponseNode => {
            let Taken { mut answer, mut outcome, log, .. } = taken;
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
                outcome.let_go();
                runner.written(&log).await?;
                return Ok(Reply::Whole(answer));
            }
            let ended = match ended {
                Some(ended) => unless_refused(ended, &log)?,
                None => outcome_of(outcome, &log).await?,
            };
            match (said, ended) {
                (Some(answer), Some(_)) => answer,
                (None, Some(outcome)) if outcome.asks => waiting(hook, &outcome),
                (None, Some(outcome)) if outcome.error.is_none() => plain(hook, AnswerBody::Empty),
                _ => broken(),
            }
        }
    };
    Ok(Reply::Whole(answer))
}

/// How a run ended, unless it was turned away; `None` if nobody knows.
async fn outcome_of(outcome: Going, log: &RunLog) -> Result<Option<Outcome>, Error> {
    unless_refused(outcome.await, log)
}

fn unless_refused(outcome: Option<Outcome>, log: &RunLog) -> Result<Option<Outcome>, Error> {
    match log.refusal() {
        Some(error) => Err(error.into()),
        None => Ok(outcome),
    }
}

/// Pieces as they come. A node that answers before the first one is heard too, and if there are
/// none at all, the items of the last node are the pieces.
async fn stream(runner: &Runner, hook: &Hook, taken: Taken) -> Result<Reply, Error> {
    runner.accepted(&taken.log).await?;
    let Taken { mut answer, outcome, log, pieces, .. } = taken;
    let Some(mut pieces) = pieces else { return Ok(Reply::Whole(broken())) };
    let (status, headers) = (hook.route.status, hook.route.headers.clone());
    let first = tokio::select! {
        biased;
        first = pieces.next() => first,
        Ok(answer) = &mut answer => {
            runner.written(&log).await?;
            return Ok(Reply::Whole(answer));
        }
    };
    if let Some(Ok(first)) = first {
        return Ok(Reply::Stream { status, headers, first: Box::new(first), rest: pieces });
    }
    if let Ok(answer) = answer.try_recv() {
        runner.written(&log).await?;
        return Ok(Reply::Whole(answer));
    }
    let answer = match outcome.await {
        Some(outcome) if outcome.asks => waiting(hook, &outcome),
        Some(outcome) if outcome.error.is_none() => {
            let lines: String = chunks_of(hook, &outcome).iter().map(line).collect();
            with_type(
                plain(hook, AnswerBody::Bytes(lines.into())),
                "application/json; charset=utf-8",
            )
        }
        Some(_) | None => broken(),
    };
    Ok(Reply::Whole(answer))
}

/// A piece as it stands in a stream.
pub fn line(chunk: &Chunk) -> String {
    let mut line = model::json::to_string(&chunk.to_value());
    line.push('\n');
    line
}

/// What whoever waits for an answer hears of a run that asks a person first. What it asks is for
/// those who may see the execution.
fn waiting(hook: &Hook, outcome: &Outcome) -> Answer {
    let mut told = Object::from_iter([
        ("message", "Waiting for approval"),
        ("executionId", outcome.run_id.as_str()),
    ]);
    if hook.chat.is_some() {
        told.insert("output", waiting_words(&outcome.run_id));
    }
    Answer { status: 202, headers: hook.route.headers.clone(), body: AnswerBody::Json(told.into()) }
}

/// What the last node left, as the pieces it could have sent.
fn chunks_of(hook: &Hook, outcome: &Outcome) -> Vec<Chunk> {
    let node = outcome.last_node.as_ref().and_then(|name| hook.workflow.plan.node(name));
    let (node_id, node_name) =
        node.map(|node| (node.info.id.clone(), node.info.name.clone())).unwrap_or_default();
    let chunk = |kind: ChunkKind, item: usize, content: Option<Value>| Chunk {
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

fn received(data: &AnswerData) -> AnswerBody {
    told(data, "Workflow was started")
}

/// A caller that was promised an answer of the author's words gets it whether or not a run begins.
fn not_started(data: &AnswerData) -> AnswerBody {
    told(data, "Workflow was not started: this call does not meet its condition")
}

fn told(data: &AnswerData, message: &str) -> AnswerBody {
    match data {
        AnswerData::Nothing => AnswerBody::Empty,
        AnswerData::Text(text) => AnswerBody::Bytes(Bytes::copy_from_slice(text.as_bytes())),
        _ => AnswerBody::Json(Object::from_iter([("message", message)]).into()),
    }
}

/// What the last node left, as the route wants it told.
fn of_outcome(hook: &Hook, outcome: &Outcome) -> Answer {
    if outcome.asks {
        return waiting(hook, outcome);
    }
    if outcome.status == RunStatus::Waiting {
        return plain(hook, received(&AnswerData::Started));
    }
    if outcome.error.is_some() {
        return broken();
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
        AnswerData::AllItems => {
            let all = items
                .map(|items| items.iter().map(|item| item.json).collect::<Vec<_>>())
                .unwrap_or_default();
            plain(hook, AnswerBody::Json(Value::array(all)))
        }
        AnswerData::FirstItem { field, content_type } => match first() {
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
                        with_type(plain(hook, AnswerBody::Bytes(text.into())), kind)
                    }
                    None => plain(hook, AnswerBody::Json(value)),
                }
            }
            None => Answer {
                status: 404,
                headers: Vec::new(),
                body: AnswerBody::Json(no_item().into()),
            },
        },
        AnswerData::FirstFile { field } => {
            let file = first()
                .and_then(|item| item.binary)
                .and_then(|files| files.iter().find(|(name, _)| name == field).cloned());
            match file {
                Some((_, file)) => {
                    with_type(plain(hook, AnswerBody::Bytes(file.data.clone())), &file.mime_type)
                }
                None => Answer {
                    status: 404,
                    headers: Vec::new(),
                    body: AnswerBody::Json(no_item().into()),
                },
            }
        }
        AnswerData::Started => plain(hook, received(&AnswerData::Started)),
        other => plain(hook, received(other)),
    }
}

fn plain(hook: &Hook, body: AnswerBody) -> Answer {
    let mut answer =
        Answer { status: hook.route.status, headers: hook.route.headers.clone(), body };
    if matches!(answer.body, AnswerBody::Bytes(_))
        && !answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        answer.headers.push(("content-type".into(), "text/html; charset=utf-8".into()));
    }
    answer
}

fn with_type(mut answer: Answer, content_type: &str) -> Answer {
    answer.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    answer.headers.push(("content-type".into(), content_type.into()));
    answer
}

/// The caller learns that it went wrong; what exactly is for those who may see the execution.
fn broken() -> Answer {
    let body =
        Object::from_iter([("code", Value::from(0)), ("message", "Error in workflow".into())]);
    Answer { status: 500, headers: Vec::new(), body: AnswerBody::Json(body.into()) }
}
