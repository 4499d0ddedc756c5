//! The pages behind the links by which people choose a password. The token stays in the part of the address that browsers keep to
//! themselves; the script hands it over.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};

const PAGE: &str = include_str!("pages/password.html");
const SCRIPT: &str = include_str!("pages/password.js");

pub(super) async fn invitation() -> Response {
    page("Welcome to Heddle", "Choose a password, and you are in.", "", "Create account")
}

pub(super) async fn password_reset() -> Response {
    page("A new password", "Choose a new password. You are signed out everywhere else.", "hidden", "Set password")
}

pub(super) async fn script() -> Response {
    with_headers(SCRIPT.into_response(), "text/javascript; charset=utf-8")
}

fn page(title: &str, lead: &str, names: &str, action: &str) -> Response {
    let filled = PAGE.replace("{{title}}", title).replace("{{lead}}", lead).replace("{{names}}", names).replace("{{action}}", action);
    with_headers(filled.into_response(), "text/html; charset=utf-8")
}

fn with_headers(mut response: Response, kind: &'static str) -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; form-action 'none'; \
                          base-uri 'none'; frame-ancestors 'none'";
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
