//! What somebody changes of their own account: name, e-mail address and password.

use super::own_account::OwnRequest;
use super::session;
use super::sign_in::{hash_password, session_response};
use crate::error::ApiError;
use crate::wire;
use axum::response::Response;

pub(super) async fn change_name(request: OwnRequest) -> Result<Response, ApiError> {
    let (own, wire::NameInput { first_name, last_name }) = request.read().await?;
    let changed = own.app.store.set_name(&own.who.user_id, &first_name, &last_name).await?;
    own.answer(changed).await
}

pub(super) async fn change_email(request: OwnRequest) -> Result<Response, ApiError> {
    let (own, wire::EmailInput { current_password, email }) = request.read().await?;
    let generation = own.check_password(current_password).await?;
    let changed = own.app.store.change_email(&own.who.user_id, generation, &email.0).await?;
    own.answer(Some(changed.ok_or_else(session::password_changed)?)).await
}

pub(super) async fn change_password(request: OwnRequest) -> Result<Response, ApiError> {
    let (own, wire::PasswordInput { current_password, password }) = request.read().await?;
    let generation = own.check_password(current_password).await?;
    let hash = hash_password(password).await?;
    let changed = own.app.store.change_password(&own.who.user_id, generation, &hash).await?;
    session_response(&own.app, changed.ok_or_else(session::password_changed)?).await
}
