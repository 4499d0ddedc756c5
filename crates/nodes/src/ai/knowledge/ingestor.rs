//! Fills collections from outside of a workflow, the way the nodes do it.

use super::read::chunks_of_file;
use super::split::ChunkLengths;
use crate::ai::embeddings::embedder_of;
use model::{Binary, Object, Str};
use node_api::NodeError;
use node_api::ai::{Document, Embedder, LocalModels};
use node_api::collections::Ingestor;
use node_api::credential::CredentialRegistry;
use node_api::http::Http;
use std::sync::Arc;

/// Reads files as the Knowledge Base node does, and reaches embedding models through a client.
pub struct NodeIngestor {
    http: Arc<dyn Http>,
    local_models: Arc<dyn LocalModels>,
    credentials: Arc<CredentialRegistry>,
}

impl NodeIngestor {
    pub fn new(
        http: Arc<dyn Http>,
        local_models: Arc<dyn LocalModels>,
        credentials: Arc<CredentialRegistry>,
    ) -> Self {
        Self { http, local_models, credentials }
    }
}

#[async_trait::async_trait]
impl Ingestor for NodeIngestor {
    async fn read(&self, file: Binary) -> Result<Vec<Document>, NodeError> {
        chunks_of_file(&file, ChunkLengths::DEFAULT).await
    }

    fn embedder(
        &self,
        kind: &str,
        credential: &Object,
        model: Option<&Str>,
    ) -> Result<Arc<dyn Embedder>, NodeError> {
        embedder_of(
            kind,
            &self.credentials.open(kind, credential.clone()),
            model,
            self.http.clone(),
        )
    }

    fn local_embedder(&self) -> Result<Arc<dyn Embedder>, NodeError> {
        self.local_models.embedder()
    }
}
