//! An agent: a model that works with tools and a memory until it has an answer.

use super::agent_host::NodeAgentHost;
use super::agent_limits::{guarded_within, limited};
use super::agent_output::{mark_end, tools_used};
use super::chat_input::user_message;
use super::sub_nodes::{MAX_RESULT_BYTES, add_memory_tools, memory, model, tools};
use super::{answer_format, approval_options, client_tools};
use agent::{AgentOptions, AgentOutcome, OnLimit, ToolsAgent};
use model::{Kind, SpendingLimit};
use node_api::ai::ToolChoice;
use node_api::prelude::*;

pub(crate) struct AiAgent;

impl Node for AiAgent {
    fn spec() -> Spec {
        Spec::new("ai-agent", &[1.0], "AI Agent", "Answer with a model, tools and a memory").recommended().icon("bot").initial(json!({ "userMessage": "={{ $json.chatInput }}" }))
            .group(NodeGroup::Ai)
            .inputs([
                Port::main(),
                Port::of(Kind::AiLanguageModel, "Model"),
                Port::of(Kind::AiMemory, "Memory"),
                Port::of(Kind::AiTool, "Tools"),
            ])
            .params(params())
            .hint("Connect one model, any number of tools, and a memory if the agent should remember \
                 the conversation.")
            .alias(&["llm", "assistant", "chatbot", "tools agent"])
            .records_steps()
            .note("Every model response and tool result is stored on disk before the agent continues. \
                 After a crash it resumes where it stopped.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for index in 0..items.len() {
            let made = match run_item(ctx, index).await {
                Ok(item) => item.paired_with(index),
                Err(error) => ctx.failed_item(index, error)?,
            };
            output.push(made);
        }
        Ok(vec![output.finish()])
    }
}

fn params() -> Vec<Param> {
    let choices = [
        ("auto", "The model decides"),
        ("required", "A tool must be called first"),
        ("none", "No tools"),
    ];
    let formats =
        [("text", "Text only"), ("json", "JSON"), ("full", "Full, with intermediate steps")];
    let on_invalid = [("repair", "Tell the model, twice at most"), ("stop", "Fail")];
    let limits = [
        ("error", "Fail"),
        ("partial", "Return the answer so far"),
        ("conclude", "Request an answer without tools"),
    ];
    vec![
        Param::long_text("systemPrompt", "System prompt", "You are a helpful AI assistant.")
            .short_expressions()
            .help("System message sent to the model first."),
        Param::long_text("userMessage", "User message", "")
            .required()
            .short_expressions()
            .help("Prompt for the agent. Can contain expressions, such as `{{ $json.field }}`."),
        Param::number("maxIterations", "Max iterations", 10)
            .at_least(1.0)
            .help("Maximum number of model calls."),
        Param::collection(
            "options",
            "Options",
            [
                Param::choice("toolChoice", "Tool choice", &choices)
                    .help("Whether tools may or must be called."),
                Param::choice("outputFormat", "Output format", &formats)
                    .help("Output format of the node."),
                Param::json("jsonSchema", "JSON Schema", "")
                    .show("outputFormat", &["json"])
                    .help("Schema of the answer. If empty, any JSON is accepted."),
                Param::choice("onInvalid", "At an invalid reply", &on_invalid).help(
                    "What happens when an answer is not in the requested format, or a tool call \
                     is invalid.",
                ),
                Param::text("sessionId", "Session id", "")
                    .short_expressions()
                    .help("ID of the conversation. If empty, the memory node's session is used."),
                Param::number("timeout", "Timeout", 300_000)
                    .at_least(1.0)
                    .help("Timeout for the whole answer, in milliseconds."),
                Param::choice("onLimit", "At the limit", &limits).help(
                    "What happens after the last iteration, or when a budget is exhausted. If \
                         the node has an error output, an answer that is not final is sent there.",
                ),
                Param::number("budgetTokens", "Max tokens", 0)
                    .at_least(0.0)
                    .help("Maximum input and output tokens per answer. 0 for no limit."),
                Param::number("budgetDollars", "Max cost", 0).at_least(0.0).help(
                    "Maximum cost per answer in US dollars, if the model's price is known. 0 for no limit.",
                ),
                Param::number(
                    "maxResultBytes",
                    "Maximum tool result length",
                    MAX_RESULT_BYTES as i32,
                )
                .at_least(100.0)
                .help("Longer results are truncated for the model."),
                Param::number("toolTimeout", "Tool timeout", 0).at_least(0.0).help(
                    "Timeout for one tool call, in milliseconds. 0 for the operator's limit. \
                     Workflows and agents as tools have their own limits.",
                ),
                Param::number("maxTokensFromMemory", "Max tokens to read from memory", 0)
                    .at_least(0.0)
                    .help(
                        "Maximum number of conversation tokens sent to the model. 0 for the \
                         operator's limit.",
                    ),
            ]
            .into_iter()
            .chain(approval_options::params()),
        )
        .help("Options of the agent."),
    ]
}

