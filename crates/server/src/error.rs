//! Errors as the API tells them: one shape, whatever went wrong.

use crate::wire;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Code, Str};
use node_api::NodeError;
use node_api::ai::LongTermError;
use node_api::collections::CollectionError;

/// What a caller is told: `{ code, message, hint }` and the status of the code.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) code: Code,
    pub(crate) message: Str,
    pub(crate) hint: Option<Str>,
    /// After how many seconds it may be tried again.
    pub(crate) retry_after: Option<u64>,
}

impl ApiError {
    pub(crate) fn new(code: Code, message: impl Into<Str>) -> Self {
        Self { code, message: message.into(), hint: None, retry_after: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<Str>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn retry_after(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// What the header `Retry-After` says, for errors that pass.
    pub(crate) fn retry_after_header(&self) -> Option<HeaderValue> {
        matches!(self.code.status(), 429 | 503)
            .then(|| HeaderValue::from(self.retry_after.unwrap_or(1)))
    }
}

impl From<runtime::Error> for ApiError {
    fn from(error: runtime::Error) -> Self {
        Self {
            code: error.code(),
            message: error.to_string().into(),
            hint: error.hint(),
            retry_after: None,
        }
    }
}

impl From<NodeError> for ApiError {
    fn from(error: NodeError) -> Self {
        Self {
            hint: error.to_run_error("").hint,
            ..Self::new(error.code(), error.message().clone())
        }
    }
}

impl From<CollectionError> for ApiError {
    fn from(error: CollectionError) -> Self {
        let told = Self::new(error.code(), error.to_string());
        error.hint().into_iter().fold(told, Self::hint)
    }
}

impl From<LongTermError> for ApiError {
    fn from(error: LongTermError) -> Self {
        let told = Self::new(error.code(), error.to_string());
        error.hint().into_iter().fold(told, Self::hint)
    }
}

impl From<compute::Overloaded> for ApiError {
    fn from(busy: compute::Overloaded) -> Self {
        Self::new(Code::OVERLOAD, busy.to_string()).hint("Try again in a moment.")
    }
}

impl From<store::Error> for ApiError {
    fn from(error: store::Error) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        tracing::debug!(code = self.code.name(), message = %self.message, "Request refused.");
        let wait = self.retry_after_header();
        let body = wire::Error {
            code: self.code.name(),
            message: &self.message,
            hint: self.hint.as_deref(),
        };
        let status =
            StatusCode::from_u16(self.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = crate::response::typed(status, &body);
        if let Some(wait) = wait {
            response.headers_mut().insert(header::RETRY_AFTER, wait);
        }
        response
    }
}
