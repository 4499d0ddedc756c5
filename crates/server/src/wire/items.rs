//! The items of executions, page by page, and the fields that they have.

use super::inline::inline_schema;
use super::text::parse_text;
use super::{BoundedInt, Count, Json, JsonObject, Text, UNLIMITED};
use model::{Kind, Str};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::collections::BTreeMap;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file_name: Option<String>,
    pub(crate) mime_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file_extension: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) file_size: Option<String>,
    /// Where its bytes are; those of small files are in the address itself.
    pub(crate) url: String,
}

/// An item, or the beginning of one that is too large to be shown.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownItem {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) json: Option<JsonObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) preview: Option<String>,
    /// The length of an item of which only the beginning is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) binary: Option<IndexedFiles>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) paired_item: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<JsonObject>,
    /// Its place in the whole list, in the results of a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<usize>,
}

/// The files of an item by name, in their order.
pub(crate) struct IndexedFiles(pub(crate) Vec<(Str, ItemFile)>);

impl Serialize for IndexedFiles {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(self.0.iter().map(|(name, file)| (name.as_str(), file)))
    }
}

impl JsonSchema for IndexedFiles {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "IndexedFiles".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        BTreeMap::<String, ItemFile>::json_schema(generator)
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ExecutionItems {
    pub(crate) items: Vec<ShownItem>,
    pub(crate) total: usize,
    /// The page ends early because the items are large.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
}

/// The kinds of values; `undefined` only of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum FieldType {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
    Date,
    Undefined,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct SchemaField {
    #[schemars(with = "Vec<String>")]
    pub(crate) path: Vec<Str>,
    #[serde(rename = "type")]
    pub(crate) kind: FieldType,
    pub(crate) sample: Json,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct ExecutionSchema {
    pub(crate) fields: Vec<SchemaField>,
}

/// A list of items: an output of a node's run, or what it was given.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemSelection {
    pub(crate) node: Text<1, UNLIMITED>,
    pub(crate) run: Option<Count>,
    pub(crate) kind: Option<ConnectionKind>,
    pub(crate) output: Option<Count>,
    #[serde(default)]
    pub(crate) direction: ItemDirection,
}

/// The same, a page at a time.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ItemQuery {
    node: Text<1, UNLIMITED>,
    run: Option<Count>,
    kind: Option<ConnectionKind>,
    output: Option<Count>,
    #[serde(default)]
    direction: ItemDirection,
    pub(crate) offset: Option<Count>,
    #[schemars(extend("default" = DEFAULT_ITEMS))]
    pub(crate) limit: Option<BoundedInt<1, 250>>,
    pub(crate) search: Option<String>,
}

/// Items on a page when nothing is said.
pub(crate) const DEFAULT_ITEMS: usize = 50;

impl ItemQuery {
    pub(crate) fn selection(&self) -> ItemSelection {
        let Self { node, run, kind, output, direction, .. } = self;
        ItemSelection {
            node: node.clone(),
            run: *run,
            kind: *kind,
            output: *output,
            direction: *direction,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum ItemDirection {
    Input,
    #[default]
    Output,
}

/// What a connection is for, by its name in workflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ConnectionKind(pub(crate) Kind);

impl<'de> Deserialize<'de> for ConnectionKind {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "a connection type", |name| Kind::from_name(name).map(Self))
    }
}

inline_schema!(ConnectionKind, {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    json_schema!({ "type": "string", "enum": names })
});
