//! Memories that find what has to do with the question: alone, or beside the newest turns.

use super::summary::{storage, storage_param};
use super::{
    ConversationScope, count, local_location, session, session_param, spec, supply_memory,
};
use crate::ai::sub_nodes::embedder;
use agent::memory::{MemoryWindow, SemanticMemory};
use model::Kind;
use node_api::ai::{Lifetime, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

pub(crate) struct VectorMemory;

impl Supplier for VectorMemory {
    fn spec() -> Spec {
        spec(
            "vector-memory",
            &[1.0],
            "Vector Memory",
            "Lets an agent recall what is relevant to the question",
        )
        .inputs([Port::of(Kind::AiEmbedding, "Embeddings")])
        .param(session_param())
        .params(search_params())
        .param(storage_param())
        .hint(
            "For facts from long ago. Use Hybrid Memory if the latest messages matter too. \
                 Connect embeddings.",
        )
        .alias(&["semantic", "embeddings", "long-term"])
        .note(FOUND)
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(supply_memory(semantic_memory(&ctx, MemoryWindow::Turns(0)).await?, session(&ctx)?))
    }
}

pub(crate) struct HybridMemory;

impl Supplier for HybridMemory {
    fn spec() -> Spec {
        spec(
            "hybrid-memory",
            &[1.0],
            "Hybrid Memory",
            "Lets an agent remember the latest messages and recall what is relevant to the question",
        )
        .inputs([Port::of(Kind::AiEmbedding, "Embeddings")])
        .params([
            session_param(),
            Param::number("maxMessages", "Max messages", 10).at_least(0.0).help(
                "Number of latest messages sent to the model verbatim, in whole turns.",
            ),
        ])
        .params(search_params())
        .param(storage_param())
        .hint("For assistants that talk to the same user for months. Connect embeddings.")
        .alias(&["semantic", "embeddings", "long-term"])
        .note(FOUND)
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let window = MemoryWindow::Messages(count(&ctx, "maxMessages")?);
        Ok(supply_memory(semantic_memory(&ctx, window).await?, session(&ctx)?))
    }
}

const FOUND: &str = "Recalled turns are passed to the agent's model as a record of the conversation, never as an \
     instruction. Vectors are stored and deleted with the conversation. Vectors of other embedding \
     models are skipped.";

fn search_params() -> [Param; 2] {
    [
        Param::number("topK", "Top K", 4)
            .at_least(1.0)
            .help("Maximum number of earlier turns to recall."),
        Param::number("minScore", "Min score", 0.3)
            .between(0.0, 1.0)
            .help("Minimum similarity score, from 0 to 1."),
    ]
}

async fn semantic_memory(
    ctx: &SupplyCtx,
    window: MemoryWindow,
) -> Result<SemanticMemory, NodeError> {
    let embedder = embedder(&ctx.ctx(), ctx.item()).await?;
    let place = local_location(ctx, storage(ctx)?, ConversationScope::Node, Lifetime::Endless);
    let min_score = ctx.ctx().number("minScore", ctx.item())?;
    Ok(SemanticMemory { store: place, embedder, top: count(ctx, "topK")?, min_score, window })
}
