//! `POST /api/v1/workflows/fetch`: reads a workflow from an address, through the same policy as the
//! requests of nodes.

use crate::App;
use crate::api::{ApiOperation, RequestJson, invalid};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use model::{Value, keep_credentials};
use node_api::http::HttpRequest;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[ApiOperation::new(
    "POST",
    "/workflows/fetch",
    "workflow:create",
    "fetchWorkflow",
    "Fetch a workflow from a URL",
    || post(fetch),
)
.request_body::<wire::FetchInput>()
.response::<wire::FetchedWorkflow>(200)];

/// The largest answer that is read.
const MAX_BYTES: usize = 5 << 20;
/// How long it may take to be connected, and to be answered.
const CONNECT_MS: u64 = 5_000;
const ANSWER_MS: u64 = 20_000;
const MAX_REDIRECTS: usize = 5;
/// Libraries of templates wrap workflows in objects like these.
const WRAPPERS: [&str; 2] = ["workflow", "data"];
const MAX_WRAPPERS: usize = 3;

async fn fetch(
    State(app): State<App>,
    RequestJson(body): RequestJson,
) -> Result<Response, ApiError> {
    let wire::FetchInput { url } = body.read()?;
    let text = text(&app, &url, "application/json", MAX_BYTES).await?;
    let value = model::json::parse(&text)
        .map_err(|error| unreadable(&format!("it is not JSON: {error}")))?;
    let workflow = unwrap_workflow(&value).ok_or_else(|| {
        invalid("url", "returns JSON that is not a workflow: it has no nodes and connections")
    })?;
    let workflow = wire::JsonObject(without_credential_ids(workflow));
    Ok(typed(StatusCode::OK, &wire::FetchedWorkflow { workflow }))
}

/// The text at an address that a user has given, of at most so many bytes.
pub(super) async fn text(
    app: &App,
    url: &str,
    accept: &str,
    max_bytes: usize,
) -> Result<String, ApiError> {
    if !url.starts_with("http://") && !url.starts_with("https://") {
        return Err(invalid("url", "must start with http:// or https://"));
    }
    let mut request = HttpRequest {
        timeout_ms: ANSWER_MS,
        connect_timeout_ms: CONNECT_MS,
        max_redirects: MAX_REDIRECTS,
        max_response_bytes: max_bytes,
        ..HttpRequest::new("GET", url)
    };
    request.set_header("accept", accept);
    let answer =
        app.runtime.engine.ports.http.send(request).await.map_err(|error| unreadable(&error))?;
    if !(200..300).contains(&answer.status) {
        return Err(unreadable(
            &format!("the server responded with {} {}", answer.status, answer.status_text).trim(),
        ));
    }
    String::from_utf8(answer.body.into()).map_err(|_| unreadable(&"it is not text"))
}

fn unreadable(problem: &dyn std::fmt::Display) -> ApiError {
    invalid("url", &format!("cannot be read: {problem}"))
}

/// A workflow from elsewhere knows no credential of this instance; an id that fits all the same was
/// guessed. Their names stay, for whoever chooses.
fn without_credential_ids(mut workflow: Value) -> Value {
    keep_credentials(workflow.make_object(), |_, _, _| false);
    workflow
}

fn unwrap_workflow(value: &Value) -> Option<Value> {
    let mut found = value;
    for _ in 0..=MAX_WRAPPERS {
        let has = |key: &str, fits: fn(&Value) -> bool| found.get(key).is_some_and(fits);
        if has("nodes", Value::is_array) && has("connections", Value::is_object) {
            return Some(found.clone());
        }
        found = WRAPPERS
            .iter()
            .find_map(|wrapper| found.get(wrapper).filter(|inside| inside.is_object()))?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn issue_14_07_a_workflow_from_elsewhere_brings_no_ids_of_credentials() {
        let credentials = json!({ "smtp": { "id": "1", "name": "Mail" }, "imap": "Old" });
        let read = without_credential_ids(
            json!({ "nodes": [{ "credentials": (credentials) }, { "name": "B" }, 7] }),
        );
        let expected = json!({ "smtp": { "id": null, "name": "Mail" }, "imap": { "id": null, "name": "Old" } });
        assert_eq!(read.get_path("nodes.0.credentials"), Some(&expected));
        assert_eq!(read.get_path("nodes.1"), Some(&json!({ "name": "B" })));
        assert_eq!(read.get_path("nodes.2"), Some(&json!(7)));
    }

    #[test]
    fn workflows_are_found_within_what_libraries_wrap_them_in() {
        let workflow = json!({ "nodes": [], "connections": {} });
        let wrapped = json!({ "workflow": { "id": 7, "workflow": (workflow.clone()) } });
        assert_eq!(
            (unwrap_workflow(&workflow), unwrap_workflow(&wrapped)),
            (Some(workflow.clone()), Some(workflow))
        );
        assert_eq!(unwrap_workflow(&json!({ "nodes": [] })), None);
        assert_eq!(unwrap_workflow(&json!([])), None);
    }
}
