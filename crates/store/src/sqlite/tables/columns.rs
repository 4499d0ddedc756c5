//! The columns of a data table: added, renamed, moved and removed.

use super::meta::{TableMeta, TableRef, field_name, field_type};
use crate::Error;
use crate::sqlite::{new_id, now_ms};
use node_api::tables::{
    ColumnChange, NewColumn, TableColumn, TableError, TableLimits, check_column_name,
};
use rusqlite::Connection;

pub(super) fn add(
    connection: &Connection,
    which: &TableRef,
    new: &NewColumn,
    index: Option<usize>,
    limits: &TableLimits,
) -> Result<TableColumn, Error> {
    let mut meta = TableMeta::find(connection, which)?;
    check_column_name(&new.name)?;
    is_free(&meta, &new.name)?;
    let count = meta.table.columns.len();
    if count >= limits.columns {
        return Err(TableError::Limit {
            what: "The data table has too many columns",
            limit: limits.columns,
        }
        .into());
    }
    let index = index.unwrap_or(count);
    in_range(index, count + 1)?;
    let slot = meta.slots.iter().max().map_or(1, |highest| highest + 1);
    connection.execute_batch(&format!(
        "ALTER TABLE {} ADD COLUMN {} {}",
        meta.rows_table(),
        field_name(slot),
        field_type(new.kind)
    ))?;
    meta.table
        .columns
        .insert(index, TableColumn { id: new_id(), name: new.name.clone(), kind: new.kind, index });
    meta.slots.insert(index, slot);
    keep(connection, meta, index)
}

pub(super) fn change(
    connection: &Connection,
    which: &TableRef,
    column_id: &str,
    change: ColumnChange,
) -> Result<TableColumn, Error> {
    let mut meta = TableMeta::find(connection, which)?;
    let mut at = find(&meta, column_id)?;
    if let Some(name) = change.name.filter(|name| *name != meta.table.columns[at].name) {
        check_column_name(&name)?;
        is_free(&meta, &name)?;
        meta.table.columns[at].name = name;
    }
    if let Some(index) = change.index {
        in_range(index, meta.table.columns.len())?;
        let (column, slot) = (meta.table.columns.remove(at), meta.slots.remove(at));
        meta.table.columns.insert(index, column);
        meta.slots.insert(index, slot);
        at = index;
    }
    keep(connection, meta, at)
}

pub(super) fn delete(
    connection: &Connection,
    which: &TableRef,
    column_id: &str,
) -> Result<(), Error> {
    let mut meta = TableMeta::find(connection, which)?;
    let at = find(&meta, column_id)?;
    let table = meta.rows_table();
    let sql = format!("SELECT ifnull(sum({}), 0) FROM {table}", meta.size_of(std::iter::once(at)));
    let bytes: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
    connection.execute_batch(&format!(
        "ALTER TABLE {table} DROP COLUMN {}",
        field_name(meta.slots[at])
    ))?;
    meta.count(connection, 0, -bytes)?;
    meta.table.columns.remove(at);
    meta.slots.remove(at);
    meta.save(connection, now_ms())
}

fn keep(connection: &Connection, mut meta: TableMeta, at: usize) -> Result<TableColumn, Error> {
    meta.renumber();
    meta.save(connection, now_ms())?;
    Ok(meta.table.columns[at].clone())
}

fn find(meta: &TableMeta, column_id: &str) -> Result<usize, TableError> {
    let found = meta.table.columns.iter().position(|column| column.id == column_id);
    let name = column_id
        .chars()
        .filter(|letter| !letter.is_control())
        .take(100)
        .collect::<String>()
        .into();
    found.ok_or(TableError::NoColumn { table: meta.table.name.clone(), name })
}

fn is_free(meta: &TableMeta, name: &str) -> Result<(), TableError> {
    match meta.table.columns.iter().any(|column| column.name == name) {
        true => Err(TableError::Taken { what: "A column", name: name.into() }),
        false => Ok(()),
    }
}

fn in_range(index: usize, count: usize) -> Result<(), TableError> {
    match index < count {
        true => Ok(()),
        false => Err(TableError::request(format!(
            "A column's position must be between 0 and {}",
            count - 1
        ))),
    }
}
