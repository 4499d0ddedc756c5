//! A client of each format for the mock models, with limits that a test can wait for.

use futures::StreamExt as _;
use heddle_providers::http::{EgressPolicy, GuardedHttp};
use heddle_providers::models::Delivery;
use heddle_providers::models::anthropic::{self, Anthropic};
use heddle_providers::models::catalog::Catalog;
use heddle_providers::models::endpoint::ModelEndpoint;
use heddle_providers::models::gemini::{self, Gemini};
use heddle_providers::models::ollama::{self, Ollama};
use heddle_providers::models::openai::{OpenAiApi, OpenAiChat, OpenAiSettings};
use heddle_providers::models::requester::ModelAccess;
use heddle_providers::models::retry::RetryPolicy;
use heddle_providers::models::secret::Secret;
use heddle_providers::models::wire::WireLimits;
use model::json;
use node_api::ai::{
    ChatEvent, ChatModel, ChatRequest, Message, ModelError, ModelReply, ToolDefinition, ToolEffect,
};
use std::sync::Arc;
use testkit::{MockModels, WireFormat};

pub(crate) const KEY: &str = "sk-canary-0123456789";

pub(crate) fn access() -> ModelAccess {
    let limits = WireLimits {
        first_byte_ms: 1_000,
        idle_ms: 1_000,
        whole_ms: 3_000,
        ..WireLimits::default()
    };
    let retry = RetryPolicy { initial_pause_ms: 5, max_pause_ms: 20, ..RetryPolicy::default() };
    let http = Arc::new(GuardedHttp::new(EgressPolicy::parse("127.0.0.1").unwrap()));
    ModelAccess { limits, retry, ..ModelAccess::new(http) }
}

pub(crate) fn place(mock: &MockModels) -> ModelEndpoint {
    ModelEndpoint::new(&mock.url(), Secret::new(KEY))
}

/// A model that speaks the format, to the mock.
pub(crate) fn model(
    format: WireFormat,
    mock: &MockModels,
    delivery: Delivery,
) -> Box<dyn ChatModel> {
    let known = |provider: &str| {
        let mut known = Catalog::shipped().find(provider, "mock");
        known.info.capabilities.forced_tool = true;
        known
    };
    match format {
        WireFormat::OpenAiChat | WireFormat::OpenAiResponses => {
            let mut settings = OpenAiSettings::compatible(&mock.v1(), Secret::new(KEY));
            settings.streams = delivery == Delivery::Stream;
            if format == WireFormat::OpenAiResponses {
                settings.api = OpenAiApi::Responses;
            }
            Box::new(OpenAiChat::new(known("openai").info, settings, &access()))
        }
        WireFormat::Anthropic => {
            let settings = anthropic::AnthropicSettings {
                delivery,
                ..anthropic::AnthropicSettings::default()
            };
            Box::new(Anthropic::new(known("anthropic").info, settings, place(mock), &access()))
        }
        WireFormat::Gemini => {
            let settings = gemini::GeminiSettings { delivery, ..gemini::GeminiSettings::default() };
            Box::new(Gemini::new(known("gemini").info, settings, place(mock), &access()))
        }
        WireFormat::Ollama => {
            let settings = ollama::OllamaSettings { delivery, ..ollama::OllamaSettings::default() };
            Box::new(Ollama::new(known("ollama").info, settings, place(mock), &access()))
        }
    }
}

pub(crate) fn tool() -> ToolDefinition {
    let parameters = json!({ "type": "object", "properties": { "expression": { "type": "string" } }, "required": ["expression"] });
    ToolDefinition {
        name: "calculator".into(),
        description: "Calculates".into(),
        parameters,
        effect: ToolEffect::None,
        flow: node_api::ai::DataFlow::default(),
    }
}

pub(crate) fn request() -> ChatRequest {
    ChatRequest {
        messages: vec![Message::system("Be brief."), Message::user("Hello")],
        ..ChatRequest::default()
    }
}

/// Everything that the model told, and how it ended.
pub(crate) async fn ask(
    model: &dyn ChatModel,
    request: ChatRequest,
) -> (Vec<ChatEvent>, Result<ModelReply, ModelError>) {
    let mut told = Vec::new();
    let mut stream = model.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            Ok(ChatEvent::Done(turn)) => return (told, Ok(*turn)),
            Ok(event) => told.push(event),
            Err(error) => return (told, Err(error)),
        }
    }
    panic!("the stream ended without an end");
}
