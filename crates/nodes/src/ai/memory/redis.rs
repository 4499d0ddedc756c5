//! A memory in Redis, for several instances and for conversations that end by themselves.

use super::{
    ConversationScope, TIMEOUT_MS, conversation_location, count_or, session, session_param, spec,
    supply_memory,
};
use crate::integrations::redis_server;
use agent::memory::{MemoryWindow, RecentMemory};
use node_api::ai::{ConversationStore, Lifetime, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::memory::{N8nConversations, Protection, RedisConversations};
use std::sync::Arc;

const PREFIX: &str = "agent:memory:";

pub(crate) struct RedisMemory;

impl Supplier for RedisMemory {
    fn spec() -> Spec {
        spec("redis-memory", &[1.0], "Redis Memory", "Lets an agent remember in Redis")
            .recommended()
            .credential("redis", true)
            .params([
                session_param(),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::number("ttl", "TTL", 0).at_least(0.0).help(
                            "Seconds after the last use until a conversation expires. 0 for \
                                 never.",
                        ),
                        Param::text("keyPrefix", "Key prefix", PREFIX)
                            .help("Prefix of the key names."),
                        Param::number("maxMessages", "Max messages", 0).at_least(0.0).help(
                            "Number of messages sent to the model, in whole turns. 0 for all.",
                        ),
                        Param::flag("encrypt", "Encrypt", true).help(
                            "Whether messages are encrypted with this instance's key before \
                                 they are sent to Redis.",
                        ),
                    ],
                )
                .help("Retention and storage options."),
            ])
            .hint("For conversations that several instances share, or that should expire.")
            .alias(&["valkey", "cache"])
            .note(
                "Session IDs appear in key names only as hashes. Appends are atomic: nothing is \
                     lost when two runs append at the same time.",
            )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let window = match count_or(&ctx, "options.maxMessages", 0)? {
            0 => MemoryWindow::All,
            number => MemoryWindow::Messages(number),
        };
        let encrypt = ctx.ctx().param("options.encrypt", ctx.item())?;
        let kept = RedisMemoryOptions {
            prefix: Some(ctx.ctx().text("options.keyPrefix", ctx.item())?)
                .filter(|prefix| !prefix.is_empty())
                .unwrap_or(PREFIX.into()),
            is_encrypted: encrypt.is_nullish() || encrypt.is_truthy(),
            seconds: count_or(&ctx, "options.ttl", 0)? as u64,
            scope: ConversationScope::Node,
            origin: ConversationOrigin::Heddle,
        };
        Ok(supply_memory(recent_memory(&ctx, kept, window)?, session(&ctx)?))
    }
}

/// How conversations lie in Redis.
pub(super) struct RedisMemoryOptions {
    pub(super) prefix: Str,
    pub(super) is_encrypted: bool,
    pub(super) seconds: u64,
    pub(super) scope: ConversationScope,
    pub(super) origin: ConversationOrigin,
}

/// Where conversations may have begun.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConversationOrigin {
    Heddle,
    /// In n8n, whose lists are taken over.
    N8n,
}

pub(super) fn recent_memory(
    ctx: &SupplyCtx,
    kept: RedisMemoryOptions,
    window: MemoryWindow,
) -> Result<RecentMemory, NodeError> {
    let mut server = redis_server(&ctx.ctx())?;
    server.server.timeout_ms = TIMEOUT_MS;
    let sealer = ctx.host().conversations().sealer;
    let protection =
        if kept.is_encrypted { Protection::Sealed(sealer) } else { Protection::Open(sealer) };
    let own =
        RedisConversations { host: ctx.host().clone(), server, prefix: kept.prefix, protection };
    let conversations: Arc<dyn ConversationStore> = match kept.origin {
        ConversationOrigin::Heddle => Arc::new(own),
        ConversationOrigin::N8n => Arc::new(N8nConversations(own)),
    };
    let place =
        conversation_location(ctx, conversations, kept.scope, Lifetime::of_seconds(kept.seconds));
    Ok(RecentMemory { store: place, window })
}
