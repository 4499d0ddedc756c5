//! A collection that an agent searches.

use super::collections::{
    EmbeddedCollection, IfMissing, collection, collection_param, embedder, model_param,
};
use super::{metadata, metadata_param, option};
use crate::ai::tools::fn_tool::{ToolInvocation, supply_tool, tool_spec};
use model::Kind;
use node_api::ai::{DataFlow, Supply, ToolDefinition, ToolEffect, ToolOutput, VectorQuery};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

/// More results than this no model reads.
const MAX_RESULTS: f64 = 50.0;

pub(crate) struct KnowledgeBaseTool;

impl Supplier for KnowledgeBaseTool {
    fn spec() -> Spec {
        tool_spec(
            "knowledge-base-tool",
            &[1.0],
            "Knowledge Base Tool",
            "Lets an agent search a collection of documents",
        )
        .icon("library")
        .inputs([Port::of(Kind::AiEmbedding, "Embeddings").optional()])
        .credential("openAiApi", false)
        .params([
            collection_param(),
            model_param(),
            Param::long_text(
                "description",
                "Description",
                "Search the knowledge base for relevant information using semantic search.",
            )
            .help("Tells the model what is in the collection and when to search it."),
            Param::collection(
                "options",
                "Options",
                [
                    Param::number("topK", "Top K results", 5)
                        .between(1.0, MAX_RESULTS)
                        .help("Maximum number of results returned to the agent."),
                    Param::number("minScore", "Minimum score", 0.7).between(0.0, 1.0).help(
                        "Minimum similarity score of a result, from 0 to 1. Newer OpenAI \
                                 models rarely score above 0.5.",
                    ),
                    metadata_param(
                        "Metadata",
                        "Metadata a chunk must have to be found. The agent cannot override it.",
                    ),
                    Param::text("filterFields", "Fields the agent can filter by", "").help(
                        "Comma-separated metadata names, such as `source, year`. The agent \
                                 can request chunks with a specific value.",
                    ),
                    Param::flag("hybrid", "Hybrid search", false).help(
                        "Whether to also match keywords of the question. This changes the \
                                 order, not the score.",
                    ),
                ],
            )
            .help("Search options."),
        ])
        .hint("Fill the collection with the Knowledge Base node, using the same embedding model.")
        .alias(&["rag", "retrieval", "semantic search", "vector", "documents"])
        .note(
            "Returns `{ results: [{ content, score, metadata }] }`. Results below the minimum \
                 score are left out.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let description = ctx.ctx().text("description", ctx.item())?;
        let mut parameters = json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "description": "The search query" },
                "limit": { "type": "number", "description": "Maximum number of results to return (default 5)" }
            },
            "required": ["query"]
        });
        let fields: Object = filter_fields(&ctx.ctx(), ctx.item())?
            .into_iter()
            .map(|name| (name, json!({ "type": "string" })))
            .collect();
        if !fields.is_empty() {
            let filter = Object::from_iter([
                ("type", Value::from("object")),
                ("description", "Only results whose metadata has these values".into()),
                ("properties", fields.into()),
                ("additionalProperties", false.into()),
            ]);
            parameters.set_path("properties.filter", filter);
        }
        let definition = ToolDefinition {
            name: "knowledge_base_search".into(),
            description,
            parameters,
            effect: ToolEffect::None,
            flow: DataFlow::STORED,
        };
        Ok(supply_tool(ctx, definition, |call| async move { search(&call).await.map_err(failed) }))
    }
}

async fn search(call: &ToolInvocation) -> Result<ToolOutput, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let query = call.text("query");
    if query.trim().is_empty() {
        return Err(NodeError::parameter("query", "the query is empty"));
    }
    let (top, min_score) = (option(&ctx, item, "topK", 5.0)?, option(&ctx, item, "minScore", 0.7)?);
    let limit = call
        .arguments
        .get("limit")
        .and_then(Value::as_f64)
        .filter(|limit| *limit >= 1.0)
        .unwrap_or(top);
    let (collections, found) = collection(&ctx, item, IfMissing::Fail).await?;
    let embedder = embedder(&ctx, item, &found).await?;
    let kept = EmbeddedCollection { collections, id: found.id, embedder };
    // What the author demands comes last, so that nothing that a model asks for can take its place.
    let mut demanded =
        call.arguments.get("filter").and_then(Value::as_object).cloned().unwrap_or_default();
    demanded.extend(metadata(&ctx, "options.metadata", item)?);
    let wanted = VectorQuery {
        limit: limit.clamp(1.0, MAX_RESULTS) as usize,
        min_score: Some(min_score),
        metadata: demanded,
    };
    let found = kept.find(&query, wanted, ctx.flag("options.hybrid", item)?).await?;
    let results = found.iter().map(|found| {
        Object::from_iter([
            ("content", Value::from(found.document.content.clone())),
            ("score", found.score.into()),
            ("metadata", found.document.metadata.clone().into()),
        ])
        .into()
    });
    let shown = Object::from_iter([("results", Value::array(results.collect()))]);
    Ok(ToolOutput::new(shown).found_in(&found))
}

/// The metadata that an agent may choose results by.
fn filter_fields(ctx: &Ctx<'_>, item: usize) -> Result<Vec<Str>, NodeError> {
    let named = ctx.text("options.filterFields", item)?;
    Ok(named.split(',').map(str::trim).filter(|name| !name.is_empty()).map(Str::from).collect())
}

/// Words for the model, with what the operator may want to know behind them.
fn failed(error: NodeError) -> NodeError {
    NodeError::new(error.code(), format!("Knowledge base search failed: {}", error.message()))
}
