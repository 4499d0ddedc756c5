//! Versions of workflows.

use super::{BoundedInt, Count, JsonNodes, JsonObject, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::workflows::WorkflowVersion;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Version<'a> {
    #[serde(flatten)]
    pub(crate) row: VersionRow<'a>,
    pub(crate) nodes: JsonNodes,
    pub(crate) connections: JsonObject,
}

/// A version of a workflow without its document.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct VersionRow<'a> {
    pub(crate) version_id: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) authors: &'a str,
    pub(crate) name: Option<&'a str>,
    pub(crate) description: Option<&'a str>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> VersionRow<'a> {
    pub(crate) fn new(workflow_id: &'a str, version: &'a WorkflowVersion) -> Self {
        Self {
            version_id: &version.id,
            workflow_id,
            authors: version.author.as_deref().unwrap_or_default(),
            name: version.label.name.as_deref(),
            description: version.label.description.as_deref(),
            created_at: Timestamp(version.created_ms),
            updated_at: Timestamp(version.created_ms),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Versions<'a>(pub(crate) Vec<VersionRow<'a>>);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HistoryQuery {
    #[schemars(extend("default" = DEFAULT_VERSIONS))]
    pub(crate) take: Option<BoundedInt<0, 250>>,
    pub(crate) skip: Option<Count>,
}

/// Versions that are listed when nothing is said.
pub(crate) const DEFAULT_VERSIONS: usize = 10;
