//! Records what embedding models, vector stores and retrievers do for the node above them. Vectors
//! are counted, not kept: nobody reads them.

use super::metering::cost_of;
use super::subnode_record::{SubNodeRecorder, failed};
use model::{Item, Items, Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{
    Document, Embedder, Embeddings, ModelInfo, Retriever, ScoredDocument, SearchableStore,
    TokenUsage, VectorQuery, VectorStore,
};
use std::sync::Arc;

pub(super) fn embedder(embedder: Arc<dyn Embedder>, service: SubNodeRecorder) -> Arc<dyn Embedder> {
    Arc::new(RecordedEmbedder { embedder, service })
}

pub(super) fn retriever(
    retriever: Arc<dyn Retriever>,
    service: SubNodeRecorder,
) -> Arc<dyn Retriever> {
    Arc::new(RecordedRetriever { retriever, service })
}

pub(super) fn store(found: SearchableStore, service: SubNodeRecorder) -> SearchableStore {
    SearchableStore { store: Arc::new(RecordedStore { store: found.store, service }), ..found }
}

struct RecordedEmbedder {
    embedder: Arc<dyn Embedder>,
    service: SubNodeRecorder,
}

#[async_trait::async_trait]
impl Embedder for RecordedEmbedder {
    fn model(&self) -> &str {
        self.embedder.model()
    }

    fn paid_model(&self) -> Option<&ModelInfo> {
        self.embedder.paid_model()
    }

    async fn embeddings(&self, texts: &[Str]) -> Result<Embeddings, NodeError> {
        let began_ms = self.service.now_ms();
        let made = self.paid_for(texts).await;
        let input = Object::from_iter([
            ("texts", Value::from(texts.len())),
            ("model", self.model().into()),
        ]);
        let output = made.as_ref().map_err(Clone::clone).map(|Embeddings { vectors, tokens }| {
            let dimensions = vectors.first().map_or(0, Vec::len);
            Items::one(Item::new(Object::from_iter([
                ("vectors", Value::from(vectors.len())),
                ("dimensions", dimensions.into()),
                ("tokens", (*tokens as f64).into()),
            ])))
        });
        self.service.record(began_ms, input, output).await;
        made
    }
}

impl RecordedEmbedder {
    /// Makes vectors, from the budgets of the run unless they cost nothing.
    async fn paid_for(&self, texts: &[Str]) -> Result<Embeddings, NodeError> {
        let (Some(info), Some(meter)) = (self.embedder.paid_model(), &self.service.meter) else {
            return self.embedder.embeddings(texts).await;
        };
        // No token is shorter than a byte.
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let read = |tokens| TokenUsage { input: tokens, ..TokenUsage::default() };
        let account = meter.reserve(cost_of(info, &read(bytes as u64))).await;
        let account = account.map_err(|error| failed(&error))?;
        let made = self.embedder.embeddings(texts).await?;
        meter.charge(account, info, &read(made.tokens)).await;
        Ok(made)
    }
}

struct RecordedRetriever {
    retriever: Arc<dyn Retriever>,
    service: SubNodeRecorder,
}

#[async_trait::async_trait]
impl Retriever for RecordedRetriever {
    async fn retrieve(&self, question: &str) -> Result<Vec<ScoredDocument>, NodeError> {
        let began_ms = self.service.now_ms();
        let found = self.retriever.retrieve(question).await;
        self.service
            .record(began_ms, Object::from_iter([("query", question)]), shown(&found))
            .await;
        found
    }
}

struct RecordedStore {
    store: Arc<dyn VectorStore>,
    service: SubNodeRecorder,
}

#[async_trait::async_trait]
impl VectorStore for RecordedStore {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError> {
        self.store.insert(documents, vectors).await
    }

    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let began_ms = self.service.now_ms();
        let found = self.store.search(vector, wanted).await;
        let input = Object::from_iter([
            ("k", Value::from(wanted.limit)),
            ("filter", wanted.metadata.clone().into()),
        ]);
        self.service.record(began_ms, input, shown(&found)).await;
        found
    }

    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError> {
        self.store.delete(ids).await
    }

    async fn update(
        &self,
        id: &str,
        document: Document,
        vector: Vec<f32>,
    ) -> Result<(), NodeError> {
        self.store.update(id, document, vector).await
    }

    fn n8n_score(&self, score: f64) -> f64 {
        self.store.n8n_score(score)
    }
}

/// What was found, as n8n shows it: one item with all documents.
fn shown(found: &Result<Vec<ScoredDocument>, NodeError>) -> Result<Items, NodeError> {
    let found = found.as_ref().map_err(Clone::clone)?;
    let document = |found: &ScoredDocument| {
        Object::from_iter([
            ("pageContent", Value::from(found.document.content.clone())),
            ("metadata", found.document.metadata.clone().into()),
            ("score", found.score.into()),
        ])
        .into()
    };
    let documents = Value::array(found.iter().map(document).collect());
    Ok(Items::one(Item::new(Object::from_iter([("response", documents)]))))
}
