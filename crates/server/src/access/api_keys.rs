//! `/api/me/api-keys`: one's own keys, for whoever is signed in. The key itself is shown once, when
//! it is made.

use super::session::password_changed;
use super::sign_in::{now_ms, read_fields};
use super::{Principal, not_found, scopes};
use crate::App;
use crate::api::{BodyFields, invalid, iso};
use crate::error::ApiError;
use crate::response::json;
use axum::extract::{Extension, Path, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use model::{Object, Str, Value};
use store::access::{ApiKey, hash_of_key};

/// Keys of one person at most.
const MAX_KEYS: usize = 100;

pub(super) async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
) -> Result<Response, ApiError> {
    let keys = app.store.keys_of(&who.user_id).await?;
    Ok(json(StatusCode::OK, &Value::array(keys.iter().map(|key| to_value(key).into()).collect())))
}

pub(super) async fn create(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, ApiError> {
    let body = read_fields(&headers, request, &["label", "scopes", "expiresAt"]).await?;
    let label = body.text("label", 1, 50)?;
    let scopes = scopes_of(&who, &body)?;
    let expires_ms = expiry(&body)?;
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
    let mut shown = to_value(&key);
    shown.insert("rawApiKey", raw.as_str());
    if !app.store.add_key_of(&who.user_id, who.generation, key, hash_of_key(&raw)).await? {
        return Err(password_changed());
    }
    Ok(json(StatusCode::CREATED, &shown.into()))
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
fn scopes_of(who: &Principal, body: &BodyFields) -> Result<Vec<Str>, ApiError> {
    let Some(list) = body.get("scopes") else { return Ok(vec!["*".into()]) };
    let list = list
        .as_array()
        .filter(|list| !list.is_empty())
        .ok_or_else(|| invalid("scopes", "must be a list with at least one scope"))?;
    let mut wanted: Vec<Str> = Vec::with_capacity(list.len());
    for scope in list {
        match scope.as_str() {
            Some("*") => {}
            Some(scope) if scopes::is_known(scope) => who.require(scope)?,
            _ => return Err(invalid("scopes", "contains an unknown value")),
        }
        let scope = Str::from(scope.as_str().unwrap_or_default());
        if !wanted.contains(&scope) {
            wanted.push(scope);
        }
    }
    Ok(wanted)
}

fn expiry(body: &BodyFields) -> Result<Option<i64>, ApiError> {
    let moment = match body.get("expiresAt") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => {
            text.parse::<jiff::Timestamp>().ok().map(|moment| moment.as_millisecond())
        }
        // n8n's pages send seconds.
        Some(value) => value
            .as_f64()
            .filter(|seconds| *seconds < 1e11)
            .map(|seconds| (seconds * 1000.0) as i64),
    };
    match moment {
        Some(moment) if moment > now_ms() => Ok(Some(moment)),
        _ => Err(invalid(
            "expiresAt",
            "must be a time in the future, such as 2030-01-31T12:00:00Z, or null",
        )),
    }
}

fn to_value(key: &ApiKey) -> Object {
    Object::from_iter([
        ("id", Value::from(key.id.clone())),
        ("label", key.label.clone().into()),
        ("apiKey", format!("******{}", key.hint).into()),
        ("scopes", Value::array(key.scopes.iter().cloned().map(Value::from).collect())),
        ("createdAt", iso(key.created_ms)),
        ("expiresAt", key.expires_ms.map_or(Value::Null, iso)),
    ])
}
