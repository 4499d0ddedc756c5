//! The strict strategy: one action of the model and at most one tool an iteration, in JSON that is
//! checked to the letter. A reply that breaks the contract ends the run.

mod action;
mod config;
mod envelope;

pub use action::ContractViolation;
pub use config::{Config, SCHEMA, StopCondition};
pub use envelope::{Envelope, EnvelopeEvent};

use crate::codec::{usage_from_value, usage_to_value};
use crate::flow::{self, FlowDecision, decide};
use crate::guard::ToolGuard;
use crate::host::{AgentError, AgentEvent, AgentHost};
use crate::record::{EndReason, ToolUse};
use crate::sources::{answer_sources, keep_sources, recorded_sources};
use action::ReactAction;
use model::{Code, Object, Str, Value};
use ports::ai::{
    ChatEvent, ChatModel, ChatRequest, EgressTarget, Exposure, Message, ModelError, ModelReply,
    OutputFormat, ToolArguments, ToolCall, ToolCallContext, ToolChoice, ToolEffect, ToolFailure,
};
use ports::checkpoints;
use ports::policy::{PolicyCall, PolicyDecision, words as policy_words};
use std::sync::Arc;

const PROMPT: &str = include_str!("react/prompt.txt");

/// An agent that only orchestrates, validates and routes.
pub struct ReactAgent {
    pub model: Arc<dyn ChatModel>,
    pub guard: ToolGuard,
    pub config: Config,
    /// The item of the node's input that it works on.
    pub item: usize,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ReactOutcome {
    pub envelope: Envelope,
    /// The final message, if there is one.
    pub answer: Option<Value>,
    pub end_reason: EndReason,
    /// Why it did not end well.
    pub fault: Option<(ContractViolation, Str)>,
    /// What the answer is based on.
    pub sources: Vec<Value>,
}

impl ReactAgent {
    /// Runs the loop in the order of its contract. Trace id and beginning come from outside: with
    /// the same answers behind the ports the envelope is the same to the byte.
    pub async fn run(
        &self,
        world: &dyn AgentHost,
        input: Value,
        memory: Option<Object>,
        trace_id: Str,
        started_at: Str,
    ) -> Result<ReactOutcome, AgentError> {
        world.emit(AgentEvent::Started).await;
        let began = world.now_ms();
        let work = self.work(world, input, memory, trace_id, started_at);
        let mut outcome = self.guard.until_stopped(work).await;
        if let Ok(done) = &mut outcome {
            let answer = done.answer.as_ref().map(words).unwrap_or_default();
            done.sources = answer_sources(&[], &done.envelope.tool_uses, &self.guard, &answer);
        }
        // The model speaks in JSON; whoever listens hears the one part of it that is an answer.
        if let Ok(ReactOutcome { answer: Some(answer), .. }) = &outcome {
            world.emit(AgentEvent::Token(words(answer))).await;
        }
        world.emit(self.end_of(&outcome, (world.now_ms() - began).max(0) as u64)).await;
        outcome
    }

    fn end_of(&self, outcome: &Result<ReactOutcome, AgentError>, duration_ms: u64) -> AgentEvent {
        match outcome {
            Ok(ReactOutcome { envelope, end_reason, fault: None, sources, .. }) => {
                AgentEvent::Done {
                    ended: *end_reason,
                    iterations: envelope.iteration,
                    duration_ms,
                    sources: sources.clone(),
                }
            }
            Ok(ReactOutcome { fault: Some(_), .. }) | Err(_) => AgentEvent::Failed,
        }
    }

