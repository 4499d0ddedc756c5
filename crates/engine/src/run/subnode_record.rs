//! Records what nodes do for the node above them: answers of models, calls of tools, what memories
//! gave and kept.
//!
//! A record has n8n's form: it stands in the run data under the name of the node that served, with
//! its output under the kind of the connection, what went in as `inputOverride`, and the node above
//! as its source.

use super::host::NodeHost;
use super::knowledge_record;
use super::memory_record;
use super::metering::Meter;
use super::step::task;
use super::suspend::BusyGuard;
use super::{RunContext, lock};
use futures::StreamExt as _;
use futures::future::{Either, select};
use model::{Code, Item, Items, Kind, Object, RunEvent, Source, Str, TaskStatus, Value, json};
use node_api::ai::{
    ChatEvent, ChatModel, ChatRequest, ChatRole, ChatStream, EgressTarget, Memory, MemoryError,
    Message, MessagePart, ModelError, ModelInfo, ModelReply, RecalledMessages, RewriteOutcome,
    SessionId, StoredTurn, SuppliedMemory, Supply, Tool, ToolCallContext, ToolDefinition,
    ToolEffect, ToolFailure, ToolOutput, TurnKey,
};
use node_api::host::Host as _;
use node_api::policy::{BoundPolicy, PolicyCall, PolicyDecision, SideEffect, ToolSource, words};
use node_api::{NodeError, NodeInfo, unique_name};
use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

/// Longer answers of tools are cut in the record.
const MAX_RECORDED_BYTES: usize = 1 << 20;

/// Who serves whom, and where in the run.
#[derive(Clone)]
pub(super) struct SubNodeRecorder {
    run: Arc<RunContext>,
    node: NodeInfo,
    above: Source,
    step: usize,
    kind: Kind,
    parking: Arc<super::suspend::SuspendState>,
    /// None for a node that passes questions on to other models: it is not paid for what they answer.
    pub(super) meter: Option<Meter>,
    /// What the node above may call.
    policy: BoundPolicy,
}

impl SubNodeRecorder {
    pub(super) fn new(host: &NodeHost, node: &NodeInfo, kind: Kind, item: usize) -> Self {
        let above = Source { node: host.name().clone(), output: 0, run: host.run_index() };
        let passes_on = |node: &crate::plan::PlanNode| {
            node.suppliers.iter().any(|supplier| supplier.kind == Kind::AiLanguageModel)
        };
        let is_paid = !host.run.plan.node(&node.name).is_some_and(passes_on);
        let meter = is_paid.then(|| Meter::new(host, &node.name));
        let (run, node, parking) = (host.run.clone(), node.clone(), host.parking.clone());
        let policy = host.tool_policy(item);
        Self { run, node, above, step: host.step, kind, parking, meter, policy }
    }

    /// What is supplied, with a record of each use. Tools get names that none of `names` has.
    pub(super) fn recorded(self, supply: Supply, names: &mut Vec<Str>) -> Supply {
        match supply {
            Supply::Model(model) => {
                let model = match self.meter.clone() {
                    Some(meter) => meter.metered(model),
                    None => model,
                };
                Supply::Model(Arc::new(RecordedModel { model, service: self }))
            }
            Supply::Memory(SuppliedMemory { memory, session, long_term }) => {
                let long_term =
                    long_term.map(|supplied| Box::new(memory_record::recorded(*supplied, &self)));
                let memory = Arc::new(RecordedMemory { memory, service: self });
                Supply::Memory(SuppliedMemory { memory, session, long_term })
            }
            Supply::Tools(tools) => Supply::Tools(
                tools.into_iter().map(|tool| self.recorded_tool(tool, names)).collect(),
            ),
            Supply::Embedder(embedder) => {
                Supply::Embedder(knowledge_record::embedder(embedder, self))
            }
            Supply::Retriever(retriever) => {
                Supply::Retriever(knowledge_record::retriever(retriever, self))
            }
            Supply::VectorStore(store) => Supply::VectorStore(knowledge_record::store(store, self)),
            other => other,
        }
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.run.now()
    }

