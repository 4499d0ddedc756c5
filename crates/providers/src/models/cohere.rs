//! Vectors from Cohere.

use super::client::{EmbeddingClient, EmbeddingProvider, ModelProvider};
use super::failure::{ModelFailure, read_body};
use super::object_ext::ObjectExt;
use super::opaque::text_of;
use model::{Str, Value, json};

/// Where the provider is.
pub const BASE_URL: &str = "https://api.cohere.com";

/// An embedding model of Cohere.
pub type CohereEmbedder = EmbeddingClient<CohereSettings>;

/// How a model of this provider was set up.
#[derive(Clone, Debug)]
pub struct CohereSettings {
    /// What the vectors are for: `search_document`, `search_query`, …
    pub input_type: Str,
}

impl Default for CohereSettings {
    fn default() -> Self {
        Self { input_type: "search_document".into() }
    }
}

impl ModelProvider for CohereSettings {
    fn headers(&self, key: &str) -> Vec<(String, String)> {
        vec![("authorization".to_owned(), format!("Bearer {key}"))]
    }

    fn decode_error(
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        let words = read_body(body).map_or_else(|text| text, |value| text_of(&value, "message"));
        ModelFailure::refused("cohere", status, headers, &words, unix_ms)
    }

    fn list_path(&self) -> String {
        "/v1/models?endpoint=embed&page_size=100".to_owned()
    }
}

impl EmbeddingProvider for CohereSettings {
    const BATCH: usize = 96;

    fn embed_path(&self, _model: &str) -> String {
        "/v2/embed".to_owned()
    }

    fn embed_body(&self, model: &str, texts: &[Str]) -> Value {
        json!({ "embedding_types": ["float"] })
            .with("model", model)
            .with("input_type", self.input_type.clone())
            .with("texts", texts.iter().cloned().map(Value::from).collect::<Vec<_>>())
    }

    fn embedded(answer: &Value) -> Vec<Option<&Value>> {
        let list =
            answer.get("embeddings").and_then(|kinds| kinds.get("float")).and_then(Value::as_array);
        list.unwrap_or_default().iter().map(Some).collect()
    }

    fn embedded_tokens(answer: &Value) -> Option<usize> {
        answer.get_path("meta.billed_units.input_tokens")?.as_usize()
    }
}
