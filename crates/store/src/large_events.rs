//! Events that are too large for a row of the journal: their lists go into rows of their own, chunk
//! by chunk, while the run waits, and are read back when somebody looks at them. What is left of
//! such an event goes there too if it is still too large.

use crate::blobs::{FetchedFile, FileHash, PendingFiles};
use crate::codec::{ItemDecoder, ItemEncoder, damaged};
use crate::passthrough::{PassthroughIndex, StepInputs};
use bytes::Bytes;
use model::{Item, Items, RunEvent, SpillError, Spilled};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// An event of more bytes is written in parts.
pub const LARGE_EVENT: usize = 64 << 10;

/// A row holds at most this much, far below what the database takes.
pub const PART_BYTES: usize = 4 << 20;

/// So much of a large event, and of the files that events name, is gathered before it goes to disk.
pub(crate) const STREAM_BYTES: usize = 2 << 20;

/// A chunk of a list is closed at this many items, or bytes: as it is written, and as items that it
/// only names are in memory.
const CHUNK_ITEMS: usize = 4096;
const CHUNK_BYTES: usize = 1 << 20;
const CHUNK_WEIGHT: usize = 4 << 20;

/// Lists may name items of lists that name items of others, so many deep: reading one must not run
/// out of stack.
const MAX_PASSES: u8 = 8;

/// How many chunks that were read back stay in memory for the next reader.
const WARM_CHUNKS: usize = 3;

/// Stands where a length would, which is never written so: what follows is in parts. Then comes the
/// form of what follows.
pub(crate) const IN_PARTS: [u8; 2] = [0x80, 0];
pub(crate) const FORMAT: u8 = 1;

/// A row of a large event.
#[derive(Clone, Debug)]
pub struct JournalPart {
    /// Its place among the parts of its run.
    pub number: i64,
    pub bytes: Bytes,
}

/// Where something is that was written in parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartSpan {
    pub first: i64,
    pub count: usize,
}

/// A chunk of a list, and how many items it has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkRef {
    pub span: PartSpan,
    pub items: usize,
}

/// Parts on their way to disk.
#[derive(Default)]
pub(crate) struct NewParts {
    all: Vec<JournalPart>,
    bytes: usize,
    next: i64,
}

