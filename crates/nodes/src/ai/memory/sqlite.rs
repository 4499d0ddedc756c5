//! A memory on disk, in the data folder.

use super::{
    ConversationScope, ConversationStorage, count_or, local_location, session, session_param, spec,
    supply_memory,
};
use agent::memory::{MemoryWindow, RecentMemory};
use node_api::ai::{Lifetime, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

const SECONDS_A_DAY: usize = 24 * 60 * 60;

pub(crate) struct SqliteMemory;

impl Supplier for SqliteMemory {
    fn spec() -> Spec {
        spec(
            "sqlite-memory",
            &[1.0],
            "SQLite Memory",
            "Lets an agent remember across restarts, without an external service",
        )
        .params([
            session_param(),
            Param::collection(
                "options",
                "Options",
                [
                    Param::number("maxMessages", "Max messages", 0)
                        .at_least(0.0)
                        .help("Number of messages sent to the model, in whole turns. 0 for all."),
                    Param::number("retentionDays", "Keep for days", 0).at_least(0.0).help(
                        "Days without use after which a conversation is deleted. 0 keeps it \
                                 until the workflow is deleted.",
                    ),
                ],
            )
            .help("Context window and retention."),
        ])
        .hint(
            "The recommended memory to start with: it needs no credential and survives \
                 restarts.",
        )
        .alias(&["durable", "persistent", "database"])
        .note("Messages are encrypted on disk. Conversations are deleted with their workflow.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let window = match count_or(&ctx, "options.maxMessages", 0)? {
            0 => MemoryWindow::All,
            number => MemoryWindow::Messages(number),
        };
        let days = count_or(&ctx, "options.retentionDays", 0)?;
        let lifetime = Lifetime::of_seconds(days.saturating_mul(SECONDS_A_DAY) as u64);
        let place =
            local_location(&ctx, ConversationStorage::Durable, ConversationScope::Node, lifetime);
        Ok(supply_memory(RecentMemory { store: place, window }, session(&ctx)?))
    }
}
