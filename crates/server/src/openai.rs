//! OpenAI's API over the agents of this instance: each active workflow with a chat is a model.
//!
//! What a workflow decides itself (temperature, length and the like) is taken and left out; what
//! would be an answer of another kind (a schema, several choices) is refused by name. Tools of the
//! request are offered to the workflow's agents beside their own.

mod chat;
mod completion;
mod embeddings;
mod models;
mod request;
mod stream;
mod tools;

use crate::App;
use crate::access::{self, Principal};
use crate::error::ApiError;
use crate::routes::HttpRoute;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use model::{Code, Object, Value};

/// Each with the scope that a key needs. Whoever has a workflow run needs the right to run it by
/// hand, too.
pub(crate) const ROUTES: &[(&str, HttpRoute)] = &[
    (
        LIST,
        HttpRoute::new(&["GET"], "/v1/models", || get(models::list).layer(from_fn(require_list))),
    ),
    (
        LIST,
        HttpRoute::new(&["GET"], "/v1/models/{*id}", || {
            get(models::show).layer(from_fn(require_list))
        }),
    ),
    (
        SEND,
        HttpRoute::new(&["POST"], "/v1/chat/completions", || {
            post(chat::completions).layer(from_fn(require_send))
        }),
    ),
    (
        SEND,
        HttpRoute::new(&["POST"], "/v1/embeddings", || {
            post(embeddings::create).layer(from_fn(require_send))
        }),
    ),
];

const LIST: &str = "chat:list";
const SEND: &str = "chat:send";

async fn require_list(
    Extension(who): Extension<Principal>,
    request: Request,
    next: Next,
) -> Result<Response, OpenAiError> {
    who.require(LIST)?;
    Ok(next.run(request).await)
}

async fn require_send(
    Extension(who): Extension<Principal>,
    request: Request,
    next: Next,
) -> Result<Response, OpenAiError> {
    who.require(SEND)?;
    Ok(next.run(request).await)
}

/// Lets a request through that shows a key of this instance, as OpenAI's clients send theirs.
pub(crate) async fn require(State(app): State<App>, mut request: Request, next: Next) -> Response {
    match access::authenticate(&app, request.method(), request.headers()).await {
        Ok(principal) => {
            request.extensions_mut().insert(principal);
            let mut response = next.run(request).await;
            response
                .headers_mut()
                .insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            response
        }
        Err(error) => OpenAiError::from(error).into_response(),
    }
}

/// An error in the shape that OpenAI's clients read.
pub(super) struct OpenAiError {
    error: ApiError,
    /// The field of the request that is to blame.
    param: Option<&'static str>,
    /// Whether the same request may do better the next time.
    is_final: bool,
}

impl OpenAiError {
    /// The field cannot be used.
    fn invalid_param(param: &'static str, problem: impl std::fmt::Display) -> Self {
        let error = ApiError::new(Code::REQUEST_INVALID, format!("'{param}' {problem}"));
        Self { error, param: Some(param), is_final: true }
    }

    /// The run of a workflow failed. It may have done something already, so that nobody is to send
    /// the request again by itself.
    fn run_failed(code: Code, message: impl Into<model::Str>) -> Self {
        Self { error: ApiError::new(code, message), param: None, is_final: true }
    }

    fn to_value(&self) -> Value {
        let Self { error, param, .. } = self;
        let kind = match error.code.status() {
            429 => "rate_limit_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        };
        let code = match error.code {
            Code::ACCESS_DENIED => "invalid_api_key",
            Code::NOT_FOUND => "model_not_found",
            other => other.name(),
        };
        let message = match &error.hint {
            Some(hint) => format!("{} {hint}", end_sentence(&error.message)),
            None => error.message.to_string(),
        };
        let told = [
            ("message", Value::from(message)),
            ("type", kind.into()),
            ("param", param.map_or(Value::Null, Value::from)),
            ("code", code.into()),
        ];
        Object::from_iter([("error", Object::from_iter(told))]).into()
    }
}

fn end_sentence(sentence: &str) -> String {
    if sentence.ends_with(['.', '!', '?']) { sentence.to_owned() } else { format!("{sentence}.") }
}

impl<E: Into<ApiError>> From<E> for OpenAiError {
    fn from(error: E) -> Self {
        Self { error: error.into(), param: None, is_final: false }
    }
}

impl IntoResponse for OpenAiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.error.code.status())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = crate::response::json(status, &self.to_value());
        if self.is_final {
            response.headers_mut().insert(
                HeaderName::from_static("x-should-retry"),
                HeaderValue::from_static("false"),
            );
        } else if let Some(wait) = self.error.retry_after_header() {
            response.headers_mut().insert(header::RETRY_AFTER, wait);
        }
        response
    }
}
