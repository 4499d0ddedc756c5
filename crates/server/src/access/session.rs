//! Sessions: the cookie, and the token that a page of ours sends along.

use super::sign_in::now_ms;
use crate::App;
use crate::error::ApiError;
use aws_lc_rs::constant_time::verify_slices_are_equal;
use axum::http::{HeaderMap, HeaderValue, header};
use model::{Code, Str};
use store::access::hash_of_key;
use store::users::{NewSession, User};

const SESSION_COOKIE: &str = "heddle_session";
/// In the name of every cookie of ours, whatever its prefix.
const OWN_COOKIE_MARKER: &[u8] = b"heddle_";
/// Browsers take a cookie of this name only over a secure connection, from this very host.
const SECURE_PREFIX: &str = "__Host-";
pub(crate) const CSRF_HEADER: &str = "x-csrf-token";
const LIFETIME_SECONDS: i64 = 7 * 24 * 60 * 60;

/// A session that has just begun.
pub(super) struct StartedSession {
    pub(super) cookie: HeaderValue,
    pub(super) csrf: Str,
}

/// Begins a session of somebody as they were when they showed who they are.
pub(super) async fn begin(app: &App, user: &User) -> Result<StartedSession, ApiError> {
    let token = new_token();
    let csrf: Str = new_token().into();
    let expires_ms = now_ms() + LIFETIME_SECONDS * 1000;
    let session = NewSession {
        user_id: user.id.clone(),
        generation: user.generation,
        csrf: csrf.clone(),
        expires_ms,
    };
    if !app.store.add_session(hash_of_key(&token), session).await? {
        return Err(password_changed());
    }
    Ok(StartedSession { cookie: set_cookie(app, SESSION_COOKIE, &token, LIFETIME_SECONDS)?, csrf })
}

/// Somebody's password was set while they did something that the old one had allowed.
pub(super) fn password_changed() -> ApiError {
    ApiError::new(Code::ACCESS_DENIED, "The password was changed in the meantime")
        .hint("Sign in again.")
}

pub(super) fn expired_cookie(app: &App) -> Result<HeaderValue, ApiError> {
    set_cookie(app, SESSION_COOKIE, "", 0)
}

/// The session's token in the cookies of a request.
pub(super) fn token_of<'a>(app: &App, headers: &'a HeaderMap) -> Option<&'a str> {
    cookie(headers, SESSION_COOKIE, app.is_secure())
}

/// The token that the pages of somebody's session send along.
pub(super) async fn csrf_of(
    app: &App,
    headers: &HeaderMap,
    user_id: &str,
) -> Result<Option<Str>, ApiError> {
    let Some(token) = token_of(app, headers) else { return Ok(None) };
    let session = app.store.session(hash_of_key(token)).await?;
    Ok(session.filter(|session| session.user.id == user_id).map(|session| session.csrf))
}

pub(super) fn set_cookie(
    app: &App,
    name: &str,
    value: &str,
    seconds: i64,
) -> Result<HeaderValue, ApiError> {
    // Without encryption a browser would throw a secure cookie away.
    let (prefix, secure) = if app.is_secure() { (SECURE_PREFIX, "; Secure") } else { ("", "") };
    // A browser that has too many cookies of a site throws others away first, if it knows the
    // priority.
    let text = format!(
        "{prefix}{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax; Priority=High{secure}"
    );
    HeaderValue::from_str(&text)
        .map_err(|_| ApiError::new(Code::STORE_CORRUPT, "The session cookie could not be created"))
}

/// The cookie of this name. Over an encrypted connection only the one that nobody but this host can
/// have set counts. If there are several, somebody else has set one of them, and none counts.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str, is_secure: bool) -> Option<&'a str> {
    let prefix = if is_secure { SECURE_PREFIX } else { "" };
    let pairs = headers
        .get_all(header::COOKIE)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    let mut found = pairs.filter_map(|pair| {
        let pair = pair.trim_ascii();
        let place = pair.iter().position(|byte| *byte == b'=')?;
        let is_it = pair[..place]
            .strip_prefix(prefix.as_bytes())
            .is_some_and(|rest| rest == name.as_bytes());
        is_it.then(|| &pair[place + 1..])
    });
    let value = found.next()?;
    if found.next().is_some() || value.is_empty() {
        return None;
    }
    std::str::from_utf8(value).ok()
}

