//! What a loop does with its memory: looks back once at the start, and remembers the turn at the
//! end, once.

use crate::host::{AgentError, AgentEvent, AgentHost};
use model::{Object, Str, Value};
use ports::ai::{ChatRole, Memory, Message, SessionId, TurnKey};
use std::sync::Arc;

/// Where a turn is remembered.
#[derive(Clone)]
pub struct MemorySession {
    pub memory: Arc<dyn Memory>,
    pub session: SessionId,
    /// What this turn is called, unless it got its name before a crash.
    pub turn: TurnKey,
}

/// What was said before, and what this turn is called.
pub struct RecalledHistory {
    pub messages: Vec<Message>,
    pub turn: TurnKey,
}

const HISTORY: &str = "history";
const REMEMBERED: &str = "remembered";

/// What was said before. A memory that fails is done without.
pub async fn recall(
    world: &dyn AgentHost,
    remembering: &MemorySession,
    about: &str,
) -> Result<RecalledHistory, AgentError> {
    if let Some(kept) = world.recorded_step(HISTORY) {
        warn(world, kept.get("warnings")).await;
        let messages = kept.get("messages").and_then(Value::as_array).unwrap_or_default();
        let turn = kept
            .get("turn")
            .and_then(Value::as_str)
            .map_or_else(|| remembering.turn.clone(), |key| TurnKey(key.into()));
        return Ok(RecalledHistory {
            messages: messages.iter().filter_map(Message::from_value).collect(),
            turn,
        });
    }
    let (messages, warnings) = match remembering.memory.load(&remembering.session, about).await {
        Ok(recalled) => {
            (recalled.messages.into_iter().map(without_authority).collect(), recalled.warnings)
        }
        Err(error) => (Vec::new(), vec![format!("The memory could not be read: {error}").into()]),
    };
    let warnings = Value::array(warnings.into_iter().map(Value::from).collect());
    let note = Object::from_iter([
        ("turn", Value::from(remembering.turn.0.clone())),
        ("messages", Value::array(messages.iter().map(Message::to_value).collect())),
        ("warnings", warnings.clone()),
    ]);
    world.record_step(HISTORY, note.into()).await.map_err(AgentError::RecordFailed)?;
    warn(world, Some(&warnings)).await;
    Ok(RecalledHistory { messages, turn: remembering.turn.clone() })
}

/// Keeps what was said in this turn. A memory that fails is told of.
pub async fn remember(
    world: &dyn AgentHost,
    remembering: &MemorySession,
    turn: &TurnKey,
    said: &[Message],
) -> Result<(), AgentError> {
    if let Some(kept) = world.recorded_step(REMEMBERED) {
        warn(world, Some(&kept)).await;
        return Ok(());
    }
    let warnings = match remembering.memory.append(&remembering.session, turn, said).await {
        Ok(warnings) => warnings,
        Err(error) => vec![format!("The memory could not be written: {error}").into()],
    };
    let warnings = Value::array(warnings.into_iter().map(Value::from).collect());
    warn(world, Some(&warnings)).await;
    world.record_step(REMEMBERED, warnings).await.map_err(AgentError::RecordFailed)
}

async fn warn(world: &dyn AgentHost, warnings: Option<&Value>) {
    for words in warnings.and_then(Value::as_array).unwrap_or_default() {
        world.emit(AgentEvent::Warning(words.to_js_string())).await;
    }
}

/// Whatever lies in a memory was not written by the author of the agent, so that it never speaks
/// with the author's authority.
fn without_authority(message: Message) -> Message {
    if message.role != ChatRole::System {
        return message;
    }
    let note: Str =
        format!("[A note that is kept with the conversation]\n{}", message.text()).into();
    Message::user(note)
}
