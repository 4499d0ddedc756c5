//! Reading and changing the rows of a data table, inside a transaction of the caller.

use super::meta::{ROW_BYTES, TableMeta, field_name};
use super::query::{BoundCell, WhereClause, in_state, order_sql};
use crate::Error;
use crate::sqlite::now_ms;
use model::{Object, Str, Value};
use node_api::tables::{
    CellValue, ChangeMode, ChangedRows, InsertedRows, Returning, RowFilter, RowQuery, TableError,
    TableLimits, iso,
};
use rusqlite::{Connection, ToSql, params_from_iter};

pub(super) fn select(
    connection: &Connection,
    meta: &TableMeta,
    query: &RowQuery,
    limits: &TableLimits,
) -> Result<Vec<Object>, Error> {
    let mut place = WhereClause::of(meta, &query.filter, limits.conditions)?;
    if let Some(text) = query.search.as_ref().filter(|text| !text.is_empty()) {
        place.search(meta, text);
    }
    if let Some(id) = query.after {
        place.after(id);
    }
    let order = order_sql(meta, query.sort.as_ref())?;
    let (limit, skip) = (
        i64::try_from(query.limit).unwrap_or(i64::MAX),
        i64::try_from(query.skip).unwrap_or(i64::MAX),
    );
    let sql = format!(
        "SELECT {} FROM {} WHERE {} ORDER BY {order} LIMIT {limit} OFFSET {skip}",
        meta.selected(),
        meta.rows_table(),
        place.sql
    );
    collect(connection, meta, &sql, &place)
}

pub(super) fn insert(
    connection: &Connection,
    meta: &TableMeta,
    rows: &[Object],
    returning: Returning,
    limits: &TableLimits,
) -> Result<InsertedRows, Error> {
    if rows.len() > limits.rows_per_call {
        return Err(TableError::Limit {
            what: "Too many rows at once",
            limit: limits.rows_per_call,
        }
        .into());
    }
    let mut inserted = InsertedRows { count: rows.len(), ..InsertedRows::default() };
    let mut bytes = 0;
    let now = now_ms();
    let moment = iso(now);
    let marks = ", ?".repeat(meta.slots.len());
    let sql =
        format!("INSERT INTO {} ({}) VALUES (?, ?, ?{marks})", meta.rows_table(), meta.selected());
    let mut statement = connection.prepare_cached(&sql)?;
    let head = ["id", "createdAt", "updatedAt"].map(Str::from);
    for (id, data) in (meta.next_row..).zip(rows) {
        let mut cells = vec![CellValue::Null; meta.slots.len()];
        for (name, value) in data.iter() {
            let (at, cell) = meta.cell(name, value)?;
            cells[at] = cell;
        }
        bytes += ROW_BYTES + cells.iter().map(CellValue::bytes).sum::<usize>();
        for (at, number) in (1..).zip([id, now, now]) {
            statement.raw_bind_parameter(at, number)?;
        }
        for (at, cell) in (4..).zip(&cells) {
            statement.raw_bind_parameter(at, BoundCell(cell))?;
        }
        statement.raw_execute()?;
        match returning {
            Returning::Nothing => {}
            Returning::Ids => inserted.ids.push(id),
            Returning::Rows => inserted.rows.push(shown(
                meta,
                &head,
                [id.into(), moment.clone(), moment.clone()],
                cells,
            )),
        }
    }
    fits(meta, bytes as i64, limits)?;
    meta.count(connection, rows.len() as i64, bytes as i64)?;
    Ok(inserted)
}

