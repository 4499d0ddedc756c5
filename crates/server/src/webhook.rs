//! Calls of the addresses that workflows listen at.

use crate::App;
use crate::access;
use crate::admission::endpoint_prefix;
use crate::body::{self, BodyOptions};
use crate::chat;
use crate::error::ApiError;
use crate::observe::RequestOrigin;
use crate::response::from_reply;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Code, Object, Str, Value};
use runtime::endpoint::EndpointRequest;
use runtime::{EndpointKind, RouteMatch, TriggerEndpoint, WaitingRun};
use std::borrow::Cow;
use std::sync::Arc;

/// `/webhook/PATH`: starts the workflow that listens there.
pub(crate) async fn live(
    State(app): State<App>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    let found = find(&app, &path, &request);
    dispatch(&app, found, request).await
}

/// The path behind `/webhook/`, if it is written as it is meant.
pub(crate) fn plain_path(request: &Request) -> Option<&str> {
    request
        .uri()
        .path()
        .strip_prefix("/webhook/")
        .filter(|path| !path.is_empty() && !path.contains('%'))
}

/// What listens at a path for the method of a request; else the answer that says so.
pub(crate) fn find(
    app: &App,
    path: &str,
    request: &Request,
) -> Result<(Arc<TriggerEndpoint>, Object), ApiError> {
    let asked = requested_method(request);
    match app.runtime.find(EndpointKind::Webhook, &asked, path) {
        RouteMatch::Hook(hook, params) => Ok((hook, params)),
        RouteMatch::OtherMethods(methods) => Err(not_registered(&asked, path, Some(&methods))),
        RouteMatch::Nothing => Err(not_registered(&asked, path, None)),
    }
}

pub(crate) async fn dispatch(
    app: &App,
    found: Result<(Arc<TriggerEndpoint>, Object), ApiError>,
    request: Request,
) -> Response {
    match found {
        Ok((hook, _)) if request.method() == Method::OPTIONS => {
            preflight(app, &hook, request.headers())
        }
        Ok((hook, params)) => respond(app, &hook, params, request).await,
        Err(error) => error.into_response(),
    }
}

/// `/webhook-test/PATH`: starts a workflow that listens for one test call.
pub(crate) async fn test(
    State(app): State<App>,
    Path(path): Path<String>,
    request: Request,
) -> Response {
    let asked = requested_method(&request);
    match app.runtime.find_test(EndpointKind::Webhook, &asked, &path) {
        RouteMatch::Hook(hook, _) if request.method() == Method::OPTIONS => {
            preflight(&app, &hook, request.headers())
        }
        RouteMatch::Hook(hook, params) => respond(&app, &hook, params, request).await,
        RouteMatch::OtherMethods(methods) => {
            not_registered(&asked, &path, Some(&methods)).into_response()
        }
        RouteMatch::Nothing => {
            let path: String = path.chars().take(200).collect();
            ApiError::new(
                Code::WEBHOOK_NOT_FOUND,
                format!("No test is listening for \"{asked} {path}\""),
            )
            .hint(
                "Click 'Listen for test event' in the editor, then call within two minutes. \
                     Each click allows one call.",
            )
            .into_response()
        }
    }
}

async fn respond(app: &App, hook: &TriggerEndpoint, params: Object, request: Request) -> Response {
    if let Some(chat) = hook.chat.as_ref().filter(|_| request.method() == Method::GET) {
        let (call, headers) = (call_without_body(&request), request.into_parts().0.headers);
        return chat::page(app, hook, chat, &headers, call).await;
    }
    let origin = request.headers().get(header::ORIGIN).cloned();
    let mut response = match call(app, hook, params, request).await {
        Ok(response) => response,
        Err(error) => error.into_response(),
    };
    allow_origin(app, hook, origin.as_ref(), response.headers_mut());
    response
}

/// `/webhook-waiting/TICKET`: wakes the run that waits there.
pub(crate) async fn waiting(
    State(app): State<App>,
    Path(ticket): Path<String>,
    request: Request,
) -> Response {
    resume(&app, &ticket, "", request).await
}

/// `/webhook-waiting/TICKET/SUFFIX`.
pub(crate) async fn waiting_at(
    State(app): State<App>,
    Path((ticket, suffix)): Path<(String, String)>,
    request: Request,
) -> Response {
    resume(&app, &ticket, &suffix, request).await
}

async fn resume(app: &App, ticket: &str, suffix: &str, request: Request) -> Response {
    let found = match app.runtime.waiting(ticket, suffix).await {
        Ok(found) => found,
        Err(error) => return ApiError::from(error).into_response(),
    };
    let takes = |waiting: &WaitingRun| {
        waiting.hook.form.is_none()
            && waiting.hook.route.methods.iter().any(|method| method == request.method().as_str())
    };
    let Some(waiting) = found.filter(takes) else {
        return not_registered(request.method().as_str(), "", None).into_response();
    };
    let door = endpoint_prefix(request.uri().path());
    let answered = async {
        let call = read_call(app, &waiting.hook, Object::new(), request).await?;
        Ok::<_, ApiError>(from_reply(app.runtime.wake_with(&waiting, call).await?, door))
    };
    answered.await.unwrap_or_else(IntoResponse::into_response)
}

/// A call as far as it is known before its body is read: enough to tell whose calls are taken.
pub(crate) fn call_without_body(request: &Request) -> EndpointRequest {
    EndpointRequest {
        method: request.method().as_str().into(),
        url: Str::new(),
        headers: headers(request.headers()),
        params: Object::new(),
        query: Object::new(),
        body: Value::Undefined,
        files: Vec::new(),
        remote: request.extensions().get::<RequestOrigin>().map(|origin| origin.client.address),
        user: None,
        request_id: Str::new(),
        is_test: false,
        length: 0,
    }
}