    fn recorded_tool(&self, tool: Arc<dyn Tool>, names: &mut Vec<Str>) -> Arc<dyn Tool> {
        let mut definition = tool.definition().clone();
        definition.name =
            unique_name(definition.name, |name| names.iter().any(|known| known == name));
        names.push(definition.name.clone());
        // A registered tool may be another node than the one that gives it to the agent.
        let ToolSource { node_type, server } = tool.source().clone();
        let node_type = if node_type.is_empty() { self.node.type_name.clone() } else { node_type };
        let source = ToolSource { node_type, server };
        Arc::new(RecordedTool { tool, definition, source, service: self.clone() })
    }

    /// The step is not let go of while this lives.
    fn busy(&self) -> BusyGuard {
        self.parking.busy()
    }

    pub(super) async fn record(
        &self,
        began_ms: i64,
        input: Object,
        output: Result<Items, NodeError>,
    ) {
        let mut record =
            task(began_ms, self.step.saturating_sub(1), vec![Some(self.above.clone())], Vec::new());
        record.execution_time_ms = (self.run.now() - began_ms).max(0) as u64;
        record.input_override = Some(vec![Items::one(Item::new(input))]);
        let outputs = match output {
            Ok(items) => vec![Some(items)],
            Err(error) => {
                record.status = TaskStatus::Error;
                record.error = Some(error.to_run_error(&self.node.name));
                Vec::new()
            }
        };
        record.data = BTreeMap::from([(self.kind, outputs)]);
        let record = Arc::new(record);
        lock(&self.run.served).push((self.node.name.clone(), record.clone()));
        // What cannot be written stops the run at the note that follows, which must be.
        let _ = self
            .run
            .record(RunEvent::SubNodeCalled { node: self.node.name.clone(), task: record })
            .await;
    }
}

struct RecordedTool {
    tool: Arc<dyn Tool>,
    definition: ToolDefinition,
    source: ToolSource,
    service: SubNodeRecorder,
}

impl RecordedTool {
    /// Makes a call as far as the operator's policy lets it, whoever calls.
    async fn call_governed(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let BoundPolicy { policy, subject } = &self.service.policy;
        let sends = self.tool.sends(&arguments, context);
        let call = PolicyCall::new(subject, self, &arguments, sends, context.exposure);
        let tool = call.tool;
        match policy.decide(&call) {
            PolicyDecision::Deny { rule, reason } => {
                let denied = ToolFailure::new(words::denial(tool, &rule, &reason));
                return Err(denied.with_cause(Code::POLICY_DENIED.name()));
            }
            PolicyDecision::Approve { rule } if !context.is_authorized => {
                let denied = ToolFailure::new(words::nobody_to_ask(tool, &rule));
                return Err(denied.with_cause(Code::POLICY_DENIED.name()));
            }
            PolicyDecision::Approve { .. } | PolicyDecision::Allow { .. } => {}
        }
        if let Err(exceeded) = policy.count(&call, self.service.run.now()) {
            let exceeded = ToolFailure::new(words::too_often(tool, &exceeded));
            return Err(exceeded.with_cause(Code::RATE_LIMIT.name()));
        }
        let answer = pin!(self.tool.call(arguments.clone(), context));
        match select(answer, policy.wait_call_stopped(&call)).await {
            Either::Left((answer, _)) => answer,
            Either::Right((reason, _)) => {
                let is_harmless = self.definition.effect == ToolEffect::None;
                Err(ToolFailure::new(words::stopped(tool, &reason, is_harmless)))
            }
        }
    }
}

#[async_trait::async_trait]
impl Tool for RecordedTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn sends(&self, arguments: &Object, context: &ToolCallContext) -> EgressTarget {
        self.tool.sends(arguments, context)
    }

    fn side_effect(&self) -> Option<SideEffect> {
        self.tool.side_effect()
    }

    fn source(&self) -> &ToolSource {
        &self.source
    }

    async fn call(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let began_ms = self.service.run.now();
        // What finds again what it has begun may be cut off at any moment.
        let _busy = (self.definition.effect != ToolEffect::Resumes).then(|| self.service.busy());
        let answer = self.call_governed(arguments.clone(), context).await;
        let output = match &answer {
            // It was given up before it did anything, and is made again or not at all.
            Err(failure) if failure.needs_egress => return answer,
            Ok(answer) => Ok(items_of(&answer.content)),
            Err(failure) => {
                let error = NodeError::failed(failure.message.clone());
                Err(failure.cause.iter().fold(error, |error, cause| error.describe(cause.clone())))
            }
        };
        self.service.record(began_ms, arguments, output).await;
        answer
    }
}

