//! n8n's Simple Memory.

use super::session_key::{SinceVersions, params, session, window};
use super::{ConversationScope, ConversationStorage, local_location, spec, supply_memory};
use agent::memory::RecentMemory;
use node_api::ai::{Lifetime, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

const SINCE: SinceVersions = SinceVersions { choice: 1.2, shown: 1.3, window: 1.0 };

pub(crate) struct MemoryBufferWindow;

impl Supplier for MemoryBufferWindow {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3, 1.4];
        spec(
            "@n8n/n8n-nodes-langchain.memoryBufferWindow",
            &versions,
            "Simple Memory",
            "Lets an agent remember the latest turns, compatible with n8n",
        )
        .compatible()
        .params(params(&SINCE))
        .params([
            Param::flag("persistentMemory", "Persistent memory", true).raw().since(1.4).help(
                "Whether conversations are stored in the data folder instead of process \
                         memory.",
            ),
            Param::hidden("turnId", Value::Null),
            Param::hidden("previousTurnIds", Value::Null),
        ])
        .hint(
            "The most common memory in imported workflows. Several of these in one workflow \
                 share the conversations of a session.",
        )
        .alias(&["window buffer memory", "simple memory"])
        .differs(
            "Tool calls and their results are stored too. Turns are kept or dropped as a whole.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let is_lasting =
            ctx.ctx().version() >= 1.4 && ctx.ctx().flag("persistentMemory", ctx.item())?;
        let keeping =
            if is_lasting { ConversationStorage::Durable } else { ConversationStorage::Volatile };
        let place = local_location(&ctx, keeping, ConversationScope::Workflow, Lifetime::Endless);
        Ok(supply_memory(
            RecentMemory { store: place, window: window(&ctx, &SINCE)? },
            session(&ctx, &SINCE)?,
        ))
    }
}
