//! Data tables in SQLite: a real table for each, so that filters and orders are the database's own.

mod columns;
mod meta;
mod pattern;
mod query;
mod rows;

pub(super) use pattern::register_functions;

use super::{Sqlite, new_id, now_ms};
use crate::Error;
use crate::projects::PERSONAL;
use meta::{TableMeta, TableRef, field_name, field_type};
use model::{Object, Str};
use node_api::tables::{
    ChangeMode, ChangedRows, ColumnChange, InsertedRows, NewColumn, NewTable, Returning, RowFilter,
    RowQuery, TableColumn, TableError, TableLimits, TableName, TableRecord, Tables,
    check_column_name, check_table_name,
};
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;

#[async_trait::async_trait]
impl Tables for Sqlite {
    fn limits(&self) -> TableLimits {
        self.table_limits
    }

    fn scoped_to(&self, workflow_id: &str) -> Option<Arc<dyn Tables>> {
        Some(Arc::new(Self { seen_by_workflow: Some(workflow_id.into()), ..self.clone() }))
    }

    async fn tables(&self) -> Result<Vec<TableRecord>, TableError> {
        let seen_by = self.seen_by_workflow.clone();
        let found =
            self.read(move |connection| TableMeta::all(connection, seen_by.as_deref())).await?;
        Ok(found.into_iter().map(|meta| meta.table).collect())
    }

    async fn table(&self, which: &TableName) -> Result<TableRecord, TableError> {
        let which = TableRef { name: which.clone(), seen_by: self.seen_by_workflow.clone() };
        Ok(self.read(move |connection| Ok(TableMeta::find(connection, &which)?.table)).await?)
    }

    async fn create_table(&self, new: NewTable) -> Result<TableRecord, TableError> {
        let (limits, seen_by) = (self.table_limits, self.seen_by_workflow.clone());
        Ok(self
            .write(move |connection| create(connection, &new, seen_by.as_deref(), &limits))
            .await?)
    }

    async fn rename_table(&self, id: &str, name: &str) -> Result<TableRecord, TableError> {
        check_table_name(name)?;
        let (which, name) = (self.which(id), Str::from(name));
        let renamed = self.write(move |connection| {
            let mut meta = TableMeta::find(connection, &which)?;
            if meta.table.name != name {
                is_free(connection, &meta.table.project_id, &name)?;
                let now = now_ms();
                (meta.table.name, meta.table.updated_ms) = (name, now);
                meta.save(connection, now)?;
            }
            Ok(meta.table)
        });
        Ok(renamed.await?)
    }

    async fn delete_table(&self, id: &str) -> Result<(), TableError> {
        let which = self.which(id);
        let deleted = self.write(move |connection| {
            let meta = TableMeta::find(connection, &which)?;
            connection.execute("DELETE FROM data_tables WHERE number = ?", [meta.number])?;
            connection.execute_batch(&format!("DROP TABLE {}", meta.rows_table()))?;
            Ok(())
        });
        Ok(deleted.await?)
    }

    async fn add_column(
        &self,
        id: &str,
        new: NewColumn,
        index: Option<usize>,
    ) -> Result<TableColumn, TableError> {
        let (which, limits) = (self.which(id), self.table_limits);
        Ok(self
            .write(move |connection| columns::add(connection, &which, &new, index, &limits))
            .await?)
    }

    async fn change_column(
        &self,
        id: &str,
        column_id: &str,
        change: ColumnChange,
    ) -> Result<TableColumn, TableError> {
        let (which, column_id) = (self.which(id), column_id.to_owned());
        Ok(self
            .write(move |connection| columns::change(connection, &which, &column_id, change))
            .await?)
    }

    async fn delete_column(&self, id: &str, column_id: &str) -> Result<(), TableError> {
        let (which, column_id) = (self.which(id), column_id.to_owned());
        Ok(self.write(move |connection| columns::delete(connection, &which, &column_id)).await?)
    }

    async fn rows(&self, id: &str, query: RowQuery) -> Result<Vec<Object>, TableError> {
        let (which, limits) = (self.which(id), self.table_limits);
        Ok(self
            .read(move |connection| {
                rows::select(connection, &TableMeta::find(connection, &which)?, &query, &limits)
            })
            .await?)
    }

    async fn insert_rows(
        &self,
        id: &str,
        rows: Vec<Object>,
        returning: Returning,
    ) -> Result<InsertedRows, TableError> {
        let (which, limits) = (self.which(id), self.table_limits);
        let inserted = self.write(move |connection| {
            rows::insert(
                connection,
                &TableMeta::find(connection, &which)?,
                &rows,
                returning,
                &limits,
            )
        });
        Ok(inserted.await?)
    }

    async fn update_rows(
        &self,
        id: &str,
        filter: RowFilter,
        data: Object,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        let limits = self.table_limits;
        self.change_rows(id, effect, move |connection, meta| {
            rows::update(connection, meta, &filter, &data, effect, &limits)
        })
        .await
    }

    async fn upsert_row(
        &self,
        id: &str,
        filter: RowFilter,
        data: Object,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        let limits = self.table_limits;
        self.change_rows(id, effect, move |connection, meta| {
            rows::upsert(connection, meta, &filter, data, effect, &limits)
        })
        .await
    }

