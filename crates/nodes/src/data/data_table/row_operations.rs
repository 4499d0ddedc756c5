//! The operations on rows.

use super::filter::{RowBuilder, filter, narrow_filter};
use super::locate::{TableLocator, output};
use futures::{StreamExt as _, stream};
use model::Items;
use node_api::prelude::*;
use node_api::tables::{
    ChangeMode, ChangedRows, Returning, RowFilter, RowQuery, RowSort, SortOrder, TableError,
    TableRecord,
};
use std::sync::Arc;

/// Rows that are read at once where there may be many.
const PAGE: usize = 1000;

/// Changes that are on their way at once. The store keeps their order and writes them together.
const MAX_IN_FLIGHT: usize = 256;

pub(super) async fn insert(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let (mut located, rows) = (TableLocator::new(ctx), RowBuilder::new(ctx));
    let mut prepared = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let made = match located.table(ctx, index).await {
            Ok(table) => rows.row(&table, &item, index).map(|row| (table, row)),
            Err(error) => Err(error),
        };
        prepared.push(keep_or_fail(ctx, index, made)?);
    }
    let returning =
        if ctx.flag("options.optimizeBulk", 0)? { Returning::Nothing } else { Returning::Rows };
    let mut made: Vec<Result<Vec<Item>, NodeError>> = Vec::with_capacity(prepared.len());
    let most = ctx.host().tables().limits().rows_per_call.max(1);
    let mut rest = prepared.into_iter().peekable();
    while let Some(first) = rest.next() {
        let (table, first) = match first {
            Ok(first) => first,
            Err(error) => {
                made.push(Err(error));
                continue;
            }
        };
        let mut group = vec![first];
        while group.len() < most
            && let Some(Ok((_, row))) =
                rest.next_if(|next| next.as_ref().is_ok_and(|(other, _)| other.id == table.id))
        {
            group.push(row);
        }
        made.extend(insert_group(ctx, &table, group, returning).await);
    }
    output(ctx, items, made)
}

/// Inserts rows of one table; if they cannot go in together and the node continues on fail, one by
/// one.
async fn insert_group(
    ctx: &Ctx<'_>,
    table: &TableRecord,
    rows: Vec<Object>,
    returning: Returning,
) -> Vec<Result<Vec<Item>, NodeError>> {
    let count = rows.len();
    let again = if ctx.continues_on_fail() && count > 1 { Some(rows.clone()) } else { None };
    match (insert_together(ctx, table, rows, returning).await, again) {
        (Ok(made), _) => made.into_iter().map(Ok).collect(),
        (Err(_), Some(rows)) => {
            let mut made = Vec::with_capacity(count);
            for row in rows {
                made.push(
                    insert_together(ctx, table, vec![row], returning)
                        .await
                        .map(|made| made.concat())
                        .map_err(NodeError::from),
                );
            }
            made
        }
        (Err(error), None) => {
            let error = NodeError::from(error);
            (0..count).map(|_| Err(error.clone())).collect()
        }
    }
}

async fn insert_together(
    ctx: &Ctx<'_>,
    table: &TableRecord,
    rows: Vec<Object>,
    returning: Returning,
) -> Result<Vec<Vec<Item>>, TableError> {
    let count = rows.len();
    let inserted = ctx.host().tables().insert_rows(&table.id, rows, returning).await?;
    Ok(match returning {
        Returning::Rows => inserted.rows.into_iter().map(|row| vec![Item::new(row)]).collect(),
        Returning::Nothing | Returning::Ids => {
            let told = Object::from_iter([
                ("success", Value::from(true)),
                ("insertedRows", inserted.count.into()),
            ]);
            let mut made = vec![Vec::new(); count];
            made[0].push(Item::new(told));
            made
        }
    })
}

pub(super) async fn get(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let mut located = TableLocator::new(ctx);
    let mut output = ctx.builder();
    for index in 0..items.len() {
        match get_one(ctx, &mut located, index, &mut output).await {
            Ok(()) => {}
            Err(error) => output.push(ctx.failed_item(index, error)?),
        }
    }
    Ok(vec![output.finish()])
}

async fn get_one(
    ctx: &Ctx<'_>,
    located: &mut TableLocator<'_>,
    index: usize,
    output: &mut ItemsBuilder,
) -> Result<(), NodeError> {
    let table = located.table(ctx, index).await?;
    let filter = filter(ctx, &table, index)?;
    let limit = match ctx.flag("returnAll", index)? {
        true => usize::MAX >> 1,
        false => row_limit(ctx, index)?,
    };
    let sort = sort(ctx, index)?;
    let tables = ctx.host().tables();
    if sort.is_some() {
        for row in
            tables.rows(&table.id, RowQuery { filter, sort, limit, ..RowQuery::default() }).await?
        {
            output.push(Item::new(row).paired_with(index));
        }
        return Ok(());
    }
    // In the order of ids, each page begins behind the last one, however many there were.
    let (mut after, mut left) = (None, limit);
    while left > 0 {
        let page = PAGE.min(left);
        let rows = tables
            .rows(
                &table.id,
                RowQuery { filter: filter.clone(), after, limit: page, ..RowQuery::default() },
            )
            .await?;
        let n_rows = rows.len();
        after =
            rows.last().and_then(|row| row.get("id")).and_then(Value::as_f64).map(|id| id as i64);
        rows.into_iter().for_each(|row| output.push(Item::new(row).paired_with(index)));
        left -= n_rows;
        if n_rows < page || ctx.host().is_cancelled() {
            break;
        }
    }
    Ok(())
}

