//! Vectors from Hugging Face's inference service, or from a server that speaks its format.

use super::client::{EmbeddingClient, EmbeddingProvider, ModelProvider};
use super::failure::{ModelFailure, read_body};
use super::object_ext::ObjectExt;
use model::{Str, Value, json};

/// Where the service is.
pub const BASE_URL: &str = "https://router.huggingface.co/hf-inference";

/// An embedding model of Hugging Face.
pub type HuggingFaceEmbedder = EmbeddingClient<HuggingFaceSettings>;

/// How a model was set up.
#[derive(Clone, Copy, Debug, Default)]
pub struct HuggingFaceSettings {
    /// The address is that of one model, as with endpoints of one's own.
    pub is_endpoint: bool,
}

impl ModelProvider for HuggingFaceSettings {
    fn headers(&self, key: &str) -> Vec<(String, String)> {
        vec![("authorization".to_owned(), format!("Bearer {key}"))]
    }

    fn decode_error(
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        let words = read_body(body).map_or_else(|text| text, |value| words_of(&value));
        ModelFailure::refused("hugging face", status, headers, &words, unix_ms)
    }

    fn list_path(&self) -> String {
        "/models".to_owned()
    }
}

/// An error is a text, a list of texts, or an object with a message.
fn words_of(answer: &Value) -> Str {
    let error = answer.get("error").unwrap_or(answer);
    let text = error
        .as_str()
        .or_else(|| error.at(0).and_then(Value::as_str))
        .or_else(|| error.get("message").and_then(Value::as_str));
    text.unwrap_or_default().into()
}

impl EmbeddingProvider for HuggingFaceSettings {
    const BATCH: usize = 32;

    fn embed_path(&self, model: &str) -> String {
        if self.is_endpoint {
            return String::new();
        }
        let segments = model.split('/').filter(|segment| !matches!(*segment, "" | "." | ".."));
        let name: Vec<String> = segments.map(crate::aws::encoded).collect();
        format!("/models/{}/pipeline/feature-extraction", name.join("/"))
    }

    fn embed_body(&self, _model: &str, texts: &[Str]) -> Value {
        json!({}).with("inputs", texts.iter().cloned().map(Value::from).collect::<Vec<_>>())
    }

    fn embedded(answer: &Value) -> Vec<Option<&Value>> {
        answer.as_array().unwrap_or_default().iter().map(Some).collect()
    }

    fn embedded_tokens(_answer: &Value) -> Option<usize> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Code;

    #[test]
    fn a_name_with_dots_or_slashes_cannot_lead_elsewhere() {
        let path = |model: &str| HuggingFaceSettings::default().embed_path(model);
        assert_eq!(path("BAAI/bge-m3"), "/models/BAAI/bge-m3/pipeline/feature-extraction");
        assert_eq!(path("../../api/x"), "/models/api/x/pipeline/feature-extraction");
        assert_eq!(path("a?b#c"), "/models/a%3Fb%23c/pipeline/feature-extraction");
    }

    #[test]
    fn refusals_come_in_three_forms() {
        for body in [
            r#"{"error":"loading"}"#,
            r#"{"error":["loading"]}"#,
            r#"{"error":{"message":"loading"}}"#,
        ] {
            let failure = HuggingFaceSettings::decode_error(503, &[], body.as_bytes(), 0);
            assert_eq!(failure.error.message, "hugging face: loading");
            assert_eq!(failure.error.code, Code::MODEL_ERROR);
        }
    }
}
