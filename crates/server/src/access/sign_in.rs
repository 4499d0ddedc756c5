//! The first owner, signing in and out, and accepting an invitation.

use super::oidc::OidcProvider;
use super::session::{self, StartedSession};
use super::{
    DeviceCookies, LoginThrottle, Principal, account, api_keys, oidc, origin, pages, passwords,
    scopes, second_factor, two_factor,
};
use crate::App;
use crate::admission::ClientAddr;
use crate::api::{RequestJson, invalid};
use crate::error::ApiError;
use crate::observe::RequestOrigin;
use crate::response::typed;
use crate::routes::{HttpRoute, RouteGuard};
use crate::wire;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use axum::routing::{delete, get, post};
use model::{Code, Str};
use serde::de::DeserializeOwned;
use std::sync::{Arc, Once};
use store::Store;
use store::access::hash_of_key;
use store::users::{NewUser, User, UserRole};

/// The largest request: names, passwords and tokens are short.
const SIGN_IN_BYTES: usize = 64 << 10;

/// What somebody needs before there is a session.
pub(crate) const PUBLIC: &[HttpRoute] = &[
    HttpRoute::new(&["GET", "POST"], "/api/setup", || get(needs_setup).post(set_up)),
    HttpRoute::new(&["POST"], "/api/login", || post(log_in)),
    HttpRoute::new(&["GET"], "/api/oidc/sign-in", || get(oidc::sign_in)),
    HttpRoute::new(&["GET"], oidc::CALLBACK, || get(oidc::callback)),
    HttpRoute::new(&["POST"], "/api/invitation", || post(accept_invitation)),
    HttpRoute::new(&["GET"], "/invitation", || get(pages::invitation)),
    HttpRoute::new(&["GET"], "/password-reset", || get(pages::password_reset)),
];

/// What belongs to oneself. A key makes, shows and removes no key and changes no name, e-mail address
/// or password: one that is found somewhere would otherwise outlive its own end.
pub(crate) const PRIVATE: &[(RouteGuard, HttpRoute)] = &[
    (RouteGuard::Principal, HttpRoute::new(&["GET"], "/api/me", || get(me))),
    (RouteGuard::Session, HttpRoute::new(&["POST"], "/api/me/name", || post(account::change_name))),
    (
        RouteGuard::Session,
        HttpRoute::new(&["POST"], "/api/me/email", || post(account::change_email)),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["POST"], "/api/me/password", || post(account::change_password)),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["GET", "POST"], "/api/me/two-factor", || {
            get(two_factor::show).post(two_factor::begin)
        }),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["POST"], "/api/me/two-factor/enable", || post(two_factor::enable)),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["POST"], "/api/me/two-factor/disable", || post(two_factor::disable)),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["POST"], "/api/me/two-factor/recovery-codes", || {
            post(two_factor::renew_recovery_codes)
        }),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["GET", "DELETE"], "/api/me/oidc", || {
            get(oidc::show).delete(oidc::disconnect)
        }),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["POST"], "/api/me/oidc/connect", || post(oidc::connect)),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["GET", "POST"], "/api/me/api-keys", || {
            get(api_keys::list).post(api_keys::create)
        }),
    ),
    (
        RouteGuard::Session,
        HttpRoute::new(&["DELETE"], "/api/me/api-keys/{id}", || delete(api_keys::remove)),
    ),
    (RouteGuard::Principal, HttpRoute::new(&["POST"], "/api/logout", || post(log_out))),
];

/// At the start: as long as there is no owner, a token by which one is made. Whoever started the
/// server sees it, nobody else.
pub async fn create_setup_token(store: &dyn Store) -> Result<Option<String>, store::Error> {
    if store.has_owner().await? {
        store.set_setup_token(None).await?;
        return Ok(None);
    }
    let token = session::new_token();
    store.set_setup_token(Some(hash_of_key(&token))).await?;
    Ok(Some(token))
}

