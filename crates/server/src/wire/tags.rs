//! Tags.

use super::{Echoed, Id, List, ListQuery, Page, Text, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::str::FromStr;
use store::tags::TagCursor;

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

/// Where a page of tags begins: they are in the order of their names.
pub(crate) struct TagPlace(pub(crate) TagCursor);

impl TagPlace {
    pub(crate) fn to_text(tag: &store::tags::Tag) -> String {
        format!("{} {}", tag.id, tag.name)
    }
}

impl FromStr for TagPlace {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (id, name) = text.split_once(' ').ok_or(())?;
        Ok(Self(TagCursor { name: name.into(), id: id.into() }))
    }
}

pub(crate) type TagQuery = ListQuery<TagPlace>;

/// Clients send back what they got; only the name is theirs to change.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TagInput {
    pub(crate) name: Text<1, 100>,
    _id: Option<Echoed>,
    _created_at: Option<Echoed>,
    _updated_at: Option<Echoed>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct TagIdsItem {
    pub(crate) id: Id,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct TagIds(pub(crate) List<TagIdsItem, 0, 1000>);
