//! Reads a trace event from an event of the journal.

use super::{TraceEvent, TraceKind};
use model::{AgentStage, Item, Kind, Object, RunEvent, Str, TaskData, Value};
use node_api::checkpoints::{self, ApprovalRequest};
use node_api::policy::words;

/// Texts and values of more than this are cut.
const MAX_VALUE_BYTES: usize = 16 << 10;

impl TraceEvent {
    /// What an event says about agents; most say nothing. `run` is that of the step that is going
    /// on.
    pub fn read(seq: u64, event: &RunEvent, run: usize) -> Option<Self> {
        match event {
            RunEvent::StageReached { node, run_index, reached } => {
                let kind = match reached.stage {
                    AgentStage::Preprocess => TraceKind::Input,
                    AgentStage::Output => TraceKind::Answer,
                    _ => return None,
                };
                let mut detail = reached.detail.as_object().cloned().unwrap_or_default();
                detail.insert("item", reached.item);
                if !reached.call.is_empty() {
                    detail.insert("call", reached.call.clone());
                }
                Some(Self {
                    at_ms: Some(reached.at_ms),
                    detail,
                    ..Self::new(seq, reached.stage, kind, node.clone(), *run_index)
                })
            }
            RunEvent::StepRecorded { node, key, value } => {
                of_checkpoint(seq, node, key, value, run)
            }
            RunEvent::SubNodeCalled { node, task } => of_sub_node(seq, node, task),
            RunEvent::RunFinished { status, error, finished_ms } => {
                let (stage, kind) = (AgentStage::Output, TraceKind::ExecutionFinished);
                Some(Self {
                    at_ms: Some(*finished_ms),
                    detail: Object::from_iter([("status", Value::from(status.name()))]),
                    error: error.clone(),
                    ..Self::new(seq, stage, kind, Str::new(), 0)
                })
            }
            _ => None,
        }
    }

    /// The trace of a whole journal.
    pub fn read_all<'e>(events: impl IntoIterator<Item = &'e RunEvent>) -> Vec<Self> {
        let mut run = 0;
        let read = (1..).zip(events).filter_map(|(seq, event)| {
            if let RunEvent::NodeStarted { run_index, .. } = event {
                run = *run_index;
            }
            Self::read(seq, event, run)
        });
        read.collect()
    }

    fn new(seq: u64, stage: AgentStage, kind: TraceKind, node: Str, run: usize) -> Self {
        Self {
            seq,
            stage,
            kind,
            node,
            run,
            sub_node: None,
            at_ms: None,
            duration_ms: None,
            detail: Object::new(),
            error: None,
        }
    }
}

/// A result that was put before the model, or a question to a person.
fn of_checkpoint(seq: u64, node: &Str, key: &str, note: &Value, run: usize) -> Option<TraceEvent> {
    let of = |stage, kind| TraceEvent::new(seq, stage, kind, node.clone(), run);
    if let Some(call) = checkpoints::approval_target(key) {
        let asked = ApprovalRequest::from_value(note)?;
        let mut detail = Object::from_iter([
            ("call", Value::from(call)),
            ("tool", asked.tool.into()),
            ("arguments", cut(asked.arguments)),
            ("untilMs", (asked.until_ms as f64).into()),
        ]);
        let mut at_ms = asked.requested_ms;
        if let Some(decided) = asked.decision {
            let is_approved = decided.verdict == checkpoints::ApprovalVerdict::Approved;
            detail.insert("decision", if is_approved { "approved" } else { "rejected" });
            detail.insert("by", decided.by);
            at_ms = decided.decided_ms;
        }
        return Some(TraceEvent {
            at_ms: Some(at_ms),
            detail,
            ..of(AgentStage::Act, TraceKind::Approval)
        });
    }
    // `item 0: tool 1.2`, behind the keys of the calls that an inner agent works in.
    let (_, name) = key.rsplit_once(": ")?;
    let place = name.strip_prefix("tool ")?;
    if !place.chars().all(|letter| letter.is_ascii_digit() || letter == '.') {
        return None;
    }
    let result = note.get("result");
    let content = note
        .get("content")
        .or_else(|| result?.get("data").or_else(|| result?.get("error")))
        .cloned()
        .unwrap_or_default();
    let is_error = note.get("isError").and_then(Value::as_bool).unwrap_or_else(|| {
        result.and_then(|result| result.get("success")?.as_bool()) == Some(false)
    });
    let mut detail = Object::from_iter([
        ("call", Value::from(key)),
        ("tool", note.get("name").cloned().unwrap_or_default()),
        ("isError", is_error.into()),
        ("result", cut(content)),
    ]);
    if checkpoints::confirmed_text(note).is_some() {
        detail.insert("isConfirmedByPerson", true);
    }
    for name in [words::FACTS, "sources"] {
        if let Some(value) = note.get(name) {
            detail.insert(name, cut(value.clone()));
        }
    }
    Some(TraceEvent {
        at_ms: note.get(checkpoints::ENDED_MS).and_then(Value::as_f64).map(|moment| moment as i64),
        duration_ms: number(note.get("durationMs")).map(|took| took as u64),
        detail,
        ..of(AgentStage::Integrate, TraceKind::ToolResult)
    })
}

