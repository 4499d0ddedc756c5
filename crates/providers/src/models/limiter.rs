//! One door for all requests that use the same key, so that a provider that says "too many" hears
//! one knock and not a hundred.

use super::timing::TimingSource;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How many doors are remembered before those nobody uses are forgotten.
const MAX_LIMITERS: usize = 1_024;

/// The doors of the process.
#[derive(Default)]
pub struct Limiters {
    limiters: Mutex<HashMap<LimiterKey, Arc<Limiter>>>,
    hasher: RandomState,
}

/// A place and whose key it is asked with. The key itself is not kept.
#[derive(Clone, PartialEq, Eq, Hash)]
struct LimiterKey {
    host: String,
    fingerprint: u64,
}

impl Limiters {
    /// Those that all runs share.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Limiters> = LazyLock::new(Limiters::default);
        &SHARED
    }

    pub fn of(&self, host: &str, credential: &str) -> Arc<Limiter> {
        let key = LimiterKey {
            host: host.to_ascii_lowercase(),
            fingerprint: self.hasher.hash_one(credential),
        };
        let mut doors = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        if doors.len() >= MAX_LIMITERS {
            doors.retain(|_, door| Arc::strong_count(door) > 1);
        }
        doors.entry(key).or_default().clone()
    }
}

/// A door. Open it stays out of the way. After a "too many" it is shut for the pause that was asked
/// for; then one request goes first, and each that is let in makes room for one more, until nobody
/// waits. Where it was too many before, room grows more slowly.
#[derive(Default)]
pub struct Limiter {
    state: Mutex<LimiterState>,
    changed: Notify,
}

#[derive(Default)]
struct LimiterState {
    closed_until: Duration,
    /// Requests that wait for the head of their answer.
    in_flight: usize,
    /// How many may ask at once; nothing while all is well.
    capacity: Option<f64>,
    /// Half of what was too many the last time.
    slow_start_limit: f64,
    waiting: usize,
}

/// Leave to ask. Dropped, the place is free for the next.
pub struct RequestPermit {
    limiter: Arc<Limiter>,
}

impl Limiter {
    /// Waits until a request may be made.
    pub async fn acquire(self: &Arc<Self>, pace: &dyn TimingSource) -> RequestPermit {
        self.acquire_after(Duration::ZERO, pace).await
    }

