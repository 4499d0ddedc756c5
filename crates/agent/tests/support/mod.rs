//! A model that says what a script says, tools that keep a ledger, and a world that may end at any
//! note.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]
#![allow(dead_code, reason = "each test program uses some of it")]

use futures::stream;
use heddle_agent::{AgentEvent, Remembering, World};
use model::{Object, Str, Value, json};
use node_api::NodeError;
use node_api::ai::{
    Arguments, Capabilities, ChatEvent, ChatModel, ChatRequest, ChatStream, Effect, Flow, Memory,
    MemoryError, Message, ModelInfo, Part, Rates, Recalled, Role, SessionId, Stop, Tool,
    ToolAnswer, ToolCall, ToolCallContext, ToolDefinition, ToolFailure, Turn, TurnKey, Usage,
};
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex};

/// What the model answers next, and what it was asked.
pub(crate) struct Script {
    info: ModelInfo,
    turns: Mutex<VecDeque<Message>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Script {
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
        let price =
            Some(Rates { input: 1.0, cached_read: 0.1, cache_write: 1.25, output: 4.0 }.into());
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

    pub(crate) fn asked(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

impl ChatModel for Script {
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
        let stop = if message.tool_calls().next().is_some() { Stop::ToolCalls } else { Stop::Stop };
        let usage = Usage { input: 10, output: 5, ..Usage::default() };
        let text = message.text();
        let turn = Turn { message, stop, usage, model: self.info.model.clone() };
        let events = [Ok(ChatEvent::Text(text)), Ok(ChatEvent::Done(Box::new(turn)))];
        Box::pin(stream::iter(events))
    }
}

pub(crate) fn answers(text: &str) -> Message {
    Message::assistant(text)
}

pub(crate) fn calls(calls: &[(&str, Value)]) -> Message {
    let part = |(number, (name, arguments)): (usize, &(&str, Value))| {
        let arguments = Arguments::Read(arguments.as_object().unwrap().clone());
        Part::ToolCall(ToolCall {
            id: format!("call-{number}").into(),
            name: (*name).into(),
            arguments,
            opaque: None,
        })
    };
    Message::new(Role::Assistant, calls.iter().enumerate().map(part).collect())
}

/// Everything that tools have done.
#[derive(Default)]
pub(crate) struct Ledger(Mutex<Vec<Str>>);

impl Ledger {
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

type Work = Box<dyn Fn(&Object) -> Result<Value, String> + Send + Sync>;

struct TestTool {
    definition: ToolDefinition,
    ledger: Arc<Ledger>,
    work: Work,
}

pub(crate) fn tool(
    name: &str,
    effect: Effect,
    ledger: &Arc<Ledger>,
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
    effect: Effect,
    ledger: &Arc<Ledger>,
    work: impl Fn(&Object) -> Result<Value, String> + Send + Sync + 'static,
) -> Arc<dyn Tool> {
    tool_that_flows(name, parameters, effect, Flow::default(), ledger, work)
}

/// A tool that says where its data comes from and goes to.
pub(crate) fn tool_that_flows(
    name: &str,
    parameters: Value,
    effect: Effect,
    flow: Flow,
    ledger: &Arc<Ledger>,
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
    ) -> Result<ToolAnswer, ToolFailure> {
        self.ledger.0.lock().unwrap().push(self.definition.name.clone());
        tokio::task::yield_now().await;
        (self.work)(&arguments).map(ToolAnswer::new).map_err(ToolFailure::new)
    }
}

/// When the process ends: before the note of this number is kept, or right after.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crash {
    Before(usize),
    After(usize),
}

#[derive(Default)]
pub(crate) struct TestWorld {
    before: Object,
    kept: Mutex<Vec<(Str, Value)>>,
    told: Mutex<Vec<AgentEvent>>,
    crash: Mutex<Option<Crash>>,
    now_ms: i64,
}

impl TestWorld {
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

    pub(crate) fn told(&self) -> Vec<AgentEvent> {
        self.told.lock().unwrap().clone()
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
impl World for TestWorld {
    fn now_ms(&self) -> i64 {
        self.now_ms
    }

    async fn sleep(&self, _milliseconds: u64) {
        std::future::pending().await
    }

    fn is_cancelled(&self) -> bool {
        false
    }

    fn note(&self, key: &str) -> Option<Value> {
        self.before.get(key).cloned()
    }

    async fn keep(&self, key: &str, value: Value) -> Result<(), NodeError> {
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

    async fn tell(&self, event: AgentEvent) {
        self.told.lock().unwrap().push(event);
    }
}

/// Remembers in this memory.
pub(crate) fn remembering(memory: Arc<dyn Memory>, turn: &str) -> Option<Remembering> {
    Some(Remembering { memory, session: SessionId::new("s").unwrap(), turn: TurnKey(turn.into()) })
}

/// A memory for one session.
#[derive(Default)]
pub(crate) struct List(Mutex<Vec<Message>>, Mutex<HashSet<TurnKey>>);

impl List {
    pub(crate) fn put(&self, messages: Vec<Message>) {
        *self.0.lock().unwrap() = messages;
    }

    pub(crate) fn all(&self) -> Vec<Message> {
        self.0.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Memory for List {
    async fn load(&self, _session: &SessionId, _about: &str) -> Result<Recalled, MemoryError> {
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

pub(crate) struct Broken;

#[async_trait::async_trait]
impl Memory for Broken {
    async fn load(&self, _session: &SessionId, _about: &str) -> Result<Recalled, MemoryError> {
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
