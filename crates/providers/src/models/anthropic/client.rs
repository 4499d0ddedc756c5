//! Anthropic's format as a client needs it.

use super::{Decoder, Settings, body, headers, path, refusal, turn};
use crate::models::ask;
use crate::models::client::{Chats, Client, Provider};
use crate::models::failure::Failure;
use crate::models::reading::{Pieces, Reader, Reading, Told};
use model::Value;
use node_api::ai::{ChatEvent, ChatRequest, ModelInfo, Turn};

/// Where the provider is.
pub const BASE_URL: &str = "https://api.anthropic.com";

/// A chat model of Anthropic.
pub type Anthropic = Client<Settings>;

/// Reads one answer, as events or whole.
pub fn reader(info: &ModelInfo) -> impl Reader + use<> {
    Told::new(Decoder::new(info))
}

impl Provider for Settings {
    fn headers(&self, key: &str) -> Vec<(String, String)> {
        headers(self, key)
    }

    fn refused(status: u16, headers: &[(String, String)], body: &[u8], unix_ms: i64) -> Failure {
        refusal(status, headers, body, unix_ms)
    }

    fn list_path(&self) -> String {
        "/v1/models?limit=1000".to_owned()
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
        Box::new(Reading::new(reader(info), line_bytes))
    }
}

impl Pieces for Decoder {
    fn piece(&mut self, name: &str, piece: &Value) -> Result<Vec<ChatEvent>, Failure> {
        self.take(name, piece)
    }

    fn end(&mut self) -> Result<Vec<ChatEvent>, Failure> {
        Decoder::end(self)
    }

    fn whole(&self, answer: &Value) -> Result<Turn, Failure> {
        turn(answer, self.info())
    }
}
