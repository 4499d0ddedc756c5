//! Knowledge: documents, their pieces, and where these are kept and found again.

use super::chat::ModelInfo;
use super::message::Message;
use crate::NodeError;
use model::{Item, Object, Str, Value};
use std::sync::Arc;

/// A piece of text with what is known about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    pub content: Str,
    pub metadata: Object,
}

/// Turns texts into vectors whose nearness is nearness in meaning.
#[async_trait::async_trait]
pub trait Embedder: Send + Sync {
    /// The model's name; vectors of different models do not go together.
    fn model(&self) -> &str;
    /// What is known of a model that somebody is paid for.
    fn paid_model(&self) -> Option<&ModelInfo> {
        None
    }
    /// The vectors of texts with what they took.
    async fn embeddings(&self, texts: &[Str]) -> Result<Embeddings, NodeError>;
    /// One vector for each text, in their order.
    async fn embed(&self, texts: &[Str]) -> Result<Vec<Vec<f32>>, NodeError> {
        Ok(self.embeddings(texts).await?.vectors)
    }
}

/// One vector for each text, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embeddings {
    pub vectors: Vec<Vec<f32>>,
    /// The tokens that were read, as far as they were counted.
    pub tokens: u64,
}

impl Embeddings {
    /// Adds those of further texts.
    pub fn extend(&mut self, more: Self) {
        self.vectors.extend(more.vectors);
        self.tokens += more.tokens;
    }
}

/// The error of a store that only adds and deletes.
pub fn cannot_update() -> NodeError {
    NodeError::failed("This vector store cannot replace documents")
        .hint("Insert the new documents, and delete the old ones.")
}

/// Keeps vectors with their documents and finds the nearest.
#[async_trait::async_trait]
pub trait VectorStore: Send + Sync {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError>;
    /// The nearest, best first, each with a score from 0 to 1.
    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError>;
    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError>;
    /// Puts one document in the place of another.
    async fn update(
        &self,
        _id: &str,
        _document: Document,
        _vector: Vec<f32>,
    ) -> Result<(), NodeError> {
        Err(cannot_update())
    }
    /// A score as n8n's node for this store tells it, where that is not how near something is but
    /// how far.
    fn n8n_score(&self, score: f64) -> f64 {
        score
    }
}

/// A vector store with the model that its vectors come from, and what its node lets be found in it.
#[derive(Clone)]
pub struct SearchableStore {
    pub store: Arc<dyn VectorStore>,
    pub embedder: Arc<dyn Embedder>,
    /// Only documents whose metadata have these fields.
    pub metadata: Object,
    pub reranker: Option<Arc<dyn Reranker>>,
}

impl SearchableStore {
    /// What is nearest to a question, best first, in the order of the reranker where there is one.
    pub async fn find(
        &self,
        question: &str,
        limit: usize,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let vectors = self.embedder.embed(&[question.into()]).await?;
        let vector = vectors
            .into_iter()
            .next()
            .ok_or_else(|| NodeError::failed("The embedding model returned no vector"))?;
        let wanted = VectorQuery { limit, min_score: None, metadata: self.metadata.clone() };
        let found = self.store.search(&vector, &wanted).await?;
        match &self.reranker {
            Some(reranker) if !found.is_empty() => reranker.rerank(question, found).await,
            _ => Ok(found
                .into_iter()
                .map(|found| ScoredDocument { score: self.store.n8n_score(found.score), ..found })
                .collect()),
        }
    }
}

/// Puts what was found into the order in which it answers a question.
#[async_trait::async_trait]
pub trait Reranker: Send + Sync {
    /// The best, best first, with how well each answers as its score.
    async fn rerank(
        &self,
        question: &str,
        found: Vec<ScoredDocument>,
    ) -> Result<Vec<ScoredDocument>, NodeError>;
}

/// What a search is to give.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VectorQuery {
    pub limit: usize,
    pub min_score: Option<f64>,
    /// Only documents whose metadata have these fields.
    pub metadata: Object,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredDocument {
    pub id: Str,
    pub document: Document,
    pub score: f64,
}

/// Finds documents for a question.
#[async_trait::async_trait]
pub trait Retriever: Send + Sync {
    async fn retrieve(&self, question: &str) -> Result<Vec<ScoredDocument>, NodeError>;
}

/// Makes documents of items.
#[async_trait::async_trait]
pub trait Loader: Send + Sync {
    async fn load(&self, item: &Item, index: usize) -> Result<Vec<Document>, NodeError>;
}

/// Cuts a text into pieces.
pub trait Splitter: Send + Sync {
    fn split(&self, text: &str) -> Vec<Str>;
}

/// Reads a model's answer into data.
#[async_trait::async_trait]
pub trait OutputParser: Send + Sync {
    /// What the model is told about the form of its answer.
    fn instructions(&self) -> Str;
    /// The schema, where the answer has one.
    fn schema(&self) -> Option<&Value>;
    async fn parse(&self, answer: &Message) -> Result<Value, NodeError>;
}

/// The cosine of the angle between two vectors; 0 where there is none.
pub fn cosine_similarity(one: &[f32], other: &[f32]) -> f64 {
    if one.len() != other.len() {
        return 0.0;
    }
    let dot = |a: &[f32], b: &[f32]| {
        a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>()
    };
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths > 0.0 { dot(one, other) / lengths } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearness_is_one_for_the_same_direction_and_nothing_for_none() {
        assert!((cosine_similarity(&[1.0, 2.0], &[2.0, 4.0]) - 1.0).abs() < 1e-9);
        assert_eq!(cosine_similarity(&[1.0, 0.0], &[0.0, 1.0]), 0.0);
        assert_eq!(cosine_similarity(&[0.0, 0.0], &[0.0, 1.0]), 0.0);
        assert_eq!(cosine_similarity(&[1.0], &[0.0, 1.0]), 0.0);
    }
}
