//! What agents are made of: models, memories, tools and what knowledge is kept in, as ports.
//!
//! A node that gives one of these to the node above it is a `Supplier`.
//! Implementations that reach outside live in `providers` and `store`; the loop that uses them
//! lives in `agent` and knows nothing else.

mod answer_source;
mod chat;
mod conversation;
mod knowledge;
mod limits;
mod local;
mod long_term;
mod memory;
mod message;
mod message_value;
mod tool;

pub use answer_source::document_sources;
pub use chat::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatStream, ModelError, ModelInfo,
    ModelOptions, ModelReply, OutputFormat, Price, StopReason, TokenRates, TokenUsage, ToolChoice,
    model_names,
};
pub use conversation::{
    ConversationId, ConversationKeys, ConversationStore, ConversationStores, Embedding, Lifetime,
    MAX_RECALLED_BYTES, MAX_TURN_BYTES, NoConversationKeys, RecallLimit, RewriteOutcome, Sealer,
    StoredTurn, TurnKind,
};
pub use knowledge::{
    Document, Embedder, Embeddings, Loader, OutputParser, Reranker, Retriever, ScoredDocument,
    SearchableStore, Splitter, VectorQuery, VectorStore, cannot_update, cosine_similarity,
};
pub use limits::AgentLimits;
pub use local::{
    LOCAL_EMBEDDING_MODEL, LocalModels, ModelPackage, ModelPackageState, ModelPackages,
    NoLocalModels,
};
pub use long_term::{
    AddedEntry, Consolidated, ConsolidationOutcome, ConsolidationPolicy, EntryChange, EntryKind,
    EntryQuery, EntryRef, EntrySource, FoundEntry, LongTermError, LongTermMemory, MemoryEntry,
    MemoryLimits, MemoryQuery, MemorySpace, MemoryStatistics, NewEntry, NoLongTermMemory,
    PendingGroup, PendingTurn, ReadMode, SpaceName, SuppliedLongTerm, clean_text, normalized_text,
    parse_moment,
};
pub use memory::{
    MAX_SESSION_ID_BYTES, Memory, MemoryError, RecalledMessages, SHARED_SESSION, SessionId,
    TurnKey, caller_session, isolated_session, session_id_of, signed_session, split_signed,
};
pub use message::{
    ChatRole, Media, MediaData, Message, MessagePart, Opaque, ToolArguments, ToolCall, ToolResult,
};
pub use tool::{
    DataFlow, EgressTarget, Exposure, HANDOFF_KEY, Tool, ToolCallContext, ToolDefinition,
    ToolEffect, ToolFailure, ToolOutput,
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
    Parser(Arc<dyn OutputParser>),
}

/// A memory, and whose conversation its node was told to keep.
#[derive(Clone)]
pub struct SuppliedMemory {
    pub memory: Arc<dyn Memory>,
    /// None if the node was told nothing; whoever uses it then looks elsewhere.
    pub session: Option<Str>,
    /// What is known beyond the conversation.
    pub long_term: Option<Box<SuppliedLongTerm>>,
}

impl SuppliedMemory {
    /// A memory of conversations only.
    pub fn new(memory: Arc<dyn Memory>, session: Option<Str>) -> Self {
        Self { memory, session, long_term: None }
    }
}
