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
        spec("sqlite-memory", &[1.0], "SQLite Memory", "Lets an agent remember across restarts, without another service")
            .params([
                session_param(),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::number("maxMessages", "Max messages", 0)
                            .at_least(0.0)
                            .help("How many messages the model sees, in whole turns; 0 for as many as there are."),
                        Param::number("retentionDays", "Keep for days", 0).at_least(0.0).help(
                            "A conversation that nobody has used for so long is removed; 0 to keep it until the workflow is deleted.",
                        ),
                    ],
                )
                .help("How much is seen, and how long it stays."),
            ])
            .hint("The memory to start with: it needs no credential and outlives a restart.")
            .alias(&["durable", "persistent", "database"])
            .note("What is said is encrypted on disk. Conversations are deleted with their workflow.")
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
