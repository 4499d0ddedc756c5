//! Collections of documents.

use super::{Cursor, Id, Name, Page, PageLimit, Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Collection<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) description: &'a str,
    pub(crate) project_id: &'a str,
    pub(crate) embedding_model: Option<&'a str>,
    pub(crate) dimensions: Option<usize>,
    pub(crate) credential_id: Option<&'a str>,
    pub(crate) chunk_count: usize,
    pub(crate) size_bytes: usize,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> From<&'a node_api::collections::Collection> for Collection<'a> {
    fn from(collection: &'a node_api::collections::Collection) -> Self {
        Self {
            id: &collection.id,
            name: &collection.name,
            description: &collection.description,
            project_id: &collection.project_id,
            embedding_model: collection.model.as_deref(),
            dimensions: collection.dimensions,
            credential_id: collection.credential_id.as_deref(),
            chunk_count: collection.n_chunks,
            size_bytes: collection.bytes,
            created_at: Timestamp(collection.created_ms),
            updated_at: Timestamp(collection.updated_ms),
        }
    }
}

pub(crate) type CollectionList<'a> = Page<Collection<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<String>,
    pub(crate) project_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CollectionInput {
    pub(crate) name: Name<128>,
    pub(crate) description: Option<Text<0, 1000>>,
    pub(crate) project_id: Option<Id>,
    pub(crate) embedding_model: Option<Text<1, 200>>,
    pub(crate) credential_id: Option<Id>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CollectionChange {
    pub(crate) name: Option<Name<128>>,
    pub(crate) description: Option<Text<0, 1000>>,
    pub(crate) credential_id: Option<Id>,
}
