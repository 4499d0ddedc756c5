//! The data tables of a data folder, for runs from the command line: the folder is opened when a
//! node first asks for it.

use crate::wiring;
use model::Object;
use node_api::collections::CollectionLimits;
use node_api::tables::{
    ChangeMode, ChangedRows, ColumnChange, InsertedRows, NewColumn, NewTable, Returning, RowFilter,
    RowQuery, TableColumn, TableError, TableLimits, TableName, TableRecord, Tables,
};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use store::Store;

pub(crate) struct FolderTables {
    folder: PathBuf,
    limits: TableLimits,
    opened: OnceLock<Result<Arc<dyn Store>, TableError>>,
}

impl FolderTables {
    pub(crate) fn new(folder: PathBuf, limits: TableLimits) -> Self {
        Self { folder, limits, opened: OnceLock::new() }
    }

    /// A folder that is not there is not made: a run leaves nothing behind that nobody asked for.
    fn store(&self) -> Result<&Arc<dyn Store>, TableError> {
        let opened = self.opened.get_or_init(|| {
            if !self.folder.join("heddle.db").exists() {
                return Err(TableError::Nowhere);
            }
            wiring::open_store_within(&self.folder, self.limits, CollectionLimits::default())
                .map_err(TableError::from)
        });
        opened.as_ref().map_err(Clone::clone)
    }
}

#[async_trait::async_trait]
impl Tables for FolderTables {
    fn limits(&self) -> TableLimits {
        self.limits
    }
    async fn tables(&self) -> Result<Vec<TableRecord>, TableError> {
        self.store()?.tables().await
    }
    async fn table(&self, which: &TableName) -> Result<TableRecord, TableError> {
        self.store()?.table(which).await
    }
    async fn create_table(&self, new: NewTable) -> Result<TableRecord, TableError> {
        self.store()?.create_table(new).await
    }
    async fn rename_table(&self, id: &str, name: &str) -> Result<TableRecord, TableError> {
        self.store()?.rename_table(id, name).await
    }
    async fn delete_table(&self, id: &str) -> Result<(), TableError> {
        self.store()?.delete_table(id).await
    }
    async fn add_column(
        &self,
        id: &str,
        new: NewColumn,
        index: Option<usize>,
    ) -> Result<TableColumn, TableError> {
        self.store()?.add_column(id, new, index).await
    }
    async fn change_column(
        &self,
        id: &str,
        column_id: &str,
        change: ColumnChange,
    ) -> Result<TableColumn, TableError> {
        self.store()?.change_column(id, column_id, change).await
    }
    async fn delete_column(&self, id: &str, column_id: &str) -> Result<(), TableError> {
        self.store()?.delete_column(id, column_id).await
    }
    async fn rows(&self, id: &str, query: RowQuery) -> Result<Vec<Object>, TableError> {
        self.store()?.rows(id, query).await
    }
    async fn insert_rows(
        &self,
        id: &str,
        rows: Vec<Object>,
        returning: Returning,
    ) -> Result<InsertedRows, TableError> {
        self.store()?.insert_rows(id, rows, returning).await
    }
    async fn update_rows(
        &self,
        id: &str,
        filter: RowFilter,
        data: Object,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        self.store()?.update_rows(id, filter, data, effect).await
    }
    async fn upsert_row(
        &self,
        id: &str,
        filter: RowFilter,
        data: Object,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        self.store()?.upsert_row(id, filter, data, effect).await
    }
    async fn delete_rows(
        &self,
        id: &str,
        filter: RowFilter,
        effect: ChangeMode,
    ) -> Result<ChangedRows, TableError> {
        self.store()?.delete_rows(id, filter, effect).await
    }
    async fn clear_rows(&self, id: &str) -> Result<usize, TableError> {
        self.store()?.clear_rows(id).await
    }
}