    async fn delete_rows(
        &self,
        id: &str,
        filter: RowFilter,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        let limits = self.table_limits;
        self.change_rows(id, effect, move |connection, meta| {
            rows::delete(connection, meta, &filter, effect, &limits)
        })
        .await
    }

    async fn clear_rows(&self, id: &str) -> Result<usize, TableError> {
        let cleared = self.change_rows(id, ChangeMode::Silent, move |connection, meta| {
            connection.execute(&format!("DELETE FROM {}", meta.rows_table()), [])?;
            connection.execute(
                "UPDATE data_tables SET n_rows = 0, bytes = 0 WHERE number = ?",
                [meta.number],
            )?;
            Ok(ChangedRows { count: meta.table.n_rows, rows: Vec::new() })
        });
        Ok(cleared.await?.count)
    }
}

impl Sqlite {
    fn which(&self, id: &str) -> TableRef {
        TableRef { name: TableName::Id(id.into()), seen_by: self.seen_by_workflow.clone() }
    }

    /// A preview only reads, and does not hold up the writer.
    async fn change_rows(
        &self,
        id: &str,
        effect: ChangeMode,
        work: impl FnOnce(&Connection, &TableMeta) -> Result<ChangedRows, Error> + Send + 'static,
    ) -> Result<ChangedRows, TableError> {
        let which = self.which(id);
        let work =
            move |connection: &Connection| work(connection, &TableMeta::find(connection, &which)?);
        Ok(match effect {
            ChangeMode::DryRun => self.read(work).await?,
            ChangeMode::Silent | ChangeMode::Returning => self.write(work).await?,
        })
    }
}

fn create(
    connection: &Connection,
    new: &NewTable,
    seen_by: Option<&str>,
    limits: &TableLimits,
) -> Result<TableRecord, Error> {
    check_table_name(&new.name)?;
    if new.columns.len() > limits.columns {
        return Err(TableError::Limit {
            what: "The data table has too many columns",
            limit: limits.columns,
        }
        .into());
    }
    for (at, column) in new.columns.iter().enumerate() {
        check_column_name(&column.name)?;
        if new.columns[..at].iter().any(|other| other.name == column.name) {
            return Err(TableError::Taken { what: "A column", name: column.name.clone() }.into());
        }
    }
    let project_id = match (&new.project_id, seen_by) {
        (Some(named), _) => named.clone(),
        (None, Some(workflow)) => project_of(connection, workflow)?,
        (None, None) => PERSONAL.into(),
    };
    is_free(connection, &project_id, &new.name)?;
    let there: i64 =
        connection.query_row("SELECT count(*) FROM data_tables", [], |row| row.get(0))?;
    if there as usize >= limits.tables {
        return Err(TableError::Limit {
            what: "There are too many data tables",
            limit: limits.tables,
        }
        .into());
    }
    let now = now_ms();
    let columns: Vec<TableColumn> = (0..)
        .zip(&new.columns)
        .map(|(index, column)| TableColumn {
            id: new_id(),
            name: column.name.clone(),
            kind: column.kind,
            index,
        })
        .collect();
    let slots: Vec<u32> = (1..).take(columns.len()).collect();
    let (id, name) = (new_id(), new.name.clone());
    let table = TableRecord {
        id,
        name,
        columns,
        project_id,
        n_rows: 0,
        bytes: 0,
        created_ms: now,
        updated_ms: now,
    };
    let mut meta = TableMeta { number: 0, table, slots, next_row: 1 };
    let sql = "INSERT INTO data_tables (id, name, columns, project_id, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
    let TableRecord { id, name, project_id, .. } = &meta.table;
    connection.execute(
        sql,
        params![id.as_str(), name.as_str(), meta.columns_json(), project_id.as_str(), now],
    )?;
    meta.number = connection.last_insert_rowid();
    let fields: String = meta
        .slots
        .iter()
        .zip(&meta.table.columns)
        .map(|(slot, column)| format!(", {} {}", field_name(*slot), field_type(column.kind)))
        .collect();
    let head = "id INTEGER PRIMARY KEY, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL";
    connection
        .execute_batch(&format!("CREATE TABLE {} ({head}{fields}) STRICT", meta.rows_table()))?;
    Ok(meta.table)
}

/// A workflow that is not kept here has no tables; the one of a run from the command line sees all
/// of them.
fn project_of(connection: &Connection, workflow_id: &str) -> Result<Str, Error> {
    let sql = "SELECT project_id FROM workflows WHERE id = ?";
    let found: Option<String> =
        connection.prepare_cached(sql)?.query_row([workflow_id], |row| row.get(0)).optional()?;
    Ok(found.map_or_else(|| PERSONAL.into(), Into::into))
}

fn is_free(connection: &Connection, project_id: &Str, name: &Str) -> Result<(), Error> {
    let sql = "SELECT 1 FROM data_tables WHERE project_id = ?1 AND name = ?2";
    match connection.query_row(sql, [project_id.as_str(), name.as_str()], |_| Ok(())).optional()? {
        Some(()) => Err(TableError::Taken { what: "A data table", name: name.clone() }.into()),
        None => Ok(()),
    }
}
