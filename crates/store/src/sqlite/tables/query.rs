//! Filters, searches and orders of rows as SQL. Every value is bound; every name is one of ours.

use super::meta::TableMeta;
use super::pattern::{FUNCTION, MatchMode};
use model::Value;
use node_api::tables::{
    CellValue, ColumnKind, Combine, ConditionOp, RowCondition, RowFilter, RowSort, SortOrder,
    TableError,
};
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};

/// A condition on rows, with what is bound to it.
pub(super) struct WhereClause {
    pub(super) sql: String,
    pub(super) values: Vec<SqlValue>,
}

impl WhereClause {
    pub(super) fn of(
        meta: &TableMeta,
        filter: &RowFilter,
        limit: usize,
    ) -> Result<Self, TableError> {
        filter.check(&meta.table, limit)?;
        let mut values = Vec::new();
        let parts: Vec<String> = filter
            .conditions
            .iter()
            .map(|condition| condition_sql(meta, condition, &mut values))
            .collect::<Result<_, _>>()?;
        let joined = match filter.combine {
            Combine::And => parts.join(" AND "),
            Combine::Or => parts.join(" OR "),
        };
        let sql = if joined.is_empty() { "1".to_owned() } else { format!("({joined})") };
        Ok(Self { sql, values })
    }

    /// Only rows with this text in a string column.
    pub(super) fn search(&mut self, meta: &TableMeta, text: &str) {
        let fields = meta
            .table
            .columns
            .iter()
            .zip(&meta.slots)
            .filter(|(column, _)| column.kind == ColumnKind::String);
        let mut parts = Vec::new();
        for (_, slot) in fields {
            parts.push(format!(
                "{FUNCTION}({}, ?, {})",
                super::meta::field_name(*slot),
                MatchMode::Contains as i64
            ));
            self.values.push(SqlValue::Text(text.to_owned()));
        }
        let any = if parts.is_empty() { "0".to_owned() } else { parts.join(" OR ") };
        self.sql.push_str(&format!(" AND ({any})"));
    }

    pub(super) fn after(&mut self, id: i64) {
        self.sql.push_str(" AND id > ?");
        self.values.push(SqlValue::Integer(id));
    }
}

pub(super) fn order_sql(meta: &TableMeta, sort: Option<&RowSort>) -> Result<String, TableError> {
    let Some(RowSort { column, order }) = sort else { return Ok("id".to_owned()) };
    let (field, _) = meta.field(column)?;
    let direction = match order {
        SortOrder::Ascending => "ASC",
        SortOrder::Descending => "DESC",
    };
    // Rows with the same value keep one order, so that pages neither repeat nor lose any.
    Ok(if field == "id" {
        format!("id {direction}")
    } else {
        format!("{field} {direction}, id {direction}")
    })
}

fn condition_sql(
    meta: &TableMeta,
    condition: &RowCondition,
    values: &mut Vec<SqlValue>,
) -> Result<String, TableError> {
    let (field, kind) = meta.field(&condition.column)?;
    if condition.value.is_nullish() {
        return Ok(match condition.test {
            ConditionOp::NotEqual => format!("{field} IS NOT NULL"),
            _ => format!("{field} IS NULL"),
        });
    }
    let operator = match condition.test {
        ConditionOp::Like | ConditionOp::LikeAnyCase => {
            let mode = if condition.test == ConditionOp::Like {
                MatchMode::Like
            } else {
                MatchMode::LikeAnyCase
            };
            values.push(bound(kind, condition)?);
            return Ok(format!("{FUNCTION}({field}, ?, {})", mode as i64));
        }
        ConditionOp::Equal => "IS",
        // An empty cell differs from every value.
        ConditionOp::NotEqual => "IS NOT",
        ConditionOp::Greater => ">",
        ConditionOp::GreaterOrEqual => ">=",
        ConditionOp::Less => "<",
        ConditionOp::LessOrEqual => "<=",
    };
    values.push(bound(kind, condition)?);
    Ok(format!("{field} {operator} ?"))
}

fn bound(kind: ColumnKind, condition: &RowCondition) -> Result<SqlValue, TableError> {
    let cell = kind.cell(&condition.column, &condition.value)?;
    Ok(match cell {
        // A whole number finds an id by its key.
        CellValue::Number(number)
            if condition.column == "id" && number.fract() == 0.0 && number.abs() < 9e15 =>
        {
            SqlValue::Integer(number as i64)
        }
        cell => sql_value(cell),
    })
}

fn sql_value(cell: CellValue) -> SqlValue {
    match cell {
        CellValue::Null => SqlValue::Null,
        CellValue::Text(text) => SqlValue::Text(text.to_string()),
        CellValue::Number(number) => SqlValue::Real(number),
        CellValue::Flag(flag) => SqlValue::Integer(flag.into()),
        CellValue::Moment(milliseconds) => SqlValue::Integer(milliseconds),
    }
}

/// A cell that is bound to a statement without a copy.
pub(super) struct BoundCell<'c>(pub(super) &'c CellValue);

impl rusqlite::ToSql for BoundCell<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            CellValue::Null => ToSqlOutput::Owned(SqlValue::Null),
            CellValue::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            CellValue::Number(number) => (*number).into(),
            CellValue::Flag(flag) => i64::from(*flag).into(),
            CellValue::Moment(milliseconds) => (*milliseconds).into(),
        })
    }
}

/// The state of a row in a preview.
pub(super) fn in_state(mut row: model::Object, state: &str) -> model::Object {
    row.insert("dryRunState", Value::from(state));
    row
}