pub(super) fn row_limit(ctx: &Ctx<'_>, index: usize) -> Result<usize, NodeError> {
    let limit = ctx.number("limit", index)?;
    if limit < 1.0 || limit.fract() != 0.0 {
        return Err(NodeError::parameter(
            "limit",
            format!("The limit must be a whole number of at least 1, but it is {limit}"),
        ));
    }
    Ok(limit as usize)
}

fn sort(ctx: &Ctx<'_>, index: usize) -> Result<Option<RowSort>, NodeError> {
    let column = ctx.text("orderByColumn", index)?;
    if !ctx.flag("orderBy", index)? || column.is_empty() {
        return Ok(None);
    }
    let order = match ctx.text("orderByDirection", index)?.as_str() {
        "ASC" | "asc" => SortOrder::Ascending,
        "DESC" | "desc" => SortOrder::Descending,
        other => {
            return Err(NodeError::parameter(
                "orderByDirection",
                format!("Unknown sort direction '{other}'"),
            ));
        }
    };
    Ok(Some(RowSort { column, order }))
}

/// Which items go on: those with a row, or those without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ExistenceFilter {
    Existing,
    Missing,
}

pub(super) async fn exists(
    ctx: &Ctx<'_>,
    items: &Items,
    wanted: ExistenceFilter,
) -> Result<Outputs, NodeError> {
    let mut located = TableLocator::new(ctx);
    let mut made = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let fits = has_row(ctx, &mut located, index)
            .await
            .map(|is_there| is_there == (wanted == ExistenceFilter::Existing));
        made.push(fits.map(|fits| if fits { vec![item] } else { Vec::new() }));
    }
    output(ctx, items, made)
}

async fn has_row(
    ctx: &Ctx<'_>,
    located: &mut TableLocator<'_>,
    index: usize,
) -> Result<bool, NodeError> {
    let table = located.table(ctx, index).await?;
    let filter = narrow_filter(ctx, &table, index)?;
    let rows = ctx
        .host()
        .tables()
        .rows(&table.id, RowQuery { filter, limit: 1, ..RowQuery::default() })
        .await?;
    Ok(!rows.is_empty())
}

/// A change that is ready to be made.
struct PreparedChange {
    table: Arc<TableRecord>,
    filter: RowFilter,
    data: Object,
    effect: ChangeMode,
}

pub(super) async fn change(
    ctx: &Ctx<'_>,
    items: &Items,
    operation: &str,
) -> Result<Outputs, NodeError> {
    let (mut located, rows) = (TableLocator::new(ctx), RowBuilder::new(ctx));
    let mut prepared = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        let made = prepare(ctx, &mut located, &rows, operation, &item, index).await;
        prepared.push(keep_or_fail(ctx, index, made)?);
    }
    let made = stream::iter(prepared.into_iter().map(|prepared| async {
        let PreparedChange { table, filter, data, effect } = prepared?;
        let tables = ctx.host().tables();
        let ChangedRows { rows, .. } = match operation {
            "update" => tables.update_rows(&table.id, filter, data, effect).await?,
            "upsert" => tables.upsert_row(&table.id, filter, data, effect).await?,
            _ => tables.delete_rows(&table.id, filter, effect).await?,
        };
        Ok(rows.into_iter().map(Item::new).collect())
    }));
    output(ctx, items, made.buffered(MAX_IN_FLIGHT).collect().await)
}

async fn prepare(
    ctx: &Ctx<'_>,
    located: &mut TableLocator<'_>,
    rows: &RowBuilder<'_>,
    operation: &str,
    item: &Item,
    index: usize,
) -> Result<PreparedChange, NodeError> {
    let table = located.table(ctx, index).await?;
    let filter = narrow_filter(ctx, &table, index)?;
    let data =
        if operation == "deleteRows" { Object::new() } else { rows.row(&table, item, index)? };
    let effect =
        if ctx.flag("options.dryRun", index)? { ChangeMode::DryRun } else { ChangeMode::Returning };
    Ok(PreparedChange { table, filter, data, effect })
}

/// A failure stops the run before anything is written, unless the node continues on fail.
fn keep_or_fail<T>(
    ctx: &Ctx<'_>,
    index: usize,
    made: Result<T, NodeError>,
) -> Result<Result<T, NodeError>, NodeError> {
    match made {
        Err(error) if !ctx.continues_on_fail() => Err(error.on_item(index)),
        made => Ok(made),
    }
}
