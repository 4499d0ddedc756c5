//! A client of each format for the mock models, with limits that a test can wait for.

use futures::StreamExt as _;
use heddle_providers::http::{GuardedHttp, Policy};
use heddle_providers::models::Delivery;
use heddle_providers::models::anthropic::{self, Anthropic};
use heddle_providers::models::ask::Access;
use heddle_providers::models::catalog::Catalog;
use heddle_providers::models::gemini::{self, Gemini};
use heddle_providers::models::ollama::{self, Ollama};
use heddle_providers::models::openai::{Api, OpenAi, Settings};
use heddle_providers::models::place::Place;
use heddle_providers::models::retry::RetryPolicy;
use heddle_providers::models::secret::Secret;
use heddle_providers::models::wire::Limits;
use model::json;
use node_api::ai::{
    ChatEvent, ChatModel, ChatRequest, Effect, Message, ModelError, ToolDefinition, Turn,
};
use std::sync::Arc;
use testkit::{Format, MockModels};

pub(crate) const KEY: &str = "sk-canary-0123456789";

pub(crate) fn access() -> Access {
    let limits =
        Limits { first_byte_ms: 1_000, idle_ms: 1_000, whole_ms: 3_000, ..Limits::default() };
    let retry = RetryPolicy { first_pause_ms: 5, longest_pause_ms: 20, ..RetryPolicy::default() };
    let http = Arc::new(GuardedHttp::new(Policy::parse("127.0.0.1").unwrap()));
    Access { limits, retry, ..Access::new(http) }
}

pub(crate) fn place(mock: &MockModels) -> Place {
    Place::new(&mock.url(), Secret::new(KEY))
}

/// A model that speaks the format, to the mock.
pub(crate) fn model(format: Format, mock: &MockModels, delivery: Delivery) -> Box<dyn ChatModel> {
    let known = |provider: &str| {
        let mut known = Catalog::shipped().find(provider, "mock");
        known.info.capabilities.forced_tool = true;
        known
    };
    match format {
        Format::OpenAiChat | Format::OpenAiResponses => {
            let mut settings = Settings::compatible(&mock.v1(), Secret::new(KEY));
            settings.streams = delivery == Delivery::Stream;
            if format == Format::OpenAiResponses {
                settings.api = Api::Responses;
            }
            Box::new(OpenAi::new(known("openai").info, settings, &access()))
        }
        Format::Anthropic => {
            let settings = anthropic::Settings { delivery, ..anthropic::Settings::default() };
            Box::new(Anthropic::new(known("anthropic").info, settings, place(mock), &access()))
        }
        Format::Gemini => {
            let settings = gemini::Settings { delivery, ..gemini::Settings::default() };
            Box::new(Gemini::new(known("gemini").info, settings, place(mock), &access()))
        }
        Format::Ollama => {
            let settings = ollama::Settings { delivery, ..ollama::Settings::default() };
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
        effect: Effect::None,
        flow: node_api::ai::Flow::default(),
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
) -> (Vec<ChatEvent>, Result<Turn, ModelError>) {
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
