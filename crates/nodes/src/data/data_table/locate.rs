//! Finds the table that a locator names, once for all items that name the same.

use model::Items;
use node_api::PerItemParam;
use node_api::prelude::*;
use node_api::tables::{TableError, TableName, TableRecord};
use std::sync::Arc;

/// More tables than this are looked up again when their turn comes.
const MAX_KNOWN: usize = 16;

pub(super) struct TableLocator<'a> {
    value: PerItemParam<'a>,
    mode: PerItemParam<'a>,
    /// What was chosen and the way it was chosen, and the table that it means.
    known: Vec<((Value, Value), Arc<TableRecord>)>,
}

impl<'a> TableLocator<'a> {
    pub(super) fn new(ctx: &Ctx<'a>) -> Self {
        Self {
            value: ctx.per_item("dataTableId.value"),
            mode: ctx.per_item("dataTableId.mode"),
            known: Vec::new(),
        }
    }

    pub(super) async fn table(
        &mut self,
        ctx: &Ctx<'_>,
        index: usize,
    ) -> Result<Arc<TableRecord>, NodeError> {
        let chosen = (self.value.get(index)?, self.mode.get(index)?);
        let is_locator = !chosen.0.is_undefined();
        if let Some((_, table)) =
            self.known.iter().find(|(known, _)| is_locator && *known == chosen)
        {
            return Ok(table.clone());
        }
        let locator = ctx.param("dataTableId", index)?;
        let table = Arc::new(find(ctx, &locator).await.map_err(|error| error.on_item(index))?);
        if is_locator && self.known.len() < MAX_KNOWN {
            self.known.push((chosen, table.clone()));
        }
        Ok(table)
    }
}

async fn find(ctx: &Ctx<'_>, locator: &Value) -> Result<TableRecord, NodeError> {
    let chosen = match locator.get("value").unwrap_or(locator) {
        Value::String(text) => text.trim().into(),
        Value::Number(number) => model::number_to_string(*number).into(),
        _ => Str::new(),
    };
    if chosen.is_empty() {
        return Err(NodeError::parameter("dataTableId", "No data table is chosen")
            .hint("Choose a table, or enter its name or ID."));
    }
    let tables = ctx.host().tables();
    if locator.get("mode").and_then(Value::as_str) == Some("name") {
        return by_name(ctx, &chosen).await;
    }
    match tables.table(&TableName::Id(chosen.clone())).await {
        // A workflow that comes from elsewhere has ids of another place; the name it was shown
        // under still tells what is meant.
        Err(missing @ TableError::NoTable { .. }) => {
            match locator.get("cachedResultName").and_then(Value::as_str) {
                Some(name) => {
                    tables.table(&TableName::Name(name.into())).await.map_err(|_| missing.into())
                }
                None => Err(missing.into()),
            }
        }
        found => Ok(found?),
    }
}

/// The table of this name; if there is none, the only one whose name differs in case.
async fn by_name(ctx: &Ctx<'_>, name: &Str) -> Result<TableRecord, NodeError> {
    let tables = ctx.host().tables();
    let missing = match tables.table(&TableName::Name(name.clone())).await {
        Err(missing @ TableError::NoTable { .. }) => missing,
        found => return Ok(found?),
    };
    let folded = name.to_lowercase();
    let mut similar =
        tables.tables().await?.into_iter().filter(|table| table.name.to_lowercase() == folded);
    match (similar.next(), similar.next()) {
        (Some(table), None) => Ok(table),
        _ => Err(missing.into()),
    }
}

/// Walks items in order, turning what fails into error items where the node continues on fail.
pub(super) fn output(
    ctx: &Ctx<'_>,
    items: &Items,
    made: Vec<Result<Vec<Item>, NodeError>>,
) -> Result<Outputs, NodeError> {
    let mut output = ctx.builder();
    for (index, made) in made.into_iter().enumerate().take(items.len()) {
        match made {
            Ok(made) => made.into_iter().for_each(|item| output.push(item.paired_with(index))),
            Err(error) => output.push(ctx.failed_item(index, error)?),
        }
    }
    Ok(vec![output.finish()])
}
