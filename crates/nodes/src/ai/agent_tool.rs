//! An agent as a tool of another agent, with a model and tools of its own.

use super::agent_host::NodeAgentHost;
use super::agent_limits::{guarded, limited};
use super::agent_output::intermediate_step;
use super::models::fallback::with_fallback;
use super::sub_nodes::{add_memory_tools, memory, tools};
use super::tools::fn_tool::{ToolInvocation, supply_tool};
use super::{approval_options, parsers, prompt};
use agent::{AgentOptions, OnLimit, ToolsAgent};
use model::Kind;
use node_api::ai::{
    DataFlow, EgressTarget, Message, MessagePart, Supply, ToolDefinition, ToolEffect, ToolOutput,
};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};

pub(crate) struct AgentToolNode;

impl Supplier for AgentToolNode {
    fn spec() -> Spec {
        Spec::new(
            "@n8n/n8n-nodes-langchain.agentTool",
            &[2.2, 3.0],
            "AI Agent Tool",
            "An agent that another agent can call",
        )
        .icon("bot")
        .group(NodeGroup::Ai)
        .inputs([
            Port::of(Kind::AiLanguageModel, "Chat Model"),
            Port::of(Kind::AiLanguageModel, "Fallback Model").show("needsFallback", &[true]),
            Port::of(Kind::AiMemory, "Memory"),
            Port::of(Kind::AiTool, "Tool"),
            Port::of(Kind::AiOutputParser, "Output Parser"),
        ])
        .outputs([Port::of(Kind::AiTool, "")])
        .params(params())
        .model_fills(&["text", "options.systemMessage", "options.maxIterations"])
        .records_steps()
        .hint("Delegate part of the work to a separate agent with its own tools.")
        .alias(&["sub-agent", "specialist", "multi-agent"])
        .note(
            "Agents can be nested up to ten levels deep. After a crash the inner agent resumes \
                 where it stopped.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let description = ctx.ctx().text("toolDescription", ctx.item())?;
        let parameters = match takes_task(&ctx.ctx(), ctx.item())? {
            true => json!({
                "type": "object",
                "properties": { "input": { "type": "string", "description": "What the agent is to do" } },
                "required": ["input"]
            }),
            false => ctx.host().ai_input_schema()?,
        };
        let definition = ToolDefinition {
            name: tool_name_of(ctx.node()),
            description,
            parameters,
            effect: ToolEffect::Resumes,
            flow: DataFlow::STORED.sending(EgressTarget::Declared),
        };
        Ok(supply_tool(ctx, definition, answer))
    }
}

fn params() -> Vec<Param> {
    vec![
        Param::long_text("toolDescription", "Description", "AI Agent that can call other tools")
            .required()
            .help("Tells the outer agent when to call this agent and what to pass to it."),
        Param::choice(
            "promptType",
            "Source for prompt",
            &[("define", "Define below"), ("auto", "Input from the outer agent")],
        )
        .help("Source of the prompt."),
        Param::long_text("text", "Prompt (user message)", "")
            .required()
            .show("promptType", &["define"])
            .help("Prompt for the agent. The outer agent fills in the `$fromAI` values."),
        Param::flag("hasOutputParser", "Require specific output format", false)
            .raw()
            .help("Convert the answer to a specific format."),
        Param::flag("needsFallback", "Enable fallback model", false)
            .raw()
            .help("Use the second model if the first one fails."),
        Param::collection(
            "options",
            "Options",
            [
                Param::long_text("systemMessage", "System message", "You are a helpful assistant")
                    .help("System message sent to the model first."),
                Param::number("maxIterations", "Max iterations", 10)
                    .at_least(1.0)
                    .help("Maximum number of model calls."),
                Param::flag("returnIntermediateSteps", "Return intermediate steps", false)
                    .help("Return the intermediate steps to the outer agent."),
                Param::flag(
                    "passthroughBinaryImages",
                    "Automatically passthrough binary images",
                    true,
                )
                .help("Show images to the model."),
            ]
            .into_iter()
            .chain(approval_options::params()),
        )
        .help("Options of the agent."),
    ]
}

/// Whether the outer agent gives the whole task, and not only values of the prompt.
fn takes_task(ctx: &Ctx<'_>, item: usize) -> Result<bool, NodeError> {
    Ok(ctx.param("promptType", item)?.as_str() == Some("auto"))
}

async fn answer(call: ToolInvocation) -> Result<ToolOutput, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let words = match takes_task(&ctx, item)? {
        true => call.text("input"),
        false => ctx.text("text", item)?,
    };
    if words.trim().is_empty() {
        return Err(NodeError::parameter("text", "The agent's prompt is empty")
            .hint("Set the prompt, for example with $fromAI."));
    }
    let option = |name: &str| ctx.param(&format!("options.{name}"), item);
    let mut options = AgentOptions {
        system_prompt: match option("systemMessage")? {
            Value::Undefined => "You are a helpful assistant".into(),
            given => given.to_js_string(),
        },
        max_iterations: option("maxIterations")?.as_usize().unwrap_or(10).max(1),
        on_limit: OnLimit::Conclude,
        timeout_ms: None,
        item,
        ..AgentOptions::default()
    };
    let mut tools = tools(&ctx, item).await?;
    let memory = memory(&ctx, item, Str::new()).await?;
    add_memory_tools(memory.as_ref(), &mut tools);
    approval_options::read(&ctx, item, &tools, &mut options)?;
    let model = with_fallback(&ctx, item).await?;
    let mut parts = vec![MessagePart::Text(words)];
    if option("passthroughBinaryImages")?.as_bool() != Some(false)
        && prompt::accepts_images(model.as_ref())
        && let Some(item) = ctx.input(0).and_then(|items| items.get(item))
    {
        parts.extend(prompt::images(&item));
    }
    let user = Message { parts, ..Message::user("") };
    let agent = ToolsAgent {
        model,
        guard: guarded(&ctx, item, tools)?,
        memory,
        options: limited(&ctx, options),
    };
    // What the agent that asks has come across reaches this one through its host.
    let world = NodeAgentHost::for_tool_call(&ctx, call.context.key.clone());
    let outcome = match parsers::enabled_parser(&ctx, item).await? {
        Some(parser) => agent.run_structured(&world, user, parser.as_ref()).await,
        None => agent.run(&world, user).await,
    };
    let outcome = world.resolve_outcome(outcome).await?;
    let answer = outcome.value.clone().unwrap_or_else(|| outcome.answer.clone().into());
    let sources = outer_sources(&outcome.record.sources);
    let with_steps = option("returnIntermediateSteps")?.is_truthy();
    if !with_steps && !outcome.end_reason.is_partial() {
        return Ok(ToolOutput::new(answer).with_sources(sources));
    }
    let mut shown = Object::from_iter([("output", answer)]);
    if outcome.end_reason.is_partial() {
        shown.insert("finishReason", outcome.end_reason.name());
        shown.insert("partial", true);
    }
    if with_steps {
        shown.insert(
            "intermediateSteps",
            outcome.record.tool_uses.iter().map(intermediate_step).collect::<Vec<_>>(),
        );
    }
    Ok(ToolOutput::new(shown).with_sources(sources))
}

/// What an inner agent's answer is taken from. Its own calls are its own affair.
fn outer_sources(sources: &[Value]) -> Vec<Value> {
    let is_call = |source: &Value| source.get("type").and_then(Value::as_str) == Some("tool");
    sources.iter().filter(|source| !is_call(source)).cloned().collect()
}
