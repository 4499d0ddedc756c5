//! Data tables and their columns.

use super::inline::{inline_schema, with};
use super::{Count, Id, Name, Page, Text, Timestamp};
use node_api::tables::{ColumnKind, TableColumn, TableRecord};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

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

impl From<DataTableColumnType> for ColumnKind {
    fn from(kind: DataTableColumnType) -> Self {
        match kind {
            DataTableColumnType::String => Self::String,
            DataTableColumnType::Number => Self::Number,
            DataTableColumnType::Boolean => Self::Boolean,
            DataTableColumnType::Date => Self::Date,
        }
    }
}

/// The name of a column.
pub(crate) struct ColumnName(pub(crate) Text<1, 63>);

impl<'de> Deserialize<'de> for ColumnName {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let name = Text::deserialize(input)?;
        let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let starts = name.starts_with(|first: char| first.is_ascii_alphabetic());
        match starts && name.chars().all(is_inside) {
            true => Ok(Self(name)),
            false => Err(de::Error::custom(
                "must start with a letter and contain only letters, digits and _",
            )),
        }
    }
}

inline_schema!(ColumnName, with(Text::<1, 63>::schema(), "pattern", "^[a-zA-Z][a-zA-Z0-9_]*$"));

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableColumnInput {
    pub(crate) name: ColumnName,
    #[serde(rename = "type")]
    pub(crate) kind: DataTableColumnType,
    pub(crate) index: Option<Count>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableColumnChange {
    pub(crate) name: Option<ColumnName>,
    pub(crate) index: Option<Count>,
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
    pub(crate) name: Name<128>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct DataTableInputColumn {
    pub(crate) name: ColumnName,
    #[serde(rename = "type")]
    pub(crate) kind: DataTableColumnType,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableInput {
    pub(crate) name: Name<128>,
    pub(crate) columns: Vec<DataTableInputColumn>,
    pub(crate) project_id: Option<Id>,
}
