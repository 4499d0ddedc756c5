//! Finding chunks: by nearness of their vectors, and by their words where both are wanted.

use super::chunks::{number_of, with_metadata, with_numbers};
use super::meta::CollectionMeta;
use super::vectors::{VectorCache, unit};
use crate::Error;
use crate::sqlite::executions::rows;
use node_api::ai::ScoredDocument;
use node_api::collections::{ChunkSearch, CollectionError, CollectionLimits};
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};

/// Words of a question that are looked for.
const MAX_WORDS: usize = 32;

/// How many results each of two rankings brings before they are put together.
const RANKED: usize = 60;

/// Evens out the first places of two rankings; the usual number.
const FUSION: f64 = 60.0;

pub(super) fn search(
    connection: &Connection,
    meta: &CollectionMeta,
    question: &ChunkSearch,
    cache: &VectorCache,
    limits: &CollectionLimits,
) -> Result<Vec<ScoredDocument>, Error> {
    if question.vector.is_empty() || question.vector.iter().any(|number| !number.is_finite()) {
        return Err(CollectionError::request("The query vector is invalid").into());
    }
    if meta.collection.n_chunks == 0 {
        return Ok(Vec::new());
    }
    meta.admits(&question.model, question.vector.len())?;
    let limit = question.query.limit.min(limits.results);
    let scores = scores(connection, meta, question, cache, limits.memory_bytes)?;
    let ranked = match question.words.as_deref() {
        Some(words) => by_both(connection, meta, words, scores, limit)?,
        None => nearest(scores, limit),
    };
    let numbers: Vec<i64> = ranked.iter().map(|(number, _)| *number).collect();
    let chunks = with_numbers(connection, &numbers)?;
    let mut chunks: HashMap<i64, _> =
        chunks.into_iter().filter_map(|chunk| Some((number_of(&chunk.id)?, chunk))).collect();
    let found = ranked.into_iter().filter_map(|(number, score)| {
        let chunk = chunks.remove(&number)?;
        Some(ScoredDocument { id: chunk.id, document: chunk.document, score: f64::from(score) })
    });
    Ok(found.collect())
}

/// How near each chunk is that may be found.
fn scores(
    connection: &Connection,
    meta: &CollectionMeta,
    question: &ChunkSearch,
    cache: &VectorCache,
    memory_bytes: usize,
) -> Result<Vec<(i64, f32)>, Error> {
    let wanted = &question.query;
    let allowed: Option<HashSet<i64>> = match wanted.metadata.is_empty() {
        true => None,
        false => Some(with_metadata(connection, meta, &wanted.metadata)?.into_iter().collect()),
    };
    let least = wanted.min_score.unwrap_or(0.0) as f32;
    let mut scores = Vec::with_capacity(meta.collection.n_chunks);
    cache.scan(
        connection,
        meta,
        &unit(&question.vector),
        memory_bytes,
        &mut |number, product| {
            // Rounding may bring a vector nearer to itself than it is.
            let score = product.clamp(0.0, 1.0);
            if score >= least && allowed.as_ref().is_none_or(|allowed| allowed.contains(&number)) {
                scores.push((number, score));
            }
        },
    )?;
    Ok(scores)
}

/// The nearest, best first; of those that are as near, the oldest.
fn nearest(mut scores: Vec<(i64, f32)>, limit: usize) -> Vec<(i64, f32)> {
    let order =
        |one: &(i64, f32), other: &(i64, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
    if limit == 0 {
        return Vec::new();
    }
    if scores.len() > limit {
        scores.select_nth_unstable_by(limit - 1, order);
        scores.truncate(limit);
    }
    scores.sort_by(order);
    scores
}

/// Puts the ranking by nearness and the one by words together.
fn by_both(
    connection: &Connection,
    meta: &CollectionMeta,
    words: &str,
    scores: Vec<(i64, f32)>,
    limit: usize,
) -> Result<Vec<(i64, f32)>, Error> {
    let by_words = with_words(connection, meta, words, RANKED.max(limit))?;
    let wanted: HashSet<i64> = by_words.iter().copied().collect();
    let mut known: HashMap<i64, f32> =
        scores.iter().filter(|(number, _)| wanted.contains(number)).copied().collect();
    let by_nearness = nearest(scores, RANKED.max(limit));
    known.extend(by_nearness.iter().copied());
    let mut points: HashMap<i64, f64> = HashMap::new();
    let rankings = [by_nearness.iter().map(|(number, _)| *number).collect(), by_words];
    for ranking in rankings {
        for (place, number) in
            ranking.into_iter().filter(|number| known.contains_key(number)).enumerate()
        {
            *points.entry(number).or_default() += 1.0 / (FUSION + place as f64 + 1.0);
        }
    }
    let mut ranked: Vec<(i64, f64)> = points.into_iter().collect();
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    let found = ranked
        .into_iter()
        .take(limit)
        .map(|(number, _)| (number, known.get(&number).copied().unwrap_or_default()));
    Ok(found.collect())
}

/// The chunks that have words of a text, those with the rarest first.
fn with_words(
    connection: &Connection,
    meta: &CollectionMeta,
    text: &str,
    limit: usize,
) -> Result<Vec<i64>, Error> {
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(MAX_WORDS)
        .map(|word| format!("\"{word}\""))
        .collect();
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let asked = format!("collection : {} AND content : ({})", meta.word(), words.join(" OR "));
    let sql = "SELECT rowid FROM chunk_words WHERE chunk_words MATCH ?1 ORDER BY bm25(chunk_words, 0.0, 1.0), rowid LIMIT ?2";
    rows(
        connection
            .prepare_cached(sql)?
            .query_map(params![asked, limit as i64], |row| row.get(0))?,
    )
}
