//! `/api/me/api-keys`: one's own keys, for whoever is signed in. The key itself is shown once, when
//! it is made.

use super::own_account::{OwnAccount, OwnRequest};
use super::session::password_changed;
use super::sign_in::now_ms;
use super::{Principal, not_found};
use crate::App;
use crate::api::invalid;
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use model::Str;
use store::access::{ApiKey, hash_of_key};

/// Keys of one person at most.
const MAX_KEYS: usize = 100;

pub(super) async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
) -> Result<Response, ApiError> {
    let keys = app.store.keys_of(&who.user_id).await?;
    let keys: Vec<wire::ApiKey<'_>> = keys.iter().map(Into::into).collect();
    Ok(typed(StatusCode::OK, &keys))
}

pub(super) async fn create(request: OwnRequest) -> Result<Response, ApiError> {
    let (OwnAccount { app, who, .. }, body) = request.read().await?;
    let wire::ApiKeyInput { label, scopes, expires_at } = body;
    let scopes = scopes_of(&who, scopes)?;
    let expires_ms = expires_at.0.map(|expiry| expiry.0);
    if expires_ms.is_some_and(|expires_ms| expires_ms <= now_ms()) {
        return Err(invalid("expiresAt", "must be a time in the future"));
    }
    if app.store.keys_of(&who.user_id).await?.len() >= MAX_KEYS {
        return Err(invalid("label", &format!("exceeds the limit of {MAX_KEYS} keys per user")));
    }
    let raw = format!("heddle_{}{}{}", store::new_id(), store::new_id(), store::new_id());
    let hint = raw[raw.len() - 4..].into();
    let key = ApiKey {
        id: store::new_id(),
        user: who.user.clone(),
        label: label.into(),
        hint,
        scopes,
        created_ms: now_ms(),
        expires_ms,
    };
    let shown = wire::NewApiKey { key: (&key).into(), raw_api_key: &raw };
    let response = typed(StatusCode::CREATED, &shown);
    if !app.store.add_key_of(&who.user_id, who.generation, key, hash_of_key(&raw)).await? {
        return Err(password_changed());
    }
    Ok(response)
}

pub(super) async fn remove(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    match app.store.delete_key_of(&who.user_id, &id).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(not_found("API key", &id)),
    }
}

/// No key allows more than the role of whoever makes it.
fn scopes_of(who: &Principal, wanted: Option<wire::ApiKeyScopes>) -> Result<Vec<Str>, ApiError> {
    let Some(wanted) = wanted else { return Ok(vec!["*".into()]) };
    let mut scopes: Vec<Str> = Vec::with_capacity(wanted.0.len());
    for wire::ApiKeyScope(scope) in wanted.0 {
        if scope != "*" {
            who.require(&scope)?;
        }
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    Ok(scopes)
}
