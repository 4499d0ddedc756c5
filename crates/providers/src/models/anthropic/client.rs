//! Anthropic's format as a client needs it.

use super::{AnthropicDecoder, AnthropicSettings, body, headers, path, refusal, turn};
use crate::models::body_decoder::{BodyDecoder, DecoderAdapter, EventDecoder, EventReader};
use crate::models::client::{ChatClient, ChatProvider, ModelProvider};
use crate::models::failure::ModelFailure;
use crate::models::requester;
use model::Value;
use node_api::ai::{ChatEvent, ChatRequest, ModelInfo, ModelReply};

/// Where the provider is.
pub const BASE_URL: &str = "https://api.anthropic.com";

/// A chat model of Anthropic.
pub type Anthropic = ChatClient<AnthropicSettings>;

/// Reads one answer, as events or whole.
pub fn reader(info: &ModelInfo) -> impl EventReader + use<> {
    DecoderAdapter::new(AnthropicDecoder::new(info))
}

impl ModelProvider for AnthropicSettings {
    fn headers(&self, key: &str) -> Vec<(String, String)> {
        headers(self, key)
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
        "/v1/models?limit=1000".to_owned()
    }
}

impl ChatProvider for AnthropicSettings {
    fn path(&self, _info: &ModelInfo) -> String {
        path().to_owned()
    }

    fn body(&self, request: &ChatRequest, info: &ModelInfo) -> Value {
        body(request, info, self)
    }

    fn decoder(&self, info: &ModelInfo, line_bytes: usize) -> Box<dyn requester::ReplyDecoder> {
        Box::new(BodyDecoder::new(reader(info), line_bytes))
    }
}

impl EventDecoder for AnthropicDecoder {
    fn piece(&mut self, name: &str, piece: &Value) -> Result<Vec<ChatEvent>, ModelFailure> {
        self.take(name, piece)
    }

    fn end(&mut self) -> Result<Vec<ChatEvent>, ModelFailure> {
        AnthropicDecoder::end(self)
    }

    fn whole(&self, answer: &Value) -> Result<ModelReply, ModelFailure> {
        turn(answer, self.info())
    }
}
