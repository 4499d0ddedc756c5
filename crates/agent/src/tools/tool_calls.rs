//! The calls of one turn: several at a time, each checked before and on record after, and none made
//! twice.

use super::ToolsAgent;
use super::approval::{CallAction, CallPermit, recorded_rejection};
use super::loop_state::{AgentLoopState, CompletedCall, LastWords};
use super::options::AgentOptions;
use crate::guard::ToolGuard;
use crate::host::{AgentError, AgentEvent, AgentHost};
use crate::record::ToolUse;
use crate::sources::{keep_sources, recorded_sources};
use futures::{FutureExt as _, StreamExt as _, stream};
use model::{Object, Str, Value};
use ports::ai::{EgressTarget, Exposure, Message, ToolCall, ToolCallContext, ToolEffect};
use ports::checkpoints;
use ports::policy::{PolicyCall, words};

/// The result of a call that happened and whose answer nobody has seen.
const DONE_WITHOUT_RESULT: &str = "It was done. Its result is not known.";

/// What became of a call.
enum CallOutcome {
    Made(CompletedCall),
    /// A person is asked about it first.
    Asked {
        until_ms: i64,
    },
}

/// The tools of a loop and the rules for their use.
#[derive(Clone, Copy)]
pub(super) struct ToolCaller<'a> {
    pub(super) guard: &'a ToolGuard,
    pub(super) options: &'a AgentOptions,
}

impl ToolsAgent {
    pub(super) fn caller(&self) -> ToolCaller<'_> {
        ToolCaller { guard: &self.guard, options: &self.options }
    }
}

/// Makes one call for a model that is not ours, by the same rules as those of a loop.
pub async fn call_tool(
    guard: &ToolGuard,
    options: &AgentOptions,
    world: &dyn AgentHost,
    call: &ToolCall,
) -> Result<ToolUse, AgentError> {
    let caller = ToolCaller { guard, options };
    let run = AgentLoopState::new(
        &Str::new(),
        Vec::new(),
        Message::user(Str::new()),
        LastWords::default(),
    );
    match caller.call(world, &run, &[], "tool 1.1".to_owned(), call).await? {
        CallOutcome::Made(made) => Ok(made.used),
        CallOutcome::Asked { until_ms } => Err(AgentError::Approval { until_ms }),
    }
}

