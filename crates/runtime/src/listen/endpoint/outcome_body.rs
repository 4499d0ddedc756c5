//! What a caller is sent for the outcome of a run.

use crate::listen::response_stream::approval_notice;
use crate::listen::routes::TriggerEndpoint;
use bytes::Bytes;
use engine::RunOutcome;
use model::{Item, Items, Object, RunStatus, Value};
use node_api::trigger::{ChunkKind, ResponseBody, ResponseData, StreamChunk, WebhookResponse};

/// A chunk as it is sent.
pub fn encode_chunk(chunk: &StreamChunk) -> String {
    let mut line = model::json::to_string(&chunk.to_value());
    line.push('\n');
    line
}

/// What whoever waits for an answer hears of a run that asks a person first. What it asks is for
/// those who may see the execution.
pub(super) fn approval_pending(hook: &TriggerEndpoint, outcome: &RunOutcome) -> WebhookResponse {
    let mut body = Object::from_iter([
        ("message", "Waiting for approval"),
        ("executionId", outcome.run_id.as_str()),
    ]);
    if hook.chat.is_some() {
        body.insert("output", approval_notice(&outcome.run_id));
    }
    WebhookResponse {
        status: 202,
        headers: hook.route.headers.clone(),
        body: ResponseBody::Json(body.into()),
    }
}

/// The output of the last node, as the chunks it could have sent.
pub(super) fn chunks_of(hook: &TriggerEndpoint, outcome: &RunOutcome) -> Vec<StreamChunk> {
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

pub(super) fn received(data: &ResponseData) -> ResponseBody {
    message_body(data, "Workflow was started")
}

/// A caller that was promised an answer of the author's words gets it whether or not a run begins.
pub(super) fn not_started(data: &ResponseData) -> ResponseBody {
    message_body(data, "Workflow was not started: the call does not meet its condition")
}

fn message_body(data: &ResponseData, message: &str) -> ResponseBody {
    match data {
        ResponseData::Nothing => ResponseBody::Empty,
        ResponseData::Text(text) => ResponseBody::Bytes(Bytes::copy_from_slice(text.as_bytes())),
        _ => ResponseBody::Json(Object::from_iter([("message", message)]).into()),
    }
}

/// The output of the last node, in the form that the route asks for.
pub(super) fn outcome_response(hook: &TriggerEndpoint, outcome: &RunOutcome) -> WebhookResponse {
    if outcome.asks {
        return approval_pending(hook, outcome);
    }
    if outcome.status == RunStatus::Waiting {
        return with_route_headers(hook, received(&ResponseData::Started));
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
            with_route_headers(hook, ResponseBody::Json(Value::array(all)))
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
                        with_content_type(
                            with_route_headers(hook, ResponseBody::Bytes(text.into())),
                            kind,
                        )
                    }
                    None => with_route_headers(hook, ResponseBody::Json(value)),
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
                Some((_, file)) => with_content_type(
                    with_route_headers(hook, ResponseBody::Bytes(file.data.clone())),
                    &file.mime_type,
                ),
                None => WebhookResponse {
                    status: 404,
                    headers: Vec::new(),
                    body: ResponseBody::Json(no_item().into()),
                },
            }
        }
        ResponseData::Started => with_route_headers(hook, received(&ResponseData::Started)),
        other => with_route_headers(hook, received(other)),
    }
}

pub(super) fn with_route_headers(hook: &TriggerEndpoint, body: ResponseBody) -> WebhookResponse {
    let mut answer =
        WebhookResponse { status: hook.route.status, headers: hook.route.headers.clone(), body };
    if matches!(answer.body, ResponseBody::Bytes(_))
        && !answer.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type"))
    {
        answer.headers.push(("content-type".into(), "text/html; charset=utf-8".into()));
    }
    answer
}

pub(super) fn with_content_type(
    mut answer: WebhookResponse,
    content_type: &str,
) -> WebhookResponse {
    answer.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
    answer.headers.push(("content-type".into(), content_type.into()));
    answer
}

/// The caller learns that it went wrong; what exactly is for those who may see the execution.
pub(super) fn internal_error() -> WebhookResponse {
    let body =
        Object::from_iter([("code", Value::from(0)), ("message", "Error in workflow".into())]);
    WebhookResponse { status: 500, headers: Vec::new(), body: ResponseBody::Json(body.into()) }
}
