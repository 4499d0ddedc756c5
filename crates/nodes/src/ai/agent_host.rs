//! The world of an agent that runs in a node.

use agent::{AgentError, AgentEvent, AgentHost, AgentOutcome};
use model::{AgentStage, Object, StageRecord, Str, Value};
use node_api::ai::ToolCall;
use node_api::trigger::ChunkKind;
use node_api::{Ctx, NodeError};

/// What an agent records first: what it remembers, or the first reply of its model.
const FIRST_STEPS: [&str; 2] = ["history", "model 1"];

/// Where notes of an item go: a node may work on several items in one run.
pub(super) struct NodeAgentHost<'c> {
    ctx: &'c Ctx<'c>,
    item: usize,
    /// What every key begins with.
    prefix: Str,
    /// Whether whoever waits for the run hears the model word by word. Those of an agent that
    /// another one asks are not the answer.
    is_streamed: bool,
    /// It works for another agent, of whose cost its own is a part.
    is_sub_agent: bool,
    /// The field of the node's output that an answer stands in.
    answer_field: &'static str,
}

impl<'c> NodeAgentHost<'c> {
    pub(super) fn new(ctx: &'c Ctx<'c>, item: usize) -> Self {
        Self {
            ctx,
            item,
            prefix: format!("item {item}").into(),
            is_streamed: true,
            is_sub_agent: false,
            answer_field: "response",
        }
    }

    /// The same for a node that puts its answer into a field of this name.
    pub(super) fn answering_in(self, answer_field: &'static str) -> Self {
        Self { answer_field, ..self }
    }

    /// The world of an agent that works within the call of another one's tool.
    pub(super) fn for_tool_call(ctx: &'c Ctx<'c>, call: Str) -> Self {
        let shared = Self::new(ctx, 0);
        Self { prefix: call, is_streamed: false, is_sub_agent: true, ..shared }
    }

    /// The same where the model's words are not the answer: a judgement, or data.
    pub(super) fn silent(ctx: &'c Ctx<'c>, item: usize) -> Self {
        Self { is_streamed: false, ..Self::new(ctx, item) }
    }

    /// Says that an answer begins or has ended, to whoever hears it.
    pub(super) async fn announce(&self, kind: ChunkKind) {
        if self.is_streamed {
            self.ctx.send_chunk(kind, self.item, None).await;
        }
    }

    /// What came of a loop. One that asks a person is let go of here until they have decided, and
    /// begins again then.
    pub(super) async fn resolve_outcome(
        &self,
        ended: Result<AgentOutcome, AgentError>,
    ) -> Result<AgentOutcome, NodeError> {
        match ended {
            Err(AgentError::Approval { until_ms }) => {
                Err(self.ctx.host().wait_for_person(until_ms).await)
            }
            Err(error) => {
                let partial = error.partial().cloned();
                let error = error.into_node_error();
                Err(match partial {
                    Some(partial) => error.with_result(self.answer_field, partial),
                    None => error,
                })
            }
            Ok(outcome) => Ok(outcome),
        }
    }

    /// When the agent first began on the item, also after a crash.
    pub(super) async fn started_at(&self) -> Result<Str, NodeError> {
        if let Some(Value::String(kept)) = self.recorded_step("began") {
            return Ok(kept);
        }
        let now = jiff::Timestamp::from_millisecond(self.now_ms()).unwrap_or_default();
        let began = Str::from(now.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string());
        self.record_step("began", began.clone().into()).await?;
        Ok(began)
    }

    fn key(&self, key: &str) -> String {
        format!("{}: {key}", self.prefix)
    }
}

