//! What requests of the API bring along: parameters and bodies, read as the types of the API say.

use crate::App;
use crate::admission::BodyReservation;
use crate::body;
use crate::error::ApiError;
use crate::wire;
use crate::wire::field_error::FieldError;
use axum::body::Body as RawBody;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use model::{Code, Value};
use serde::de::DeserializeOwned;

pub(crate) fn invalid(field: &str, problem: &str) -> ApiError {
    let field: String = field.chars().take(100).collect();
    ApiError::new(Code::REQUEST_INVALID, format!("'{field}' {problem}"))
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

/// The parameters behind `?`, read as the operation's type says.
pub(crate) struct RequestQuery<T>(pub(crate) T);

/// The same for a handler that first looks whether the caller may be here at all.
pub(crate) type QueryResult<T> = Result<RequestQuery<T>, ApiError>;

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for RequestQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self(wire::read_query(parts.uri.query().unwrap_or_default())?))
    }
}

impl From<FieldError> for ApiError {
    fn from(error: FieldError) -> Self {
        let field = if error.path.is_empty() { "body" } else { &error.path };
        invalid(field, &error.problem)
    }
}

impl JsonBody {
    /// What was sent, as the operation's type says. A long list takes a while, so this is work by
    /// size like parsing it.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let value = self.json()?;
        Ok(compute::for_size(self.length, || wire::read::read(value))??)
    }

    /// The same for a body that may be left out.
    pub(crate) fn read_or_default<T: DeserializeOwned + Default>(&self) -> Result<T, ApiError> {
        if self.is_blank { Ok(T::default()) } else { self.read() }
    }

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
