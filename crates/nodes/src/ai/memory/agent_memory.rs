//! A memory in two parts: the latest turns of the conversation, and what is known beyond it.

use super::redis::{ConversationOrigin, RedisMemoryOptions, recent_memory};
use super::{
    ConversationScope, ConversationStorage, count, count_or, local_location, session,
    session_param, spec,
};
use crate::ai::sub_nodes::{models, optional_embedder};
use agent::memory::{MemoryWindow, RecentMemory};
use model::Kind;
use node_api::ai::{
    ConsolidationPolicy, Lifetime, LongTermError, ReadMode, SuppliedLongTerm, SuppliedMemory,
    Supply,
};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

const SECONDS_A_DAY: usize = 24 * 60 * 60;

/// Where conversations are in Redis, beside those of the Redis Memory.
const REDIS_PREFIX: &str = "agent:memory:";

pub(crate) struct AgentMemory;

impl Supplier for AgentMemory {
    fn spec() -> Spec {
        let storages = [
            ("database", "Data folder, encrypted"),
            ("memory", "Process memory"),
            ("redis", "Redis, encrypted"),
        ];
        let windows = [("turns", "Number of turns"), ("tokens", "Token budget")];
        let modes = [
            ("inject", "Add relevant entries before the question"),
            ("retrieve", "Add them and name them as sources of the answer"),
            ("tool", "Let the model search and write with tools"),
        ];
        spec(
            "agent-memory",
            &[1.0],
            "Agent Memory",
            "Lets an agent remember the conversation, and facts across conversations",
        )
        .recommended()
        .credential("redis", false)
        .inputs([
            Port::of(Kind::AiEmbedding, "Embeddings").optional(),
            Port::of(Kind::AiLanguageModel, "Model").optional(),
        ])
        .params([
            session_param(),
            Param::choice("storage", "Conversation storage", &storages)
                .raw()
                .help("Where to store the latest turns."),
            Param::choice("window", "Conversation window", &windows)
                .help("How to limit what the model sees of the conversation."),
            Param::number("recentTurns", "Recent turns", 10)
                .at_least(0.0)
                .show("window", &["turns"])
                .help("Number of latest turns sent to the model."),
            Param::number("maxTokens", "Max tokens", 4000)
                .at_least(1.0)
                .show("window", &["tokens"])
                .help("Approximate number of tokens of latest turns sent to the model."),
            Param::text("space", "Long-term memory", "memory").help(
                "Name of the long-term memory, shared within the project. It is created on first \
                 use. Leave empty to remember the conversation only.",
            ),
            Param::text("subject", "Subject", "").short_expressions().help(
                "Whose facts these are, for example `={{ $json.userId }}`. If empty, the session. \
                 An agent sees and writes only entries of its subject.",
            ),
            Param::choice("readMode", "Read mode", &modes)
                .help("How the agent gets to see long-term memory."),
            Param::number("topK", "Top K", 5)
                .at_least(1.0)
                .help("Maximum number of entries to add."),
            Param::collection(
                "options",
                "Options",
                [
                    Param::number("minScore", "Min score", 0.3)
                        .between(0.0, 1.0)
                        .help("Minimum similarity score, from 0 to 1."),
                    Param::number("recencyWeight", "Recency weight", 0.3)
                        .between(0.0, 1.0)
                        .help("How much newer entries are preferred, from 0 to 1."),
                    Param::text("tags", "Tags", "").help(
                        "Only entries with all of these tags, separated by commas. New entries \
                         get them.",
                    ),
                    Param::number("consolidateEvery", "Consolidate every", 10).at_least(0.0).help(
                        "Number of turns after which the connected model extracts facts. 0 \
                             leaves it to the Long-Term Memory node in a scheduled workflow.",
                    ),
                    Param::number("retentionDays", "Keep conversations for days", 0)
                        .at_least(0.0)
                        .help(
                            "Days without use after which a conversation is deleted. 0 keeps it.",
                        ),
                ],
            )
            .help("Search and consolidation options."),
        ])
        .hint(
            "For assistants that know their users. Connect a model to extract facts from \
             conversations, and embeddings to search by meaning; without embeddings the built-in \
             model is used if it is installed.",
        )
        .alias(&["long-term", "facts", "short-term", "hybrid", "semantic"])
        .note(
            "Entries are encrypted on disk and passed to the model as quoted records from the \
             user, never as instructions.",
        )
        .note("Without an embedding model, entries are found by keywords and time.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let memory = Arc::new(conversation(&ctx)?);
        let long_term = long_term(&ctx).await?.map(Box::new);
        Ok(Supply::Memory(SuppliedMemory { memory, session: session(&ctx)?, long_term }))
    }
}

fn conversation(ctx: &SupplyCtx) -> Result<RecentMemory, NodeError> {
    let window = match ctx.ctx().text("window", ctx.item())?.as_str() {
        "tokens" => MemoryWindow::Tokens(count(ctx, "maxTokens")?),
        _ => MemoryWindow::Turns(count(ctx, "recentTurns")?),
    };
    let days = count_or(ctx, "options.retentionDays", 0)?;
    let seconds = days.saturating_mul(SECONDS_A_DAY) as u64;
    let keeping = match ctx.ctx().text("storage", ctx.item())?.as_str() {
        "redis" => {
            let kept = RedisMemoryOptions {
                prefix: REDIS_PREFIX.into(),
                is_encrypted: true,
                seconds,
                scope: ConversationScope::Node,
                origin: ConversationOrigin::Heddle,
            };
            return recent_memory(ctx, kept, window);
        }
        "memory" => ConversationStorage::Volatile,
        _ => ConversationStorage::Durable,
    };
    let lifetime = Lifetime::of_seconds(seconds);
    let store = local_location(ctx, keeping, ConversationScope::Node, lifetime);
    Ok(RecentMemory { store, window })
}

async fn long_term(ctx: &SupplyCtx) -> Result<Option<SuppliedLongTerm>, NodeError> {
    let seen = ctx.ctx();
    let item = ctx.item();
    let name = seen.text("space", item)?;
    if name.trim().is_empty() {
        return Ok(None);
    }
    let memory = ctx.host().long_term_memory();
    let space = match memory.open_space(name.trim()).await {
        Ok(space) => space,
        // The agent goes on with what it has.
        Err(error @ (LongTermError::Nowhere | LongTermError::Store { .. })) => {
            ctx.host().warn(format!("Long-term memory is not available: {error}").into());
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let embedder = optional_embedder(&seen, item, space.model.as_deref()).await?;
    let model = models(seen.host(), item).await?.into_iter().next();
    let every_turns = count_or(ctx, "options.consolidateEvery", 10)?;
    let number = |name: &str, default: f64| -> Result<f64, NodeError> {
        let given = seen.param(&format!("options.{name}"), item)?;
        Ok(given.as_f64().unwrap_or(default).clamp(0.0, 1.0))
    };
    Ok(Some(SuppliedLongTerm {
        memory,
        space: space.id,
        subject: Some(seen.text("subject", item)?).filter(|subject| !subject.is_empty()),
        embedder,
        mode: match seen.text("readMode", item)?.as_str() {
            "tool" => ReadMode::Tool,
            "retrieve" => ReadMode::Retrieve,
            _ => ReadMode::Inject,
        },
        top: count(ctx, "topK")?.max(1),
        min_score: number("minScore", 0.3)?,
        recency_weight: number("recencyWeight", 0.3)?,
        tags: comma_separated(&seen.param("options.tags", item)?),
        consolidation: model
            .map(|(_, model)| ConsolidationPolicy { model: agent::with_tools(model), every_turns }),
    }))
}

/// The parts of a text between commas.
pub(super) fn comma_separated(text: &Value) -> Vec<Str> {
    let parts = text.as_str().unwrap_or_default().split(',').map(str::trim);
    parts.filter(|part| !part.is_empty()).map(Str::from).collect()
}
