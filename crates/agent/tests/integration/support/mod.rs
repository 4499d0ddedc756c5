//! A model that says what a script says, tools that keep a ledger, and a world that may end at any
//! note.

use futures::stream;
use heddle_agent::{AgentEvent, AgentHost, MemorySession};
use model::{Object, Str, Value, json};
use ports::NodeError;
use ports::ai::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatRole, ChatStream, DataFlow, Memory,
    MemoryError, Message, MessagePart, ModelInfo, ModelReply, RecalledMessages, SessionId,
    StopReason, TokenRates, TokenUsage, Tool, ToolArguments, ToolCall, ToolCallContext,
    ToolDefinition, ToolEffect, ToolFailure, ToolOutput, TurnKey,
};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};

/// What the model answers next, and what it was asked.
pub(crate) struct ScriptedModel {
    info: ModelInfo,
    turns: Mutex<VecDeque<Message>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl ScriptedModel {
    pub(crate) fn of(turns: impl IntoIterator<Item = Message>) -> Arc<Self> {
        let capabilities = Capabilities {
            tools: true,
            vision: false,
            streaming: true,
            sampling: true,
            forced_tool: true,
            json_schema: true,
            context: None,
            max_output: None,
        };
        let price = Some(
            TokenRates { input: 1.0, cached_read: 0.1, cache_write: 1.25, output: 4.0 }.into(),
        );
        let info =
            ModelInfo { provider: "script".into(), model: "script-1".into(), capabilities, price };
        Arc::new(Self {
            info,
            turns: Mutex::new(turns.into_iter().collect()),
            requests: Mutex::default(),
        })
    }

    pub(crate) fn request(&self, number: usize) -> ChatRequest {
        self.requests.lock().unwrap()[number].clone()
    }

    pub(crate) fn n_requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl ChatModel for ScriptedModel {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn stream(&self, request: ChatRequest) -> ChatStream<'_> {
        self.requests.lock().unwrap().push(request);
        let message = self
            .turns
            .lock()
            .unwrap()
            .pop_front()
            .unwrap_or_else(|| Message::assistant("the script is over"));
        let stop = if message.tool_calls().next().is_some() {
            StopReason::ToolCalls
        } else {
            StopReason::Stop
        };
        let usage = TokenUsage { input: 10, output: 5, ..TokenUsage::default() };
        let text = message.text();
        let turn = ModelReply { message, stop, usage, model: self.info.model.clone() };
        let events = [Ok(ChatEvent::Text(text)), Ok(ChatEvent::Done(Box::new(turn)))];
        Box::pin(stream::iter(events))
    }
}

pub(crate) fn answers(text: &str) -> Message {
    Message::assistant(text)
}

pub(crate) fn calls(calls: &[(&str, Value)]) -> Message {
    let part = |(number, (name, arguments)): (usize, &(&str, Value))| {
        let arguments = ToolArguments::Parsed(arguments.as_object().unwrap().clone());
        MessagePart::ToolCall(ToolCall {
            id: format!("call-{number}").into(),
            name: (*name).into(),
            arguments,
            opaque: None,
        })
    };
    Message::new(ChatRole::Assistant, calls.iter().enumerate().map(part).collect())
}

/// Everything that tools have done.
#[derive(Default)]
pub(crate) struct CallLedger(Mutex<Vec<Str>>);

impl CallLedger {
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub(crate) fn of(&self, name: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|done| *done == name).count()
    }
}

type ToolWork = Box<dyn Fn(&Object) -> Result<Value, String> + Send + Sync>;

struct TestTool {
    definition: ToolDefinition,
    ledger: Arc<CallLedger>,
    work: ToolWork,
}

pub(crate) fn tool(
    name: &str,
    effect: ToolEffect,
    ledger: &Arc<CallLedger>,
    work: impl Fn(&Object) -> Result<Value, String> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let parameters = match name {
        "add" => {
            json!({ "type": "object", "properties": { "a": { "type": "number" }, "b": { "type": "number" } }, "required": ["a", "b"] })
        }
        _ => json!({ "type": "object" }),
    };
    tool_with(name, parameters, effect, ledger, work)
}

pub(crate) fn tool_with(
    name: &str,
    parameters: Value,
    effect: ToolEffect,
    ledger: &Arc<CallLedger>,
    work: impl Fn(&Object) -> Result<Value, String> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    tool_that_flows(name, parameters, effect, DataFlow::default(), ledger, work)
}

/// A tool that says where its data comes from and goes to.
pub(crate) fn tool_that_flows(
    name: &str,
    parameters: Value,
    effect: ToolEffect,
    flow: DataFlow,
    ledger: &Arc<CallLedger>,
    work: impl Fn(&Object) -> Result<Value, String> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    let definition = ToolDefinition {
        name: name.into(),
        description: "A tool of tests.".into(),
        parameters,
        effect,
        flow,
    };
    Arc::new(TestTool { definition, ledger: ledger.clone(), work: Box::new(work) })
}

