//! Signing in: who somebody is, and their API keys.

use super::inline::inline_schema;
use super::text::parse_text;
use super::{Email, List, Nullable, SecretText, Text, Timestamp};
use crate::access::is_known_scope;
use crate::access::passwords;
use model::Str;
use schemars::{JsonSchema, json_schema};
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;

/// Whether the first owner is still to be created, and how else one signs in.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetupState<'a> {
    pub(crate) needs_setup: bool,
    /// The OpenID Connect provider, if there is one.
    pub(crate) oidc_name: Option<&'a str>,
}

/// Who is signed in.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionUser<'a> {
    pub(crate) id: &'a str,
    pub(crate) email: &'a str,
    pub(crate) first_name: &'a str,
    pub(crate) last_name: &'a str,
    pub(crate) role: &'static str,
    pub(crate) scopes: Vec<&'static str>,
    /// To be sent with every change; `null` for whoever uses an API key.
    pub(crate) csrf_token: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiKey<'a> {
    pub(crate) id: &'a str,
    pub(crate) label: &'a str,
    /// All but its last characters hidden.
    pub(crate) api_key: String,
    pub(crate) scopes: Vec<&'a str>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
}

impl<'a> From<&'a store::access::ApiKey> for ApiKey<'a> {
    fn from(key: &'a store::access::ApiKey) -> Self {
        Self {
            id: &key.id,
            label: &key.label,
            api_key: format!("******{}", key.hint),
            scopes: key.scopes.iter().map(model::Str::as_str).collect(),
            created_at: Timestamp(key.created_ms),
            expires_at: key.expires_ms.map(Timestamp),
        }
    }
}

/// A key that was just created.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewApiKey<'a> {
    #[serde(flatten)]
    pub(crate) key: ApiKey<'a>,
    /// The key itself, which is shown only once.
    pub(crate) raw_api_key: &'a str,
}

pub(crate) type NewPassword = SecretText<{ passwords::MIN_LENGTH }, { passwords::MAX_BYTES }>;
/// A password that is compared: it may be wrong, but not so long that this takes a while.
pub(crate) type GivenPassword = SecretText<0, 10_000>;
/// What a link or the log of the server gives once.
pub(crate) type OneTimeToken = SecretText<1, 200>;

/// The first owner.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SetupInput {
    pub(crate) token: OneTimeToken,
    pub(crate) email: Email,
    pub(crate) password: NewPassword,
    pub(crate) first_name: Option<Text<0, 32>>,
    pub(crate) last_name: Option<Text<0, 32>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct SignInInput {
    pub(crate) email: Text<1, 320>,
    pub(crate) password: GivenPassword,
    /// Of the authenticator app, or a recovery code. Asked for with `ACCESS_CODE`.
    pub(crate) code: Option<SecondFactorCode>,
}

/// What an authenticator app shows, or a recovery code.
pub(crate) type SecondFactorCode = SecretText<1, 64>;

/// Accepts an invitation, or sets a new password with a link.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct InvitationInput {
    pub(crate) token: OneTimeToken,
    pub(crate) password: NewPassword,
    pub(crate) first_name: Option<Text<0, 32>>,
    pub(crate) last_name: Option<Text<0, 32>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NameInput {
    pub(crate) first_name: Text<0, 32>,
    pub(crate) last_name: Text<0, 32>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct EmailInput {
    pub(crate) current_password: GivenPassword,
    pub(crate) email: Email,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct PasswordInput {
    pub(crate) current_password: GivenPassword,
    pub(crate) password: NewPassword,
}

/// Whether an authenticator app is asked for at sign-in.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TwoFactorState {
    pub(crate) is_enabled: bool,
    pub(crate) recovery_codes_left: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TwoFactorSetupInput {
    pub(crate) current_password: GivenPassword,
}

/// What an authenticator app is given, as an address for a QR code and to be typed. It counts once a
/// first code is sent.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TwoFactorSetup {
    pub(crate) url: String,
    pub(crate) secret: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TwoFactorCodeInput {
    pub(crate) code: SecondFactorCode,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TwoFactorChangeInput {
    pub(crate) current_password: GivenPassword,
    pub(crate) code: SecondFactorCode,
}

/// Codes for whoever loses the app: each works once, and they are shown only here.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecoveryCodes {
    pub(crate) recovery_codes: Vec<String>,
}

/// Whether one can sign in with the OpenID Connect provider.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OidcState<'a> {
    /// `null` if none is configured.
    pub(crate) name: Option<&'a str>,
    pub(crate) is_connected: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OidcConnectInput {
    pub(crate) current_password: GivenPassword,
    /// Needed with two-factor authentication.
    pub(crate) code: Option<SecondFactorCode>,
}

/// Where the browser goes from here.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OidcRedirect<'a> {
    pub(crate) url: &'a str,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApiKeyInput {
    pub(crate) label: Text<1, 50>,
    /// What the key may do; everything that its owner may if absent.
    pub(crate) scopes: Option<ApiKeyScopes>,
    /// When it ends, as a time or in seconds since 1970; never if `null` or absent.
    #[serde(default)]
    pub(crate) expires_at: Nullable<ApiKeyExpiry>,
}

pub(crate) type ApiKeyScopes = List<ApiKeyScope, 1, 1000>;

/// `*`, or a scope that there is.
pub(crate) struct ApiKeyScope(pub(crate) Str);

impl<'de> Deserialize<'de> for ApiKeyScope {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "a known scope or *", |scope| {
            (scope == "*" || is_known_scope(scope)).then(|| Self(scope.into()))
        })
    }
}

