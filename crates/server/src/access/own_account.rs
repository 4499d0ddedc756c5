//! Requests about one's own account.

use super::login_throttle::AttemptSource;
use super::sign_in::{overloaded, read_body, session_user};
use super::{LoginThrottle, Principal, passwords, second_factor, session};
use crate::App;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::RequestPartsExt as _;
use axum::extract::{Extension, FromRequest, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use model::{Code, Str};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use store::users::User;

/// A request of somebody who is signed in, about their own account.
pub(super) struct OwnRequest {
    account: OwnAccount,
    request: Request,
}

/// Who it is about.
pub(super) struct OwnAccount {
    pub(super) app: App,
    pub(super) who: Principal,
    headers: HeaderMap,
    attempts: Arc<LoginThrottle>,
}

impl FromRequest<App> for OwnRequest {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let refused =
            |rejection: axum::extract::rejection::ExtensionRejection| rejection.into_response();
        let Extension(who) = parts.extract().await.map_err(refused)?;
        let Extension(attempts) = parts.extract().await.map_err(refused)?;
        let headers = parts.headers.clone();
        let account = OwnAccount { app: app.clone(), who, headers, attempts };
        Ok(Self { account, request: Request::from_parts(parts, body) })
    }
}

impl OwnRequest {
    pub(super) async fn read<T: DeserializeOwned>(self) -> Result<(OwnAccount, T), ApiError> {
        let body = read_body(&self.account.headers, self.request).await?;
        Ok((self.account, body))
    }
}

impl OwnAccount {
    /// Whoever finds a browser that is signed in does not know the password. Gives the generation of
    /// the access that the password belongs to.
    pub(super) async fn check_password(&self, given: wire::GivenPassword) -> Result<i64, ApiError> {
        let Self { app, who, attempts, .. } = self;
        // Only somebody who is signed in comes here, so these attempts have nothing to do with those
        // of strangers.
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

    /// Password, and the authenticator app where there is one: as much as the sign-in asks for.
    pub(super) async fn check_both(
        &self,
        password: wire::GivenPassword,
        code: Option<&wire::SecondFactorCode>,
    ) -> Result<i64, ApiError> {
        let generation = self.check_password(password).await?;
        second_factor::check_again(&self.app, &self.user().await?, code).await?;
        Ok(generation)
    }

    /// Oneself as one was when the session began.
    pub(super) async fn user(&self) -> Result<User, ApiError> {
        let user = self.app.store.user(&self.who.user_id).await?;
        let same = user.filter(|user| user.generation == self.who.generation);
        same.ok_or_else(session::password_changed)
    }

    /// Oneself as one is now, in the session that is under way.
    pub(super) async fn answer(&self, changed: Option<User>) -> Result<Response, ApiError> {
        let gone = || ApiError::new(Code::ACCESS_DENIED, "This user no longer exists");
        let user = changed.ok_or_else(gone)?;
        let csrf = session::csrf_of(&self.app, &self.headers, &user.id).await?;
        Ok(typed(StatusCode::OK, &session_user(&user, csrf.as_deref())))
    }
}
