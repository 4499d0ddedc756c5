//! A request while it is being put together: parameters, credentials and pagination all change it
//! before it is sent.

use super::query::{self, ArrayFormat};
use bytes::Bytes;
use model::{Object, Str, Value};
use node_api::RequestKey;
use node_api::hosts::{HostAllowlist, SecretBinding};
use node_api::http::{HttpBody, HttpRequest, MultipartPart, TlsCertificates};
use node_api::prelude::*;
use std::sync::Arc;

/// What n8n waits for an answer when nothing else is said.
pub(super) const DEFAULT_TIMEOUT_MS: u64 = 300_000;
pub(super) const DEFAULT_REDIRECTS: usize = 21;

#[derive(Clone, Debug)]
pub(super) struct RequestDraft {
    pub(super) method: Str,
    pub(super) url: String,
    pub(super) query: Object,
    pub(super) arrays: ArrayFormat,
    headers: Vec<(String, String)>,
    /// Goes out in place of any header of that name.
    pub(super) key: Option<RequestKey>,
    pub(super) body: DraftBody,
    pub(super) timeout_ms: u64,
    /// How many redirects to follow, if any.
    pub(super) redirects: Option<usize>,
    pub(super) allow_invalid_certificates: bool,
    pub(super) certificates: Option<Arc<TlsCertificates>>,
    pub(super) proxy: Option<String>,
    pub(super) credential_headers: Vec<String>,
    pub(super) credentials_cross_origins: bool,
    /// The hosts that the secrets of the request may go to.
    pub(super) bound: Option<Arc<SecretBinding>>,
    /// The hosts that the request may go to at all.
    pub(super) hosts: HostAllowlist,
    /// The host comes out of what a model gave, and would be another one without it.
    pub(super) host_is_models: bool,
    /// The largest answer, if it is to be another than usual.
    pub(super) max_response_bytes: Option<usize>,
    pub(super) max_bytes_of: Option<fn(&str) -> usize>,
}

#[derive(Clone, Debug, Default)]
pub(super) enum DraftBody {
    #[default]
    None,
    Json(Value),
    Form(Object),
    Multipart(Vec<MultipartPart>),
    Raw {
        data: Bytes,
        content_type: Option<String>,
    },
}

impl RequestDraft {
    pub(super) fn new(method: &str, url: &str) -> Self {
        Self {
            method: method.into(),
            url: url.to_owned(),
            query: Object::new(),
            arrays: ArrayFormat::default(),
            headers: Vec::new(),
            key: None,
            body: DraftBody::None,
            timeout_ms: DEFAULT_TIMEOUT_MS,
            redirects: Some(DEFAULT_REDIRECTS),
            allow_invalid_certificates: false,
            certificates: None,
            proxy: None,
            credential_headers: Vec::new(),
            credentials_cross_origins: false,
            bound: None,
            hosts: HostAllowlist::Any,
            host_is_models: false,
            max_response_bytes: None,
            max_bytes_of: None,
        }
    }

    /// Notes who has chosen the host that the address in a parameter leads to.
    pub(super) fn chosen_in(mut self, ctx: &Ctx<'_>, param: &str, item: usize) -> Self {
        if let Some(others) = ctx.host().without_model(param, item) {
            let origin = |text: &str| url::Url::parse(text.trim()).ok().map(|url| url.origin());
            let chosen = origin(&self.url);
            self.host_is_models |= !others
                .iter()
                .any(|other| chosen.is_some() && other.as_str().and_then(origin) == chosen);
        }
        self
    }

    /// Notes it if a model has chosen the proxy, which reads what is not sealed.
    pub(super) fn proxy_chosen_in(&mut self, ctx: &Ctx<'_>, param: &str, item: usize) {
        if let (Some(proxy), Some(others)) = (&self.proxy, ctx.host().without_model(param, item)) {
            self.host_is_models |= !others.iter().any(|other| text_of(other) == *proxy);
        }
    }

