//! One stretch of work on one thread: off the runtime's threads, in turns, within an allowance of
//! CPU time.

use crate::cpu_slots::{CpuSlot, CpuUsage, SlotKind};
use crate::memory::LongTask;
use rustix::time::ClockId;
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

/// Calls of [`blocking`] and [`interruptible`] under way or waiting for a turn. Each has a thread,
/// and what serves connections must still find one.
pub const MAX_SECTIONS: usize = 128;

/// How long a turn lasts while others wait.
const SLICE: Duration = Duration::from_millis(10);

/// Work that has used this much may have to wait for memory, too.
const LONG_AFTER: Duration = Duration::from_millis(20);

static SECTIONS: Semaphore = Semaphore::const_new(MAX_SECTIONS);

/// The same for those who can wait for room, so that they leave some to the others.
static PATIENT: Semaphore = Semaphore::const_new(MAX_SECTIONS);

thread_local! {
    static CURRENT: RefCell<Option<Section>> = const { RefCell::new(None) };
    /// Whether there is one, for those that ask often.
    static IS_OFFLOADED: Cell<bool> = const { Cell::new(false) };
    /// What sections on this thread are charged to that bring no allowance of their own.
    static LENT: RefCell<Option<Allowance>> = const { RefCell::new(None) };
}

/// CPU time that one piece of work, and all pieces of one owner together, may use.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// For one piece, such as a step of a run.
    pub piece: Duration,
    /// For everything that is charged to the same account.
    pub total: Duration,
    /// Microseconds.
    account: Arc<AtomicU64>,
    /// Whoever asked for the work may not want it any more. Shared, because cloning a token takes a
    /// lock.
    stop: Option<Arc<CancellationToken>>,
}

impl Allowance {
    pub fn new(piece: Duration, total: Duration) -> Self {
        Self { piece, total, account: Arc::default(), stop: None }
    }

    /// The same for work that ends as well when this is cancelled.
    #[must_use]
    pub fn until(mut self, stop: CancellationToken) -> Self {
        self.stop = Some(Arc::new(stop));
        self
    }

    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.is_cancelled())
    }

    /// What was charged so far.
    pub fn used(&self) -> Duration {
        Duration::from_micros(self.account.load(Ordering::Relaxed))
    }

    fn charge(&self, used: Duration) {
        self.account.fetch_add(used.as_micros() as u64, Ordering::Relaxed);
    }
}

/// More work is under way than there are threads for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{MAX_SECTIONS} computations are already running")]
pub struct Overloaded;

/// The CPU time that was granted is used up, or nobody wants the work any more: then nothing is
/// granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the CPU time limit of {} ms is used up", limit.as_millis())]
pub struct Exceeded {
    pub limit: Duration,
}

struct Section {
    kind: SlotKind,
    turn: CpuSlot,
    /// This thread's CPU time when the section began.
    began: Duration,
    /// And when its turn began.
    turn_began: Duration,
    /// What the piece of work used in earlier sections.
    used_before: Duration,
    /// What counts for its place in the queue beyond that: other pieces of the same owner.
    owner_before: Duration,
    allowance: Option<Allowance>,
    exceeded: Option<Exceeded>,
    /// Once it is.
    long: Option<LongTask>,
}

/// Does work that may take long: hands the runtime's work on this thread to another one, waits for
/// a turn, and computes. Inside of such work it is a plain call.
pub fn blocking<T>(work: impl FnOnce() -> T) -> Result<T, Overloaded> {
    run_uninterrupted(Duration::ZERO, work)
}

/// The place in the queue is that of somebody who has used as much as the work is expected to take.
fn run_uninterrupted<T>(expected: Duration, work: impl FnOnce() -> T) -> Result<T, Overloaded> {
    let _room = SectionPermit::now()?;
    Ok(section(SlotKind::Whole, None, SectionStart::after(expected), work).0)
}

/// Content of this size is worth moving out of the way for: reading it takes some milliseconds.
pub const LARGE_BYTES: usize = 64 << 10;

/// Work on content of a size: a plain call for little of it. Whoever brings less goes first.
pub fn for_size<T>(bytes: usize, work: impl FnOnce() -> T) -> Result<T, Overloaded> {
    const BYTES_PER_MS: usize = 50_000;
    if bytes < LARGE_BYTES {
        Ok(work())
    } else {
        run_uninterrupted(Duration::from_millis((bytes / BYTES_PER_MS) as u64), work)
    }
}

/// The same for work that calls [`tick`], and so does not keep its turn from others.
pub fn interruptible<T>(work: impl FnOnce() -> T) -> Result<T, Overloaded> {
    Ok(SectionPermit::now()?.interruptible(work))
}

/// The same within an allowance, to which it is charged.
pub fn within<T>(allowance: &Allowance, work: impl FnOnce() -> T) -> Result<T, Overloaded> {
    Ok(SectionPermit::now()?.within(allowance, work))
}

/// How a section begins.
#[derive(Default)]
pub(crate) struct SectionStart {
    /// What the piece of work used in earlier sections, or is expected to use.
    pub(crate) used_before: Duration,
    /// Whether it is known to take long, so that it does not even begin while memory is short.
    pub(crate) is_long: bool,
}