#[async_trait::async_trait]
impl Tool for TestTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(
        &self,
        arguments: Object,
        _context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        self.ledger.0.lock().unwrap().push(self.definition.name.clone());
        tokio::task::yield_now().await;
        (self.work)(&arguments).map(ToolOutput::new).map_err(ToolFailure::new)
    }
}

/// When the process ends: before the note of this number is kept, or right after.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crash {
    Before(usize),
    After(usize),
}

#[derive(Default)]
pub(crate) struct TestAgentHost {
    before: Object,
    kept: Mutex<Vec<(Str, Value)>>,
    events: Mutex<Vec<AgentEvent>>,
    crash: Mutex<Option<Crash>>,
    now_ms: i64,
}

impl TestAgentHost {
    /// The same at another time.
    pub(crate) fn at(mut self, now_ms: i64) -> Self {
        self.now_ms = now_ms;
        self
    }

    /// Everything that is on record: what was before, and what was kept since.
    pub(crate) fn notes(&self) -> Object {
        self.before
            .iter()
            .map(|(key, note)| (key.clone(), note.clone()))
            .chain(self.kept.lock().unwrap().iter().cloned())
            .collect()
    }

    /// The world of a loop that is taken up again with all that is on record.
    pub(crate) fn taken_up(&self) -> Self {
        Self { before: self.notes(), now_ms: self.now_ms, ..Self::default() }
    }

    pub(crate) fn crash(&self, crash: Crash) {
        *self.crash.lock().unwrap() = Some(crash);
    }

    pub(crate) fn events(&self) -> Vec<AgentEvent> {
        self.events.lock().unwrap().clone()
    }

    /// The world of the next process: it knows what was kept.
    pub(crate) fn after_a_crash(&self) -> Self {
        Self { before: self.kept.lock().unwrap().iter().cloned().collect(), ..Self::default() }
    }

    /// The same with what a person says about a call.
    pub(crate) fn told_of(mut self, key: &str, note: Value) -> Self {
        self.before.insert(key, note);
        self
    }

    pub(crate) fn n_kept(&self, start: &str) -> usize {
        self.before.iter().filter(|(key, _)| key.starts_with(start)).count()
    }
}

#[async_trait::async_trait]
impl AgentHost for TestAgentHost {
    fn now_ms(&self) -> i64 {
        self.now_ms
    }

    async fn sleep(&self, _milliseconds: u64) {
        std::future::pending().await
    }

    fn is_cancelled(&self) -> bool {
        false
    }

    fn recorded_step(&self, key: &str) -> Option<Value> {
        self.before.get(key).cloned()
    }

    async fn record_step(&self, key: &str, value: Value) -> Result<(), NodeError> {
        let number = self.kept.lock().unwrap().len();
        let crash = *self.crash.lock().unwrap();
        let ended = || NodeError::failed("the process ended");
        match crash {
            Some(Crash::Before(at)) if number >= at => return Err(ended()),
            Some(Crash::After(at)) if number > at => return Err(ended()),
            _ => {}
        }
        self.kept.lock().unwrap().push((key.into(), value));
        match crash {
            Some(Crash::After(at)) if number == at => Err(ended()),
            _ => Ok(()),
        }
    }

    async fn emit(&self, event: AgentEvent) {
        self.events.lock().unwrap().push(event);
    }
}

/// Remembers in this memory.
pub(crate) fn remembering(memory: Arc<dyn Memory>, turn: &str) -> Option<MemorySession> {
    Some(MemorySession {
        memory,
        session: SessionId::new("s").unwrap(),
        turn: TurnKey(turn.into()),
        long_term: None,
    })
}

/// A memory for one session.
#[derive(Default)]
pub(crate) struct ListMemory(Mutex<Vec<Message>>, Mutex<HashSet<TurnKey>>);

impl ListMemory {
    pub(crate) fn put(&self, messages: Vec<Message>) {
        *self.0.lock().unwrap() = messages;
    }

    pub(crate) fn all(&self) -> Vec<Message> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Memory for ListMemory {
    async fn load(
        &self,
        _session: &SessionId,
        _about: &str,
    ) -> Result<RecalledMessages, MemoryError> {
        Ok(self.all().into())
    }

    async fn append(
        &self,
        _session: &SessionId,
        key: &TurnKey,
        turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        if self.1.lock().unwrap().insert(key.clone()) {
            self.0.lock().unwrap().extend(turn.iter().cloned());
        }
        Ok(Vec::new())
    }

    async fn clear(&self, _session: &SessionId) -> Result<(), MemoryError> {
        self.put(Vec::new());
        Ok(())
    }
}

pub(crate) struct BrokenMemory;

#[async_trait::async_trait]
impl Memory for BrokenMemory {
    async fn load(
        &self,
        _session: &SessionId,
        _about: &str,
    ) -> Result<RecalledMessages, MemoryError> {
        Err(MemoryError::new("no connection"))
    }

    async fn append(
        &self,
        _session: &SessionId,
        _key: &TurnKey,
        _turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        Err(MemoryError::new("no connection"))
    }

    async fn clear(&self, _session: &SessionId) -> Result<(), MemoryError> {
        Err(MemoryError::new("no connection"))
    }
}
