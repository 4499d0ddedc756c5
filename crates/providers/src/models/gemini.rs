//! Google's Gemini format: requests, answers, streams and refusals.

mod client;
mod content;
mod error;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;

pub use client::{BASE_URL, Gemini, GeminiEmbedder, reader};
pub use error::refusal;
pub use request::{body, headers, path};
pub use response::turn;
pub use stream::GeminiDecoder;

use super::Delivery;
use super::catalog::Traits;
use model::Value;
use node_api::ai::ModelOptions;

/// How a model of this provider was set up.
#[derive(Clone, Debug, Default)]
pub struct GeminiSettings {
    pub version: GeminiVersion,
    pub delivery: Delivery,
    /// Tokens for thinking, of models that count them; the others have levels, which are the effort
    /// of the options.
    pub thinking_budget: Option<i64>,
    /// Whether summaries of what the model thinks are asked for.
    pub show_thinking: bool,
    /// Fewer numbers a vector, of embedding models that can.
    pub dimensions: Option<u64>,
    /// What the provider's filters let through, in its own form.
    pub safety: Option<Value>,
    pub options: ModelOptions,
    pub traits: Traits,
}

/// The version of the API. Previews land in the second one first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GeminiVersion {
    #[default]
    V1,
    V1Beta,
}

impl GeminiVersion {
    fn name(self) -> &'static str {
        match self {
            GeminiVersion::V1 => "v1",
            GeminiVersion::V1Beta => "v1beta",
        }
    }
}
