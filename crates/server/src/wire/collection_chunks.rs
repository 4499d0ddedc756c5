//! Collection chunks on the wire.

use super::{JsonObject, Number, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct CollectionSourcesData<'a> {
    pub(crate) name: &'a str,
    pub(crate) chunk_count: i64,
    pub(crate) created_at: Timestamp,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionSources<'a> {
    pub(crate) data: Vec<CollectionSourcesData<'a>>,
    pub(crate) next_cursor: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct CollectionChunksData<'a> {
    pub(crate) id: &'a str,
    pub(crate) source: &'a str,
    pub(crate) content: &'a str,
    pub(crate) metadata: JsonObject,
    pub(crate) created_at: Timestamp,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionChunks<'a> {
    pub(crate) data: Vec<CollectionChunksData<'a>>,
    pub(crate) next_cursor: Option<&'a str>,
}

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
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionAdded<'a> {
    pub(crate) source: &'a str,
    pub(crate) chunks: i64,
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
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct CollectionFoundResult<'a> {
    pub(crate) id: &'a str,
    pub(crate) content: &'a str,
    pub(crate) score: Number,
    pub(crate) metadata: JsonObject,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionFound<'a> {
    pub(crate) results: Vec<CollectionFoundResult<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionDeleted {
    pub(crate) deleted_count: i64,
}
