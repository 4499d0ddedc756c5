//! What the demo model does with a request: call a tool, answer from its result, fill in a form, or
//! chat.

use super::arguments::{MissingArgument, fill};
use super::request::{DemoRequest, MAX_STEPS, parts};
use super::route::{RoutedTool, Router, ToolKind};
use super::{DemoModels, LABEL, MAX_OUTPUT, compose};
use crate::decode::{WriteControl, WriteEnd, write};
use crate::registry;
use model::{Code, Str, Value};
use ports::ai::{
    ChatEvent, ChatRequest, ChatRole, Message, MessagePart, ModelError, ModelReply, OutputFormat,
    StopReason, TokenUsage, ToolArguments, ToolCall, ToolChoice, ToolDefinition,
};
use tokio::sync::mpsc::Sender;

/// Tokens of a conversation that are read when it chats; the oldest messages are left out.
pub(super) const MAX_READ: usize = 2048;
/// Tokens that it writes if nothing is said.
const USUAL_OUTPUT: u64 = 256;

/// The tool by which agents take answers in a form: it is called when everything else is done.
const FORM_TOOL: &str = "format_final_json_response";

type EventChannel = Sender<Result<ChatEvent, ModelError>>;

/// What it says in one turn.
enum DemoReply {
    Text(String),
    Calls(Vec<ToolCall>),
    /// It was told piece by piece.
    Streamed {
        text: String,
        tokens: usize,
        until: WriteEnd,
    },
}

/// Answers a request, and tells what happens on the way. If nobody listens any more, it stops.
pub(super) fn speak(minds: &DemoModels, request: &ChatRequest, events: &EventChannel) {
    let asked = DemoRequest::of(&request.messages);
    let said = choose_reply(minds, request, &asked, events);
    let done = said.map(|said| ChatEvent::Done(Box::new(turn(minds, request, said, events))));
    // Whoever has gone does not need to hear it.
    let _ = events.blocking_send(done);
}

fn choose_reply(
    minds: &DemoModels,
    request: &ChatRequest,
    asked: &DemoRequest,
    events: &EventChannel,
) -> Result<DemoReply, ModelError> {
    match &request.format {
        OutputFormat::Schema { schema, .. } => {
            return form(minds, schema, asked)
                .map(|object| DemoReply::Text(model::json::to_string(&object)));
        }
        OutputFormat::Json => {
            return Err(ModelError::new(
                Code::MODEL_REQUEST,
                "The built-in demo model cannot write JSON without a schema",
            )
            .hint(CONNECT));
        }
        OutputFormat::Text => {}
    }
    let (forms, tools): (Vec<&ToolDefinition>, Vec<&ToolDefinition>) =
        request.tools.iter().partition(|tool| tool.name == FORM_TOOL);
    let is_done = asked.calls.len() >= MAX_STEPS || !asked.results.is_empty() || tools.is_empty();
    if let Some(last) = forms.first().filter(|_| is_done && request.tool_choice != ToolChoice::None)
    {
        return Ok(DemoReply::Calls(vec![call(
            asked.calls.len(),
            last,
            object_of(form(minds, &last.parameters, asked)?),
        )]));
    }
    if request.tool_choice != ToolChoice::None && !tools.is_empty() && asked.calls.len() < MAX_STEPS
    {
        let may_be_many = request.parallel_calls != Some(false);
        match calls(minds, request, asked, may_be_many) {
            Ok(calls) if !calls.is_empty() => return Ok(DemoReply::Calls(calls)),
            Ok(_) if asked.results.is_empty() => return Ok(DemoReply::Text(about(&tools))),
            Err((tool, MissingArgument(slot))) if asked.results.is_empty() => {
                return Ok(DemoReply::Text(format!(
                    "To use {tool} I need {slot}, but your request does not mention it. ({LABEL})"
                )));
            }
            _ => {}
        }
    }
    match asked.results.is_empty() {
        false => Ok(DemoReply::Text(
            compose::compose(&asked.question, &asked.calls, &asked.results, &minds.bert).into(),
        )),
        true => Ok(chat(minds, request, events)),
    }
}

const CONNECT: &str = "Connect a provider's model.";

