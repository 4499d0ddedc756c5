//! Answers of workflows, and our own, as HTTP responses.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures::{StreamExt as _, stream};
use model::Value;
use node_api::trigger::{
    HeaderRejection, MediaType, ResponseBody, ResponseHeader, WebhookResponse, response_headers,
};
use runtime::endpoint::{EndpointResponse, encode_chunk};
use serde::Serialize;

/// What keeps a page that a workflow made away from the cookies and pages of this instance.
pub(crate) const SANDBOX: &str = "sandbox allow-downloads allow-forms allow-modals allow-popups allow-presentation allow-scripts allow-top-navigation-by-user-activation allow-top-navigation-to-custom-protocols";

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");

pub(crate) fn json(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(Body::from(model::json::to_string(value)));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

/// A response of the API.
pub(crate) fn typed(status: StatusCode, body: &impl Serialize) -> Response {
    let (status, text) = match serde_json::to_vec(body) {
        Ok(text) => (status, text),
        Err(error) => {
            tracing::error!(%error, "Could not write a response.");
            (StatusCode::INTERNAL_SERVER_ERROR, Vec::new())
        }
    };
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, JSON);
    response
}

/// A page that is made here: every one there is, but that of the editor. It is of our own markup,
/// or closed in by its policy.
pub(crate) fn page(status: StatusCode, policy: &str, markup: String) -> Response {
    let mut response = Response::new(Body::from(markup));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    // A page whose policy cannot be sent does nothing at all.
    let policy = HeaderValue::from_str(policy)
        .unwrap_or(HeaderValue::from_static("default-src 'none'; sandbox"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An answer of a workflow that may come in pieces, to a call below a path such as `/webhook`.
pub(crate) fn from_reply(reply: EndpointResponse, door: &str) -> Response {
    match reply {
        EndpointResponse::Whole(answer) => from_workflow(answer, door),
        EndpointResponse::Stream { status, mut headers, first, rest } => {
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                headers.push(("content-type".into(), "application/json; charset=utf-8".into()));
            }
            let mut response =
                from_workflow(WebhookResponse { status, headers, body: ResponseBody::Empty }, door);
            let headers = response.headers_mut();
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            // Proxies that gather an answer before they pass it on are asked not to.
            headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
            let first = stream::once(std::future::ready(Ok(encode_chunk(&first))));
            let rest = stream::unfold(rest, |mut rest| async move {
                Some((rest.next().await?.map(|chunk| encode_chunk(&chunk)), rest))
            });
            *response.body_mut() = Body::from_stream(first.chain(rest));
            response
        }
    }
}

/// The answer of a workflow: every response that a workflow has a say in is made here. Headers that
/// may not be sent are left out; the node that set them has said so in its run.
pub(crate) fn from_workflow(answer: WebhookResponse, door: &str) -> Response {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    // Only a type that we are sure about is shown without the sandbox; no type at all is none of
    // these.
    let mut is_inert = false;
    let mut response = match answer.body {
        ResponseBody::Empty => Response::new(Body::empty()),
        ResponseBody::Json(value) => {
            is_inert = true;
            json(status, &value)
        }
        ResponseBody::Bytes(bytes) => Response::new(Body::from(bytes)),
        ResponseBody::Page(page) => return crate::form::page(&page),
    };
    *response.status_mut() = status;
    let headers = response.headers_mut();
    for (name, decided) in response_headers(&answer.headers) {
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else { continue };
        match decided {
            Ok(ResponseHeader::Other(value)) => insert(headers, name, value),
            Ok(ResponseHeader::ContentType(kind)) => {
                is_inert = kind.is_inert();
                insert(headers, name, kind.as_str());
            }
            Err(HeaderRejection::ContentType) => {
                is_inert = false;
                insert(headers, name, MediaType::FALLBACK);
            }
            Ok(ResponseHeader::SetCookie(cookie)) => {
                if let Ok(cookie) = HeaderValue::from_str(&cookie.to_header(door)) {
                    headers.append(name, cookie);
                }
            }
            Err(_) => {}
        }
    }
    if !is_inert {
        sandbox(headers);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
    response
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
        headers.insert(name, value);
    }
}

/// Shows a response in an origin of its own. A policy of the workflow's may only add to ours: ours
/// is the first and the last one, so it does not matter whether a browser heeds the first
/// `sandbox`, the last or all of them.
fn sandbox(headers: &mut HeaderMap) {
    const OURS: HeaderValue = HeaderValue::from_static(SANDBOX);
    if let Some(theirs) = headers.insert(header::CONTENT_SECURITY_POLICY, OURS) {
        headers.append(header::CONTENT_SECURITY_POLICY, theirs);
        headers.append(header::CONTENT_SECURITY_POLICY, OURS);
    }
}

/// The headers of the response that an answer with these headers becomes, for tests of what must
/// hold for any of them.
pub fn probe_response_headers(headers: Vec<(model::Str, model::Str)>) -> Vec<(String, Vec<u8>)> {
    let response = from_workflow(
        WebhookResponse { status: 200, headers, body: ResponseBody::Empty },
        "/form-waiting",
    );
    response
        .headers()
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
        .collect()
}
