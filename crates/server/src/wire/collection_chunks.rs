//! The chunks of collections: sources, documents and searches.

use super::{
    BoundedInt, Cursor, Fraction, JsonObject, Number, Page, PageLimit, Text, Timestamp, UNLIMITED,
};
use node_api::ai::ScoredDocument;
use node_api::collections::{ChunkSource, DocumentChunk};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Chunks that a search finds when nothing is said.
pub(crate) const DEFAULT_RESULTS: usize = 5;

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
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionChunkQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<String>,
    pub(crate) source: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeletedSourceQuery {
    pub(crate) source: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AddedFileQuery {
    /// The name of the file.
    pub(crate) source: Text<1, UNLIMITED>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CollectionText {
    pub(crate) text: Text<1, UNLIMITED>,
    pub(crate) source: Option<Text<0, 1000>>,
    pub(crate) metadata: Option<JsonObject>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct CollectionAdded<'a> {
    pub(crate) source: &'a str,
    pub(crate) chunks: usize,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct CollectionQuestion {
    pub(crate) query: Text<1, 10_000>,
    #[schemars(extend("default" = DEFAULT_RESULTS))]
    pub(crate) limit: Option<BoundedInt<1, 100>>,
    #[serde(default)]
    #[schemars(extend("default" = 0))]
    pub(crate) min_score: Fraction,
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
