//! The rows of data tables.

use super::data_table_lists::split_sort;
use super::inline::inline_schema;
use super::text::parse_text;
use super::{
    Cursor, Json, JsonObject, JsonText, List, OnlyNull, Page, PageLimit, Timestamp, UNLIMITED,
};
use model::Object;
use node_api::tables::{Combine, ConditionOp, RowCondition, RowFilter, RowSort};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum FilterCondition {
    #[default]
    Eq,
    Neq,
    Like,
    Ilike,
    Gt,
    Gte,
    Lt,
    Lte,
}

impl From<FilterCondition> for ConditionOp {
    fn from(condition: FilterCondition) -> Self {
        match condition {
            FilterCondition::Eq => Self::Equal,
            FilterCondition::Neq => Self::NotEqual,
            FilterCondition::Like => Self::Like,
            FilterCondition::Ilike => Self::LikeAnyCase,
            FilterCondition::Gt => Self::Greater,
            FilterCondition::Gte => Self::GreaterOrEqual,
            FilterCondition::Lt => Self::Less,
            FilterCondition::Lte => Self::LessOrEqual,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
pub(crate) struct ColumnFilter {
    pub(crate) column_name: String,
    #[serde(default)]
    pub(crate) condition: FilterCondition,
    /// `null` to match empty cells.
    pub(crate) value: Json,
    /// Known to n8n; columns do not contain objects, so there is no path in them.
    _path: Option<OnlyNull>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct DataTableFilter {
    #[serde(default)]
    #[serde(rename = "type")]
    pub(crate) kind: FilterJoin,
    pub(crate) filters: Vec<ColumnFilter>,
}

impl From<DataTableFilter> for RowFilter {
    fn from(filter: DataTableFilter) -> Self {
        let combine = match filter.kind {
            FilterJoin::And => Combine::And,
            FilterJoin::Or => Combine::Or,
        };
        let conditions = filter
            .filters
            .into_iter()
            .map(|one| RowCondition::new(one.column_name, one.condition.into(), one.value.0));
        Self { combine, conditions: conditions.collect() }
    }
}

/// `column:asc`
pub(crate) struct SortBy(pub(crate) RowSort);

impl<'de> Deserialize<'de> for SortBy {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "a column name followed by :asc or :desc", |text| {
            let (column, order) = split_sort(text)?;
            Some(Self(RowSort { column: column.into(), order }))
        })
    }
}

inline_schema!(SortBy, json_schema!({ "type": "string" }));

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTableRowQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    /// The last row of the page before, or how many rows it is preceded by in a sorted list.
    #[serde(default)]
    pub(crate) cursor: Cursor<i64>,
    pub(crate) filter: Option<JsonText<DataTableFilter>>,
    pub(crate) sort_by: Option<SortBy>,
    pub(crate) search: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTableExportQuery {
    pub(crate) filter: Option<JsonText<DataTableFilter>>,
    pub(crate) sort_by: Option<SortBy>,
    pub(crate) search: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTableDeleteQuery {
    pub(crate) filter: JsonText<DataTableFilter>,
    #[serde(default)]
    pub(crate) return_data: bool,
    #[serde(default)]
    pub(crate) dry_run: bool,
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
    pub(crate) data: List<JsonObject, 1, UNLIMITED>,
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

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;
    use model::{Value, json};

    #[test]
    fn a_filter_that_is_misspelled_fits_no_row() {
        let filter = |condition: Value| {
            let read: Result<DataTableFilter, _> = read(&json!({ "filters": [(condition)] }));
            read.map(RowFilter::from).map_err(|error| error.to_string())
        };
        let equal = RowCondition::new("a", ConditionOp::Equal, Value::Null);
        assert_eq!(
            filter(json!({ "columnName": "a", "value": null, "path": null })),
            Ok(RowFilter { combine: Combine::And, conditions: vec![equal] })
        );
        for (condition, problem) in [
            (json!({ "columnName": "a" }), "'filters[0].value' is missing"),
            (json!({ "value": 1 }), "'filters[0].columnName' is missing"),
            (
                json!({ "columnName": "a", "value": 1, "path": "b" }),
                "'filters[0].path' must be null",
            ),
            (
                json!({ "columnName": "a", "value": 1, "condition": "=" }),
                "'filters[0].condition' must be eq, neq, like, ilike, gt, gte, lt or lte",
            ),
            (
                json!({ "columnName": "a", "value": 1, "or": 1 }),
                "'filters[0].or' is not a field that can be set here",
            ),
        ] {
            assert_eq!(filter(condition), Err(problem.to_owned()));
        }
        assert!(read::<DataTableFilter>(&json!({ "filter": [] })).is_err());
        assert!(read::<DataTableFilter>(&json!({ "type": "not", "filters": [] })).is_err());
    }
}
