//! Filters, searches and orders of rows as SQL. Every value is bound; every name is one of ours.

use super::meta::Meta;
use super::pattern::{FUNCTION, Mode};
use model::Value;
use node_api::tables::{
    Cell, ColumnKind, Combine, Condition, Filter, Order, Sort, TableError, Test,
};
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};

/// A condition on rows, with what is bound to it.
pub(super) struct Where {
    pub(super) sql: String,
    pub(super) values: Vec<SqlValue>,
}

impl Where {
    pub(super) fn of(meta: &Meta, filter: &Filter, limit: usize) -> Result<Self, TableError> {
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
    pub(super) fn search(&mut self, meta: &Meta, text: &str) {
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
                Mode::Contains as i64
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

pub(super) fn order_sql(meta: &Meta, sort: Option<&Sort>) -> Result<String, TableError> {
    let Some(Sort { column, order }) = sort else { return Ok("id".to_owned()) };
    let (field, _) = meta.field(column)?;
    let direction = match order {
        Order::Ascending => "ASC",
        Order::Descending => "DESC",
    };
    // Rows with the same value keep one order, so that pages neither repeat nor lose any.
    Ok(if field == "id" {
        format!("id {direction}")
    } else {
        format!("{field} {direction}, id {direction}")
    })
}

fn condition_sql(
    meta: &Meta,
    condition: &Condition,
    values: &mut Vec<SqlValue>,
) -> Result<String, TableError> {
    let (field, kind) = meta.field(&condition.column)?;
    if condition.value.is_nullish() {
        return Ok(match condition.test {
            Test::NotEqual => format!("{field} IS NOT NULL"),
            _ => format!("{field} IS NULL"),
        });
    }
    let operator = match condition.test {
        Test::Like | Test::LikeAnyCase => {
            let mode = if condition.test == Test::Like { Mode::Like } else { Mode::LikeAnyCase };
            values.push(bound(kind, condition)?);
            return Ok(format!("{FUNCTION}({field}, ?, {})", mode as i64));
        }
        Test::Equal => "IS",
        // An empty cell differs from every value.
        Test::NotEqual => "IS NOT",
        Test::Greater => ">",
        Test::GreaterOrEqual => ">=",
        Test::Less => "<",
        Test::LessOrEqual => "<=",
    };
    values.push(bound(kind, condition)?);
    Ok(format!("{field} {operator} ?"))
}

fn bound(kind: ColumnKind, condition: &Condition) -> Result<SqlValue, TableError> {
    let cell = kind.cell(&condition.column, &condition.value)?;
    Ok(match cell {
        // A whole number finds an id by its key.
        Cell::Number(number)
            if condition.column == "id" && number.fract() == 0.0 && number.abs() < 9e15 =>
        {
            SqlValue::Integer(number as i64)
        }
        cell => sql_value(cell),
    })
}

fn sql_value(cell: Cell) -> SqlValue {
    match cell {
        Cell::Null => SqlValue::Null,
        Cell::Text(text) => SqlValue::Text(text.to_string()),
        Cell::Number(number) => SqlValue::Real(number),
        Cell::Flag(flag) => SqlValue::Integer(flag.into()),
        Cell::Moment(milliseconds) => SqlValue::Integer(milliseconds),
    }
}

/// A cell that is bound to a statement without a copy.
pub(super) struct Bound<'c>(pub(super) &'c Cell);

impl rusqlite::ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Cell::Null => ToSqlOutput::Owned(SqlValue::Null),
            Cell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Cell::Number(number) => (*number).into(),
            Cell::Flag(flag) => i64::from(*flag).into(),
            Cell::Moment(milliseconds) => (*milliseconds).into(),
        })
    }
}

/// The state of a row in a preview.
pub(super) fn in_state(mut row: model::Object, state: &str) -> model::Object {
    row.insert("dryRunState", Value::from(state));
    row
}
