//! Chunks come, are looked at, and go, inside a transaction of the caller.

use super::meta::CollectionMeta;
use super::vectors::{to_bytes, unit};
use crate::Error;
use crate::sqlite::executions::rows;
use crate::sqlite::{json_list, now_ms};
use model::{Object, Str, Value};
use node_api::ai::Document;
use node_api::collections::{
    ChunkQuery, ChunkSelection, ChunkSource, CollectionError, CollectionLimits, DocumentChunk,
    NewChunks,
};
use rusqlite::{Connection, Row, params};

/// What a chunk takes besides its text and its vector.
const CHUNK_BYTES: usize = 64;

/// Longer names of sources are refused.
const MAX_SOURCE_BYTES: usize = 1000;

pub(super) fn insert(
    connection: &Connection,
    meta: &CollectionMeta,
    new: &NewChunks,
    limits: &CollectionLimits,
) -> Result<Vec<Str>, Error> {
    let dimensions = check(new, limits)?;
    if let Some(dimensions) = dimensions {
        meta.admits(&new.model, dimensions)?;
    }
    if new.replaces_source {
        delete(connection, meta, &ChunkSelection::Source(new.source.clone()), usize::MAX)?;
    }
    let Some(dimensions) = dimensions else { return Ok(Vec::new()) };
    let now = now_ms();
    let mut bytes = 0;
    let mut ids = Vec::with_capacity(new.documents.len());
    let sql = "INSERT INTO chunks (collection, source, content, metadata, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut texts = connection.prepare_cached(sql)?;
    let mut vectors =
        connection.prepare_cached("INSERT INTO chunk_vectors (chunk, vector) VALUES (?1, ?2)")?;
    let mut words = connection.prepare_cached(
        "INSERT INTO chunk_words (rowid, collection, content) VALUES (?1, ?2, ?3)",
    )?;
    for (document, vector) in new.documents.iter().zip(&new.vectors) {
        let metadata = model::json::to_string(&document.metadata.clone().into());
        bytes += CHUNK_BYTES + document.content.len() + metadata.len() + 4 * dimensions;
        texts.execute(params![
            meta.number,
            new.source.as_str(),
            document.content.as_str(),
            metadata,
            now
        ])?;
        let number = connection.last_insert_rowid();
        vectors.execute(params![number, to_bytes(&unit(vector))])?;
        words.execute(params![number, meta.word(), document.content.as_str()])?;
        ids.push(number.to_string().into());
    }
    let sql = "UPDATE collections SET n_chunks = n_chunks + ?2, bytes = bytes + ?3, updated_ms = ?4, model = ?5, dimensions = ?6
               WHERE number = ?1 RETURNING bytes";
    let asked = params![
        meta.number,
        ids.len() as i64,
        bytes as i64,
        now,
        new.model.as_str(),
        dimensions as i64
    ];
    let total: i64 = connection.prepare_cached(sql)?.query_row(asked, |row| row.get(0))?;
    if total > limits.collection_bytes as i64 {
        return Err(CollectionError::Limit {
            what: "The collection is too large",
            limit: limits.collection_bytes,
        }
        .into());
    }
    Ok(ids)
}

/// How long the vectors are; `None` if there are none.
fn check(new: &NewChunks, limits: &CollectionLimits) -> Result<Option<usize>, CollectionError> {
    if new.documents.len() != new.vectors.len() {
        let problem =
            format!("{} chunks were given with {} vectors", new.documents.len(), new.vectors.len());
        return Err(CollectionError::request(problem));
    }
    if new.documents.len() > limits.chunks_per_call {
        return Err(CollectionError::Limit {
            what: "Too many chunks at once",
            limit: limits.chunks_per_call,
        });
    }
    if new.documents.iter().any(|document| document.content.len() > limits.chunk_bytes) {
        return Err(CollectionError::Limit {
            what: "A chunk is too long",
            limit: limits.chunk_bytes,
        });
    }
    if new.source.len() > MAX_SOURCE_BYTES {
        return Err(CollectionError::Limit {
            what: "The name of a source is too long",
            limit: MAX_SOURCE_BYTES,
        });
    }
    let Some(first) = new.vectors.first() else { return Ok(None) };
    if first.is_empty() || new.vectors.iter().any(|vector| vector.len() != first.len()) {
        return Err(CollectionError::request("The vectors have different lengths"));
    }
    if first.len() > limits.dimensions {
        return Err(CollectionError::Limit {
            what: "The vectors are too long",
            limit: limits.dimensions,
        });
    }
    if new.vectors.iter().flatten().any(|number| !number.is_finite()) {
        return Err(CollectionError::request("A vector contains a value that is not a number"));
    }
    Ok(Some(first.len()))
}

pub(super) fn select(
    connection: &Connection,
    meta: &CollectionMeta,
    query: &ChunkQuery,
) -> Result<Vec<DocumentChunk>, Error> {
    let after = match &query.after {
        Some(id) => number_of(id)
            .ok_or_else(|| CollectionError::request("A chunk's ID must be a number"))?,
        None => 0,
    };
    let sql = "SELECT number, source, content, metadata, created_ms FROM chunks
               WHERE collection = ?1 AND number > ?2 AND (?3 IS NULL OR source = ?3) ORDER BY number LIMIT ?4";
    let asked = params![
        meta.number,
        after,
        query.source.as_deref(),
        i64::try_from(query.limit).unwrap_or(i64::MAX)
    ];
    rows(connection.prepare_cached(sql)?.query_map(asked, chunk)?)
}

