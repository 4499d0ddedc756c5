//! The operations on tables themselves.

use super::locate::{TableLocator, output};
use super::row_operations::row_limit;
use model::Items;
use node_api::prelude::*;
use node_api::tables::{ColumnKind, NewColumn, NewTable, TableError, TableName, TableRecord};

pub(super) async fn run(
    ctx: &Ctx<'_>,
    items: &Items,
    operation: &str,
) -> Result<Outputs, NodeError> {
    let mut made = Vec::with_capacity(items.len());
    for index in 0..items.len() {
        let one = match operation {
            "create" => create(ctx, index).await.map(|table| vec![table.to_value()]),
            "list" => list(ctx, index).await,
            other => on_one(ctx, other, index).await.map(|told| vec![told.into()]),
        };
        let is_over = one.is_err() && !ctx.continues_on_fail();
        made.push(one.map(|values| values.into_iter().map(Item::new).collect()));
        if is_over {
            break;
        }
    }
    output(ctx, items, made)
}

async fn create(ctx: &Ctx<'_>, index: usize) -> Result<TableRecord, NodeError> {
    let name = ctx.text("tableName", index)?;
    let mut columns = Vec::new();
    for column in ctx.param("columns.column", index)?.as_array().unwrap_or_default() {
        let text = |key: &str| column.get(key).and_then(Value::as_str).unwrap_or_default();
        let kind = match text("type") {
            "" => ColumnKind::String,
            kind => ColumnKind::from_name(kind).ok_or_else(|| {
                NodeError::parameter("columns", format!("Unknown column type '{kind}'"))
            })?,
        };
        columns.push(NewColumn { name: text("name").into(), kind });
    }
    let tables = ctx.host().tables();
    if ctx.flag("options.createIfNotExists", index)? {
        match tables.table(&TableName::Name(name.clone())).await {
            Err(TableError::NoTable { .. }) => {}
            found => return Ok(found?),
        }
    }
    Ok(tables.create_table(NewTable { name, columns, project_id: None }).await?)
}

async fn list(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Value>, NodeError> {
    let wanted = ctx.text("options.filterName", index)?.to_lowercase();
    let mut found = ctx.host().tables().tables().await?;
    found.retain(|table| table.name.to_lowercase().contains(wanted.as_str()));
    match ctx.text("options.sortField", index)?.as_str() {
        "createdAt" => found.sort_by_key(|table| table.created_ms),
        "updatedAt" => found.sort_by_key(|table| table.updated_ms),
        _ => found.sort_by_cached_key(|table| table.name.to_lowercase()),
    }
    if ctx.text("options.sortDirection", index)? == "desc" {
        found.reverse();
    }
    if !ctx.flag("returnAll", index)? {
        found.truncate(row_limit(ctx, index)?);
    }
    Ok(found.iter().map(TableRecord::to_value).collect())
}

async fn on_one(ctx: &Ctx<'_>, operation: &str, index: usize) -> Result<Object, NodeError> {
    // An earlier item may have renamed or removed it, so nothing is remembered.
    let table = TableLocator::new(ctx).table(ctx, index).await?;
    let tables = ctx.host().tables();
    let success = ("success", Value::from(true));
    Ok(match operation {
        "delete" => {
            tables.delete_table(&table.id).await?;
            Object::from_iter([success, ("deletedTableId", table.id.clone().into())])
        }
        "clear" => {
            let count = tables.clear_rows(&table.id).await?;
            Object::from_iter([success, ("deletedCount", count.into())])
        }
        _ => {
            let renamed = tables.rename_table(&table.id, &ctx.text("newName", index)?).await?;
            Object::from_iter([success, ("name", renamed.name.into())])
        }
    })
}
