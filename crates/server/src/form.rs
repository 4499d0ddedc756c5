//! The pages of forms: what a person sees, and what they sent.

mod markup;
mod page;
mod submission;

pub(crate) use page::page;
pub(crate) use submission::is_accepted;

use crate::App;
use crate::admission::endpoint_prefix;
use crate::body::{self, BodyOptions};
use crate::error::ApiError;
use crate::response::from_workflow;
use axum::extract::{Path, Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use model::{Code, Object, Str};
use node_api::trigger::{BodyMode, FormPage};
use runtime::{EndpointKind, RouteMatch, TriggerEndpoint, WaitingRun};

/// `/form/PATH`: shows the form of an active workflow, and takes it.
pub(crate) async fn live(
    State(app): State<App>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    match app.runtime.find(EndpointKind::Form, request.method().as_str(), &path) {
        RouteMatch::Hook(hook, _) if hook.form.is_some() => {
            respond(&app, &hook, None, request).await
        }
        _ => form_not_found().into_response(),
    }
}

/// `/form-test/PATH`: the form of a workflow that listens for a test; the first that is sent is
/// taken.
pub(crate) async fn test(
    State(app): State<App>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    match app.runtime.find_test(EndpointKind::Form, request.method().as_str(), &path) {
        RouteMatch::Hook(hook, _) if hook.form.is_some() => {
            respond(&app, &hook, None, request).await
        }
        _ => {
            let hint = "Click 'Test this trigger' in the editor first; it listens for two minutes.";
            ApiError::new(Code::WEBHOOK_NOT_FOUND, "No form is being tested at this address")
                .hint(hint)
                .into_response()
        }
    }
}

/// `/form-waiting/TICKET`: a further page of a run that waits for it.
pub(crate) async fn waiting(
    State(app): State<App>,
    Path(ticket): Path<String>,
    request: Request,
) -> Response {
    match app.runtime.waiting(&ticket, "").await {
        Ok(Some(waiting)) if waiting.hook.form.is_some() => {
            respond(&app, &waiting.hook, Some(&waiting), request).await
        }
        Ok(_) => form_not_found().into_response(),
        Err(error) => ApiError::from(error).into_response(),
    }
}

async fn respond(
    app: &App,
    hook: &TriggerEndpoint,
    waiting: Option<&WaitingRun>,
    request: Request,
) -> Response {
    let form = hook.form.clone().unwrap_or_default();
    if let Some(refusal) = app.runtime.refusal(hook, &crate::webhook::call_without_body(&request)) {
        return from_workflow(refusal, endpoint_prefix(request.uri().path()));
    }
    match *request.method() {
        Method::GET | Method::HEAD => {
            let given = request
                .uri()
                .query()
                .map(|query| body::flat_fields(query.as_bytes(), app.body_limits))
                .unwrap_or_default();
            page::form(&form, &given, &[])
        }
        Method::POST => match submit(app, hook, &form, waiting, request).await {
            Ok(response) => response,
            Err(error) => error.into_response(),
        },
        _ => form_not_found().into_response(),
    }
}

async fn submit(
    app: &App,
    hook: &TriggerEndpoint,
    form: &FormPage,
    waiting: Option<&WaitingRun>,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, content) = request.into_parts();
    let door = endpoint_prefix(parts.uri.path());
    let how = BodyOptions {
        limits: app.body_limits,
        xml: app.read_xml,
        body: BodyMode::Parsed,
        binary_field: Str::new(),
    };
    let read = body::read(content, &parts, &how).await?;
    drop(parts);
    let fields = read.json.as_object().cloned().unwrap_or_default();
    match submission::check(form, &fields, read.files, read.estimated_bytes) {
        Ok(_) if hook.test_run.is_some() && waiting.is_none() && !app.runtime.take_test(hook) => {
            Err(form_not_found())
        }
        Ok(sent) => Ok(from_workflow(app.runtime.submit(hook, waiting, sent).await?, door)),
        Err(problems) => Ok(page::form(form, &fields, &problems)),
    }
}

/// What is wrong with the fields of a form, a sentence for each.
pub(crate) fn problems(form: &FormPage, fields: &Object, length: usize) -> Vec<String> {
    match submission::check(form, fields, Vec::new(), length) {
        Ok(_) => Vec::new(),
        Err(problems) => problems
            .into_iter()
            .map(|problem| format!("'{}': {}", problem.field, problem.message))
            .collect(),
    }
}

fn form_not_found() -> ApiError {
    ApiError::new(Code::WEBHOOK_NOT_FOUND, "There is no form at this address")
        .hint("The form's workflow must be active.")
}
