//! Calls of tools that are not the agent's: whoever asked makes them, and comes back with the
//! results.

use super::ToolsAgent;
use super::loop_state::{AgentLoopState, FinalReply};
use crate::host::{AgentError, AgentEvent, AgentHost};
use crate::record::EndReason;
use model::Value;
use ports::ai::{ChatRole, HANDOFF_KEY, Message, ToolCall, ToolResult};

impl ToolsAgent {
    /// Ends the run if one of the calls is for whoever asked. Those of the agent's own tools are
    /// made before, so that they are not made again when the turn goes on. `None` if all calls are
    /// the agent's own.
    pub(super) async fn hand_off(
        &self,
        world: &dyn AgentHost,
        run: &mut AgentLoopState,
        iteration: usize,
        calls: &[ToolCall],
    ) -> Result<Option<FinalReply>, AgentError> {
        // One that does not fit its schema goes back to the model like any other.
        let is_theirs = |call: &ToolCall| {
            self.options.client_tools.contains(&call.name) && self.guard.admit(call).is_ok()
        };
        let (theirs, own): (Vec<ToolCall>, Vec<ToolCall>) =
            calls.iter().cloned().partition(is_theirs);
        if theirs.is_empty() {
            return Ok(None);
        }
        let answer = run.turn_messages.last().map(Message::text).unwrap_or_default();
        if !own.is_empty() {
            let results = self.caller().call_all(world, run, iteration, &own).await?;
            run.take_results(&own, results);
        }
        if world.recorded_step(HANDOFF_KEY).is_none() {
            let said = run.turn_messages.iter().skip(1).map(Message::to_value).collect();
            world
                .record_step(HANDOFF_KEY, Value::array(said))
                .await
                .map_err(AgentError::RecordFailed)?;
        }
        world.emit(AgentEvent::Handoff { text: answer.clone(), calls: theirs }).await;
        Ok(Some(FinalReply { answer, value: None, ended: EndReason::Handoff }))
    }
}

/// What was said when a turn was handed over, and now has these results. All results of a turn
/// stand in one message.
pub fn with_results(mut said: Vec<Message>, results: Vec<ToolResult>) -> Vec<Message> {
    let results = Message::results(results);
    match said.last_mut().filter(|last| last.role == ChatRole::Tool) {
        Some(last) => last.parts.extend(results.parts),
        None => said.push(results),
    }
    said
}
