//! Who computes now: a few turns for many threads, given to whoever has used the least.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Who may have to wait for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotKind {
    /// Work that keeps its turn until it is done.
    Whole,
    /// Work that gives its turn up after a time slice.
    Sliced,
}

impl SlotKind {
    /// One turn of each kind for each processor: the system shares the processors between them, and
    /// what serves connections needs them only for moments.
    pub(crate) fn turns(self) -> &'static CpuSlots {
        static TURNS: LazyLock<[CpuSlots; 2]> = LazyLock::new(|| {
            let processors = available_parallelism().map_or(2, usize::from);
            [CpuSlots::new(processors), CpuSlots::new(processors)]
        });
        let [whole, sliced] = &*TURNS;
        match self {
            SlotKind::Whole => whole,
            SlotKind::Sliced => sliced,
        }
    }
}

/// Turns that threads wait for.
pub(crate) struct CpuSlots {
    total: usize,
    state: Mutex<CpuSlotState>,
}

#[derive(Default)]
struct CpuSlotState {
    /// Turns that are in use.
    taken: usize,
    /// Threads that compute although somebody else has their turn now.
    lent: usize,
    arrivals: u64,
    /// By what they have used, and then by their arrival.
    waiting: BTreeMap<(CpuUsage, u64), Arc<SlotWaiter>>,
    /// Who computes, by their arrival.
    computing: BTreeMap<u64, Arc<Heartbeat>>,
}

/// Whoever has not been heard of for so long does not keep others waiting: its turn is lent to the
/// next one. So work that was never meant to give its turn up costs others their share of a
/// processor and not all of it.
const LEND_AFTER: Duration = Duration::from_millis(100);

/// So many times the turns there are may be lent at most. Each thread that computes takes its share
/// of the processors, and what it works on stays in memory.
const MAX_LENT: usize = 4;

/// A turn, as long as somebody has it.
pub(crate) struct CpuSlot {
    arrival: u64,
    signs: Arc<Heartbeat>,
}

/// What is known of somebody who computes.
struct Heartbeat {
    began: Instant,
    /// When it was last heard of, in milliseconds from its beginning.
    seen_ms: AtomicU64,
    is_lent: AtomicBool,
}

impl Heartbeat {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            began: Instant::now(),
            seen_ms: AtomicU64::new(0),
            is_lent: AtomicBool::new(false),
        })
    }

    fn is_silent(&self) -> bool {
        let seen = Duration::from_millis(self.seen_ms.load(Ordering::Relaxed));
        self.began.elapsed().saturating_sub(seen) >= LEND_AFTER
    }
}

