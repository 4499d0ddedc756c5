//! Data table rows on the wire.

use super::{Json, JsonObject, Page, Timestamp};
use model::Object;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A row: its own columns, and those that every table has.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct DataTableRow(pub(crate) Object);

impl JsonSchema for DataTableRow {
    fn schema_name() -> Cow<'static, str> {
        "DataTableRow".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        RowFields::json_schema(generator)
    }
}

/// The columns that every table has.
#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "describes `DataTableRow`")]
struct RowFields {
    id: i64,
    created_at: Timestamp,
    updated_at: Timestamp,
}

pub(crate) type DataTableRowList = Page<DataTableRow>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum FilterJoin {
    #[default]
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum FilterCondition {
    Eq,
    Neq,
    Like,
    Ilike,
    Gt,
    Gte,
    Lt,
    Lte,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct ColumnFilter {
    pub(crate) column_name: String,
    pub(crate) condition: FilterCondition,
    pub(crate) value: Json,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableFilter {
    #[serde(default)]
    #[serde(rename = "type")]
    pub(crate) kind: FilterJoin,
    pub(crate) filters: Vec<ColumnFilter>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum InsertReturn {
    #[default]
    Count,
    Id,
    All,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableInsert {
    #[schemars(length(min = 1))]
    pub(crate) data: Vec<JsonObject>,
    #[serde(default)]
    pub(crate) return_type: InsertReturn,
}

/// How many rows were inserted, their ids, or the rows.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum DataTableInserted {
    Count { count: usize },
    Ids(Vec<i64>),
    Rows(Vec<DataTableRow>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableChange {
    pub(crate) filter: DataTableFilter,
    pub(crate) data: JsonObject,
    #[serde(default)]
    pub(crate) return_data: bool,
    #[serde(default)]
    pub(crate) dry_run: bool,
}

/// That it is done, or the rows: as they are now, or for a dry run as they were and would be.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum DataTableChanged {
    Done(bool),
    Rows(Vec<DataTableRow>),
    DryRun(Vec<DryRunRow>),
}

/// A row before or after a change that was not made.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct DryRunRow(pub(crate) Object);

impl JsonSchema for DryRunRow {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "DryRunRow".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        DryRunFields::json_schema(generator)
    }
}

#[derive(JsonSchema)]
#[schemars(rename_all = "camelCase", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "describes `DryRunRow`")]
struct DryRunFields {
    /// `null` for a row that would be added.
    id: Option<i64>,
    dry_run_state: DryRunState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
#[expect(dead_code, reason = "describes `DryRunRow`")]
enum DryRunState {
    Before,
    After,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTableCleared {
    pub(crate) deleted_count: usize,
}
