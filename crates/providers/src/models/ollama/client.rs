//! Ollama's format as a client needs it.

use super::{OllamaDecoder, OllamaSettings, body, headers, path, refusal, turn};
use crate::models::body_decoder::{BodyDecoder, DecoderAdapter, EventDecoder, EventReader};
use crate::models::client::{
    ChatClient, ChatProvider, EmbeddingClient, EmbeddingProvider, ModelProvider,
};
use crate::models::failure::ModelFailure;
use crate::models::object_ext::ObjectExt;
use crate::models::requester;
use model::{Str, Value, json};
use node_api::ai::{ChatEvent, ChatRequest, ModelInfo, ModelReply};

/// Where the server is unless somebody put it elsewhere.
pub const BASE_URL: &str = "http://localhost:11434";

/// A chat model on a server of Ollama.
pub type Ollama = ChatClient<OllamaSettings>;

/// An embedding model on a server of Ollama.
pub type OllamaEmbedder = EmbeddingClient<OllamaSettings>;

/// Reads one answer, line by line.
pub fn reader(info: &ModelInfo) -> impl EventReader + use<> {
    DecoderAdapter::new(OllamaDecoder::new(info))
}

impl ModelProvider for OllamaSettings {
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
        "/api/tags".to_owned()
    }
}

impl ChatProvider for OllamaSettings {
    fn path(&self, _info: &ModelInfo) -> String {
        path().to_owned()
    }

    fn body(&self, request: &ChatRequest, info: &ModelInfo) -> Value {
        body(request, info, self)
    }

    fn decoder(&self, info: &ModelInfo, line_bytes: usize) -> Box<dyn requester::ReplyDecoder> {
        Box::new(BodyDecoder::of_lines(reader(info), line_bytes))
    }
}

impl EmbeddingProvider for OllamaSettings {
    const BATCH: usize = 64;

    fn embed_path(&self, _model: &str) -> String {
        "/api/embed".to_owned()
    }

    fn embed_body(&self, model: &str, texts: &[Str]) -> Value {
        json!({})
            .with("model", model)
            .with("input", texts.iter().cloned().map(Value::from).collect::<Vec<_>>())
    }

    fn embedded(answer: &Value) -> Vec<Option<&Value>> {
        answer
            .get("embeddings")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .map(Some)
            .collect()
    }

    fn embedded_tokens(answer: &Value) -> Option<usize> {
        answer.get("prompt_eval_count")?.as_usize()
    }
}

impl EventDecoder for OllamaDecoder {
    fn piece(&mut self, _name: &str, piece: &Value) -> Result<Vec<ChatEvent>, ModelFailure> {
        self.take(piece)
    }

    fn end(&mut self) -> Result<Vec<ChatEvent>, ModelFailure> {
        OllamaDecoder::end(self)
    }

    fn whole(&self, answer: &Value) -> Result<ModelReply, ModelFailure> {
        turn(answer, self.info())
    }
}
