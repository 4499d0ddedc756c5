//! What fills collections from outside of a workflow: files become chunks, texts become vectors.

use super::{Collections, NewChunks};
use crate::NodeError;
use crate::ai::{Document, Embedder, LocalModels as _, NoLocalModels};
use model::{Binary, Object, Str};
use std::sync::Arc;

/// Reads files and finds the embedding model of a credential, as the nodes do it. Implemented by
/// `nodes`; called by the API and the command line.
#[async_trait::async_trait]
pub trait Ingestor: Send + Sync {
    /// The chunks of a file, with what is known about each.
    async fn read(&self, file: Binary) -> Result<Vec<Document>, NodeError>;
    /// The embedding model that a credential of some kind pays for; the usual one of its provider
    /// if none is named.
    fn embedder(
        &self,
        kind: &str,
        credential: &Object,
        model: Option<&Str>,
    ) -> Result<Arc<dyn Embedder>, NodeError>;
    /// The embedding model on this machine.
    fn local_embedder(&self) -> Result<Arc<dyn Embedder>, NodeError>;
}

/// Embeds the chunks of a source and puts them into a collection, in the place of what was there of
/// the same source. Tells how many there are.
pub async fn add_documents(
    collections: &dyn Collections,
    collection_id: &str,
    embedder: &dyn Embedder,
    source: Str,
    documents: Vec<Document>,
) -> Result<usize, NodeError> {
    let texts: Vec<Str> = documents.iter().map(|document| document.content.clone()).collect();
    let vectors = if texts.is_empty() { Vec::new() } else { embedder.embed(&texts).await? };
    let replaces_source = !source.is_empty();
    let new =
        NewChunks { model: embedder.model().into(), source, replaces_source, documents, vectors };
    Ok(collections.insert_chunks(collection_id, new).await?.len())
}

/// For a world in which nothing is read.
pub struct NoIngestor;

#[async_trait::async_trait]
impl Ingestor for NoIngestor {
    async fn read(&self, _file: Binary) -> Result<Vec<Document>, NodeError> {
        Err(NodeError::failed("Files cannot be read here"))
    }
    fn embedder(
        &self,
        _kind: &str,
        _credential: &Object,
        _model: Option<&Str>,
    ) -> Result<Arc<dyn Embedder>, NodeError> {
        Err(NodeError::failed("Texts cannot be embedded here"))
    }
    fn local_embedder(&self) -> Result<Arc<dyn Embedder>, NodeError> {
        NoLocalModels.embedder()
    }
}
