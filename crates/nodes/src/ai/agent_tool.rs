//! An agent as a tool of another agent, with a model and tools of its own.

use super::agent_host::NodeAgentHost;
use super::approval_options;
use super::sub_nodes::{MAX_RESULT_BYTES, memory, model, tools};
use super::tools::fn_tool::{ToolInvocation, supply_tool};
use agent::{AgentError, AgentOptions, OnLimit, ToolGuard, ToolsAgent};
use model::Kind;
use node_api::ai::{DataFlow, EgressTarget, Message, Supply, ToolDefinition, ToolEffect};
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
        .differs_when(
            "hasOutputParser",
            &["true"],
            "The answer is not converted to a specific format.",
        )
        .note(
            "Agents can be nested up to ten levels deep. After a crash the inner agent resumes \
                 where it stopped.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let description = ctx.ctx().text("toolDescription", ctx.item())?;
        let parameters = ctx.host().ai_input_schema()?;
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
                Param::flag("enableStreaming", "Enable streaming", true).help("Stream the answer."),
            ]
            .into_iter()
            .chain(approval_options::params()),
        )
        .help("Options of the agent."),
    ]
}

async fn answer(call: ToolInvocation) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let words = ctx.text("text", item)?;
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
    let tools = tools(&ctx, item).await?;
    approval_options::read(&ctx, item, &tools, &mut options)?;
    let agent = ToolsAgent {
        model: model(&ctx, item).await?,
        guard: ToolGuard::new(tools, MAX_RESULT_BYTES)
            .map_err(AgentError::into_node_error)?
            .exposed_to(ctx.host().exposure()),
        memory: memory(&ctx, item, Str::new()).await?,
        options,
    };
    // What the agent that asks has come across reaches this one through its host.
    let world = NodeAgentHost::for_tool_call(&ctx, call.context.key.clone());
    let outcome = world.resolve_outcome(agent.run(&world, Message::user(words)).await).await?;
    if !option("returnIntermediateSteps")?.is_truthy() {
        return Ok(outcome.answer.into());
    }
    let steps = outcome.record.tool_uses.iter().map(|used| {
        let action = Object::from_iter([
            ("tool", Value::from(used.name.clone())),
            ("toolInput", used.arguments.clone()),
        ]);
        Object::from_iter([
            ("action", Value::from(action)),
            ("observation", used.content.clone().into()),
        ])
        .into()
    });
    Ok(Object::from_iter([
        ("output", Value::from(outcome.answer)),
        ("intermediateSteps", Value::array(steps.collect())),
    ])
    .into())
}
