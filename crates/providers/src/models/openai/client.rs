//! The chat model of a server that speaks OpenAI's format.

use super::chunks::ChatReader;
use super::responses::ResponsesReader;
use super::settings::{Api, Settings};
use super::{body, error, responses};
use crate::models::ask::{Access, Asker, Decoder, Format, Refuses};
use crate::models::failure::Failure;
use crate::models::reading::Reading;
use crate::models::wire::{Call, Limits};
use model::Str;
use node_api::ai::{ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo};

/// A chat model. Dropping a stream cancels its request.
pub struct OpenAi {
    info: ModelInfo,
    settings: Settings,
    asker: Asker,
    format: OpenAiFormat,
}

/// What both APIs, and the requests beside the chat, have in common.
pub(super) struct OpenAiFormat {
    api: Api,
    model: Str,
    line_bytes: usize,
}

impl OpenAi {
    pub fn new(info: ModelInfo, settings: Settings, access: &Access) -> Self {
        let asker = asker(&settings, access);
        let format = OpenAiFormat::new(&settings, &info.model, access.limits);
        Self { info, settings, asker, format }
    }

    fn call(&self, request: &ChatRequest) -> Result<Call, ModelError> {
        let model = self.info.model.as_str();
        match self.settings.api {
            Api::ChatCompletions => {
                let body = body::body(request, &self.info, &self.settings);
                self.settings.post(&["chat", "completions"], model, &body)
            }
            Api::Responses => {
                let body = responses::body(request, &self.info, &self.settings);
                self.settings.post(&["responses"], model, &body)
            }
        }
    }
}

impl ChatModel for OpenAi {
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

pub(super) fn asker(settings: &Settings, access: &Access) -> Asker {
    access.asker(&settings.host(), settings.key(), settings.secrets())
}

impl OpenAiFormat {
    pub(super) fn new(settings: &Settings, model: &str, limits: Limits) -> Self {
        Self { api: settings.api, model: model.into(), line_bytes: limits.line_bytes }
    }
}

impl Refuses for OpenAiFormat {
    fn refused(
        &self,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
        unix_ms: i64,
    ) -> Failure {
        error::of_answer(status, headers, body, unix_ms)
    }
}

impl Format for OpenAiFormat {
    fn decoder(&self) -> Box<dyn Decoder> {
        match self.api {
            Api::ChatCompletions => {
                Box::new(Reading::new(ChatReader::new(&self.model), self.line_bytes))
            }
            Api::Responses => {
                Box::new(Reading::new(ResponsesReader::new(&self.model), self.line_bytes))
            }
        }
    }
}
