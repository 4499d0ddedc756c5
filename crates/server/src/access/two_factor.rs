//! Setting an authenticator app up, and doing without it again.

use super::own_account::{OwnAccount, OwnRequest};
use super::sign_in::{now_ms, start_session};
use super::{Principal, second_factor};
use crate::App;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use model::Code;
use store::second_factors::EnabledSecondFactor;

pub(super) async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
) -> Result<Response, ApiError> {
    let left = second_factor::in_use(&app, &who.user_id).await?;
    let state = wire::TwoFactorState {
        is_enabled: left.is_some(),
        recovery_codes_left: left.map_or(0, |factor| factor.recovery_codes_left),
    };
    Ok(typed(StatusCode::OK, &state))
}

/// Gives a secret, which counts once a first code is sent.
pub(super) async fn begin(request: OwnRequest) -> Result<Response, ApiError> {
    let (own, wire::TwoFactorSetupInput { current_password }) = request.read().await?;
    let generation = own.check_password(current_password).await?;
    let secret = second_factor::new_secret()?;
    let setup = second_factor::setup(&secret, &own.user().await?)?;
    if !own.app.store.begin_second_factor(&own.who.user_id, generation, secret).await? {
        return Err(ApiError::new(
            Code::ACCESS_FORBIDDEN,
            "An authenticator app is already in use",
        )
        .hint("Turn it off first, then set the new one up."));
    }
    Ok(typed(StatusCode::OK, &setup))
}

/// The first code shows that the app has the secret. All sessions end, and this one begins anew.
pub(super) async fn enable(request: OwnRequest) -> Result<Response, ApiError> {
    let (OwnAccount { app, who, .. }, wire::TwoFactorCodeInput { code }) = request.read().await?;
    let none = || {
        ApiError::new(Code::ACCESS_FORBIDDEN, "No authenticator app is being set up")
            .hint("Begin the set-up again.")
    };
    let factor = app.store.second_factor(&who.user_id).await?.ok_or_else(none)?;
    let step = second_factor::step_of(&factor.secret, code.reveal(), now_ms())?;
    // Not 401, at which the editor would ask for the sign-in: the session is fine.
    let step = step.ok_or_else(|| {
        ApiError::new(Code::ACCESS_FORBIDDEN, "The code is wrong")
            .hint("Check that the clocks of the phone and the server are right.")
    })?;
    let (codes, recovery_hashes) = second_factor::new_recovery_codes()?;
    let enabled = EnabledSecondFactor {
        user_id: who.user_id.clone(),
        generation: who.generation,
        setup_id: factor.setup_id,
        step,
        recovery_hashes,
    };
    let user = app.store.enable_second_factor(enabled).await?.ok_or_else(none)?;
    tracing::info!(user = %user.id, "A user turned two-factor authentication on");
    let (_, cookies) = start_session(&app, &user).await?;
    let shown = typed(StatusCode::OK, &wire::RecoveryCodes { recovery_codes: codes });
    Ok((cookies, shown).into_response())
}

/// New recovery codes; the ones before work no more.
pub(super) async fn renew_recovery_codes(request: OwnRequest) -> Result<Response, ApiError> {
    let own = checked(request).await?;
    let (codes, hashes) = second_factor::new_recovery_codes()?;
    if !own.app.store.set_recovery_codes(&own.who.user_id, hashes).await? {
        return Err(ApiError::new(Code::ACCESS_FORBIDDEN, "No authenticator app is in use"));
    }
    Ok(typed(StatusCode::OK, &wire::RecoveryCodes { recovery_codes: codes }))
}

pub(super) async fn disable(request: OwnRequest) -> Result<Response, ApiError> {
    let own = checked(request).await?;
    own.app.store.remove_second_factor(&own.who.user_id).await?;
    tracing::info!(user = %own.who.user_id, "A user turned two-factor authentication off");
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Whoever finds a browser that is signed in has neither the password nor the app.
async fn checked(request: OwnRequest) -> Result<OwnAccount, ApiError> {
    let (own, wire::TwoFactorChangeInput { current_password, code }) = request.read().await?;
    own.check_both(current_password, Some(&code)).await?;
    Ok(own)
}
