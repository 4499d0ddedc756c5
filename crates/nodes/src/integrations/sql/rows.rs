//! The row that an item stands for, and the columns by which an existing row is found.

use super::build::{entries, locator_text, names, without_empty_texts};
use node_api::prelude::*;

pub(in super::super) struct SqlRow {
    pub(in super::super) values: Object,
    pub(in super::super) matching: Vec<Str>,
}

#[derive(Deserialize)]
struct ColumnValue {
    #[serde(default)]
    column: Value,
    #[serde(default)]
    value: Value,
}

/// The row of an item, by whichever form of the parameters the node has.
pub(in super::super) fn row_of(
    ctx: &Ctx<'_>,
    item: &Item,
    index: usize,
) -> Result<SqlRow, NodeError> {
    let mut row = match ctx.raw_param("columns").filter(Value::is_object) {
        Some(_) => row_from_mapper(ctx, item, index)?,
        None => row_from_columns(ctx, item, index)?,
    };
    if ctx.flag("options.replaceEmptyStrings", index)? {
        without_empty_texts(&mut row.values);
    }
    if row.values.is_empty() {
        return Err(NodeError::input("There is no column with a value to write")
            .hint(
                "Map at least one column, or pass items whose fields have the same names as the \
                 table's columns.",
            )
            .on_item(index));
    }
    Ok(row)
}

/// Columns chosen in the mapper: `{ "mappingMode": …, "value": {…}, "matchingColumns": […] }`.
fn row_from_mapper(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<SqlRow, NodeError> {
    let matching = names(&ctx.param("columns.matchingColumns", index)?);
    let values = if ctx.text("columns.mappingMode", index)? == "autoMapInputData" {
        item.json.as_object().cloned().unwrap_or_default()
    } else {
        let mut values =
            ctx.param("columns.value", index)?.as_object().cloned().unwrap_or_default();
        values.retain(|_, value| !value.is_undefined());
        values
    };
    Ok(SqlRow { values, matching })
}

/// Columns one by one, or the item's own fields.
fn row_from_columns(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<SqlRow, NodeError> {
    let matching = Some(locator_text(&ctx.param("columnToMatchOn", index)?))
        .filter(|column| !column.is_empty());
    if ctx.text("dataMode", index)? != "defineBelow" {
        return Ok(SqlRow {
            values: item.json.as_object().cloned().unwrap_or_default(),
            matching: matching.into_iter().collect(),
        });
    }
    let mut values = Object::new();
    if let Some(column) = &matching {
        values.insert(column.clone(), ctx.param("valueToMatchOn", index)?);
    }
    for entry in entries::<ColumnValue>(ctx, "valuesToSend.values", index)? {
        values.insert(locator_text(&entry.column), entry.value);
    }
    Ok(SqlRow { values, matching: matching.into_iter().collect() })
}

/// The columns to match on, of which there must be one.
pub(in super::super) fn require_matching(row: &SqlRow) -> Result<(), NodeError> {
    if row.matching.is_empty() {
        return Err(NodeError::parameter("columns", "No column to match on is selected")
            .hint("Choose the column that identifies existing rows."));
    }
    Ok(())
}
