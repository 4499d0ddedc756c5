//! A list of items in chunks, some of which may be on disk.

use super::{Item, PairedItem, Pairs};
use crate::{MAX_ITEM_DEPTH, Value};
use std::fmt;
use std::sync::Arc;

/// A chunk is closed at this many items or bytes, whichever comes first.
const CHUNK_ITEMS: usize = 4096;
const CHUNK_BYTES: usize = 4 << 20;

/// An immutable list of items. Cloning shares the chunks.
///
/// Walk it with [`Items::iter`]: only one chunk of a list that was moved to disk is in memory at a
/// time.
#[derive(Clone, Default)]
pub struct Items {
    chunks: Vec<ItemChunk>,
    len: usize,
    /// An item was left out because it was nested too deeply.
    lost_deep_item: bool,
    watch: Option<WalkGuard>,
}

/// Asked now and then while a list is walked. After a `false` the walk ends early, and whoever gave
/// the list out fails the work on it.
pub type WalkGuard = fn() -> bool;

/// Items between two such questions.
const ITEMS_BETWEEN: usize = 16;

#[derive(Clone)]
struct ItemChunk {
    place: ChunkStorage,
    pairing: Pairing,
}

#[derive(Clone)]
enum ChunkStorage {
    InMemory(Arc<Vec<Item>>),
    Spilled(Arc<dyn Spilled>),
}

/// Which pairing the items of a chunk show.
#[derive(Clone, Copy)]
enum Pairing {
    /// The one they carry.
    Own,
    /// Their place in the list they came in: the chunk's first item has number `from`.
    ByIndex { input: u32, from: u32 },
    /// All of them the same item of the first input.
    With { item: u32 },
}

/// A chunk that a [`Spill`] has taken over. Implemented by `store`.
pub trait Spilled: Send + Sync {
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Reads the chunk back. When the disk fails the run is marked as failed and the chunk comes
    /// back empty, so that walking a list cannot fail at every step; the engine looks at the mark
    /// after each node.
    fn load(&self) -> Arc<Vec<Item>>;
    /// The chunk if it is in memory.
    fn held(&self) -> Option<Arc<Vec<Item>>>;
    /// About how many bytes a chunk has that is in memory, if somebody has counted them.
    fn weight(&self) -> Option<usize> {
        None
    }
    /// Why a chunk that belongs to no [`Spill`] came back empty.
    fn failure(&self) -> Option<SpillError> {
        None
    }
}

/// Decides where a run's data lives and counts it against the run's byte budget. Implemented by
/// `store`.
pub trait Spill: Send + Sync {
    /// Takes over a full chunk of about so many bytes, in memory or on disk; the chunk counts until
    /// it is dropped. Past a failure chunks are not kept any more, so that a node that does not
    /// look cannot fill the memory.
    fn keep(&self, items: Vec<Item>, bytes: usize) -> Arc<dyn Spilled>;
    /// What went wrong since the run began: the budget is used up, or the disk failed.
    fn failure(&self) -> Option<SpillError>;
}

