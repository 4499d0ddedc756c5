//! What requests of the API bring along: pages, flags, cursors and bodies.

use crate::App;
use crate::admission::BodyReservation;
use crate::body;
use crate::error::ApiError;
use axum::body::Body as RawBody;
use axum::extract::{FromRequest, Request};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use model::{Code, Object, Value};
use std::collections::HashMap;
use std::str::FromStr;

/// Rows on a page when nothing is said, and at most.
const PAGE: usize = 100;
const MAX_PAGE: usize = 250;

/// The parameters behind `?`.
pub(super) type QueryParams = axum::extract::Query<HashMap<String, String>>;

pub(super) fn limit(query: &HashMap<String, String>) -> Result<usize, ApiError> {
    match query.get("limit") {
        None => Ok(PAGE),
        Some(text) => match text.parse::<usize>() {
            Ok(limit @ 1..=MAX_PAGE) => Ok(limit),
            _ => Err(invalid("limit", &format!("must be a number from 1 to {MAX_PAGE}"))),
        },
    }
}

/// A whole number between bounds.
pub(super) fn number(
    query: &HashMap<String, String>,
    name: &str,
    least: usize,
    most: usize,
) -> Result<Option<usize>, ApiError> {
    let Some(text) = query.get(name) else { return Ok(None) };
    let bounds = if most == usize::MAX {
        format!("from {least}")
    } else {
        format!("from {least} to {most}")
    };
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.map(Some).ok_or_else(|| invalid(name, &format!("must be a whole number {bounds}")))
}

pub(super) fn flag(query: &HashMap<String, String>, name: &str) -> Result<Option<bool>, ApiError> {
    match query.get(name).map(String::as_str) {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(_) => Err(invalid(name, "must be true or false")),
    }
}

pub(crate) fn invalid(field: &str, problem: &str) -> ApiError {
    let field: String = field.chars().take(100).collect();
    ApiError::new(Code::REQUEST_INVALID, format!("'{field}' {problem}"))
}

/// A cursor is opaque to callers; inside it is text.
pub(super) fn to_cursor(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

pub(super) fn from_cursor(query: &HashMap<String, String>) -> Result<Option<String>, ApiError> {
    let Some(cursor) = query.get("cursor").filter(|cursor| !cursor.is_empty()) else {
        return Ok(None);
    };
    let text = URL_SAFE_NO_PAD.decode(cursor).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    text.map(Some).ok_or_else(|| invalid("cursor", "is not a cursor returned by a list"))
}

/// Where a page begins in a list that is in the order of its numbers.
pub(super) fn number_from_cursor<T: FromStr>(
    query: &HashMap<String, String>,
) -> Result<Option<T>, ApiError> {
    let number = |text: String| {
        text.parse().map_err(|_| invalid("cursor", "is not a cursor returned by this list"))
    };
    from_cursor(query)?.map(number).transpose()
}

/// The body of a request, which is JSON.
pub(crate) struct RequestJson(pub(crate) JsonBody);

/// What was in a body. All bodies of the API are read here, so that none takes too much memory or
/// holds up a thread that serves others.
pub(crate) struct JsonBody {
    parsed: Result<Value, ApiError>,
    /// In bytes.
    pub(crate) length: usize,
    /// There was nothing in it.
    pub(crate) is_blank: bool,
}

impl FromRequest<App> for RequestJson {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<Self, ApiError> {
        Self::with_limit(request, app.body_limits.bytes).await
    }
}

impl RequestJson {
    /// A body of at most this many bytes.
    pub(crate) async fn with_limit(request: Request, limit: usize) -> Result<Self, ApiError> {
        // It counts as long as it is being read.
        let _received = request.extensions().get::<BodyReservation>().cloned();
        let bytes = read_bytes(request, limit).await?;
        let text = String::from_utf8(bytes.into())
            .map_err(|_| ApiError::new(Code::REQUEST_BODY, "The body is not UTF-8"))?;
        let _room = body::reserve_memory(&text, body::BodyFormat::Json, limit).await?;
        let parsed = compute::for_size(text.len(), || body::json(&text, limit))?;
        Ok(Self(JsonBody { parsed, length: text.len(), is_blank: text.trim().is_empty() }))
    }
}

impl JsonBody {
    pub(crate) fn json(&self) -> Result<&Value, ApiError> {
        self.parsed.as_ref().map_err(Clone::clone)
    }

    pub(crate) fn into_json(self) -> Result<Value, ApiError> {
        self.parsed
    }
}

/// The bytes of a body, at most this many.
pub(super) async fn read_bytes(request: Request, limit: usize) -> Result<Bytes, ApiError> {
    let too_large =
        || ApiError::new(Code::REQUEST_TOO_LARGE, format!("The body is larger than {limit} bytes"));
    let read = axum::body::to_bytes(request.into_body(), limit).await;
    read.map_err(|error| body::body_error(&error).unwrap_or_else(too_large))
}

/// The fields of a body. Those that nobody knows are refused.
pub(crate) struct BodyFields(Object);

impl BodyFields {
    pub(crate) fn read(body: &JsonBody, known: &[&str]) -> Result<Self, ApiError> {
        Self::of(body.json()?, known)
    }

    /// The same for a body that may be left out.
    pub(crate) fn read_or_empty(body: &JsonBody, known: &[&str]) -> Result<Self, ApiError> {
        if body.is_blank { Ok(Self(Object::new())) } else { Self::read(body, known) }
    }

    pub(crate) fn of(value: &Value, known: &[&str]) -> Result<Self, ApiError> {
        let Some(fields) = value.as_object() else {
            return Err(invalid("body", "must be an object"));
        };
        match fields.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => Err(invalid(key, "is not a field that can be set here")),
            None => Ok(Self(fields.clone())),
        }
    }

    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }

    pub(crate) fn text(
        &self,
        field: &str,
        shortest: usize,
        longest: usize,
    ) -> Result<&str, ApiError> {
        self.optional_text(field, shortest, longest)?.ok_or_else(|| invalid(field, "is missing"))
    }

    pub(crate) fn optional_text(
        &self,
        field: &str,
        shortest: usize,
        longest: usize,
    ) -> Result<Option<&str>, ApiError> {
        let Some(value) = self.0.get(field) else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| invalid(field, "must be a string"))?;
        if text.contains('\0') {
            return Err(invalid(field, "contains a character that cannot be stored"));
        }
        if text.chars().count() < shortest || text.len() > longest {
            return Err(invalid(field, &format!("must have {shortest} to {longest} characters")));
        }
        Ok(Some(text))
    }
}

/// JSON of a parameter; that of a body is in [`RequestJson`].
pub(super) fn json(text: &str) -> Result<Value, ApiError> {
    model::json::parse(text).map_err(|error| {
        ApiError::new(Code::REQUEST_BODY, format!("The body is not JSON: {error}"))
    })
}

/// What the framework refuses by itself it tells as plain text; callers get the one shape of
/// errors.
pub(crate) async fn json_error(response: Response) -> Response {
    let is_plain = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain"));
    let status = response.status();
    if !status.is_client_error() || !is_plain {
        return response;
    }
    let body: RawBody = response.into_body();
    let text = axum::body::to_bytes(body, 1000).await.unwrap_or_default();
    let mut response =
        ApiError::new(Code::REQUEST_INVALID, String::from_utf8_lossy(&text).into_owned())
            .into_response();
    *response.status_mut() = status;
    response
}
