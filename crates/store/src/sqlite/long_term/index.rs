//! What finds entries: an index of each space in memory, read from disk when it is first needed and
//! brought up to date by what was written since, whichever process wrote it.

use super::entries::EntrySealer;
use super::keywords::KeywordIndex;
use super::quantized::QuantizedVectors;
use super::spaces::SpaceRow;
use crate::Error;
use node_api::ai::{EntryKind, MemoryLimits};
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

/// The indexes of the spaces that are searched.
#[derive(Default)]
pub(in crate::sqlite) struct MemoryIndexes {
    kept: Mutex<HashMap<i64, Arc<KeptIndex>>>,
    clock: AtomicU64,
    counts: Mutex<HashMap<i64, ReadCounts>>,
}

#[derive(Default)]
pub(super) struct KeptIndex {
    index: RwLock<SpaceIndex>,
    used: AtomicU64,
    bytes: AtomicUsize,
}

/// Searches since they were last written down.
#[derive(Clone, Copy, Default)]
pub(super) struct ReadCounts {
    pub(super) hits: u64,
    pub(super) misses: u64,
}

/// The entries of one space, each in a slot. A changed entry gets a new slot.
#[derive(Default)]
pub(super) struct SpaceIndex {
    /// The change of the space that it knows.
    seen: i64,
    removals: i64,
    dimensions: usize,
    pub(super) slots: Vec<Slot>,
    n_dead: usize,
    by_number: HashMap<i64, u32>,
    pub(super) by_subject: HashMap<[u8; 32], Vec<u32>>,
    pub(super) vectors: QuantizedVectors,
    pub(super) words: KeywordIndex,
}

pub(super) struct Slot {
    pub(super) number: i64,
    pub(super) is_alive: bool,
    pub(super) kind: EntryKind,
    pub(super) is_superseded: bool,
    pub(super) valid_ms: i64,
    pub(super) expires_ms: Option<i64>,
    /// Hashes of the tags.
    pub(super) tags: Box<[u64]>,
}

impl KeptIndex {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, SpaceIndex> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryIndexes {
    /// The index of a space, as new as the caller's transaction at least.
    pub(super) fn up_to_date(
        &self,
        connection: &Connection,
        row: &SpaceRow,
        sealer: &EntrySealer<'_>,
        limits: &MemoryLimits,
    ) -> Result<Arc<KeptIndex>, Error> {
        let kept = self.kept().entry(row.number).or_default().clone();
        kept.used.store(self.clock.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
        if kept.read().seen >= row.changes {
            return Ok(kept);
        }
        {
            // Whoever comes meanwhile waits for this one to read it.
            let mut index = kept.index.write().unwrap_or_else(PoisonError::into_inner);
            index.follow(connection, row, sealer)?;
            kept.bytes.store(index.bytes(), Ordering::Relaxed);
        }
        self.evict(row.number, limits.index_bytes);
        Ok(kept)
    }

    /// Takes what was removed out of an index, if there is one.
    pub(super) fn follow_removals(&self, connection: &Connection, space: i64) -> Result<(), Error> {
        let Some(kept) = self.kept().get(&space).cloned() else { return Ok(()) };
        let moment = connection.unchecked_transaction()?;
        let Some(row) = SpaceRow::with_number(&moment, space)? else {
            self.forget(space);
            return Ok(());
        };
        let mut index = kept.index.write().unwrap_or_else(PoisonError::into_inner);
        index.remove_gone(&moment, &row)
    }

    pub(super) fn forget(&self, space: i64) {
        self.kept().remove(&space);
    }

    pub(super) fn count_read(&self, space: i64, is_hit: bool) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = counts.entry(space).or_default();
        if is_hit { counts.hits += 1 } else { counts.misses += 1 }
    }

    pub(super) fn take_counts(&self) -> Vec<(i64, ReadCounts)> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *counts).into_iter().collect()
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<i64, Arc<KeptIndex>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets go of the indexes that were not used for longest, as long as all together take too
    /// much. The one in use stays.
    fn evict(&self, in_use: i64, most: usize) {
        let mut kept = self.kept();
        let size = |kept: &Arc<KeptIndex>| kept.bytes.load(Ordering::Relaxed);
        let mut total: usize = kept.values().map(size).sum();
        while total > most {
            let oldest = kept
                .iter()
                .filter(|(number, _)| **number != in_use)
                .min_by_key(|(_, kept)| kept.used.load(Ordering::Relaxed));
            let Some(oldest) = oldest.map(|(number, _)| *number) else { return };
            total -= kept.remove(&oldest).as_ref().map_or(0, size);
        }
    }

