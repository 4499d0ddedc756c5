//! Signing in with an OpenID Connect provider: the authorization code flow with PKCE.
//!
//! Invariant: somebody is who the provider's signed ID token says, in an answer to a question that
//! this very browser has asked. Invariant: an address counts only if the provider has verified it,
//! and never opens an account that asks for an authenticator app: such an account is connected by
//! somebody who is signed in to it.

mod flow;
mod id_token;
mod provider;

pub use provider::{KnownProvider, OidcProvider};

use super::own_account::{OwnAccount, OwnRequest};
use super::sign_in::start_session;
use super::{LoginThrottle, Principal};
use crate::App;
use crate::api::RequestQuery;
use crate::error::ApiError;
use crate::observe::RequestOrigin;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use flow::{Flow, FlowPurpose, FlowSigner, NextPage};
use model::Code;
use provider::Claims;
use serde::Deserialize;
use std::sync::Arc;
use store::identities::Identity;
use store::users::{NewUser, User, UserRole};

/// Where the provider sends people back to.
pub(crate) const CALLBACK: &str = "/api/oidc/callback";

/// Why somebody is not signed in; the page of the sign-in knows these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    /// At the provider, by the person or by the provider.
    Denied,
    /// The answer belongs to no question of this browser, or to one of long ago.
    Expired,
    Unavailable,
    /// The provider does not vouch for the address.
    Unverified,
    /// Nobody here has the address, and nobody is added.
    Unknown,
    /// The account asks for an authenticator app, or is not to be entered at all.
    NotConnected,
    /// The identity is somebody else's here.
    Taken,
}

impl Refusal {
    fn word(self) -> &'static str {
        match self {
            Refusal::Denied => "denied",
            Refusal::Expired => "expired",
            Refusal::Unavailable => "unavailable",
            Refusal::Unverified => "unverified",
            Refusal::Unknown => "unknown",
            Refusal::NotConnected => "not-connected",
            Refusal::Taken => "taken",
        }
    }
}

fn provider(app: &App) -> Result<&OidcProvider, ApiError> {
    app.oidc.as_ref().ok_or_else(|| {
        ApiError::new(Code::NOT_FOUND, "No OpenID Connect provider is configured")
            .hint("Set HEDDLE_OIDC_ISSUER and HEDDLE_OIDC_CLIENT_ID.")
    })
}

#[derive(Deserialize)]
pub(super) struct SignInQuery {
    /// Where to go afterwards.
    next: Option<String>,
}

/// Sends a browser to the provider.
pub(super) async fn sign_in(
    State(app): State<App>,
    Extension(attempts): Extension<Arc<LoginThrottle>>,
    Extension(RequestOrigin { client, .. }): Extension<RequestOrigin>,
    RequestQuery(query): RequestQuery<SignInQuery>,
) -> Result<Response, ApiError> {
    provider(&app)?;
    attempts.throttle_token(client)?;
    let purpose = FlowPurpose::SignIn { next: NextPage::new(query.next.as_deref()) };
    match begin(&app, purpose.clone()).await {
        Ok((address, cookie)) => redirect(&address, [cookie]),
        Err(error) if error.code == Code::UPSTREAM_UNREACHABLE => {
            refuse(&app, &purpose, Refusal::Unavailable)
        }
        Err(error) => Err(error),
    }
}

/// The same for somebody who is signed in and wants to sign in this way from now on. Asks for what
/// the sign-in asks for: a page that has the browser signed in at the provider as somebody else, or
/// whoever finds it open, would otherwise connect an identity of their own.
pub(super) async fn connect(request: OwnRequest) -> Result<Response, ApiError> {
    let (own, wire::OidcConnectInput { current_password, code }) = request.read().await?;
    provider(&own.app)?;
    let generation = own.check_both(current_password, code.as_ref()).await?;
    let OwnAccount { app, who, .. } = own;
    let (url, cookie) = begin(&app, FlowPurpose::Connect { user: who.user_id, generation }).await?;
    let cookies = AppendHeaders([(header::SET_COOKIE, cookie)]);
    Ok((cookies, typed(StatusCode::OK, &wire::OidcRedirect { url: &url })).into_response())
}

/// The address at the provider, and what the browser keeps until it comes back.
async fn begin(app: &App, purpose: FlowPurpose) -> Result<(String, HeaderValue), ApiError> {
    let flow = Flow::new(purpose);
    let url = provider(app)?.authorization_url(&flow, &app.base_url).await.map_err(|error| {
        tracing::warn!(%error, "The OpenID Connect provider cannot be used");
        ApiError::new(Code::UPSTREAM_UNREACHABLE, "The sign-in provider cannot be reached")
            .hint("The server's log says why.")
    })?;
    Ok((url, FlowSigner::load(app).await?.cookie(app, &flow)?))
}

/// What the provider sends a browser back with.
#[derive(Deserialize)]
pub(super) struct Callback {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
    /// Who answers (RFC 9207); not all providers say so.
    iss: Option<String>,
}