/// Why a run's data could not be kept.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SpillError {
    #[error("the run's data exceeds the limit of {limit} bytes")]
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

    /// A list whose chunks are read when they are needed.
    pub fn of_chunks(chunks: Vec<Arc<dyn Spilled>>) -> Self {
        let len = chunks.iter().map(|chunk| chunk.len()).fold(0, usize::saturating_add);
        let own = |chunk| ItemChunk { place: ChunkStorage::Spilled(chunk), pairing: Pairing::Own };
        Self { chunks: chunks.into_iter().map(own).collect(), len, ..Self::default() }
    }

    /// The same list for work that may take too long.
    pub fn watched(mut self, watch: WalkGuard) -> Self {
        self.watch = Some(watch);
        self
    }

    /// The same list for whoever needs all of it.
    pub fn unwatched(mut self) -> Self {
        self.watch = None;
        self
    }

    /// A list that only tells how many items there were.
    pub fn counted(len: usize) -> Self {
        Self::of_chunks(vec![Arc::new(CountOnly(len))])
    }

    /// Why some of the items could not be read back, if a chunk that was read so far has told.
    pub fn failure(&self) -> Option<SpillError> {
        self.chunks.iter().find_map(|chunk| match &chunk.place {
            ChunkStorage::InMemory(_) => None,
            ChunkStorage::Spilled(spilled) => spilled.failure(),
        })
    }

    /// Whether reading it may have to go to disk.
    pub fn is_spilled(&self) -> bool {
        self.chunks.iter().any(|chunk| matches!(chunk.place, ChunkStorage::Spilled(_)))
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The items in order. Each is a cheap clone.
    pub fn iter(&self) -> impl Iterator<Item = Item> + '_ {
        let items = self.chunks.iter().flat_map(|chunk| ChunkIter {
            items: chunk.load(),
            pairing: chunk.pairing,
            at: 0,
        });
        let goes_on = |at: usize| {
            !at.is_multiple_of(ITEMS_BETWEEN) || self.watch.is_none_or(|goes_on| goes_on())
        };
        items.enumerate().take_while(move |(at, _)| goes_on(*at)).map(|(_, item)| item)
    }

    /// The same list as it arrives at an input of the next node: every item is paired with its own
    /// place in it.
    pub fn paired_by_index(&self, input: usize) -> Items {
        let mut list = self.clone();
        let mut from = 0;
        for chunk in &mut list.chunks {
            chunk.pairing = Pairing::ByIndex { input: input as u32, from };
            from += chunk.len() as u32;
        }
        list
    }

    /// The same list with every item paired with one item of the first input.
    pub fn paired_with(&self, item: usize) -> Items {
        let mut list = self.clone();
        for chunk in &mut list.chunks {
            chunk.pairing = Pairing::With { item: item as u32 };
        }
        list
    }

    pub fn get(&self, index: usize) -> Option<Item> {
        let mut before = 0;
        for chunk in &self.chunks {
            if index < before + chunk.len() {
                return chunk.item(&chunk.load(), index - before);
            }
            before += chunk.len();
        }
        None
    }

    /// Up to `count` items from a place on; a chunk on disk is read once for all of them.
    pub fn range(&self, from: usize, count: usize) -> Vec<Item> {
        let until = from.saturating_add(count).min(self.len);
        let mut found = Vec::with_capacity(until.saturating_sub(from));
        let mut before = 0;
        for chunk in &self.chunks {
            let after = before + chunk.len();
            if after > from && before < until {
                let items = chunk.load();
                let places = from.saturating_sub(before)..until.min(after) - before;
                found.extend(places.filter_map(|place| chunk.item(&items, place)));
            }
            before = after;
        }
        found
    }

    /// The items from an index on, each with its own. A chunk is read back when its turn comes, and
    /// those before the index never are.
    pub fn enumerate_from(&self, index: usize) -> impl Iterator<Item = (usize, Item)> + '_ {
        let mut before = 0;
        let chunks = self.chunks.iter().filter_map(move |chunk| {
            let first = before;
            before += chunk.len();
            let at = index.saturating_sub(first);
            (before > index).then(|| {
                (first + at..).zip(ChunkIter { items: chunk.load(), pairing: chunk.pairing, at })
            })
        });
        chunks.flatten()
    }

    /// The chunk that holds the item at an index, and the index of its first item: for readers that
    /// come back for more.
    pub fn chunk_of(&self, index: usize) -> Option<(usize, Arc<Vec<Item>>)> {
        let mut before = 0;
        for chunk in &self.chunks {
            if index < before + chunk.len() {
                return Some((before, chunk.paired()));
            }
            before += chunk.len();
        }
        None
    }

    /// What of the list is in memory, to look at many of its items without reading any back.
    pub fn held(&self) -> ResidentItems {
        let mut before = 0;
        let chunks = self.chunks.iter().map(|chunk| {
            let from = before;
            before += chunk.len();
            (from, chunk.in_memory())
        });
        ResidentItems { chunks: chunks.collect() }
    }

    /// Whether the list has at most so many items with at most so many bytes of JSON. Looks no
    /// further than it must.
    pub fn is_small(&self, n_items: usize, mut bytes: usize) -> bool {
        self.len <= n_items
            && self.chunks.iter().all(|chunk| {
                // What was counted may be half of what is asked for here: of short texts it takes
                // only the value.
                if let Some(rest) =
                    chunk.weight().and_then(|weight| bytes.checked_sub(weight.saturating_mul(2)))
                {
                    bytes = rest;
                    return true;
                }
                // Files may be most of what it weighs.
                chunk
                    .in_memory()
                    .is_some_and(|items| items.iter().all(|item| item.json.fits_within(&mut bytes)))
            })
    }

    /// Whether an item is nested deeper than [`MAX_ITEM_DEPTH`]. What a builder has handed to a
    /// [`Spill`] it has looked at already.
    pub fn is_too_deep(&self) -> bool {
        self.lost_deep_item
            || self.chunks.iter().any(|chunk| match &chunk.place {
                ChunkStorage::InMemory(items) => {
                    items.iter().any(|item| item.json.is_deeper_than(MAX_ITEM_DEPTH))
                }
                ChunkStorage::Spilled(_) => false,
            })
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
        self.lost_deep_item |= other.lost_deep_item;
    }
}

