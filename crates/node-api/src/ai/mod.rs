//! What agents are made of: models, memories, tools and what knowledge is kept in, as ports.
//!
//! A node that gives one of these to the node above it is a [`Supplier`](crate::Supplier). Implementations that reach outside live in `providers`
//! and `store`; the loop that uses them lives in `agent` and knows nothing else.

mod chat;
mod knowledge;
mod memory;
mod message;
mod message_value;
mod tool;

pub use chat::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo, ModelOptions, OutputFormat, Price, Stop,
    ToolChoice, Turn, Usage,
};
pub use knowledge::{Document, Embedder, Found, Loader, Match, Parser, Retriever, Splitter, VectorStore};
pub use memory::{Memory, MemoryError, SessionId};
pub use message::{Arguments, Media, MediaData, Message, Opaque, Part, Role, ToolCall, ToolResult};
pub use tool::{Effect, Tool, ToolAnswer, ToolCallContext, ToolDefinition, ToolFailure};

use std::sync::Arc;

/// What a node supplies to the node above it.
#[derive(Clone)]
pub enum Supply {
    Model(Arc<dyn ChatModel>),
    Memory(Arc<dyn Memory>),
    /// One node may bring several, such as all tools of a server.
    Tools(Vec<Arc<dyn Tool>>),
    Embedder(Arc<dyn Embedder>),
    VectorStore(Arc<dyn VectorStore>),
    Retriever(Arc<dyn Retriever>),
    Loader(Arc<dyn Loader>),
    Splitter(Arc<dyn Splitter>),
    Parser(Arc<dyn Parser>),
}
