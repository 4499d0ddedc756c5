//! Data tables: rows with typed columns that workflows share and keep. One port, behind which the
//! store stands.

mod error;
mod filter;
mod names;
mod value;

pub use error::TableError;
pub use filter::{Combine, ConditionOp, RowCondition, RowFilter};
pub use names::{RESERVED, check_column_name, check_table_name};
pub use value::{CellValue, ColumnKind, iso};

use model::{Object, Str, Value};
use std::sync::Arc;

/// Keeps data tables. Implemented by `store`; called by nodes through `Host::tables`
/// and by the API.
///
/// What a method has returned from is on disk. A method that fails has changed nothing. Rows are
/// objects: `id`, `createdAt` and `updatedAt`, then the columns in their order.
#[async_trait::async_trait]
pub trait Tables: Send + Sync {
    fn limits(&self) -> TableLimits;
    /// The tables that a workflow may use: those of its project. `None`: all of these.
    fn scoped_to(&self, _workflow_id: &str) -> Option<Arc<dyn Tables>> {
        None
    }
    /// All of them, by name; there are few.
    async fn tables(&self) -> Result<Vec<TableRecord>, TableError>;
    async fn table(&self, which: &TableName) -> Result<TableRecord, TableError>;
    async fn create_table(&self, new: NewTable) -> Result<TableRecord, TableError>;
    async fn rename_table(&self, id: &str, name: &str) -> Result<TableRecord, TableError>;
    async fn delete_table(&self, id: &str) -> Result<(), TableError>;

    /// Adds a column at a place, or as the last one.
    async fn add_column(
        &self,
        id: &str,
        new: NewColumn,
        index: Option<usize>,
    ) -> Result<TableColumn, TableError>;
    async fn change_column(
        &self,
        id: &str,
        column_id: &str,
        change: ColumnChange,
    ) -> Result<TableColumn, TableError>;
    async fn delete_column(&self, id: &str, column_id: &str) -> Result<(), TableError>;

