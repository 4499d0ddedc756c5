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
        spec(
            "summary-memory",
            &[1.0],
            "Summary Memory",
            "Lets an agent remember the latest turns and a summary of the rest",
        )
        .inputs([Port::of(Kind::AiLanguageModel, "Model")])
        .params([
            session_param(),
            Param::number("recentTurns", "Recent turns", 6).at_least(1.0).help(
                "Number of turns kept verbatim. Older turns are summarized, a few at a \
                         time.",
            ),
            storage_param(),
        ])
        .hint(
            "For long conversations that must not lose their beginning. Connect a model; a \
                 cheap one is enough.",
        )
        .alias(&["summarize", "compact"])
        .note(
            "The summary is passed to the agent's model as a record from the user, never as an \
                 instruction.",
        )
        .note(
            "If the model fails, the turns are kept unchanged until the next attempt, and the \
                 execution reports it.",
        )
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
        &[("database", "Data folder, encrypted"), ("memory", "Process memory")],
    )
    .help("Where to store conversations.")
}

pub(super) fn storage(ctx: &SupplyCtx) -> Result<ConversationStorage, NodeError> {
    Ok(if ctx.ctx().text("storage", ctx.item())? == "memory" {
        ConversationStorage::Volatile
    } else {
        ConversationStorage::Durable
    })
}
