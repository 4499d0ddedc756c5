//! The chat model of a server that speaks OpenAI's format.

use super::chunks::ChatReader;
use super::responses::ResponsesReader;
use super::settings::{OpenAiApi, OpenAiSettings};
use super::{body, error, responses};
use crate::models::body_decoder::BodyDecoder;
use crate::models::failure::ModelFailure;
use crate::models::requester::{
    ChatFormat, ErrorDecoder, ModelAccess, ModelRequester, ReplyDecoder,
};
use crate::models::wire::{WireLimits, WireRequest};
use model::Str;
use node_api::ai::{ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo};

/// A chat model. Dropping a stream cancels its request.
pub struct OpenAiChat {
    info: ModelInfo,
    settings: OpenAiSettings,
    asker: ModelRequester,
    format: OpenAiFormat,
}

/// What both APIs, and the requests beside the chat, have in common.
pub(super) struct OpenAiFormat {
    api: OpenAiApi,
    model: Str,
    line_bytes: usize,
}

impl OpenAiChat {
    pub fn new(info: ModelInfo, settings: OpenAiSettings, access: &ModelAccess) -> Self {
        let asker = asker(&settings, access);
        let format = OpenAiFormat::new(&settings, &info.model, access.limits);
        Self { info, settings, asker, format }
    }

    fn call(&self, request: &ChatRequest) -> Result<WireRequest, ModelError> {
        let model = self.info.model.as_str();
        match self.settings.api {
            OpenAiApi::ChatCompletions => {
                let body = body::body(request, &self.info, &self.settings);
                self.settings.post(&["chat", "completions"], model, &body)
            }
            OpenAiApi::Responses => {
                let body = responses::body(request, &self.info, &self.settings);
                self.settings.post(&["responses"], model, &body)
            }
        }
    }
}

impl ChatModel for OpenAiChat {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        match self.call(&request) {
            Ok(call) => self.asker.stream(call, &self.format),
            Err(error) => Box::pin(futures::stream::once(std::future::ready(Err(error)))),
        }
    }
}

pub(super) fn asker(settings: &OpenAiSettings, access: &ModelAccess) -> ModelRequester {
    access.requester(&settings.host(), settings.key(), settings.secrets())
}

impl OpenAiFormat {
    pub(super) fn new(settings: &OpenAiSettings, model: &str, limits: WireLimits) -> Self {
        Self { api: settings.api, model: model.into(), line_bytes: limits.line_bytes }
    }
}

impl ErrorDecoder for OpenAiFormat {
    fn decode_error(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> ModelFailure {
        error::of_answer(status, headers, body, unix_ms)
    }
}

impl ChatFormat for OpenAiFormat {
    fn decoder(&self) -> Box<dyn ReplyDecoder> {
        match self.api {
            OpenAiApi::ChatCompletions => {
                Box::new(BodyDecoder::new(ChatReader::new(&self.model), self.line_bytes))
            }
            OpenAiApi::Responses => {
                Box::new(BodyDecoder::new(ResponsesReader::new(&self.model), self.line_bytes))
            }
        }
    }
}