impl ItemChunk {
    fn held(items: Vec<Item>) -> Self {
        Self { place: ChunkStorage::InMemory(Arc::new(items)), pairing: Pairing::Own }
    }

    fn len(&self) -> usize {
        match &self.place {
            ChunkStorage::InMemory(items) => items.len(),
            ChunkStorage::Spilled(spilled) => spilled.len(),
        }
    }

    fn weight(&self) -> Option<usize> {
        match &self.place {
            ChunkStorage::InMemory(_) => None,
            ChunkStorage::Spilled(spilled) => spilled.weight(),
        }
    }

    fn load(&self) -> Arc<Vec<Item>> {
        match &self.place {
            ChunkStorage::InMemory(items) => items.clone(),
            ChunkStorage::Spilled(spilled) => spilled.load(),
        }
    }

    fn in_memory(&self) -> Option<Arc<Vec<Item>>> {
        match &self.place {
            ChunkStorage::InMemory(items) => Some(items.clone()),
            ChunkStorage::Spilled(spilled) => spilled.held(),
        }
    }

    /// The items with the pairing they show here.
    fn paired(&self) -> Arc<Vec<Item>> {
        let items = self.load();
        match self.pairing {
            Pairing::Own => items,
            pairing => Arc::new(
                items.iter().enumerate().map(|(at, item)| pairing.apply(item, at)).collect(),
            ),
        }
    }

    fn item(&self, items: &[Item], at: usize) -> Option<Item> {
        items.get(at).map(|item| self.pairing.apply(item, at))
    }
}

impl Pairing {
    fn apply(self, item: &Item, at: usize) -> Item {
        let pair = match self {
            Pairing::Own => return item.clone(),
            Pairing::ByIndex { input, from } => {
                PairedItem { item: from + at as u32, input, source: None }
            }
            Pairing::With { item } => PairedItem { item, input: 0, source: None },
        };
        Item {
            json: item.json.clone(),
            binary: item.binary.clone(),
            paired: Pairs::One(pair),
            error: item.error.clone(),
        }
    }
}

/// So many items that are not here.
struct CountOnly(usize);

impl Spilled for CountOnly {
    fn len(&self) -> usize {
        self.0
    }

    fn load(&self) -> Arc<Vec<Item>> {
        Arc::default()
    }

    fn held(&self) -> Option<Arc<Vec<Item>>> {
        None
    }
}

/// The chunks of a list that are in memory, each with the number of its first item.
pub struct ResidentItems {
    chunks: Vec<(usize, Option<Arc<Vec<Item>>>)>,
}

impl ResidentItems {
    /// The fields of the item at an index, if they are in memory.
    pub fn json(&self, index: usize) -> Option<&Value> {
        let at = self.chunks.partition_point(|(from, _)| *from <= index).checked_sub(1)?;
        let (from, items) = self.chunks.get(at)?;
        Some(&items.as_ref()?.get(index - from)?.json)
    }
}

struct ChunkIter {
    items: Arc<Vec<Item>>,
    pairing: Pairing,
    at: usize,
}

impl Iterator for ChunkIter {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let item = self.pairing.apply(self.items.get(self.at)?, self.at);
        self.at += 1;
        Some(item)
    }
}

