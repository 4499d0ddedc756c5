//! The calls of one turn: several at a time, each checked before and on record after, and none made twice.

use super::ToolsAgent;
use super::conversation::Conversation;
use crate::record::ToolUse;
use crate::world::{AgentError, AgentEvent, World};
use futures::{FutureExt as _, StreamExt as _, stream};
use model::{Object, Str, Value};
use node_api::ai::{Effect, ToolCall, ToolCallContext};
use node_api::notes;

/// The result of a call that happened and whose answer nobody has seen.
const SAID_TO_BE_DONE: &str = "It was done. What it answered is not known.";

impl ToolsAgent {
    /// The results of a turn's calls in their order, and whether each was let through.
    pub(super) async fn call_all(
        &self,
        world: &dyn World,
        run: &Conversation,
        iteration: usize,
        calls: &[ToolCall],
    ) -> Result<Vec<(ToolUse, bool)>, AgentError> {
        let mut made = Vec::with_capacity(calls.len());
        for (number, call) in calls.iter().enumerate() {
            let earlier = &calls[..number];
            made.push(self.call(world, run, earlier, format!("tool {iteration}.{}", number + 1), call).boxed());
        }
        let results: Vec<_> = stream::iter(made).buffered(self.options.parallel_tools.max(1)).collect().await;
        results.into_iter().collect()
    }

    /// `earlier` are the calls before it in the same turn.
    async fn call(
        &self,
        world: &dyn World,
        run: &Conversation,
        earlier: &[ToolCall],
        key: String,
        call: &ToolCall,
    ) -> Result<(ToolUse, bool), AgentError> {
        let arguments = call.arguments.to_value();
        let used = |content: Str, is_error: bool, started_ms: i64, duration_ms: u64| ToolUse {
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: arguments.clone(),
            content,
            is_error,
            started_ms,
            duration_ms,
        };
        let started_ms = world.now_ms();
        if earlier.len() >= self.options.max_calls_in_a_turn {
            let most = self.options.max_calls_in_a_turn;
            let words = format!("Only {most} calls of one turn are made. Call the tool again if you still need it.");
            return Ok((used(words.into(), true, started_ms, 0), false));
        }
        let before = run.record.tool_uses.iter().filter(|earlier| earlier.name == call.name && earlier.arguments == arguments).count();
        let same = before + earlier.iter().filter(|earlier| earlier.name == call.name && earlier.arguments == call.arguments).count();
        if same >= self.options.max_same_calls {
            let words =
                format!("'{}' was called {same} times with these arguments. Use the results you have, or try something else.", call.name);
            return Ok((used(words.into(), true, started_ms, 0), false));
        }
        let (tool, checked) = match self.guard.admit(call) {
            Ok(admitted) => admitted,
            Err(refused) => return Ok((used(refused.0, true, started_ms, 0), false)),
        };
        if let Some(kept) = world.note(&key) {
            let seen = || kept.get("content").and_then(Value::as_str).map(Str::from).unwrap_or_default();
            let content = notes::said_of(&kept).map_or_else(seen, |said| self.guard.capped(told_of(said)));
            let is_error = kept.get("isError").and_then(Value::as_bool).unwrap_or_default();
            let duration_ms = kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default() as u64;
            return Ok((used(content, is_error, started_ms, duration_ms), true));
        }
        if tool.definition().effect == Effect::Changes {
            let begun = notes::begun(&key);
            if notes::is_begun(world.note(&begun).as_ref()) {
                return Err(AgentError::Uncertain { tool: call.name.clone(), call: world.full_key(&key) });
            }
            let what = Object::from_iter([("name", Value::from(call.name.clone())), ("arguments", arguments.clone())]);
            world.keep(&begun, what.into()).await.map_err(AgentError::Kept)?;
        }
        let (call_id, name) = (call.id.clone(), call.name.clone());
        world.tell(AgentEvent::ToolStarted { call_id: call_id.clone(), name: name.clone(), arguments: arguments.clone() }).await;
        let context = ToolCallContext { call_id: call_id.clone(), item: self.options.item, key: world.full_key(&key) };
        let (content, is_error) = match tool.call(checked, &context).await {
            Ok(answer) => (answer.to_text(), false),
            Err(failure) if failure.is_uncertain => return Err(AgentError::Within { message: failure.message }),
            Err(failure) => (format!("Tool '{name}' failed: {failure}").into(), true),
        };
        let content = self.guard.capped(content);
        let duration_ms = (world.now_ms() - started_ms).max(0) as u64;
        let kept = Object::from_iter([
            ("name", Value::from(name.clone())),
            ("arguments", arguments.clone()),
            ("content", content.clone().into()),
            ("isError", is_error.into()),
            ("durationMs", (duration_ms as f64).into()),
        ]);
        world.keep(&key, kept.into()).await.map_err(AgentError::Kept)?;
        world.tell(AgentEvent::ToolEnded { call_id, name, content: content.clone(), is_error, duration_ms }).await;
        Ok((used(content, is_error, started_ms, duration_ms), true))
    }
}

/// What a model is told about a call of which only a person knows that it happened.
fn told_of(said: Str) -> Str {
    if said.is_empty() { SAID_TO_BE_DONE.into() } else { said }
}
