//! A tool that does nothing but let a model write down what it thinks before it goes on.

use super::fn_tool::{name_from_param, supply_tool, text_schema, tool_spec};
use node_api::ai::{Supply, ToolDefinition, ToolEffect};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};

const DESCRIPTION: &str = "Write down a thought. Nothing is looked up and nothing is changed; use it to plan, to weigh results, or to keep something in mind.";

/// n8n's node.
pub(crate) struct ToolThink;

impl Supplier for ToolThink {
    fn spec() -> Spec {
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolThink",
            &[1.0, 1.1],
            "Think Tool",
            "Let an agent think before it continues, compatible with n8n",
        )
        .compatible()
        .icon("brain")
        .param(description())
        .hint("Connect it to an agent with multi-step tasks.")
        .alias(&["reason", "plan", "reflect"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let name = if ctx.node().version < 1.1 {
            "thinking_tool".into()
        } else {
            tool_name_of(ctx.node())
        };
        supplied(ctx, name)
    }
}

/// Heddle's own.
pub(crate) struct ThinkTool;

impl Supplier for ThinkTool {
    fn spec() -> Spec {
        tool_spec("think-tool", &[1.0], "Think", "Let an agent think before it continues")
            .recommended()
            .icon("brain")
            .params([
                Param::text("name", "Name", "think").help("Name of the tool for the model."),
                description(),
            ])
            .hint("Connect it to an agent with multi-step tasks.")
            .alias(&["reason", "plan", "reflect"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let name = name_from_param(&ctx, "name")?;
        supplied(ctx, name)
    }
}

fn description() -> Param {
    Param::long_text("description", "Description", DESCRIPTION)
        .required()
        .help("Description of the tool for the model.")
}

fn supplied(ctx: SupplyCtx, name: Str) -> Result<Supply, NodeError> {
    let description = ctx.ctx().text("description", ctx.item())?;
    let definition = ToolDefinition {
        name,
        description,
        parameters: text_schema("The thought", false),
        effect: ToolEffect::None,
        flow: node_api::ai::DataFlow::default(),
    };
    Ok(supply_tool(ctx, definition, |call| async move { Ok(Value::from(call.text("input"))) }))
}
