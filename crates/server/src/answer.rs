//! Answers of workflows, and our own, as HTTP responses.

use crate::access::is_session_cookie;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures::{StreamExt as _, stream};
use model::Value;
use node_api::trigger::{Answer, AnswerBody};
use runtime::hooks::{Reply, line};

/// What keeps a page that a workflow made away from the cookies and pages of this instance.
pub(crate) const SANDBOX: &str = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-presentation allow-scripts allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols";

/// Headers that frame an answer or reach beyond it; a workflow does not set them.
const OURS: [&str; 9] = [
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "trailer",
    "te",
    "clear-site-data",
    "service-worker-allowed",
];

/// Types that no browser runs as a page. Anything else is treated as one.
fn is_harmless(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let is_media = ["image/", "audio/", "video/", "font/"].iter().any(|start| kind.starts_with(start)) && !kind.contains("xml");
    is_media
        || matches!(
            kind,
            "application/json" | "application/pdf" | "application/octet-stream" | "application/zip" | "text/plain" | "text/csv"
        )
}

pub(crate) fn json(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(model::json::to_string(value)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    response
}

/// An answer of a workflow that may come in pieces.
pub(crate) fn of_call(reply: Reply) -> Response {
    match reply {
        Reply::Whole(answer) => of_workflow(answer),
        Reply::Stream { status, mut headers, first, rest } => {
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                headers.push(("content-type".into(), "application/json; charset=utf-8".into()));
            }
            headers.push(("cache-control".into(), "no-cache".into()));
            // Proxies that gather an answer before they pass it on are asked not to.
            headers.push(("x-accel-buffering".into(), "no".into()));
            let mut response = of_workflow(Answer { status, headers, body: AnswerBody::Empty });
            let first = stream::once(std::future::ready(Ok(line(&first))));
            let rest = stream::unfold(rest, |mut rest| async move { Some((rest.next().await?.map(|chunk| line(&chunk)), rest)) });
            *response.body_mut() = Body::from_stream(first.chain(rest));
            response
        }
    }
}

/// The answer of a workflow. Headers that cannot be sent are left out; the node that set them has checked them.
pub(crate) fn of_workflow(answer: Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let is_empty = answer.body == AnswerBody::Empty;
    let mut response = match answer.body {
        AnswerBody::Empty => Response::new(Body::empty()),
        AnswerBody::Json(value) => json(status, &value),
        AnswerBody::Bytes(bytes) => Response::new(Body::from(bytes)),
        AnswerBody::Page(page) => return crate::form::page(&page),
    };
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in &answer.headers {
        if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
            continue;
        }
        let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value.as_bytes())) else { continue };
        if name == header::SET_COOKIE {
            // A workflow cannot sign anybody in or out.
            if !is_session_cookie(value.as_bytes()) {
                headers.append(name, value);
            }
        } else {
            headers.insert(name, value);
        }
    }
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if !(kind.starts_with("application/json") || kind.is_empty() && is_empty || is_harmless(&kind.to_ascii_lowercase())) {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