impl SectionStart {
    fn after(used_before: Duration) -> Self {
        Self { used_before, is_long: false }
    }
}

/// The same. Gives back what was used, too.
pub(crate) fn section<T>(
    kind: SlotKind,
    allowance: Option<&Allowance>,
    start: SectionStart,
    work: impl FnOnce() -> T,
) -> (T, Duration) {
    if is_offloaded() {
        return (work(), Duration::ZERO);
    }
    let lent = if allowance.is_none() { LENT.with_borrow(Clone::clone) } else { None };
    let allowance = allowance.or(lent.as_ref());
    off_the_runtime(|| {
        let SectionStart { used_before, is_long } = start;
        let long = is_long.then(LongTask::begin);
        if let Some(long) = &long {
            long.wait(|| is_wanted(allowance));
        }
        let owner_before = allowance.map_or(Duration::ZERO, Allowance::used);
        let turn = kind.turns().acquire(CpuUsage::of(owner_before.max(used_before)));
        let now = thread_time();
        let entered = SectionGuard;
        IS_OFFLOADED.set(true);
        CURRENT.set(Some(Section {
            kind,
            turn,
            began: now,
            turn_began: now,
            used_before,
            owner_before,
            allowance: allowance.cloned(),
            exceeded: None,
            long,
        }));
        let value = work();
        let used = thread_time().saturating_sub(now);
        drop(entered);
        (value, used)
    })
}

/// Sections that the work opens, and that bring no allowance of their own, are charged to this one.
pub(crate) fn lending<T>(allowance: &Allowance, work: impl FnOnce() -> T) -> T {
    let _back = LentGuard(LENT.replace(Some(allowance.clone())));
    work()
}

/// What was lent before, to be lent again when the work ends, also by a panic.
struct LentGuard(Option<Allowance>);

impl Drop for LentGuard {
    fn drop(&mut self) {
        LENT.set(self.0.take());
    }
}

fn is_wanted(allowance: Option<&Allowance>) -> bool {
    allowance.is_none_or(|allowance| !allowance.is_stopped())
}

/// Whether this thread is in such work.
#[inline]
pub fn is_offloaded() -> bool {
    IS_OFFLOADED.get()
}

/// To be called every few milliseconds of long work: lets others have their turn, and says when the
/// allowance is used up. Outside of a section it does nothing.
pub fn tick() -> Result<(), Exceeded> {
    CURRENT.with_borrow_mut(|current| {
        let Some(section) = current else { return Ok(()) };
        if let Some(exceeded) = section.exceeded {
            return Err(exceeded);
        }
        let now = thread_time();
        let used = now.saturating_sub(section.began);
        if let Some(allowance) = &section.allowance {
            let piece = section.used_before + used;
            let limit = match () {
                () if allowance.is_stopped() => Some(Duration::ZERO),
                () if piece > allowance.piece => Some(allowance.piece),
                () if section.owner_before + used > allowance.total => Some(allowance.total),
                () => None,
            };
            section.exceeded = limit.map(|limit| Exceeded { limit });
        }
        section.turn.beat();
        let slice_is_over = now.saturating_sub(section.turn_began) >= SLICE;
        if slice_is_over || section.turn.is_lent() {
            let usage = CpuUsage::of(section.owner_before.max(section.used_before) + used);
            let turns = section.kind.turns();
            if used >= LONG_AFTER && section.long.is_none() {
                section.long = Some(LongTask::begin());
            }
            let short_of_memory = section
                .long
                .as_ref()
                .filter(|long| section.exceeded.is_none() && !long.may_continue());
            if short_of_memory.is_some() || section.turn.is_lent() || turns.is_wanted(usage) {
                turns.release(&section.turn);
                if let Some(long) = short_of_memory {
                    long.wait(|| is_wanted(section.allowance.as_ref()));
                }
                section.turn = turns.acquire(usage);
            }
            section.turn_began = now;
        }
        section.exceeded.map_or(Ok(()), Err)
    })
}

/// CPU time of this thread, to measure what a stretch of work takes however often it had to wait.
pub fn cpu_used() -> Duration {
    thread_time()
}

/// A section on this thread; it ends, and gives its turn back, also when the work panics.
struct SectionGuard;

impl Drop for SectionGuard {
    fn drop(&mut self) {
        IS_OFFLOADED.set(false);
        let Some(section) = CURRENT.take() else { return };
        if let Some(allowance) = &section.allowance {
            allowance.charge(thread_time().saturating_sub(section.began));
        }
        section.kind.turns().release(&section.turn);
    }
}

/// One of the [`MAX_SECTIONS`]; none is needed inside of a section.
pub struct SectionPermit {
    _permit: Option<SemaphorePermit<'static>>,
}

impl SectionPermit {
    fn now() -> Result<Self, Overloaded> {
        match is_offloaded() {
            true => Ok(Self { _permit: None }),
            false => SECTIONS
                .try_acquire()
                .map(|permit| Self { _permit: Some(permit) })
                .map_err(|_| Overloaded),
        }
    }

