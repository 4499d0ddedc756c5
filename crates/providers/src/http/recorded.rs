//! Answers requests from a list, as the corpus' `http` mocks describe it, in place of the network.

use super::matcher::matches_expected;
use super::userinfo::{percent_decode, take_basic_auth};
use super::{multipart, redirect, secret_binding};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use model::{Object, Str, Value};
use node_api::http::{Http, HttpBody, HttpError, HttpRequest, HttpResponse};
use std::sync::{Mutex, PoisonError};
use url::Url;

/// Recorded answers. The first unused one that fits is given; a request that fits none is a network
/// error.
pub struct RecordedHttp {
    answers: Vec<RecordedResponse>,
    left: Mutex<Vec<RemainingUses>>,
}

#[derive(Clone, Copy)]
enum RemainingUses {
    Times(usize),
    Always,
}

struct RecordedResponse {
    entry: Object,
    base: String,
}

/// A list of answers that cannot be read.
#[derive(Clone, Debug, thiserror::Error)]
#[error("entry {index} of the recorded responses is invalid: {reason}")]
pub struct RecordingError {
    pub index: usize,
    pub reason: &'static str,
}

impl RecordedHttp {
    /// Reads the list of a corpus case.
    pub fn from_value(list: &Value) -> Result<Self, RecordingError> {
        let mut answers = Vec::new();
        let mut left = Vec::new();
        for (index, entry) in list.as_array().unwrap_or_default().iter().enumerate() {
            let fail = |reason| RecordingError { index, reason };
            let entry = entry.as_object().ok_or_else(|| fail("it is not an object"))?.clone();
            let base = entry
                .get("baseUrl")
                .and_then(Value::as_str)
                .ok_or_else(|| fail("baseUrl is missing"))?;
            let base = base.trim_end_matches('/').to_owned();
            left.push(match entry.get("times") {
                None | Some(Value::Undefined | Value::Null) => RemainingUses::Times(1),
                Some(Value::String(text)) if text == "any" => RemainingUses::Always,
                Some(times) => RemainingUses::Times(
                    times.as_usize().ok_or_else(|| fail("times must be a number or 'any'"))?,
                ),
            });
            answers.push(RecordedResponse { entry, base });
        }
        Ok(Self { answers, left: Mutex::new(left) })
    }

    fn answer(&self, sent: &OutgoingRequest) -> Result<HttpResponse, HttpError> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        for (answer, left) in self.answers.iter().zip(left.iter_mut()) {
            if matches!(left, RemainingUses::Times(0)) || !answer.matches(sent) {
                continue;
            }
            if let RemainingUses::Times(times) = left {
                *times -= 1;
            }
            return answer.respond(sent);
        }
        let reason = format!("no recorded response for {} {}", sent.method, sent.url);
        Err(HttpError::Unreachable { reason, errno: None })
    }
}

#[async_trait::async_trait]
impl Http for RecordedHttp {
    async fn send(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        for _ in 0..=request.max_redirects {
            let url = Url::parse(&request.url).map_err(|error| HttpError::Url {
                url: request.url.clone(),
                reason: error.to_string(),
            })?;
            secret_binding::check(&request, &url)?;
            let response = self.answer(&OutgoingRequest::new(&request, url.clone()))?;
            let head = redirect::RedirectHead {
                status: response.status,
                location: response.header("location"),
            };
            match request
                .follow_redirects
                .then(|| redirect::follow(&request, &url, head))
                .transpose()?
                .flatten()
            {
                Some(next) => request = next,
                None => {
                    let limit =
                        request.max_bytes(response.header("content-type").unwrap_or_default());
                    return if response.body.len() > limit {
                        Err(HttpError::TooLarge { limit })
                    } else {
                        Ok(response)
                    };
                }
            }
        }
        Err(HttpError::TooManyRedirects { limit: request.max_redirects })
    }
}

/// A request as it would go over the wire.
struct OutgoingRequest {
    method: Str,
    url: Url,
    headers: Vec<(String, String)>,
    body: Bytes,
    parsed: Value,
    is_form: bool,
}

impl OutgoingRequest {
    fn new(request: &HttpRequest, mut url: Url) -> Self {
        let mut headers = request.headers.clone();
        let (body, parsed_parts) = match &request.body {
            HttpBody::None => (Bytes::new(), None),
            HttpBody::Bytes(bytes) => (bytes.clone(), None),
            HttpBody::Multipart(parts) => {
                let (body, content_type) = multipart::encode(parts);
                headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
                headers.push(("content-type".into(), content_type));
                let fields = parts.iter().map(|part| {
                    (
                        part.name.as_str(),
                        Value::from(String::from_utf8_lossy(&part.data).into_owned()),
                    )
                });
                (body, Some(Value::object(fields.collect())))
            }
        };
        if let Some(basic) = take_basic_auth(&mut url)
            && find(&headers, "authorization").is_none()
        {
            headers.push(("authorization".into(), basic));
        }
        if !matches!(request.body, HttpBody::None) {
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
            headers.push(("content-length".into(), body.len().to_string()));
        }
        let is_form = find(&headers, "content-type")
            .is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded"));
        let text = String::from_utf8_lossy(&body);
        let parsed = parsed_parts.unwrap_or_else(|| match is_form {
            true => pairs_to_object(url::form_urlencoded::parse(text.as_bytes())),
            false => model::json::parse(&text).unwrap_or_else(|_| Value::from(text.as_ref())),
        });
        Self { method: request.method.clone(), url, headers, body, parsed, is_form }
    }
}

