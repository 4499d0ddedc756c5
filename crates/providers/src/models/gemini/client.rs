//! Gemini's format as a client needs it.

use super::{Decoder, Settings, Version, body, headers, path, refusal, turn};
use crate::models::ask;
use crate::models::client::{Chats, Client, EmbeddingClient, Embeds, Provider};
use crate::models::failure::Failure;
use crate::models::reading::{Pieces, Reader, Reading, Told};
use crate::models::with::With;
use model::{Str, Value, json};
use node_api::ai::{ChatEvent, ChatRequest, ModelInfo, Turn, model_names};

/// Where the provider is.
pub const BASE_URL: &str = "https://generativelanguage.googleapis.com";

/// A chat model of Google.
pub type Gemini = Client<Settings>;

/// An embedding model of Google.
pub type GeminiEmbedder = EmbeddingClient<Settings>;

/// Reads one answer, as events or whole.
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
        format!("/{}/models?pageSize=1000", self.version.name())
    }

    fn listed(answer: &Value) -> Option<Vec<Str>> {
        let plain = |name: Str| name.strip_prefix("models/").map_or(name.clone(), Str::from);
        Some(model_names(answer)?.into_iter().map(plain).collect())
    }
}

impl Chats for Settings {
    fn path(&self, info: &ModelInfo) -> String {
        path(info, self)
    }

    fn body(&self, request: &ChatRequest, info: &ModelInfo) -> Value {
        body(request, info, self)
    }

    fn decoder(&self, info: &ModelInfo, line_bytes: usize) -> Box<dyn ask::Decoder> {
        Box::new(Reading::new(reader(info), line_bytes))
    }
}

impl Embeds for Settings {
    const BATCH: usize = 100;

    fn embed_path(&self, model: &str) -> String {
        let name: String =
            url::form_urlencoded::byte_serialize(plain_name(model).as_bytes()).collect();
        // Embeddings are served in the second version only for some of the models.
        format!("/{}/models/{name}:batchEmbedContents", Version::V1Beta.name())
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
}

fn plain_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
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
