//! Memories in the process: all that was said, or the newest messages of it.

use super::{
    ConversationScope, ConversationStorage, count, local_location, session, session_param, spec,
    supply_memory,
};
use agent::memory::{MemoryWindow, RecentMemory};
use node_api::ai::{Lifetime, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

/// What both tell about themselves.
const PASSING: &str = "Conversations are stored in process memory. They are lost on restart, and after a day without \
     use.";

pub(crate) struct BufferMemory;

impl Supplier for BufferMemory {
    fn spec() -> Spec {
        spec(
            "buffer-memory",
            &[1.0],
            "Buffer Memory",
            "Lets an agent remember the whole conversation",
        )
        .param(session_param())
        .hint(
            "For testing and short conversations. Use SQLite Memory to remember across \
                 restarts.",
        )
        .note(PASSING)
        .note(
            "All conversations together use at most 128 MB. The least recently used are removed \
                 first.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let place = local_location(
            &ctx,
            ConversationStorage::Volatile,
            ConversationScope::Node,
            Lifetime::Endless,
        );
        Ok(supply_memory(RecentMemory { store: place, window: MemoryWindow::All }, session(&ctx)?))
    }
}

pub(crate) struct WindowMemory;

impl Supplier for WindowMemory {
    fn spec() -> Spec {
        spec("window-memory", &[1.0], "Window Memory", "Lets an agent remember the latest messages")
            .recommended()
            .params([
                session_param(),
                Param::number("maxMessages", "Max messages", 10).at_least(0.0).help(
                    "Number of messages sent to the model. Only whole turns are dropped; the \
                         latest turn is always included.",
                ),
            ])
            .hint("For long conversations where only the latest messages matter.")
            .note(PASSING)
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let place = local_location(
            &ctx,
            ConversationStorage::Volatile,
            ConversationScope::Node,
            Lifetime::Endless,
        );
        Ok(supply_memory(
            RecentMemory {
                store: place,
                window: MemoryWindow::Messages(count(&ctx, "maxMessages")?),
            },
            session(&ctx)?,
        ))
    }
}
