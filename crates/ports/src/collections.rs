//! Collections of knowledge: texts in chunks, each with its vector, that workflows share and keep.
//! One port, behind which the store stands.

mod error;
mod ingest;

pub use error::CollectionError;
pub use ingest::{Ingestor, NoIngestor, add_documents};

use crate::ai::{Document, LOCAL_EMBEDDING_MODEL, ScoredDocument, VectorQuery};
use crate::tables::iso;
use model::{Object, Str, Value};
use std::sync::Arc;

/// Keeps collections. Implemented by `store`; called by nodes through
/// `Host::collections` and by the API.
///
/// What a method has returned from is on disk. A method that fails has changed nothing.
#[async_trait::async_trait]
pub trait Collections: Send + Sync {
    fn limits(&self) -> CollectionLimits;
    /// The collections that a workflow may use: those of its project. `None`: all of these.
    fn scoped_to(&self, _workflow_id: &str) -> Option<Arc<dyn Collections>> {
        None
    }
    /// The project whose collections are seen; empty if there is none. What else is shared within a
    /// project goes by it too.
    async fn scoped_project(&self) -> Result<Str, CollectionError>;
    /// All of them, by name; there are few.
    async fn collections(&self) -> Result<Vec<Collection>, CollectionError>;
    async fn collection(&self, which: &CollectionName) -> Result<Collection, CollectionError>;
    async fn create_collection(&self, new: NewCollection) -> Result<Collection, CollectionError>;
    async fn change_collection(
        &self,
        id: &str,
        change: CollectionChange,
    ) -> Result<Collection, CollectionError>;
    async fn delete_collection(&self, id: &str) -> Result<(), CollectionError>;

    /// Adds chunks, all or none, and gives their ids. The first vectors decide the model and the
    /// length of all others.
    async fn insert_chunks(&self, id: &str, new: NewChunks) -> Result<Vec<Str>, CollectionError>;
    async fn chunks(
        &self,
        id: &str,
        query: ChunkQuery,
    ) -> Result<Vec<DocumentChunk>, CollectionError>;
    /// Where the chunks come from, by name.
    async fn sources(&self, id: &str) -> Result<Vec<ChunkSource>, CollectionError>;
    /// What is nearest to a question, best first, with how near it is from 0 to 1.
    async fn search_chunks(
        &self,
        id: &str,
        question: ChunkSearch,
    ) -> Result<Vec<ScoredDocument>, CollectionError>;
    /// Removes chunks and tells how many there were. Many go in several steps, of which some may be
    /// done when a later one fails.
    async fn delete_chunks(
        &self,
        id: &str,
        which: ChunkSelection,
    ) -> Result<usize, CollectionError>;
}

#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    pub id: Str,
    pub name: Str,
    pub description: Str,
    pub project_id: Str,
    /// The model that its vectors come from; `None` while nobody has said.
    pub model: Option<Str>,
    /// How many numbers a vector has; `None` while there is none.
    pub dimensions: Option<usize>,
    /// The credential with which files are embedded that come over the API.
    pub credential_id: Option<Str>,
    pub n_chunks: usize,
    /// What counts against [`CollectionLimits::collection_bytes`].
    pub bytes: usize,
    pub created_ms: i64,
    pub updated_ms: i64,
}

impl Collection {
    /// Whether the model on this machine makes its vectors, unless somebody has said otherwise.
    pub fn uses_local_embeddings(&self) -> bool {
        self.model.as_deref().is_none_or(|model| model == LOCAL_EMBEDDING_MODEL)
    }

    /// The collection as answers and items show it.
    pub fn to_value(&self) -> Value {
        let text = |text: &Option<Str>| text.clone().map_or(Value::Null, Value::from);
        Object::from_iter([
            ("id", Value::from(self.id.clone())),
            ("name", self.name.clone().into()),
            ("description", self.description.clone().into()),
            ("projectId", self.project_id.clone().into()),
            ("embeddingModel", text(&self.model)),
            ("dimensions", self.dimensions.map_or(Value::Null, Value::from)),
            ("credentialId", text(&self.credential_id)),
            ("chunkCount", self.n_chunks.into()),
            ("sizeBytes", self.bytes.into()),
            ("createdAt", iso(self.created_ms)),
            ("updatedAt", iso(self.updated_ms)),
        ])
        .into()
    }
}

/// How a collection is named: by its id, or by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum CollectionName {
    Id(Str),
    Name(Str),
}

#[derive(Clone, Debug, Default)]
pub struct NewCollection {
    pub name: Str,
    pub description: Str,
    /// Where it goes; else to the project of the workflow that makes it, or of the first owner.
    pub project_id: Option<Str>,
    pub model: Option<Str>,
    pub credential_id: Option<Str>,
}

