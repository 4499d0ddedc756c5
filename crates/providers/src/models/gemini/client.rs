//! Gemini's format as a client needs it.

use super::{GeminiDecoder, GeminiSettings, GeminiVersion, body, headers, path, refusal, turn};
use crate::models::body_decoder::{BodyDecoder, DecoderAdapter, EventDecoder, EventReader};
use crate::models::client::{
    ChatClient, ChatProvider, EmbeddingClient, EmbeddingProvider, ModelProvider,
};
use crate::models::failure::ModelFailure;
use crate::models::object_ext::ObjectExt;
use crate::models::requester;
use model::{Str, Value, json};
use node_api::ai::{ChatEvent, ChatRequest, ModelInfo, ModelReply, model_names};

/// Where the provider is.
pub const BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// A chat model of Google.
pub type Gemini = ChatClient<GeminiSettings>;

/// An embedding model of Google.
pub type GeminiEmbedder = EmbeddingClient<GeminiSettings>;

/// Reads one answer, as events or whole.
pub fn reader(info: &ModelInfo) -> impl EventReader + use<> {
    DecoderAdapter::new(GeminiDecoder::new(info))
}

impl ModelProvider for GeminiSettings {
    fn headers(&self, key: &str) -> Vec<(String, String)> {
        headers(key)
    }

    fn decode_error(
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        refusal(status, headers, body, unix_ms)
    }

    fn list_path(&self) -> String {
        format!("/{}/models?pageSize=1000", self.version.name())
    }

    fn listed(answer: &Value) -> Option<Vec<Str>> {
        let plain = |name: Str| name.strip_prefix("models/").map_or(name.clone(), Str::from);
        Some(model_names(answer)?.into_iter().map(plain).collect())
    }
}

impl ChatProvider for GeminiSettings {
    fn path(&self, info: &ModelInfo) -> String {
        path(info, self)
    }

    fn body(&self, request: &ChatRequest, info: &ModelInfo) -> Value {
        body(request, info, self)
    }

    fn decoder(&self, info: &ModelInfo, line_bytes: usize) -> Box<dyn requester::ReplyDecoder> {
        Box::new(BodyDecoder::new(reader(info), line_bytes))
    }
}

impl EmbeddingProvider for GeminiSettings {
    const BATCH: usize = 100;

    fn embed_path(&self, model: &str) -> String {
        let name: String =
            url::form_urlencoded::byte_serialize(plain_name(model).as_bytes()).collect();
        // Embeddings are served in the second version only for some of the models.
        format!("/{}/models/{name}:batchEmbedContents", GeminiVersion::V1Beta.name())
    }

    fn embed_body(&self, model: &str, texts: &[Str]) -> Value {
        let request = |text: &Str| {
            let content = json!({}).with("parts", vec![json!({}).with("text", text.clone())]);
            let request = json!({})
                .with("model", format!("models/{}", plain_name(model)))
                .with("content", content);
            match self.dimensions {
                Some(dimensions) => request.with("outputDimensionality", dimensions),
                None => request,
            }
        };
        json!({}).with("requests", texts.iter().map(request).collect::<Vec<_>>())
    }

    fn embedded(answer: &Value) -> Vec<Option<&Value>> {
        let list = answer.get("embeddings").and_then(Value::as_array).unwrap_or_default();
        list.iter().map(|entry| entry.get("values")).collect()
    }

    fn embedded_tokens(answer: &Value) -> Option<usize> {
        answer.get_path("usageMetadata.promptTokenCount")?.as_usize()
    }
}

fn plain_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

impl EventDecoder for GeminiDecoder {
    fn piece(&mut self, _name: &str, piece: &Value) -> Result<Vec<ChatEvent>, ModelFailure> {
        self.take(piece)
    }

    fn end(&mut self) -> Result<Vec<ChatEvent>, ModelFailure> {
        GeminiDecoder::end(self)
    }

    fn whole(&self, answer: &Value) -> Result<ModelReply, ModelFailure> {
        turn(answer, self.info())
    }
}
