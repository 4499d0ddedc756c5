//! Entries of a long-term memory: what they hold, how they are written and asked for.

use crate::ai::Embedding;
use crate::tables::iso;
use model::{Object, Str, Value};

#[derive(Clone, Debug, PartialEq)]
pub struct MemoryEntry {
    pub id: Str,
    /// Whose it is: a user or a session.
    pub subject: Str,
    pub kind: EntryKind,
    pub text: Str,
    pub tags: Vec<Str>,
    pub source: EntrySource,
    pub created_ms: i64,
    pub updated_ms: i64,
    /// Since when it holds; of two facts that contradict each other the later one counts.
    pub valid_ms: i64,
    pub expires_ms: Option<i64>,
    /// The entry that has taken its place.
    pub superseded_by: Option<Str>,
    /// Grows by one with every change.
    pub version: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A statement about the subject, such as one that a model has taken from a turn.
    Fact,
    /// What an agent or a person has written down.
    #[default]
    Note,
    /// A longer text.
    Document,
}

impl EntryKind {
    pub const ALL: [EntryKind; 3] = [EntryKind::Fact, EntryKind::Note, EntryKind::Document];

    pub fn name(self) -> &'static str {
        match self {
            EntryKind::Fact => "fact",
            EntryKind::Note => "note",
            EntryKind::Document => "document",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Where an entry comes from. Parts that are not known are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntrySource {
    pub workflow: Str,
    pub execution: Str,
    pub node: Str,
    pub session: Str,
    /// The key of the turn that it was said in.
    pub turn: Str,
    /// The words of the turn that say it.
    pub quote: Str,
}

impl EntrySource {
    const PARTS: [&'static str; 6] =
        ["workflowId", "executionId", "node", "sessionId", "turn", "quote"];

    fn parts(&self) -> [&Str; 6] {
        [&self.workflow, &self.execution, &self.node, &self.session, &self.turn, &self.quote]
    }

    /// The parts that are known.
    pub fn to_value(&self) -> Value {
        let parts = Self::PARTS.into_iter().zip(self.parts());
        let known = parts.filter(|(_, part)| !part.is_empty());
        Object::from_iter(known.map(|(name, part)| (name, Value::from(part.clone())))).into()
    }

    pub fn from_value(value: &Value) -> Self {
        let part =
            |name: &str| value.get(name).and_then(Value::as_str).map(Str::from).unwrap_or_default();
        let [workflow, execution, node, session, turn, quote] = Self::PARTS.map(part);
        Self { workflow, execution, node, session, turn, quote }
    }
}

impl MemoryEntry {
    /// The entry as answers and items show it.
    pub fn to_value(&self) -> Value {
        let moment = |at: Option<i64>| at.map_or(Value::Null, iso);
        Object::from_iter([
            ("id", Value::from(self.id.clone())),
            ("subject", self.subject.clone().into()),
            ("kind", self.kind.name().into()),
            ("text", self.text.clone().into()),
            ("tags", Value::array(self.tags.iter().cloned().map(Value::from).collect())),
            ("source", self.source.to_value()),
            ("createdAt", iso(self.created_ms)),
            ("updatedAt", iso(self.updated_ms)),
            ("validFrom", iso(self.valid_ms)),
            ("expiresAt", moment(self.expires_ms)),
            ("supersededBy", self.superseded_by.clone().map_or(Value::Null, Value::from)),
            ("version", (self.version as f64).into()),
        ])
        .into()
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewEntry {
    /// What makes it the same entry when it is written again, such as after a crash.
    pub key: Option<Str>,
    pub subject: Str,
    pub kind: EntryKind,
    pub text: Str,
    pub tags: Vec<Str>,
    pub source: EntrySource,
    /// Now, if it is not said.
    pub valid_ms: Option<i64>,
    pub expires_ms: Option<i64>,
    /// Without one, the entry is found by words and time only.
    pub embedding: Option<Embedding>,
    /// Entries of the same subject whose place it takes.
    pub supersedes: Vec<EntryRef>,
    /// The entry that holds in its place from the start.
    pub superseded_by: Option<EntryRef>,
}

/// An entry that is there, or one of those that come with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryRef {
    Existing(Str),
    New(usize),
}

/// An entry that is in the space now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedEntry {
    pub id: Str,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// What is not given stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryChange {
    /// The version that was seen.
    pub version: u64,
    /// A new text, and the vector that goes with it.
    pub text: Option<(Str, Option<Embedding>)>,
    pub kind: Option<EntryKind>,
    pub tags: Option<Vec<Str>>,
    pub valid_ms: Option<i64>,
    pub expires_ms: Option<Option<i64>>,
    pub superseded_by: Option<Option<Str>>,
}

#[derive(Clone, Debug, Default)]
pub struct EntryQuery {
    pub subject: Option<Str>,
    /// Only entries that came after this one.
    pub after: Option<Str>,
    pub limit: usize,
}

/// A question to a memory. Rankings by meaning, by words and by time are combined.
#[derive(Clone, Debug, Default)]
pub struct MemoryQuery {
    /// Only entries of this subject; `None` for all.
    pub subject: Option<Str>,
    /// Words to look for.
    pub words: Option<Str>,
    /// What the question means.
    pub embedding: Option<Embedding>,
    /// Only entries that have all of these.
    pub tags: Vec<Str>,
    /// Only entries of these kinds; empty for all.
    pub kinds: Vec<EntryKind>,
    /// Only entries that are valid from this moment on, or before that one.
    pub from_ms: Option<i64>,
    pub until_ms: Option<i64>,
    /// How near the meaning must be, from 0 to 1, where it is asked for.
    pub min_score: f64,
    /// How much newer entries are preferred, from 0 to 1.
    pub recency_weight: f64,
    pub limit: usize,
    pub with_superseded: bool,
    pub with_expired: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FoundEntry {
    pub entry: MemoryEntry,
    /// How near its meaning is, from 0 to 1; 0 where it is not known.
    pub score: f64,
}