    /// Refuses a `Host` header that comes out of what a model gave: behind the author's host it
    /// could name any server.
    pub(super) fn check_host_header(
        &self,
        ctx: &Ctx<'_>,
        param: &str,
        item: usize,
        read: impl Fn(&Value) -> Vec<(String, String)>,
    ) -> Result<(), NodeError> {
        let Some(host) = self.header("host") else { return Ok(()) };
        let Some(others) = ctx.host().without_model(param, item) else { return Ok(()) };
        let named = |headers: Vec<(String, String)>| {
            headers.into_iter().rev().find(|(name, _)| wire_name(name) == "host")
        };
        let is_authors =
            others.iter().any(|other| named(read(other)).is_some_and(|(_, value)| value == host));
        let is_same = url::Url::parse(self.url.trim())
            .is_ok_and(|url| url.host_str().is_some_and(|name| name.eq_ignore_ascii_case(host)));
        match is_authors || is_same {
            true => Ok(()),
            false => Err(NodeError::new(
                Code::EGRESS_URL,
                "A model cannot set the Host header of a request",
            )
            .on_item(item)),
        }
    }

    /// Keeps the further pages of a request, for a model that has read text of strangers and can
    /// get at private data, to the host of the first one: they would lead what they carry to
    /// somebody else. The way out does the same for redirects.
    pub(super) fn pin_to_host(mut self, ctx: &Ctx<'_>) -> Self {
        let is_exposed =
            ctx.host().model_exposure().is_some_and(|met| met.untrusted && met.private);
        if is_exposed
            && self.hosts.is_any()
            && let Some(hosts) = HostAllowlist::of_request(&self.url, self.header("host"))
        {
            self.hosts = hosts;
        }
        self
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let name = name.trim();
        self.headers
            .iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Sets a header in place of any of that name.
    pub(super) fn set_header(&mut self, name: &str, value: impl Into<String>) {
        let name = wire_name(name);
        self.headers.retain(|(key, _)| *key != name);
        self.headers.push((name, value.into()));
    }

    pub(super) fn set_header_if_missing(&mut self, name: &str, value: &str) {
        if self.header(name).is_none() {
            self.set_header(name, value);
        }
    }

    /// A header that a redirect to another origin must lose.
    pub(super) fn set_secret_header(&mut self, name: &str, value: impl Into<String>) {
        self.set_header(name, value);
        self.credential_headers.push(wire_name(name));
    }

    pub(super) fn headers_as_object(&self) -> Object {
        self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// The URL with the query behind it.
    pub(super) fn full_url(&self) -> String {
        let text = query::stringify(&self.query, self.arrays);
        if text.is_empty() {
            return self.url.clone();
        }
        let (place, fragment) = match self.url.split_once('#') {
            Some((place, fragment)) => (place, format!("#{fragment}")),
            None => (self.url.as_str(), String::new()),
        };
        let joint = match place.find('?') {
            None => "?",
            Some(_) if place.ends_with(['?', '&']) => "",
            Some(_) => "&",
        };
        format!("{place}{joint}{text}{fragment}")
    }

    pub(super) fn into_request(mut self) -> HttpRequest {
        if let Some(RequestKey { header, value }) = self.key.take() {
            self.set_header(&header, value.as_str());
        }
        let declared = self.header("content-type").unwrap_or_default().to_ascii_lowercase();
        // A header that announces a form makes the fields one, whatever kind of body was chosen.
        if let DraftBody::Json(Value::Object(fields)) = &self.body {
            if declared.starts_with("application/x-www-form-urlencoded") {
                self.body = DraftBody::Form((**fields).clone());
            } else if declared.starts_with("multipart/form-data") {
                self.body = DraftBody::Multipart(form_parts(fields));
            }
        }
        let (body, content_type) = match std::mem::take(&mut self.body) {
            DraftBody::None => (HttpBody::None, None),
            // A text that stands where JSON was announced goes out as it is.
            DraftBody::Json(Value::String(text)) => {
                (HttpBody::Bytes(text.to_string().into()), Some("application/json".to_owned()))
            }
            DraftBody::Json(value) => (
                HttpBody::Bytes(model::json::to_string(&value).into()),
                Some("application/json".to_owned()),
            ),
            DraftBody::Form(fields) => {
                let text = query::stringify(&fields, ArrayFormat::Indices);
                (HttpBody::Bytes(text.into()), Some("application/x-www-form-urlencoded".to_owned()))
            }
            DraftBody::Multipart(parts) => (HttpBody::Multipart(parts), None),
            DraftBody::Raw { data, content_type } => (
                HttpBody::Bytes(data),
                content_type.or_else(|| Some("application/x-www-form-urlencoded".to_owned())),
            ),
        };
        if let Some(content_type) = content_type {
            self.set_header_if_missing("content-type", &content_type);
        }
        self.set_header_if_missing("user-agent", "n8n");
        let mut request = HttpRequest::new(&self.method, self.full_url());
        request.headers = self.headers;
        request.body = body;
        request.timeout_ms = self.timeout_ms;
        request.follow_redirects = self.redirects.is_some();
        request.max_redirects = self.redirects.unwrap_or(0);
        request.allow_invalid_certificates = self.allow_invalid_certificates;
        request.certificates = self.certificates;
        request.proxy = self.proxy;
        request.credential_headers = self.credential_headers;
        request.credentials_cross_origins = self.credentials_cross_origins;
        request.bound = self.bound;
        request.hosts = self.hosts;
        request.max_response_bytes = self.max_response_bytes.unwrap_or(request.max_response_bytes);
        request.max_bytes_of = self.max_bytes_of;
        request
    }
}

/// The name of a header as it is sent. Whatever compares names compares these, or a blank would
/// make another header of one.
fn wire_name(name: &str) -> String {
    name.trim().to_ascii_lowercase()
}

/// A part for each field; a list gives one part for each of its values.
pub(super) fn form_parts(fields: &Object) -> Vec<MultipartPart> {
    let part = |name: &str, value: &Value| MultipartPart {
        name: name.to_owned(),
        data: text_of(value).into(),
        file_name: None,
        mime_type: None,
    };
    let mut parts = Vec::new();
    for (name, value) in fields.iter() {
        match value {
            Value::Undefined => {}
            Value::Array(values) => parts.extend(values.iter().map(|value| part(name, value))),
            value => parts.push(part(name, value)),
        }
    }
    parts
}

/// The part that carries a file of an item.
pub(super) fn file_part(name: &str, file: &Binary) -> MultipartPart {
    let file_name = file.file_name.as_ref().map_or_else(|| "file".to_owned(), ToString::to_string);
    MultipartPart {
        name: name.to_owned(),
        data: file.data.clone(),
        file_name: Some(file_name),
        mime_type: Some(file.mime_type.to_string()),
    }
}

/// A value as text for headers and forms: nothing is empty, structures are JSON.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Undefined | Value::Null => String::new(),
        Value::Array(_) | Value::Object(_) => model::json::to_string(value),
        value => value.to_js_string().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_goes_behind_what_the_url_already_has() {
        let url = |url: &str| {
            let mut draft = RequestDraft::new("GET", url);
            draft.query.insert("b", 2);
            draft.full_url()
        };
        assert_eq!(url("https://x.test/p"), "https://x.test/p?b=2");
        assert_eq!(url("https://x.test/p?a=1#f"), "https://x.test/p?a=1&b=2#f");
        assert_eq!(url("https://x.test/p?"), "https://x.test/p?b=2");
    }

    #[test]
    fn issue_14_08_a_blank_in_a_name_makes_no_other_header() {
        let mut draft = RequestDraft::new("GET", "https://x.test/");
        draft.set_header("X-Key", "of the workflow");
        draft.set_secret_header(" X-Key ", "canary");
        assert_eq!((draft.headers.len(), draft.header("x-key ")), (1, Some("canary")));
        assert_eq!(draft.into_request().credential_headers, ["x-key"]);
    }

    #[test]
    fn a_content_type_header_decides_how_fields_are_sent() {
        let sent = |content_type: &str| {
            let mut draft = RequestDraft::new("POST", "https://x.test/");
            draft.body = DraftBody::Json(json!({ "a": 1, "b": "x y" }));
            if !content_type.is_empty() {
                draft.set_header("Content-Type", content_type);
            }
            draft.into_request()
        };
        let text = |request: &HttpRequest| match &request.body {
            HttpBody::Bytes(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
            other => format!("{other:?}"),
        };
        assert_eq!(text(&sent("")), r#"{"a":1,"b":"x y"}"#);
        assert_eq!(sent("").header("content-type"), Some("application/json"));
        assert_eq!(text(&sent("application/x-www-form-urlencoded")), "a=1&b=x%20y");
        assert!(
            matches!(sent("multipart/form-data").body, HttpBody::Multipart(parts) if parts.len() == 2)
        );
        assert_eq!(text(&sent("application/vnd.api+json")), r#"{"a":1,"b":"x y"}"#);
    }
}