/// What a node did for the one above it.
fn of_sub_node(seq: u64, sub_node: &Str, task: &TaskData) -> Option<TraceEvent> {
    let above = task.source.first()?.as_ref()?;
    let served = task.serves()?;
    let input = task.input_override.as_ref().and_then(|inputs| inputs.first()?.first());
    let output = task.data.get(&served).and_then(|outputs| outputs.first()?.as_ref());
    let first = output.and_then(|items| items.first());
    let n_items = output.map_or(0, model::Items::len);
    let (stage, kind, detail) = match served {
        Kind::AiLanguageModel => {
            (AgentStage::Plan, TraceKind::ModelReply, model_reply(input.as_ref(), first.as_ref()))
        }
        Kind::AiTool => {
            let arguments = input.map_or(Value::Undefined, |item| item.json);
            let detail =
                Object::from_iter([("arguments", cut(arguments)), ("items", n_items.into())]);
            (AgentStage::Act, TraceKind::ToolCall, detail)
        }
        Kind::AiMemory => memory_use(input.as_ref(), first.as_ref()),
        Kind::AiRetriever | Kind::AiVectorStore | Kind::AiEmbedding | Kind::AiReranker => {
            let mut detail = Object::from_iter([("found", Value::from(n_items))]);
            let query = input.and_then(|item| item.json.get("query").cloned());
            if let Some(query) = query {
                detail.insert("query", cut(query));
            }
            (AgentStage::Retrieve, TraceKind::Search, detail)
        }
        _ => return None,
    };
    Some(TraceEvent {
        sub_node: Some(sub_node.clone()),
        at_ms: Some(task.start_time_ms),
        duration_ms: Some(task.execution_time_ms),
        detail,
        error: task.error.clone(),
        ..TraceEvent::new(seq, stage, kind, above.node.clone(), above.run)
    })
}

/// What a model could choose among, and what it chose. What it said is its visible text.
fn model_reply(input: Option<&Item>, output: Option<&Item>) -> Object {
    let mut detail = Object::new();
    let path = |value: Option<&Value>, names: &[&str]| -> Option<Value> {
        names.iter().try_fold(value?.clone(), |value, name| value.get(name).cloned())
    };
    let input = input.map(|item| item.json.clone());
    for (name, names) in [("model", ["options", "model"].as_slice()), ("considered", &["tools"])] {
        if let Some(value) = path(input.as_ref(), names) {
            detail.insert(name, cut(value));
        }
    }
    let output = output.map(|item| item.json.clone());
    let generation = path(output.as_ref(), &["response", "generations"])
        .and_then(|all| all.as_array()?.first()?.as_array()?.first().cloned());
    let generation = generation.as_ref();
    for (name, names) in [
        ("chosen", ["toolCalls"].as_slice()),
        ("text", &["text"]),
        ("finishReason", &["generationInfo", "finish_reason"]),
        ("model", &["generationInfo", "model_name"]),
    ] {
        if let Some(value) = path(generation, names) {
            detail.insert(name, cut(value));
        }
    }
    for (name, from) in [("inputTokens", "promptTokens"), ("outputTokens", "completionTokens")] {
        if let Some(value) = path(output.as_ref(), &["tokenUsage", from]) {
            detail.insert(name, value);
        }
    }
    detail
}

fn memory_use(input: Option<&Item>, output: Option<&Item>) -> (AgentStage, TraceKind, Object) {
    let given = |name: &str| input.and_then(|item| item.json.get(name).cloned());
    let action = given("action").and_then(|action| action.as_str().map(Str::from));
    let action = action.unwrap_or_default();
    let is_read = matches!(action.as_str(), "loadMemoryVariables" | "searchMemory");
    let mut detail = Object::from_iter([("action", Value::from(action))]);
    for name in ["sessionId", "space"] {
        if let Some(value) = given(name) {
            detail.insert(name, value);
        }
    }
    let shown = |name: &str| output.and_then(|item| item.json.get(name).cloned());
    if let Some(messages) = shown("chatHistory").as_ref().and_then(Value::as_array) {
        detail.insert("messages", messages.len());
    }
    if let Some(entries) = shown("entries") {
        detail.insert("entries", cut(entries));
    }
    match is_read {
        true => (AgentStage::Retrieve, TraceKind::MemoryRead, detail),
        false => (AgentStage::Update, TraceKind::MemoryWrite, detail),
    }
}

fn number(value: Option<&Value>) -> Option<f64> {
    value.and_then(Value::as_f64)
}

/// A value that streams can carry: a long text ends early, and whatever else is too large is named
/// by its size.
fn cut(value: Value) -> Value {
    if let Value::String(text) = &value
        && text.len() > MAX_VALUE_BYTES
    {
        let end = text.floor_char_boundary(MAX_VALUE_BYTES);
        return format!("{}… ({} bytes)", &text[..end], text.len()).into();
    }
    let mut left = MAX_VALUE_BYTES;
    if value.fits_within(&mut left) {
        return value;
    }
    Object::from_iter([("isCut", Value::from(true))]).into()
}
