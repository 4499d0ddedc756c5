//! Chat models and embedders: one folder for each wire format, over one way to ask, to read, and to
//! try again.
//!
//! Invariant: codecs are pure. They turn a request into JSON and an answer into a turn; who asks is
//! elsewhere. Invariant: what fails is told by status and machine-readable fields, never by the
//! words of a provider.

pub mod anthropic;
pub mod bedrock;
pub mod body_decoder;
mod call_ids;
pub mod catalog;
pub mod client;
pub mod cohere;
mod embedding_cache;
pub mod endpoint;
mod event_stream;
pub mod failure;
pub mod fallback;
pub mod gemini;
pub mod hugging_face;
pub mod limiter;
pub mod lines;
mod model_list;
mod object_ext;
pub mod ollama;
mod opaque;
pub mod openai;
mod options;
mod prompt_fallback;
pub mod requester;
pub mod retry;
pub mod secret;
pub mod sse;
pub mod timing;
mod token_counts;
mod vector_codec;
pub mod wire;

pub use options::merged;

/// Whether an answer is asked for piece by piece or at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    #[default]
    Stream,
    Whole,
}
