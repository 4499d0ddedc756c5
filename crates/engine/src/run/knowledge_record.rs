//! Records what embedding models, vector stores and retrievers do for the node above them. Vectors
//! are counted, not kept: nobody reads them.

use super::subnode_record::SubNodeRecorder;
use model::{Item, Items, Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{
    Document, Embedder, Retriever, ScoredDocument, SearchableStore, VectorQuery, VectorStore,
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

    async fn embed(&self, texts: &[Str]) -> Result<Vec<Vec<f32>>, NodeError> {
        let began_ms = self.service.now_ms();
        let made = self.embedder.embed(texts).await;
        let input = Object::from_iter([
            ("texts", Value::from(texts.len())),
            ("model", self.model().into()),
        ]);
        let output = made.as_ref().map_err(Clone::clone).map(|vectors| {
            let dimensions = vectors.first().map_or(0, Vec::len);
            Items::one(Item::new(Object::from_iter([
                ("vectors", vectors.len()),
                ("dimensions", dimensions),
            ])))
        });
        self.service.record(began_ms, input, output).await;
        made
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
