//! Finding entries: by meaning, by words and by time, put together.

use super::entries::{EntrySealer, FIELDS, SealedEntry};
use super::index::{MemoryIndexes, Slot, SpaceIndex, tag_hash};
use super::spaces::SpaceRow;
use super::subject_hash;
use crate::Error;
use crate::sqlite::collections::{product, unit};
use crate::sqlite::now_ms;
use node_api::ai::{FoundEntry, LongTermError, MemoryLimits, MemoryQuery};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::HashMap;

/// How many results each ranking brings before they are put together.
const RANKED: usize = 64;

/// Evens out the first places of rankings; the usual number.
const FUSION: f64 = 60.0;

/// How far a quantized score may be from the exact one.
const QUANTIZED_ERROR: f64 = 0.02;

/// What may be found, as the index knows it.
struct Candidate {
    number: i64,
    valid_ms: i64,
    /// How well the words fit.
    words: Option<f32>,
    /// How near the meaning is.
    score: Option<f64>,
}

pub(super) fn search(
    connection: &Connection,
    row: &SpaceRow,
    sealer: &EntrySealer<'_>,
    query: &MemoryQuery,
    indexes: &MemoryIndexes,
    limits: &MemoryLimits,
) -> Result<Vec<FoundEntry>, Error> {
    let limit = query.limit.min(limits.results);
    if limit == 0 || row.space.statistics.entries == 0 {
        return Ok(Vec::new());
    }
    let question = match &query.embedding {
        Some(embedding) => {
            if embedding.vector.is_empty()
                || embedding.vector.iter().any(|number| !number.is_finite())
            {
                return Err(LongTermError::value("The query vector is invalid").into());
            }
            row.admits(&embedding.model, embedding.vector.len())?;
            Some(unit(&embedding.vector))
        }
        None => None,
    };
    let kept = indexes.up_to_date(connection, row, sealer, limits)?;
    let mut candidates =
        candidates(&kept.read(), query, question.as_deref(), RANKED.max(2 * limit));
    drop(kept);
    if let Some(question) = &question {
        rescore(connection, row, sealer, question, &mut candidates)?;
        // What has no vector is judged by its words.
        candidates.retain(|found| found.score.is_none_or(|score| score >= query.min_score));
    }
    let mut found = Vec::with_capacity(limit);
    let subject = query.subject.as_ref().map(|subject| subject_hash(subject));
    let sql =
        format!("SELECT {FIELDS}, subject FROM memory_entries WHERE number = ?1 AND space = ?2");
    let mut statement = connection.prepare_cached(&sql)?;
    for candidate in ranked(candidates, query.recency_weight.clamp(0.0, 1.0)) {
        let sealed = statement
            .query_row(params![candidate.number, row.number], |found| {
                Ok((SealedEntry::read(found)?, found.get::<_, Vec<u8>>("subject")?))
            })
            .optional()?;
        // The index may be newer than the transaction.
        let Some((sealed, hash)) = sealed else { continue };
        if subject.as_ref().is_some_and(|subject| *subject != hash) {
            continue;
        }
        let score = candidate.score.unwrap_or(0.0);
        found.push(FoundEntry { entry: sealed.open(sealer)?, score });
        if found.len() == limit {
            break;
        }
    }
    Ok(found)
}

/// The best of each ranking, each entry once.
fn candidates(
    index: &SpaceIndex,
    query: &MemoryQuery,
    question: Option<&[f32]>,
    most: usize,
) -> Vec<Candidate> {
    let filter = SlotFilter::new(query);
    let allows = |at: u32| index.slots.get(at as usize).is_some_and(|slot| filter.allows(slot));
    let subject: Option<[u8; 32]> =
        query.subject.as_ref().and_then(|subject| subject_hash(subject).try_into().ok());
    let own: Option<&[u32]> = match &subject {
        Some(hash) => match index.by_subject.get(hash) {
            Some(slots) => Some(slots),
            None => return Vec::new(),
        },
        None => None,
    };
    let all = 0..index.slots.len() as u32;
    let slots: Box<dyn Iterator<Item = u32> + '_> = match own {
        Some(slots) => Box::new(slots.iter().copied()),
        None => Box::new(all),
    };
    let slots = slots.filter(|at| allows(*at));
    let mut found: HashMap<u32, Candidate> = HashMap::new();
    let candidate = |at: u32| Candidate {
        number: index.slots[at as usize].number,
        valid_ms: index.slots[at as usize].valid_ms,
        words: None,
        score: None,
    };
    let words = query.words.as_deref().filter(|words| !words.trim().is_empty());
    if question.is_none() && words.is_none() {
        let newest: Vec<(u32, i64)> =
            slots.map(|at| (at, index.slots[at as usize].valid_ms)).collect();
        let newest = best(newest, most, |one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
        return newest.into_iter().map(|(at, _)| candidate(at)).collect();
    }
    let by_score =
        |one: &(u32, f32), other: &(u32, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
    if let Some(question) = question {
        let least = (query.min_score - QUANTIZED_ERROR) as f32;
        let mut scores = Vec::new();
        index.vectors.scan(slots, question, |at, score| {
            if score >= least {
                scores.push((at, score));
            }
        });
        for (at, _) in best(scores, most, by_score) {
            found.insert(at, candidate(at));
        }
    }
    if let Some(words) = words {
        let own: Option<std::collections::HashSet<u32>> =
            own.map(|slots| slots.iter().copied().collect());
        let scores = index
            .words
            .scores(words, |at| own.as_ref().is_none_or(|own| own.contains(&at)) && allows(at));
        for (at, score) in best(scores, most, by_score) {
            found.entry(at).or_insert_with(|| candidate(at)).words = Some(score);
        }
    }
    found.into_values().collect()
}

/// What a question asks for beside its subject.
struct SlotFilter<'q> {
    query: &'q MemoryQuery,
    tags: Vec<u64>,
    now: i64,
}

