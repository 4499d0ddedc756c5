//! Credentials, without what they hold.

use super::{Id, JsonObject, List, Page, Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::credentials::StoredCredential;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
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
    pub(crate) name: Text<1, 128>,
    #[serde(rename = "type")]
    pub(crate) kind: Text<1, 128>,
    #[schemars(extend("writeOnly" = true))]
    pub(crate) data: JsonObject,
    pub(crate) project_id: Option<Id>,
    /// Known to n8n; it is taken and not used.
    _is_resolvable: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CredentialChange {
    pub(crate) name: Option<Text<1, 128>>,
    #[serde(rename = "type")]
    pub(crate) kind: Option<Text<1, 128>>,
    #[schemars(extend("writeOnly" = true))]
    pub(crate) data: Option<JsonObject>,
    #[serde(default)]
    pub(crate) is_partial_data: bool,
    /// Known to n8n; it is taken and not used.
    _is_global: Option<bool>,
    /// Known to n8n; it is taken and not used.
    _is_resolvable: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Shares {
    pub(crate) share_with_ids: List<Id, 0, 1000>,
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
