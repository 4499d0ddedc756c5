//! A call of an endpoint: who may make it, the run it starts, and its answer.

mod outcome_body;
mod reply;

pub use outcome_body::encode_chunk;
pub(crate) use reply::wait_for_response;

use crate::Error;
use crate::execute::runner::Runner;
use crate::execute::start::{Admission, RunRequest};
use crate::listen::response_stream::ChunkStream;
use crate::listen::routes::TriggerEndpoint;
use crate::listen::{auth, chat};
use model::{Binary, Item, Items, Object, Str, Value};
use node_api::trigger::{ReplyMode, ResponseBody, ResponseMode, StreamChunk, WebhookResponse};
use outcome_body::{not_started, with_route_headers};
use std::net::IpAddr;
use std::sync::Arc;

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

/// The answer to a call: whole, or in chunks while the run is under way.
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
    let admission = Admission { bytes: call.length, reply: reply_mode(hook) };
    let request_id = call.request_id.clone();
    let mut item = match &hook.chat {
        Some(_) => chat::item_of(call),
        None => call.into_item(),
    };
    if hook.chat.is_none() && hook.route.methods.len() > 1 {
        item.json.make_object().insert("$method", method);
    }
    if hook.route.is_conditional && is_filtered_out(runner, hook, &item).await {
        return Ok(EndpointResponse::Whole(with_route_headers(
            hook,
            not_started(&hook.route.data),
        )));
    }
    let request = RunRequest { request_id, ..RunRequest::from_call(hook, item) };
    let run = match delivery {
        Some(key) => runner.start_once(key, request, admission).await?,
        None => Some(runner.accept(request, admission)?),
    };
    let Some(run) = run else {
        let body = ResponseBody::Json(
            Object::from_iter([("message", "This delivery was already received")]).into(),
        );
        return Ok(EndpointResponse::Whole(with_route_headers(hook, body)));
    };
    wait_for_response(runner, hook, run).await
}

/// Whether the node wants no run for a call. A condition that fails is reported by the run.
async fn is_filtered_out(runner: &Arc<Runner>, hook: &TriggerEndpoint, item: &Item) -> bool {
    let outcome = runner
        .ask_trigger(&hook.workflow, &hook.node, Items::one(item.clone()), LONGEST_CONDITION_MS)
        .await;
    outcome.error.is_none() && outcome.last_items().is_none()
}

/// What callers of an address take while the run goes on.
pub(crate) fn reply_mode(hook: &TriggerEndpoint) -> ReplyMode {
    match hook.route.answer {
        ResponseMode::Streaming => ReplyMode::Streamed(hook.route.detail),
        ResponseMode::Received | ResponseMode::LastNode | ResponseMode::ResponseNode => {
            ReplyMode::Buffered
        }
    }
}
