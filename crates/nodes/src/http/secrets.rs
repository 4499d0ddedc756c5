//! Keeps the secrets of a credential out of everything that a node shows.
//!
//! What a service answers is searched for them as they are, as they stand in a URL and as they
//! stand in JSON. A service that sends them back in any other form, such as compressed, encrypted
//! or letter by letter, is not found out: that a secret goes only to hosts that its owner trusts is
//! what keeps it safe.

use bytes::Bytes;
use model::{Object, Value};
use node_api::Credential;
use std::borrow::Cow;

/// Texts that must not be seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Secrets(Vec<String>);

pub(super) const MASK: &str = "**hidden**";
/// Shorter ones would be found in innocent text.
const MIN_SECRET_LENGTH: usize = 6;
/// In data that a workflow goes on with, a mask must not hit anything else.
const MIN_LENGTH_IN_DATA: usize = 8;
/// Headers that say how to talk, not who is talking.
const PLAIN_HEADERS: &[&str] = &[
    "accept",
    "cache-control",
    "content-type",
    "host",
    "origin",
    "referer",
    "user-agent",
    "x-requested-with",
];

impl Secrets {
    pub(super) fn add(&mut self, secret: &str) {
        if secret.len() < MIN_SECRET_LENGTH {
            return;
        }
        let in_form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
        let in_json = model::json::to_string(&Value::from(secret));
        let spellings = [secret, &in_form, &in_form.replace('+', "%20"), in_json.trim_matches('"')];
        for spelling in spellings.into_iter().filter(|spelling| spelling.len() >= secret.len()) {
            if !self.0.iter().any(|known| known == spelling) {
                self.0.push(spelling.to_owned());
            }
        }
        // The longest first, so that a secret inside another one does not leave a rest.
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// Takes the value of a header that a credential sets.
    pub(super) fn add_header(&mut self, name: &str, value: &str) {
        let name = name.trim().to_ascii_lowercase();
        if !PLAIN_HEADERS.contains(&name.as_str())
            && !name.starts_with("accept-")
            && !name.ends_with("version")
        {
            self.add(value);
        }
    }

    /// Takes every text of a credential that is not for showing.
    pub(super) fn add_credential(&mut self, credential: &Credential) {
        let hidden = credential.iter().filter(|(name, _)| !credential.spec().is_public(name));
        for (_, value) in hidden {
            match value {
                Value::Object(inner) => self.add_fields(inner),
                Value::String(text) => {
                    self.add(text);
                    // Older stores keep the data of a token as JSON text.
                    if let Ok(Value::Object(inner)) = model::json::parse(text) {
                        self.add_fields(&inner);
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes every text whose name sounds like a secret, of fields that somebody else than us has
    /// named.
    pub(super) fn add_fields(&mut self, fields: &Object) {
        const NAMES: &[&str] =
            &["pass", "secret", "token", "key", "auth", "credential", "signature", "cookie"];
        for (name, value) in fields.iter() {
            let name = name.to_lowercase();
            match value {
                Value::Object(inner) => self.add_fields(inner),
                Value::String(text)
                    if NAMES.iter().any(|part| name.contains(part)) && !name.ends_with("url") =>
                {
                    self.add(text);
                    if let Ok(Value::Object(inner)) = model::json::parse(text) {
                        self.add_fields(&inner);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn hide(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret, MASK) } else { text }
        })
    }

    /// The value with every secret masked; the same value if there is none in it.
    pub(super) fn hide_in(&self, value: Value) -> Value {
        let long = Secrets(self.long().cloned().collect());
        if long.0.is_empty() { value } else { long.hide_all_in(value) }
    }

    /// The bytes of a file, whatever it is, with every secret masked; the same bytes, not copied,
    /// if there is none in them.
    pub(super) fn hide_in_bytes(&self, bytes: &Bytes) -> Bytes {
        let spellings: Vec<String> = self.long().map(|secret| regex::escape(secret)).collect();
        if spellings.is_empty() {
            return bytes.clone();
        }
        match regex::bytes::Regex::new(&spellings.join("|")) {
            Ok(secrets) => match secrets.replace_all(bytes, MASK.as_bytes()) {
                Cow::Borrowed(_) => bytes.clone(),
                Cow::Owned(masked) => masked.into(),
            },
            // Secrets that cannot be searched for are not shown either.
            Err(_) => Bytes::from_static(MASK.as_bytes()),
        }
    }

    fn long(&self) -> impl Iterator<Item = &String> {
        self.0.iter().filter(|secret| secret.len() >= MIN_LENGTH_IN_DATA)
    }

    fn hide_all_in(&self, value: Value) -> Value {
        if !self.occurs_in(&value) {
            return value;
        }
        match value {
            Value::String(text) => Value::from(self.hide(&text)),
            Value::Array(values) => {
                Value::array(values.iter().map(|value| self.hide_all_in(value.clone())).collect())
            }
            Value::Object(object) => Value::object(
                object
                    .iter()
                    .map(|(key, value)| (self.hide(key), self.hide_all_in(value.clone())))
                    .collect(),
            ),
            other => other,
        }
    }

    fn occurs_in(&self, value: &Value) -> bool {
        let found = |text: &str| self.0.iter().any(|secret| text.contains(secret.as_str()));
        match value {
            Value::String(text) => found(text),
            Value::Array(values) => values.iter().any(|value| self.occurs_in(value)),
            Value::Object(object) => {
                object.iter().any(|(key, value)| found(key) || self.occurs_in(value))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn headers_that_are_no_secrets_stay() {
        let mut secrets = Secrets::default();
        for (name, value) in [
            ("Content-Type", "application/json"),
            ("anthropic-version", "2023-06-01"),
            ("X-Key", "key-123456"),
        ] {
            secrets.add_header(name, value);
        }
        assert_eq!(
            secrets.hide("application/json 2023-06-01 key-123456"),
            "application/json 2023-06-01 **hidden**"
        );
    }

    fn credential(kind: &str, fields: &Value) -> Credential {
        crate::credentials::registry().open(kind, fields.as_object().cloned().unwrap())
    }

    #[test]
    fn issue_14_08_a_field_is_masked_whatever_header_its_value_is_put_into() {
        let mut secrets = Secrets::default();
        let header = json!({ "name": "Host", "value": "canary-12345" });
        secrets.add_credential(&credential("httpHeaderAuth", &header));
        secrets.add_header("Host", "canary-12345");
        assert_eq!(secrets.hide("no such host: canary-12345"), "no such host: **hidden**");
    }

    #[test]
    fn issue_14_08_files_are_masked_whatever_is_in_them_and_copied_only_then() {
        let mut secrets = Secrets::default();
        secrets.add("key-123456");
        secrets.add("key-123456-long");
        let echo = Bytes::from_static(
            b"\xff\x00Authorization: Bearer key-123456-long\r\n\x80 key-123456key-123456",
        );
        assert_eq!(
            secrets.hide_in_bytes(&echo),
            &b"\xff\x00Authorization: Bearer **hidden**\r\n\x80 **hidden****hidden**"[..]
        );
        let large = Bytes::from(vec![b'k'; 8 << 20]);
        assert_eq!(secrets.hide_in_bytes(&large).as_ptr(), large.as_ptr(), "nothing is copied");
        assert_eq!(Secrets::default().hide_in_bytes(&echo).as_ptr(), echo.as_ptr());
    }

    #[test]
    fn issue_14_08_a_secret_is_known_as_it_stands_in_a_url_and_in_json() {
        let mut secrets = Secrets::default();
        secrets.add("a b/c=\"d\"+é");
        for spelling in [
            "a b/c=\"d\"+é",
            "a+b%2Fc%3D%22d%22%2B%C3%A9",
            "a%20b%2Fc%3D%22d%22%2B%C3%A9",
            "a b/c=\\\"d\\\"+é",
        ] {
            assert_eq!(secrets.hide(&format!("<{spelling}>")), "<**hidden**>", "{spelling}");
        }
    }

    #[test]
    fn secrets_are_masked_at_any_depth() {
        let mut secrets = Secrets::default();
        let fields = json!({ "apiKey": "key-123456", "clientId": "somebody", "oauthTokenData": { "access_token": "key-123456-long" }, "password": "abc", "host": "a.test" });
        secrets.add_credential(&credential("googleOAuth2Api", &fields));
        assert_eq!(
            secrets.hide("a key-123456-long b key-123456 somebody abc"),
            "a **hidden** b **hidden** somebody abc"
        );
        let echoed = json!({ "headers": { "authorization": "Bearer key-123456" }, "n": 1, "list": ["key-123456"] });
        assert_eq!(
            secrets.hide_in(echoed),
            json!({ "headers": { "authorization": "Bearer **hidden**" }, "n": 1, "list": ["**hidden**"] })
        );
    }
}