pub(super) async fn callback(
    State(app): State<App>,
    Extension(attempts): Extension<Arc<LoginThrottle>>,
    Extension(RequestOrigin { client, .. }): Extension<RequestOrigin>,
    RequestQuery(answer): RequestQuery<Callback>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let provider = provider(&app)?;
    attempts.throttle_token(client)?;
    let signer = FlowSigner::load(&app).await?;
    let state = answer.state.as_deref().unwrap_or_default();
    let Some(flow) = signer.read(&app, &headers, state) else {
        let unknown = FlowPurpose::SignIn { next: NextPage::new(None) };
        return refuse(&app, &unknown, Refusal::Expired);
    };
    let is_ours = answer.iss.as_deref().is_none_or(|issuer| issuer == provider.issuer());
    let Some(code) = answer.code.filter(|_| is_ours && answer.error.is_none()) else {
        return refuse(&app, &flow.purpose, Refusal::Denied);
    };
    let claims = match provider.claims(&flow, &code, &app.base_url).await {
        Ok(claims) => claims,
        Err(error) => {
            tracing::warn!(%error, "A sign-in with the OpenID Connect provider failed");
            return refuse(&app, &flow.purpose, Refusal::Unavailable);
        }
    };
    let identity =
        Identity { issuer: provider.issuer().into(), subject: claims.subject.as_str().into() };
    match &flow.purpose {
        FlowPurpose::SignIn { next } => match find(&app, provider, identity, claims).await? {
            Ok(user) => enter(&app, &user, next).await,
            Err(refusal) => refuse(&app, &flow.purpose, refusal),
        },
        FlowPurpose::Connect { user, generation } => {
            let person = app.store.user(user).await?;
            if person.is_none_or(|person| person.generation != *generation) {
                return refuse(&app, &flow.purpose, Refusal::Expired);
            }
            let is_own = app.store.user_of_identity(identity.clone()).await?;
            let is_own = is_own.is_some_and(|owner| owner.id == *user);
            match is_own || app.store.link_identity(user, identity).await? {
                true => redirect(
                    "/settings/personal?oidc=connected",
                    [FlowSigner::expired_cookie(&app)?],
                ),
                false => refuse(&app, &flow.purpose, Refusal::Taken),
            }
        }
    }
}

/// Whoever an identity belongs to: known by it, or by an address that the provider has verified.
async fn find(
    app: &App,
    provider: &OidcProvider,
    identity: Identity,
    claims: Claims,
) -> Result<Result<User, Refusal>, ApiError> {
    if let Some(user) = app.store.user_of_identity(identity.clone()).await? {
        return Ok(Ok(user));
    }
    let Some(email) = claims.verified_email else { return Ok(Err(Refusal::Unverified)) };
    match app.store.user(&email).await? {
        Some(user) if user.has_second_factor || !user.email.eq_ignore_ascii_case(&email) => {
            Ok(Err(Refusal::NotConnected))
        }
        Some(user) => match app.store.link_identity(&user.id, identity).await? {
            true => {
                tracing::info!(user = %user.id, "A user signed in with the OpenID Connect provider for the first time");
                Ok(Ok(user))
            }
            false => Ok(Err(Refusal::Taken)),
        },
        None => match provider.new_users() {
            Some(role) => {
                let new = NewUser {
                    email: email.into(),
                    first_name: claims.first_name.into(),
                    last_name: claims.last_name.into(),
                    role: role.min(UserRole::Admin),
                    password_hash: None,
                };
                let user = app.store.add_user_with_identity(new, identity).await?;
                tracing::info!(user = %user.id, role = role.name(), "The OpenID Connect provider brought a new user");
                Ok(Ok(user))
            }
            None => Ok(Err(Refusal::Unknown)),
        },
    }
}

async fn enter(app: &App, user: &User, next: &NextPage) -> Result<Response, ApiError> {
    let (_, cookies) = start_session(app, user).await?;
    Ok((cookies, redirect(next.as_str(), [FlowSigner::expired_cookie(app)?])?).into_response())
}

/// Back to the page that somebody came from, which says why.
fn refuse(app: &App, purpose: &FlowPurpose, refusal: Refusal) -> Result<Response, ApiError> {
    let page = match purpose {
        FlowPurpose::SignIn { .. } => "/signin",
        FlowPurpose::Connect { .. } => "/settings/personal",
    };
    redirect(&format!("{page}?oidc={}", refusal.word()), [FlowSigner::expired_cookie(app)?])
}

fn redirect<const N: usize>(
    address: &str,
    cookies: [HeaderValue; N],
) -> Result<Response, ApiError> {
    let address = HeaderValue::from_str(address)
        .map_err(|_| ApiError::new(Code::UPSTREAM_STATUS, "The provider's address is invalid"))?;
    let cookies = AppendHeaders(cookies.map(|cookie| (header::SET_COOKIE, cookie)));
    let to = [
        (header::LOCATION, address),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((StatusCode::SEE_OTHER, to, cookies).into_response())
}

/// The providers that somebody signs in with.
pub(super) async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
) -> Result<Response, ApiError> {
    let is_connected = match &app.oidc {
        None => false,
        Some(provider) => {
            let identities = app.store.identities_of(&who.user_id).await?;
            identities.iter().any(|identity| identity.issuer == provider.issuer())
        }
    };
    let name = app.oidc.as_ref().map(OidcProvider::name);
    Ok(typed(StatusCode::OK, &wire::OidcState { name, is_connected }))
}

/// Somebody signs in with their password alone again.
pub(super) async fn disconnect(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
) -> Result<Response, ApiError> {
    if app.store.password_of(&who.user).await?.is_none() {
        return Err(ApiError::new(Code::ACCESS_FORBIDDEN, "This account has no password").hint(
            "Ask an owner or admin for a password link first, so that you can still sign in.",
        ));
    }
    app.store.unlink_identities(&who.user_id).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}
