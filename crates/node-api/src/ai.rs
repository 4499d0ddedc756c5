//! What agents are made of: models, memories, tools and what knowledge is kept in, as ports.
//!
//! A node that gives one of these to the node above it is a [`Supplier`](crate::Supplier).
//! Implementations that reach outside live in `providers` and `store`; the loop that uses them
//! lives in `agent` and knows nothing else.

mod chat;
mod conversation;
mod knowledge;
mod local;
mod memory;
mod message;
mod message_value;
mod tool;

pub use chat::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo,
    ModelOptions, OutputFormat, Price, Rates, Stop, ToolChoice, Turn, Usage, model_names,
};
pub use conversation::{
    Conversation, Conversations, Embedding, KeptHere, KeptTurn, Lifetime, MAX_RECALLED_BYTES,
    MAX_TURN_BYTES, Most, Rewritten, Sealer, TurnKind,
};
pub use knowledge::{
    Document, Embedder, Found, Loader, Match, Parser, Reranker, Retriever, SearchableStore,
    Splitter, VectorStore, cannot_update, nearness,
};
pub use local::{LOCAL_EMBEDDING_MODEL, LocalModels, NoLocalModels};
pub use memory::{
    MAX_SESSION_ID_BYTES, Memory, MemoryError, Recalled, SHARED_SESSION, SessionId, TurnKey,
    kept_apart, named_by_caller, session_of, signed_session, split_signed,
};
pub use message::{Arguments, Media, MediaData, Message, Opaque, Part, Role, ToolCall, ToolResult};
pub use tool::{
    Effect, Exposure, Flow, HANDED_OVER, Sends, Tool, ToolAnswer, ToolCallContext, ToolDefinition,
    ToolFailure,
};

use model::Str;
use std::sync::Arc;

/// What a node supplies to the node above it.
#[derive(Clone)]
pub enum Supply {
    Model(Arc<dyn ChatModel>),
    Memory(SuppliedMemory),
    /// One node may bring several, such as all tools of a server.
    Tools(Vec<Arc<dyn Tool>>),
    Embedder(Arc<dyn Embedder>),
    VectorStore(SearchableStore),
    Reranker(Arc<dyn Reranker>),
    Retriever(Arc<dyn Retriever>),
    Loader(Arc<dyn Loader>),
    Splitter(Arc<dyn Splitter>),
    Parser(Arc<dyn Parser>),
}

/// A memory, and whose conversation its node was told to keep.
#[derive(Clone)]
pub struct SuppliedMemory {
    pub memory: Arc<dyn Memory>,
    /// None if the node was told nothing; whoever uses it then looks elsewhere.
    pub session: Option<Str>,
}