    #[cfg(test)]
    pub(super) fn n_kept(&self) -> usize {
        self.kept().len()
    }

    /// The entries in the index of a space that can be found.
    #[cfg(test)]
    pub(super) fn n_alive(&self, space: i64) -> usize {
        self.kept()
            .get(&space)
            .map_or(0, |kept| kept.read().slots.iter().filter(|slot| slot.is_alive).count())
    }
}

impl SpaceIndex {
    fn follow(
        &mut self,
        connection: &Connection,
        row: &SpaceRow,
        sealer: &EntrySealer<'_>,
    ) -> Result<(), Error> {
        if self.seen >= row.changes {
            return Ok(());
        }
        let dimensions = row.space.dimensions.unwrap_or(0);
        // More dead than alive, or other vectors: from the beginning.
        if (self.n_dead > 1000 && self.n_dead > self.slots.len() / 2)
            || (dimensions != 0 && dimensions != self.dimensions)
        {
            *self =
                Self { dimensions, vectors: QuantizedVectors::new(dimensions), ..Self::default() };
        }
        self.remove_gone(connection, row)?;
        let sql = "SELECT number, id, subject, kind, valid_ms, expires_ms, superseded_by IS NOT NULL, body, vector
                   FROM memory_entries WHERE space = ?1 AND change > ?2 ORDER BY number";
        let mut statement = connection.prepare_cached(sql)?;
        let mut changed = statement.query(params![row.number, self.seen])?;
        while let Some(found) = changed.next()? {
            let number: i64 = found.get(0)?;
            let blob = |at: usize| -> rusqlite::Result<Option<&[u8]>> {
                Ok(found.get_ref(at)?.as_blob_or_null()?)
            };
            let id = found.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
            let body = sealer.open_body(row.number, id, blob(7)?.unwrap_or_default())?;
            let vector =
                blob(8)?.map(|sealed| sealer.open_vector(row.number, id, sealed)).transpose()?;
            let kind = found.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
            let slot = Slot {
                number,
                is_alive: true,
                kind: EntryKind::from_name(kind).unwrap_or_default(),
                valid_ms: found.get(4)?,
                expires_ms: found.get(5)?,
                is_superseded: found.get(6)?,
                tags: body.tags.iter().map(|tag| tag_hash(tag)).collect(),
            };
            let subject = blob(2)?.and_then(|hash| hash.try_into().ok()).unwrap_or_default();
            self.push(slot, subject, vector.as_deref(), &body.text);
        }
        self.seen = row.changes;
        Ok(())
    }

    fn push(&mut self, slot: Slot, subject: [u8; 32], vector: Option<&[f32]>, text: &str) {
        let at = self.slots.len() as u32;
        if let Some(before) = self.by_number.insert(slot.number, at) {
            self.bury(before);
        }
        self.slots.push(slot);
        self.by_subject.entry(subject).or_default().push(at);
        self.vectors.push(vector);
        self.words.push(text);
    }

    fn bury(&mut self, at: u32) {
        if let Some(slot) = self.slots.get_mut(at as usize)
            && slot.is_alive
        {
            slot.is_alive = false;
            self.n_dead += 1;
        }
    }

    fn remove_gone(&mut self, connection: &Connection, row: &SpaceRow) -> Result<(), Error> {
        if self.removals >= row.removals {
            return Ok(());
        }
        self.removals = row.removals;
        if self.by_number.is_empty() {
            return Ok(());
        }
        let sql =
            "SELECT number FROM memory_entries INDEXED BY memory_entries_of_space WHERE space = ?1";
        let there: HashSet<i64> = connection
            .prepare_cached(sql)?
            .query_map([row.number], |found| found.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let gone: Vec<i64> =
            self.by_number.keys().filter(|number| !there.contains(number)).copied().collect();
        for number in gone {
            if let Some(at) = self.by_number.remove(&number) {
                self.bury(at);
            }
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        // What tables take for an entry.
        const ENTRY_BYTES: usize = 64;
        let tags: usize = self.slots.iter().map(|slot| size_of_val(&*slot.tags)).sum();
        self.slots.capacity() * size_of::<Slot>()
            + self.slots.len() * ENTRY_BYTES
            + self.by_subject.len() * ENTRY_BYTES
            + tags
            + self.vectors.bytes()
            + self.words.bytes()
    }
}

pub(super) fn tag_hash(tag: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash as _, Hasher as _};
    let mut hasher = DefaultHasher::new();
    tag.hash(&mut hasher);
    hasher.finish()
}
