//! Who computes now: a few turns for many threads, given to whoever has used the least.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// Who may have to wait for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Work that keeps its turn until it is done.
    Whole,
    /// Work that gives its turn up after a time slice.
    Sliced,
}

impl Kind {
    /// One turn of each kind for each processor: the system shares the processors between them, and
    /// what serves connections needs them only for moments.
    pub(crate) fn turns(self) -> &'static Turns {
        static TURNS: LazyLock<[Turns; 2]> = LazyLock::new(|| {
            let processors = available_parallelism().map_or(2, usize::from);
            [Turns::new(processors), Turns::new(processors)]
        });
        let [whole, sliced] = &*TURNS;
        match self {
            Kind::Whole => whole,
            Kind::Sliced => sliced,
        }
    }
}

/// Turns that threads wait for.
pub(crate) struct Turns {
    total: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Turns that are in use.
    taken: usize,
    /// Threads that compute although somebody else has their turn now.
    lent: usize,
    arrivals: u64,
    /// By what they have used, and then by their arrival.
    waiting: BTreeMap<(Usage, u64), Arc<Seat>>,
    /// Who computes, by their arrival.
    computing: BTreeMap<u64, Arc<Signs>>,
}

/// Whoever has not been heard of for so long does not keep others waiting: its turn is lent to the
/// next one. So work that was never meant to give its turn up costs others their share of a
/// processor and not all of it.
const LEND_AFTER: Duration = Duration::from_millis(100);

/// So many times the turns there are may be lent at most. Each thread that computes takes its share
/// of the processors, and what it works on stays in memory.
const MOST_LENT: usize = 4;

/// A turn, as long as somebody has it.
pub(crate) struct Turn {
    arrival: u64,
    signs: Arc<Signs>,
}

/// What is known of somebody who computes.
struct Signs {
    began: Instant,
    /// When it was last heard of, in milliseconds from its beginning.
    seen_ms: AtomicU64,
    is_lent: AtomicBool,
}

impl Signs {
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

impl Turn {
    /// Says that whoever has the turn goes on.
    pub(crate) fn is_seen(&self) {
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
pub(crate) struct Usage(u32);

impl Usage {
    pub(crate) fn of(used: Duration) -> Self {
        Self((used.as_millis() as u64 + 1).ilog2())
    }
}

/// Where a thread waits for its turn.
#[derive(Default)]
struct Seat {
    turn: Mutex<Option<Turn>>,
    called: Condvar,
}

impl Turns {
    pub(crate) fn new(total: usize) -> Self {
        Self { total: total.max(1), state: Mutex::default() }
    }

    /// Waits until this thread may compute.
    pub(crate) fn take(&self, usage: Usage) -> Turn {
        let mut state = self.lock();
        state.arrivals += 1;
        let arrival = state.arrivals;
        if state.taken < self.total && state.waiting.is_empty() {
            state.taken += 1;
            return state.begin(arrival);
        }
        let seat = Arc::new(Seat::default());
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
    pub(crate) fn give_back(&self, turn: &Turn) {
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
        if state.lent >= MOST_LENT * self.total || state.waiting.is_empty() {
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
    pub(crate) fn is_wanted(&self, usage: Usage) -> bool {
        self.lock().waiting.first_key_value().is_some_and(|((waiting, _), _)| *waiting <= usage)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin(&mut self, arrival: u64) -> Turn {
        let signs = Signs::new();
        self.computing.insert(arrival, signs.clone());
        Turn { arrival, signs }
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

    fn waiting(turns: &Turns) -> usize {
        turns.lock().waiting.len()
    }

    #[test]
    fn whoever_has_used_the_least_goes_first_and_then_whoever_came_first() {
        let turns = Turns::new(1);
        // Nothing is lent, however long these threads take to come.
        turns.lock().lent = turns.total;
        let held = turns.take(Usage::of(Duration::ZERO));
        let (sender, order) = mpsc::channel();
        thread::scope(|scope| {
            for (number, used_ms) in [5_000, 40, 0, 41].into_iter().enumerate() {
                let (turns, sender) = (&turns, sender.clone());
                scope.spawn(move || {
                    let turn = turns.take(Usage::of(Duration::from_millis(used_ms)));
                    sender.send(used_ms).unwrap();
                    turns.give_back(&turn);
                });
                while waiting(turns) <= number {
                    thread::yield_now();
                }
            }
            assert!(turns.is_wanted(Usage::of(Duration::ZERO)));
            turns.give_back(&held);
        });
        drop(sender);
        assert_eq!(order.iter().collect::<Vec<_>>(), [0, 40, 41, 5_000]);
        assert_eq!(turns.lock().taken, 0);
    }

    #[test]
    fn issue_14_04_turns_that_nothing_is_heard_of_are_lent_up_to_a_limit() {
        let turns = Turns::new(1);
        let first = || turns.take(Usage::of(Duration::ZERO));
        // They are never given back, and still others compute, one at a time.
        let silent: Vec<Turn> = (0..MOST_LENT).map(|_| first()).collect();
        let lender = first();
        assert!(silent.iter().all(Turn::is_lent) && !lender.is_lent());
        thread::scope(|scope| {
            let next = scope.spawn(first);
            while waiting(&turns) == 0 {
                thread::yield_now();
            }
            thread::sleep(3 * LEND_AFTER);
            assert!(!next.is_finished() && !lender.is_lent(), "no more are lent");
            turns.give_back(&lender);
            turns.give_back(&next.join().unwrap());
        });
        silent.iter().for_each(|turn| turns.give_back(turn));
        let state = turns.lock();
        assert_eq!(
            (state.taken, state.lent, state.computing.len(), state.waiting.len()),
            (0, 0, 0, 0)
        );
    }
}