/// What is not given stays as it is.
#[derive(Clone, Debug, Default)]
pub struct CollectionChange {
    pub name: Option<Str>,
    pub description: Option<Str>,
    pub credential_id: Option<Str>,
}

/// Chunks of one source that come together.
#[derive(Clone, Debug, Default)]
pub struct NewChunks {
    /// The model that the vectors come from.
    pub model: Str,
    /// What they were cut from, such as the name of a file; may be empty.
    pub source: Str,
    /// Whether what was there of the source before goes.
    pub replaces_source: bool,
    pub documents: Vec<Document>,
    /// One for each document.
    pub vectors: Vec<Vec<f32>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct DocumentChunk {
    pub id: Str,
    pub source: Str,
    pub document: Document,
    pub created_ms: i64,
}

impl DocumentChunk {
    pub fn to_value(&self) -> Value {
        Object::from_iter([
            ("id", Value::from(self.id.clone())),
            ("source", self.source.clone().into()),
            ("content", self.document.content.clone().into()),
            ("metadata", self.document.metadata.clone().into()),
            ("createdAt", iso(self.created_ms)),
        ])
        .into()
    }
}

#[derive(Clone, Debug, Default)]
pub struct ChunkQuery {
    pub source: Option<Str>,
    /// Only chunks that came after this one.
    pub after: Option<Str>,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ChunkSource {
    pub name: Str,
    pub n_chunks: usize,
    pub created_ms: i64,
}

impl ChunkSource {
    pub fn to_value(&self) -> Value {
        Object::from_iter([
            ("name", Value::from(self.name.clone())),
            ("chunkCount", self.n_chunks.into()),
            ("createdAt", iso(self.created_ms)),
        ])
        .into()
    }
}

#[derive(Clone, Debug, Default)]
pub struct ChunkSearch {
    /// The model that the vector comes from.
    pub model: Str,
    pub vector: Vec<f32>,
    pub query: VectorQuery,
    /// In a hybrid search, the words that chunks are looked for by too. They change the order, not
    /// how near something is.
    pub words: Option<Str>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ChunkSelection {
    Ids(Vec<Str>),
    Source(Str),
    /// Those whose metadata have these fields.
    Metadata(Object),
    All,
}

/// How much a data folder's collections may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectionLimits {
    pub collections: usize,
    /// Chunks that one insert brings at most.
    pub chunks_per_call: usize,
    pub chunk_bytes: usize,
    pub collection_bytes: usize,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Results of one search.
    pub results: usize,
    /// What vectors may take in memory. A collection that does not fit is read from disk at every
    /// search.
    pub memory_bytes: usize,
}

impl Default for CollectionLimits {
    fn default() -> Self {
        Self {
            collections: 1000,
            chunks_per_call: 10_000,
            chunk_bytes: 100_000,
            collection_bytes: 2 << 30,
            dimensions: 8192,
            results: 100,
            memory_bytes: 512 << 20,
        }
    }
}

/// A world without collections.
pub struct NoCollections;

#[async_trait::async_trait]
impl Collections for NoCollections {
    fn limits(&self) -> CollectionLimits {
        CollectionLimits::default()
    }
    async fn scoped_project(&self) -> Result<Str, CollectionError> {
        Ok(Str::new())
    }
    async fn collections(&self) -> Result<Vec<Collection>, CollectionError> {
        Ok(Vec::new())
    }
    async fn collection(&self, _which: &CollectionName) -> Result<Collection, CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn create_collection(&self, _new: NewCollection) -> Result<Collection, CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn change_collection(
        &self,
        _id: &str,
        _change: CollectionChange,
    ) -> Result<Collection, CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn delete_collection(&self, _id: &str) -> Result<(), CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn insert_chunks(&self, _id: &str, _new: NewChunks) -> Result<Vec<Str>, CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn chunks(
        &self,
        _id: &str,
        _query: ChunkQuery,
    ) -> Result<Vec<DocumentChunk>, CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn sources(&self, _id: &str) -> Result<Vec<ChunkSource>, CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn search_chunks(
        &self,
        _id: &str,
        _question: ChunkSearch,
    ) -> Result<Vec<ScoredDocument>, CollectionError> {
        Err(CollectionError::Nowhere)
    }
    async fn delete_chunks(
        &self,
        _id: &str,
        _which: ChunkSelection,
    ) -> Result<usize, CollectionError> {
        Err(CollectionError::Nowhere)
    }
}
