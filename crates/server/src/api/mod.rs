//! The API in the shape of n8n's public API, version 1.

mod executions;
mod workflows;

use crate::error::ApiError;
use crate::{App, events};
use axum::Router;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use model::{Code, Object, Str, Value};
use std::collections::HashMap;

/// Rows on a page when nothing is said, and at most.
const PAGE: usize = 100;
const MAX_PAGE: usize = 250;

pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/workflows", get(workflows::list).post(workflows::create))
        .route("/workflows/{id}", get(workflows::get).put(workflows::update).delete(workflows::delete))
        .route("/workflows/{id}/activate", post(workflows::activate))
        .route("/workflows/{id}/deactivate", post(workflows::deactivate))
        .route("/executions", get(executions::list))
        .route("/executions/{id}", get(executions::get).delete(executions::delete))
        .route("/executions/{id}/events", get(events::of_execution))
        .route("/events", get(events::all))
        .route("/executions/{id}/retry", post(executions::retry))
        .route("/executions/{id}/stop", post(executions::stop))
        .fallback(not_found)
}

pub(crate) async fn not_found() -> Response {
    ApiError::new(Code::NOT_FOUND, "There is nothing at this address").into_response()
}

/// The parameters behind `?`.
type Query = axum::extract::Query<HashMap<String, String>>;

fn limit(query: &HashMap<String, String>) -> Result<usize, ApiError> {
    match query.get("limit") {
        None => Ok(PAGE),
        Some(text) => match text.parse::<usize>() {
            Ok(limit @ 1..=MAX_PAGE) => Ok(limit),
            _ => Err(invalid("limit", &format!("must be a number from 1 to {MAX_PAGE}"))),
        },
    }
}

fn flag(query: &HashMap<String, String>, name: &str) -> Result<Option<bool>, ApiError> {
    match query.get(name).map(String::as_str) {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(_) => Err(invalid(name, "must be true or false")),
    }
}

fn invalid(field: &str, problem: &str) -> ApiError {
    ApiError::new(Code::REQUEST_INVALID, format!("'{field}' {problem}"))
}

/// A page of a list, and where the next one begins.
fn page(rows: Vec<Value>, next: Option<String>) -> Value {
    Object::from_iter([("data", Value::array(rows)), ("nextCursor", next.map(Str::from).into())]).into()
}

fn iso(milliseconds: i64) -> Value {
    jiff::Timestamp::from_millisecond(milliseconds).map_or(Value::Null, |time| format!("{time:.3}").into())
}

/// A cursor is opaque to callers; inside it is text.
fn to_cursor(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text)
}

fn from_cursor(query: &HashMap<String, String>) -> Result<Option<String>, ApiError> {
    use base64::Engine as _;
    let Some(cursor) = query.get("cursor") else { return Ok(None) };
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(cursor).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Some).ok_or_else(|| invalid("cursor", "is none that a list gave out"))
}
