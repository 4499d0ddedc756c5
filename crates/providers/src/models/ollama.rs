//! Ollama's own format: requests, answers, lines of a stream and refusals.

mod client;
mod error;
mod model_capabilities;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;

pub use client::{BASE_URL, Ollama, OllamaEmbedder, reader};
pub use error::refusal;
pub use model_capabilities::{OllamaCapabilities, abilities};
pub use request::{body, headers, path};
pub use response::turn;
pub use stream::OllamaDecoder;

use super::Delivery;
use super::catalog::Traits;
use model::{Str, Value};
use node_api::ai::ModelOptions;

/// The tokens a model looks at unless it is set up otherwise. Without a number the server takes a
/// small one and cuts the conversation without a word.
pub const CONTEXT: u64 = 8_192;

/// How a model of this provider was set up.
#[derive(Clone, Debug, Default)]
pub struct OllamaSettings {
    pub delivery: Delivery,
    /// Tokens of context; [`CONTEXT`] where nothing is said.
    pub context: Option<u64>,
    /// `true`, `false` or a level; only for models that think.
    pub think: Option<Value>,
    /// How long the model stays in memory, such as `5m`.
    pub keep_alive: Option<Str>,
    pub options: ModelOptions,
    pub traits: Traits,
}