async fn run_item(ctx: &Ctx<'_>, index: usize) -> Result<Item, NodeError> {
    let option = |name: &str| ctx.param(&format!("options.{name}"), index);
    let number = |value: Value, default: f64| value.as_f64().unwrap_or(default);
    let words = ctx.text("userMessage", index)?;
    if words.trim().is_empty() {
        return Err(NodeError::parameter("userMessage", "The user message is empty")
            .hint("Enter a prompt for the agent, or an expression.")
            .on_item(index));
    }
    let mut options = AgentOptions {
        system_prompt: ctx.text("systemPrompt", index)?,
        max_iterations: ctx.number("maxIterations", index)?.max(1.0) as usize,
        tool_choice: match option("toolChoice")?.as_str() {
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            _ => ToolChoice::Auto,
        },
        timeout_ms: Some(number(option("timeout")?, 300_000.0) as u64),
        on_limit: match option("onLimit")?.as_str() {
            Some("partial") => OnLimit::Partial,
            Some("conclude") => OnLimit::Conclude,
            _ => OnLimit::Error,
        },
        budget: SpendingLimit {
            tokens: Some(number(option("budgetTokens")?, 0.0) as u64).filter(|tokens| *tokens > 0),
            dollars: Some(number(option("budgetDollars")?, 0.0)).filter(|dollars| *dollars > 0.0),
        },
        item: index,
        ..AgentOptions::default()
    };
    let positive = |value: Value| value.as_f64().filter(|number| *number >= 1.0);
    let tool_timeout_ms = positive(option("toolTimeout")?).map(|timeout| timeout as u64);
    options.max_history_tokens =
        positive(option("maxTokensFromMemory")?).map(|tokens| tokens as usize);
    let max_result_bytes = number(option("maxResultBytes")?, MAX_RESULT_BYTES as f64) as usize;
    let mut tools = if options.tool_choice == ToolChoice::None {
        Vec::new()
    } else {
        tools(ctx, index).await?
    };
    let memory = memory(ctx, index, ctx.text("options.sessionId", index)?).await?;
    if options.tool_choice != ToolChoice::None {
        add_memory_tools(memory.as_ref(), &mut tools);
    }
    client_tools::add_client_tools(ctx, &mut tools, &mut options);
    approval_options::read(ctx, index, &tools, &mut options)?;
    let parser = answer_format::read(ctx, index, &mut options)?;
    let agent = ToolsAgent {
        model: model(ctx, index).await?,
        guard: guarded_within(ctx, index, tools, max_result_bytes, tool_timeout_ms)?,
        memory,
        options: limited(ctx, options),
    };
    let session = agent.memory.as_ref().map(|remembering| remembering.session.as_str().into());
    let said = user_message(ctx, index, words, agent.model.as_ref());
    let world = NodeAgentHost::new(ctx, index);
    let outcome = match parser {
        Some(parser) => agent.run_structured(&world, said, parser.as_ref()).await,
        None => agent.run(&world, said).await,
    };
    let outcome = world.resolve_outcome(outcome).await?;
    let is_full = option("outputFormat")?.as_str() == Some("full");
    let mut item = Item::new(output(&outcome, session, is_full));
    mark_end(ctx, outcome.end_reason, &mut item);
    Ok(item)
}

fn output(outcome: &AgentOutcome, session: Option<Str>, is_full: bool) -> Object {
    let record = &outcome.record;
    let mut object = Object::new();
    let parsed = outcome.value.clone();
    object.insert("response", parsed.unwrap_or_else(|| outcome.answer.clone().into()));
    object.insert("iterations", record.iterations);
    object.insert("toolsUsed", tools_used(outcome));
    object.insert("status", outcome.end_reason.name());
    if let Some(session) = session {
        object.insert("sessionId", session);
    }
    if !record.sources.is_empty() {
        object.insert("sources", Value::array(record.sources.clone()));
    }
    if !is_full {
        return object;
    }
    let used = record.tool_uses.iter().map(|used| {
        Value::from(Object::from_iter([
            ("toolName", Value::from(used.name.clone())),
            ("arguments", used.arguments.clone()),
            ("result", used.content.clone().into()),
            ("isError", used.is_error.into()),
            ("timestamp", (used.started_ms as f64).into()),
            ("duration", (used.duration_ms as f64).into()),
        ]))
    });
    object.insert("toolCalls", Value::array(used.collect()));
    object.insert("totalTokens", (record.usage.input + record.usage.output) as f64);
    object.insert("totalCost", record.cost.map_or(Value::Null, Value::from));
    object.insert("duration", record.duration_ms as f64);
    object.insert("finishReason", outcome.end_reason.name());
    object
}
