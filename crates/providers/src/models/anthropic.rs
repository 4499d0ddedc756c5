//! Anthropic's messages format: requests, answers, streams and refusals.

mod client;
mod content;
mod error;
mod request;
mod response;
mod schema;
mod stream;
#[cfg(test)]
mod tests;

pub use client::{Anthropic, BASE_URL, reader};
pub use content::{STORED_FILE, reply_blocks};
pub use error::refusal;
pub use request::{body, headers, path};
pub use response::turn;
pub use stream::AnthropicDecoder;

use super::Delivery;
use super::catalog::Traits;
use model::Str;
use node_api::ai::ModelOptions;

/// The version of the API that is asked for unless a credential names an older one.
pub const VERSION: &str = "2026-10-21";

/// The version that old gateways know, and the only one that takes sampling parameters.
pub const OLD_VERSION: &str = "2023-06-01";

/// How a model of this provider was set up.
#[derive(Clone, Debug)]
pub struct AnthropicSettings {
    pub version: Str,
    pub betas: Vec<Str>,
    pub auth: AnthropicAuth,
    pub delivery: Delivery,
    pub cache: PromptCache,
    pub thinking: Thinking,
    /// Whether what the model thinks is asked for in a form that people can read.
    pub show_thinking: bool,
    pub options: ModelOptions,
    pub traits: Traits,
}

/// The header that the key goes into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnthropicAuth {
    #[default]
    ApiKey,
    Bearer,
}

/// How long the provider keeps the beginning of a conversation, to read it again at a lower price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PromptCache {
    #[default]
    Off,
    FiveMinutes,
    OneHour,
}

/// Whether the model thinks before it answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// As the model does it by itself.
    #[default]
    ByDefault,
    Adaptive,
    /// With so many tokens for it.
    Budget(u64),
    Off,
}

impl Default for AnthropicSettings {
    fn default() -> Self {
        Self {
            version: VERSION.into(),
            betas: Vec::new(),
            auth: AnthropicAuth::default(),
            delivery: Delivery::default(),
            cache: PromptCache::default(),
            thinking: Thinking::default(),
            show_thinking: false,
            options: ModelOptions::default(),
            traits: Traits::default(),
        }
    }
}
