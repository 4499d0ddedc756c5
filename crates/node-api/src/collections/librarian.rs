//! What fills collections from outside of a workflow: files become chunks, texts become vectors.

use crate::NodeError;
use crate::ai::{Document, Embedder};
use model::{Binary, Object, Str};
use std::sync::Arc;

/// Reads files and finds the embedding model of a credential, as the nodes do it. Implemented by `nodes`; called by the API and the
/// command line.
#[async_trait::async_trait]
pub trait Librarian: Send + Sync {
    /// The chunks of a file, with what is known about each.
    async fn read(&self, file: Binary) -> Result<Vec<Document>, NodeError>;
    /// The embedding model that a credential of some kind pays for; the usual one of its provider if none is named.
    fn embedder(&self, kind: &str, credential: &Object, model: Option<&Str>) -> Result<Arc<dyn Embedder>, NodeError>;
}

/// For a world in which nothing is read.
pub struct NoLibrarian;

#[async_trait::async_trait]
impl Librarian for NoLibrarian {
    async fn read(&self, _file: Binary) -> Result<Vec<Document>, NodeError> {
        Err(NodeError::failed("Files are not read here"))
    }
    fn embedder(&self, _kind: &str, _credential: &Object, _model: Option<&Str>) -> Result<Arc<dyn Embedder>, NodeError> {
        Err(NodeError::failed("Texts are not embedded here"))
    }
}
