//! The collections of a data folder, for runs from the command line: the folder is opened when a
//! node first asks for it.

use crate::wiring;
use model::Str;
use node_api::ai::ScoredDocument;
use node_api::collections::{
    ChunkQuery, ChunkSearch, ChunkSelection, ChunkSource, Collection, CollectionChange,
    CollectionError, CollectionLimits, CollectionName, Collections, DocumentChunk, NewChunks,
    NewCollection,
};
use node_api::tables::TableLimits;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use store::Store;

pub(crate) struct FolderCollections {
    folder: PathBuf,
    limits: CollectionLimits,
    opened: OnceLock<Result<Arc<dyn Store>, CollectionError>>,
}

impl FolderCollections {
    pub(crate) fn new(folder: PathBuf, limits: CollectionLimits) -> Self {
        Self { folder, limits, opened: OnceLock::new() }
    }

    /// A folder that is not there is not made: a run leaves nothing behind that nobody asked for.
    fn store(&self) -> Result<&Arc<dyn Store>, CollectionError> {
        let opened = self.opened.get_or_init(|| {
            if !self.folder.join("heddle.db").exists() {
                return Err(CollectionError::Nowhere);
            }
            wiring::open_store_within(&self.folder, TableLimits::default(), self.limits)
                .map_err(CollectionError::from)
        });
        opened.as_ref().map_err(Clone::clone)
    }
}

#[async_trait::async_trait]
impl Collections for FolderCollections {
    fn limits(&self) -> CollectionLimits {
        self.limits
    }
    async fn scoped_project(&self) -> Result<Str, CollectionError> {
        Ok(Str::new())
    }
    async fn collections(&self) -> Result<Vec<Collection>, CollectionError> {
        self.store()?.collections().await
    }
    async fn collection(&self, which: &CollectionName) -> Result<Collection, CollectionError> {
        self.store()?.collection(which).await
    }
    async fn create_collection(&self, new: NewCollection) -> Result<Collection, CollectionError> {
        self.store()?.create_collection(new).await
    }
    async fn change_collection(
        &self,
        id: &str,
        change: CollectionChange,
    ) -> Result<Collection, CollectionError> {
        self.store()?.change_collection(id, change).await
    }
    async fn delete_collection(&self, id: &str) -> Result<(), CollectionError> {
        self.store()?.delete_collection(id).await
    }
    async fn insert_chunks(&self, id: &str, new: NewChunks) -> Result<Vec<Str>, CollectionError> {
        self.store()?.insert_chunks(id, new).await
    }
    async fn chunks(
        &self,
        id: &str,
        query: ChunkQuery,
    ) -> Result<Vec<DocumentChunk>, CollectionError> {
        self.store()?.chunks(id, query).await
    }
    async fn sources(&self, id: &str) -> Result<Vec<ChunkSource>, CollectionError> {
        self.store()?.sources(id).await
    }
    async fn search_chunks(
        &self,
        id: &str,
        question: ChunkSearch,
    ) -> Result<Vec<ScoredDocument>, CollectionError> {
        self.store()?.search_chunks(id, question).await
    }
    async fn delete_chunks(
        &self,
        id: &str,
        which: ChunkSelection,
    ) -> Result<usize, CollectionError> {
        self.store()?.delete_chunks(id, which).await
    }
}
