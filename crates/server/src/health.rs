//! Whether this instance is alive and ready.

use crate::App;
use crate::access;
use crate::response::json;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use model::{Object, Value};

pub(crate) async fn live() -> Response {
    json(StatusCode::OK, &Object::from_iter([("status", "ok")]).into())
}

/// Ready to take work: the store can be read and written, and we are not about to stop. Why it is
/// not is for those who show a key or a session, and for the log.
pub(crate) async fn ready(State(app): State<App>, headers: HeaderMap) -> Response {
    let Some(reason) = trouble(&app).await else { return live().await };
    tracing::debug!(%reason, "Not ready.");
    let mut told = Object::from_iter([("status", "error")]);
    if access::authenticate(&app, &Method::GET, &headers).await.is_ok() {
        told.insert("reason", Value::from(reason));
    }
    json(StatusCode::SERVICE_UNAVAILABLE, &told.into())
}

async fn trouble(app: &App) -> Option<String> {
    if app.runtime.is_stopping() {
        return Some("stopping".to_owned());
    }
    let readable = app.runtime.store.workflows_changed().await;
    let usable =
        if readable.is_ok() { app.store.is_writable().await } else { readable.map(|_| ()) };
    usable.err().map(|error| error.to_string())
}
