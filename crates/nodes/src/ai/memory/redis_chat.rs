//! n8n's Redis Chat Memory.

use super::redis::{ConversationOrigin, RedisMemoryOptions, recent_memory};
use super::session_key::{SinceVersions, params, session, window};
use super::{ConversationScope, count, spec, supply_memory};
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

const SINCE: SinceVersions = SinceVersions { choice: 1.2, shown: 1.4, window: 1.3 };

pub(crate) struct MemoryRedisChat;

impl Supplier for MemoryRedisChat {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6];
        spec(
            "@n8n/n8n-nodes-langchain.memoryRedisChat",
            &versions,
            "Redis Chat Memory",
            "Lets an agent remember in Redis, compatible with n8n",
        )
        .compatible()
        .credential("redis", true)
        .params(params(&SINCE))
        .param(
            Param::number("sessionTTL", "Session time to live", 0)
                .at_least(0.0)
                .help("Seconds after the last use until a conversation expires. 0 for never."),
        )
        .hint("For imported workflows; Redis Memory has more settings.")
        .alias(&["redis", "valkey"])
        .note("Conversations started in n8n continue: their n8n history is copied on first use.")
        .differs(
            "Conversations are encrypted and belong to the workflow. n8n cannot read them, and \
                 workflows do not share them.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let seconds = count(&ctx, "sessionTTL")? as u64;
        let kept = RedisMemoryOptions {
            prefix: "heddle:chat:".into(),
            is_encrypted: true,
            seconds,
            scope: ConversationScope::Workflow,
            origin: ConversationOrigin::N8n,
        };
        Ok(supply_memory(recent_memory(&ctx, kept, window(&ctx, &SINCE)?)?, session(&ctx, &SINCE)?))
    }
}
