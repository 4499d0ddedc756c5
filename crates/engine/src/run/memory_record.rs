//! Records what a long-term memory found and took, for the node above it.
//!
//! A record names entries and does not hold what they say: whoever deletes an entry leaves no copy
//! behind here.

use super::subnode_record::SubNodeRecorder;
use model::{Item, Items, Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{
    AddedEntry, Consolidated, ConsolidationOutcome, EntryChange, EntryQuery, FoundEntry,
    LongTermError, LongTermMemory, MemoryEntry, MemoryLimits, MemoryQuery, MemorySpace, NewEntry,
    PendingGroup, PendingTurn, SpaceName, SuppliedLongTerm,
};
use std::sync::Arc;

/// The same memory with a record of each use.
pub(super) fn recorded(supplied: SuppliedLongTerm, service: &SubNodeRecorder) -> SuppliedLongTerm {
    let memory = RecordedLongTerm { memory: supplied.memory, service: service.clone() };
    SuppliedLongTerm { memory: Arc::new(memory), ..supplied }
}

struct RecordedLongTerm {
    memory: Arc<dyn LongTermMemory>,
    service: SubNodeRecorder,
}

impl RecordedLongTerm {
    async fn record(
        &self,
        began_ms: i64,
        (action, space): (&str, &str),
        mut input: Object,
        output: Result<Object, &LongTermError>,
    ) {
        input.insert("action", action);
        input.insert("space", space);
        let output = output
            .map(|mut shown| {
                shown.insert("action", action);
                Items::one(Item::new(shown))
            })
            .map_err(|error| NodeError::from(error.clone()));
        self.service.record(began_ms, input, output).await;
    }
}

/// A found entry as records and sources name it.
fn found_value(found: &FoundEntry) -> Value {
    let entry = &found.entry;
    let optional = |part: &Str| Some(part.clone()).filter(|part| !part.is_empty());
    let known = [
        ("id", Some(entry.id.clone())),
        ("kind", Some(entry.kind.name().into())),
        ("executionId", optional(&entry.source.execution)),
        ("turn", optional(&entry.source.turn)),
    ];
    let mut shown: Object = known
        .into_iter()
        .filter_map(|(name, part)| part.map(|part| (name, Value::from(part))))
        .collect();
    shown.insert("score", found.score);
    shown.into()
}

#[async_trait::async_trait]
impl LongTermMemory for RecordedLongTerm {
    fn memory_limits(&self) -> MemoryLimits {
        self.memory.memory_limits()
    }

    async fn search_entries(
        &self,
        space: &str,
        query: MemoryQuery,
    ) -> Result<Vec<FoundEntry>, LongTermError> {
        let began_ms = self.service.now_ms();
        let input = Object::from_iter([
            ("limit", Value::from(query.limit)),
            ("isSemantic", query.embedding.is_some().into()),
        ]);
        let found = self.memory.search_entries(space, query).await;
        let output = found.as_ref().map(|found| {
            Object::from_iter([("entries", Value::array(found.iter().map(found_value).collect()))])
        });
        self.record(began_ms, ("searchMemory", space), input, output).await;
        found
    }

    async fn add_entries(
        &self,
        space: &str,
        new: Vec<NewEntry>,
    ) -> Result<Vec<AddedEntry>, LongTermError> {
        let began_ms = self.service.now_ms();
        let input = Object::from_iter([("entries", new.len())]);
        let added = self.memory.add_entries(space, new).await;
        let output = added.as_ref().map(|added| {
            let shown = |entry: &AddedEntry| -> Value {
                Object::from_iter([
                    ("id", Value::from(entry.id.clone())),
                    ("isNew", entry.is_new.into()),
                ])
                .into()
            };
            Object::from_iter([("entries", Value::array(added.iter().map(shown).collect()))])
        });
        self.record(began_ms, ("saveMemory", space), input, output).await;
        added
    }

    async fn consolidate(
        &self,
        space: &str,
        made: Consolidated,
    ) -> Result<ConsolidationOutcome, LongTermError> {
        let began_ms = self.service.now_ms();
        let input = Object::from_iter([
            ("turns", Value::from(made.turns.len())),
            ("facts", made.facts.len().into()),
        ]);
        let done = self.memory.consolidate(space, made).await;
        let output = done
            .as_ref()
            .map(|outcome| Object::from_iter([("isDone", *outcome == ConsolidationOutcome::Done)]));
        self.record(began_ms, ("consolidateMemory", space), input, output).await;
        done
    }

    async fn spaces(&self) -> Result<Vec<MemorySpace>, LongTermError> {
        self.memory.spaces().await
    }
    async fn space(&self, which: &SpaceName) -> Result<MemorySpace, LongTermError> {
        self.memory.space(which).await
    }
    async fn open_space(&self, name: &str) -> Result<MemorySpace, LongTermError> {
        self.memory.open_space(name).await
    }
    async fn delete_space(&self, id: &str) -> Result<(), LongTermError> {
        self.memory.delete_space(id).await
    }
    async fn change_entry(
        &self,
        space: &str,
        id: &str,
        change: EntryChange,
    ) -> Result<MemoryEntry, LongTermError> {
        self.memory.change_entry(space, id, change).await
    }
    async fn delete_entry(&self, space: &str, id: &str) -> Result<(), LongTermError> {
        self.memory.delete_entry(space, id).await
    }
    async fn delete_subject(
        &self,
        space: Option<&str>,
        subject: &str,
    ) -> Result<usize, LongTermError> {
        self.memory.delete_subject(space, subject).await
    }
    async fn entry(&self, space: &str, id: &str) -> Result<MemoryEntry, LongTermError> {
        self.memory.entry(space, id).await
    }
    async fn entries(
        &self,
        space: &str,
        query: EntryQuery,
    ) -> Result<Vec<MemoryEntry>, LongTermError> {
        self.memory.entries(space, query).await
    }
    async fn add_turn(&self, space: &str, turn: PendingTurn) -> Result<(), LongTermError> {
        self.memory.add_turn(space, turn).await
    }
    async fn pending_turns(
        &self,
        space: &str,
        subject: &str,
        limit: usize,
    ) -> Result<Vec<PendingTurn>, LongTermError> {
        self.memory.pending_turns(space, subject, limit).await
    }
    async fn pending_subjects(
        &self,
        space: &str,
        limit: usize,
    ) -> Result<Vec<PendingGroup>, LongTermError> {
        self.memory.pending_subjects(space, limit).await
    }
    async fn seal_entries(
        &self,
        space: &str,
        subject: &str,
        plain: &[u8],
    ) -> Result<Vec<u8>, LongTermError> {
        self.memory.seal_entries(space, subject, plain).await
    }
    async fn open_entries(
        &self,
        space: &str,
        subject: &str,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, LongTermError> {
        self.memory.open_entries(space, subject, sealed).await
    }
}
