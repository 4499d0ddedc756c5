//! The editor's own files: its pages, its scripts and what they need, embedded into the binary.

mod content;

pub use content::WebContent;

use crate::error::ApiError;
use crate::welcome::welcome;
use crate::{App, access, api, http_cache};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use model::Value;

/// A file of the editor.
#[derive(Debug)]
pub struct WebFile {
    /// Below `/`, such as `assets/index-D4x.js`.
    pub path: &'static str,
    /// The media type.
    pub kind: &'static str,
    /// Changes with what is in it.
    pub tag: &'static str,
    pub content: WebContent,
}

/// The editor as `cargo xtask web` has built it; empty if nobody has.
pub static EDITOR: &[WebFile] = include!(concat!(env!("OUT_DIR"), "/editor.rs"));

/// The editor's own list of pages. All of them are one file, whose script reads the address.
const PAGES: &str = include_str!("../../../web/src/app/pages.json");

/// The first segment of the address of each page.
pub(crate) fn page_paths() -> Vec<String> {
    let pages = model::json::parse(PAGES).unwrap_or_default();
    let path = |page: &Value| page.get("path").and_then(Value::as_str).map(str::to_owned);
    pages.as_array().into_iter().flatten().filter_map(path).collect()
}

/// The file that all pages are.
const PAGE: &str = "index.html";

/// Files below have a name that changes with what is in them, so that they can be kept for ever.
const IMMUTABLE_PREFIX: &str = "assets/";

/// Stands in the page where the nonce of a response goes; `web/vite.config.ts` puts it there.
const NONCE: &str = "HEDDLE_NONCE";

/// What a page of the editor may do. Scripts and styles apply by a nonce, which scripts hand on to
/// what they import, and not because they come from here: workflows answer at this origin too, with
/// scripts if they like. What the canvas sets on its elements it sets as properties, which no
/// policy forbids.
fn page_policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src {nonce}; style-src {nonce}; img-src 'self' data: blob:; media-src 'self' blob:; \
         font-src 'self' data:; connect-src 'self'; worker-src 'none'; frame-src 'none'; object-src 'none'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    )
}

/// A file that is opened by itself, such as a picture, does nothing at all.
const FILE_POLICY: &str = "default-src 'none'; sandbox; frame-ancestors 'none'";

/// Features of browsers that the editor does not use, and that nothing in it may.
const PERMISSIONS: &str = "camera=(), display-capture=(), geolocation=(), hid=(), microphone=(), midi=(), payment=(), serial=(), usb=()";

/// A page of the editor, or a word of welcome if there is no editor in this build.
pub(crate) async fn page(State(app): State<App>, request: Request) -> Response {
    match find(&app, PAGE) {
        Some(file) => respond(page_response(file)),
        None if request.uri().path() == "/" => welcome(State(app)).await,
        None => api::fallback().await,
    }
}

/// Whatever no route answers: a file of the editor, or nothing.
pub(crate) async fn file(State(app): State<App>, request: Request) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    match find(&app, request.uri().path().trim_start_matches('/')).filter(|_| is_read) {
        Some(file) if file.path == PAGE => respond(page_response(file)),
        Some(file) => respond(file_response(file, request.headers())),
        None => api::fallback().await,
    }
}

fn respond(made: Result<Response, ApiError>) -> Response {
    made.unwrap_or_else(|error| error.into_response())
}

fn find(app: &App, path: &str) -> Option<&'static WebFile> {
    app.editor.iter().find(|file| file.path == path)
}

/// The page, with a nonce that no other response has. It is small and says which files it needs, so
/// it is never kept.
fn page_response(file: &'static WebFile) -> Result<Response, ApiError> {
    let nonce = access::new_token();
    let page = file.content.plain()?;
    let mut response =
        Response::new(Body::from(String::from_utf8_lossy(&page).replace(NONCE, &nonce)));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    protect(headers, &page_policy(&format!("'nonce-{nonce}'")));
    Ok(response)
}

/// What holds for every file of the editor.
fn protect(headers: &mut HeaderMap, policy: &str) {
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), PERMISSIONS),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
}

fn file_response(file: &'static WebFile, asked: &HeaderMap) -> Result<Response, ApiError> {
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    headers.insert(header::ETAG, HeaderValue::from_static(file.tag));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    let kept = if file.path.starts_with(IMMUTABLE_PREFIX) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    protect(headers, FILE_POLICY);
    if http_cache::is_known(asked, file.tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    let (coding, bytes) = file.content.negotiate(asked)?;
    if let Some(coding) = coding {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    *response.body_mut() = Body::from(bytes);
    Ok(response)
}