impl RecordedResponse {
    fn matches(&self, sent: &OutgoingRequest) -> bool {
        let method = self.entry.get("method").and_then(Value::as_str).unwrap_or("GET");
        method.eq_ignore_ascii_case(&sent.method)
            && self.fits_url(&sent.url)
            && self.fits_headers(sent)
            && self.fits_body(sent)
    }

    fn fits_url(&self, url: &Url) -> bool {
        let origin_and_path = format!("{}{}", url.origin().ascii_serialization(), url.path());
        let mut wanted_query = match self.entry.get("query") {
            Some(Value::Bool(true)) => None,
            Some(Value::Object(query)) => Some(Value::object(
                query.iter().flat_map(|(key, value)| as_texts(key, value)).collect(),
            )),
            Some(Value::String(text)) => {
                Some(pairs_to_object(url::form_urlencoded::parse(text.as_bytes())))
            }
            _ => Some(Value::empty_object()),
        };
        match self.entry.get("path") {
            Some(Value::String(path)) => {
                let (path, in_path) = path.split_once('?').unwrap_or((path, ""));
                let separator = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
                if !same_url(&format!("{}{separator}{path}", self.base), &origin_and_path) {
                    return false;
                }
                if let Some(Value::Object(wanted)) = &mut wanted_query {
                    let extra = pairs_to_object(url::form_urlencoded::parse(in_path.as_bytes()));
                    std::sync::Arc::make_mut(wanted)
                        .extend(extra.as_object().cloned().unwrap_or_default());
                }
            }
            Some(pattern) => {
                let Some(rest) = origin_and_path.strip_prefix(&self.base) else { return false };
                let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
                if !matches_expected(pattern, &Value::from(format!("{rest}{query}"))) {
                    return false;
                }
                wanted_query = None;
            }
            None if !same_url(&self.base, &origin_and_path) => return false,
            None => {}
        }
        wanted_query
            .is_none_or(|wanted| matches_expected(&wanted, &pairs_to_object(url.query_pairs())))
    }

    fn fits_headers(&self, sent: &OutgoingRequest) -> bool {
        let basic = self.entry.get("basicAuth").and_then(Value::as_object).map(|auth| {
            let text = |key| auth.get(key).and_then(Value::as_str).unwrap_or_default();
            let pass = if auth.contains_key("pass") { text("pass") } else { text("password") };
            let user = if auth.contains_key("user") { text("user") } else { text("username") };
            format!("Basic {}", STANDARD.encode(format!("{user}:{pass}")))
        });
        if basic.is_some_and(|wanted| find(&sent.headers, "authorization") != Some(&wanted)) {
            return false;
        }
        let wanted = self.entry.get("requestHeaders").and_then(Value::as_object);
        wanted.into_iter().flat_map(Object::iter).all(|(name, value)| {
            match find(&sent.headers, name) {
                Some(found) => {
                    matches_expected(
                        &Value::from(value_text(value).unwrap_or_default()),
                        &Value::from(found),
                    ) || matches_expected(value, &Value::from(found))
                }
                // What the transport adds by itself is not part of the request here.
                None => {
                    value.get("$opaque").is_some()
                        || ["accept-encoding", "host", "connection"]
                            .contains(&name.to_ascii_lowercase().as_str())
                }
            }
        })
    }

    fn fits_body(&self, sent: &OutgoingRequest) -> bool {
        match self.entry.get("requestBody") {
            None | Some(Value::Undefined) => true,
            Some(Value::String(text)) => {
                let one_line = |text: &str| text.replace(['\r', '\n'], "");
                one_line(text) == one_line(&String::from_utf8_lossy(&sent.body))
            }
            Some(wanted) if sent.is_form => matches_expected(&with_texts(wanted), &sent.parsed),
            Some(wanted) => matches_expected(wanted, &sent.parsed),
        }
    }