/// The chunks with these numbers, in any order.
pub(super) fn with_numbers(
    connection: &Connection,
    numbers: &[i64],
) -> Result<Vec<DocumentChunk>, Error> {
    let sql = "SELECT number, source, content, metadata, created_ms FROM chunks WHERE number IN (SELECT value FROM json_each(?1))";
    let list = model::json::to_string(&Value::array(
        numbers.iter().map(|number| Value::from(*number)).collect(),
    ));
    rows(connection.prepare_cached(sql)?.query_map([list], chunk)?)
}

pub(super) fn sources(
    connection: &Connection,
    meta: &CollectionMeta,
) -> Result<Vec<ChunkSource>, Error> {
    let sql = "SELECT source, count(*), max(created_ms) FROM chunks WHERE collection = ?1 GROUP BY source ORDER BY source";
    let mut statement = connection.prepare_cached(sql)?;
    rows(statement.query_map([meta.number], |row| {
        Ok(ChunkSource {
            name: row.get::<_, String>(0)?.into(),
            n_chunks: row.get::<_, i64>(1)?.max(0) as usize,
            created_ms: row.get(2)?,
        })
    })?)
}

/// Removes at most so many chunks.
pub(super) fn delete(
    connection: &Connection,
    meta: &CollectionMeta,
    which: &ChunkSelection,
    most: usize,
) -> Result<usize, Error> {
    let mut numbers: Vec<i64> = match which {
        ChunkSelection::Metadata(fields) => with_metadata(connection, meta, fields)?,
        ChunkSelection::All | ChunkSelection::Source(_) => {
            let source =
                if let ChunkSelection::Source(name) = which { Some(name.as_str()) } else { None };
            let sql =
                "SELECT number FROM chunks WHERE collection = ?1 AND (?2 IS NULL OR source = ?2)";
            rows(
                connection
                    .prepare_cached(sql)?
                    .query_map(params![meta.number, source], |row| row.get(0))?,
            )?
        }
        ChunkSelection::Ids(ids) => {
            let sql = "SELECT number FROM chunks WHERE collection = ?1 AND number IN (SELECT CAST(value AS INTEGER) FROM json_each(?2))";
            rows(
                connection
                    .prepare_cached(sql)?
                    .query_map(params![meta.number, json_list(ids.clone())], |row| row.get(0))?,
            )?
        }
    };
    numbers.truncate(most);
    if numbers.is_empty() {
        return Ok(0);
    }
    let sql = "SELECT ifnull(sum(octet_length(content) + octet_length(metadata)), 0) FROM chunks WHERE number = ?1";
    let mut size = connection.prepare_cached(sql)?;
    let mut words = connection.prepare_cached("DELETE FROM chunk_words WHERE rowid = ?1")?;
    let mut texts = connection.prepare_cached("DELETE FROM chunks WHERE number = ?1")?;
    let each = CHUNK_BYTES + 4 * meta.collection.dimensions.unwrap_or_default();
    let mut bytes = 0;
    for number in &numbers {
        bytes += each as i64 + size.query_row([number], |row| row.get::<_, i64>(0))?;
        words.execute([number])?;
        texts.execute([number])?;
    }
    let sql = "UPDATE collections SET n_chunks = max(n_chunks - ?2, 0), bytes = max(bytes - ?3, 0), removals = removals + 1,
               updated_ms = ?4 WHERE number = ?1";
    connection.prepare_cached(sql)?.execute(params![
        meta.number,
        numbers.len() as i64,
        bytes,
        now_ms()
    ])?;
    Ok(numbers.len())
}

/// The numbers of the chunks whose metadata have these fields. Values are compared as texts: a form
/// knows no others.
pub(super) fn with_metadata(
    connection: &Connection,
    meta: &CollectionMeta,
    fields: &Object,
) -> Result<Vec<i64>, Error> {
    let wanted: Object = fields
        .iter()
        .map(|(key, value)| {
            let text = match value {
                Value::Object(_) | Value::Array(_) => model::json::to_string(value).into(),
                other => other.to_js_string(),
            };
            (key.clone(), Value::from(text))
        })
        .collect();
    let sql = "SELECT number FROM chunks WHERE collection = ?1 AND NOT EXISTS (
                 SELECT 1 FROM json_each(?2) wanted WHERE NOT EXISTS (
                   SELECT 1 FROM json_each(chunks.metadata) field WHERE field.key = wanted.key AND wanted.value = CASE field.type
                     WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' WHEN 'null' THEN 'null' ELSE CAST(field.value AS TEXT) END))";
    let list = model::json::to_string(&wanted.into());
    rows(connection.prepare_cached(sql)?.query_map(params![meta.number, list], |row| row.get(0))?)
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<DocumentChunk> {
    let metadata: String = row.get(3)?;
    let metadata = model::json::parse(&metadata)
        .ok()
        .and_then(|value| value.as_object().cloned())
        .unwrap_or_default();
    Ok(DocumentChunk {
        id: row.get::<_, i64>(0)?.to_string().into(),
        source: row.get::<_, String>(1)?.into(),
        document: Document { content: row.get::<_, String>(2)?.into(), metadata },
        created_ms: row.get(4)?,
    })
}

pub(super) fn number_of(id: &str) -> Option<i64> {
    id.parse().ok()
}
