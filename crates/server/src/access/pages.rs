//! The pages behind the links by which people choose a password. The token stays in the part of the
//! address that browsers keep to themselves; the script hands it over.

use crate::page_policy::hash_of;
use crate::response;
use axum::http::StatusCode;
use axum::response::Response;
use std::sync::LazyLock;

const PAGE: &str = include_str!("pages/password.html");
const STYLE: &str = include_str!("pages/password.css");
const SCRIPT: &str = include_str!("pages/password.js");

static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src {}; script-src {}; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        hash_of(STYLE),
        hash_of(SCRIPT)
    )
});

pub(super) async fn invitation() -> Response {
    page("Welcome to Heddle", "Choose a password to sign in.", "", "Create account")
}

pub(super) async fn password_reset() -> Response {
    let lead = "Choose a new password. You will be signed out everywhere else, and your API keys will be \
         revoked.";
    page("New password", lead, "hidden", "Set password")
}

fn page(title: &str, lead: &str, names: &str, action: &str) -> Response {
    let filled = PAGE
        .replace("{{title}}", title)
        .replace("{{lead}}", lead)
        .replace("{{names}}", names)
        .replace("{{action}}", action);
    response::page(
        StatusCode::OK,
        &POLICY,
        filled.replace("{{style}}", STYLE).replace("{{script}}", SCRIPT),
    )
}
