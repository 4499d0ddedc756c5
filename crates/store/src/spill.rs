//! The data of one run: in memory up to a limit, in a temporary file beyond it.

use crate::codec;
use model::{Item, Spill, SpillError, Spilled};
use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How many chunks that were read back stay in memory for the next reader.
const WARM_CHUNKS: usize = 3;

/// How much data a run may hold.
#[derive(Clone, Copy, Debug)]
pub struct SpillLimits {
    /// Chunks beyond this many bytes go to the file.
    pub memory: usize,
    /// More than this in all, in memory and on disk, fails the run.
    pub budget: usize,
}

/// Chunks of no more than this fit beside the large ones of others, so that a run with little data
/// never waits for the disk.
const SMALL_CHUNK: usize = 64 << 10;

/// What all runs together hold in memory.
#[derive(Debug)]
pub struct SpillTotal {
    limit: usize,
    held: AtomicUsize,
}

impl SpillTotal {
    /// Once runs hold this many bytes together, whatever comes next goes to disk.
    pub fn new(limit: usize) -> Self {
        Self { limit, held: AtomicUsize::new(0) }
    }

    pub fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        let limit = if bytes <= SMALL_CHUNK {
            self.limit.saturating_add(self.limit / 4)
        } else {
            self.limit
        };
        let fits = |held: usize| held.checked_add(bytes).filter(|held| *held <= limit);
        self.held.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// Keeps the chunks of one run. The file is made when it is first needed and is gone when the last
/// chunk is.
pub struct SpillFile {
    shared: Arc<SpillShared>,
}

struct SpillShared {
    folder: PathBuf,
    limits: SpillLimits,
    /// What this run shares with all others.
    total: Arc<SpillTotal>,
    state: Mutex<SpillState>,
    disk: Mutex<Option<SpillDisk>>,
    /// The chunks that were read back last.
    warm: Mutex<VecDeque<Arc<Vec<Item>>>>,
}

#[derive(Default)]
struct SpillState {
    in_memory: usize,
    in_all: usize,
    failure: Option<SpillError>,
}

struct SpillDisk {
    file: File,
    end: u64,
    chunks: usize,
    /// Where the file still has a name, because the system cannot take it away from an open file.
    path: Option<PathBuf>,
}

impl SpillFile {
    /// Data beyond the memory limit of the run, or of all runs, goes to a file in `folder`, which
    /// is made if it is not there.
    pub fn new(folder: impl Into<PathBuf>, limits: SpillLimits, total: Arc<SpillTotal>) -> Self {
        let folder = folder.into();
        let shared = SpillShared {
            folder,
            limits,
            total,
            state: Mutex::default(),
            disk: Mutex::default(),
            warm: Mutex::default(),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The bytes held now: in memory, and in all.
    pub fn held(&self) -> (usize, usize) {
        let state = lock(&self.shared.state);
        (state.in_memory, state.in_all)
    }
}

impl Spill for SpillFile {
    fn keep(&self, items: Vec<Item>, bytes: usize) -> Arc<dyn Spilled> {
        let len = items.len();
        let chunk = |place, bytes| {
            Arc::new(SpillChunk {
                shared: self.shared.clone(),
                len,
                bytes,
                place,
                loaded: Mutex::default(),
            })
        };
        let to_disk = {
            let mut state = lock(&self.shared.state);
            if state.failure.is_none()
                && state.in_all.saturating_add(bytes) > self.shared.limits.budget
            {
                state.failure = Some(SpillError::Budget { limit: self.shared.limits.budget });
            }
            if state.failure.is_some() {
                return chunk(ChunkLocation::Nowhere, 0);
            }
            state.in_all += bytes;
            let to_disk = state.in_memory.saturating_add(bytes) > self.shared.limits.memory
                || !self.shared.total.take(bytes);
            if !to_disk {
                state.in_memory += bytes;
            }
            to_disk
        };
        if !to_disk {
            return chunk(ChunkLocation::Memory(Arc::new(items)), bytes);
        }
        match self.shared.write(&codec::encode(&items)) {
            Ok((offset, length)) => chunk(ChunkLocation::Disk { offset, length }, bytes),
            Err(error) => {
                self.shared.fail(&error);
                chunk(ChunkLocation::Disk { offset: 0, length: 0 }, bytes)
            }
        }
    }

    fn failure(&self) -> Option<SpillError> {
        lock(&self.shared.state).failure.clone()
    }
}

struct SpillChunk {
    shared: Arc<SpillShared>,
    len: usize,
    bytes: usize,
    place: ChunkLocation,
    /// What was read back, for as long as somebody holds it.
    loaded: Mutex<Weak<Vec<Item>>>,
}

enum ChunkLocation {
    Memory(Arc<Vec<Item>>),
    Disk {
        offset: u64,
        length: usize,
    },
    /// The run had failed already.
    Nowhere,
}

impl Spilled for SpillChunk {
    fn len(&self) -> usize {
        self.len
    }

    fn held(&self) -> Option<Arc<Vec<Item>>> {
        match &self.place {
            ChunkLocation::Memory(items) => Some(items.clone()),
            ChunkLocation::Disk { .. } | ChunkLocation::Nowhere => None,
        }
    }

    fn weight(&self) -> Option<usize> {
        matches!(self.place, ChunkLocation::Memory(_)).then_some(self.bytes)
    }

    fn load(&self) -> Arc<Vec<Item>> {
        let (offset, length) = match &self.place {
            ChunkLocation::Memory(items) => return items.clone(),
            ChunkLocation::Nowhere => return Arc::default(),
            ChunkLocation::Disk { offset, length } => (*offset, *length),
        };
        let mut loaded = lock(&self.loaded);
        if let Some(items) = loaded.upgrade() {
            return items;
        }
        match self.shared.read(offset, length).and_then(|bytes| codec::decode(&bytes)) {
            Ok(items) => {
                let items = Arc::new(items);
                *loaded = Arc::downgrade(&items);
                let mut warm = lock(&self.shared.warm);
                warm.truncate(WARM_CHUNKS - 1);
                warm.push_front(items.clone());
                items
            }
            Err(error) => {
                self.shared.fail(&error);
                Arc::default()
            }
        }
    }
}

impl Drop for SpillChunk {
    fn drop(&mut self) {
        let mut state = lock(&self.shared.state);
        state.in_all = state.in_all.saturating_sub(self.bytes);
        if matches!(self.place, ChunkLocation::Memory(_)) {
            state.in_memory = state.in_memory.saturating_sub(self.bytes);
            self.shared.total.give_back(self.bytes);
        }
        drop(state);
        if matches!(self.place, ChunkLocation::Disk { length: 1.., .. })
            && let Some(disk) = lock(&self.shared.disk).as_mut()
        {
            disk.chunks = disk.chunks.saturating_sub(1);
            if disk.chunks == 0 {
                // Nobody reads the file any more, so a long loop can begin at its start again.
                disk.end = 0;
            }
        }
    }
}

impl SpillShared {
    fn write(&self, bytes: &[u8]) -> io::Result<(u64, usize)> {
        let mut guard = lock(&self.disk);
        let disk = match guard.as_mut() {
            Some(disk) => disk,
            None => guard.insert(SpillDisk::create(&self.folder)?),
        };
        let offset = disk.end;
        disk.file.seek(SeekFrom::Start(offset))?;
        disk.file.write_all(bytes)?;
        disk.end += bytes.len() as u64;
        disk.chunks += 1;
        Ok((offset, bytes.len()))
    }

    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut guard = lock(&self.disk);
        let disk = guard.as_mut().ok_or_else(|| io::Error::other("the file was never created"))?;
        disk.file.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; length];
        disk.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn fail(&self, error: &io::Error) {
        lock(&self.state)
            .failure
            .get_or_insert_with(|| SpillError::Disk { cause: error.to_string() });
    }
}

impl SpillDisk {
    fn create(folder: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        std::fs::create_dir_all(folder)?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = folder.join(format!("run-{}-{number}.items", std::process::id()));
            let mut options = OpenOptions::new();
            options.read(true).write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            let file = match options.open(&path) {
                Ok(file) => file,
                // Left behind by an earlier process of the same number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(error),
            };
            // Without a name nothing is left behind, however the process ends.
            let path =
                if cfg!(unix) && std::fs::remove_file(&path).is_ok() { None } else { Some(path) };
            return Ok(Self { file, end: 0, chunks: 0, path });
        }
    }
}

impl Drop for SpillDisk {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            // Nothing can be done about it here; the next start of the process sees the file.
            let _ = std::fs::remove_file(path);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Items, ItemsBuilder, json};

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("heddle-spill-{}-{name}", std::process::id()))
    }

    fn spill(folder: impl Into<PathBuf>, limits: SpillLimits) -> SpillFile {
        SpillFile::new(folder, limits, Arc::new(SpillTotal::new(usize::MAX)))
    }

    fn items(count: usize, of: &str) -> Vec<Item> {
        (0..count).map(|n| Item::new(json!({ "n": n, "of": of })).paired_with(n)).collect()
    }

    fn list(spill: &Arc<SpillFile>, items: &[Item]) -> Items {
        let mut builder = ItemsBuilder::new(Some(spill.clone()));
        builder.extend(items.iter().cloned());
        builder.finish()
    }

    #[test]
    fn chunks_past_the_memory_limit_come_back_from_disk_as_they_were() {
        let spill = Arc::new(spill(
            folder("limit"),
            SpillLimits { memory: 1_500_000, budget: 100_000_000 },
        ));
        let all = items(20_000, "x");
        let kept = list(&spill, &all);
        let (in_memory, in_all) = spill.held();
        assert!(in_memory <= 1_500_000 && in_all > 3_000_000, "{in_memory} of {in_all}");
        assert_eq!(kept.to_vec(), all);
        assert_eq!(kept.get(17_001), all.get(17_001).cloned());
        assert!(
            std::fs::read_dir(folder("limit")).unwrap().next().is_none(),
            "the file has a name"
        );
        drop(kept);
        assert_eq!(spill.held(), (0, 0));
        let again = items(20_000, "y");
        assert_eq!(list(&spill, &again).to_vec(), again);
        std::fs::remove_dir_all(folder("limit")).unwrap();
    }

    #[test]
    fn no_file_is_made_while_everything_fits() {
        let spill =
            Arc::new(spill(folder("none"), SpillLimits { memory: 1 << 30, budget: 1 << 30 }));
        assert_eq!(list(&spill, &items(10_000, "x")).len(), 10_000);
        assert!(!folder("none").exists());
    }

    #[test]
    fn a_run_past_its_budget_fails_and_stops_growing() {
        let spill =
            Arc::new(spill(folder("budget"), SpillLimits { memory: 100_000, budget: 1_000_000 }));
        let mut builder = ItemsBuilder::new(Some(spill.clone()));
        builder.extend(
            (0..50_000)
                .map(|n| Item::new(json!({ "n": n, "text": "long enough to be on the heap" }))),
        );
        assert!(builder.is_failed());
        assert!(matches!(spill.failure(), Some(SpillError::Budget { limit: 1_000_000 })));
        assert!(spill.held().1 <= 1_000_000);
        drop(builder);
        let _ = std::fs::remove_dir_all(folder("budget"));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_remembered_as_a_failure() {
        let spill =
            Arc::new(spill("/dev/null/nowhere", SpillLimits { memory: 0, budget: 1 << 30 }));
        let kept = list(&spill, &items(10, "x"));
        assert!(matches!(spill.failure(), Some(SpillError::Disk { .. })), "{:?}", spill.failure());
        assert_eq!((kept.len(), kept.iter().count()), (10, 0));
    }

    #[test]
    fn issue_14_07_runs_that_hold_too_much_together_go_on_from_disk() {
        let (total, limits) = (
            Arc::new(SpillTotal::new(3_000_000)),
            SpillLimits { memory: 1 << 30, budget: 1 << 30 },
        );
        let runs: Vec<_> = (0..4)
            .map(|_| Arc::new(SpillFile::new(folder("total"), limits, total.clone())))
            .collect();
        let all = items(20_000, "x");
        let lists: Vec<Items> = runs.iter().map(|run| list(run, &all)).collect();
        let in_memory: usize = runs.iter().map(|run| run.held().0).sum();
        assert!(total.held() == in_memory && in_memory <= 3_000_000 + 3_000_000 / 4, "{in_memory}");
        assert!(runs.iter().map(|run| run.held().1).sum::<usize>() > 2 * in_memory);
        assert!(lists.iter().all(|list| list.to_vec() == all));
        // A run with little data does not need the disk.
        let small = Arc::new(SpillFile::new("/dev/null/nowhere", limits, total.clone()));
        assert_eq!(list(&small, &all[..10]).len(), 10);
        assert!(small.failure().is_none());
        drop((lists, small));
        assert_eq!(total.held(), 0);
        let _ = std::fs::remove_dir_all(folder("total"));
    }
}