/// Whether whoever asks is to make the first owner. Only a browser on this machine is told: others
/// need the link with the token, and have no use for the news that nobody owns this instance yet.
async fn needs_setup(
    State(app): State<App>,
    Extension(RequestOrigin { client, .. }): Extension<RequestOrigin>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let needed = client.is_direct_local(&headers) && !app.store.has_owner().await?;
    let oidc_name = app.oidc.as_ref().map(OidcProvider::name);
    Ok(typed(StatusCode::OK, &wire::SetupState { needs_setup: needed, oidc_name }))
}

async fn set_up(
    State(app): State<App>,
    Extension(attempts): Extension<Arc<LoginThrottle>>,
    Extension(RequestOrigin { client, .. }): Extension<RequestOrigin>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    // The same for everybody elsewhere, whether there is an owner or not.
    if !app.remote_setup && !client.is_direct_local(&headers) {
        return Err(ApiError::new(Code::ACCESS_FORBIDDEN, "The first owner must be created on the machine that runs Heddle")
            .hint("Open the link there, run `heddle users create EMAIL --role owner`, or start Heddle with HEDDLE_REMOTE_SETUP=1."));
    }
    let body: wire::SetupInput = read_body(&headers, request).await?;
    attempts.throttle_token(client)?;
    let expected = app.store.setup_token().await?.unwrap_or_default();
    let given = hash_of_key(body.token.reveal());
    if expected.is_empty() || verify_slices_are_equal(&expected, &given).is_err() {
        return Err(ApiError::new(
            Code::ACCESS_DENIED,
            "The setup token is invalid or already used",
        )
        .hint("The server prints the token when it starts, as long as there is no owner."));
    }
    let owner = NewUser {
        email: body.email.0.into(),
        first_name: body.first_name.map(Into::into).unwrap_or_default(),
        last_name: body.last_name.map(Into::into).unwrap_or_default(),
        role: UserRole::Owner,
        password_hash: Some(hash_password(body.password).await?.into()),
    };
    let claimed = app.store.claim(owner).await?;
    let user =
        claimed.ok_or_else(|| ApiError::new(Code::ACCESS_DENIED, "An owner already exists"))?;
    app.store.set_setup_token(None).await?;
    session_response(&app, user).await
}

async fn log_in(
    State(app): State<App>,
    Extension(attempts): Extension<Arc<LoginThrottle>>,
    Extension(RequestOrigin { client, .. }): Extension<RequestOrigin>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let wire::SignInInput { email, password, code } = read_body(&headers, request).await?;
    let (user, hash): (Option<User>, _) = app.store.password_of(&email).await?.unzip();
    warn_untrusted_proxy(client, &headers);
    let (source, lane) =
        DeviceCookies::load(&app).await?.source(&app, &headers, user.as_ref(), client);
    attempts.record_attempt(&email, &source)?;
    // Whether there is such a person takes as long to find out, and is answered the same.
    let hash = hash.map(|hash: Str| hash.to_string());
    let is_right = passwords::verify(password.into_revealed(), hash, lane);
    let is_right = is_right.await.map_err(overloaded)?;
    match user.filter(|_| is_right) {
        Some(user) => {
            second_factor::check(&app, &user, code.as_ref(), &source).await?;
            attempts.record_success(&email, &user.id, &source)?;
            session_response(&app, user).await
        }
        None => Err(ApiError::new(Code::ACCESS_DENIED, "Wrong email address or password")),
    }
}

async fn accept_invitation(
    State(app): State<App>,
    Extension(attempts): Extension<Arc<LoginThrottle>>,
    Extension(RequestOrigin { client, .. }): Extension<RequestOrigin>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let body: wire::InvitationInput = read_body(&headers, request).await?;
    attempts.throttle_token(client)?;
    let token = hash_of_key(body.token.reveal());
    let wrong = || ApiError::new(Code::ACCESS_DENIED, "The invitation is invalid, used or expired");
    // No password is hashed for a link that is not there.
    if !app.store.has_invitation(token.clone()).await? {
        return Err(wrong());
    }
    let first_name = body.first_name.as_deref().unwrap_or_default();
    let last_name = body.last_name.as_deref().unwrap_or_default();
    let hash = hash_password(body.password).await?;
    let accepted = app.store.accept_invitation(token, first_name, last_name, &hash).await?;
    let user = accepted.ok_or_else(wrong)?;
    match user.has_second_factor {
        false => session_response(&app, user).await,
        // A link is half of what this account asks for.
        true => Ok(StatusCode::NO_CONTENT.into_response()),
    }
}

