//! n8n's Vector Store Retriever.

use super::{retriever_spec, vector_store};
use model::Kind;
use node_api::ai::{Retriever, ScoredDocument, SearchableStore, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

pub(crate) struct RetrieverVectorStore;

impl Supplier for RetrieverVectorStore {
    fn spec() -> Spec {
        retriever_spec("retrieverVectorStore", "Vector Store Retriever", "Find documents in a vector store").icon("library")
            .inputs([Port::of(Kind::AiVectorStore, "Vector Store")])
            .param(Param::number("topK", "Limit", 4).at_least(1.0).help("Maximum number of documents."))
            .hint("Connect a vector store in the mode Retrieve to it, and it to a Question and Answer Chain.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let store = vector_store(&ctx.ctx(), ctx.item()).await?;
        let limit = ctx.ctx().number("topK", ctx.item())?.max(1.0) as usize;
        Ok(Supply::Retriever(Arc::new(VectorStoreRetriever { store, limit })))
    }
}

struct VectorStoreRetriever {
    store: SearchableStore,
    limit: usize,
}

#[async_trait::async_trait]
impl Retriever for VectorStoreRetriever {
    async fn retrieve(&self, question: &str) -> Result<Vec<ScoredDocument>, NodeError> {
        self.store.find(question, self.limit).await
    }
}
