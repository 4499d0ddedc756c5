//! The calls of one turn: several at a time, each checked before and on record after, and none made
//! twice.

use super::ToolsAgent;
use super::approval::{Deed, Permit, rejection_noted};
use super::conversation::{Conversation, Made};
use crate::record::ToolUse;
use crate::world::{AgentError, AgentEvent, World};
use futures::{FutureExt as _, StreamExt as _, stream};
use model::{Object, Str, Value};
use node_api::ai::{Effect, Exposure, Sends, ToolCall, ToolCallContext};
use node_api::notes;

/// The result of a call that happened and whose answer nobody has seen.
const SAID_TO_BE_DONE: &str = "It was done. What it answered is not known.";

/// What became of a call.
enum Called {
    Made(Made),
    /// A person is asked about it first.
    Asked {
        until_ms: i64,
    },
}

impl ToolsAgent {
    /// The results of a turn's calls in their order. Where a person is asked about some, all others
    /// are made first.
    pub(super) async fn call_all(
        &self,
        world: &dyn World,
        run: &Conversation,
        iteration: usize,
        calls: &[ToolCall],
    ) -> Result<Vec<Made>, AgentError> {
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
        let (mut made, mut asked): (Vec<Made>, Vec<i64>) =
            (Vec::with_capacity(calls.len()), Vec::new());
        for called in results {
            match called? {
                Called::Made(one) => made.push(one),
                Called::Asked { until_ms } => asked.push(until_ms),
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
        world: &dyn World,
        run: &Conversation,
        earlier: &[ToolCall],
        key: String,
        call: &ToolCall,
    ) -> Result<Called, AgentError> {
        let arguments = call.arguments.to_value();
        let used = |content: Str, is_error: bool, started_ms: i64, duration_ms: u64| ToolUse {
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: arguments.clone(),
            content,
            is_error,
            started_ms,
            duration_ms,
            reached_out: false,
        };
        let refused = |words: Str, started_ms: i64| {
            Ok(Called::Made(Made {
                used: used(words, true, started_ms, 0),
                was_admitted: false,
                rejection: None,
            }))
        };
        let started_ms = world.now_ms();
        if earlier.len() >= self.options.max_calls_in_a_turn {
            let most = self.options.max_calls_in_a_turn;
            let words = format!(
                "Only {most} calls of one turn are made. Call the tool again if you still need it."
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
        let (tool, checked) = match self.guard.admit(call) {
            Ok(admitted) => admitted,
            Err(problem) => return refused(problem.0, started_ms),
        };
        if let Some(kept) = world.note(&key) {
            let seen =
                || kept.get("content").and_then(Value::as_str).map(Str::from).unwrap_or_default();
            let content =
                notes::said_of(&kept).map_or_else(seen, |said| self.guard.capped(told_of(said)));
            let is_error = kept.get("isError").and_then(Value::as_bool).unwrap_or_default();
            let duration_ms =
                kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default() as u64;
            let (mut used, rejection) =
                (used(content, is_error, started_ms, duration_ms), rejection_noted(world, &key));
            used.reached_out = notes::is_begun(world.note(&notes::begun(&key)).as_ref());
            return Ok(Called::Made(Made { used, was_admitted: true, rejection }));
        }
        let definition = tool.definition();
        if definition.effect != Effect::None
            && notes::is_begun(world.note(&notes::begun(&key)).as_ref())
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
            may_reach_out: false,
            // What may send anything anywhere may do so by whatever it calls.
            exposure: if self.options.trusted.contains(&call.name) {
                Exposure::default()
            } else {
                self.exposure(run)
            },
        };
        let name = call.name.clone();
        let mut deed = Deed { effect: definition.effect, sends: tool.sends(&checked, &context) };
        let mut is_started = false;
        let made = loop {
            match self.clear(world, run, &key, (call, &arguments), deed).await? {
                Permit::Granted => {}
                Permit::Asked { until_ms } => return Ok(Called::Asked { until_ms }),
                Permit::Refused(words) => {
                    let used = used(words, true, started_ms, 0);
                    keep_result(world, &key, &used).await?;
                    return Ok(Called::Made(Made {
                        used,
                        was_admitted: true,
                        rejection: rejection_noted(world, &key),
                    }));
                }
            }
            if deed.effect == Effect::Changes {
                let what = Object::from_iter([
                    ("name", Value::from(name.clone())),
                    ("arguments", arguments.clone()),
                ]);
                world.keep(&notes::begun(&key), what.into()).await.map_err(AgentError::Kept)?;
            }
            if !is_started {
                is_started = true;
                let call_id = call.id.clone();
                world
                    .tell(AgentEvent::ToolStarted {
                        call_id,
                        name: name.clone(),
                        arguments: arguments.clone(),
                    })
                    .await;
            }
            match tool.call(checked.clone(), &context).await {
                // It has done nothing yet; from here on it is a call that changes something
                // somewhere.
                Err(failure) if failure.wants_out && deed.effect == Effect::Shown => {
                    deed = Deed { effect: Effect::Changes, sends: Sends::ModelChosen };
                    context.may_reach_out = true;
                }
                made => break made,
            }
        };
        let (content, is_error) = match made {
            Ok(answer) => (answer.to_text(), false),
            Err(failure) if failure.is_uncertain => {
                return Err(AgentError::Within { message: failure.message });
            }
            Err(failure) => (format!("Tool '{name}' failed: {failure}").into(), true),
        };
        let duration_ms = (world.now_ms() - started_ms).max(0) as u64;
        let mut used = used(self.guard.capped(content), is_error, started_ms, duration_ms);
        used.reached_out = context.may_reach_out;
        keep_result(world, &key, &used).await?;
        Ok(Called::Made(Made { used, was_admitted: true, rejection: None }))
    }
}

/// Notes what came of a call, and tells it.
async fn keep_result(world: &dyn World, key: &str, used: &ToolUse) -> Result<(), AgentError> {
    let ToolUse { call_id, name, arguments, content, is_error, duration_ms, .. } = used.clone();
    let kept = Object::from_iter([
        ("name", Value::from(name.clone())),
        ("arguments", arguments),
        ("content", content.clone().into()),
        ("isError", is_error.into()),
        ("durationMs", (duration_ms as f64).into()),
    ]);
    world.keep(key, kept.into()).await.map_err(AgentError::Kept)?;
    world.tell(AgentEvent::ToolEnded { call_id, name, content, is_error, duration_ms }).await;
    Ok(())
}

/// What a model is told about a call of which only a person knows that it happened.
fn told_of(said: Str) -> Str {
    if said.is_empty() { SAID_TO_BE_DONE.into() } else { said }
}
