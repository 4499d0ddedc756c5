//! What a loop does with its memory: looks back once at the start, and remembers the turn at the
//! end, once.

use crate::host::{AgentError, AgentEvent, AgentHost};
use crate::memory::{
    LongTermSession, consolidate_if_due, entries_message, remember_turn, source_value,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Object, Str, Value};
use ports::NodeError;
use ports::ai::{ChatRole, Memory, MemoryError, Message, ReadMode, SessionId, TurnKey};
use std::sync::Arc;

/// Where a turn is remembered.
#[derive(Clone)]
pub struct MemorySession {
    pub memory: Arc<dyn Memory>,
    pub session: SessionId,
    /// What this turn is called, unless it got its name before a crash.
    pub turn: TurnKey,
    /// What is known beyond the conversation.
    pub long_term: Option<Box<LongTermSession>>,
}

/// What was said before, and what this turn is called.
pub struct RecalledHistory {
    pub messages: Vec<Message>,
    pub turn: TurnKey,
    /// Whether entries of long-term memory are among the messages.
    pub has_entries: bool,
    /// Those entries, if the answer is to name them.
    pub sources: Vec<Value>,
}

const HISTORY: &str = "history";
const REMEMBERED: &str = "remembered";
const CONSOLIDATION: &str = "consolidation";

/// What was said before. A memory that fails is done without.
///
/// The note of it in the journal is encrypted where the memory keeps keys: what was said with that
/// of the conversation, entries with that of their subject.
pub async fn recall(
    world: &dyn AgentHost,
    remembering: &MemorySession,
    about: &str,
) -> Result<RecalledHistory, AgentError> {
    if let Some(kept) = world.recorded_step(HISTORY) {
        return Ok(reread(world, remembering, &kept).await);
    }
    let mut warnings: Vec<Str> = Vec::new();
    let mut note = Object::from_iter([("turn", remembering.turn.0.clone())]);
    let mut messages = match remembering.memory.load(&remembering.session, about).await {
        Ok(recalled) => {
            warnings.extend(recalled.warnings);
            recalled.messages.into_iter().map(without_authority).collect()
        }
        Err(error) => {
            warnings.push(format!("The memory could not be read: {error}").into());
            Vec::new()
        }
    };
    if let Err(error) = note_messages(&mut note, remembering, &messages).await {
        // What cannot be noted could not be found again after a crash.
        warnings.push(format!("The memory could not be read: {error}").into());
        messages.clear();
        note.insert("messages", Value::array(Vec::new()));
    }
    let mut entries = Entries::default();
    if let Some(long_term) = remembering.long_term.as_ref().filter(|known| known.is_read_first()) {
        match find_entries(long_term, about, &mut note).await {
            Ok((found, warning)) => {
                entries = found;
                warnings.extend(warning);
            }
            Err(error) => warnings.push(
                format!("Long-term memory could not be searched: {}", error.message()).into(),
            ),
        }
    }
    let warnings = Value::array(warnings.into_iter().map(Value::from).collect());
    note.insert("warnings", warnings.clone());
    world.record_step(HISTORY, note.into()).await.map_err(AgentError::RecordFailed)?;
    warn(world, Some(&warnings)).await;
    Ok(entries.behind(messages, remembering.turn.clone()))
}

/// What was noted before the loop was cut off.
async fn reread(
    world: &dyn AgentHost,
    remembering: &MemorySession,
    kept: &Value,
) -> RecalledHistory {
    warn(world, kept.get("warnings")).await;
    let turn = kept
        .get("turn")
        .and_then(Value::as_str)
        .map_or_else(|| remembering.turn.clone(), |key| TurnKey(key.into()));
    let mut gone = false;
    let messages = match sealed_part(kept, "sealed") {
        // Notes of earlier versions are in clear text.
        None => kept.get("messages").cloned(),
        Some(sealed) => {
            let opened = remembering.memory.open_copy(&remembering.session, &sealed).await;
            let opened = opened.ok().flatten().and_then(|plain| parse(&plain));
            gone |= opened.is_none();
            opened
        }
    };
    let messages = messages.as_ref().and_then(Value::as_array).unwrap_or_default();
    let messages = messages.iter().filter_map(Message::from_value).collect();
    let mut entries = Entries::default();
    if let (Some(sealed), Some(long_term)) =
        (sealed_part(kept, "sealedEntries"), &remembering.long_term)
    {
        let supplied = &long_term.supplied;
        let opened =
            supplied.memory.open_entries(&supplied.space, &long_term.subject, &sealed).await;
        match opened.ok().flatten().and_then(|plain| parse(&plain)) {
            Some(opened) => entries = Entries::from_value(&opened),
            None => gone = true,
        }
    }
    if gone {
        let words = "What was recalled when the agent began has been deleted since.";
        world.emit(AgentEvent::Warning(words.into())).await;
    }
    entries.behind(messages, turn)
}

