//! Models that cannot call tools by themselves, or not hold to a schema: both stand in the prompt,
//! and calls are read out of the answer.

mod prompt;
mod reply;

use futures::StreamExt as _;
use ports::ai::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo, ModelReply, OutputFormat,
    ToolChoice,
};
use reply::ActionBuffer;
use std::sync::Arc;

/// The model as an agent can use it: itself if it takes tools and schemas, in words otherwise.
pub fn with_tools(model: Arc<dyn ChatModel>) -> Arc<dyn ChatModel> {
    let capabilities = model.info().capabilities;
    if capabilities.tools && capabilities.json_schema {
        model
    } else {
        Arc::new(PromptedModel::new(model))
    }
}

/// A model behind the codec of JSON actions.
pub struct PromptedModel {
    inner: Arc<dyn ChatModel>,
    info: ModelInfo,
}

impl PromptedModel {
    pub fn new(inner: Arc<dyn ChatModel>) -> Self {
        let mut info = inner.info().clone();
        info.capabilities.tools = true;
        Self { inner, info }
    }

    /// The request in words, as far as the model needs it.
    fn rewrite_request(&self, mut request: ChatRequest) -> ChatRequest {
        let capabilities = self.inner.info().capabilities;
        let mut words = Vec::new();
        if !capabilities.tools {
            request.messages = request.messages.iter().map(prompt::plain).collect();
            if request.tool_choice != ToolChoice::None {
                words.extend(prompt::tools(&request.tools, &request.tool_choice));
            }
            request.tools = Vec::new();
            request.tool_choice = ToolChoice::Auto;
        }
        if !capabilities.json_schema && matches!(request.format, OutputFormat::Schema { .. }) {
            words.extend(prompt::format(&request.format));
            request.format = OutputFormat::Text;
        }
        prompt::put_system(&mut request.messages, words);
        request
    }
}

impl ChatModel for PromptedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        let reads_calls = !self.inner.info().capabilities.tools
            && !request.tools.is_empty()
            && request.tool_choice != ToolChoice::None;
        let inner = self.inner.stream(self.rewrite_request(request));
        if !reads_calls {
            return inner;
        }
        let mut held = ActionBuffer::default();
        Box::pin(inner.flat_map(move |event| futures::stream::iter(map_event(&mut held, event))))
    }
}

/// What is told on of an event: text may be the beginning of an action and is held back where it
/// looks like one.
fn map_event(
    held: &mut ActionBuffer,
    event: Result<ChatEvent, ModelError>,
) -> Vec<Result<ChatEvent, ModelError>> {
    match event {
        Ok(ChatEvent::Text(text)) => {
            held.take(&text).map(|text| Ok(ChatEvent::Text(text))).into_iter().collect()
        }
        Ok(ChatEvent::Done(turn)) => {
            let turn: ModelReply = reply::with_calls(*turn);
            let mut events = Vec::new();
            for (index, call) in turn.message.tool_calls().enumerate() {
                events.push(Ok(ChatEvent::CallBegins { index, name: call.name.clone() }));
            }
            if events.is_empty() {
                events
                    .extend(held.flush(&turn.message.text()).map(|text| Ok(ChatEvent::Text(text))));
            }
            events.push(Ok(ChatEvent::Done(Box::new(turn))));
            events
        }
        other => vec![other],
    }
}

#[cfg(test)]
mod tests;
