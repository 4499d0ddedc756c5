//! The built-in demo model: the embedding model finds the tool that a request is for, the small
//! language model fills in what the tool is asked, and the answer quotes what the tool gave.
//!
//! It shows what agents do with no key; it is no agent. It takes at most two steps, never acts on
//! what it reads in a result, and makes up nothing but where it is asked to chat without tools.

mod arguments;
mod arithmetic;
mod compose;
mod request;
mod respond;
mod route;

use crate::LocalError;
use crate::bert::Bert;
use crate::library::{Library, LoadedModel};
use crate::llama::Llama;
use crate::registry;
use futures::TryStreamExt as _;
use ports::ai::{Capabilities, ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo, Price};
use route::Examples;
use std::sync::Arc;
use tokio::sync::mpsc;

/// What stands wherever the model shows itself.
pub const LABEL: &str = "built-in demo model: connect a provider for real agents";

/// Events that wait for a slow reader; then the model waits too.
const EVENTS_AHEAD: usize = 64;

/// Tokens that it writes at most when it chats.
const MAX_OUTPUT: u64 = 1024;

/// Everything that the model needs, in memory.
pub(crate) struct DemoModels {
    bert: Arc<Bert>,
    llama: Llama,
    examples: Examples,
}

impl DemoModels {
    pub(crate) fn new(bert: Arc<Bert>, llama: Llama) -> Self {
        let examples = Examples::new(&bert);
        Self { bert, llama, examples }
    }
}

pub(crate) struct DemoModel {
    library: Library,
    info: ModelInfo,
}

impl DemoModel {
    pub(crate) fn new(library: Library) -> Self {
        let capabilities = Capabilities {
            tools: true,
            vision: false,
            streaming: true,
            sampling: false,
            forced_tool: true,
            json_schema: true,
            context: Some(respond::MAX_READ as u64),
            max_output: Some(MAX_OUTPUT),
        };
        let free = Price::default();
        let info = ModelInfo {
            provider: "local".into(),
            model: registry::DEMO.name.into(),
            capabilities,
            price: Some(free),
        };
        Self { library, info }
    }
}

impl ChatModel for DemoModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        let library = self.library.clone();
        let started = async move {
            let LoadedModel { model: minds, slots: turns } =
                library.demo().await.map_err(failed)?;
            let (sender, receiver) = mpsc::channel(EVENTS_AHEAD);
            // Nobody waits for the thread: what it says comes through the channel, and it stops
            // when nobody listens.
            tokio::spawn(
                turns.run(registry::DEMO.name, move || respond::speak(&minds, &request, &sender)),
            );
            Ok(futures::stream::unfold(receiver, |mut receiver| async {
                Some((receiver.recv().await?, receiver))
            }))
        };
        Box::pin(futures::stream::once(started).try_flatten())
    }
}

fn failed(error: LocalError) -> ModelError {
    let told = ModelError::new(error.code(), error.to_string());
    match error.hint() {
        Some(hint) => told.hint(hint),
        None => told,
    }
}
