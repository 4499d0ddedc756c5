//! Amazon Bedrock's Converse format: requests, answers, streams and refusals; and its embeddings.
//!
//! Requests are signed ([`crate::aws`]); there is no key to send along.

mod client;
mod content;
mod embeddings;
mod error;
mod frames;
mod request;
mod response;
mod stream;
#[cfg(test)]
mod tests;

pub use client::{Bedrock, base_url};
pub use embeddings::{CohereOnBedrock, TitanOnBedrock};
pub use frames::FrameSplitter;

use super::Delivery;
use model::Value;
use node_api::ai::ModelOptions;

/// How a model of this provider was set up.
#[derive(Clone, Debug, Default)]
pub struct BedrockSettings {
    pub delivery: Delivery,
    pub options: ModelOptions,
    /// Fields of the model's own, beside those that all models have.
    pub model_fields: Option<Value>,
    /// `optimized` where an answer shall come sooner.
    pub latency: Option<String>,
    /// `guardrailIdentifier`, `guardrailVersion` and `trace`.
    pub guardrail: Option<Value>,
}