impl CpuSlot {
    /// Says that whoever has the turn goes on.
    pub(crate) fn beat(&self) {
        self.signs.seen_ms.store(self.signs.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    /// Whether somebody else has it by now.
    pub(crate) fn is_lent(&self) -> bool {
        self.signs.is_lent.load(Ordering::Relaxed)
    }
}

/// What somebody has used so far, in steps that double: within one step, whoever came first goes
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CpuUsage(u32);

impl CpuUsage {
    pub(crate) fn of(used: Duration) -> Self {
        Self((used.as_millis() as u64 + 1).ilog2())
    }
}

/// Where a thread waits for its turn.
#[derive(Default)]
struct SlotWaiter {
    turn: Mutex<Option<CpuSlot>>,
    called: Condvar,
}

impl CpuSlots {
    pub(crate) fn new(total: usize) -> Self {
        Self { total: total.max(1), state: Mutex::default() }
    }

    /// Waits until this thread may compute.
    pub(crate) fn acquire(&self, usage: CpuUsage) -> CpuSlot {
        let mut state = self.lock();
        state.arrivals += 1;
        let arrival = state.arrivals;
        if state.taken < self.total && state.waiting.is_empty() {
            state.taken += 1;
            return state.begin(arrival);
        }
        let seat = Arc::new(SlotWaiter::default());
        state.waiting.insert((usage, arrival), seat.clone());
        drop(state);
        let mut turn = seat.turn.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(turn) = turn.take() {
                return turn;
            }
            let (woken, waited) =
                seat.called.wait_timeout(turn, LEND_AFTER).unwrap_or_else(PoisonError::into_inner);
            turn = woken;
            if waited.timed_out() && turn.is_none() {
                // Whoever calls this seat locks the turns first.
                drop(turn);
                self.lend();
                turn = seat.turn.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    /// Gives a turn back: to whoever waits and has used the least.
    pub(crate) fn release(&self, turn: &CpuSlot) {
        let mut state = self.lock();
        state.computing.remove(&turn.arrival);
        if turn.is_lent() {
            state.lent = state.lent.saturating_sub(1);
        } else if !state.call_next() {
            state.taken = state.taken.saturating_sub(1);
        }
    }

    /// Calls somebody who waits in place of one who is silent. There is an end to how many are
    /// lent.
    fn lend(&self) {
        let mut state = self.lock();
        if state.lent >= MAX_LENT * self.total || state.waiting.is_empty() {
            return;
        }
        let Some(silent) = state
            .computing
            .values()
            .find(|signs| !signs.is_lent.load(Ordering::Relaxed) && signs.is_silent())
        else {
            return;
        };
        silent.is_lent.store(true, Ordering::Relaxed);
        state.lent += 1;
        state.call_next();
    }

    /// Whether somebody waits who comes before one who has used so much.
    pub(crate) fn is_wanted(&self, usage: CpuUsage) -> bool {
        self.lock().waiting.first_key_value().is_some_and(|((waiting, _), _)| *waiting <= usage)
    }

    fn lock(&self) -> MutexGuard<'_, CpuSlotState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CpuSlotState {
    fn begin(&mut self, arrival: u64) -> CpuSlot {
        let signs = Heartbeat::new();
        self.computing.insert(arrival, signs.clone());
        CpuSlot { arrival, signs }
    }

    /// Lets the next one compute; false if nobody waits.
    fn call_next(&mut self) -> bool {
        let Some(((_, arrival), seat)) = self.waiting.pop_first() else { return false };
        *seat.turn.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.begin(arrival));
        seat.called.notify_one();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::thread;

    fn waiting(turns: &CpuSlots) -> usize {
        turns.lock().waiting.len()
    }

    #[test]
    fn whoever_has_used_the_least_goes_first_and_then_whoever_came_first() {
        let turns = CpuSlots::new(1);
        // Nothing is lent, however long these threads take to come.
        turns.lock().lent = turns.total;
        let held = turns.acquire(CpuUsage::of(Duration::ZERO));
        let (sender, order) = mpsc::channel();
        thread::scope(|scope| {
            for (number, used_ms) in [5_000, 40, 0, 41].into_iter().enumerate() {
                let (turns, sender) = (&turns, sender.clone());
                scope.spawn(move || {
                    let turn = turns.acquire(CpuUsage::of(Duration::from_millis(used_ms)));
                    sender.send(used_ms).unwrap();
                    turns.release(&turn);
                });
                while waiting(turns) <= number {
                    thread::yield_now();
                }
            }
            assert!(turns.is_wanted(CpuUsage::of(Duration::ZERO)));
            turns.release(&held);
        });
        drop(sender);
        assert_eq!(order.iter().collect::<Vec<_>>(), [0, 40, 41, 5_000]);
        assert_eq!(turns.lock().taken, 0);
    }

    #[test]
    fn issue_14_04_turns_that_nothing_is_heard_of_are_lent_up_to_a_limit() {
        let turns = CpuSlots::new(1);
        let first = || turns.acquire(CpuUsage::of(Duration::ZERO));
        // They are never given back, and still others compute, one at a time.
        let silent: Vec<CpuSlot> = (0..MAX_LENT).map(|_| first()).collect();
        let lender = first();
        assert!(silent.iter().all(CpuSlot::is_lent) && !lender.is_lent());
        thread::scope(|scope| {
            let next = scope.spawn(first);
            while waiting(&turns) == 0 {
                thread::yield_now();
            }
            thread::sleep(3 * LEND_AFTER);
            assert!(!next.is_finished() && !lender.is_lent(), "no more are lent");
            turns.release(&lender);
            turns.release(&next.join().unwrap());
        });
        silent.iter().for_each(|turn| turns.release(turn));
        let state = turns.lock();
        assert_eq!(
            (state.taken, state.lent, state.computing.len(), state.waiting.len()),
            (0, 0, 0, 0)
        );
    }
}