fn items_of(content: &Value) -> Items {
    let text = ToolOutput::new(content.clone()).to_text();
    if text.len() > MAX_RECORDED_BYTES {
        let end = (0..=MAX_RECORDED_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let fields = Object::from_iter([
            ("response", Value::from(&text[..end])),
            ("bytes", text.len().into()),
        ]);
        return Items::one(Item::new(fields));
    }
    match content {
        Value::Object(_) => Items::one(Item::new(content.clone())),
        Value::Array(values) if values.iter().all(Value::is_object) => {
            values.iter().map(|value| Item::new(value.clone())).collect()
        }
        other => Items::one(Item::new(Object::from_iter([("response", other.clone())]))),
    }
}

struct RecordedModel {
    model: Arc<dyn ChatModel>,
    service: SubNodeRecorder,
}

#[async_trait::async_trait]
impl ChatModel for RecordedModel {
    fn info(&self) -> &ModelInfo {
        self.model.info()
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        let call = ModelCall {
            began_ms: self.service.run.now(),
            input: request_record(&request, self.info()),
            busy: self.service.busy(),
        };
        let mut asked = Some(call);
        let fields = request.fields;
        let events = self.model.stream(request).then(move |event| {
            let event = event.map(|event| match event {
                ChatEvent::Done(turn) => ChatEvent::Done(Box::new(turn.with_fields(fields))),
                other => other,
            });
            let over = match &event {
                Ok(ChatEvent::Done(turn)) => Some(Ok(turn_items(turn))),
                Ok(_) => None,
                Err(error) => Some(Err(failed(error))),
            };
            let told = over.and_then(|output| Some((asked.take()?, output)));
            async move {
                if let Some((ModelCall { began_ms, input, busy }, output)) = told {
                    self.service.record(began_ms, input, output).await;
                    drop(busy);
                }
                event
            }
        });
        Box::pin(events)
    }
}

/// A question that is being answered.
struct ModelCall {
    began_ms: i64,
    input: Object,
    busy: BusyGuard,
}

/// What the model was asked: the system's words and what is new since it last spoke. The rest
/// stands in earlier records.
fn request_record(request: &ChatRequest, info: &ModelInfo) -> Object {
    let last_words = request
        .messages
        .iter()
        .rposition(|message| message.role == ChatRole::Assistant)
        .unwrap_or(0);
    let is_new =
        |(at, message): &(usize, &Message)| message.role == ChatRole::System || *at >= last_words;
    let new: Vec<Value> = request
        .messages
        .iter()
        .enumerate()
        .filter(is_new)
        .map(|(_, message)| message_line(message).into())
        .collect();
    let n_earlier = request.messages.len() - new.len();
    let tools = request.tools.iter().map(|tool| tool.name.clone().into()).collect();
    Object::from_iter([
        ("messages", Value::array(new)),
        ("earlierMessages", n_earlier.into()),
        ("tools", Value::array(tools)),
        ("options", json!({ "model": (info.model.as_str()) })),
    ])
}

fn turn_items(turn: &ModelReply) -> Items {
    let generation = Object::from_iter([
        ("text", Value::from(turn.message.text())),
        (
            "toolCalls",
            Value::array(
                turn.message
                    .tool_calls()
                    .map(|call| {
                        Object::from_iter([
                            ("id", Value::from(call.id.clone())),
                            ("name", call.name.clone().into()),
                            ("args", call.arguments.to_value()),
                        ])
                        .into()
                    })
                    .collect(),
            ),
        ),
        (
            "generationInfo",
            json!({ "finish_reason": (turn.stop.name()), "model_name": (turn.model.as_str()) }),
        ),
    ]);
    let generations = Value::array(vec![Value::array(vec![generation.into()])]);
    let usage = &turn.usage;
    let usage = json!({
        "promptTokens": (usage.input as f64),
        "completionTokens": (usage.output as f64),
        "totalTokens": ((usage.input + usage.output) as f64)
    });
    let response = Object::from_iter([("generations", generations)]);
    Items::one(Item::new(Object::from_iter([
        ("response", Value::from(response)),
        ("tokenUsage", usage),
    ])))
}

pub(super) fn failed(error: &ModelError) -> NodeError {
    let failed = NodeError::new(error.code, error.message.clone());
    error.hint.iter().fold(failed, |failed, hint| failed.hint(hint.clone()))
}

/// A message as a line, with the name n8n has for its speaker.
pub(super) fn message_line(message: &Message) -> Str {
    let speaker = match message.role {
        ChatRole::System => "System",
        ChatRole::User => "Human",
        ChatRole::Assistant => "AI",
        ChatRole::Tool => "Tool",
    };
    let mut words = format!("{speaker}: ");
    for part in &message.parts {
        match part {
            MessagePart::Text(text) => words.push_str(text),
            MessagePart::Image(media) | MessagePart::File(media) => {
                words.push_str(&format!("[{}]", media.mime_type))
            }
            MessagePart::ToolCall(call) => {
                words.push_str(&format!("[{} {}]", call.name, call.arguments.to_text()))
            }
            MessagePart::ToolResult(result) => {
                words.push_str(&format!("[{}] {}", result.name, result.content))
            }
            MessagePart::Thinking { .. } => {}
        }
    }
    words.into()
}

struct RecordedMemory {
    memory: Arc<dyn Memory>,
    service: SubNodeRecorder,
}

#[async_trait::async_trait]
impl Memory for RecordedMemory {
    async fn load(
        &self,
        session: &SessionId,
        about: &str,
    ) -> Result<RecalledMessages, MemoryError> {
        let began_ms = self.service.run.now();
        let loaded = self.memory.load(session, about).await;
        let input = Object::from_iter([
            ("action", Value::from("loadMemoryVariables")),
            ("sessionId", session.as_str().into()),
        ]);
        let output =
            loaded.as_ref().map(|recalled| recalled.messages.as_slice()).map_err(Clone::clone);
        self.record(began_ms, "loadMemoryVariables", input, output).await;
        loaded
    }

    async fn append(
        &self,
        session: &SessionId,
        key: &TurnKey,
        turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        let began_ms = self.service.run.now();
        let appended = self.memory.append(session, key, turn).await;
        let input = Object::from_iter([
            ("action", Value::from("saveContext")),
            ("sessionId", session.as_str().into()),
        ]);
        self.record(began_ms, "saveContext", input, appended.clone().map(|_| turn)).await;
        appended
    }

    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError> {
        self.memory.clear(session).await
    }

    async fn turns(&self, session: &SessionId) -> Result<Vec<StoredTurn>, MemoryError> {
        self.memory.turns(session).await
    }

    async fn rewrite(
        &self,
        session: &SessionId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
    ) -> Result<RewriteOutcome, MemoryError> {
        self.memory.rewrite(session, seen, turns).await
    }

    async fn seal_copy(
        &self,
        session: &SessionId,
        plain: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.memory.seal_copy(session, plain).await
    }

    async fn open_copy(
        &self,
        session: &SessionId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.memory.open_copy(session, sealed).await
    }
}

impl RecordedMemory {
    async fn record(
        &self,
        began_ms: i64,
        action: &str,
        input: Object,
        messages: Result<&[Message], MemoryError>,
    ) {
        let output = messages.map_err(|error| NodeError::failed(error.message)).map(|messages| {
            let lines = messages.iter().map(|message| message_line(message).into()).collect();
            Items::one(Item::new(Object::from_iter([
                ("action", Value::from(action)),
                ("chatHistory", Value::array(lines)),
            ])))
        });
        self.service.record(began_ms, input, output).await;
    }
}