impl ToolCaller<'_> {
    /// The results of a turn's calls in their order. Where a person is asked about some, all others
    /// are made first.
    pub(super) async fn call_all(
        &self,
        world: &dyn AgentHost,
        run: &AgentLoopState,
        iteration: usize,
        calls: &[ToolCall],
    ) -> Result<Vec<CompletedCall>, AgentError> {
        let mut made = Vec::with_capacity(calls.len());
        for (number, call) in calls.iter().enumerate() {
            let earlier = &calls[..number];
            made.push(
                self.call(world, run, earlier, format!("tool {iteration}.{}", number + 1), call)
                    .boxed(),
            );
        }
        let results: Vec<_> =
            stream::iter(made).buffered(self.options.parallel_tools.max(1)).collect().await;
        let (mut made, mut asked): (Vec<CompletedCall>, Vec<i64>) =
            (Vec::with_capacity(calls.len()), Vec::new());
        for called in results {
            match called? {
                CallOutcome::Made(one) => made.push(one),
                CallOutcome::Asked { until_ms } => asked.push(until_ms),
            }
        }
        match asked.into_iter().min() {
            Some(until_ms) => Err(AgentError::Approval { until_ms }),
            None => Ok(made),
        }
    }

    /// `earlier` are the calls before it in the same turn.
    async fn call(
        &self,
        world: &dyn AgentHost,
        run: &AgentLoopState,
        earlier: &[ToolCall],
        key: String,
        call: &ToolCall,
    ) -> Result<CallOutcome, AgentError> {
        let arguments = call.arguments.to_value();
        let used = |content: Str, is_error: bool, started_ms: i64, duration_ms: u64| ToolUse {
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: arguments.clone(),
            content,
            is_error,
            started_ms,
            duration_ms,
            iteration: run.record.iterations,
            sources: Vec::new(),
            reached_out: false,
        };
        let refused = |words: Str, started_ms: i64| {
            Ok(CallOutcome::Made(CompletedCall {
                used: used(words, true, started_ms, 0),
                was_admitted: false,
                rejection: None,
            }))
        };
        let started_ms = world.now_ms();
        if earlier.len() >= self.options.max_calls_in_a_turn {
            let most = self.options.max_calls_in_a_turn;
            let words = format!(
                "Only {most} calls per turn are made. Call the tool again if you still need it."
            );
            return refused(words.into(), started_ms);
        }
        let before = run
            .record
            .tool_uses
            .iter()
            .filter(|earlier| earlier.name == call.name && earlier.arguments == arguments)
            .count();
        let same = before
            + earlier
                .iter()
                .filter(|earlier| earlier.name == call.name && earlier.arguments == call.arguments)
                .count();
        if same >= self.options.max_same_calls {
            let words = format!(
                "'{}' was called {same} times with these arguments. Use the results you have, or try something else.",
                call.name
            );
            return refused(words.into(), started_ms);
        }
        // What was recorded was admitted then, whether or not its tool is still there.
        if let Some(kept) = world.recorded_step(&key) {
            let seen =
                || kept.get("content").and_then(Value::as_str).map(Str::from).unwrap_or_default();
            let content = checkpoints::confirmed_text(&kept)
                .map_or_else(seen, |said| self.guard.capped(confirmed_content(said)));
            let is_error = kept.get("isError").and_then(Value::as_bool).unwrap_or_default();
            let duration_ms =
                kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default() as u64;
            let (mut used, rejection) =
                (used(content, is_error, started_ms, duration_ms), recorded_rejection(world, &key));
            used.sources = recorded_sources(&kept);
            used.reached_out = checkpoints::is_started(
                world.recorded_step(&checkpoints::started_key(&key)).as_ref(),
            );
            return Ok(CallOutcome::Made(CompletedCall { used, was_admitted: true, rejection }));
        }
        let (tool, checked) = match self.guard.admit(call) {
            Ok(admitted) => admitted,
            Err(problem) => return refused(problem.0, started_ms),
        };
        let definition = tool.definition();
        if definition.effect != ToolEffect::None
            && checkpoints::is_started(
                world.recorded_step(&checkpoints::started_key(&key)).as_ref(),
            )
        {
            return Err(AgentError::Uncertain {
                tool: call.name.clone(),
                call: world.full_key(&key),
            });
        }
        let mut context = ToolCallContext {
            call_id: call.id.clone(),
            item: self.options.item,
            key: world.full_key(&key),
            allow_egress: false,
            // What may send anything anywhere may do so by whatever it calls.
            exposure: if self.options.trusted.contains(&call.name) {
                Exposure::default()
            } else {
                self.exposure(run)
            },
            is_authorized: false,
        };
        let name = call.name.clone();
        let mut deed =
            CallAction { effect: definition.effect, sends: tool.sends(&checked, &context) };
        let mut is_started = false;
        let (made, facts) = loop {
            let asked = PolicyCall::new(
                &self.guard.policy().subject,
                tool.as_ref(),
                &checked,
                deed.sends,
                self.exposure(run),
            );
            let facts = words::facts(&asked);
            match self.authorize(world, run, &key, (call, &arguments), deed, &asked).await? {
                CallPermit::Granted => context.is_authorized = true,
                CallPermit::Asked { until_ms } => return Ok(CallOutcome::Asked { until_ms }),
                CallPermit::Refused(words) => {
                    let used = used(words, true, started_ms, 0);
                    record_result(world, &key, &used, facts).await?;
                    return Ok(CallOutcome::Made(CompletedCall {
                        used,
                        was_admitted: true,
                        rejection: recorded_rejection(world, &key),
                    }));
                }
            }
            if deed.effect == ToolEffect::Changes {
                let what = Object::from_iter([
                    ("name", Value::from(name.clone())),
                    ("arguments", arguments.clone()),
                ]);
                world
                    .record_step(&checkpoints::started_key(&key), what.into())
                    .await
                    .map_err(AgentError::RecordFailed)?;
            }
            if !is_started {
                is_started = true;
                let call_id = call.id.clone();
                world
                    .emit(AgentEvent::ToolStarted {
                        call_id,
                        name: name.clone(),
                        arguments: arguments.clone(),
                    })
                    .await;
            }
            match self.guard.call(world, tool.as_ref(), checked.clone(), &context).await {
                // It has done nothing yet; from here on it is a call that changes something
                // somewhere.
                Err(failure) if failure.needs_egress && deed.effect == ToolEffect::Dynamic => {
                    deed = CallAction {
                        effect: ToolEffect::Changes,
                        sends: EgressTarget::ModelChosen,
                    };
                    context.allow_egress = true;
                }
                made => break (made, facts),
            }
        };
        let mut sources = Vec::new();
        let (content, is_error) = match made {
            Ok(mut answer) => {
                sources = std::mem::take(&mut answer.sources);
                (answer.to_text(), false)
            }
            Err(failure) if failure.is_uncertain => {
                return Err(AgentError::ToolUncertain { message: failure.message });
            }
            Err(failure) => (format!("Tool '{name}' failed: {failure}").into(), true),
        };
        let duration_ms = (world.now_ms() - started_ms).max(0) as u64;
        let mut used = used(self.guard.capped(content), is_error, started_ms, duration_ms);
        used.reached_out = context.allow_egress;
        used.sources = sources;
        record_result(world, &key, &used, facts).await?;
        Ok(CallOutcome::Made(CompletedCall { used, was_admitted: true, rejection: None }))
    }
}

/// Notes what came of a call and what it was, and tells it.
async fn record_result(
    world: &dyn AgentHost,
    key: &str,
    used: &ToolUse,
    facts: Value,
) -> Result<(), AgentError> {
    let ToolUse { call_id, name, arguments, content, is_error, duration_ms, .. } = used.clone();
    let mut kept = Object::from_iter([
        ("name", Value::from(name.clone())),
        ("arguments", arguments),
        ("content", content.clone().into()),
        ("isError", is_error.into()),
        ("durationMs", (duration_ms as f64).into()),
        (checkpoints::ENDED_MS, (world.now_ms() as f64).into()),
        (words::FACTS, facts),
    ]);
    keep_sources(&mut kept, &used.sources);
    world.record_step(key, kept.into()).await.map_err(AgentError::RecordFailed)?;
    world.emit(AgentEvent::ToolEnded { call_id, name, content, is_error, duration_ms }).await;
    Ok(())
}

/// What a model is told about a call of which only a person knows that it happened.
fn confirmed_content(said: Str) -> Str {
    if said.is_empty() { DONE_WITHOUT_RESULT.into() } else { said }
}
