//! Answers of workflows, and our own, as HTTP responses.

use crate::access::is_session_cookie;
use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use model::Value;
use node_api::trigger::{Answer, AnswerBody};

/// What keeps a page that a workflow made away from the cookies and pages of this instance.
const SANDBOX: &str = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-presentation allow-scripts allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols";

pub(crate) fn json(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(model::json::to_string(value)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    response
}

/// The answer of a workflow. Headers that cannot be sent are left out; the node that set them has checked them.
pub(crate) fn of_workflow(answer: Answer) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    let mut response = match answer.body {
        AnswerBody::Empty => Response::new(Body::empty()),
        AnswerBody::Json(value) => json(status, &value),
        AnswerBody::Bytes(bytes) => Response::new(Body::from(bytes)),
        AnswerBody::Page(page) => return crate::form::page(&page),
    };
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, value) in &answer.headers {
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
    let is_page = headers.get(header::CONTENT_TYPE).is_some_and(|kind| {
        let kind = kind.to_str().unwrap_or_default();
        kind.starts_with("text/html") || kind.contains("xml") || kind.contains("svg")
    });
    if is_page {
        headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
