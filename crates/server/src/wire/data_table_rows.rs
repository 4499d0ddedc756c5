//! Data table rows on the wire.

use super::{Json, JsonObject, Page, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = true))]
pub(crate) struct DataTableRow {
    pub(crate) id: i64,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
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

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) struct InsertedCount {
    pub(crate) count: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum DataTableInserted {
    Count(InsertedCount),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum DryRunState {
    Before,
    After,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(extend("additionalProperties" = true))]
#[schemars(inline)]
pub(crate) struct DryRunRow {
    pub(crate) id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) dry_run_state: Option<DryRunState>,
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum ChangedRow {
    Row(DataTableRow),
    DryRun(DryRunRow),
}

#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum DataTableChanged {
    Done(bool),
    Rows(Vec<ChangedRow>),
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTableCleared {
    pub(crate) deleted_count: i64,
}