    /// Waits until there is room, for whoever can wait without a thread.
    pub async fn wait() -> Self {
        // The semaphore is never closed.
        Self { _permit: if is_offloaded() { None } else { PATIENT.acquire().await.ok() } }
    }

    /// Does work that calls [`tick`].
    pub fn interruptible<T>(self, work: impl FnOnce() -> T) -> T {
        section(SlotKind::Sliced, None, SectionStart::default(), work).0
    }

    /// The same within an allowance, to which it is charged.
    pub fn within<T>(self, allowance: &Allowance, work: impl FnOnce() -> T) -> T {
        section(SlotKind::Sliced, Some(allowance), SectionStart::default(), work).0
    }
}

/// Lets another thread serve what this one would have, as far as the runtime can do that.
fn off_the_runtime<T>(work: impl FnOnce() -> T) -> T {
    use tokio::runtime::{Handle, RuntimeFlavor};
    match Handle::try_current().map(|handle| handle.runtime_flavor()) {
        Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(work),
        _ => work(),
    }
}

fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn compute(for_ms: u64) -> Result<(), Exceeded> {
        let began = thread_time();
        while thread_time() - began < Duration::from_millis(for_ms) {
            tick()?;
        }
        Ok(())
    }

    #[test]
    fn work_ends_when_its_allowance_is_used_up() {
        // Less is left for the third than one may take, so that it meets the limit for all.
        let allowance = Allowance::new(Duration::from_millis(200), Duration::from_millis(350));
        let piece = |ms| {
            section(SlotKind::Sliced, Some(&allowance), SectionStart::default(), || compute(ms)).0
        };
        assert_eq!(piece(10_000), Err(Exceeded { limit: Duration::from_millis(200) }));
        assert_eq!(piece(10), Ok(()));
        assert_eq!(piece(10_000), Err(Exceeded { limit: Duration::from_millis(350) }));
        assert!(allowance.used() >= Duration::from_millis(350));
    }

    #[test]
    fn issue_14_04_work_that_nobody_wants_any_more_ends() {
        let stop = CancellationToken::new();
        let allowance =
            Allowance::new(Duration::from_secs(60), Duration::from_secs(60)).until(stop.clone());
        let stopped = std::thread::scope(|scope| {
            let work = scope.spawn(|| {
                section(SlotKind::Whole, Some(&allowance), SectionStart::default(), || {
                    compute(30_000)
                })
                .0
            });
            stop.cancel();
            work.join().unwrap()
        });
        assert_eq!(stopped, Err(Exceeded { limit: Duration::ZERO }));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn issue_14_04_work_that_never_ticks_keeps_nobody_from_computing() {
        let end = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let stuck: Vec<_> = (0..processors)
            .map(|_| {
                let end = end.clone();
                tokio::spawn(async move {
                    blocking(|| {
                        while !end.load(Ordering::Relaxed) {
                            std::thread::yield_now();
                        }
                    })
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let done =
            tokio::time::timeout(Duration::from_secs(60), tokio::spawn(async { blocking(|| 1) }))
                .await;
        end.store(true, Ordering::Relaxed);
        assert_eq!(done.unwrap().unwrap(), Ok(1));
        for one in stuck {
            one.await.unwrap().unwrap();
        }
    }

    #[test]
    fn outside_of_a_section_nothing_is_counted() {
        assert_eq!(tick(), Ok(()));
        assert!(!is_offloaded());
        assert_eq!(blocking(|| (is_offloaded(), blocking(is_offloaded))), Ok((true, Ok(true))));
        assert!(!is_offloaded());
    }

    /// Long computations under way, and how many of them are done.
    fn long_ones(count: usize, ms: u64) -> (Vec<tokio::task::JoinHandle<()>>, Arc<AtomicUsize>) {
        let done = Arc::new(AtomicUsize::new(0));
        let start = |done: Arc<AtomicUsize>| async move {
            interruptible(|| compute(ms)).unwrap().unwrap();
            done.fetch_add(1, Ordering::Relaxed);
        };
        ((0..count).map(|_| tokio::spawn(start(done.clone()))).collect(), done)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn a_short_computation_is_not_kept_waiting_by_many_long_ones() {
        let (long, done) = long_ones(30, 200);
        tokio::time::sleep(Duration::from_millis(50)).await;
        tokio::spawn(async { interruptible(|| compute(2)) }).await.unwrap().unwrap().unwrap();
        // In the order of their arrival it would have been the last.
        assert!(done.load(Ordering::Relaxed) < 10, "{done:?}");
        for one in long {
            one.await.unwrap();
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn the_threads_of_the_runtime_go_on_serving() {
        let (long, done) = long_ones(20, 200);
        for _ in 0..20 {
            tokio::spawn(async {}).await.unwrap();
        }
        assert!(done.load(Ordering::Relaxed) < 10, "{done:?}");
        for one in long {
            one.await.unwrap();
        }
    }

    #[test]
    fn a_panic_gives_the_turn_back() {
        for _ in 0..100 {
            assert!(std::panic::catch_unwind(|| blocking(|| panic!("a bug"))).is_err());
        }
        assert_eq!(blocking(|| 1), Ok(1));
    }
}
