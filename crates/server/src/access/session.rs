//! Sessions: the cookie, and the token that a page of ours sends along.

use super::sign_in::now_ms;
use crate::App;
use crate::error::ApiError;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::http::{HeaderMap, HeaderValue, header};
use model::{Code, Str};
use store::Users as _;
use store::access::hash_of_key;
use store::users::NewSession;

const NAME: &str = "heddle_session";
/// Browsers take a cookie of this name only over a secure connection, from this very host.
const SECURE_NAME: &str = "__Host-heddle_session";
const CSRF_HEADER: &str = "x-csrf-token";
const LASTS_SECONDS: i64 = 7 * 24 * 60 * 60;

/// Whether a `Set-Cookie` header is for a cookie of ours.
pub(crate) fn is_session_cookie(header: &[u8]) -> bool {
    let name = header.split(|byte| *byte == b'=').next().unwrap_or_default().trim_ascii();
    [NAME, SECURE_NAME].iter().any(|ours| ours.as_bytes().eq_ignore_ascii_case(name))
}

/// A session that has just begun.
pub(super) struct Begun {
    pub(super) cookie: HeaderValue,
    pub(super) csrf: Str,
}

pub(super) async fn begin(app: &App, user_id: &Str) -> Result<Begun, ApiError> {
    let token = new_token();
    let csrf: Str = new_token().into();
    let expires_ms = now_ms() + LASTS_SECONDS * 1000;
    let session = NewSession { user_id: user_id.clone(), csrf: csrf.clone(), expires_ms };
    app.store.add_session(hash_of_key(&token), session).await?;
    Ok(Begun { cookie: cookie(app, &token, LASTS_SECONDS)?, csrf })
}

pub(super) fn ended_cookie(app: &App) -> Result<HeaderValue, ApiError> {
    cookie(app, "", 0)
}

fn cookie(app: &App, token: &str, seconds: i64) -> Result<HeaderValue, ApiError> {
    // Without encryption a browser would throw a secure cookie away.
    let is_secure = !app.base_url.starts_with("http://");
    let (name, secure) = if is_secure { (SECURE_NAME, "; Secure") } else { (NAME, "") };
    let text = format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).map_err(|_| ApiError::new(Code::STORE_CORRUPT, "A cookie could not be made"))
}

/// The session's token in the cookies of a request.
pub(super) fn token_of(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, value)| (*name == NAME || *name == SECURE_NAME) && !value.is_empty()).map(|(_, value)| value)
}

/// A page of another site can send our cookie, but it cannot know this token.
pub(super) fn check_csrf(headers: &HeaderMap, expected: &str) -> Result<(), ApiError> {
    let given = headers.get(CSRF_HEADER).map(HeaderValue::as_bytes).unwrap_or_default();
    verify_slices_are_equal(given, expected.as_bytes()).map_err(|_| {
        ApiError::new(Code::ACCESS_FORBIDDEN, "The header X-CSRF-Token does not fit the session").hint("GET /api/me tells the token.")
    })
}

/// Forty-eight random letters and digits.
pub(super) fn new_token() -> String {
    format!("{}{}{}", store::new_id(), store::new_id(), store::new_id())
}
