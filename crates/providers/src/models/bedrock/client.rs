//! Bedrock's format as a client needs it.

use super::request::{body, path};
use super::stream::BedrockDecoder;
use super::{BedrockSettings, error};
use crate::models::client::{ChatClient, ChatProvider, ModelProvider};
use crate::models::failure::ModelFailure;
use crate::models::requester::ReplyDecoder;
use model::Value;
use node_api::ai::{ChatRequest, ModelInfo};

/// A chat model on Bedrock.
pub type Bedrock = ChatClient<BedrockSettings>;

/// Where the models of a region are.
pub fn base_url(region: &str) -> String {
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("https://bedrock-runtime.{region}.{domain}")
}

impl ModelProvider for BedrockSettings {
    /// The signature says who asks.
    fn headers(&self, _key: &str) -> Vec<(String, String)> {
        Vec::new()
    }

    fn decode_error(
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        error::refusal(status, headers, body, unix_ms)
    }

    fn list_path(&self) -> String {
        "/foundation-models".to_owned()
    }
}

impl ChatProvider for BedrockSettings {
    fn path(&self, info: &ModelInfo) -> String {
        path(info, self)
    }

    fn body(&self, request: &ChatRequest, info: &ModelInfo) -> Value {
        body(request, info, self)
    }

    fn decoder(&self, info: &ModelInfo, line_bytes: usize) -> Box<dyn ReplyDecoder> {
        Box::new(BedrockDecoder::new(info, line_bytes))
    }
}
