//! What the journal keeps of a conversation: sealed, readable after a crash, and gone with the
//! conversation.

use crate::support::{ListMemory, TestAgentHost};
use heddle_agent::memory::LongTermSession;
use heddle_agent::{AgentEvent, MemorySession, recall, remember};
use model::{Str, Value, json};
use ports::ai::{
    EntrySource, Memory, MemoryError, Message, NoLongTermMemory, ReadMode, RecalledMessages,
    SessionId, SuppliedLongTerm, TurnKey,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A memory whose key can be destroyed. It turns bytes around, which no reader takes for text.
#[derive(Default)]
struct KeyedMemory {
    kept: ListMemory,
    is_cleared: AtomicBool,
}

#[async_trait::async_trait]
impl Memory for KeyedMemory {
    async fn load(
        &self,
        session: &SessionId,
        about: &str,
    ) -> Result<RecalledMessages, MemoryError> {
        self.kept.load(session, about).await
    }
    async fn append(
        &self,
        session: &SessionId,
        key: &TurnKey,
        turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        self.kept.append(session, key, turn).await
    }
    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError> {
        self.is_cleared.store(true, Ordering::Relaxed);
        self.kept.clear(session).await
    }
    async fn seal_copy(
        &self,
        _session: &SessionId,
        plain: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        Ok(Some(plain.iter().map(|byte| !byte).collect()))
    }
    async fn open_copy(
        &self,
        _session: &SessionId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        let is_there = !self.is_cleared.load(Ordering::Relaxed);
        Ok(is_there.then(|| sealed.iter().map(|byte| !byte).collect()))
    }
}

fn session(memory: Arc<KeyedMemory>, turn: &str) -> MemorySession {
    MemorySession {
        memory,
        session: SessionId::new("s").unwrap(),
        turn: TurnKey(turn.into()),
        long_term: None,
    }
}

#[tokio::test]
async fn a_sealed_note_is_read_after_a_crash_and_not_after_the_session_was_cleared() {
    let memory = Arc::new(KeyedMemory::default());
    memory.kept.put(vec![Message::user("canary")]);
    let world = TestAgentHost::default();
    let first = recall(&world, &session(memory.clone(), "t1"), "?").await.unwrap();
    assert_eq!(first.messages[0].text(), "canary");
    let next = world.after_a_crash();
    let note = heddle_agent::AgentHost::recorded_step(&next, "history").unwrap();
    let text = model::json::to_string(&note);
    assert!(!text.contains("canary") && text.contains("sealed"), "{text}");
    // The memory has gone on meanwhile; what the loop saw counts, under the same turn.
    memory.kept.put(Vec::new());
    let again = recall(&next, &session(memory.clone(), "t2"), "?").await.unwrap();
    assert_eq!((again.messages[0].text().as_str(), again.turn.0.as_str()), ("canary", "t1"));
    memory.clear(&SessionId::new("s").unwrap()).await.unwrap();
    let after = world.after_a_crash();
    let cleared = recall(&after, &session(memory, "t3"), "?").await.unwrap();
    assert!(cleared.messages.is_empty());
    let told = |event: &AgentEvent| matches!(event, AgentEvent::Warning(words) if words.contains("deleted"));
    assert!(after.events().iter().any(told), "it says so");
}

#[tokio::test]
async fn a_note_of_an_earlier_version_in_clear_text_is_read() {
    let messages = Value::array(vec![Message::user("before").to_value()]);
    let note = json!({ "turn": "old", "messages": (messages), "warnings": [] });
    let world = TestAgentHost::default().told_of("history", note);
    let memory = Arc::new(KeyedMemory::default());
    let recalled = recall(&world, &session(memory, "new"), "?").await.unwrap();
    assert_eq!((recalled.messages[0].text().as_str(), recalled.turn.0.as_str()), ("before", "old"));
}

#[tokio::test]
async fn an_agent_goes_on_without_a_long_term_memory_that_is_down() {
    let memory = Arc::new(KeyedMemory::default());
    memory.kept.put(vec![Message::user("before")]);
    let supplied = SuppliedLongTerm {
        memory: Arc::new(NoLongTermMemory),
        space: "s".into(),
        subject: None,
        embedder: None,
        mode: ReadMode::Retrieve,
        top: 5,
        min_score: 0.0,
        recency_weight: 0.0,
        tags: Vec::new(),
        consolidation: None,
    };
    let long_term =
        LongTermSession { supplied, subject: "ada".into(), source: EntrySource::default() };
    let session = MemorySession { long_term: Some(Box::new(long_term)), ..session(memory, "t") };
    let world = TestAgentHost::default();
    let recalled = recall(&world, &session, "?").await.unwrap();
    assert!(!recalled.has_entries && recalled.messages.len() == 1);
    remember(&world, &session, &recalled.turn, &[Message::user("?")]).await.unwrap();
    let told = |event: &AgentEvent| matches!(event, AgentEvent::Warning(words) if words.contains("could not be searched"));
    assert!(world.events().iter().any(told), "and says so");
}