impl<'q> SlotFilter<'q> {
    fn new(query: &'q MemoryQuery) -> Self {
        let tags = query.tags.iter().map(|tag| tag_hash(tag)).collect();
        Self { query, tags, now: now_ms() }
    }

    fn allows(&self, slot: &Slot) -> bool {
        slot.is_alive
            && (self.query.with_superseded || !slot.is_superseded)
            && (self.query.with_expired
                || slot.expires_ms.is_none_or(|expires_ms| expires_ms > self.now))
            && (self.query.kinds.is_empty() || self.query.kinds.contains(&slot.kind))
            && self.query.from_ms.is_none_or(|from_ms| slot.valid_ms >= from_ms)
            && self.query.until_ms.is_none_or(|until_ms| slot.valid_ms < until_ms)
            && self.tags.iter().all(|tag| slot.tags.contains(tag))
    }
}

/// Compares candidates exactly.
fn rescore(
    connection: &Connection,
    row: &SpaceRow,
    sealer: &EntrySealer<'_>,
    question: &[f32],
    candidates: &mut [Candidate],
) -> Result<(), Error> {
    let sql = "SELECT id, vector FROM memory_entries WHERE number = ?1 AND space = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    for candidate in candidates {
        let mut found = statement.query(params![candidate.number, row.number])?;
        let Some(found) = found.next()? else { continue };
        let id = found.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        let sealed = found.get_ref(1)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        if let Some(sealed) = sealed {
            let vector = sealer.open_vector(row.number, id, sealed)?;
            // Rounding may bring a vector nearer to itself than it is.
            candidate.score = Some(f64::from(product(question, &vector)).clamp(0.0, 1.0));
        }
    }
    Ok(())
}

/// Puts the rankings by nearness, by words and by time together, best first.
fn ranked(candidates: Vec<Candidate>, recency_weight: f64) -> Vec<Candidate> {
    let mut points: HashMap<i64, f64> = HashMap::new();
    let mut add = |mut ranking: Vec<(i64, f64)>, weight: f64| {
        ranking.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        for (place, (number, _)) in ranking.into_iter().enumerate() {
            *points.entry(number).or_default() += weight / (FUSION + place as f64 + 1.0);
        }
    };
    let of = |value: fn(&Candidate) -> Option<f64>| -> Vec<(i64, f64)> {
        candidates.iter().filter_map(|found| Some((found.number, value(found)?))).collect()
    };
    let (by_meaning, by_words) = (of(|found| found.score), of(|found| found.words.map(f64::from)));
    // Without a question, newer is better.
    let is_by_time = by_meaning.is_empty() && by_words.is_empty();
    add(by_meaning, 1.0);
    add(by_words, 1.0);
    add(of(|found| Some(found.valid_ms as f64)), if is_by_time { 1.0 } else { recency_weight });
    let mut ranked = candidates;
    let points_of = |found: &Candidate| points.get(&found.number).copied().unwrap_or(0.0);
    ranked.sort_by(|one, other| {
        points_of(other).total_cmp(&points_of(one)).then(one.number.cmp(&other.number))
    });
    ranked
}

/// The first so many in an order.
fn best<T>(mut all: Vec<T>, most: usize, order: impl Fn(&T, &T) -> std::cmp::Ordering) -> Vec<T> {
    if all.len() > most && most > 0 {
        all.select_nth_unstable_by(most - 1, &order);
        all.truncate(most);
    }
    all.sort_by(&order);
    all
}