impl NewParts {
    /// Behind those that are on disk.
    pub(crate) fn after(next: i64) -> Self {
        Self { next, ..Self::default() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn add(&mut self, content: Vec<u8>) -> PartSpan {
        let (first, content) = (self.next, Bytes::from(content));
        let mut at = 0;
        while at < content.len() {
            let end = content.len().min(at + PART_BYTES);
            self.all.push(JournalPart { number: self.next, bytes: content.slice(at..end) });
            self.next += 1;
            at = end;
        }
        self.bytes += content.len();
        PartSpan { first, count: (self.next - first) as usize }
    }

    /// Those that come first, up to so many bytes, and one at the least.
    pub(crate) fn take(&mut self, most: usize) -> Vec<JournalPart> {
        let (mut count, mut bytes) = (0, 0);
        for part in &self.all {
            if count > 0 && bytes + part.bytes.len() > most {
                break;
            }
            count += 1;
            bytes += part.bytes.len();
        }
        self.bytes -= bytes;
        let rest = self.all.split_off(count);
        std::mem::replace(&mut self.all, rest)
    }

    pub(crate) fn give_back(&mut self, mut parts: Vec<JournalPart>) {
        self.bytes += parts.iter().map(|part| part.bytes.len()).sum::<usize>();
        parts.append(&mut self.all);
        self.all = parts;
    }
}

/// A large event on its way into parts.
pub(crate) struct LargeEvent {
    pub(crate) event: RunEvent,
    lists: Vec<EventList>,
    /// The list that is being written, and how many of its items are.
    at: (usize, usize),
    done: VecDeque<Vec<ChunkRef>>,
    came_in: StepInputs,
    /// How many lists deep its items may be.
    pub(crate) passes: u8,
}

struct EventList {
    items: Items,
    /// It is the output of a step, some of which may have come to it.
    is_output: bool,
}

impl LargeEvent {
    pub(crate) fn new(event: RunEvent, told: &PassthroughIndex) -> Self {
        let lists = lists_of(&event);
        let (came_in, passes) = match &event {
            RunEvent::NodeFinished { task, .. } => {
                told.resident_inputs(&task.source, MAX_PASSES - 1)
            }
            _ => (StepInputs::default(), 0),
        };
        Self {
            event,
            lists,
            at: (0, 0),
            done: VecDeque::from([Vec::new()]),
            came_in,
            passes: passes + 1,
        }
    }

    /// Writes the next chunk; `None` once all are written.
    pub(crate) fn write_chunk(
        &mut self,
        files: &mut PendingFiles,
        parts: &mut NewParts,
    ) -> Option<()> {
        let (place, from) = self.at;
        let list = self.lists.get(place)?;
        if from >= list.items.len() {
            self.at = (place + 1, 0);
            self.done.push_back(Vec::new());
            return Some(());
        }
        let (mut writer, mut count, mut weight, mut next) =
            (ItemEncoder::naming(files), 0, 0, from);
        // Only what fits is read back: items may be as large as a chunk.
        for (at, item) in list.items.enumerate_from(from) {
            let came = if list.is_output { self.came_in.find_input(&item, at) } else { None };
            if came.is_some() {
                weight += item.estimated_bytes();
            }
            writer.item_from(&item, came);
            (count, next) = (count + 1, at + 1);
            // Files stay in memory until they are on disk.
            let is_full = writer.out.len() >= CHUNK_BYTES
                || weight >= CHUNK_WEIGHT
                || writer.file_bytes() >= STREAM_BYTES;
            if count >= CHUNK_ITEMS || is_full {
                break;
            }
        }
        if count == 0 {
            // They are lost, and the run has failed of it; the list ends here.
            self.at = (place, usize::MAX);
            return Some(());
        }
        let span = parts.add(writer.out);
        if let Some(last) = self.done.back_mut() {
            last.push(ChunkRef { span, items: count });
        }
        self.at = (place, next);
        Some(())
    }

    /// The lists as the event names them, once all of them are written.
    pub(crate) fn take_lists(&mut self) -> VecDeque<Vec<ChunkRef>> {
        std::mem::take(&mut self.done)
    }
}

/// The lists of an event, in the order in which they are written.
fn lists_of(event: &RunEvent) -> Vec<EventList> {
    let plain = |items: &Items| EventList { items: items.clone(), is_output: false };
    match event {
        RunEvent::RunStarted { items, .. } | RunEvent::RunResumed { items } => {
            items.iter().map(plain).collect()
        }
        RunEvent::SubNodeCalled { task, .. } | RunEvent::NodeFinished { task, .. } => {
            let is_output = matches!(event, RunEvent::NodeFinished { .. });
            let outputs = task.data.values().flatten().flatten();
            let mut lists: Vec<EventList> =
                outputs.map(|items| EventList { items: items.clone(), is_output }).collect();
            lists.extend(task.input_override.iter().flatten().map(plain));
            if let RunEvent::NodeFinished { changed, .. } = event {
                lists.extend(changed.state.iter().flat_map(|state| &state.lists).map(plain));
            }
            lists
        }
        _ => Vec::new(),
    }
}

/// Where parts are read from. Implemented for the database, and in memory for tests.
pub(crate) trait PartSource: Send + Sync {
    /// The bytes of parts that follow each other.
    fn read(&self, first: i64, count: usize) -> io::Result<Vec<u8>>;
    /// A file that is kept elsewhere.
    fn file(&self, sum: FileHash, size: usize) -> io::Result<FetchedFile>;
}

/// Parts that are at hand, without files.
impl PartSource for Vec<Bytes> {
    fn read(&self, first: i64, count: usize) -> io::Result<Vec<u8>> {
        let parts = usize::try_from(first)
            .ok()
            .and_then(|first| self.get(first..)?.get(..count))
            .ok_or_else(damaged)?;
        Ok(parts.concat())
    }

    fn file(&self, _sum: FileHash, _size: usize) -> io::Result<FetchedFile> {
        Err(damaged())
    }
}

/// One reading of a journal, which its lists go on with.
pub(crate) struct PartReader {
    source: Box<dyn PartSource>,
    failure: Mutex<Option<SpillError>>,
    warm: Mutex<VecDeque<Arc<Vec<Item>>>>,
}

impl PartReader {
    pub(crate) fn new(source: impl PartSource + 'static) -> Arc<Self> {
        Arc::new(Self {
            source: Box::new(source),
            failure: Mutex::default(),
            warm: Mutex::default(),
        })
    }

    pub(crate) fn read(&self, span: PartSpan) -> io::Result<Vec<u8>> {
        self.source.read(span.first, span.count)
    }

    pub(crate) fn list(
        self: &Arc<Self>,
        chunks: Vec<ChunkRef>,
        came_in: &Arc<Vec<Option<Items>>>,
    ) -> Items {
        let chunk = |at: ChunkRef| -> Arc<dyn Spilled> {
            Arc::new(LazyChunk {
                reading: self.clone(),
                at,
                came_in: came_in.clone(),
                loaded: Mutex::default(),
            })
        };
        Items::of_chunks(chunks.into_iter().map(chunk).collect())
    }
}

/// A chunk of a list that is read when somebody looks at it.
struct LazyChunk {
    reading: Arc<PartReader>,
    at: ChunkRef,
    /// What came to the step.
    came_in: Arc<Vec<Option<Items>>>,
    /// What was read back, for as long as somebody holds it.
    loaded: Mutex<Weak<Vec<Item>>>,
}

impl LazyChunk {
    fn read(&self) -> io::Result<Vec<Item>> {
        let _depth = ReadDepth::enter()?;
        let bytes = self.reading.read(self.at.span)?;
        let fetch = |sum: FileHash, size: usize| self.reading.source.file(sum, size);
        let mut reader = ItemDecoder::new(&bytes);
        reader.fetch = Some(&fetch);
        reader.came_in = self.came_in.clone();
        let mut items = Vec::with_capacity(self.at.items.min(bytes.len()));
        for _ in 0..self.at.items {
            items.push(reader.item()?);
        }
        // A list that this one names items of may have come back empty.
        let is_whole =
            reader.is_done() && self.came_in.iter().flatten().all(|list| list.failure().is_none());
        if is_whole { Ok(items) } else { Err(damaged()) }
    }
}

/// How many chunks this thread is reading for one another. What we write is never deeper than
/// [`MAX_PASSES`]; what was damaged may be.
struct ReadDepth;

thread_local! {
    static DEPTH: Cell<u8> = const { Cell::new(0) };
}

impl ReadDepth {
    fn enter() -> io::Result<Self> {
        if DEPTH.get() > MAX_PASSES {
            return Err(damaged());
        }
        DEPTH.set(DEPTH.get() + 1);
        Ok(Self)
    }
}

impl Drop for ReadDepth {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

impl Spilled for LazyChunk {
    fn len(&self) -> usize {
        self.at.items
    }

    fn load(&self) -> Arc<Vec<Item>> {
        let mut loaded = lock(&self.loaded);
        if let Some(items) = loaded.upgrade() {
            return items;
        }
        match self.read() {
            Ok(items) => {
                let items = Arc::new(items);
                *loaded = Arc::downgrade(&items);
                let mut warm = lock(&self.reading.warm);
                warm.truncate(WARM_CHUNKS - 1);
                warm.push_front(items.clone());
                items
            }
            Err(error) => {
                tracing::error!(%error, "Could not read a part of an execution's journal.");
                lock(&self.reading.failure)
                    .get_or_insert_with(|| SpillError::Disk { cause: error.to_string() });
                Arc::default()
            }
        }
    }

    fn held(&self) -> Option<Arc<Vec<Item>>> {
        None
    }

    fn failure(&self) -> Option<SpillError> {
        lock(&self.reading.failure).clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
