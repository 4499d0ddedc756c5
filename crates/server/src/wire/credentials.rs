//! Credentials on the wire.

use super::{JsonObject, Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::credentials::StoredCredential;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Credential<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: &'a str,
    pub(crate) is_managed: bool,
    pub(crate) project_id: &'a str,
    /// The further projects that may use it, for those who may change that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shared_with: Option<Vec<&'a str>>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> From<&'a StoredCredential> for Credential<'a> {
    fn from(credential: &'a StoredCredential) -> Self {
        Self {
            id: &credential.id,
            name: &credential.name,
            kind: &credential.kind,
            is_managed: false,
            project_id: &credential.project_id,
            shared_with: None,
            created_at: Timestamp(credential.created_ms),
            updated_at: Timestamp(credential.updated_ms),
        }
    }
}

pub(crate) type CredentialList<'a> = Page<Credential<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CredentialInput {
    #[schemars(length(min = 1, max = 128))]
    pub(crate) name: String,
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 128))]
    pub(crate) kind: String,
    #[schemars(extend("writeOnly" = true))]
    pub(crate) data: JsonObject,
    #[schemars(length(min = 1))]
    pub(crate) project_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CredentialChange {
    #[schemars(length(min = 1, max = 128))]
    pub(crate) name: Option<String>,
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 128))]
    pub(crate) kind: Option<String>,
    #[schemars(extend("writeOnly" = true))]
    pub(crate) data: Option<JsonObject>,
    pub(crate) is_partial_data: Option<bool>,
    pub(crate) is_global: Option<bool>,
    pub(crate) is_resolvable: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Shares {
    #[schemars(length(max = 1000))]
    pub(crate) share_with_ids: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) enum CredentialTestStatus {
    #[serde(rename = "OK")]
    OK,
    #[serde(rename = "Error")]
    Error,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CredentialTest<'a> {
    pub(crate) status: CredentialTestStatus,
    pub(crate) message: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CredentialModels<'a> {
    pub(crate) data: Vec<&'a str>,
    pub(crate) message: Option<&'a str>,
}
