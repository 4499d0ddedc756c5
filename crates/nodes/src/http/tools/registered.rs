//! Requests that a tool manifest declares.

use super::super::auth::{AuthSession, HttpCredentials};
use super::super::draft::{DraftBody, RequestDraft, text_of};
use super::super::failure::RequestFailure;
use super::super::request::response::body_text;
use crate::ai::tools::fn_tool::{ToolInvocation, supply_tool};
use node_api::SupplyCtx;
use node_api::ai::{DataFlow, EgressTarget, Supply, ToolDefinition, ToolEffect};
use node_api::hosts::HostAllowlist;
use node_api::prelude::*;
use node_api::tools::{HttpTool, HttpToolBody, RegisteredTool, RequestPiece};
use std::sync::Arc;

/// How long a request may take, if the manifest does not say.
const TIMEOUT_MS: u64 = 60_000;
/// The largest answer, if the manifest does not say.
const MAX_RESPONSE_BYTES: usize = 1_000_000;

/// The tool that sends a declared request. Without a declared effect, every method but the reading
/// ones may change something.
pub(crate) fn supply(ctx: SupplyCtx, tool: &Arc<RegisteredTool>, http: &HttpTool) -> Supply {
    let reads = matches!(http.method.as_str(), "GET" | "HEAD" | "OPTIONS");
    let definition = ToolDefinition {
        name: node_api::tool_name(&tool.name),
        description: tool.description.clone(),
        parameters: tool.input.clone().unwrap_or_else(|| json!({ "type": "object" })),
        effect: if reads { ToolEffect::None } else { ToolEffect::Changes },
        flow: DataFlow {
            untrusted: true,
            private: http.credential.is_some(),
            sends: EgressTarget::Declared,
        },
    };
    let (tool, http) = (tool.clone(), Arc::new(http.clone()));
    supply_tool(ctx, definition, move |call| request(call, tool.clone(), http.clone()))
}

async fn request(
    call: ToolInvocation,
    tool: Arc<RegisteredTool>,
    http: Arc<HttpTool>,
) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let mut draft = draft(&http, &call.arguments)?;
    draft.timeout_ms = tool.timeout_ms.unwrap_or(TIMEOUT_MS);
    draft.key = ctx.host().request_key(item);
    let credentials = match &http.credential {
        Some(chosen) => HttpCredentials::predefined(&ctx, &chosen.kind, item)?,
        None => HttpCredentials::default(),
    };
    let session = AuthSession::default();
    let attempts = tool.retry.map_or(1, |retry| retry.attempts.max(1));
    let mut attempt = 1;
    let (response, secrets) = loop {
        let sent = credentials.send(&ctx, &session, draft.clone()).await;
        let secrets = credentials.secrets(&session).await;
        let failure = match sent {
            Ok(response) if response.is_success() => break (response, secrets),
            Ok(response) => RequestFailure::Status(response),
            Err(failure) => failure,
        };
        if attempt >= attempts || !may_pass(&failure) || ctx.host().is_cancelled() {
            return Err(failure.into_error(&secrets));
        }
        attempt += 1;
        ctx.host().sleep(tool.retry.map_or(0, |retry| retry.wait_ms)).await?;
    };
    let body = secrets.hide(&body_text(&response)?);
    let is_json = response.header("content-type").is_some_and(|kind| kind.contains("json"));
    let parsed = compute::for_size(body.len(), || model::json::parse(&body).ok())
        .map_err(|busy| NodeError::new(Code::OVERLOAD, busy.to_string()))?;
    let answer = match parsed {
        Some(parsed) if is_json || http.response.select.is_some() => parsed,
        _ => body.into(),
    };
    match &http.response.select {
        None => Ok(answer),
        Some(path) => answer.get_path(path).cloned().ok_or_else(|| {
            NodeError::new(Code::TOOL_OUTPUT, format!("The answer of the service has no '{path}'"))
                .hint("Correct 'response.select' in the tool manifest.")
        }),
    }
}

/// The request with the arguments in their places.
fn draft(http: &HttpTool, arguments: &Object) -> Result<RequestDraft, NodeError> {
    let url = http.url(arguments)?;
    let mut draft = RequestDraft::new(&http.method, &url);
    // It goes to the declared host, whatever a redirect says.
    draft.hosts = HostAllowlist::of_request(&url, None).unwrap_or(HostAllowlist::Only(Vec::new()));
    draft.max_response_bytes = Some(http.response.max_bytes.unwrap_or(MAX_RESPONSE_BYTES));
    if http.repeats_names {
        draft.arrays = super::super::query::ArrayFormat::from_name("repeat");
    }
    for (name, piece) in &http.query {
        if let Some(value) = given(piece, arguments) {
            draft.query.insert(name.clone(), value);
        }
    }
    for (name, piece) in &http.headers {
        let Some(value) = given(piece, arguments) else { continue };
        let text = text_of(&value);
        if text.chars().any(|letter| letter.is_control() && letter != '\t') {
            let message = format!("The value of the header '{name}' has control characters");
            return Err(NodeError::new(Code::TOOL_ARGUMENT, message));
        }
        draft.set_header(name, text);
    }
    draft.body = match &http.body {
        None => DraftBody::None,
        Some(HttpToolBody::Json(piece)) => piece.fill(arguments).map_or(DraftBody::None, json_body),
        Some(HttpToolBody::Form(piece)) => match given(piece, arguments) {
            None => DraftBody::None,
            Some(Value::Object(fields)) => DraftBody::Form(Object::clone(&fields)),
            Some(_) => {
                let message = "The body of the request must be an object";
                return Err(NodeError::new(Code::TOOL_ARGUMENT, message));
            }
        },
        Some(HttpToolBody::Text { content_type, text }) => {
            given(text, arguments).map_or(DraftBody::None, |text| DraftBody::Raw {
                data: text_of(&text).into(),
                content_type: Some(content_type.to_string()),
            })
        }
    };
    Ok(draft)
}

/// JSON that is no object is text for whoever puts the request together.
fn json_body(value: Value) -> DraftBody {
    match value {
        Value::Object(_) | Value::Array(_) => DraftBody::Json(value),
        other => DraftBody::Raw {
            data: model::json::to_string(&other).into(),
            content_type: Some("application/json".to_owned()),
        },
    }
}

/// What goes into a query, a header or a form; nothing for an argument that is not given.
fn given(piece: &RequestPiece, arguments: &Object) -> Option<Value> {
    piece.fill(arguments).filter(|value| !value.is_nullish())
}

/// Whether the same request may succeed later.
fn may_pass(failure: &RequestFailure) -> bool {
    match failure {
        RequestFailure::Status(response) => {
            matches!(response.status, 408 | 425 | 429) || response.status >= 500
        }
        RequestFailure::Network(error) => matches!(
            error.code(),
            Code::UPSTREAM_UNREACHABLE | Code::UPSTREAM_TIMEOUT | Code::OVERLOAD
        ),
        RequestFailure::Node(_) => false,
    }
}
