//! Turns become facts: put down with the turn, extracted by a model later, stored in one step.
//!
//! A turn waits until the facts that come from it are stored; both happen at once, so that a crash
//! neither loses a turn nor consolidates it twice.

use super::LongTermSession;
use super::extraction::{Fact, FactsParser, batch_note, entries_of, numbers, question, read_facts};
use crate::ask::{MAX_REPAIRS, ask_structured};
use crate::host::{AgentError, AgentEvent, AgentHost};
use crate::memory::transcript::render_turns;
use model::{Object, Str, Value};
use ports::NodeError;
use ports::ai::{
    Consolidated, ConsolidationOutcome, ConsolidationPolicy, EntryKind, FoundEntry, LongTermError,
    MemoryEntry, MemoryQuery, Message, PendingTurn, StoredTurn, TurnKey, normalized_text,
};

/// Turns that a model is asked about at once.
const MAX_TURNS: usize = 20;

/// What turns of one question have together, in bytes.
const MAX_TURN_BYTES: usize = 64 << 10;

/// Known facts that the model is shown.
const MAX_KNOWN: usize = 20;

/// From this nearness on two facts are the same, unless a number differs or the model says that one
/// replaces the other.
const SAME_SCORE: f64 = 0.97;

/// What came of a consolidation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsolidationReport {
    pub turns: usize,
    /// Facts that were stored.
    pub facts: usize,
    /// Facts that were known already.
    pub known: usize,
    /// Facts that no turn says word for word.
    pub unsupported: usize,
    pub contradictions: usize,
}

impl ConsolidationReport {
    pub fn to_value(self) -> Value {
        Object::from_iter([
            ("turns", self.turns),
            ("facts", self.facts),
            ("alreadyKnown", self.known),
            ("unsupported", self.unsupported),
            ("contradictions", self.contradictions),
        ])
        .into()
    }

    pub fn add(&mut self, other: Self) {
        self.turns += other.turns;
        self.facts += other.facts;
        self.known += other.known;
        self.unsupported += other.unsupported;
        self.contradictions += other.contradictions;
    }
}

/// Puts a turn down for consolidation, if the memory consolidates.
pub(crate) async fn remember_turn(
    session: &LongTermSession,
    turn: &TurnKey,
    said: &[Message],
    at_ms: i64,
) -> Result<(), LongTermError> {
    let supplied = &session.supplied;
    if supplied.consolidation.is_none() {
        return Ok(());
    }
    let text = render_turns([&StoredTurn::new(turn.clone(), said.to_vec())]);
    let waiting = PendingTurn {
        key: turn.0.clone(),
        subject: session.subject.clone(),
        text: text.into(),
        at_ms,
        source: session.source_of(turn),
    };
    supplied.memory.add_turn(&supplied.space, waiting).await
}

/// Consolidates if enough turns wait. What fails is told, and tried again after the next turn.
pub(crate) async fn consolidate_if_due(
    world: &dyn AgentHost,
    session: &LongTermSession,
    prefix: &str,
) -> Result<(), AgentError> {
    let Some(policy) = session.supplied.consolidation.clone() else { return Ok(()) };
    if policy.every_turns == 0 {
        return Ok(());
    }
    match consolidate(world, session, &policy, prefix, policy.every_turns).await {
        Ok(_) => Ok(()),
        Err(error @ (AgentError::RecordFailed(_) | AgentError::Cancelled)) => Err(error),
        Err(error) => {
            let words = format!("The conversation could not be consolidated: {error}");
            world.emit(AgentEvent::Warning(words.into())).await;
            Ok(())
        }
    }
}

