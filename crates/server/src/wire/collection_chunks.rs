//! Collection chunks on the wire.

use super::{JsonObject, Number, Page, Timestamp};
use node_api::ai::ScoredDocument;
use node_api::collections::{ChunkSource, DocumentChunk};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where chunks come from.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionSource<'a> {
    pub(crate) name: &'a str,
    pub(crate) chunk_count: usize,
    pub(crate) created_at: Timestamp,
}

impl<'a> From<&'a ChunkSource> for CollectionSource<'a> {
    fn from(source: &'a ChunkSource) -> Self {
        Self {
            name: &source.name,
            chunk_count: source.n_chunks,
            created_at: Timestamp(source.created_ms),
        }
    }
}

pub(crate) type CollectionSourceList<'a> = Page<CollectionSource<'a>>;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionChunk<'a> {
    pub(crate) id: &'a str,
    pub(crate) source: &'a str,
    pub(crate) content: &'a str,
    pub(crate) metadata: JsonObject,
    pub(crate) created_at: Timestamp,
}

impl<'a> From<&'a DocumentChunk> for CollectionChunk<'a> {
    fn from(chunk: &'a DocumentChunk) -> Self {
        Self {
            id: &chunk.id,
            source: &chunk.source,
            content: &chunk.document.content,
            metadata: JsonObject(chunk.document.metadata.clone().into()),
            created_at: Timestamp(chunk.created_ms),
        }
    }
}

pub(crate) type CollectionChunkList<'a> = Page<CollectionChunk<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CollectionText {
    #[schemars(length(min = 1))]
    pub(crate) text: String,
    #[schemars(length(max = 1000))]
    pub(crate) source: Option<String>,
    pub(crate) metadata: Option<JsonObject>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CollectionAdded<'a> {
    pub(crate) source: &'a str,
    pub(crate) chunks: usize,
}

fn default_limit() -> i64 {
    5
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CollectionQuestion {
    #[schemars(length(min = 1, max = 10000))]
    pub(crate) query: String,
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: i64,
    #[serde(default)]
    #[schemars(range(min = 0, max = 1))]
    pub(crate) min_score: Number,
    #[serde(default)]
    pub(crate) hybrid: bool,
    pub(crate) metadata: Option<JsonObject>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct FoundChunk<'a> {
    pub(crate) id: &'a str,
    pub(crate) content: &'a str,
    pub(crate) score: Number,
    pub(crate) metadata: JsonObject,
}

impl<'a> From<&'a ScoredDocument> for FoundChunk<'a> {
    fn from(found: &'a ScoredDocument) -> Self {
        Self {
            id: &found.id,
            content: &found.document.content,
            score: Number(found.score),
            metadata: JsonObject(found.document.metadata.clone().into()),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CollectionFound<'a> {
    pub(crate) results: Vec<FoundChunk<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionDeleted {
    pub(crate) deleted_count: usize,
}
