//! Memory for what comes from outside and is not passed on yet: answers of services while they come
//! and while they become values, files that are read. All of the process together has a limit;
//! whoever needs more waits until others are done with theirs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// Until an operator says otherwise: for all, and for what one text becomes.
const DEFAULT_TOTAL: usize = 256 << 20;
const DEFAULT_LARGEST: usize = 256 << 20;

/// So little is not counted: most answers are small, and the number of requests bounds them.
const FREE_BYTES: usize = 64 << 10;

/// Room is taken in pieces of this size, so that not every packet asks for it.
const STEP_BYTES: usize = 256 << 10;

/// Whoever takes more than this leaves an eighth of the room to the others.
const MODEST_BYTES: usize = 1 << 20;

/// How long somebody waits for room while others hold theirs.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

static SHARED: Intake = Intake::new(DEFAULT_TOTAL, WAIT_TIMEOUT);
static LARGEST: AtomicUsize = AtomicUsize::new(DEFAULT_LARGEST);

/// Sets how much all may take together, and what a single text may become.
pub fn limit_intake(total: usize, largest: usize) {
    SHARED.total.store(total, Ordering::Relaxed);
    LARGEST.store(largest, Ordering::Relaxed);
}

/// What a single text from outside may become.
pub fn largest_intake() -> usize {
    LARGEST.load(Ordering::Relaxed)
}

/// There was no room for what came, and nobody gave theirs back in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("data received from other services already uses the limit of {limit} bytes")]
pub struct IntakeExhausted {
    pub limit: usize,
}

/// Room that is held until this is dropped. It grows with what comes.
#[derive(Debug)]
pub struct MemoryReservation {
    of: &'static Intake,
    /// Zero as long as nothing is counted.
    arrival: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Intake {
    total: AtomicUsize,
    wait_timeout: Duration,
    state: Mutex<IntakeState>,
    freed: Notify,
}

#[derive(Debug)]
struct IntakeState {
    used: usize,
    arrivals: u64,
    waiting: BTreeSet<u64>,
    /// When there is no room, the one that came first goes on anyway until it is done, so that
    /// those who hold a part of what they need do not all wait for each other.
    ahead: Option<u64>,
}

/// What is told to those who cannot wait.
impl Default for IntakeExhausted {
    fn default() -> Self {
        Self { limit: SHARED.total.load(Ordering::Relaxed) }
    }
}

impl Default for MemoryReservation {
    fn default() -> Self {
        Self { of: &SHARED, arrival: 0, bytes: 0 }
    }
}

impl MemoryReservation {
    /// Room for so many bytes.
    pub async fn of(bytes: usize) -> Result<Self, IntakeExhausted> {
        let mut held = Self::default();
        held.grow_to(bytes).await?;
        Ok(held)
    }

    /// Takes room for so many bytes in all; waits if there is none.
    pub async fn grow_to(&mut self, bytes: usize) -> Result<(), IntakeExhausted> {
        if self.try_grow_to(bytes) {
            return Ok(());
        }
        let wanted = counted(bytes);
        let (of, arrival) = (self.of, self.arrival);
        let _waiting = IntakeWaiter::begin(of, arrival);
        let grow = async {
            let mut freed = std::pin::pin!(of.freed.notified());
            loop {
                freed.as_mut().enable();
                if self.try_take(wanted) {
                    return;
                }
                freed.as_mut().await;
                freed.set(of.freed.notified());
            }
        };
        tokio::time::timeout(of.wait_timeout, grow)
            .await
            .map_err(|_| IntakeExhausted { limit: of.total.load(Ordering::Relaxed) })
    }

    /// Takes room for so many bytes besides what is held.
    pub async fn grow_by(&mut self, bytes: usize) -> Result<(), IntakeExhausted> {
        self.grow_to(self.bytes.saturating_add(bytes)).await
    }

    /// The same as [`MemoryReservation::grow_to`] for whoever cannot wait; whether there was room.
    pub fn try_grow_to(&mut self, bytes: usize) -> bool {
        let wanted = counted(bytes);
        wanted <= self.bytes || self.try_take(wanted)
    }

    fn try_take(&mut self, wanted: usize) -> bool {
        let total = self.of.total.load(Ordering::Relaxed);
        let mut state = self.of.lock();
        if self.arrival == 0 {
            state.arrivals += 1;
            self.arrival = state.arrivals;
        }
        let open_to_it = if wanted > MODEST_BYTES { total - total / 8 } else { total };
        let after = state.used.saturating_add(wanted - self.bytes);
        let is_first = state.waiting.first().is_none_or(|first| *first >= self.arrival);
        let goes_ahead = match state.ahead {
            Some(arrival) => arrival == self.arrival,
            None => is_first,
        };
        if after > open_to_it {
            if !goes_ahead {
                return false;
            }
            state.ahead = Some(self.arrival);
        }
        state.used = after;
        self.bytes = wanted;
        true
    }
}

fn counted(bytes: usize) -> usize {
    if bytes <= FREE_BYTES { 0 } else { bytes.div_ceil(STEP_BYTES).saturating_mul(STEP_BYTES) }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut state = self.of.lock();
        state.used = state.used.saturating_sub(self.bytes);
        if state.ahead == Some(self.arrival) {
            state.ahead = None;
        }
        drop(state);
        self.of.freed.notify_waiters();
    }
}

