//! The row that an item stands for, and the columns by which an existing row is found.

use super::build::{entries, located, names, without_empty_texts};
use node_api::prelude::*;

pub(in super::super) struct Row {
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
pub(in super::super) fn row_of(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Row, NodeError> {
    let mut row = match ctx.raw_param("columns").filter(Value::is_object) {
        Some(_) => mapped(ctx, item, index)?,
        None => sent(ctx, item, index)?,
    };
    if ctx.flag("options.replaceEmptyStrings", index)? {
        without_empty_texts(&mut row.values);
    }
    if row.values.is_empty() {
        return Err(NodeError::input("There is no column with a value to write")
            .hint("Map at least one column, or pass items whose fields are named as the table's columns.")
            .on_item(index));
    }
    Ok(row)
}

/// Columns chosen in the mapper: `{ "mappingMode": …, "value": {…}, "matchingColumns": […] }`.
fn mapped(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Row, NodeError> {
    let matching = names(&ctx.param("columns.matchingColumns", index)?);
    let values = if ctx.text("columns.mappingMode", index)? == "autoMapInputData" {
        item.json.as_object().cloned().unwrap_or_default()
    } else {
        let mut values =
            ctx.param("columns.value", index)?.as_object().cloned().unwrap_or_default();
        values.retain(|_, value| !value.is_undefined());
        values
    };
    Ok(Row { values, matching })
}

/// Columns one by one, or the item's own fields.
fn sent(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Row, NodeError> {
    let matching =
        Some(located(&ctx.param("columnToMatchOn", index)?)).filter(|column| !column.is_empty());
    if ctx.text("dataMode", index)? != "defineBelow" {
        return Ok(Row {
            values: item.json.as_object().cloned().unwrap_or_default(),
            matching: matching.into_iter().collect(),
        });
    }
    let mut values = Object::new();
    if let Some(column) = &matching {
        values.insert(column.clone(), ctx.param("valueToMatchOn", index)?);
    }
    for entry in entries::<ColumnValue>(ctx, "valuesToSend.values", index)? {
        values.insert(located(&entry.column), entry.value);
    }
    Ok(Row { values, matching: matching.into_iter().collect() })
}

/// The columns to match on, of which there must be one.
pub(in super::super) fn need_matching(row: &Row) -> Result<(), NodeError> {
    if row.matching.is_empty() {
        return Err(NodeError::parameter("columns", "There is no column to match on")
            .hint("Choose the column by which existing rows are found."));
    }
    Ok(())
}
