//! Who is calling: the key of a request, and the person behind it.

use crate::App;
use crate::error::ApiError;
use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use model::{Code, Str};
use store::access::{Access as _, hash_of_key};

/// Whoever a request comes from.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    pub(crate) user: Str,
    pub(crate) scopes: Vec<Str>,
}

impl Principal {
    /// Whether the key allows something; `*` allows all.
    pub(crate) fn require(&self, scope: &str) -> Result<(), ApiError> {
        if self.scopes.iter().any(|held| held == "*" || held == scope) {
            return Ok(());
        }
        Err(ApiError::new(Code::ACCESS_FORBIDDEN, format!("The API key of {} has no scope '{scope}'", self.user)))
    }
}

/// Lets a request through that shows a valid key.
pub(crate) async fn require(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let key = key_of(request.headers());
    match principal(&app, key).await {
        Ok(principal) => {
            request.extensions_mut().insert(principal);
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

fn key_of(headers: &HeaderMap) -> Option<String> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    header("x-n8n-api-key").or_else(|| header("x-api-key")).or(bearer).map(str::to_owned)
}

async fn principal(app: &App, key: Option<String>) -> Result<Principal, ApiError> {
    let denied = || {
        ApiError::new(Code::ACCESS_DENIED, "This needs an API key in the header X-N8N-API-KEY")
            .hint("Make one with `heddle api-keys create`.")
    };
    let found = app.store.api_key(&hash_of_key(&key.ok_or_else(denied)?)).await?.ok_or_else(denied)?;
    Ok(Principal { user: found.user, scopes: found.scopes })
}