async fn log_out(State(app): State<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    if let Some(token) = session::token_of(&app, &headers) {
        app.store.end_session(hash_of_key(token)).await?;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    response.headers_mut().insert(header::SET_COOKIE, session::expired_cookie(&app)?);
    Ok(response)
}

async fn me(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let gone = || ApiError::new(Code::ACCESS_DENIED, "This user no longer exists");
    let user = app.store.user(&who.user_id).await?.ok_or_else(gone)?;
    let csrf = session::csrf_of(&app, &headers, &who.user_id).await?;
    Ok(typed(StatusCode::OK, &session_user(&user, csrf.as_deref())))
}

pub(super) async fn session_response(app: &App, user: User) -> Result<Response, ApiError> {
    let (csrf, cookies) = start_session(app, &user).await?;
    Ok((cookies, typed(StatusCode::OK, &session_user(&user, Some(&csrf)))).into_response())
}

/// Begins a session, and gives its token for changes and its cookies.
pub(super) async fn start_session(
    app: &App,
    user: &User,
) -> Result<(Str, AppendHeaders<[(HeaderName, HeaderValue); 2]>), ApiError> {
    let StartedSession { cookie, csrf } = session::begin(app, user).await?;
    let device = DeviceCookies::load(app).await?.cookie(app, user)?;
    let cookies = [(header::SET_COOKIE, cookie), (header::SET_COOKIE, device)];
    Ok((csrf, AppendHeaders(cookies)))
}

pub(super) fn session_user<'a>(user: &'a User, csrf: Option<&'a str>) -> wire::SessionUser<'a> {
    wire::SessionUser {
        id: &user.id,
        email: &user.email,
        first_name: &user.first_name,
        last_name: &user.last_name,
        role: user.role.name(),
        scopes: scopes::of_role(user.role).collect(),
        csrf_token: csrf,
    }
}

pub(super) async fn hash_password(password: wire::NewPassword) -> Result<String, ApiError> {
    passwords::hash(password.into_revealed())
        .await
        .ok_or_else(|| ApiError::new(Code::OVERLOAD, "Not enough memory to do this right now"))
}

/// A proxy that nobody has named makes one caller of all, who then share what is counted by
/// address.
fn warn_untrusted_proxy(client: ClientAddr, headers: &HeaderMap) {
    static WARNED: Once = Once::new();
    if client.is_untrusted_proxy(headers) {
        WARNED.call_once(|| {
            let proxy = client.address;
            tracing::warn!(%proxy, "Sign-ins arrive through a proxy that is not listed in HEDDLE_TRUSTED_PROXIES; all \
                 clients share its rate limit.")
        });
    }
}

pub(super) fn overloaded(_: passwords::QueueFull) -> ApiError {
    ApiError::new(Code::OVERLOAD, "Too many passwords are being checked at once")
        .hint("Try again in a moment.")
        .retry_after(2)
}

pub(super) fn now_ms() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |since| since.as_millis() as i64)
}

/// The body of a request that signs somebody in, or is about oneself. A form of another site's page
/// cannot send these.
pub(super) async fn read_body<T: DeserializeOwned>(
    headers: &HeaderMap,
    request: Request,
) -> Result<T, ApiError> {
    origin::check(headers)?;
    let kind =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().unwrap_or_default().trim() != "application/json" {
        return Err(invalid("Content-Type", "must be application/json"));
    }
    let RequestJson(body) = RequestJson::with_limit(request, SIGN_IN_BYTES).await?;
    body.read()
}