    fn respond(&self, sent: &OutgoingRequest) -> Result<HttpResponse, HttpError> {
        if let Some(error) = self.entry.get("networkError").filter(|error| error.is_truthy()) {
            let code =
                error.get("code").or(Some(error)).and_then(Value::as_str).unwrap_or_default();
            let reason = error.get("message").and_then(Value::as_str).unwrap_or(code).to_owned();
            return Err(HttpError::Unreachable {
                errno: known_errno(code).or_else(|| known_errno(&reason)),
                reason,
            });
        }
        let mut headers: Vec<(String, String)> = Vec::new();
        for (name, value) in self
            .entry
            .get("responseHeaders")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Object::iter)
        {
            match value {
                Value::Array(values) => headers.extend(
                    values
                        .iter()
                        .map(|value| (name.to_lowercase().into(), value.to_js_string().into())),
                ),
                value => headers.push((name.to_lowercase().into(), value.to_js_string().into())),
            }
        }
        let body = match self.entry.get("responseBody") {
            None | Some(Value::Undefined) => Bytes::new(),
            Some(Value::String(text)) => Bytes::from(text.to_string()),
            Some(value) => match value.get("$base64").and_then(Value::as_str) {
                Some(data) => STANDARD.decode(data).unwrap_or_default().into(),
                None => {
                    if find(&headers, "content-type").is_none() {
                        headers.push(("content-type".into(), "application/json".into()));
                    }
                    model::json::to_string(value).into()
                }
            },
        };
        let status = self
            .entry
            .get("status")
            .and_then(Value::as_usize)
            .and_then(|status| u16::try_from(status).ok())
            .unwrap_or(200);
        let status_text = reqwest::StatusCode::from_u16(status)
            .ok()
            .and_then(|status| status.canonical_reason())
            .unwrap_or_default();
        Ok(HttpResponse {
            status,
            status_text: status_text.into(),
            headers,
            body,
            url: sent.url.to_string(),
            reservation: Default::default(),
        })
    }
}

fn find<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

/// Two spellings of one URL without its query: escapes do not count, nor does a lone slash.
fn same_url(wanted: &str, found: &str) -> bool {
    let plain = |text: &str| percent_decode(text.trim_end_matches('/'));
    let wanted = Url::parse(wanted).map_or_else(
        |_| wanted.to_owned(),
        |url| format!("{}{}", url.origin().ascii_serialization(), url.path()),
    );
    plain(&wanted) == plain(found)
}

/// `a=1&b[]=2&b[]=3` as `{ a: "1", b: ["2", "3"] }`; a key that occurs twice is a list.
fn pairs_to_object<'p>(
    pairs: impl Iterator<Item = (std::borrow::Cow<'p, str>, std::borrow::Cow<'p, str>)>,
) -> Value {
    let mut object = Object::new();
    for (key, value) in pairs {
        let value = Value::from(value.as_ref());
        let key = list_name(&key);
        match object.get_mut(key) {
            None => {
                object.insert(key, value);
            }
            Some(Value::Array(values)) => std::sync::Arc::make_mut(values).push(value),
            Some(one) => *one = Value::array(vec![one.clone(), value]),
        }
    }
    Value::object(object)
}

/// The name of a list: `a[]` and `a[0]` are elements of `a`.
fn list_name(key: &str) -> &str {
    match key.strip_suffix(']').and_then(|open| open.rsplit_once('[')) {
        Some((name, index))
            if !name.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => key,
    }
}

/// An expected query field, flat as it stands in a URL.
fn as_texts(key: &str, value: &Value) -> Vec<(Str, Value)> {
    match value {
        // In a URL a list of one cannot be told from the one.
        Value::Array(values) if values.len() == 1 => {
            values.iter().flat_map(|value| as_texts(key, value)).collect()
        }
        Value::Array(values) => {
            vec![(key.into(), Value::array(values.iter().map(with_texts).collect()))]
        }
        Value::Object(object) if object.keys().next().is_none_or(|key| !key.starts_with('$')) => {
            object
                .iter()
                .flat_map(|(inner, value)| as_texts(&format!("{key}[{inner}]"), value))
                .collect()
        }
        value => vec![(key.into(), with_texts(value))],
    }
}

/// The same with every number and flag as text, which is all a form knows.
fn with_texts(value: &Value) -> Value {
    match value {
        Value::Number(_) | Value::Bool(_) | Value::Null => Value::from(value.to_js_string()),
        Value::Array(values) => Value::array(values.iter().map(with_texts).collect()),
        Value::Object(object) => Value::object(
            object.iter().map(|(key, value)| (key.clone(), with_texts(value))).collect(),
        ),
        other => other.clone(),
    }
}

fn value_text(value: &Value) -> Option<Str> {
    match value {
        Value::Object(_) => None,
        Value::Array(values) => values.first().map(Value::to_js_string),
        value => Some(value.to_js_string()),
    }
}

fn known_errno(text: &str) -> Option<&'static str> {
    const KNOWN: &[&str] = &[
        "ECONNREFUSED",
        "ECONNRESET",
        "ECONNABORTED",
        "ENOTFOUND",
        "ETIMEDOUT",
        "EHOSTUNREACH",
        "ENETUNREACH",
        "EAI_AGAIN",
        "EPIPE",
        "EADDRINUSE",
        "EADDRNOTAVAIL",
        "EHOSTDOWN",
        "ESOCKETTIMEDOUT",
    ];
    KNOWN.iter().find(|known| text.contains(*known)).copied()
}

#[cfg(test)]
mod tests;