#[async_trait::async_trait]
impl AgentHost for NodeAgentHost<'_> {
    fn now_ms(&self) -> i64 {
        self.ctx.host().now_ms()
    }

    async fn sleep(&self, milliseconds: u64) {
        if self.ctx.host().sleep(milliseconds).await.is_err() {
            // The run is cancelled; whoever drives it lets go of the node.
            std::future::pending().await
        }
    }

    fn is_cancelled(&self) -> bool {
        self.ctx.host().is_cancelled()
    }

    fn recorded_step(&self, key: &str) -> Option<Value> {
        self.ctx.host().recorded_step(&self.key(key))
    }

    fn full_key(&self, key: &str) -> Str {
        self.key(key).into()
    }

    async fn record_step(&self, key: &str, value: Value) -> Result<(), NodeError> {
        self.ctx.host().record_step(&self.key(key), value).await
    }

    async fn record_stage(&self, stage: AgentStage, detail: Object) {
        // An agent that goes on has told what it was given.
        let is_told = stage == AgentStage::Preprocess
            && FIRST_STEPS.iter().any(|key| self.recorded_step(key).is_some());
        if is_told {
            return;
        }
        let call = if self.is_sub_agent { self.prefix.clone() } else { Str::new() };
        let (at_ms, item, detail) = (self.now_ms(), self.item, detail.into());
        self.ctx.host().record_stage(StageRecord { stage, at_ms, item, call, detail }).await;
    }

    fn mark_waiting_for_person(&self, until_ms: i64) {
        self.ctx.host().mark_waiting_for_person(until_ms);
    }

    async fn emit(&self, event: AgentEvent) {
        if let AgentEvent::Warning(words) = event {
            self.ctx.host().warn(words);
            return;
        }
        // What another agent's work costs is part of the cost, and all wait for what it asks; the
        // rest of it is that agent's own affair.
        let counts_above = match event {
            AgentEvent::Approval { .. } => true,
            AgentEvent::Cost { .. } => self.is_sub_agent,
            _ => false,
        };
        if !self.is_streamed && !counts_above {
            return;
        }
        let ends = matches!(event, AgentEvent::Done { .. } | AgentEvent::Failed);
        if let Some((kind, content)) = chunk_of(event) {
            self.ctx.send_chunk(kind, self.item, content).await;
        }
        if ends {
            self.ctx.send_chunk(ChunkKind::End, self.item, None).await;
        }
    }
}

/// An event as whoever is streamed to hears it.
fn chunk_of(event: AgentEvent) -> Option<(ChunkKind, Option<Value>)> {
    let (kind, content) = match event {
        AgentEvent::Started => return Some((ChunkKind::Begin, None)),
        AgentEvent::Token(text) => return Some((ChunkKind::Item, Some(text.into()))),
        AgentEvent::Iteration { .. } | AgentEvent::ModelRetry { .. } | AgentEvent::Warning(_) => {
            return None;
        }
        AgentEvent::ToolStarted { call_id, name, arguments } => (
            ChunkKind::ToolStart,
            Object::from_iter([
                ("id", Value::from(call_id)),
                ("name", name.into()),
                ("arguments", arguments),
            ]),
        ),
        AgentEvent::ToolEnded { call_id, name, content, is_error, duration_ms } => {
            let told = [
                ("id", Value::from(call_id)),
                ("name", name.into()),
                ("result", content.into()),
                ("isError", is_error.into()),
                ("durationMs", (duration_ms as f64).into()),
            ];
            (ChunkKind::ToolEnd, Object::from_iter(told))
        }
        AgentEvent::Approval { call_id, call, asked } => {
            let told = [
                ("id", Value::from(call_id)),
                ("call", call.into()),
                ("name", asked.tool.into()),
                ("arguments", asked.arguments),
                ("digest", asked.digest.into()),
                ("untilMs", asked.until_ms.into()),
            ];
            (ChunkKind::Approval, Object::from_iter(told))
        }
        AgentEvent::Handoff { text, calls } => {
            let call = |call: &ToolCall| -> Value {
                let told = [
                    ("id", Value::from(call.id.clone())),
                    ("name", call.name.clone().into()),
                    ("arguments", call.arguments.to_value()),
                ];
                Object::from_iter(told).into()
            };
            let calls = Value::array(calls.iter().map(call).collect());
            (
                ChunkKind::ToolCalls,
                Object::from_iter([("text", Value::from(text)), ("calls", calls)]),
            )
        }
        AgentEvent::Cost { usage, dollars } => {
            let tokens = |count: u64| Value::from(count as f64);
            let told = [
                ("inputTokens", tokens(usage.input)),
                ("cachedTokens", tokens(usage.cached_read)),
                ("outputTokens", tokens(usage.output)),
                ("reasoningTokens", tokens(usage.reasoning)),
                ("dollars", dollars.map_or(Value::Null, Value::from)),
            ];
            (ChunkKind::Usage, Object::from_iter(told))
        }
        AgentEvent::Done { ended, iterations, duration_ms, sources } => {
            let mut told = Object::from_iter([
                ("finishReason", Value::from(ended.name())),
                ("iterations", iterations.into()),
                ("durationMs", (duration_ms as f64).into()),
            ]);
            if !sources.is_empty() {
                told.insert("sources", Value::array(sources));
            }
            (ChunkKind::Done, told)
        }
        AgentEvent::Failed => {
            (ChunkKind::Done, Object::from_iter([("finishReason", Value::from("error"))]))
        }
    };
    Some((kind, Some(content.into())))
}