    async fn work(
        &self,
        world: &dyn AgentHost,
        input: Value,
        memory: Option<Object>,
        trace_id: Str,
        started_at: Str,
    ) -> Result<ReactOutcome, AgentError> {
        let available = self.config.allowed_tools.clone();
        let mut envelope =
            Envelope { input, available, memory, trace_id, started_at, ..Envelope::default() };
        for iteration in 1..=self.config.max_iterations {
            if world.is_cancelled() {
                return Err(AgentError::Cancelled);
            }
            envelope.iteration = iteration;
            world.emit(AgentEvent::Iteration { number: iteration }).await;
            let (text, duration_ms) = self.call_model(world, &mut envelope).await?;
            let reply = match ReactAction::read(&text, &self.config.allowed_tools, &self.guard) {
                Ok(reply) => reply,
                Err(fault) => return Ok(failed(envelope, fault)),
            };
            let confidence = match reply {
                ReactAction::Final { message, confidence } => {
                    envelope.last_action = Some("final");
                    envelope.completed = true;
                    envelope.events.push(event(iteration, "final", None, duration_ms, confidence));
                    return Ok(ReactOutcome {
                        envelope,
                        answer: Some(message),
                        end_reason: EndReason::Completed,
                        fault: None,
                        sources: Vec::new(),
                    });
                }
                ReactAction::Tool { name, input, confidence } => {
                    self.call_tool(world, &mut envelope, name, input, confidence).await?;
                    confidence
                }
            };
            if let Some(end_reason) = self.condition_met(iteration, confidence) {
                let (answer, fault, sources) = (None, None, Vec::new());
                return Ok(ReactOutcome { envelope, answer, end_reason, fault, sources });
            }
        }
        let limit = self.config.max_iterations;
        Ok(failed(
            envelope,
            (
                ContractViolation::IterationOverflow,
                format!("no final answer within {limit} iterations").into(),
            ),
        ))
    }

    /// The condition of the author that ends the loop here.
    fn condition_met(&self, iteration: usize, confidence: f64) -> Option<EndReason> {
        self.config.stop_conditions.iter().find_map(|condition| match condition {
            StopCondition::FinalAnswer => None,
            StopCondition::Confidence(least) => {
                (confidence >= *least).then_some(EndReason::ConfidenceThreshold)
            }
            StopCondition::Iterations(most) => {
                (iteration >= *most).then_some(EndReason::IterationLimit)
            }
        })
    }

    /// The model's words, and how long it took.
    async fn call_model(
        &self,
        world: &dyn AgentHost,
        envelope: &mut Envelope,
    ) -> Result<(Str, u64), AgentError> {
        let prompt = self.prompt();
        let key = format!("model {}", envelope.iteration);
        let kept = match world.recorded_step(&key) {
            Some(kept) => {
                envelope.reached_out |= checkpoints::is_started(
                    world.recorded_step(&checkpoints::started_key(&key)).as_ref(),
                );
                kept
            }
            None => {
                let began = world.now_ms();
                let mut about = Object::from_iter([
                    ("input", envelope.input.clone()),
                    ("history", Value::array(envelope.history.clone())),
                ]);
                if let Some(memory) = &envelope.memory {
                    about.insert("memory", memory.clone());
                }
                let messages = vec![
                    Message::system(prompt.clone()),
                    Message::user(model::json::to_string(&about.into())),
                ];
                let request = ChatRequest {
                    messages,
                    tool_choice: ToolChoice::None,
                    format: OutputFormat::Json,
                    fields: action::FIELDS,
                    ..ChatRequest::default()
                };
                let turn = self.listen(world, request).await?.with_fields(action::FIELDS);
                let duration = (world.now_ms() - began).max(0) as f64;
                let told = [
                    ("text", Value::from(turn.message.text())),
                    ("durationMs", duration.into()),
                    ("usage", usage_to_value(&turn.usage)),
                ];
                let kept = Value::from(Object::from_iter(told));
                world.record_step(&key, kept.clone()).await.map_err(AgentError::RecordFailed)?;
                kept
            }
        };
        let usage = kept.get("usage").map(usage_from_value).unwrap_or_default();
        let dollars = self.model.info().price.map(|price| price.of(&usage));
        world.emit(AgentEvent::Cost { usage, dollars }).await;
        let text: Str = kept.get("text").and_then(Value::as_str).unwrap_or_default().into();
        envelope.last_prompt = Some(prompt);
        envelope.last_response =
            Some(model::json::parse(&text).unwrap_or_else(|_| text.clone().into()));
        Ok((text, kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default() as u64))
    }

    async fn listen(
        &self,
        world: &dyn AgentHost,
        request: ChatRequest,
    ) -> Result<ModelReply, AgentError> {
        use futures::StreamExt as _;
        let mut events = self.model.stream(request);
        while let Some(event) = events.next().await {
            match event.map_err(AgentError::Model)? {
                ChatEvent::Retry { attempt, wait_ms, cause } => {
                    world.emit(AgentEvent::ModelRetry { attempt, wait_ms, cause }).await
                }
                ChatEvent::Done(turn) => return Ok(*turn),
                ChatEvent::Text(_) | ChatEvent::Thinking(_) | ChatEvent::CallBegins { .. } => {}
            }
        }
        Err(AgentError::Model(ModelError::new(
            Code::MODEL_ERROR,
            "The model's response was cut off",
        )))
    }

