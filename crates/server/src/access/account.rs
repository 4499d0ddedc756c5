//! What somebody changes of their own account: name, e-mail address and password.

use super::login_throttle::AttemptSource;
use super::sign_in::{hash_password, overloaded, read_body, session_response, session_user};
use super::{LoginThrottle, Principal, passwords, session};
use crate::App;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use model::{Code, Str};
use std::sync::Arc;
use store::users::User;

pub(super) async fn change_name(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let wire::NameInput { first_name, last_name } = read_body(&headers, request).await?;
    let changed = app.store.set_name(&who.user_id, &first_name, &last_name).await?;
    answer(&app, &headers, changed).await
}

pub(super) async fn change_email(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Extension(attempts): Extension<Arc<LoginThrottle>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let wire::EmailInput { current_password, email } = read_body(&headers, request).await?;
    let generation = check_password(&app, &who, &attempts, current_password).await?;
    let changed = app.store.change_email(&who.user_id, generation, &email.0).await?;
    answer(&app, &headers, Some(changed.ok_or_else(session::password_changed)?)).await
}

pub(super) async fn change_password(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Extension(attempts): Extension<Arc<LoginThrottle>>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let wire::PasswordInput { current_password, password } = read_body(&headers, request).await?;
    let generation = check_password(&app, &who, &attempts, current_password).await?;
    let changed = app
        .store
        .change_password(&who.user_id, generation, &hash_password(password).await?)
        .await?;
    session_response(&app, changed.ok_or_else(session::password_changed)?).await
}

/// Whoever finds a browser that is signed in does not know the password. Gives the generation of the
/// access that the password belongs to.
pub(super) async fn check_password(
    app: &App,
    who: &Principal,
    attempts: &LoginThrottle,
    given: wire::GivenPassword,
) -> Result<i64, ApiError> {
    // Only somebody who is signed in comes here, so these attempts have nothing to do with those of
    // strangers.
    let source = AttemptSource::Device(format!("signed in as {}", who.user_id));
    attempts.record_attempt(&who.user, &source)?;
    let (user, kept) = app.store.password_of(&who.user).await?.unzip();
    let kept = kept.map(|hash: Str| hash.to_string());
    let given = given.into_revealed();
    if !passwords::verify(given, kept, passwords::Lane::Known).await.map_err(overloaded)? {
        return Err(ApiError::new(Code::ACCESS_FORBIDDEN, "The current password is wrong"));
    }
    attempts.record_success(&who.user, &who.user_id, &source)?;
    Ok(user.map_or(who.generation, |user: User| user.generation))
}

/// Oneself as one is now, in the session that is under way.
async fn answer(
    app: &App,
    headers: &HeaderMap,
    changed: Option<User>,
) -> Result<Response, ApiError> {
    let gone = || ApiError::new(Code::ACCESS_DENIED, "This user no longer exists");
    let user = changed.ok_or_else(gone)?;
    let csrf = session::csrf_of(app, headers, &user.id).await?;
    Ok(typed(StatusCode::OK, &session_user(&user, csrf.as_deref())))
}