/// Somebody's place among those who wait, however the wait ends.
struct IntakeWaiter {
    of: &'static Intake,
    arrival: u64,
}

impl IntakeWaiter {
    fn begin(of: &'static Intake, arrival: u64) -> Self {
        of.lock().waiting.insert(arrival);
        Self { of, arrival }
    }
}

impl Drop for IntakeWaiter {
    fn drop(&mut self) {
        self.of.lock().waiting.remove(&self.arrival);
        self.of.freed.notify_waiters();
    }
}

impl Intake {
    const fn new(total: usize, patience: Duration) -> Self {
        let state = IntakeState { used: 0, arrivals: 0, waiting: BTreeSet::new(), ahead: None };
        Self {
            total: AtomicUsize::new(total),
            wait_timeout: patience,
            state: Mutex::new(state),
            freed: Notify::const_new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, IntakeState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: usize = 1 << 20;

    fn intake(total: usize) -> &'static Intake {
        Box::leak(Box::new(Intake::new(total, Duration::from_millis(100))))
    }

    fn nothing(of: &'static Intake) -> MemoryReservation {
        MemoryReservation { of, ..MemoryReservation::default() }
    }

    /// What is held, how many wait, and who goes ahead.
    fn told(of: &Intake) -> (usize, usize, Option<u64>) {
        let state = of.lock();
        (state.used, state.waiting.len(), state.ahead)
    }

    async fn held(of: &'static Intake, bytes: usize) -> Result<MemoryReservation, IntakeExhausted> {
        let mut held = nothing(of);
        held.grow_to(bytes).await.map(|()| held)
    }

    #[tokio::test]
    async fn issue_14_09_answers_share_a_budget_and_give_it_back() {
        let all = intake(16 * MB);
        let first = held(all, 8 * MB).await.unwrap();
        let second = held(all, 6 * MB).await.unwrap();
        assert_eq!(all.lock().used, 14 * MB);
        // The first one that finds no room goes on; the next ones wait for it.
        let third = held(all, 4 * MB).await.unwrap();
        assert_eq!(held(all, 4 * MB).await.unwrap_err(), IntakeExhausted { limit: 16 * MB });
        assert!(held(all, FREE_BYTES).await.is_ok(), "little is not counted");
        drop((first, third));
        assert!(held(all, 8 * MB).await.is_ok());
        drop(second);
        assert_eq!(told(all), (0, 0, None));
    }

    #[tokio::test]
    async fn issue_14_09_small_answers_find_room_beside_large_ones() {
        let all = intake(16 * MB);
        let _large = (held(all, 14 * MB).await.unwrap(), held(all, 2 * MB).await.unwrap());
        assert!(held(all, 2 * MB).await.is_err());
        let all = intake(16 * MB);
        let _large = held(all, 14 * MB).await.unwrap();
        assert!(held(all, MB).await.is_ok());
        assert_eq!(all.lock().ahead, None);
    }

    #[tokio::test]
    async fn issue_14_09_those_who_hold_a_part_do_not_wait_for_each_other() {
        let all = intake(16 * MB);
        let one = |number: usize| async move {
            let mut held = nothing(all);
            for part in 1..=8 {
                held.grow_to(part * MB).await?;
                tokio::task::yield_now().await;
            }
            let used = all.lock().used;
            Ok::<_, IntakeExhausted>((number, used))
        };
        let many: Vec<_> = (0..20).map(|number| tokio::spawn(one(number))).collect();
        for one in many {
            let (_, used) = one.await.unwrap().unwrap();
            assert!(used <= (16 + 8) * MB, "{used}");
        }
        assert_eq!(told(all), (0, 0, None));
    }

    #[tokio::test]
    async fn issue_14_09_whoever_stops_waiting_keeps_nobody_else_waiting() {
        let all = intake(16 * MB);
        let (first, second) = (held(all, 14 * MB).await.unwrap(), held(all, 4 * MB).await.unwrap());
        let gone = tokio::time::timeout(Duration::from_millis(10), held(all, 4 * MB)).await;
        assert!(gone.is_err() && all.lock().waiting.is_empty());
        drop((first, second));
        assert!(
            held(all, 100 * MB).await.is_ok(),
            "alone, an answer may be larger than all together"
        );
    }
}