    async fn call_tool(
        &self,
        world: &dyn AgentHost,
        envelope: &mut Envelope,
        name: Str,
        input: Object,
        confidence: f64,
    ) -> Result<(), AgentError> {
        let key = format!("tool {}", envelope.iteration);
        let kept = match world.recorded_step(&key) {
            Some(kept) => {
                envelope.reached_out |= checkpoints::is_started(
                    world.recorded_step(&checkpoints::started_key(&key)).as_ref(),
                );
                kept
            }
            None => {
                let call = ToolCall {
                    id: key.as_str().into(),
                    name: name.clone(),
                    arguments: ToolArguments::Parsed(input.clone()),
                    opaque: None,
                };
                let in_doubt =
                    || AgentError::Uncertain { tool: name.clone(), call: world.full_key(&key) };
                let Ok((tool, checked)) = self.guard.admit(&call) else { return Err(in_doubt()) };
                let definition = tool.definition();
                if definition.effect != ToolEffect::None
                    && checkpoints::is_started(
                        world.recorded_step(&checkpoints::started_key(&key)).as_ref(),
                    )
                {
                    return Err(in_doubt());
                }
                let began = world.now_ms();
                let call_id = call.id.clone();
                let started = AgentEvent::ToolStarted {
                    call_id: call_id.clone(),
                    name: name.clone(),
                    arguments: input.clone().into(),
                };
                world.emit(started).await;
                let exposure = self.exposure(envelope);
                let mut context = ToolCallContext {
                    call_id: call_id.clone(),
                    item: self.item,
                    key: world.full_key(&key),
                    allow_egress: false,
                    exposure,
                    is_authorized: true,
                };
                let (mut effect, mut sends) = (definition.effect, tool.sends(&checked, &context));
                let mut facts;
                let made = loop {
                    let asked = PolicyCall::new(
                        &self.guard.policy().subject,
                        tool.as_ref(),
                        &checked,
                        sends,
                        exposure,
                    );
                    facts = policy_words::facts(&asked);
                    // This strategy asks nobody.
                    let anywhere = match self.guard.policy().policy.decide(&asked) {
                        PolicyDecision::Allow { anywhere } => anywhere,
                        PolicyDecision::Deny { rule, reason } => {
                            let warning = policy_words::denial_warning(&name, &rule);
                            world.emit(AgentEvent::Warning(warning)).await;
                            break Err(ToolFailure::new(policy_words::denial(
                                &name, &rule, &reason,
                            )));
                        }
                        PolicyDecision::Approve { rule } => {
                            let warning = policy_words::denial_warning(&name, &rule);
                            world.emit(AgentEvent::Warning(warning)).await;
                            break Err(ToolFailure::new(policy_words::nobody_to_ask(&name, &rule)));
                        }
                    };
                    if decide(exposure, sends, anywhere) == FlowDecision::NeedsApproval {
                        world.emit(AgentEvent::Warning(flow::warning(&name))).await;
                        break Err(ToolFailure::new(flow::refusal(&name)));
                    }
                    if effect == ToolEffect::Changes {
                        world
                            .record_step(&checkpoints::started_key(&key), name.clone().into())
                            .await
                            .map_err(AgentError::RecordFailed)?;
                    }
                    match self.guard.call(world, tool.as_ref(), checked.clone(), &context).await {
                        Err(failure) if failure.needs_egress && effect == ToolEffect::Dynamic => {
                            (effect, sends, context.allow_egress) =
                                (ToolEffect::Changes, EgressTarget::ModelChosen, true);
                        }
                        made => break made,
                    }
                };
                envelope.reached_out |= context.allow_egress;
                let mut sources = Vec::new();
                let result = match made {
                    Ok(answer) => {
                        sources = answer.sources;
                        Object::from_iter([
                            ("success", Value::from(true)),
                            ("data", self.guard.capped_value(answer.content)),
                        ])
                    }
                    Err(failure) if failure.is_uncertain => {
                        return Err(AgentError::ToolUncertain { message: failure.message });
                    }
                    Err(failure) => {
                        let words = format!("Tool '{name}' failed: {failure}");
                        Object::from_iter([
                            ("success", Value::from(false)),
                            ("error", words.into()),
                        ])
                    }
                };
                let duration_ms = (world.now_ms() - began).max(0) as u64;
                let (content, is_error) = match result.get("data") {
                    Some(data) => (words(data), false),
                    None => (result.get("error").map(words).unwrap_or_default(), true),
                };
                let mut kept = Object::from_iter([
                    ("name", Value::from(name.clone())),
                    ("arguments", input.clone().into()),
                    ("result", Value::from(result)),
                    ("durationMs", (duration_ms as f64).into()),
                    (checkpoints::ENDED_MS, (world.now_ms() as f64).into()),
                    (policy_words::FACTS, facts),
                ]);
                keep_sources(&mut kept, &sources);
                let kept = Value::from(kept);
                world.record_step(&key, kept.clone()).await.map_err(AgentError::RecordFailed)?;
                world
                    .emit(AgentEvent::ToolEnded {
                        call_id,
                        name: name.clone(),
                        content,
                        is_error,
                        duration_ms,
                    })
                    .await;
                kept
            }
        };
        let seen = || kept.get("result").cloned().unwrap_or_default();
        let result = checkpoints::confirmed_text(&kept).map_or_else(seen, |said| {
            let data = model::json::parse(&said).unwrap_or_else(|_| said.clone().into());
            Object::from_iter([
                ("success", Value::from(true)),
                ("data", self.guard.capped_value(data)),
            ])
            .into()
        });
        let duration_ms = kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default() as u64;
        let iteration = envelope.iteration;
        envelope.tool_uses.push(ToolUse {
            call_id: key.into(),
            name: name.clone(),
            arguments: input.clone().into(),
            content: result.get("data").map(words).unwrap_or_default(),
            is_error: result.get("success").and_then(Value::as_bool) == Some(false),
            started_ms: 0,
            duration_ms,
            iteration,
            sources: recorded_sources(&kept),
            reached_out: envelope.reached_out,
        });
        let entry = [
            ("iteration", Value::from(iteration)),
            ("tool", name.clone().into()),
            ("input", input.into()),
            ("result", result),
        ];
        envelope.history.push(Object::from_iter(entry).into());
        envelope.last_action = Some("tool");
        envelope.last_tool = Some(name.clone());
        envelope.events.push(event(iteration, "tool", Some(name), duration_ms, Some(confidence)));
        Ok(())
    }

