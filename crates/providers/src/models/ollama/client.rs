//! Ollama's format as a client needs it.

use super::{Decoder, Settings, body, headers, path, refusal, turn};
use crate::models::ask;
use crate::models::client::{Chats, Client, EmbeddingClient, Embeds, Provider};
use crate::models::failure::Failure;
use crate::models::reading::{Pieces, Reader, Reading, Told};
use crate::models::with::With;
use model::{Str, Value, json};
use node_api::ai::{ChatEvent, ChatRequest, ModelInfo, Turn};

/// Where the server is unless somebody put it elsewhere.
pub const BASE_URL: &str = "http://localhost:11434";

/// A chat model on a server of Ollama.
pub type Ollama = Client<Settings>;

/// An embedding model on a server of Ollama.
pub type OllamaEmbedder = EmbeddingClient<Settings>;

/// Reads one answer, line by line.
pub fn reader(info: &ModelInfo) -> impl Reader + use<> {
    Told::new(Decoder::new(info))
}

impl Provider for Settings {
    fn headers(&self, key: &str) -> Vec<(String, String)> {
        headers(key)
    }

    fn refused(status: u16, headers: &[(String, String)], body: &[u8], unix_ms: i64) -> Failure {
        refusal(status, headers, body, unix_ms)
    }

    fn list_path(&self) -> String {
        "/api/tags".to_owned()
    }
}

impl Chats for Settings {
    fn path(&self, _info: &ModelInfo) -> String {
        path().to_owned()
    }

    fn body(&self, request: &ChatRequest, info: &ModelInfo) -> Value {
        body(request, info, self)
    }

    fn decoder(&self, info: &ModelInfo, line_bytes: usize) -> Box<dyn ask::Decoder> {
        Box::new(Reading::of_lines(reader(info), line_bytes))
    }
}

impl Embeds for Settings {
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
}

impl Pieces for Decoder {
    fn piece(&mut self, _name: &str, piece: &Value) -> Result<Vec<ChatEvent>, Failure> {
        self.take(piece)
    }

    fn end(&mut self) -> Result<Vec<ChatEvent>, Failure> {
        Decoder::end(self)
    }

    fn whole(&self, answer: &Value) -> Result<Turn, Failure> {
        turn(answer, self.info())
    }
}
