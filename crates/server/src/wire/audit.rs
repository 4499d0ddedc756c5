//! Audit on the wire.

use super::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum AuditCategory {
    Credentials,
    Database,
    Nodes,
    Filesystem,
    Instance,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct AuditOptions {
    #[schemars(range(min = 0))]
    pub(crate) days_abandoned_workflow: Option<i64>,
    pub(crate) categories: Option<Vec<AuditCategory>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AuditInput {
    pub(crate) additional_options: Option<AuditOptions>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct AuditReport<'a> {
    pub(crate) risk: &'a str,
    pub(crate) sections: Vec<JsonObject>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Audit<'a> {
    Reports(BTreeMap<&'a str, AuditReport<'a>>),
    Nothing(Vec<JsonObject>),
}