    /// What the loop has come across.
    fn exposure(&self, envelope: &Envelope) -> Exposure {
        let used: Vec<Str> = envelope
            .history
            .iter()
            .filter_map(|entry| entry.get("tool").and_then(Value::as_str))
            .map(Str::from)
            .collect();
        let remembers = envelope.memory.is_some();
        // What code brought in from outside is text of strangers, whatever its tool says of itself.
        let untrusted = envelope.reached_out || (remembers && self.guard.brings_untrusted());
        let also = Exposure { untrusted, private: remembers };
        self.guard.exposure(also, &used)
    }

    /// The prompt of the contract with the tools in their place.
    fn prompt(&self) -> Str {
        let mut tools = String::new();
        for tool in self
            .guard
            .tools()
            .map(|tool| tool.definition())
            .filter(|tool| self.config.allowed_tools.contains(&tool.name))
        {
            let schema = model::json::to_string(&tool.parameters);
            tools.push_str(&format!(
                "- {}: {} Input schema: {schema}\n",
                tool.name, tool.description
            ));
        }
        PROMPT.trim_end().replace("{{tools}}", tools.trim_end()).into()
    }
}

/// A text as it is, and anything else as its JSON.
fn words(value: &Value) -> Str {
    match value {
        Value::String(text) => text.clone(),
        other => model::json::to_string(other).into(),
    }
}

fn event(
    iteration: usize,
    action: &str,
    tool: Option<Str>,
    duration_ms: u64,
    confidence: Option<f64>,
) -> EnvelopeEvent {
    EnvelopeEvent {
        iteration,
        action: action.into(),
        tool,
        duration_ms: Some(duration_ms),
        confidence,
        error: None,
    }
}

fn failed(mut envelope: Envelope, (fault, message): (ContractViolation, Str)) -> ReactOutcome {
    let error = Object::from_iter([
        ("type", Value::from(fault.name())),
        ("message", message.clone().into()),
    ]);
    let iteration = envelope.iteration;
    let event = EnvelopeEvent {
        iteration,
        action: "error".into(),
        tool: None,
        duration_ms: None,
        confidence: None,
        error: Some(error.into()),
    };
    envelope.events.push(event);
    let end_reason = match fault {
        ContractViolation::IterationOverflow => EndReason::MaxIterations,
        _ => EndReason::Error,
    };
    let fault = Some((fault, message));
    ReactOutcome { envelope, answer: None, end_reason, fault, sources: Vec::new() }
}
