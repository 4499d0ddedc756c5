//! Data tables on the wire.

use super::{Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum DataTableColumnType {
    String,
    Number,
    Boolean,
    Date,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTableColumn<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: DataTableColumnType,
    pub(crate) index: i64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DataTableColumns<'a>(pub(crate) Vec<DataTableColumn<'a>>);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableColumnInput {
    #[schemars(length(min = 1, max = 63), regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"))]
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: DataTableColumnType,
    #[schemars(range(min = 0))]
    pub(crate) index: Option<i64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableColumnChange {
    #[schemars(length(min = 1, max = 63), regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"))]
    pub(crate) name: Option<String>,
    #[schemars(range(min = 0))]
    pub(crate) index: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTable<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) columns: Vec<DataTableColumn<'a>>,
    pub(crate) project_id: &'a str,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) row_count: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) size_bytes: Option<i64>,
}

pub(crate) type DataTableList<'a> = Page<DataTable<'a>>;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableName {
    #[schemars(length(min = 1, max = 128))]
    pub(crate) name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct DataTableInputColumn {
    #[schemars(length(min = 1, max = 63), regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"))]
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: DataTableColumnType,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableInput {
    #[schemars(length(min = 1, max = 128))]
    pub(crate) name: String,
    pub(crate) columns: Vec<DataTableInputColumn>,
    #[schemars(length(min = 1))]
    pub(crate) project_id: Option<String>,
}
