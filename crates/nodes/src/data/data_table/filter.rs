//! The conditions of the form as a filter, and the values of the form as a row.

use node_api::PerItemParam;
use node_api::prelude::*;
use node_api::tables::{Combine, ConditionOp, RESERVED, RowCondition, RowFilter, TableRecord};
use std::sync::Arc;

/// Which rows an item means.
pub(super) fn filter(
    ctx: &Ctx<'_>,
    table: &TableRecord,
    index: usize,
) -> Result<RowFilter, NodeError> {
    let combine = match ctx.text("matchType", index)?.as_str() {
        "anyCondition" | "" => Combine::Or,
        "allConditions" => Combine::And,
        other => {
            return Err(NodeError::parameter("matchType", format!("Unknown match mode '{other}'")));
        }
    };
    let list = ctx.param("filters.conditions", index)?;
    let conditions =
        list.as_array().unwrap_or_default().iter().map(condition).collect::<Result<Vec<_>, _>>()?;
    let filter = RowFilter { combine, conditions };
    filter.check(table, ctx.host().tables().limits().conditions)?;
    Ok(filter)
}

/// The same, refused without any condition.
pub(super) fn narrow_filter(
    ctx: &Ctx<'_>,
    table: &TableRecord,
    index: usize,
) -> Result<RowFilter, NodeError> {
    let filter = filter(ctx, table, index)?;
    if filter.conditions.is_empty() {
        return Err(NodeError::parameter("filters", "At least one condition is required")
            .hint("Add a condition to the node."));
    }
    Ok(filter)
}

fn condition(entry: &Value) -> Result<RowCondition, NodeError> {
    let text = |key: &str, otherwise: &str| match entry.get(key) {
        Some(Value::String(text)) if !text.is_empty() => text.clone(),
        _ => Str::from(otherwise),
    };
    let column = text("keyName", "id");
    let name = text("condition", "eq");
    Ok(match name.as_str() {
        "isEmpty" => RowCondition::new(column, ConditionOp::Equal, Value::Null),
        "isNotEmpty" => RowCondition::new(column, ConditionOp::NotEqual, Value::Null),
        "isTrue" => RowCondition::new(column, ConditionOp::Equal, true),
        "isFalse" => RowCondition::new(column, ConditionOp::Equal, false),
        other => {
            let test = ConditionOp::from_name(other).ok_or_else(|| {
                NodeError::parameter("filters", format!("Unknown condition '{other}'"))
            })?;
            RowCondition::new(column, test, entry.get("keyValue").cloned().unwrap_or_default())
        }
    })
}

/// Makes rows of items.
pub(super) struct RowBuilder<'a> {
    mode: PerItemParam<'a>,
    value: PerItemParam<'a>,
}

impl<'a> RowBuilder<'a> {
    pub(super) fn new(ctx: &Ctx<'a>) -> Self {
        Self { mode: ctx.per_item("columns.mappingMode"), value: ctx.per_item("columns.value") }
    }

    /// The values that an item stands for. Each fits its column, which makes of it what it keeps.
    pub(super) fn row(
        &self,
        table: &TableRecord,
        item: &Item,
        index: usize,
    ) -> Result<Object, NodeError> {
        let row = match self.mode.get(index)?.as_str() {
            Some("autoMapInputData") => {
                let mut row = item.json.as_object().cloned().unwrap_or_default();
                // What came out of a table goes into another one without a step between.
                row.retain(|name, _| !RESERVED.contains(&name));
                row
            }
            _ => match self.value.get(index)? {
                Value::Object(row) => Arc::unwrap_or_clone(row),
                _ => Object::new(),
            },
        };
        check_row(table, &row)?;
        Ok(row)
    }
}

fn check_row(table: &TableRecord, row: &Object) -> Result<(), NodeError> {
    for (name, value) in row.iter() {
        let kind =
            table.columns.iter().find(|column| column.name == *name).map(|column| column.kind);
        let kind = kind.ok_or_else(|| {
            let shown: String = name.chars().take(100).collect();
            NodeError::new(
                Code::TABLE_COLUMN,
                format!("The data table '{}' has no column '{shown}'", table.name),
            )
            .hint("Add the column to the table, or remove the value.")
        })?;
        kind.cell(name, value)?;
    }
    Ok(())
}
