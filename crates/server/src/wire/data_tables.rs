//! Data tables on the wire.

use super::{Page, Timestamp};
use node_api::tables::{ColumnKind, TableColumn, TableRecord};
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
    pub(crate) index: usize,
}

impl<'a> From<&'a TableColumn> for DataTableColumn<'a> {
    fn from(column: &'a TableColumn) -> Self {
        Self { id: &column.id, name: &column.name, kind: column.kind.into(), index: column.index }
    }
}

impl From<ColumnKind> for DataTableColumnType {
    fn from(kind: ColumnKind) -> Self {
        match kind {
            ColumnKind::String => Self::String,
            ColumnKind::Number => Self::Number,
            ColumnKind::Boolean => Self::Boolean,
            ColumnKind::Date => Self::Date,
        }
    }
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
    pub(crate) row_count: usize,
    pub(crate) size_bytes: usize,
}

impl<'a> From<&'a TableRecord> for DataTable<'a> {
    fn from(table: &'a TableRecord) -> Self {
        Self {
            id: &table.id,
            name: &table.name,
            columns: table.columns.iter().map(Into::into).collect(),
            project_id: &table.project_id,
            created_at: Timestamp(table.created_ms),
            updated_at: Timestamp(table.updated_ms),
            row_count: table.n_rows,
            size_bytes: table.bytes,
        }
    }
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
