//! n8n's agent: its parameters and its output, on the same loop as the agent of the house.

use super::agent_host::NodeAgentHost;
use super::agent_limits::{guarded, limited};
use super::agent_output::{intermediate_step, mark_end};
use super::batches::Batches;
use super::models::fallback::with_fallback;
use super::sub_nodes::{add_memory_tools, memory, tools};
use super::{approval_options, client_tools, parsers, prompt};
use agent::{AgentOptions, AgentOutcome, EndReason, OnLimit, ToolsAgent};
use model::Kind;
use node_api::ai::{Message, MessagePart};
use node_api::prelude::*;

/// What n8n's agents are told if nothing else is said, up to version 1.8.
const SYSTEM_MESSAGE: &str = "You are a helpful assistant";
/// What agents answer that were stopped at their limit, before version 3.
const STOPPED: &str = "Agent stopped due to max iterations.";

pub(crate) struct AgentNode;

impl Node for AgentNode {
    fn spec() -> Spec {
        let versions =
            [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 3.0, 3.1];
        Spec::new(
            "@n8n/n8n-nodes-langchain.agent",
            &versions,
            "AI Agent (n8n)",
            "Answer with a model, tools and memory, compatible with n8n's agent",
        )
        .compatible()
        .icon("bot")
        .group(NodeGroup::Ai)
        .inputs([
            Port::main(),
            Port::of(Kind::AiLanguageModel, "Chat Model"),
            Port::of(Kind::AiLanguageModel, "Fallback Model").show("needsFallback", &[true]),
            Port::of(Kind::AiMemory, "Memory"),
            Port::of(Kind::AiTool, "Tool"),
            Port::of(Kind::AiOutputParser, "Output Parser"),
        ])
        .params(params())
        .hint(
            "Connect one chat model, any number of tools, a memory, and an output parser for \
                 structured output.",
        )
        .alias(&["langchain", "llm", "assistant", "chatbot", "tools agent"])
        .records_steps()
        .differs_when(
            "agent",
            &["conversationalAgent", "reActAgent", "planAndExecuteAgent", "openAiFunctionsAgent"],
            "All agent types use native tool calls. Prompts that describe the tools to the \
                     model are not needed and not used.",
        )
        .differs_when(
            "agent",
            &["sqlAgent"],
            "To query the database, connect a database tool to the agent.",
        )
        .note(
            "Every model response and tool result is stored on disk before the agent continues. \
                 After a crash it resumes where it stopped.",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let batches = Batches::read(ctx, "options.batching", 1)?;
        let answer = |index: usize| {
            let item = items.get(index).unwrap_or_default();
            async move { run_item(ctx, index, item).await.map(|item| vec![item]) }
        };
        batches.output(ctx, &items, answer).await
    }
}

fn params() -> Vec<Param> {
    let kinds = [
        ("conversationalAgent", "Conversational Agent"),
        ("openAiFunctionsAgent", "OpenAI Functions Agent"),
        ("planAndExecuteAgent", "Plan and Execute Agent"),
        ("reActAgent", "ReAct Agent"),
        ("sqlAgent", "SQL Agent"),
    ];
    let newer_kinds: Vec<_> = [("toolsAgent", "Tools Agent")].into_iter().chain(kinds).collect();
    let kind_help = "The n8n agent type. Here all types use native tool calls.";
    let mut params = vec![
        Param::choice("agent", "Agent", &kinds).raw().until(1.5).help(kind_help),
        Param::choice("agent", "Agent", &newer_kinds).raw().since(1.6).until(1.9).help(kind_help),
    ];
    for (version, default) in [
        (1.0, "={{ $json.input }}"),
        (1.1, "={{ $json.chat_input }}"),
        (1.2, "={{ $json.chatInput }}"),
    ] {
        params.push(
            Param::long_text("text", "Text", default)
                .versions(&[version])
                .help("Prompt for the agent."),
        );
    }
    params.extend(prompt::params(1.3));
    params.extend([
        Param::long_text("input", "Prompt", "={{ $json.chatInput }}")
            .show("agent", &["sqlAgent"])
            .help("Prompt for the SQL agent."),
        Param::flag("hasOutputParser", "Require specific output format", false)
            .since(1.3)
            .raw()
            .help("Return the answer in the format of the connected output parser."),
        Param::flag("needsFallback", "Enable fallback model", false)
            .since(2.1)
            .raw()
            .help("Use the second connected model if the first one fails."),
        Param::collection("options", "Options", options()).help("Options of the agent."),
    ]);
    params
}

fn options() -> Vec<Param> {
    let mut options = vec![
        Param::long_text("systemMessage", "System message", SYSTEM_MESSAGE)
            .help("System message sent to the model first."),
        Param::number("maxIterations", "Max iterations", 10)
            .at_least(1.0)
            .help("Maximum number of model calls."),
        Param::flag("returnIntermediateSteps", "Return intermediate steps", false)
            .help("Also return the tool calls."),
        Param::flag("returnSources", "Return sources", false).help(
            "Also return what the answer is based on: documents, memory entries, tool calls and \
             MCP servers.",
        ),
        Param::flag("passthroughBinaryImages", "Automatically passthrough binary images", true)
            .help("Show the images of the item to the model."),
        Param::flag("enableStreaming", "Enable streaming", true)
            .since(2.1)
            .help("Stream the answer if the caller supports streaming."),
        Param::number("maxTokensFromMemory", "Max tokens to read from memory", 0)
            .since(3.0)
            .at_least(0.0)
            .help(
                "Maximum number of conversation tokens sent to the model. 0 sends the whole \
                 conversation.",
            ),
        Batches::param(1).since(2.0),
        Param::long_text("humanMessage", "Human message", "")
            .until(1.9)
            .help("Tool description template of older agents; not used."),
        Param::long_text("prefix", "Prefix message", "")
            .until(1.9)
            .help("System message of a ReAct agent."),
        Param::long_text("suffix", "Suffix message", "")
            .until(1.9)
            .help("Suffix message of a ReAct agent; not used."),
        Param::long_text("suffixChat", "Suffix message for chat model", "")
            .until(1.9)
            .help("Suffix message of a ReAct agent; not used."),
        Param::long_text("humanMessageTemplate", "Human message template", "")
            .until(1.9)
            .help("Question template of a ReAct agent; not used."),
    ];
    options.extend(approval_options::params().map(|param| param.since(2.0)));
    options
}

async fn run_item(ctx: &Ctx<'_>, index: usize, item: Item) -> Result<Item, NodeError> {
    let is_for_sql = ctx.version() < 2.0 && ctx.param("agent", index)?.as_str() == Some("sqlAgent");
    let words =
        if is_for_sql { ctx.text("input", index)? } else { prompt::prompt_text(ctx, index)? };
    if words.trim().is_empty() {
        let error = NodeError::parameter("text", "The \"text\" parameter is empty.")
            .hint("Enter a prompt for the agent, or an expression.");
        return Err(error.on_item(index));
    }
    let option = |name: &str| ctx.param(&format!("options.{name}"), index);
    let mut tools = tools(ctx, index).await?;
    if is_for_sql && tools.is_empty() {
        return Err(NodeError::parameter("agent", "No database is connected to the SQL agent")
            .hint("Connect a database tool to the agent; the agent writes its queries.")
            .on_item(index));
    }
    let model = with_fallback(ctx, index).await?;
    let mut parts = vec![MessagePart::Text(words)];
    if option("passthroughBinaryImages")?.as_bool() != Some(false)
        && prompt::accepts_images(model.as_ref())
    {
        parts.extend(prompt::images(&item));
    }
    if ctx.version() >= 3.0 {
        parts.extend(prompt::texts(&item));
    }
    let mut options = loop_options(ctx, index)?;
    let memory = memory(ctx, index, Str::new()).await?;
    add_memory_tools(memory.as_ref(), &mut tools);
    client_tools::add_client_tools(ctx, &mut tools, &mut options);
    approval_options::read(ctx, index, &tools, &mut options)?;
    let agent = ToolsAgent {
        model,
        guard: guarded(ctx, index, tools)?,
        memory,
        options: limited(ctx, options),
    };
    let user = Message { parts, ..Message::user("") };
    let is_heard = ctx.version() >= 2.1 && option("enableStreaming")?.as_bool() != Some(false);
    let world =
        if is_heard { NodeAgentHost::new(ctx, index) } else { NodeAgentHost::silent(ctx, index) };
    let world = world.answering_in("output");
    let outcome = match parsers::enabled_parser(ctx, index).await? {
        Some(parser) => agent.run_structured(&world, user, parser.as_ref()).await,
        None => agent.run(&world, user).await,
    };
    let outcome = world.resolve_outcome(outcome).await?;
    let mut shown = output(outcome.value.as_ref(), &outcome);
    if option("returnIntermediateSteps")?.is_truthy() {
        shown.insert(
            "intermediateSteps",
            outcome.record.tool_uses.iter().map(intermediate_step).collect::<Vec<_>>(),
        );
    }
    let record = &outcome.record;
    let sources =
        if option("returnSources")?.is_truthy() { &record.sources } else { &record.recalled };
    if !sources.is_empty() {
        shown.insert("sources", Value::array(sources.clone()));
    }
    let mut item = Item::new(shown);
    mark_end(ctx, outcome.end_reason, &mut item);
    Ok(item)
}

fn loop_options(ctx: &Ctx<'_>, index: usize) -> Result<AgentOptions, NodeError> {
    let option = |name: &str| ctx.param(&format!("options.{name}"), index);
    let said =
        [option("systemMessage")?, option("prefix")?].into_iter().find(|given| !given.is_nullish());
    let silent_by_default = if ctx.version() < 1.9 { SYSTEM_MESSAGE } else { "" };
    Ok(AgentOptions {
        system_prompt: said.map_or_else(|| silent_by_default.into(), |given| given.to_js_string()),
        max_iterations: option("maxIterations")?.as_f64().unwrap_or(10.0).max(1.0) as usize,
        on_limit: if ctx.version() < 3.0 { OnLimit::Partial } else { OnLimit::Error },
        timeout_ms: None,
        max_history_tokens: option("maxTokensFromMemory")?
            .as_f64()
            .filter(|tokens| *tokens >= 1.0)
            .map(|tokens| tokens as usize),
        item: index,
        ..AgentOptions::default()
    })
}

/// What was parsed, if anything was; an object is put out as it is.
fn output(parsed: Option<&Value>, outcome: &AgentOutcome) -> Object {
    match parsed {
        Some(Value::Object(fields)) => (**fields).clone(),
        Some(other) => Object::from_iter([("output", other.clone())]),
        None if outcome.end_reason == EndReason::MaxIterations => {
            Object::from_iter([("output", STOPPED)])
        }
        None => Object::from_iter([("output", outcome.answer.clone())]),
    }
}
