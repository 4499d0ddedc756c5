//! n8n's Reranker Cohere.

use crate::ai::models::{field, secret};
use model::Kind;
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::cohere::BASE_URL;
use providers::vectors::CohereReranker;
use std::sync::Arc;

pub(crate) struct RerankerCohere;

impl Supplier for RerankerCohere {
    fn spec() -> Spec {
        let models = ["rerank-v3.5", "rerank-english-v3.0", "rerank-multilingual-v3.0"]
            .map(|model| (model, model));
        Spec::new(
            "@n8n/n8n-nodes-langchain.rerankerCohere",
            &[1.0],
            "Reranker Cohere",
            "Rerank documents by relevance",
        )
        .icon("search")
        .group(NodeGroup::Ai)
        .inputs([])
        .outputs([Port::of(Kind::AiReranker, "Reranker")])
        .credential("cohereApi", true)
        .params([
            Param::choice("modelName", "Model", &models)
                .help("Model that scores the documents against the question."),
            Param::number("topN", "Top N", 3).at_least(1.0).help("Number of documents to keep."),
        ])
        .hint(
            "Retrieve many documents from a vector store, and connect this to keep the most \
                 relevant ones.",
        )
        .alias(&["rerank", "rag"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let credential = inner.host().credential("cohereApi", item)?;
        let http = inner
            .host()
            .shared_http()
            .ok_or_else(|| NodeError::failed("HTTP access to Cohere is not available"))?;
        let url = field(&credential, "url");
        let base_url = if url.trim().is_empty() { BASE_URL } else { url.trim() };
        let model = inner.text("modelName", item)?;
        let top = inner.number("topN", item)?.max(1.0) as usize;
        Ok(Supply::Reranker(Arc::new(CohereReranker::new(
            http,
            base_url,
            &secret(&credential, "apiKey"),
            model,
            top,
        ))))
    }
}
