//! A call of an address: who may make it, the run it starts, and its answer.

use crate::Error;
use crate::auth;
use crate::routes::Hook;
use crate::runner::{Runner, Start, Taken};
use bytes::Bytes;
use engine::Outcome;
use model::{Binary, Item, Items, Object, RunStatus, Str, Value};
use node_api::trigger::{Answer, AnswerBody, AnswerData, AnswerWhen};
use std::net::IpAddr;
use std::sync::Arc;

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
    pub is_test: bool,
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
pub async fn answer(runner: &Arc<Runner>, hook: &Hook, call: Call) -> Result<Answer, Error> {
    if let Some(refusal) = auth::refusal(runner, hook, &call) {
        return Ok(refusal);
    }
    let told = hook.route.delivery_header.as_ref().and_then(|name| call.header(name)).filter(|value| !value.is_empty());
    let delivery = told.map(|value| format!("{}/{}/{value}", hook.workflow.id, hook.node));
    let method = call.method.clone();
    let mut item = call.into_item();
    if hook.route.methods.len() > 1 {
        item.json.make_object().insert("$method", method);
    }
    let start = Start::of_call(hook, item);
    let taken = match delivery {
        Some(key) => runner.start_once(key, start).await?,
        None => Some(runner.start(start)?),
    };
    let Some(taken) = taken else {
        return Ok(plain(hook, AnswerBody::Json(Object::from_iter([("message", "This delivery was taken before")]).into())));
    };
    wait_for_answer(runner, hook, taken).await
}

pub(crate) async fn wait_for_answer(runner: &Arc<Runner>, hook: &Hook, taken: Taken) -> Result<Answer, Error> {
    let route = &hook.route;
    match route.answer {
        AnswerWhen::Received => {
            runner.accepted(&taken).await?;
            Ok(plain(hook, received(&route.data)))
        }
        AnswerWhen::LastNode | AnswerWhen::Streaming => match taken.outcome.await {
            Ok(outcome) => Ok(of_outcome(hook, &outcome)),
            Err(_) => Ok(broken()),
        },
        AnswerWhen::ResponseNode => {
            let Taken { answer, outcome, log, .. } = taken;
            match answer.await {
                Ok(answer) => {
                    // What the caller is told about has happened: it is on disk before the answer leaves.
                    runner.written(&log).await?;
                    Ok(answer)
                }
                Err(_) => match outcome.await {
                    Ok(outcome) if outcome.error.is_none() => Ok(plain(hook, AnswerBody::Empty)),
                    Ok(_) | Err(_) => Ok(broken()),
                },
            }
        }
    }
}

fn received(data: &AnswerData) -> AnswerBody {
    match data {
        AnswerData::Nothing => AnswerBody::Empty,
        AnswerData::Text(text) => AnswerBody::Bytes(Bytes::copy_from_slice(text.as_bytes())),
        _ => AnswerBody::Json(Object::from_iter([("message", "Workflow was started")]).into()),
    }
}

/// What the last node left, as the route wants it told.
fn of_outcome(hook: &Hook, outcome: &Outcome) -> Answer {
    if outcome.status == RunStatus::Waiting {
        return plain(hook, received(&AnswerData::Started));
    }
    if outcome.error.is_some() {
        return broken();
    }
    let items = outcome.last_items();
    let first = || items.and_then(Items::first);
    let no_item = || Object::from_iter([("code", Value::from(0)), ("message", "No item to return was found".into())]);
    match &hook.route.data {
        AnswerData::AllItems => {
            let all = items.map(|items| items.iter().map(|item| item.json).collect::<Vec<_>>()).unwrap_or_default();
            plain(hook, AnswerBody::Json(Value::array(all)))
        }
        AnswerData::FirstItem { field, content_type } => match first() {
            Some(item) => {
                let value = field.as_ref().map_or(Some(item.json.clone()), |path| item.json.get_path(path).cloned()).unwrap_or_default();
                match content_type {
                    Some(kind) => {
                        let text = value.as_str().map_or_else(|| model::json::to_string(&value), str::to_owned);
                        with_type(plain(hook, AnswerBody::Bytes(text.into())), kind)
                    }
                    None => plain(hook, AnswerBody::Json(value)),
                }
            }
            None => Answer { status: 404, headers: Vec::new(), body: AnswerBody::Json(no_item().into()) },
        },
        AnswerData::FirstFile { field } => {
            let file = first().and_then(|item| item.binary).and_then(|files| files.iter().find(|(name, _)| name == field).cloned());
            match file {
                Some((_, file)) => with_type(plain(hook, AnswerBody::Bytes(file.data.clone())), &file.mime_type),
                None => Answer { status: 404, headers: Vec::new(), body: AnswerBody::Json(no_item().into()) },
            }
        }
        AnswerData::Started => plain(hook, received(&AnswerData::Started)),
        other => plain(hook, received(other)),
    }
}

fn plain(hook: &Hook, body: AnswerBody) -> Answer {
    let mut answer = Answer { status: hook.route.status, headers: hook.route.headers.clone(), body };
    if matches!(answer.body, AnswerBody::Bytes(_)) && !answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
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
    let body = Object::from_iter([("code", Value::from(0)), ("message", "Error in workflow".into())]);
    Answer { status: 500, headers: Vec::new(), body: AnswerBody::Json(body.into()) }
}