async fn note_messages(
    note: &mut Object,
    remembering: &MemorySession,
    messages: &[Message],
) -> Result<(), MemoryError> {
    let value = Value::array(messages.iter().map(Message::to_value).collect());
    if messages.is_empty() {
        note.insert("messages", value);
        return Ok(());
    }
    let plain = model::json::to_string(&value);
    match remembering.memory.seal_copy(&remembering.session, plain.as_bytes()).await? {
        Some(sealed) => note.insert("sealed", STANDARD.encode(sealed)),
        None => note.insert("messages", value),
    };
    Ok(())
}

/// Entries of long-term memory as a message, and what names them.
#[derive(Default)]
struct Entries {
    message: Option<Message>,
    sources: Vec<Value>,
}

impl Entries {
    fn to_value(&self) -> Value {
        let message = self.message.as_ref().map_or(Value::Null, Message::to_value);
        let sources = Value::array(self.sources.clone());
        Object::from_iter([("message", message), ("sources", sources)]).into()
    }

    fn from_value(value: &Value) -> Self {
        let sources = value.get("sources").and_then(Value::as_array).unwrap_or_default();
        Self {
            message: value.get("message").and_then(Message::from_value),
            sources: sources.to_vec(),
        }
    }

    /// They stand right before the question.
    fn behind(self, mut messages: Vec<Message>, turn: TurnKey) -> RecalledHistory {
        let has_entries = self.message.is_some();
        messages.extend(self.message);
        RecalledHistory { messages, turn, has_entries, sources: self.sources }
    }
}

async fn find_entries(
    long_term: &LongTermSession,
    about: &str,
    note: &mut Object,
) -> Result<(Entries, Option<Str>), NodeError> {
    let supplied = &long_term.supplied;
    let (found, warning) = long_term.find(about, supplied.tags.clone(), supplied.top).await?;
    if found.is_empty() {
        return Ok((Entries::default(), warning));
    }
    let is_named = supplied.mode == ReadMode::Retrieve;
    let entries = Entries {
        message: Some(entries_message(&found)),
        sources: found.iter().filter(|_| is_named).map(source_value).collect(),
    };
    let plain = model::json::to_string(&entries.to_value());
    let sealed =
        supplied.memory.seal_entries(&supplied.space, &long_term.subject, plain.as_bytes()).await?;
    note.insert("sealedEntries", STANDARD.encode(sealed));
    Ok((entries, warning))
}

fn sealed_part(note: &Value, name: &str) -> Option<Vec<u8>> {
    STANDARD.decode(note.get(name)?.as_str()?).ok()
}

fn parse(plain: &[u8]) -> Option<Value> {
    model::json::parse(std::str::from_utf8(plain).ok()?).ok()
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
    } else {
        let mut warnings = match remembering.memory.append(&remembering.session, turn, said).await {
            Ok(warnings) => warnings,
            Err(error) => vec![format!("The memory could not be written: {error}").into()],
        };
        if let Some(long_term) = &remembering.long_term
            && let Err(error) = remember_turn(long_term, turn, said, world.now_ms()).await
        {
            let words = format!("The turn could not be stored for consolidation: {error}");
            warnings.push(words.into());
        }
        let warnings = Value::array(warnings.into_iter().map(Value::from).collect());
        warn(world, Some(&warnings)).await;
        world.record_step(REMEMBERED, warnings).await.map_err(AgentError::RecordFailed)?;
    }
    match &remembering.long_term {
        Some(long_term) => consolidate_if_due(world, long_term, CONSOLIDATION).await,
        None => Ok(()),
    }
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
