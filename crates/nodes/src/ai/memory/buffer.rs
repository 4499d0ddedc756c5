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
const PASSING: &str = "Conversations are in the memory of the process: they are gone after a restart, and after a day in which nobody has used them.";

pub(crate) struct BufferMemory;

impl Supplier for BufferMemory {
    fn spec() -> Spec {
        spec("buffer-memory", &[1.0], "Buffer Memory", "Lets an agent remember all that was said")
            .param(session_param())
            .hint("For trying things out and short conversations; use SQLite Memory to remember across restarts.")
            .note(PASSING)
            .note("All conversations together take at most 128 MB; those that were not used for the longest time go first.")
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
        spec("window-memory", &[1.0], "Window Memory", "Lets an agent remember the newest messages")
            .params([
                session_param(),
                Param::number("maxMessages", "Max messages", 10)
                    .at_least(0.0)
                    .help("How many messages the model sees. Turns are left out whole; the newest one is always seen."),
            ])
            .hint("For long conversations of which only the end matters.")
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
