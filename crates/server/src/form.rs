//! The pages of forms: what a person sees, and what they sent.

mod markup;
mod page;
mod sent;

pub(crate) use page::page;
pub(crate) use sent::is_accepted;

use crate::App;
use crate::answer::of_workflow;
use crate::body::{self, Reading};
use crate::error::ApiError;
use crate::gate::door_of;
use axum::extract::{Path, Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use model::{Code, Str};
use node_api::trigger::{BodyAs, FormPage};
use runtime::{Door, Found, Hook, Waiting};

/// `/form/PATH`: shows the form of an active workflow, and takes it.
pub(crate) async fn production(
    State(app): State<App>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    match app.runtime.find(Door::Form, request.method().as_str(), &path) {
        Found::Hook(hook, _) if hook.form.is_some() => answer(&app, &hook, None, request).await,
        _ => missing().into_response(),
    }
}

/// `/form-test/PATH`: the form of a workflow that listens for a test; the first that is sent is
/// taken.
pub(crate) async fn test(
    State(app): State<App>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    match app.runtime.find_test(Door::Form, request.method().as_str(), &path) {
        Found::Hook(hook, _) if hook.form.is_some() => answer(&app, &hook, None, request).await,
        _ => {
            let hint = "Press 'Test this trigger' in the editor first; it listens for two minutes.";
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
            answer(&app, &waiting.hook, Some(&waiting), request).await
        }
        Ok(_) => missing().into_response(),
        Err(error) => ApiError::from(error).into_response(),
    }
}

async fn answer(app: &App, hook: &Hook, waiting: Option<&Waiting>, request: Request) -> Response {
    let form = hook.form.clone().unwrap_or_default();
    if let Some(refusal) = app.runtime.refusal(hook, &crate::webhook::bare_call(&request)) {
        return of_workflow(refusal, door_of(request.uri().path()));
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
        Method::POST => match take(app, hook, &form, waiting, request).await {
            Ok(response) => response,
            Err(error) => error.into_response(),
        },
        _ => missing().into_response(),
    }
}

async fn take(
    app: &App,
    hook: &Hook,
    form: &FormPage,
    waiting: Option<&Waiting>,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, content) = request.into_parts();
    let door = door_of(parts.uri.path());
    let how = Reading {
        limits: app.body_limits,
        xml: app.read_xml,
        body: BodyAs::Read,
        binary_field: Str::new(),
    };
    let read = body::read(content, &parts, &how).await?;
    drop(parts);
    let fields = read.json.as_object().cloned().unwrap_or_default();
    match sent::check(form, &fields, read.files, read.length) {
        Ok(_) if hook.trial.is_some() && waiting.is_none() && !app.runtime.take_test(hook) => {
            Err(missing())
        }
        Ok(sent) => Ok(of_workflow(app.runtime.submit(hook, waiting, sent).await?, door)),
        Err(problems) => Ok(page::form(form, &fields, &problems)),
    }
}

fn missing() -> ApiError {
    ApiError::new(Code::WEBHOOK_NOT_FOUND, "There is no form at this address")
        .hint("The workflow of a form must be active.")
}
