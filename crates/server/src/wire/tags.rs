//! Tags on the wire.

use super::{Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tag<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) created_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) updated_at: Option<Timestamp>,
}

pub(crate) type TagList<'a> = Page<Tag<'a>>;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Tags<'a>(pub(crate) Vec<Tag<'a>>);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TagInput {
    #[schemars(length(min = 1, max = 100))]
    pub(crate) name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct TagIdsItem {
    #[schemars(length(min = 1))]
    pub(crate) id: String,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct TagIds(pub(crate) Vec<TagIdsItem>);
