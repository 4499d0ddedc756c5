//! n8n's Postgres Chat Memory, in n8n's table.

use super::session_key::{SinceVersions, params, session, window};
use super::{ConversationScope, TIMEOUT_MS, conversation_location, spec, supply_memory};
use crate::integrations::postgres_server;
use agent::memory::RecentMemory;
use node_api::ai::{Lifetime, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::memory::PostgresConversations;
use std::sync::Arc;

const SINCE: SinceVersions = SinceVersions { choice: 1.0, shown: 1.2, window: 1.1 };
const TABLE: &str = "n8n_chat_histories";

pub(crate) struct MemoryPostgresChat;

impl Supplier for MemoryPostgresChat {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3, 1.4];
        spec(
            "@n8n/n8n-nodes-langchain.memoryPostgresChat",
            &versions,
            "Postgres Chat Memory",
            "Lets an agent remember in a Postgres table",
        )
        .credential("postgres", true)
        .params(params(&SINCE))
        .param(Param::text("tableName", "Table name", TABLE).help(
            "Table for the conversations, optionally prefixed with the schema and a dot. It \
                     is created if it does not exist.",
        ))
        .hint("For conversations that other programs read, or that were started in n8n.")
        .alias(&["postgresql", "supabase", "database"])
        .note(
            "Rows use n8n's format, so n8n conversations continue here. They are not encrypted: \
             anyone with access to the table can read them.",
        )
        .note("Workflows that share a table share the conversations of the same session.")
        .differs(
            "Tool calls and their results are stored too. Turns are kept or dropped as a whole.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let mut server = postgres_server(&ctx.ctx())?;
        server.server.timeout_ms = TIMEOUT_MS;
        let named = ctx.ctx().text("tableName", ctx.item())?;
        let table = if named.is_empty() { TABLE } else { named.as_str() };
        let conversations = PostgresConversations::new(ctx.host().clone(), server, table);
        let place = conversation_location(
            &ctx,
            Arc::new(conversations),
            ConversationScope::Workflow,
            Lifetime::Endless,
        );
        Ok(supply_memory(
            RecentMemory { store: place, window: window(&ctx, &SINCE)? },
            session(&ctx, &SINCE)?,
        ))
    }
}
