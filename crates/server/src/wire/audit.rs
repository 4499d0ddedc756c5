//! The security audit.

use super::{Count, JsonObject};
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
    /// Known to n8n; it is taken and not used.
    _days_abandoned_workflow: Option<Count>,
    pub(crate) categories: Option<Vec<AuditCategory>>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct AuditInput {
    pub(crate) additional_options: Option<AuditOptions>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct AuditReport {
    pub(crate) risk: &'static str,
    pub(crate) sections: Vec<JsonObject>,
}

/// The reports by their titles; an empty list if there is nothing to report.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Audit {
    Reports(BTreeMap<&'static str, AuditReport>),
    Nothing([JsonObject; 0]),
}