    /// Waits for a pause of one's own, and then until a request may be made. Who waits like this is
    /// counted, so that the door does not open wide for those who all come back a moment later.
    pub async fn acquire_after(
        self: &Arc<Self>,
        pause: Duration,
        pace: &dyn TimingSource,
    ) -> RequestPermit {
        let mut waiting = None;
        if !pause.is_zero() {
            waiting = Some(WaiterGuard::new(self));
            pace.sleep(pause).await;
        }
        loop {
            let mut changed = std::pin::pin!(self.changed.notified());
            // From here on no change is missed.
            changed.as_mut().enable();
            let pause = {
                let mut state = self.state();
                let now = pace.now();
                match state.capacity {
                    None => {
                        state.in_flight += 1;
                        return RequestPermit { limiter: self.clone() };
                    }
                    Some(_) if now < state.closed_until => Some(state.closed_until - now),
                    Some(room) if (state.in_flight as f64) < room.floor() => {
                        state.in_flight += 1;
                        return RequestPermit { limiter: self.clone() };
                    }
                    Some(_) => None,
                }
            };
            waiting.get_or_insert_with(|| WaiterGuard::new(self));
            match pause {
                Some(pause) => pace.sleep(pause).await,
                None => changed.await,
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RequestPermit {
    /// The provider took the request.
    pub fn accepted(self, pace: &dyn TimingSource) {
        let mut state = self.limiter.state();
        // One that was on its way when the door was shut says nothing about what comes after.
        if pace.now() < state.closed_until {
            return;
        }
        state.capacity = match state.capacity {
            Some(room) if state.waiting > 0 && room < state.slow_start_limit => Some(room + 1.0),
            Some(room) if state.waiting > 0 => Some(room + 1.0 / room),
            _ => None,
        };
    }

    /// The provider wants fewer requests, and none for this long.
    pub fn rate_limited(self, pause: Duration, pace: &dyn TimingSource) {
        let mut state = self.limiter.state();
        let now = pace.now();
        let half = (state.capacity.unwrap_or(0.0).max(state.in_flight as f64) / 2.0).max(1.0);
        // Those that were on their way together are one "too many", not several.
        let is_the_same = now < state.closed_until;
        state.slow_start_limit = if is_the_same { state.slow_start_limit.max(half) } else { half };
        state.closed_until = state.closed_until.max(now + pause);
        state.capacity = Some(1.0);
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        let mut state = self.limiter.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        drop(state);
        self.limiter.changed.notify_waiters();
    }
}

/// Somebody before the door; also when they walk away.
struct WaiterGuard<'d>(&'d Limiter);

impl<'d> WaiterGuard<'d> {
    fn new(door: &'d Limiter) -> Self {
        door.state().waiting += 1;
        Self(door)
    }
}

impl Drop for WaiterGuard<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::timing::testing::TestTiming;
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_same_key_at_the_same_place_has_the_same_door() {
        let doors = Limiters::default();
        assert!(Arc::ptr_eq(&doors.of("API.test", "k1"), &doors.of("api.test", "k1")));
        assert!(!Arc::ptr_eq(&doors.of("api.test", "k1"), &doors.of("api.test", "k2")));
        assert!(!Arc::ptr_eq(&doors.of("api.test", "k1"), &doors.of("other.test", "k1")));
    }

    #[test]
    fn doors_that_nobody_uses_are_forgotten() {
        let doors = Limiters::default();
        let kept = doors.of("kept.test", "k");
        for number in 0..3_000 {
            doors.of("api.test", &number.to_string());
        }
        assert!(doors.limiters.lock().unwrap().len() <= MAX_LIMITERS);
        assert!(Arc::ptr_eq(&kept, &doors.of("kept.test", "k")));
    }

    #[tokio::test]
    async fn an_open_door_lets_everybody_in_at_once() {
        let (door, pace) = (Arc::new(Limiter::default()), TestTiming::new());
        let mut inside = Vec::new();
        for _ in 0..100 {
            inside.push(door.acquire(&pace).await);
        }
        assert!(pace.slept_ms().is_empty());
    }

    #[tokio::test]
    async fn after_too_many_one_goes_first_and_the_others_follow_in_growing_numbers() {
        let (door, pace) = (Arc::new(Limiter::default()), Arc::new(TestTiming::new()));
        door.acquire(&*pace).await.rate_limited(Duration::from_secs(5), &*pace);
        let (at_once, most, order) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(Mutex::new(Vec::new())),
            Arc::new(AtomicUsize::new(0)),
        );
        let runs: Vec<_> = (0..100)
            .map(|_| {
                let (door, pace, at_once, most, order) =
                    (door.clone(), pace.clone(), at_once.clone(), most.clone(), order.clone());
                tokio::spawn(async move {
                    let leave = door.acquire(&*pace).await;
                    assert!(
                        pace.now() >= Duration::from_secs(5),
                        "nobody asks before the pause is over"
                    );
                    let place = order.fetch_add(1, Ordering::SeqCst);
                    let now = at_once.fetch_add(1, Ordering::SeqCst) + 1;
                    most.lock().unwrap().push((place, now));
                    tokio::task::yield_now().await;
                    at_once.fetch_sub(1, Ordering::SeqCst);
                    leave.accepted(&*pace);
                })
            })
            .collect();
        for run in runs {
            run.await.unwrap();
        }
        for (place, at_once) in most.lock().unwrap().iter() {
            assert!(*at_once <= place + 1, "request {place} was one of {at_once} at once");
        }
        assert_eq!(order.load(Ordering::SeqCst), 100);
        assert_eq!(door.state().capacity, None, "the door is wide open again");
    }

    #[tokio::test]
    async fn a_late_success_does_not_open_a_door_that_was_just_shut() {
        let (door, pace) = (Arc::new(Limiter::default()), TestTiming::new());
        let late = door.acquire(&pace).await;
        door.acquire(&pace).await.rate_limited(Duration::from_secs(9), &pace);
        late.accepted(&pace);
        door.acquire(&pace).await.accepted(&pace);
        assert_eq!(pace.slept_ms(), [9_000]);
        assert_eq!(door.state().capacity, None);
    }

    #[tokio::test]
    async fn who_walks_away_leaves_no_trace() {
        let (door, pace) = (Arc::new(Limiter::default()), TestTiming::new());
        let first = door.acquire(&pace).await;
        door.acquire(&pace).await.rate_limited(Duration::ZERO, &pace);
        {
            let waiting = door.acquire(&pace);
            let first =
                futures::future::select(Box::pin(waiting), Box::pin(tokio::task::yield_now()))
                    .await;
            assert!(matches!(first, futures::future::Either::Right(_)));
        }
        assert_eq!(door.state().waiting, 0);
        first.accepted(&pace);
        drop(door.acquire(&pace).await);
        assert_eq!(door.state().in_flight, 0);
    }
}
