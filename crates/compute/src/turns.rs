//! Who computes now: a few turns for many threads, given to whoever has used the least.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

/// Who may have to wait for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Work that keeps its turn until it is done.
    Whole,
    /// Work that gives its turn up after a time slice.
    Sliced,
}

impl Kind {
    /// One turn of each kind for each processor: the system shares the processors between them, and what serves connections needs
    /// them only for moments.
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
    taken: usize,
    arrivals: u64,
    /// By what they have used, and then by their arrival.
    waiting: BTreeMap<(Usage, u64), Arc<Seat>>,
}

/// What somebody has used so far, in steps that double: within one step, whoever came first goes first.
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
    has_turn: Mutex<bool>,
    called: Condvar,
}

impl Turns {
    pub(crate) fn new(total: usize) -> Self {
        Self { total: total.max(1), state: Mutex::default() }
    }

    /// Waits until this thread may compute.
    pub(crate) fn take(&self, usage: Usage) {
        let mut state = self.lock();
        if state.taken < self.total && state.waiting.is_empty() {
            state.taken += 1;
            return;
        }
        let seat = Arc::new(Seat::default());
        state.arrivals += 1;
        let arrival = state.arrivals;
        state.waiting.insert((usage, arrival), seat.clone());
        drop(state);
        let mut has_turn = seat.has_turn.lock().unwrap_or_else(PoisonError::into_inner);
        while !*has_turn {
            has_turn = seat.called.wait(has_turn).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Gives a turn back: to whoever waits and has used the least.
    pub(crate) fn give_back(&self) {
        let mut state = self.lock();
        match state.waiting.pop_first() {
            Some((_, seat)) => {
                *seat.has_turn.lock().unwrap_or_else(PoisonError::into_inner) = true;
                seat.called.notify_one();
            }
            None => state.taken = state.taken.saturating_sub(1),
        }
    }

    /// Whether somebody waits who comes before one who has used so much.
    pub(crate) fn is_wanted(&self, usage: Usage) -> bool {
        self.lock().waiting.first_key_value().is_some_and(|((waiting, _), _)| *waiting <= usage)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        turns.take(Usage::of(Duration::ZERO));
        let (sender, order) = mpsc::channel();
        thread::scope(|scope| {
            for (number, used_ms) in [5_000, 40, 0, 41].into_iter().enumerate() {
                let (turns, sender) = (&turns, sender.clone());
                scope.spawn(move || {
                    turns.take(Usage::of(Duration::from_millis(used_ms)));
                    sender.send(used_ms).unwrap();
                    turns.give_back();
                });
                while waiting(turns) <= number {
                    thread::yield_now();
                }
            }
            assert!(turns.is_wanted(Usage::of(Duration::ZERO)));
            turns.give_back();
        });
        drop(sender);
        assert_eq!(order.iter().collect::<Vec<_>>(), [0, 40, 41, 5_000]);
        assert_eq!(turns.lock().taken, 0);
    }
}
