//! Tags on the wire.

use super::{Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tag<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

impl<'a> From<&'a store::tags::Tag> for Tag<'a> {
    fn from(tag: &'a store::tags::Tag) -> Self {
        Self {
            id: &tag.id,
            name: &tag.name,
            created_at: Timestamp(tag.created_ms),
            updated_at: Timestamp(tag.updated_ms),
        }
    }
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
