//! Whether this instance is alive and ready.

use crate::App;
use crate::answer::json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Object, Value};

pub(crate) async fn live() -> Response {
    json(StatusCode::OK, &Object::from_iter([("status", "ok")]).into())
}

/// Ready to take work: the store answers, and we are not about to stop.
pub(crate) async fn ready(State(app): State<App>) -> Response {
    let reason = if app.runtime.is_stopping() {
        Some("stopping".to_owned())
    } else {
        app.runtime.store.workflows_changed().await.err().map(|error| error.to_string())
    };
    match reason {
        None => json(StatusCode::OK, &Object::from_iter([("status", "ok")]).into()),
        Some(reason) => {
            json(StatusCode::SERVICE_UNAVAILABLE, &Object::from_iter([("status", Value::from("error")), ("reason", reason.into())]).into())
        }
    }
}

/// The page at the address that is printed at the start.
pub(crate) async fn welcome(State(app): State<App>) -> Response {
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>Heddle</title>\
         <style>body{{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem;color:#1d2430;background:#fbfbfa}}\
         code{{background:#eceae6;padding:.1em .3em;border-radius:4px}}@media(prefers-color-scheme:dark){{body{{color:#e8e6e3;background:#16181d}}code{{background:#272a31}}}}</style>\
         <h1>Heddle is running</h1><p>Active workflows: {}.</p>\
         <p>The API is at <code>/api/v1</code>; make a key with <code>heddle api-keys create</code>.</p></html>",
        app.runtime.n_active()
    );
    let mut response = page.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
