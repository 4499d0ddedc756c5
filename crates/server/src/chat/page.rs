//! The page of a hosted chat: one file with its styles and scripts in it, which loads nothing from
//! elsewhere.

use crate::page_policy::{hash_of, inside_style};
use crate::response;
use axum::http::StatusCode;
use axum::response::Response;
use model::{Object, Value};
use node_api::trigger::{ChatPage, ChatRoute, PreviousSession, ResponseMode, WebhookAuth};
use std::sync::LazyLock;

const STYLE: &str = include_str!("chat.css");
const BODY: &str = include_str!("chat.html");
const MARKDOWN: &str = include_str!("markdown.js");
const SCRIPT: &str = include_str!("chat.js");

static STYLE_HASH: LazyLock<String> = LazyLock::new(|| hash_of(STYLE));

/// Only our own scripts run, and our own and the author's style apply, by their hashes. Pictures
/// come from the answer itself or from here, so that nothing an agent writes can carry what it
/// knows to another site.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; script-src {} {}; connect-src 'self'; img-src 'self' data: blob:; form-action 'none'; base-uri 'none'; \
         style-src {}",
        hash_of(MARKDOWN),
        hash_of(SCRIPT),
        *STYLE_HASH
    )
});

pub(super) fn chat(chat: &ChatRoute) -> Response {
    let page = chat.page.clone().unwrap_or_default();
    let title = if page.title.trim().is_empty() { "Chat" } else { &page.title };
    let css = inside_style(&page.css);
    let settings = settings(chat, &page);
    let markup = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><link rel=\"icon\" href=\"data:,\"><title>{}</title><style>{STYLE}</style><style>{css}</style></head>{BODY}\
         <script type=\"application/json\" id=\"settings\">{settings}</script><script>{MARKDOWN}</script><script>{SCRIPT}</script></html>",
        escape(title)
    );
    // A page that acts for somebody who is signed in is shown in no frame of another site.
    let frames = if chat.route.auth == WebhookAuth::User { "'self'" } else { "*" };
    response::page(
        StatusCode::OK,
        &format!("{} {}; frame-ancestors {frames}", *POLICY, hash_of(&css)),
        markup,
    )
}

pub(super) fn sign_in_first() -> Response {
    let words = "<main class=\"chat-layout alone\"><h1>Sign in first</h1><p>This chat is only for users of \
         this Heddle instance. Sign in, then reload this page.</p></main>";
    let markup = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Sign in first</title><style>{STYLE}</style></head><body>{words}</body></html>"
    );
    response::page(
        StatusCode::UNAUTHORIZED,
        &format!("default-src 'none'; style-src {}; frame-ancestors 'self'", *STYLE_HASH),
        markup,
    )
}

/// What the script needs to know, as JSON that cannot end its element.
fn settings(chat: &ChatRoute, page: &ChatPage) -> String {
    let settings = Object::from_iter([
        ("title", Value::from(page.title.clone())),
        ("subtitle", page.subtitle.clone().into()),
        (
            "greeting",
            Value::array(
                page.greeting
                    .lines()
                    .filter(|line| !line.trim().is_empty())
                    .map(Value::from)
                    .collect(),
            ),
        ),
        ("placeholder", page.placeholder.clone().into()),
        ("welcome", page.welcome.clone().map_or(Value::Null, Value::from)),
        ("accepts", chat.accepts.clone().map_or(Value::Null, Value::from)),
        ("previous", (chat.previous != PreviousSession::Off).into()),
        ("streams", (chat.route.answer == ResponseMode::Streaming).into()),
    ]);
    model::json::to_string(&settings.into()).replace('<', "\\u003c")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