impl From<Vec<Item>> for Items {
    fn from(items: Vec<Item>) -> Self {
        let len = items.len();
        let chunks = if items.is_empty() { Vec::new() } else { vec![ItemChunk::held(items)] };
        Self { chunks, len, ..Self::default() }
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
            match item.estimated_within_depth() {
                Some(bytes) => self.open_bytes += bytes,
                None => {
                    self.done.lost_deep_item = true;
                    return;
                }
            }
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

    /// True once the run's data is past its limit, nested too deeply, or the disk has failed: more
    /// items are pointless.
    pub fn is_failed(&self) -> bool {
        self.done.lost_deep_item
            || self.spill.as_ref().is_some_and(|spill| spill.failure().is_some())
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
        self.done.chunks.push(match &self.spill {
            Some(spill) => ItemChunk {
                place: ChunkStorage::Spilled(spill.keep(items, bytes)),
                pairing: Pairing::Own,
            },
            None => ItemChunk::held(items),
        });
    }
}

impl Extend<Item> for ItemsBuilder {
    fn extend<I: IntoIterator<Item = Item>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn a_range_crosses_chunks_and_stops_at_the_end() {
        let number = |item: &Item| item.json.as_f64().unwrap();
        let mut list: Items = (0..3).map(Item::new).collect();
        list.append(&(3..6).map(Item::new).collect());
        assert_eq!(list.range(1, 4).iter().map(number).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(list.range(5, 9).iter().map(number).collect::<Vec<_>>(), [5.0]);
        assert_eq!(list.range(6, 1), []);
        let from = |index| {
            list.enumerate_from(index).map(|(at, item)| (at, number(&item))).collect::<Vec<_>>()
        };
        assert_eq!(from(2), [(2, 2.0), (3, 3.0), (4, 4.0), (5, 5.0)]);
        assert_eq!((from(3).len(), from(6).len()), (3, 0));
    }

    /// A chunk that was taken over.
    struct StoredChunk(Vec<Item>);

    impl Spilled for StoredChunk {
        fn len(&self) -> usize {
            self.0.len()
        }
        fn load(&self) -> Arc<Vec<Item>> {
            Arc::new(self.0.clone())
        }
        fn held(&self) -> Option<Arc<Vec<Item>>> {
            None
        }
    }

    struct MemorySpill;

    impl Spill for MemorySpill {
        fn keep(&self, items: Vec<Item>, _: usize) -> Arc<dyn Spilled> {
            Arc::new(StoredChunk(items))
        }
        fn failure(&self) -> Option<SpillError> {
            None
        }
    }

    #[test]
    fn issue_14_02_items_that_are_nested_too_deeply_are_noticed() {
        let nested =
            |levels: usize| (0..levels).fold(Value::Null, |inner, _| Value::array(vec![inner]));
        for spill in [None, Some(Arc::new(MemorySpill) as Arc<dyn Spill>)] {
            for (levels, is_too_deep) in [(MAX_ITEM_DEPTH, false), (MAX_ITEM_DEPTH + 1, true)] {
                let mut builder = ItemsBuilder::new(spill.clone());
                builder.extend([Item::new(json!({})), Item::new(nested(levels))]);
                let mut list = Items::new();
                list.append(&builder.finish().paired_by_index(0));
                assert_eq!(list.is_too_deep(), is_too_deep, "{levels}");
            }
        }
    }

    #[test]
    fn issue_14_04_a_walk_that_is_not_to_go_on_ends() {
        let list: Items = (0..1_000).map(Item::new).collect();
        assert_eq!(list.clone().watched(|| true).iter().count(), 1_000);
        let watched = list.paired_by_index(0).watched(|| false);
        assert_eq!((watched.iter().count(), watched.len()), (0, 1_000));
        assert_eq!(watched.unwatched().iter().count(), 1_000);
    }

    #[test]
    fn items_that_arrive_are_paired_with_their_place() {
        let mut list: Items =
            (0..3).map(|number| Item::new(json!({ "n": number })).paired_with(7)).collect();
        list.append(&list.clone());
        let arrived = list.paired_by_index(1);
        let pairs: Vec<_> =
            arrived.iter().map(|item| (item.paired[0].item, item.paired[0].input)).collect();
        assert_eq!(pairs, [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 1)]);
        assert_eq!(arrived.get(4).unwrap().paired[0].item, 4);
        assert_eq!(list.get(4).unwrap().paired[0].item, 7);
        assert!(list.paired_with(2).iter().all(|item| item.paired[0].item == 2));
    }
}
