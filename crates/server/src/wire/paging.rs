//! Lists that are read page by page.

use super::bounds::BoundedInt;
use super::inline::{inline_schema, with};
use super::text::parse_text;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::str::FromStr;

/// Rows on a page when nothing is said, and at most.
const PAGE: usize = 100;
const MAX_PAGE: u64 = 250;

/// A page of a list, and where the next one begins.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "{T}List")]
pub(crate) struct Page<T> {
    pub(crate) data: Vec<T>,
    pub(crate) next_cursor: Option<String>,
}

/// How many rows a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageLimit(usize);

impl PageLimit {
    pub(crate) fn get(self) -> usize {
        self.0
    }
}

impl Default for PageLimit {
    fn default() -> Self {
        Self(PAGE)
    }
}

impl<'de> Deserialize<'de> for PageLimit {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Ok(Self(BoundedInt::<1, MAX_PAGE>::deserialize(input)?.as_usize()))
    }
}

inline_schema!(PageLimit, with(BoundedInt::<1, MAX_PAGE>::schema(), "default", PAGE));

/// Where a page begins, as the page before said; nothing is the beginning. Opaque to callers;
/// inside it is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cursor<T>(pub(crate) Option<T>);

impl<T> Default for Cursor<T> {
    fn default() -> Self {
        Self(None)
    }
}

/// A cursor that continues after this place.
pub(crate) fn to_cursor(place: &str) -> String {
    URL_SAFE_NO_PAD.encode(place)
}

impl<'de, T: FromStr> Deserialize<'de> for Cursor<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "a cursor returned by this list", |cursor| {
            if cursor.is_empty() {
                return Some(Self(None));
            }
            let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
            text.parse().ok().map(|place| Self(Some(place)))
        })
    }
}

impl<T> JsonSchema for Cursor<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Cursor".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// What every list can be asked.
#[derive(Deserialize, JsonSchema)]
#[serde(bound = "T: FromStr")]
#[schemars(bound = "")]
pub(crate) struct ListQuery<T = String> {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<T>,
}
