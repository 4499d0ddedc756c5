//! n8n's retrievers: what finds documents for a question, and what answers it from them.

pub(super) mod chain;
pub(super) mod cohere;
pub(super) mod compression;
pub(super) mod multi_query;
mod question;
pub(super) mod tool;
pub(super) mod vector_store;
pub(super) mod workflow;

use super::sub_nodes::not_connected;
use model::Kind;
use node_api::ai::{ChatModel, ChatRequest, Message, Retriever, SearchableStore, Supply};
use node_api::prelude::*;
use std::sync::Arc;

/// The description of a node that is a retriever.
fn retriever_spec(node: &str, name: &str, summary: &str) -> Spec {
    Spec::new(&format!("@n8n/n8n-nodes-langchain.{node}"), &[1.0], name, summary)
        .group(NodeGroup::Ai)
        .inputs([])
        .icon("search")
        .outputs([Port::of(Kind::AiRetriever, "Retriever")])
        .alias(&["rag", "retrieval"])
}

async fn retriever(ctx: &Ctx<'_>, item: usize) -> Result<Arc<dyn Retriever>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiRetriever, item).await?;
    let found = supplied.into_iter().find_map(|supplied| {
        if let Supply::Retriever(found) = supplied.supply { Some(found) } else { None }
    });
    found.ok_or_else(|| not_connected("retriever"))
}

async fn vector_store(ctx: &Ctx<'_>, item: usize) -> Result<SearchableStore, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiVectorStore, item).await?;
    let found = supplied.into_iter().find_map(|supplied| {
        if let Supply::VectorStore(found) = supplied.supply { Some(found) } else { None }
    });
    found.ok_or_else(|| not_connected("vector store"))
}

/// What a model says to instructions and a question.
async fn ask(model: &dyn ChatModel, messages: Vec<Message>) -> Result<Str, NodeError> {
    let turn = model.chat(ChatRequest { messages, ..ChatRequest::default() }).await;
    let turn = turn.map_err(|error| agent::AgentError::Model(error).into_node_error())?;
    Ok(turn.message.text())
}