pub(super) fn update(
    connection: &Connection,
    meta: &TableMeta,
    filter: &RowFilter,
    data: &Object,
    effect: ChangeMode,
    limits: &TableLimits,
) -> Result<ChangedRows, Error> {
    let place = narrow(meta, filter, limits)?;
    let cells = meta.cells(data)?;
    if cells.is_empty() {
        return Err(TableError::request("There are no values to set").into());
    }
    let now = now_ms();
    if effect == ChangeMode::DryRun {
        return preview(connection, meta, &place, |row| {
            let mut after = row.clone();
            after.insert("updatedAt", iso(now));
            for (at, cell) in &cells {
                after.insert(meta.table.columns[*at].name.clone(), cell.clone().into_value());
            }
            after
        });
    }
    // The rows are found before any of them changes, for the change may decide what fits.
    let size = meta.size_of(cells.iter().map(|(at, _)| *at));
    let sql =
        format!("SELECT id, {size} FROM {} WHERE {} ORDER BY id", meta.rows_table(), place.sql);
    let mut statement = connection.prepare(&sql)?;
    let found = statement
        .query_map(params_from_iter(&place.values), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let found = found.collect::<rusqlite::Result<Vec<(i64, i64)>>>()?;
    let before: i64 = found.iter().map(|(_, size)| size).sum();
    let after = found.len() as i64 * cells.iter().map(|(_, cell)| cell.bytes() as i64).sum::<i64>();
    fits(meta, after - before, limits)?;
    let set: String =
        cells.iter().map(|(at, _)| format!(", {} = ?", field_name(meta.slots[*at]))).collect();
    let mut statement = connection
        .prepare(&format!("UPDATE {} SET updated_ms = ?{set} WHERE id = ?", meta.rows_table()))?;
    let bound: Vec<BoundCell<'_>> = cells.iter().map(|(_, cell)| BoundCell(cell)).collect();
    for (id, _) in &found {
        let values = [&now as &dyn ToSql]
            .into_iter()
            .chain(bound.iter().map(|cell| cell as &dyn ToSql))
            .chain([id as &dyn ToSql]);
        statement.execute(params_from_iter(values))?;
    }
    meta.count(connection, 0, after - before)?;
    let mut changed = ChangedRows { count: found.len(), rows: Vec::new() };
    if effect == ChangeMode::Returning {
        let mut statement = connection.prepare(&format!(
            "SELECT {} FROM {} WHERE id = ?",
            meta.selected(),
            meta.rows_table()
        ))?;
        for (id, _) in &found {
            changed.rows.push(statement.query_row([id], |row| meta.row(row))?);
        }
    }
    Ok(changed)
}

pub(super) fn upsert(
    connection: &Connection,
    meta: &TableMeta,
    filter: &RowFilter,
    data: Object,
    effect: ChangeMode,
    limits: &TableLimits,
) -> Result<ChangedRows, Error> {
    let changed = update(connection, meta, filter, &data, effect, limits)?;
    if changed.count > 0 {
        return Ok(changed);
    }
    if effect == ChangeMode::DryRun {
        let mut after = nothing(meta);
        for (at, cell) in meta.cells(&data)? {
            after.insert(meta.table.columns[at].name.clone(), cell.into_value());
        }
        return Ok(ChangedRows {
            count: 1,
            rows: vec![in_state(nothing(meta), "before"), in_state(after, "after")],
        });
    }
    let inserted = insert(connection, meta, &[data], Returning::Rows, limits)?;
    Ok(ChangedRows {
        count: 1,
        rows: if effect == ChangeMode::Returning { inserted.rows } else { Vec::new() },
    })
}

pub(super) fn delete(
    connection: &Connection,
    meta: &TableMeta,
    filter: &RowFilter,
    effect: ChangeMode,
    limits: &TableLimits,
) -> Result<ChangedRows, Error> {
    let place = narrow(meta, filter, limits)?;
    if effect == ChangeMode::DryRun {
        return preview(connection, meta, &place, |_| nothing(meta));
    }
    let mut changed = ChangedRows::default();
    let table = meta.rows_table();
    if effect == ChangeMode::Returning {
        changed.rows = collect(
            connection,
            meta,
            &format!("SELECT {} FROM {table} WHERE {} ORDER BY id", meta.selected(), place.sql),
            &place,
        )?;
    }
    let size = meta.size_of(0..meta.slots.len());
    let sql = format!(
        "SELECT count(*), ifnull(sum({ROW_BYTES} + {size}), 0) FROM {table} WHERE {}",
        place.sql
    );
    let values = || params_from_iter(&place.values);
    let (count, bytes): (i64, i64) =
        connection.query_row(&sql, values(), |row| Ok((row.get(0)?, row.get(1)?)))?;
    connection.execute(&format!("DELETE FROM {table} WHERE {}", place.sql), values())?;
    meta.count(connection, -count, -bytes)?;
    changed.count = count as usize;
    Ok(changed)
}

/// A change without any condition would reach every row; nobody means that.
fn narrow(
    meta: &TableMeta,
    filter: &RowFilter,
    limits: &TableLimits,
) -> Result<WhereClause, TableError> {
    match filter.conditions.is_empty() {
        true => Err(TableError::request("At least one condition is required")),
        false => WhereClause::of(meta, filter, limits.conditions),
    }
}

fn fits(meta: &TableMeta, more: i64, limits: &TableLimits) -> Result<(), TableError> {
    let limit = limits.table_bytes;
    let is_too_large =
        more > 0 && meta.table.bytes as i64 + more > i64::try_from(limit).unwrap_or(i64::MAX);
    if is_too_large {
        Err(TableError::Limit { what: "The data table would exceed its size limit", limit })
    } else {
        Ok(())
    }
}

fn collect(
    connection: &Connection,
    meta: &TableMeta,
    sql: &str,
    place: &WhereClause,
) -> Result<Vec<Object>, Error> {
    let mut statement = connection.prepare(sql)?;
    let found = statement.query_map(params_from_iter(&place.values), |row| meta.row(row))?;
    Ok(found.collect::<rusqlite::Result<Vec<_>>>()?)
}

fn preview(
    connection: &Connection,
    meta: &TableMeta,
    place: &WhereClause,
    after: impl Fn(&Object) -> Object,
) -> Result<ChangedRows, Error> {
    let sql = format!(
        "SELECT {} FROM {} WHERE {} ORDER BY id",
        meta.selected(),
        meta.rows_table(),
        place.sql
    );
    let found = collect(connection, meta, &sql, place)?;
    let count = found.len();
    let rows = found.into_iter().flat_map(|row| {
        let after = after(&row);
        [in_state(row, "before"), in_state(after, "after")]
    });
    Ok(ChangedRows { count, rows: rows.collect() })
}

/// A row with its head and its cells. No column has another's name, or that of one of the head.
fn shown(meta: &TableMeta, names: &[Str; 3], head: [Value; 3], cells: Vec<CellValue>) -> Object {
    let mut row = Object::with_capacity(head.len() + cells.len());
    let head = names.iter().zip(head);
    let cells = meta
        .table
        .columns
        .iter()
        .zip(cells)
        .map(|(column, cell)| (&column.name, cell.into_value()));
    head.chain(cells).for_each(|(name, value)| row.append(name.clone(), value));
    row
}

/// A row that is not there.
fn nothing(meta: &TableMeta) -> Object {
    let names = ["id", "createdAt", "updatedAt"]
        .into_iter()
        .chain(meta.table.columns.iter().map(|column| column.name.as_str()));
    names.map(|name| (name, Value::Null)).collect()
}
