//! Signing in: who somebody is, and their API keys.

use super::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether the first owner is still to be created.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetupState {
    pub(crate) needs_setup: bool,
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
