//! What long work costs in memory while it is under way. Work that gives its turn up keeps what it
//! has made so far, so many pieces of long work that go on side by side take as much as all of them
//! together. When that is too much, only a few go on until others end.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Until an operator says otherwise.
const DEFAULT_GROWTH: usize = 128 << 20;

/// The process is asked for its size at most so often.
const SAMPLE_INTERVAL_MS: u64 = 5;

/// Whoever has to wait looks again after this time.
const WAIT: Duration = Duration::from_millis(20);

static GROWTH: AtomicUsize = AtomicUsize::new(DEFAULT_GROWTH);
static LONG: LazyLock<LongWork> = LazyLock::new(LongWork::default);

/// How far the process may grow while long work is under way before some of it has to wait.
pub fn limit_memory(bytes: usize) {
    GROWTH.store(bytes, Ordering::Relaxed);
}

/// Whether the process has grown by more than that. False if no long work is under way: then
/// something else has made it large.
pub fn is_memory_short() -> bool {
    LONG.times_grown() > 0
}

/// The same, while more than one piece of long work makes it large. One that is alone may have what
/// its own limits say.
pub fn is_memory_contended() -> bool {
    is_memory_short() && LONG.lock().under_way.len() > 1
}

#[derive(Default)]
struct LongWork {
    state: Mutex<LongWorkState>,
    ended: Condvar,
    looked_at_ms: AtomicU64,
    /// By how many times what it may the process has grown.
    times_grown: AtomicUsize,
}

#[derive(Default)]
struct LongWorkState {
    arrivals: u64,
    under_way: BTreeSet<u64>,
    /// The size of the process when the first of them began.
    before: usize,
}

/// One piece of long work, until it is dropped.
pub(crate) struct LongTask {
    arrival: u64,
}

impl LongTask {
    pub(crate) fn begin() -> Self {
        let mut state = LONG.lock();
        if state.under_way.is_empty() {
            state.before = resident_bytes().unwrap_or(usize::MAX);
            LONG.times_grown.store(0, Ordering::Relaxed);
        }
        state.arrivals += 1;
        let arrival = state.arrivals;
        state.under_way.insert(arrival);
        Self { arrival }
    }

    /// Whether there is memory for it, or it is among the few that go on anyway: the oldest, and in
    /// the end only one.
    pub(crate) fn may_continue(&self) -> bool {
        static PROCESSORS: LazyLock<usize> =
            LazyLock::new(|| available_parallelism().map_or(2, usize::from));
        let few = match LONG.times_grown() {
            0 => return true,
            1 => *PROCESSORS,
            _ => 1,
        };
        LONG.lock().under_way.iter().take(few).any(|arrival| *arrival == self.arrival)
    }

    /// Waits until it goes on, as long as somebody wants it.
    pub(crate) fn wait(&self, is_wanted: impl Fn() -> bool) {
        while is_wanted() && !self.may_continue() {
            let state = LONG.lock();
            drop(LONG.ended.wait_timeout(state, WAIT));
        }
    }
}

impl Drop for LongTask {
    fn drop(&mut self) {
        let mut state = LONG.lock();
        state.under_way.remove(&self.arrival);
        if state.under_way.is_empty() {
            LONG.times_grown.store(0, Ordering::Relaxed);
        }
        LONG.ended.notify_all();
    }
}

impl LongWork {
    fn lock(&self) -> MutexGuard<'_, LongWorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn times_grown(&self) -> usize {
        static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
        let now = BEGAN.elapsed().as_millis() as u64 + SAMPLE_INTERVAL_MS;
        let looked_at = self.looked_at_ms.load(Ordering::Relaxed);
        let is_due = now.saturating_sub(looked_at) >= SAMPLE_INTERVAL_MS;
        if is_due
            && self
                .looked_at_ms
                .compare_exchange(looked_at, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            let state = self.lock();
            let grown = resident_bytes()
                .filter(|_| !state.under_way.is_empty())
                .map_or(0, |bytes| bytes.saturating_sub(state.before));
            self.times_grown
                .store(grown / GROWTH.load(Ordering::Relaxed).max(1), Ordering::Relaxed);
        }
        self.times_grown.load(Ordering::Relaxed)
    }
}

/// What the process takes of the machine's memory; `None` where the system does not tell.
#[expect(clippy::disallowed_methods, reason = "a system file that never blocks")]
fn resident_bytes() -> Option<usize> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = sizes.split(' ').nth(1)?.parse().ok()?;
    Some(pages.saturating_mul(rustix::param::page_size()))
}