    async fn rows(&self, id: &str, query: RowQuery) -> Result<Vec<Object>, TableError>;
    /// All rows or none.
    async fn insert_rows(
        &self,
        id: &str,
        rows: Vec<Object>,
        returning: Returning,
    ) -> Result<InsertedRows, TableError>;
    async fn update_rows(
        &self,
        id: &str,
        filter: RowFilter,
        data: Object,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError>;
    /// Updates the rows that fit, or inserts one if none does.
    async fn upsert_row(
        &self,
        id: &str,
        filter: RowFilter,
        data: Object,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError>;
    async fn delete_rows(
        &self,
        id: &str,
        filter: RowFilter,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError>;
    /// Removes all rows and tells how many there were.
    async fn clear_rows(&self, id: &str) -> Result<usize, TableError>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableRecord {
    pub id: Str,
    pub name: Str,
    pub columns: Vec<TableColumn>,
    pub project_id: Str,
    pub n_rows: usize,
    /// What counts against [`TableLimits::table_bytes`].
    pub bytes: usize,
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl TableRecord {
    /// The kind of a column by its name, those that every table has included.
    pub fn kind_of(&self, name: &str) -> Option<ColumnKind> {
        match name {
            "id" => Some(ColumnKind::Number),
            "createdAt" | "updatedAt" => Some(ColumnKind::Date),
            name => {
                self.columns.iter().find(|column| column.name == name).map(|column| column.kind)
            }
        }
    }

    /// The table as answers and items show it.
    pub fn to_value(&self) -> Value {
        Object::from_iter([
            ("id", Value::from(self.id.clone())),
            ("name", self.name.clone().into()),
            ("columns", Value::array(self.columns.iter().map(TableColumn::to_value).collect())),
            ("projectId", self.project_id.clone().into()),
            ("createdAt", iso(self.created_ms)),
            ("updatedAt", iso(self.updated_ms)),
            ("rowCount", self.n_rows.into()),
            ("sizeBytes", self.bytes.into()),
        ])
        .into()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    pub id: Str,
    pub name: Str,
    pub kind: ColumnKind,
    pub index: usize,
}

impl TableColumn {
    pub fn to_value(&self) -> Value {
        Object::from_iter([
            ("id", Value::from(self.id.clone())),
            ("name", self.name.clone().into()),
            ("type", self.kind.name().into()),
            ("index", self.index.into()),
        ])
        .into()
    }
}

/// How a table is named: by its id, or by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum TableName {
    Id(Str),
    Name(Str),
}

#[derive(Clone, Debug, Default)]
pub struct NewTable {
    pub name: Str,
    pub columns: Vec<NewColumn>,
    /// Where it goes; else to the project of the workflow that makes it, or of the first owner.
    pub project_id: Option<Str>,
}

#[derive(Clone, Debug)]
pub struct NewColumn {
    pub name: Str,
    pub kind: ColumnKind,
}

#[derive(Clone, Debug, Default)]
pub struct ColumnChange {
    pub name: Option<Str>,
    pub index: Option<usize>,
}

#[derive(Clone, Debug, Default)]
pub struct RowQuery {
    pub filter: RowFilter,
    /// Only rows that have this text in a string column, whatever its case.
    pub search: Option<Str>,
    /// By id if there is none.
    pub sort: Option<RowSort>,
    /// Only rows with a higher id; for pages of rows that are in the order of their ids.
    pub after: Option<i64>,
    pub skip: usize,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RowSort {
    pub column: Str,
    pub order: SortOrder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortOrder {
    Ascending,
    Descending,
}

/// What an insert gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returning {
    Nothing,
    Ids,
    Rows,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct InsertedRows {
    pub count: usize,
    pub ids: Vec<i64>,
    pub rows: Vec<Object>,
}

/// What a change does, and what it gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeMode {
    Silent,
    /// Gives back the rows as they are now; deleted ones as they were.
    Returning,
    /// Changes nothing and gives back each row before and after, told apart by `dryRunState`.
    DryRun,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangedRows {
    pub count: usize,
    pub rows: Vec<Object>,
}

/// How much a data folder's tables may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableLimits {
    pub tables: usize,
    pub columns: usize,
    /// Rows that one insert brings at most.
    pub rows_per_call: usize,
    /// Conditions of one filter.
    pub conditions: usize,
    pub table_bytes: usize,
}

impl Default for TableLimits {
    fn default() -> Self {
        Self {
            tables: 1000,
            columns: 100,
            rows_per_call: 10_000,
            conditions: 100,
            table_bytes: 50 << 20,
        }
    }
}

/// A world without data tables.
pub struct NoTables;

#[async_trait::async_trait]
impl Tables for NoTables {
    fn limits(&self) -> TableLimits {
        TableLimits::default()
    }
    async fn tables(&self) -> Result<Vec<TableRecord>, TableError> {
        Ok(Vec::new())
    }
    async fn table(&self, _which: &TableName) -> Result<TableRecord, TableError> {
        Err(TableError::Nowhere)
    }
    async fn create_table(&self, _new: NewTable) -> Result<TableRecord, TableError> {
        Err(TableError::Nowhere)
    }
    async fn rename_table(&self, _id: &str, _name: &str) -> Result<TableRecord, TableError> {
        Err(TableError::Nowhere)
    }
    async fn delete_table(&self, _id: &str) -> Result<(), TableError> {
        Err(TableError::Nowhere)
    }
    async fn add_column(
        &self,
        _id: &str,
        _new: NewColumn,
        _index: Option<usize>,
    ) -> Result<TableColumn, TableError> {
        Err(TableError::Nowhere)
    }
    async fn change_column(
        &self,
        _id: &str,
        _column_id: &str,
        _change: ColumnChange,
    ) -> Result<TableColumn, TableError> {
        Err(TableError::Nowhere)
    }
    async fn delete_column(&self, _id: &str, _column_id: &str) -> Result<(), TableError> {
        Err(TableError::Nowhere)
    }
    async fn rows(&self, _id: &str, _query: RowQuery) -> Result<Vec<Object>, TableError> {
        Err(TableError::Nowhere)
    }
    async fn insert_rows(
        &self,
        _id: &str,
        _rows: Vec<Object>,
        _returning: Returning,
    ) -> Result<InsertedRows, TableError> {
        Err(TableError::Nowhere)
    }
    async fn update_rows(
        &self,
        _id: &str,
        _filter: RowFilter,
        _data: Object,
        _effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        Err(TableError::Nowhere)
    }
    async fn upsert_row(
        &self,
        _id: &str,
        _filter: RowFilter,
        _data: Object,
        _effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        Err(TableError::Nowhere)
    }
    async fn delete_rows(
        &self,
        _id: &str,
        _filter: RowFilter,
        _effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        Err(TableError::Nowhere)
    }
    async fn clear_rows(&self, _id: &str) -> Result<usize, TableError> {
        Err(TableError::Nowhere)
    }
}
