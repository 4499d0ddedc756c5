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
            "An agent that another agent can ask",
        )
        .group(NodeGroup::Ai)
        .inputs([
            Port::of(Kind::AiLanguageModel, "Chat Model"),
            Port::of(Kind::AiMemory, "Memory"),
            Port::of(Kind::AiTool, "Tool"),
            Port::of(Kind::AiOutputParser, "Output Parser"),
        ])
        .outputs([Port::of(Kind::AiTool, "")])
        .params(params())
        .records_steps()
        .hint("Give a part of the work, with the tools that it takes, to an agent of its own.")
        .alias(&["sub-agent", "specialist", "multi-agent"])
        .differs_when("hasOutputParser", &["true"], "The answer is not brought into a format.")
        .note(
            "Agents may call agents ten deep. After a crash the inner agent goes on where it was.",
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
            .help("What the outer agent is told: when to ask this one and what to give it."),
        Param::choice(
            "promptType",
            "Source for prompt",
            &[("define", "Define below"), ("auto", "What the agent was given")],
        )
        .help("Where the prompt comes from."),
        Param::long_text("text", "Prompt (user message)", "")
            .required()
            .help("What the agent is asked; the outer agent fills in what stands in `$fromAI`."),
        Param::flag("hasOutputParser", "Require specific output format", false)
            .raw()
            .help("Bring the answer into a format."),
        Param::flag("needsFallback", "Enable fallback model", false)
            .raw()
            .help("Ask the second model if the first one fails."),
        Param::collection(
            "options",
            "Options",
            [
                Param::long_text("systemMessage", "System message", "You are a helpful assistant")
                    .help("What the model is told before everything else."),
                Param::number("maxIterations", "Max iterations", 10)
                    .at_least(1.0)
                    .help("How often the model is asked at most."),
                Param::flag("returnIntermediateSteps", "Return intermediate steps", false)
                    .help("Show the outer agent what was done."),
                Param::flag(
                    "passthroughBinaryImages",
                    "Automatically passthrough binary images",
                    true,
                )
                .help("Show images to the model."),
                Param::flag("enableStreaming", "Enable streaming", true)
                    .help("Send the answer piece by piece."),
            ]
            .into_iter()
            .chain(approval_options::params()),
        )
        .help("How the agent works."),
    ]
}

async fn answer(call: ToolInvocation) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let words = ctx.text("text", item)?;
    if words.trim().is_empty() {
        return Err(NodeError::parameter("text", "The agent was asked nothing")
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
