//! Folders of workflows.

use super::{Cursor, Id, Nullable, Page, PageLimit, Patch, Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::folders::WorkflowFolder;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Folder<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) parent_id: Option<&'a str>,
    pub(crate) project_id: &'a str,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> From<&'a WorkflowFolder> for Folder<'a> {
    fn from(folder: &'a WorkflowFolder) -> Self {
        Self {
            id: &folder.id,
            name: &folder.name,
            parent_id: folder.parent_id.as_deref(),
            project_id: &folder.project_id,
            created_at: Timestamp(folder.created_ms),
            updated_at: Timestamp(folder.updated_ms),
        }
    }
}

pub(crate) type FolderList<'a> = Page<Folder<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FolderQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<String>,
    pub(crate) project_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FolderInput {
    pub(crate) name: Text<1, 128>,
    #[serde(default)]
    pub(crate) parent_id: Nullable<Id>,
    pub(crate) project_id: Option<Id>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct FolderChange {
    pub(crate) name: Option<Text<1, 128>>,
    /// The folder that it goes into; `null` for the top.
    #[serde(default)]
    pub(crate) parent_id: Patch<Id>,
}
