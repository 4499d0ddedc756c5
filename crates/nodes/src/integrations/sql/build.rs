//! Statements for rows and conditions: names quoted, values bound.

use super::binding::{BoundStatement, identifier};
use node_api::connect::Dialect;
use node_api::prelude::*;

/// A condition on a column.
#[derive(Debug, Deserialize)]
pub(in super::super) struct SqlCondition {
    #[serde(default)]
    pub(in super::super) column: Value,
    #[serde(default, alias = "operator")]
    pub(in super::super) condition: Str,
    #[serde(default)]
    pub(in super::super) value: Value,
}

#[derive(Debug, Deserialize)]
pub(in super::super) struct SortRule {
    #[serde(default)]
    pub(in super::super) column: Value,
    #[serde(default)]
    pub(in super::super) direction: Str,
}

/// A list of entries at a path, empty if it is not set.
pub(in super::super) fn entries<T: serde::de::DeserializeOwned>(
    ctx: &Ctx<'_>,
    path: &str,
    item: usize,
) -> Result<Vec<T>, NodeError> {
    if ctx.param(path, item)?.is_nullish() { Ok(Vec::new()) } else { ctx.param_as(path, item) }
}

/// The text of a parameter that may be a locator: `{ "mode": "list", "value": "users" }`.
pub(in super::super) fn locator_text(value: &Value) -> Str {
    match value.get("value") {
        Some(inner) => inner.to_js_string(),
        None if value.is_nullish() || value.is_object() => Str::new(),
        None => value.to_js_string(),
    }
}

/// Adds ` WHERE …`; nothing without conditions.
pub(in super::super) fn push_where(
    dialect: Dialect,
    statement: &mut BoundStatement,
    conditions: &[SqlCondition],
    combine: &str,
) -> Result<(), NodeError> {
    let word = match combine.to_ascii_uppercase().as_str() {
        "" | "AND" => " AND ",
        "OR" => " OR ",
        other => {
            return Err(NodeError::parameter(
                "combineConditions",
                format!("Conditions must be combined with AND or OR, not '{other}'"),
            ));
        }
    };
    for (place, condition) in conditions.iter().enumerate() {
        let column = locator_text(&condition.column);
        if column.is_empty() {
            return Err(NodeError::parameter("where", "A condition has no column")
                .hint("Choose a column in each condition, or remove it."));
        }
        statement.push(if place == 0 { " WHERE " } else { word });
        statement.push(&identifier(dialect, &column));
        let operator = condition.condition.to_ascii_uppercase();
        match operator.as_str() {
            "IS NULL" | "IS NOT NULL" => statement.push(&format!(" {operator}")),
            "" | "EQUAL" | "=" => push_compared(dialect, statement, "=", &condition.value),
            "!=" | "LIKE" | ">" | "<" | ">=" | "<=" => {
                push_compared(dialect, statement, &operator, &condition.value)
            }
            other => {
                return Err(NodeError::parameter("where", format!("Unknown condition '{other}'"))
                    .hint("Use equal, !=, LIKE, >, <, >=, <=, IS NULL or IS NOT NULL."));
            }
        }
    }
    Ok(())
}

fn push_compared(dialect: Dialect, statement: &mut BoundStatement, operator: &str, value: &Value) {
    statement.push(&format!(" {operator} "));
    statement.push_value(dialect, as_literal(dialect, value));
}

/// Adds ` ORDER BY …`.
pub(in super::super) fn push_sort(
    dialect: Dialect,
    statement: &mut BoundStatement,
    rules: &[SortRule],
) {
    for (place, rule) in
        rules.iter().filter(|rule| !locator_text(&rule.column).is_empty()).enumerate()
    {
        let direction = if rule.direction.eq_ignore_ascii_case("desc") { "DESC" } else { "ASC" };
        let word = if place == 0 { " ORDER BY " } else { ", " };
        statement.push(&format!(
            "{word}{} {direction}",
            identifier(dialect, &locator_text(&rule.column))
        ));
    }
}

/// `("a","b") VALUES ($1,$2)`.
pub(in super::super) fn push_row(dialect: Dialect, statement: &mut BoundStatement, row: &Object) {
    let names: Vec<String> = row.keys().map(|name| identifier(dialect, name)).collect();
    statement.push(&format!(" ({}) VALUES (", names.join(",")));
    for (place, value) in row.values().enumerate() {
        if place > 0 {
            statement.push(",");
        }
        statement.push_value(dialect, as_literal(dialect, value));
    }
    statement.push(")");
}

/// `"a" = $1, "b" = $2` of all columns but some.
pub(in super::super) fn push_changes(
    dialect: Dialect,
    statement: &mut BoundStatement,
    row: &Object,
    except: &[Str],
) {
    for (place, (name, value)) in row.iter().filter(|(name, _)| !except.contains(name)).enumerate()
    {
        if place > 0 {
            statement.push(", ");
        }
        statement.push(&format!("{} = ", identifier(dialect, name)));
        statement.push_value(dialect, as_literal(dialect, value));
    }
}

/// ` WHERE "id" = $3 AND …`, from a row's own columns.
pub(in super::super) fn push_match(
    dialect: Dialect,
    statement: &mut BoundStatement,
    row: &Object,
    columns: &[Str],
) -> Result<(), NodeError> {
    for (place, column) in columns.iter().enumerate() {
        let value = row.get(column).filter(|value| !value.is_undefined()).ok_or_else(|| {
            NodeError::input(format!(
                "The item has no value for the column to match on, '{column}'"
            ))
            .hint(
                "Rows are matched by this column: enter a value for it, or choose another column.",
            )
        })?;
        statement.push(if place == 0 { " WHERE " } else { " AND " });
        statement.push(&identifier(dialect, column));
        if value.is_null() {
            statement.push(" IS NULL");
        } else {
            statement.push(" = ");
            statement.push_value(dialect, as_literal(dialect, value));
        }
    }
    Ok(())
}

/// `"a","b"`, or `*`.
pub(in super::super) fn columns_text(dialect: Dialect, columns: &[Str]) -> String {
    if columns.is_empty() || columns.iter().any(|column| column == "*") {
        return "*".into();
    }
    columns.iter().map(|column| identifier(dialect, column)).collect::<Vec<_>>().join(",")
}

/// Column names, from a list or from a text with commas.
pub(in super::super) fn names(value: &Value) -> Vec<Str> {
    match value {
        Value::Array(names) => names.iter().map(Value::to_js_string).collect(),
        Value::Undefined | Value::Null => Vec::new(),
        value => value
            .to_js_string()
            .split(',')
            .map(|name| Str::from(name.trim()))
            .filter(|name| !name.is_empty())
            .collect(),
    }
}

/// The row of an item with empty texts turned into NULL, if that is wanted.
pub(in super::super) fn without_empty_texts(row: &mut Object) {
    for (_, value) in row.iter_mut() {
        if value.as_str() == Some("") {
            *value = Value::Null;
        }
    }
}

/// In PostgreSQL a value is given as a quoted literal would be, whose type the column decides:
/// `'5'` fits a number and a text.
fn as_literal(dialect: Dialect, value: &Value) -> Value {
    match value {
        Value::Number(_) | Value::Bool(_) if dialect == Dialect::Postgres => {
            Value::from(value.to_js_string())
        }
        Value::Undefined => Value::Null,
        value => value.clone(),
    }
}