/// The calls that the question asks for and that were not made yet; or the tool that cannot be
/// called, and why.
fn calls(
    minds: &DemoModels,
    request: &ChatRequest,
    asked: &DemoRequest,
    may_be_many: bool,
) -> Result<Vec<ToolCall>, (Str, MissingArgument)> {
    let tools: Vec<ToolDefinition> =
        request.tools.iter().filter(|tool| tool.name != FORM_TOOL).cloned().collect();
    let was_called = |tool: &ToolDefinition| asked.calls.iter().any(|call| call.name == tool.name);
    let forced = match &request.tool_choice {
        ToolChoice::Tool(name) => tools.iter().find(|tool| tool.name == *name),
        _ => None,
    };
    let mut wanted: Vec<(&ToolDefinition, ToolKind, String)> = Vec::new();
    if let Some(tool) = forced {
        wanted.push((tool, ToolKind::of(tool), asked.question.to_string()));
    } else {
        let router = Router::new(&minds.bert, &minds.examples, &tools);
        let whole = router.route(&asked.question);
        let of_parts: Vec<(RoutedTool<'_>, String)> = parts(&asked.question)
            .into_iter()
            .filter_map(|part| Some((router.route(&part)?, part)))
            .collect();
        let mut several: Vec<(RoutedTool<'_>, String)> = Vec::new();
        for (routed, part) in of_parts {
            if several.len() < MAX_STEPS
                && several.iter().all(|(known, _)| known.tool.name != routed.tool.name)
            {
                several.push((routed, part));
            }
        }
        if several.len() < 2 {
            several =
                whole.map(|routed| (routed, asked.question.to_string())).into_iter().collect();
        }
        if several.is_empty() && request.tool_choice == ToolChoice::Required {
            several = router
                .nearest(&asked.question)
                .map(|routed| (routed, asked.question.to_string()))
                .into_iter()
                .collect();
        }
        wanted.extend(several.into_iter().map(|(routed, part)| (routed.tool, routed.kind, part)));
    }
    let mut calls = Vec::new();
    for (tool, kind, part) in wanted.into_iter().filter(|(tool, _, _)| !was_called(tool)) {
        let object = fill(&tool.parameters, &part, kind, minds)
            .map_err(|unfilled| (tool.name.clone(), unfilled))?;
        calls.push(call(asked.calls.len() + calls.len(), tool, object));
        if !may_be_many {
            break;
        }
    }
    Ok(calls)
}

fn call(number: usize, tool: &ToolDefinition, arguments: model::Object) -> ToolCall {
    ToolCall {
        id: format!("demo-{number}").into(),
        name: tool.name.clone(),
        arguments: ToolArguments::Parsed(arguments),
        opaque: None,
    }
}

/// A form filled in from the question, or from what tools gave for it.
fn form(minds: &DemoModels, schema: &Value, asked: &DemoRequest) -> Result<Value, ModelError> {
    let material = match asked.results.is_empty() {
        true => asked.question.clone(),
        false => compose::compose(&asked.question, &asked.calls, &asked.results, &minds.bert),
    };
    fill(schema, &material, ToolKind::Other, minds).map(Value::from).map_err(
        |MissingArgument(slot)| {
            ModelError::new(
                Code::MODEL_REFUSED,
                format!("The built-in demo model found no value for '{slot}' in the text"),
            )
            .hint(CONNECT)
        },
    )
}

fn object_of(value: Value) -> model::Object {
    value.as_object().cloned().unwrap_or_default()
}

/// What it says when no tool fits.
fn about(tools: &[&ToolDefinition]) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    format!(
        "Hello! I am Heddle's {LABEL}. I pick the tool that matches a request and show its \
             result; my tools are {}. Ask me something that one of them can answer.",
        names.join(", ")
    )
}

/// Writes freely behind the conversation.
fn chat(minds: &DemoModels, request: &ChatRequest, events: &EventChannel) -> DemoReply {
    let words = &minds.llama.words;
    let limit = request.options.max_tokens.unwrap_or(USUAL_OUTPUT).clamp(1, MAX_OUTPUT) as usize;
    let mut conversation = words.encode_turn();
    for message in request.messages.iter().rev() {
        let role = match message.role {
            ChatRole::System => "system",
            ChatRole::User | ChatRole::Tool => "user",
            ChatRole::Assistant => "assistant",
        };
        let mut tokens = words.encode_message(role, &message.text());
        if conversation.len() + tokens.len() > MAX_READ {
            break;
        }
        tokens.append(&mut conversation);
        conversation = tokens;
    }
    let mut text = String::new();
    let (tokens, until) = write(&minds.llama, &conversation, limit, |piece| {
        text.push_str(piece);
        match events.blocking_send(Ok(ChatEvent::Text(piece.into()))) {
            Ok(()) => WriteControl::Continue,
            Err(_) => WriteControl::Stop,
        }
    });
    DemoReply::Streamed { text, tokens, until }
}

fn turn(
    minds: &DemoModels,
    request: &ChatRequest,
    said: DemoReply,
    events: &EventChannel,
) -> ModelReply {
    let words = &minds.llama.words;
    let count = |text: &str| words.encode(text).len() as u64;
    let (parts, stop, output) = match said {
        DemoReply::Text(text) => {
            let _ = events.blocking_send(Ok(ChatEvent::Text(text.as_str().into())));
            let output = count(&text);
            (vec![MessagePart::Text(text.into())], StopReason::Stop, output)
        }
        DemoReply::Streamed { text, tokens, until } => {
            let stop = if until == WriteEnd::Limit { StopReason::Length } else { StopReason::Stop };
            (vec![MessagePart::Text(text.into())], stop, tokens as u64)
        }
        DemoReply::Calls(calls) => {
            for (index, call) in calls.iter().enumerate() {
                let _ = events
                    .blocking_send(Ok(ChatEvent::CallBegins { index, name: call.name.clone() }));
            }
            let output = calls.iter().map(|call| count(&call.arguments.to_text())).sum();
            (calls.into_iter().map(MessagePart::ToolCall).collect(), StopReason::ToolCalls, output)
        }
    };
    let input = request.messages.iter().map(|message| count(&message.text())).sum();
    ModelReply {
        message: Message::new(ChatRole::Assistant, parts),
        stop,
        usage: TokenUsage { input, output, ..TokenUsage::default() },
        model: format!("{} ({LABEL})", registry::DEMO.name).into(),
    }
}
