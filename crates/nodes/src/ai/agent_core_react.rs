//! A strict agent: one action an iteration in checked JSON, and an envelope that tells all of it.

use super::agent_host::NodeAgentHost;
use super::agent_limits::{guarded, iterations};
use super::agent_output::mark_end;
use super::sub_nodes::{add_memory_tools, memory, model, tools};
use agent::react::{Config, ContractViolation, ReactAgent};
use agent::{AgentError, AgentHost as _, recall, remember, stages};
use model::{AgentStage, Kind};
use node_api::ai::Message;
use node_api::prelude::*;

pub(crate) struct AgentCoreReact;

impl Node for AgentCoreReact {
    fn spec() -> Spec {
        Spec::new(
            "agent-core-react",
            &[1.0],
            "Agent Core (ReAct)",
            "Run a strict loop of model actions and tools",
        )
        .icon("bot")
        .group(NodeGroup::Ai)
        .inputs([
            Port::main(),
            Port::of(Kind::AiLanguageModel, "Model"),
            Port::of(Kind::AiTool, "Tools"),
            Port::of(Kind::AiMemory, "Memory"),
        ])
        .params(params())
        .hint(
            "For auditable agents: one model action and at most one tool call per iteration. A \
                 reply that does not match the format exactly ends the loop.",
        )
        .alias(&["react", "orchestrator", "deterministic agent"])
        .records_steps()
        .note(
            "Returns the envelope: input, state, the model's last message, the tool history and \
                 a timeline of events.",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            let made = match run_item(ctx, index, item.json).await {
                Ok(item) => item.paired_with(index),
                Err(error) => ctx.failed_item(index, error)?,
            };
            output.push(made);
        }
        Ok(vec![output.finish()])
    }
}

fn params() -> Vec<Param> {
    let kinds = [
        ("final_answer", "A final answer"),
        ("confidence_threshold", "Confidence threshold"),
        ("iteration_limit", "Fixed number of iterations"),
    ];
    let condition = [
        Param::choice("type", "Type", &kinds).help("Condition that ends the loop."),
        Param::number("value", "Value", 0).help("Minimum confidence, or number of iterations."),
    ];
    vec![
        Param::choice("strategy", "Strategy", &[("react", "ReAct")])
            .raw()
            .help("The only supported value."),
        Param::number("maxIterations", "Max iterations", 5).at_least(1.0).help("From 1 to 20."),
        Param::text("allowedTools", "Allowed tools", "")
            .help("Comma-separated tool names. If empty, all connected tools are used."),
        Param::repeated(
            "stopConditions",
            "Stop conditions",
            [FieldGroup::new("values", "Conditions", condition)],
        )
        .help("Condition that ends the loop in addition to a final answer."),
        Param::flag("debug", "Debug", false)
            .help("Keep the prompt and the last reply in the envelope."),
    ]
}

async fn run_item(ctx: &Ctx<'_>, index: usize, input: Value) -> Result<Item, NodeError> {
    let mut tools = tools(ctx, index).await?;
    let remembering = memory(ctx, index, Str::new()).await?;
    add_memory_tools(remembering.as_ref(), &mut tools);
    let named = ctx.text("allowedTools", index)?;
    let named: Vec<Str> = named
        .split(',')
        .map(|name| name.trim().into())
        .filter(|name: &Str| !name.is_empty())
        .collect();
    let connected = || tools.iter().map(|tool| tool.definition().name.clone()).collect();
    let allowed: Vec<Str> = if named.is_empty() { connected() } else { named };
    let given = Object::from_iter([
        ("strategy", Value::from("react")),
        ("maxIterations", ctx.param("maxIterations", index)?),
        ("allowedTools", Value::array(allowed.into_iter().map(Value::from).collect())),
        (
            "stopConditions",
            ctx.param("stopConditions.values", index)?
                .as_array()
                .map_or_else(|| Value::array(Vec::new()), |list| Value::array(list.to_vec())),
        ),
        ("debug", ctx.flag("debug", index)?.into()),
    ]);
    let config = Config::read(&given.into()).map_err(|problem| {
        NodeError::parameter("", format!("Invalid agent configuration: {problem}")).on_item(index)
    })?;
    let keeps_prompt = config.debug;
    let agent = ReactAgent {
        model: model(ctx, index).await?,
        guard: guarded(ctx, index, tools)?,
        config: Config { max_iterations: iterations(ctx, config.max_iterations), ..config },
        item: index,
    };
    let world = NodeAgentHost::new(ctx, index);
    let began = world.started_at().await?;
    let trace_id =
        format!("{}-{}-{}-{index}", ctx.host().execution().id, ctx.node().id, ctx.run_index());
    let asked = Message::user(model::json::to_string(&input));
    let n_tools = agent.config.allowed_tools.len();
    let detail = stages::given(&asked, n_tools, remembering.as_ref());
    world.record_stage(AgentStage::Preprocess, detail).await;
    let past = match &remembering {
        Some(remembering) => Some(
            recall(&world, remembering, &asked.text())
                .await
                .map_err(AgentError::into_node_error)?,
        ),
        None => None,
    };
    let before = past.as_ref().map(|past| history_value(&past.messages));
    let outcome = agent
        .run(&world, input, before, trace_id.into(), began)
        .await
        .map_err(AgentError::into_node_error)?;
    if let (Some(remembering), Some(past), Some(answer)) = (&remembering, &past, &outcome.answer) {
        let said = [asked, Message::assistant(answer.to_js_string())];
        remember(&world, remembering, &past.turn, &said)
            .await
            .map_err(AgentError::into_node_error)?;
    }
    let mut sources = past.map(|past| past.sources).unwrap_or_default();
    sources.extend(outcome.sources);
    let detail = stages::ended_with(outcome.end_reason, outcome.envelope.iteration, &sources);
    world.record_stage(AgentStage::Output, detail).await;
    let mut shown = outcome.envelope.to_value();
    if !keeps_prompt {
        shown.remove_path("model.lastPrompt");
    }
    let Some((fault, message)) = outcome.fault else {
        let mut item = Item::new(shown);
        mark_end(ctx, outcome.end_reason, &mut item);
        return Ok(item);
    };
    let code = if fault == ContractViolation::IterationOverflow {
        Code::AGENT_LIMIT
    } else {
        Code::AGENT_REPLY
    };
    Err(NodeError::new(code, format!("Iteration {}: {message}", outcome.envelope.iteration))
        .with_result("finishReason", outcome.end_reason.name())
        .with_result("partial", true)
        .with_result("reason", fault.name())
        .with_result("envelope", shown))
}

/// What was said before, as the envelope has it.
fn history_value(messages: &[Message]) -> Object {
    let message = |message: &Message| -> Value {
        Object::from_iter([
            ("role", Value::from(message.role.name())),
            ("content", message.text().into()),
        ])
        .into()
    };
    Object::from_iter([("messages", Value::array(messages.iter().map(message).collect()))])
}
