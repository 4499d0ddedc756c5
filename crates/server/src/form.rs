//! The pages of forms.

use axum::body::Body;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use node_api::trigger::{FormCompletion, FormPage};

/// The page of a form, or what is shown once it was sent.
pub(crate) fn page(page: &FormPage, _problem: Option<&str>) -> Response {
    let body = match &page.completion {
        FormCompletion::Message { title, text } => format!("<h1>{}</h1><p>{}</p>", escape(title), escape(text)),
        FormCompletion::Redirect(url) => format!("<p><a href=\"{}\">Continue</a></p>", escape(url)),
        FormCompletion::Html(html) => html.to_string(),
    };
    let mut response = Response::new(Body::from(body));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
