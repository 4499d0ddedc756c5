//! Vectors on disk and in memory. Those of the collections that are searched most stay in memory,
//! up to a limit.

use super::meta::CollectionMeta;
use crate::Error;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Pieces of a collection in memory, beyond which they are put together.
const MAX_PIECES: usize = 16;

/// Copies of the vectors of collections.
#[derive(Default)]
pub(in crate::sqlite) struct VectorCache {
    kept: Mutex<HashMap<i64, CachedVectors>>,
    clock: AtomicU64,
}

struct CachedVectors {
    removals: i64,
    pieces: Vec<Arc<VectorChunk>>,
    used: u64,
}

/// Vectors that came together, one after the other.
#[derive(Default)]
struct VectorChunk {
    numbers: Vec<i64>,
    numerals: Vec<f32>,
}

impl VectorChunk {
    fn bytes(&self) -> usize {
        size_of_val(self.numbers.as_slice()) + size_of_val(self.numerals.as_slice())
    }
}

impl VectorCache {
    /// Calls `each` with the number and the nearness of every chunk of a collection. Reads from
    /// disk what is not in memory, where all collections together take at most so much.
    pub(super) fn scan(
        &self,
        connection: &Connection,
        meta: &CollectionMeta,
        vector: &[f32],
        memory_bytes: usize,
        each: &mut dyn FnMut(i64, f32),
    ) -> Result<(), Error> {
        let expected = meta.collection.n_chunks * (size_of_val(vector) + size_of::<i64>());
        if expected > memory_bytes {
            let mut numerals = Vec::with_capacity(vector.len());
            return read(connection, meta, 0, &mut |number, bytes| {
                numerals.clear();
                extend(&mut numerals, bytes);
                if numerals.len() == vector.len() {
                    each(number, product(vector, &numerals));
                }
            });
        }
        for piece in self.pieces(connection, meta, vector.len(), memory_bytes)? {
            for (number, numerals) in
                piece.numbers.iter().zip(piece.numerals.chunks_exact(vector.len()))
            {
                each(*number, product(vector, numerals));
            }
        }
        Ok(())
    }

    pub(super) fn forget(&self, collection: i64) {
        self.kept().remove(&collection);
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<i64, CachedVectors>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The vectors as they are at the moment of the caller's transaction.
    fn pieces(
        &self,
        connection: &Connection,
        meta: &CollectionMeta,
        dimensions: usize,
        memory_bytes: usize,
    ) -> Result<Vec<Arc<VectorChunk>>, Error> {
        let known = self
            .kept()
            .get(&meta.number)
            .filter(|kept| kept.removals == meta.removals)
            .map(|kept| kept.pieces.clone());
        let mut pieces = known.unwrap_or_default();
        let there: usize = pieces.iter().map(|piece| piece.numbers.len()).sum();
        if there > meta.collection.n_chunks {
            // A reader of an earlier moment than the copy, which it leaves alone.
            return Ok(vec![Arc::new(newer(connection, meta, 0, dimensions)?)]);
        }
        if there < meta.collection.n_chunks {
            let last = pieces.last().and_then(|piece| piece.numbers.last()).copied().unwrap_or(0);
            pieces.push(Arc::new(newer(connection, meta, last, dimensions)?));
            if pieces.len() > MAX_PIECES {
                pieces = vec![Arc::new(joined(&pieces))];
            }
        }
        self.keep(meta, pieces.clone(), memory_bytes);
        Ok(pieces)
    }

    fn keep(&self, meta: &CollectionMeta, pieces: Vec<Arc<VectorChunk>>, memory_bytes: usize) {
        let used = self.clock.fetch_add(1, Ordering::Relaxed);
        let mut kept = self.kept();
        if kept.get(&meta.number).is_some_and(|known| known.removals > meta.removals) {
            return;
        }
        kept.insert(meta.number, CachedVectors { removals: meta.removals, pieces, used });
        let size =
            |kept: &CachedVectors| kept.pieces.iter().map(|piece| piece.bytes()).sum::<usize>();
        let mut total: usize = kept.values().map(size).sum();
        while total > memory_bytes {
            let oldest = kept
                .iter()
                .filter(|(number, _)| **number != meta.number)
                .min_by_key(|(_, kept)| kept.used);
            let Some(oldest) = oldest.map(|(number, _)| *number) else { return };
            total -= kept.remove(&oldest).as_ref().map_or(0, size);
        }
    }
}

fn newer(
    connection: &Connection,
    meta: &CollectionMeta,
    after: i64,
    dimensions: usize,
) -> Result<VectorChunk, Error> {
    let mut piece = VectorChunk::default();
    read(connection, meta, after, &mut |number, bytes| {
        if bytes.len() == dimensions * size_of::<f32>() {
            piece.numbers.push(number);
            extend(&mut piece.numerals, bytes);
        }
    })?;
    Ok(piece)
}

fn joined(pieces: &[Arc<VectorChunk>]) -> VectorChunk {
    let mut whole = VectorChunk::default();
    for piece in pieces {
        whole.numbers.extend_from_slice(&piece.numbers);
        whole.numerals.extend_from_slice(&piece.numerals);
    }
    whole
}

fn read(
    connection: &Connection,
    meta: &CollectionMeta,
    after: i64,
    each: &mut dyn FnMut(i64, &[u8]),
) -> Result<(), Error> {
    let sql = "SELECT v.chunk, v.vector FROM chunks c JOIN chunk_vectors v ON v.chunk = c.number
               WHERE c.collection = ?1 AND c.number > ?2 ORDER BY c.number";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query(params![meta.number, after])?;
    while let Some(row) = found.next()? {
        each(row.get(0)?, row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?);
    }
    Ok(())
}

/// The vector of the same direction whose length is one.
pub(in crate::sqlite) fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        vector.to_vec()
    } else {
        vector.iter().map(|number| (f64::from(*number) / length) as f32).collect()
    }
}

pub(in crate::sqlite) fn to_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn extend(numerals: &mut Vec<f32>, bytes: &[u8]) {
    numerals.extend(
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])),
    );
}

/// The sum of products, in eight sums beside each other so that the processor can take them at
/// once.
pub(in crate::sqlite) fn product(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f32 = ones.remainder().iter().zip(others.remainder()).map(|(x, y)| x * y).sum();
    for (xs, ys) in ones.zip(others) {
        for at in 0..8 {
            sums[at] += xs[at] * ys[at];
        }
    }
    sums.iter().sum::<f32>() + rest
}
