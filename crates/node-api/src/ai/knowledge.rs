//! Knowledge: documents, their pieces, and where these are kept and found again.

use super::message::Message;
use crate::NodeError;
use model::{Item, Object, Str, Value};

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
    /// One vector for each text, in their order.
    async fn embed(&self, texts: &[Str]) -> Result<Vec<Vec<f32>>, NodeError>;
}

/// Keeps vectors with their documents and finds the nearest.
#[async_trait::async_trait]
pub trait VectorStore: Send + Sync {
    async fn insert(&self, documents: Vec<Document>, vectors: Vec<Vec<f32>>) -> Result<Vec<Str>, NodeError>;
    /// The nearest, best first, each with a score from 0 to 1.
    async fn search(&self, vector: &[f32], wanted: &Match) -> Result<Vec<Found>, NodeError>;
    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError>;
}

/// What a search is to give.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Match {
    pub limit: usize,
    pub min_score: Option<f64>,
    /// Only documents whose metadata have these fields.
    pub metadata: Object,
}

/// A document that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub id: Str,
    pub document: Document,
    pub score: f64,
}

/// Finds documents for a question.
#[async_trait::async_trait]
pub trait Retriever: Send + Sync {
    async fn retrieve(&self, question: &str) -> Result<Vec<Found>, NodeError>;
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
pub trait Parser: Send + Sync {
    /// What the model is told about the form of its answer.
    fn instructions(&self) -> Str;
    /// The schema, where the answer has one.
    fn schema(&self) -> Option<&Value>;
    async fn parse(&self, answer: &Message) -> Result<Value, NodeError>;
}