/// A browser asks with OPTIONS whether it may send the method it names.
fn requested_method(request: &Request) -> Cow<'_, str> {
    let wanted = request
        .headers()
        .get(header::ACCESS_CONTROL_REQUEST_METHOD)
        .and_then(|value| value.to_str().ok());
    match wanted {
        Some(method) if request.method() == Method::OPTIONS => method.to_uppercase().into(),
        _ => request.method().as_str().into(),
    }
}

async fn call(
    app: &App,
    hook: &TriggerEndpoint,
    params: Object,
    request: Request,
) -> Result<Response, ApiError> {
    let door = endpoint_prefix(request.uri().path());
    let call = read_call(app, hook, params, request).await?;
    if let Some(chat) = &hook.chat {
        chat::check_files(chat, &call)?;
    }
    // A call that is refused does not use the test up.
    let starts_none = runtime::chat::asks_for_previous(hook, &call);
    if hook.test_run.is_some()
        && !starts_none
        && app.runtime.refusal(hook, &call).is_none()
        && !app.runtime.take_test(hook)
    {
        return Err(ApiError::new(
            Code::WEBHOOK_NOT_FOUND,
            "The test has already received its call",
        ));
    }
    Ok(from_reply(app.runtime.answer(hook, call).await?, door))
}

async fn read_call(
    app: &App,
    hook: &TriggerEndpoint,
    params: Object,
    request: Request,
) -> Result<EndpointRequest, ApiError> {
    // The body of a call that is not taken is not read.
    let bare = hook.is_guarded().then(|| call_without_body(&request));
    let (parts, body) = request.into_parts();
    let user = chat::user(app, hook, &parts.headers).await;
    if let Some(bare) = bare {
        let bare = EndpointRequest { user: user.clone(), ..bare };
        if app.runtime.refusal(hook, &bare).is_some() {
            return Ok(bare);
        }
    }
    let origin = parts.extensions.get::<RequestOrigin>();
    let how = BodyOptions {
        limits: app.body_limits,
        xml: app.read_xml,
        body: hook.route.body,
        binary_field: hook.route.binary_field.clone(),
    };
    let read = body::read(body, &parts, &how).await?;
    Ok(EndpointRequest {
        method: parts.method.as_str().into(),
        url: format!("{}{}", app.webhook_base(), parts.uri.path()).into(),
        headers: headers(&parts.headers),
        params,
        query: parts
            .uri
            .query()
            .map(|query| body::nested_fields(query.as_bytes(), app.body_limits))
            .unwrap_or_default(),
        body: read.json,
        files: read.files,
        remote: origin.map(|origin| origin.client.address),
        user,
        request_id: origin
            .and_then(|origin| origin.request_id.to_str().ok())
            .unwrap_or_default()
            .into(),
        is_test: hook.test_run.is_some(),
        length: read.estimated_bytes,
    })
}

/// Headers by lower-case name; those that come several times joined as HTTP joins them. What a
/// browser sends along for a page of ours is nobody's but ours: a workflow that saw the session of
/// whoever followed a link could act for them.
fn headers(given: &HeaderMap) -> Object {
    let mut headers = Object::with_capacity(given.len());
    for (name, value) in given {
        if name == access::CSRF_HEADER || name == header::COOKIE {
            continue;
        }
        let value = String::from_utf8_lossy(value.as_bytes());
        match headers.get_mut(name.as_str()) {
            Some(Value::String(before)) => *before = format!("{before}, {value}").into(),
            _ => {
                headers.insert(name.as_str(), Value::from(value.as_ref()));
            }
        }
    }
    if let Some(cookies) = access::workflow_cookies(given) {
        headers.insert(header::COOKIE.as_str(), Value::from(cookies));
    }
    headers
}

fn preflight(app: &App, hook: &TriggerEndpoint, asked: &HeaderMap) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    allow_origin(app, hook, asked.get(header::ORIGIN), headers);
    let methods = hook.route.methods.iter().map(Str::as_str).collect::<Vec<_>>().join(", ");
    if let Ok(value) = HeaderValue::from_str(&format!("OPTIONS, {methods}")) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, value);
    }
    if let Some(wanted) = asked.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
    }
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("300"));
    response
}

/// Tells a browser whether the page it shows may read the answer.
fn allow_origin(
    app: &App,
    hook: &TriggerEndpoint,
    origin: Option<&HeaderValue>,
    headers: &mut HeaderMap,
) {
    let allowed = hook.route.allowed_origins.as_str();
    let Some(origin) = origin else { return };
    let is_any = allowed == "*" || allowed.is_empty() && app.hosts.allows_any_origin();
    let is_listed = allowed.split(',').any(|listed| listed.trim().as_bytes() == origin.as_bytes());
    if is_any || is_listed {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            if is_any { HeaderValue::from_static("*") } else { origin.clone() },
        );
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
}

fn not_registered(method: &str, path: &str, others: Option<&[Str]>) -> ApiError {
    let path: String = path.chars().take(200).collect();
    let error = ApiError::new(
        Code::WEBHOOK_NOT_FOUND,
        format!("The requested webhook \"{method} {path}\" is not registered."),
    );
    match others {
        Some(methods) => {
            error.hint(format!("This webhook accepts {} requests.", methods.join(", ")))
        }
        None => error.hint("The workflow must be active for a production URL to run successfully."),
    }
}
