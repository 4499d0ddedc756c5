//! Whether this instance is alive and ready.

use crate::App;
use crate::answer::json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use model::{Object, Value};

pub(crate) async fn live() -> Response {
    json(StatusCode::OK, &Object::from_iter([("status", "ok")]).into())
}

/// Ready to take work: the store can be read and written, and we are not about to stop.
pub(crate) async fn ready(State(app): State<App>) -> Response {
    let reason = if app.runtime.is_stopping() {
        Some("stopping".to_owned())
    } else {
        let readable = app.runtime.store.workflows_changed().await;
        let usable = if readable.is_ok() { app.store.is_writable().await } else { readable.map(|_| ()) };
        usable.err().map(|error| error.to_string())
    };
    match reason {
        None => json(StatusCode::OK, &Object::from_iter([("status", "ok")]).into()),
        Some(reason) => {
            json(StatusCode::SERVICE_UNAVAILABLE, &Object::from_iter([("status", Value::from("error")), ("reason", reason.into())]).into())
        }
    }
}
