//! Keys by which a service knows a request again, so that the step which sends it may be repeated
//! after a crash.

use model::{Str, Value};
use serde::{Deserialize, Serialize};

/// The longest name of a header that takes a key.
pub const MAX_KEY_HEADER: usize = 64;

/// What to do about a name that is none of a header for keys.
pub const KEY_HEADER_HINT: &str = "Enter the name of a header that has no other meaning, such as Idempotency-Key, without an expression.";

/// Headers that mean something else to the service, the connection or the credential. A request
/// whose key is sent in one of them would not carry the key.
const RESERVED_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "keep-alive",
    "origin",
    "proxy-authorization",
    "proxy-connection",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// How a node sends keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyRule {
    /// The parameter that names the header. Set and empty, it keeps the node from sending keys.
    pub header: Str,
    /// With anything in this parameter the node sends more than one request for an item, and no
    /// keys.
    pub unless: Str,
    /// The parameter that names the type of the credential, and the one that must have a value for
    /// that. A type whose service takes keys
    /// ([`crate::credential::CredentialSpec::idempotency_header`]) names the header if nothing else
    /// does.
    pub credential: Option<CredentialChoice>,
}

/// Which parameter names a type of credential, and while which other one has a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialChoice {
    pub kind: Str,
    pub param: Str,
    pub equals: Str,
}

/// What a node sends with a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    pub header: Str,
    pub value: Str,
}

impl KeyRule {
    /// The header that the keys of a node with these parameters go into. It is a fixed text: what
    /// an expression gives is not known before the step runs.
    pub fn header(
        &self,
        params: &Value,
        of_credential: impl FnOnce(&str) -> Option<Str>,
    ) -> Option<Str> {
        if !params.get_path(&self.unless).is_none_or(Value::is_nullish) {
            return None;
        }
        if let Some(named) = params.get_path(&self.header).filter(|named| !named.is_nullish()) {
            let named = named.as_str()?.trim();
            return is_key_header(named).then(|| named.into());
        }
        let CredentialChoice { kind, param, equals } = self.credential.as_ref()?;
        let text = |path: &str| params.get_path(path).and_then(Value::as_str);
        let kind = text(kind).filter(|kind| !kind.starts_with('='))?;
        if text(param) != Some(equals) { None } else { of_credential(kind) }
    }

    /// A name in the parameters that cannot be a header for keys.
    pub fn unusable_header<'p>(&self, params: &'p Value) -> Option<&'p str> {
        let named = params.get_path(&self.header)?.as_str()?.trim();
        (!named.is_empty() && !is_key_header(named)).then_some(named)
    }
}

/// Whether a key may be sent in a header of this name.
pub fn is_key_header(name: &str) -> bool {
    let is_token =
        |letter: u8| letter.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&letter);
    !name.is_empty()
        && name.len() <= MAX_KEY_HEADER
        && name.bytes().all(is_token)
        && !RESERVED_HEADERS.iter().any(|reserved| name.eq_ignore_ascii_case(reserved))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn rule() -> KeyRule {
        KeyRule {
            header: "options.header".into(),
            unless: "options.pages".into(),
            credential: Some(CredentialChoice {
                kind: "kind".into(),
                param: "auth".into(),
                equals: "predefined".into(),
            }),
        }
    }

    fn header(params: Value) -> Option<Str> {
        rule().header(&params, |kind| (kind == "stripeApi").then(|| "Idempotency-Key".into()))
    }

    #[test]
    fn a_header_is_named_by_the_author_or_by_the_type_of_the_credential() {
        let named = json!({ "options": { "header": " X-Key " } });
        assert_eq!(header(named).as_deref(), Some("X-Key"));
        let stripe = json!({ "auth": "predefined", "kind": "stripeApi", "options": {} });
        assert_eq!(header(stripe).as_deref(), Some("Idempotency-Key"));
        for none in [
            json!({ "auth": "none", "kind": "stripeApi" }),
            json!({ "auth": "predefined", "kind": "slackApi" }),
            json!({ "auth": "predefined", "kind": "=stripeApi" }),
            json!({ "auth": "predefined", "kind": "stripeApi", "options": { "header": "" } }),
            json!({ "options": { "header": "X-Key", "pages": {} } }),
        ] {
            assert_eq!(header(none.clone()), None, "{none:?}");
        }
    }

    #[test]
    fn a_name_that_would_lose_the_key_is_no_header_for_it() {
        let huge = "x".repeat(MAX_KEY_HEADER + 1);
        for name in [
            "",
            "=$json.h",
            "X Key",
            "X\r\nHost: evil",
            "X:",
            "Über",
            "AUTHORIZATION",
            "Host",
            huge.as_str(),
        ] {
            assert!(!is_key_header(name), "{name}");
            let params = json!({ "options": { "header": (name) } });
            assert_eq!(header(params.clone()), None, "{name}");
            assert_eq!(rule().unusable_header(&params).is_some(), !name.is_empty(), "{name}");
        }
        assert!(is_key_header("Idempotency-Key") && is_key_header("PayPal-Request-Id"));
    }
}
