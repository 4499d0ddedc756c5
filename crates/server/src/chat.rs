//! Chats: the page that is shown at the address of one, and what is taken with a message.

mod page;

use crate::App;
use crate::access;
use crate::error::ApiError;
use crate::form::is_accepted;
use crate::response::from_workflow;
use axum::http::HeaderMap;
use axum::response::Response;
use model::{Code, Str};
use node_api::trigger::{ChatRoute, WebhookAuth};
use runtime::TriggerEndpoint;
use runtime::endpoint::EndpointRequest;

/// The page of a hosted chat, for whoever may use it.
pub(crate) async fn page(
    app: &App,
    hook: &TriggerEndpoint,
    chat: &ChatRoute,
    headers: &HeaderMap,
    call: EndpointRequest,
) -> Response {
    let call = EndpointRequest { user: user(app, hook, headers).await, ..call };
    match app.runtime.refusal(hook, &call) {
        Some(_) if hook.route.auth == WebhookAuth::User => page::sign_in_first(),
        Some(refusal) => from_workflow(refusal, "/webhook"),
        None => page::chat(chat),
    }
}

/// Who is signed in, for addresses that want to know. A page of another site cannot speak for them.
pub(crate) async fn user(app: &App, hook: &TriggerEndpoint, headers: &HeaderMap) -> Option<Str> {
    if hook.route.auth != WebhookAuth::User || access::check_origin(headers).is_err() {
        return None;
    }
    access::session_user_id(app, headers).await
}

/// Refuses files that the author of a chat does not want.
pub(crate) fn check_files(chat: &ChatRoute, call: &EndpointRequest) -> Result<(), ApiError> {
    if call.files.is_empty() {
        return Ok(());
    }
    let refused = |message: String| Err(ApiError::new(Code::REQUEST_INVALID, message));
    let Some(accepts) = &chat.accepts else {
        return refused("This chat does not accept files".to_owned());
    };
    let takes_all = accepts.split(',').any(|kind| matches!(kind.trim(), "*" | "*/*" | ""));
    match call.files.iter().all(|(_, file)| takes_all || is_accepted(accepts, file)) {
        true => Ok(()),
        false => refused(format!("This chat accepts only these files: {accepts}")),
    }
}
