//! Models that speak OpenAI's format: OpenAI itself, Azure, and the many servers that are
//! compatible.

mod body;
mod call_assembler;
mod chunks;
mod client;
mod embeddings;
mod error;
mod list;
mod messages;
mod responses;
mod settings;
mod usage;

pub use body::body as chat_body;
pub use chunks::ChatReader;
pub use client::OpenAiChat;
pub use embeddings::{Encoding, OpenAiEmbedder, read_vectors};
pub use list::list_models;
pub use responses::{ResponsesReader, body as responses_body};
pub use settings::{OpenAiApi, OpenAiAuth, OpenAiSettings, Surface, TokenField};
