//! A list of items in chunks, some of which may be on disk.

use super::Item;
use std::fmt;
use std::sync::Arc;

/// A chunk is closed at this many items or bytes, whichever comes first.
const CHUNK_ITEMS: usize = 4096;
const CHUNK_BYTES: usize = 4 << 20;

/// An immutable list of items. Cloning shares the chunks.
///
/// Walk it with [`Items::iter`]: only one chunk of a list that was moved to disk is in memory at a time.
#[derive(Clone, Default)]
pub struct Items {
    chunks: Vec<Chunk>,
    len: usize,
}

#[derive(Clone)]
enum Chunk {
    Held(Arc<Vec<Item>>),
    Spilled(Arc<dyn Spilled>),
}

/// A chunk that lives outside of memory. Implemented by `store`.
pub trait Spilled: Send + Sync {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Reads the chunk back. When the disk fails the run is marked as failed and the chunk comes back empty,
    /// so that walking a list cannot fail at every step; the engine looks at the mark after each node.
    fn load(&self) -> Arc<Vec<Item>>;
}

/// Decides where a run's data lives and counts it against the run's byte budget. Implemented by `store`.
pub trait Spill: Send + Sync {
    /// Takes note of a full chunk: `Ok(None)` keeps it in memory.
    fn keep(&self, items: &[Item], bytes: usize) -> Option<Arc<dyn Spilled>>;
    /// What went wrong since the run began: the budget is used up, or the disk failed.
    fn failure(&self) -> Option<SpillError>;
}

/// Why a run's data could not be kept.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SpillError {
    #[error("the run's data grew past its limit of {limit} bytes")]
    Budget { limit: usize },
    #[error("the run's data could not be written to or read from disk: {cause}")]
    Disk { cause: String },
}

impl Items {
    pub fn new() -> Self {
        Self::default()
    }

    /// A list of one item.
    pub fn one(item: Item) -> Self {
        vec![item].into()
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The items in order. Each is a cheap clone.
    pub fn iter(&self) -> impl Iterator<Item = Item> + '_ {
        self.chunks.iter().flat_map(|chunk| ChunkIter { items: chunk.items(), at: 0 })
    }

    /// The chunks in order, for work that is done faster on slices.
    pub fn chunks(&self) -> impl Iterator<Item = Arc<Vec<Item>>> + '_ {
        self.chunks.iter().map(Chunk::items)
    }

    pub fn get(&self, index: usize) -> Option<Item> {
        let mut before = 0;
        for chunk in &self.chunks {
            if index < before + chunk.len() {
                return chunk.items().get(index - before).cloned();
            }
            before += chunk.len();
        }
        None
    }

    pub fn first(&self) -> Option<Item> {
        self.get(0)
    }

    pub fn last(&self) -> Option<Item> {
        self.get(self.len.checked_sub(1)?)
    }

    /// All items in one vector, for nodes that need the whole list at hand.
    pub fn to_vec(&self) -> Vec<Item> {
        self.iter().collect()
    }

    /// Adds another list behind this one without copying items.
    pub fn append(&mut self, other: &Items) {
        self.chunks.extend(other.chunks.iter().cloned());
        self.len += other.len;
    }
}

impl Chunk {
    fn len(&self) -> usize {
        match self {
            Chunk::Held(items) => items.len(),
            Chunk::Spilled(spilled) => spilled.len(),
        }
    }

    fn items(&self) -> Arc<Vec<Item>> {
        match self {
            Chunk::Held(items) => items.clone(),
            Chunk::Spilled(spilled) => spilled.load(),
        }
    }
}

struct ChunkIter {
    items: Arc<Vec<Item>>,
    at: usize,
}

impl Iterator for ChunkIter {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let item = self.items.get(self.at)?.clone();
        self.at += 1;
        Some(item)
    }
}

impl From<Vec<Item>> for Items {
    fn from(items: Vec<Item>) -> Self {
        let len = items.len();
        let chunks = if items.is_empty() { Vec::new() } else { vec![Chunk::Held(Arc::new(items))] };
        Self { chunks, len }
    }
}

impl FromIterator<Item> for Items {
    fn from_iter<I: IntoIterator<Item = Item>>(items: I) -> Self {
        items.into_iter().collect::<Vec<_>>().into()
    }
}

impl PartialEq for Items {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Items {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

/// Collects items one by one; full chunks go to the run's [`Spill`], which may move them to disk.
#[derive(Default)]
pub struct ItemsBuilder {
    spill: Option<Arc<dyn Spill>>,
    done: Items,
    open: Vec<Item>,
    open_bytes: usize,
}

impl ItemsBuilder {
    pub fn new(spill: Option<Arc<dyn Spill>>) -> Self {
        Self { spill, ..Self::default() }
    }

    pub fn push(&mut self, item: Item) {
        if self.spill.is_some() {
            self.open_bytes += item.estimated_bytes();
        }
        self.open.push(item);
        if self.open.len() >= CHUNK_ITEMS || self.open_bytes >= CHUNK_BYTES {
            self.close_chunk();
        }
    }

    pub fn len(&self) -> usize {
        self.done.len() + self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// True once the run's data is past its limit or the disk has failed: more items are pointless.
    pub fn is_failed(&self) -> bool {
        self.spill.as_ref().is_some_and(|spill| spill.failure().is_some())
    }

    pub fn finish(mut self) -> Items {
        self.close_chunk();
        self.done
    }

    fn close_chunk(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let items = std::mem::take(&mut self.open);
        let bytes = std::mem::take(&mut self.open_bytes);
        self.done.len += items.len();
        let spilled = self.spill.as_ref().and_then(|spill| spill.keep(&items, bytes));
        self.done.chunks.push(spilled.map_or_else(|| Chunk::Held(Arc::new(items)), Chunk::Spilled));
    }
}

impl Extend<Item> for ItemsBuilder {
    fn extend<I: IntoIterator<Item = Item>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }
}
