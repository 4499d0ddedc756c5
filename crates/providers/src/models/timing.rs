//! Time and chance as the models see them, so that tests neither sleep nor guess.

use std::sync::LazyLock;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock and dice. Implemented by [`SystemTiming`]; replaced in tests.
#[async_trait::async_trait]
pub trait TimingSource: Send + Sync {
    /// Time since some moment, the same one for all that share a door; it never goes back.
    fn now(&self) -> Duration;
    /// Milliseconds since the epoch. It may jump; only dates of other machines are compared with
    /// it.
    fn unix_ms(&self) -> i64;
    /// From 0 up to but without 1.
    fn random(&self) -> f64;
    async fn sleep(&self, time: Duration);
}

/// The machine's own. All of them show the same time, since runs compare theirs at the doors they
/// share.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemTiming;

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

#[async_trait::async_trait]
impl TimingSource for SystemTiming {
    fn now(&self) -> Duration {
        START.elapsed()
    }

    fn unix_ms(&self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
    }

    fn random(&self) -> f64 {
        let mut bytes = [0; 4];
        // Without a source of chance everybody waits the middle; the limiter still keeps them
        // apart.
        getrandom::fill(&mut bytes)
            .map_or(0.5, |()| f64::from(u32::from_le_bytes(bytes)) / (f64::from(u32::MAX) + 1.0))
    }

    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }
}

/// What a future gives, or nothing if it takes longer than this.
pub(super) async fn within<T>(
    pace: &dyn TimingSource,
    time: Duration,
    future: impl Future<Output = T>,
) -> Option<T> {
    let future = std::pin::pin!(future);
    match futures::future::select(future, pace.sleep(time)).await {
        futures::future::Either::Left((value, _)) => Some(value),
        futures::future::Either::Right(_) => None,
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;
    use std::sync::Mutex;

    /// A clock that moves only when somebody sleeps, and dice that show what the test says.
    pub(in crate::models) struct TestTiming {
        pub(in crate::models) random: f64,
        pub(in crate::models) unix_ms: i64,
        now: Mutex<Duration>,
        pub(in crate::models) slept: Mutex<Vec<Duration>>,
    }

    impl TestTiming {
        pub(in crate::models) fn new() -> Self {
            Self {
                random: 0.0,
                unix_ms: 1_700_000_000_000,
                now: Mutex::default(),
                slept: Mutex::default(),
            }
        }

        pub(in crate::models) fn slept_ms(&self) -> Vec<u64> {
            self.slept.lock().unwrap().iter().map(|time| time.as_millis() as u64).collect()
        }
    }

    #[async_trait::async_trait]
    impl TimingSource for TestTiming {
        fn now(&self) -> Duration {
            *self.now.lock().unwrap()
        }

        fn unix_ms(&self) -> i64 {
            self.unix_ms
        }

        fn random(&self) -> f64 {
            self.random
        }

        async fn sleep(&self, time: Duration) {
            // Whatever else is ready goes first, as it would if the time were long.
            for _ in 0..50 {
                tokio::task::yield_now().await;
            }
            *self.now.lock().unwrap() += time;
            self.slept.lock().unwrap().push(time);
        }
    }
}