/// Consolidates the oldest turns that wait, if there are so many at least. Everything that a crash
/// must not repeat is kept under keys that begin with the prefix.
pub async fn consolidate(
    world: &dyn AgentHost,
    session: &LongTermSession,
    policy: &ConsolidationPolicy,
    prefix: &str,
    at_least: usize,
) -> Result<ConsolidationReport, AgentError> {
    let done = format!("{prefix}, done");
    if world.recorded_step(&done).is_some() {
        return Ok(ConsolidationReport::default());
    }
    let Some((turns, known)) = batch(world, session, prefix, at_least).await? else {
        return Ok(ConsolidationReport::default());
    };
    let messages = question(&turns, &known);
    let answer =
        ask_structured(world, policy.model.as_ref(), prefix, messages, &FactsParser, MAX_REPAIRS)
            .await?;
    let facts = read_facts(&answer, &turns);
    let mut report = ConsolidationReport {
        turns: turns.len(),
        unsupported: facts.iter().filter(|fact| fact.is_none()).count(),
        ..ConsolidationReport::default()
    };
    let texts: Vec<Str> = facts.iter().flatten().map(|fact| fact.text.clone()).collect();
    let embeddings = session.embed(&texts).await.map_err(AgentError::Format)?;
    let mut embeddings = embeddings.into_iter();
    let (mut is_known, mut vectors) = (Vec::with_capacity(facts.len()), Vec::new());
    for fact in &facts {
        let Some(fact) = fact else {
            is_known.push(false);
            continue;
        };
        let embedding = embeddings.next();
        let query = MemoryQuery {
            subject: Some(session.subject.clone()),
            words: Some(fact.text.clone()),
            embedding: embedding.clone(),
            kinds: vec![EntryKind::Fact],
            limit: 3,
            ..MemoryQuery::default()
        };
        let alike = find(session, query).await?;
        is_known.push(alike.iter().any(|found| is_same(fact, found)));
        vectors.push((fact.text.clone(), embedding));
    }
    report.known = is_known.iter().filter(|known| **known).count();
    let tags = &session.supplied.tags;
    let (mut entries, n_contradictions) =
        entries_of(&facts, &is_known, &turns, &known, &session.subject, tags);
    for entry in &mut entries {
        let vector = vectors.iter().find(|(text, _)| *text == entry.text);
        entry.embedding = vector.and_then(|(_, embedding)| embedding.clone());
    }
    (report.facts, report.contradictions) = (entries.len(), n_contradictions);
    let made = Consolidated {
        subject: session.subject.clone(),
        turns: turns.iter().map(|turn| turn.key.clone()).collect(),
        facts: entries,
    };
    let supplied = &session.supplied;
    let outcome = supplied.memory.consolidate(&supplied.space, made).await.map_err(unusable)?;
    if outcome == ConsolidationOutcome::Stale {
        // Others have done it, or this run has before it was cut off.
        report = ConsolidationReport::default();
    }
    world.record_step(&done, report.to_value()).await.map_err(AgentError::RecordFailed)?;
    Ok(report)
}

/// The turns to be consolidated and the facts that the model is shown: those of the note, or new
/// ones that are noted.
async fn batch(
    world: &dyn AgentHost,
    session: &LongTermSession,
    prefix: &str,
    at_least: usize,
) -> Result<Option<(Vec<PendingTurn>, Vec<MemoryEntry>)>, AgentError> {
    let memory = &session.supplied.memory;
    let (space, subject) = (&session.supplied.space, &session.subject);
    let key = format!("{prefix}, turns");
    let noted = world.recorded_step(&key);
    let most = if noted.is_some() { usize::MAX >> 1 } else { MAX_TURNS.max(at_least) };
    let mut turns = memory.pending_turns(space, subject, most).await.map_err(unusable)?;
    if let Some(noted) = noted {
        let listed = |name: &str| -> Vec<Str> {
            let list = noted.get(name).and_then(Value::as_array).unwrap_or_default();
            list.iter().filter_map(Value::as_str).map(Str::from).collect()
        };
        let keys = listed("turns");
        turns.retain(|turn| keys.contains(&turn.key));
        if turns.len() < keys.len() {
            return Ok(None);
        }
        let mut known = Vec::new();
        for id in listed("known") {
            match memory.entry(space, &id).await {
                Ok(entry) => known.push(entry),
                // The answer names entries by their place, so that none may be missing.
                Err(LongTermError::NoEntry { .. }) => return Ok(None),
                Err(error) => return Err(unusable(error)),
            }
        }
        return Ok(Some((turns, known)));
    }
    if turns.is_empty() || turns.len() < at_least {
        return Ok(None);
    }
    turns.truncate(MAX_TURNS);
    let mut bytes = 0;
    let n_fitting = turns
        .iter()
        .take_while(|turn| {
            let is_first = bytes == 0;
            bytes += turn.text.len().max(1);
            is_first || bytes <= MAX_TURN_BYTES
        })
        .count();
    turns.truncate(n_fitting);
    let about: String = turns.iter().map(|turn| turn.text.as_str()).collect::<Vec<_>>().join("\n");
    let embedding = session.embed(&[about.as_str().into()]).await.map_err(AgentError::Format)?;
    let query = MemoryQuery {
        subject: Some(subject.clone()),
        words: Some(about.into()),
        embedding: embedding.into_iter().next(),
        kinds: vec![EntryKind::Fact],
        limit: MAX_KNOWN,
        ..MemoryQuery::default()
    };
    let known: Vec<MemoryEntry> =
        find(session, query).await?.into_iter().map(|found| found.entry).collect();
    let note = batch_note(&turns, &known);
    world.record_step(&key, note).await.map_err(AgentError::RecordFailed)?;
    Ok(Some((turns, known)))
}

async fn find(
    session: &LongTermSession,
    query: MemoryQuery,
) -> Result<Vec<FoundEntry>, AgentError> {
    let supplied = &session.supplied;
    supplied.memory.search_entries(&supplied.space, query).await.map_err(unusable)
}

/// Whether a fact says what an entry says.
fn is_same(fact: &Fact, found: &FoundEntry) -> bool {
    let text = &found.entry.text;
    normalized_text(&fact.text) == normalized_text(text)
        || (!fact.replaces_another()
            && found.score >= SAME_SCORE
            && numbers(&fact.text) == numbers(text))
}

fn unusable(error: LongTermError) -> AgentError {
    AgentError::Format(NodeError::from(error))
}