inline_schema!(ApiKeyScope, json_schema!({ "type": "string" }));

/// In milliseconds since 1970.
pub(crate) struct ApiKeyExpiry(pub(crate) i64);

impl<'de> Deserialize<'de> for ApiKeyExpiry {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(ExpiryVisitor).map(Self)
    }
}

struct ExpiryVisitor;

impl Visitor<'_> for ExpiryVisitor {
    type Value = i64;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a time in the future, such as 2030-01-31T12:00:00Z, or null")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<i64, E> {
        let moment = text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond);
        moment.map_err(|_| E::invalid_value(Unexpected::Other("text"), &self))
    }

    // n8n's pages send seconds.
    fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<i64, E> {
        match seconds < 1e11 {
            true => Ok((seconds * 1000.0) as i64),
            false => Err(E::invalid_value(Unexpected::Float(seconds), &self)),
        }
    }

    fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<i64, E> {
        self.visit_f64(seconds as f64)
    }
}

inline_schema!(
    ApiKeyExpiry,
    json_schema!({
        "anyOf": [{ "type": "string", "format": "date-time" }, { "type": "integer" }],
    })
);

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;
    use model::{Value, json};

    #[test]
    fn the_end_of_a_key_is_a_time_or_seconds() {
        let expiry = |value: Value| {
            let key: ApiKeyInput = read(&json!({ "label": "k", "expiresAt": (value) }))?;
            Ok::<_, super::super::field_error::FieldError>(key.expires_at.0.map(|expiry| expiry.0))
        };
        assert_eq!(expiry(json!("2030-01-01T00:00:00Z")), Ok(Some(1_893_456_000_000)));
        assert_eq!(expiry(json!(1_893_456_000)), Ok(Some(1_893_456_000_000)));
        assert_eq!(expiry(json!(null)), Ok(None));
        for bad in [json!("tomorrow"), json!(true), json!(1e12)] {
            assert_eq!(expiry(bad).unwrap_err().path, "expiresAt");
        }
        let unknown = json!({ "label": "k", "scopes": ["*", "tag:list", "tag:eat"] });
        assert_eq!(read::<ApiKeyInput>(&unknown).err().unwrap().path, "scopes[2]");
    }

    #[test]
    fn a_refused_body_shows_no_secret() {
        let sent = json!({ "email": "a@b", "password": "canary", "currentPassword": "canary" });
        let error = read::<SignInInput>(&sent).err().unwrap();
        assert_eq!(error.to_string(), "'currentPassword' is not a field that can be set here");
        let short = json!({ "currentPassword": "", "password": "canary" });
        let error = read::<PasswordInput>(&short).err().unwrap();
        assert_eq!(error.to_string(), "'password' must have 8 to 200 characters");
        let list = json!({ "token": ["canary"], "password": "canary canary" });
        let error = read::<InvitationInput>(&list).err().unwrap();
        assert_eq!(error.to_string(), "'token' must be a string");
    }
}