/// The cookies of a request that a workflow may see, in one line: none of ours. Browsers send ours
/// along with every call of a webhook.
pub(crate) fn workflow_cookies(headers: &HeaderMap) -> Option<String> {
    let pairs = headers
        .get_all(header::COOKIE)
        .iter()
        .flat_map(|line| line.as_bytes().split(|byte| *byte == b';'));
    let others: Vec<_> = pairs
        .map(<[u8]>::trim_ascii)
        .filter(|pair| !pair.is_empty() && !is_own_cookie(pair))
        .map(String::from_utf8_lossy)
        .collect();
    (!others.is_empty()).then(|| others.join("; "))
}

/// Whether a cookie is one of ours in any spelling. Of one without a name the value may stand for a
/// name.
fn is_own_cookie(pair: &[u8]) -> bool {
    let place = pair.iter().position(|byte| *byte == b'=');
    let name = place
        .map(|place| &pair[..place])
        .filter(|name| !name.trim_ascii().is_empty())
        .unwrap_or(pair);
    name.to_ascii_lowercase().windows(OWN_COOKIE_MARKER.len()).any(|part| part == OWN_COOKIE_MARKER)
}

/// A page of another site can send our cookie, but it cannot know this token.
pub(super) fn check_csrf(headers: &HeaderMap, expected: &str) -> Result<(), ApiError> {
    let given = headers.get(CSRF_HEADER).map(HeaderValue::as_bytes).unwrap_or_default();
    verify_slices_are_equal(given, expected.as_bytes()).map_err(|_| {
        ApiError::new(Code::ACCESS_FORBIDDEN, "The X-CSRF-Token header does not match the session")
            .hint("GET /api/me returns the token.")
    })
}

/// Forty-eight random letters and digits.
pub(crate) fn new_token() -> String {
    format!("{}{}{}", store::new_id(), store::new_id(), store::new_id())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &[&str], is_secure: bool) -> Option<String> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::COOKIE, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        cookie(&headers, SESSION_COOKIE, is_secure).map(str::to_owned)
    }

    #[test]
    fn issue_14_13_only_the_protected_name_counts_over_an_encrypted_connection() {
        assert_eq!(found(&["__Host-heddle_session=a"], true).as_deref(), Some("a"));
        assert_eq!(found(&["heddle_session=b"], true), None);
        assert_eq!(
            found(&["heddle_session=b; __Host-heddle_session=a"], true).as_deref(),
            Some("a")
        );
        assert_eq!(found(&["heddle_session=b"], false).as_deref(), Some("b"));
        assert_eq!(found(&["__Host-heddle_session=a"], false), None);
    }

    #[test]
    fn issue_14_13_two_cookies_of_the_name_are_none() {
        for lines in [
            &["heddle_session=a; heddle_session=b"][..],
            &["heddle_session=a", "heddle_session=b"],
            &["heddle_session=a; heddle_session=a"],
            &["heddle_session=; heddle_session=a"],
        ] {
            assert_eq!(found(lines, false), None, "{lines:?}");
        }
    }

    #[test]
    fn issue_14_13_workflows_see_no_cookie_of_ours() {
        for (lines, seen) in [
            (&["heddle_session=a"][..], None),
            (&["__Host-heddle_session=a; heddle_device=b"], None),
            (&["other=1; heddle_session=a"], Some("other=1")),
            (
                &["__Host-heddle_session=a;other=1;;  theme=d\u{e4}rk "],
                Some("other=1; theme=d\u{e4}rk"),
            ),
            (&["a=1", "heddle_session=t", "b=2"], Some("a=1; b=2")),
            (
                &[
                    "HEDDLE_Session=a; __secure-Heddle_device=b; \"heddle_session\"=c; heddle_session =d; x_heddle_new=e",
                ],
                None,
            ),
            (&["=heddle_session=a; = __Host-heddle_session=b; heddle_session; ="], Some("=")),
            (&["a=\"x; heddle_session=t; y\""], Some("a=\"x; y\"")),
            (&["docs=heddle_session"], Some("docs=heddle_session")),
            (&[""], None),
        ] {
            let given = lines
                .iter()
                .map(|line| (header::COOKIE, HeaderValue::from_bytes(line.as_bytes()).unwrap()));
            let mut headers = HeaderMap::new();
            for (name, value) in given {
                headers.append(name, value);
            }
            assert_eq!(workflow_cookies(&headers).as_deref(), seen, "{lines:?}");
        }
    }

    #[test]
    fn the_name_is_read_exactly() {
        for line in [
            "Heddle_Session=a",
            "heddle_session",
            "=heddle_session=a",
            "\"heddle_session\"=a",
            "heddle_session =a",
            "x=heddle_session=a",
        ] {
            assert_eq!(found(&[line], false), None, "{line}");
        }
        assert_eq!(
            found(&["theme=d\u{e4}rk; heddle_session=a"], false).as_deref(),
            Some("a"),
            "cookies of others do not disturb"
        );
    }
}
