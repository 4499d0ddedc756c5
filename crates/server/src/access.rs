//! Who is calling: a key or a session, the person behind it, and what that person may do.

mod account;
mod api_keys;
mod authorization;
mod devices;
mod login_throttle;
mod oidc;
mod origin;
mod own_account;
mod pages;
pub mod passwords;
mod scopes;
mod second_factor;
mod session;
mod sign_in;
mod two_factor;

pub(crate) use authorization::{AccessLevel, ProjectAccess, not_found};
pub(crate) use devices::DeviceCookies;
pub(crate) use login_throttle::LoginThrottle;
pub use oidc::{KnownProvider, OidcProvider};
pub(crate) use origin::check as check_origin;
pub(crate) use scopes::{allows, is_known as is_known_scope};
pub(crate) use session::{CSRF_HEADER, new_token, workflow_cookies};
pub use sign_in::create_setup_token;
pub(crate) use sign_in::{PRIVATE, PUBLIC};

use crate::App;
use crate::error::ApiError;
use crate::routes::RouteGuard;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use model::{Code, Str};
use std::sync::Arc;
use store::access::hash_of_key;
use store::users::{User, UserRole};

/// Whoever a request comes from.
#[derive(Clone, Debug)]
pub(crate) struct Principal {
    /// The e-mail address.
    pub(crate) user: Str,
    pub(crate) user_id: Str,
    pub(crate) role: UserRole,
    /// That of the person when the request came in.
    generation: i64,
    /// What the key allows of all that the role does; sessions allow everything the role does.
    key_scopes: Option<Vec<Str>>,
    pub(crate) access: Arc<ProjectAccess>,
}

impl Principal {
    async fn new(app: &App, user: User, key_scopes: Option<Vec<Str>>) -> Result<Self, ApiError> {
        let reach = Arc::new(ProjectAccess::of(&*app.store, &user.id, user.role).await?);
        Ok(Self {
            user: user.email,
            user_id: user.id,
            role: user.role,
            generation: user.generation,
            key_scopes,
            access: reach,
        })
    }

    /// Whether the role allows something, and the key too.
    pub(crate) fn require(&self, scope: &str) -> Result<(), ApiError> {
        if !allows(self.role, scope) {
            let message = format!(
                "The role '{}' of {} does not allow '{scope}'",
                self.role.name(),
                self.user
            );
            return Err(ApiError::new(Code::ACCESS_FORBIDDEN, message));
        }
        match &self.key_scopes {
            Some(scopes) if !scopes.iter().any(|held| held == "*" || held == scope) => {
                Err(ApiError::new(
                    Code::ACCESS_FORBIDDEN,
                    format!("The API key of {} has no scope '{scope}'", self.user),
                ))
            }
            _ => Ok(()),
        }
    }

    fn require_session(&self) -> Result<(), ApiError> {
        match &self.key_scopes {
            None => Ok(()),
            Some(_) => Err(ApiError::new(
                Code::ACCESS_FORBIDDEN,
                "This requires a signed-in user; an API key is not enough",
            )
            .hint("Sign in to the editor, or run `heddle api-keys` on the server's machine.")),
        }
    }

    fn require_guard(&self, guard: RouteGuard) -> Result<(), ApiError> {
        match guard {
            RouteGuard::Public | RouteGuard::Principal => Ok(()),
            RouteGuard::Session => self.require_session(),
            RouteGuard::Scope(scope) => self.require(scope),
        }
    }
}

/// Lets a request through that has passed [`require`] and shows what a guard asks for.
pub(crate) async fn require_guard(guard: RouteGuard, request: Request, next: Next) -> Response {
    let denied = || ApiError::new(Code::ACCESS_DENIED, "An API key or session is required");
    let who = request.extensions().get::<Principal>().ok_or_else(denied);
    match who.and_then(|who| who.require_guard(guard)) {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    }
}

/// Lets a request through that shows a valid key or session.
pub(crate) async fn require(State(app): State<App>, mut request: Request, next: Next) -> Response {
    match authenticate(&app, request.method(), request.headers()).await {
        Ok(principal) => {
            request.extensions_mut().insert(principal);
            let mut response = next.run(request).await;
            // What one person may see, no cache on the way keeps for another. A handler may let the
            // person's own browser keep it.
            let headers = response.headers_mut();
            headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
            headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
            response
        }
        Err(error) => error.into_response(),
    }
}

/// The id of whoever is signed in with a session, whatever they may do.
pub(crate) async fn session_user_id(app: &App, headers: &HeaderMap) -> Option<Str> {
    let token = session::token_of(app, headers)?;
    app.store.session(hash_of_key(token)).await.ok().flatten().map(|session| session.user.id)
}

fn api_key_in(headers: &HeaderMap) -> Option<&str> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    header("x-n8n-api-key").or_else(|| header("x-api-key")).or(bearer)
}

pub(crate) async fn authenticate(
    app: &App,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Principal, ApiError> {
    let denied = || {
        ApiError::new(
            Code::ACCESS_DENIED,
            "An API key in the X-N8N-API-KEY header or a session is required",
        )
        .hint("Create a key with `heddle api-keys create`.")
    };
    if let Some(key) = api_key_in(headers) {
        let (user, key) = app.store.user_of_key(hash_of_key(key)).await?.ok_or_else(denied)?;
        return Principal::new(app, user, Some(key.scopes)).await;
    }
    let token = session::token_of(app, headers).ok_or_else(denied)?;
    let session = app.store.session(hash_of_key(token)).await?.ok_or_else(denied)?;
    if !method.is_safe() {
        origin::check(headers)?;
        session::check_csrf(headers, &session.csrf)?;
    }
    Principal::new(app, session.user, None).await
}
