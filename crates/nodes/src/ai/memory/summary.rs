//! A memory that has a model sum up what is longer ago.

use super::{
    ConversationScope, ConversationStorage, count, local_location, session, session_param, spec,
    supply_memory,
};
use crate::ai::sub_nodes::model;
use agent::memory::SummarizingMemory;
use model::Kind;
use node_api::ai::{Lifetime, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

pub(crate) struct SummaryMemory;

impl Supplier for SummaryMemory {
    fn spec() -> Spec {
        spec("summary-memory", &[1.0], "Summary Memory", "Lets an agent remember the newest turns and a summary of the rest")
            .inputs([Port::of(Kind::AiLanguageModel, "Model")])
            .params([
                session_param(),
                Param::number("recentTurns", "Recent turns", 6)
                    .at_least(1.0)
                    .help("How many turns stay as they were said. What is older is summed up, a few turns at a time."),
                storage_param(),
            ])
            .hint("For conversations that go on for long and must not lose their beginning. Connect a model, which may be a cheap one.")
            .alias(&["summarize", "compact"])
            .note("The summary reaches the agent's model as a record of the user's side, never as an instruction.")
            .note("If the model fails, the turns stay as they are until the next time, and the execution says so.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let model = model(&ctx.ctx(), ctx.item()).await?;
        let place =
            local_location(&ctx, storage(&ctx)?, ConversationScope::Node, Lifetime::Endless);
        let turns = count(&ctx, "recentTurns")?.max(1);
        Ok(supply_memory(SummarizingMemory { store: place, model, turns }, session(&ctx)?))
    }
}

pub(super) fn storage_param() -> Param {
    Param::choice(
        "storage",
        "Storage",
        &[("database", "Data folder, encrypted"), ("memory", "Memory of the process")],
    )
    .help("Where conversations are kept.")
}

pub(super) fn storage(ctx: &SupplyCtx) -> Result<ConversationStorage, NodeError> {
    Ok(if ctx.ctx().text("storage", ctx.item())? == "memory" {
        ConversationStorage::Volatile
    } else {
        ConversationStorage::Durable
    })
}
