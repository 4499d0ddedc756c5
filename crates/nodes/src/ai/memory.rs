//! Memories for agents: which conversation they keep, where, and how much of it a model sees.

pub(super) mod agent_memory;
pub(super) mod buffer;
pub(super) mod buffer_window;
pub(super) mod long_term;
pub(super) mod manager;
pub(super) mod postgres_chat;
pub(super) mod redis;
pub(super) mod redis_chat;
mod session_key;
pub(super) mod sqlite;
pub(super) mod summary;
pub(super) mod unavailable;
pub(super) mod vector;

use agent::memory::MemoryStore;
use model::Kind;
use node_api::SupplyCtx;
use node_api::ai::{ConversationStore, Lifetime, Memory, SHARED_SESSION, SuppliedMemory, Supply};
use node_api::prelude::*;
use std::sync::Arc;

/// How long a server that keeps conversations is waited for; an agent goes on without it.
const TIMEOUT_MS: u64 = 5_000;

/// Whom a node shares its conversations with.
#[derive(Clone, Copy)]
enum ConversationScope {
    /// Nobody.
    Node,
    /// The other memories of the workflow that are told the same session.
    Workflow,
}

/// Where this instance keeps conversations.
#[derive(Clone, Copy)]
enum ConversationStorage {
    Volatile,
    Durable,
}

fn spec(id: &str, versions: &[f64], name: &str, summary: &str) -> Spec {
    Spec::new(id, versions, name, summary)
        .group(NodeGroup::Ai)
        .inputs([])
        .icon("brain")
        .outputs([Port::of(Kind::AiMemory, "")])
        .alias(&["chat history"])
}

fn local_location(
    ctx: &SupplyCtx,
    keeping: ConversationStorage,
    scope: ConversationScope,
    lifetime: Lifetime,
) -> MemoryStore {
    let here = ctx.host().conversations();
    let conversations = match keeping {
        ConversationStorage::Volatile => here.volatile,
        ConversationStorage::Durable => here.durable,
    };
    conversation_location(ctx, conversations, scope, lifetime)
}

fn conversation_location(
    ctx: &SupplyCtx,
    conversations: Arc<dyn ConversationStore>,
    scope: ConversationScope,
    lifetime: Lifetime,
) -> MemoryStore {
    let execution = ctx.host().execution();
    let stored = ctx.host().conversations().owner;
    // A workflow from a file has nobody's rights, and goes by the id that it says it has.
    let owner = if stored.is_empty() { execution.workflow_id.clone() } else { stored };
    let node = ctx.node();
    let scope = match scope {
        ConversationScope::Workflow => Str::new(),
        ConversationScope::Node if node.id.is_empty() => format!("node named {}", node.name).into(),
        ConversationScope::Node => format!("node {}", node.id).into(),
    };
    let keys = ctx.host().conversations().keys;
    MemoryStore { conversations, owner, scope, lifetime, keys }
}

fn supply_memory(memory: impl Memory + 'static, session: Option<Str>) -> Supply {
    Supply::Memory(SuppliedMemory::new(Arc::new(memory), session))
}

fn session_param() -> Param {
    Param::text("sessionId", "Session id", SHARED_SESSION).required().short_expressions().help(
        "ID of the conversation, for example `={{ $json.body.user }}`. `default` uses the \
             trigger's session. Without one, all callers share one conversation, which is rejected \
             for webhooks, chats and forms.",
    )
}

fn session(ctx: &SupplyCtx) -> Result<Option<Str>, NodeError> {
    Ok(Some(ctx.ctx().text("sessionId", ctx.item())?).filter(|session| !session.is_empty()))
}

/// A whole number that is not below 0.
fn count(ctx: &SupplyCtx, path: &str) -> Result<usize, NodeError> {
    let number = ctx.ctx().number(path, ctx.item())?;
    if number < 0.0 || number.is_nan() {
        return Err(NodeError::parameter(
            path,
            format!("The parameter '{path}' must be at least 0, but it is {number}"),
        )
        .on_item(ctx.item()));
    }
    Ok(number as usize)
}

/// The same for a setting that may be left out.
fn count_or(ctx: &SupplyCtx, path: &str, otherwise: usize) -> Result<usize, NodeError> {
    if ctx.ctx().param(path, ctx.item())?.is_nullish() { Ok(otherwise) } else { count(ctx, path) }
}
