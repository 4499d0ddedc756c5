//! n8n's Vector Store Question Answer Tool: a model answers from what a store finds, and an agent
//! gets the answer.

use super::question::{TEMPLATE, answer};
use super::vector_store;
use crate::ai::sub_nodes;
use crate::ai::tools::fn_tool::{name_from_param, supply_tool, text_schema, tool_spec};
use model::Kind;
use node_api::ai::{DataFlow, Supply, ToolDefinition, ToolEffect, ToolOutput};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};

pub(crate) struct ToolVectorStore;

impl Supplier for ToolVectorStore {
    fn spec() -> Spec {
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolVectorStore",
            &[1.0, 1.1],
            "Vector Store Question Answer Tool",
            "Lets an agent ask questions answered from a vector store",
        )
        .icon("library")
        .inputs([
            Port::of(Kind::AiVectorStore, "Vector Store"),
            Port::of(Kind::AiLanguageModel, "Model"),
        ])
        .params([
            Param::text("name", "Data name", "")
                .until(1.0)
                .help("Name of the data, used as the tool name."),
            Param::long_text("description", "Description of data", "")
                .help("What the data is about, so that the agent knows when to use it."),
            Param::number("topK", "Limit", 4)
                .at_least(1.0)
                .help("Number of documents the answer is based on."),
        ])
        .hint(
            "Calls a model for each question. A vector store in the mode Retrieve as tool returns \
             the documents to the agent directly.",
        )
        .alias(&["rag", "knowledge"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let name = if ctx.node().version < 1.1 {
            name_from_param(&ctx, "name")?
        } else {
            tool_name_of(ctx.node())
        };
        let about = ctx.ctx().text("description", ctx.item())?;
        let description = format!(
            "Answers questions about {name} from documents. Always use it for questions about {about}. Give it one whole question."
        );
        let parameters = text_schema("The question, as a whole sentence", true);
        let definition = ToolDefinition {
            name,
            description: description.into(),
            parameters,
            effect: ToolEffect::None,
            flow: DataFlow::STORED,
        };
        Ok(supply_tool(ctx, definition, |call| async move {
            let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
            let question = call.text("input");
            let limit = ctx.number("topK", item)?.max(1.0) as usize;
            let found = vector_store(&ctx, item).await?.find(&question, limit).await?;
            let model = sub_nodes::model(&ctx, item).await?;
            let told = answer(model.as_ref(), TEMPLATE, &question, &found).await?;
            Ok(ToolOutput::new(told).found_in(&found))
        }))
    }
}
