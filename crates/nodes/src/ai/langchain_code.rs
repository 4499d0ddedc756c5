//! n8n's LangChain Code: a program that calls what is connected to it, or supplies the node above.

mod connected;
mod program;

use super::agent_host::NodeAgentHost;
use super::tools::fn_tool::{ToolInvocation, supply_tool, text_schema};
use crate::data::code::ResultCollector;
use connected::Connected;
use model::Kind;
use node_api::ai::{Supply, Tool, ToolDefinition, ToolEffect};
use node_api::host::{CodeFlavour, CodeOutput};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name};
use program::{Program, Purpose};
use std::sync::Arc;

const EXECUTE: &str = "const { PromptTemplate } = require('@langchain/core/prompts');

const prompt = PromptTemplate.fromTemplate('Tell me a joke about {topic}');
const model = await this.getInputConnectionData('ai_languageModel', 0);
const answer = await prompt.pipe(model).invoke({ topic: 'weaving' });
return [{ json: { output: answer.content } }];";

const SUPPLY: &str = "const { DynamicTool } = require('@langchain/core/tools');

return new DynamicTool({
  name: 'shout',
  description: 'Writes a text in capital letters',
  func: async (text) => text.toUpperCase(),
});";

pub(crate) struct LangChainCode;

impl Node for LangChainCode {
    fn spec() -> Spec {
        let optional = |kind: Kind, label: &str| Port::of(kind, label).optional().many();
        let code = |label: &str, preset: &str| {
            [Param::code("code", label, "javaScript", preset).raw().help("The program.")]
        };
        Spec::new(
            "@n8n/n8n-nodes-langchain.code",
            &[1.0],
            "LangChain Code",
            "Run JavaScript that calls connected models and tools",
        )
        .icon("code-xml")
        .group(NodeGroup::Ai)
        .inputs([
            Port::main(),
            optional(Kind::AiLanguageModel, "Model"),
            optional(Kind::AiTool, "Tool"),
            optional(Kind::AiMemory, "Memory"),
            optional(Kind::AiEmbedding, "Embedding"),
            optional(Kind::AiVectorStore, "Vector Store"),
            optional(Kind::AiRetriever, "Retriever"),
            optional(Kind::AiOutputParser, "Output Parser"),
        ])
        .outputs([
            Port::main(),
            Port::of(Kind::AiTool, "Tool"),
            Port::of(Kind::AiLanguageModel, "Model"),
            Port::of(Kind::AiMemory, "Memory"),
            Port::of(Kind::AiEmbedding, "Embedding"),
            Port::of(Kind::AiVectorStore, "Vector Store"),
            Port::of(Kind::AiRetriever, "Retriever"),
            Port::of(Kind::AiOutputParser, "Output Parser"),
        ])
        .params([
            Param::group(
                "code",
                "Code",
                [
                    FieldGroup::new("execute", "Execute", code("JavaScript - Execute", EXECUTE)),
                    FieldGroup::new(
                        "supplyData",
                        "Supply Data",
                        code("JavaScript - Supply Data", SUPPLY),
                    ),
                ],
            )
            .raw()
            .help("Execute runs on items, Supply Data serves the node above."),
            ports_param("inputs", "Inputs", "input", "Types of the connected nodes."),
            ports_param("outputs", "Outputs", "output", "Types of what the node puts out."),
        ])
        .records_steps()
        .untrusted()
        .private()
        .hint("For what no other node does. Use Code for code without models, and an agent for tools.")
        .alias(&["javascript", "script", "chain"])
        .differs(
            "Of LangChain only prompts, messages, tools, string parsers and runnables exist. Other \
             packages, requests, streaming and writing to a memory are refused.",
        )
        .note(
            "The code runs again from its start after each response of a connected node, with the \
             earlier ones at hand. Every response is stored on disk, so nothing is asked twice.",
        )
        .note("With Max Connections 1 an input gives one node, otherwise a list.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let source = ctx.text("code.execute.code", 0)?;
        if source.trim().is_empty() {
            return Err(NodeError::parameter("code.execute.code", "No code for 'Execute' is set")
                .hint("Enter the code, or connect an output other than the main one."));
        }
        let connected = Connected::of(ctx, 0, |kind| is_single(ctx, kind)).await?;
        let program = Program { source, items, outputs: outputs(ctx)?, purpose: Purpose::Items };
        let world = NodeAgentHost::silent(ctx, 0);
        let mut collected = ResultCollector::new(ctx, CodeFlavour::AllItems);
        let ran = program.run(ctx, &world, &connected).await;
        let ran = ran.and_then(|pieces| {
            pieces.into_iter().try_for_each(|piece| collected.take(piece))?;
            collected.check()
        });
        match ran {
            Ok(()) => Ok(vec![collected.finish()]),
            Err(error) => Ok(vec![Items::one(ctx.failed_item(0, error)?)]),
        }
    }
}

impl Supplier for LangChainCode {
    fn spec() -> Spec {
        <Self as Node>::spec()
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (connected, found) = {
            let inner = ctx.ctx();
            let connected =
                Connected::of(&inner, ctx.item(), |kind| is_single(&inner, kind)).await?;
            let world =
                NodeAgentHost::for_tool_call(&inner, format!("supply {}", ctx.item()).into());
            let pieces = supplying(&ctx, Purpose::Supply)?.run(&inner, &world, &connected).await?;
            (connected, whole(pieces).get("__supplied").cloned().unwrap_or_default())
        };
        let found = found.as_array().unwrap_or_default();
        if let [one] = found
            && let Some(id) = one.get("connected").and_then(Value::as_usize)
        {
            return connected.supply(id).ok_or_else(nothing);
        }
        let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
        for (index, one) in found.iter().enumerate() {
            let supply = match one.get("connected").and_then(Value::as_usize) {
                Some(id) => connected.supply(id).ok_or_else(nothing)?,
                None => tool(&ctx, &connected, index, one.get("tool").unwrap_or(&Value::Null)),
            };
            match supply {
                Supply::Tools(some) => tools.extend(some),
                _ => {
                    return Err(NodeError::failed("The code supplies a list of different things")
                        .hint("Return one connected node, or a list of tools."));
                }
            }
        }
        if tools.is_empty() { Err(nothing()) } else { Ok(Supply::Tools(tools)) }
    }
}

fn nothing() -> NodeError {
    NodeError::failed("The code supplies nothing")
        .hint("End the code with a `return` of a connected node or of tools.")
}

/// A tool that the program defines. Each call runs the program anew.
fn tool(ctx: &SupplyCtx, connected: &Connected, index: usize, about: &Value) -> Supply {
    let text = |name: &str| about.get(name).map(Value::to_js_string).unwrap_or_default();
    let schema = about.get("schema").filter(|schema| schema.is_object()).cloned();
    let takes_text = schema.is_none();
    let definition = ToolDefinition {
        name: tool_name(&text("name")),
        description: text("description"),
        parameters: schema.unwrap_or_else(|| text_schema("Input for the tool", false)),
        effect: if connected.may_change() { ToolEffect::Changes } else { ToolEffect::None },
        flow: connected.flow(),
    };
    supply_tool(ctx.clone(), definition, move |call| async move {
        call_tool(call, index, takes_text).await
    })
}

async fn call_tool(
    call: ToolInvocation,
    index: usize,
    takes_text: bool,
) -> Result<Value, NodeError> {
    let input =
        if takes_text { call.text("input").into() } else { Value::from(call.arguments.clone()) };
    let inner = call.ctx.ctx();
    let connected = Connected::of(&inner, call.ctx.item(), |kind| is_single(&inner, kind)).await?;
    let world = NodeAgentHost::for_tool_call(&inner, call.context.key.clone());
    let program = supplying(&call.ctx, Purpose::Call { index, input })?;
    let pieces = program.run(&inner, &world, &connected).await?;
    Ok(whole(pieces).get("__result").cloned().unwrap_or_default())
}

/// The program that serves the node above, with the item that it serves it for.
fn supplying(ctx: &SupplyCtx, purpose: Purpose) -> Result<Program, NodeError> {
    let inner = ctx.ctx();
    let source = inner.text("code.supplyData.code", ctx.item())?;
    if source.trim().is_empty() {
        return Err(NodeError::parameter(
            "code.supplyData.code",
            "No code for 'Supply Data' is set",
        ));
    }
    let item = inner.input(0).and_then(|items| items.get(ctx.item()));
    let items = item.map(Items::one).unwrap_or_default();
    Ok(Program { source, items, outputs: outputs(&inner)?, purpose })
}

fn whole(pieces: Vec<CodeOutput>) -> Value {
    match pieces.into_iter().next() {
        Some(CodeOutput::Whole(value)) => value,
        _ => Value::Undefined,
    }
}

/// Whether the input of a kind is said to take one connection only.
fn is_single(ctx: &Ctx<'_>, kind: Kind) -> bool {
    let inputs = ctx.param("inputs.input", 0).unwrap_or_default();
    let of_kind = inputs
        .as_array()
        .unwrap_or_default()
        .iter()
        .find(|input| input.get("type").and_then(Value::as_str) == Some(kind.name()));
    of_kind.is_some_and(|input| input.get("maxConnections").and_then(Value::as_f64) == Some(1.0))
}

fn outputs(ctx: &Ctx<'_>) -> Result<Value, NodeError> {
    Ok(match ctx.param("outputs.output", 0)? {
        list @ Value::Array(_) => list,
        _ => Value::array(Vec::new()),
    })
}

fn ports_param(name: &str, label: &str, group: &str, help: &str) -> Param {
    let mut kinds: Vec<(&str, &str)> = vec![("", "Choose")];
    kinds.extend(Kind::ALL.iter().map(|kind| (kind.name(), kind.name())));
    let fields = [
        Param::choice("type", "Type", &kinds).raw().help("Type of the connection."),
        Param::number("maxConnections", "Max connections", -1)
            .raw()
            .help("Maximum number of connected nodes. -1 for any number."),
        Param::flag("required", "Required", false).raw().help("Whether a connection is needed."),
    ];
    Param::repeated(name, label, [FieldGroup::new(group, label, fields)]).raw().help(help)
}
