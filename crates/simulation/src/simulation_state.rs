//! What outlives the processes of a history: the database, the clock on the wall, the moods of the
//! disk, and what is known to be true.

use crate::expectations::Expectations;
use crate::random::SeededRandom;
use std::cell::RefCell;
use std::fmt::{Display, Write as _};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Error;
use store::simulation::{CommitFate, SimulatedDatabase, SimulatedDisk};
use tokio::sync::Notify;
use tokio::time::Instant;

/// When histories begin: a moment in 2024.
const BEGINNING_MS: i64 = 1_704_067_200_000;

thread_local! {
    static WORLD: RefCell<Option<Arc<SimulationState>>> = const { RefCell::new(None) };
}

pub(crate) struct SimulationState {
    pub(crate) random: SeededRandom,
    pub(crate) memory: Arc<SimulatedDatabase>,
    /// Those that the history is about.
    pub(crate) workflows: &'static [&'static str],
    truth: Mutex<Expectations>,
    fault_rates: FaultRates,
    /// Nothing fails any more.
    is_calm: AtomicBool,
    /// When the process at hand began, on the wall and in its own time.
    began: Mutex<(i64, Option<Instant>)>,
    /// Until when the disk takes no writes.
    trouble_until_ms: AtomicI64,
    trouble: Mutex<Option<Error>>,
    death: Notify,
    process: AtomicU64,
    log: Mutex<String>,
}

/// How a history is disposed: each thing happens once in so many times, or never.
struct FaultRates {
    pause: u64,
    long_pause: u64,
    read_failure: u64,
    trouble: u64,
    failure: u64,
    death: u64,
}

impl FaultRates {
    /// Most histories have only some kinds of trouble, so that one kind does not hide what another
    /// leads to.
    fn new(random: &SeededRandom) -> Self {
        let often = |choices: &[u64]| random.choose(choices).unwrap_or(0);
        Self {
            pause: often(&[0, 1, 2, 4]),
            long_pause: often(&[0, 10, 40]),
            read_failure: often(&[0, 0, 0, 100, 400]),
            trouble: often(&[0, 0, 30, 100]),
            failure: often(&[0, 0, 10, 40]),
            death: often(&[0, 0, 15, 60]),
        }
    }
}

impl SimulationState {
    pub(crate) fn new(
        random: SeededRandom,
        memory: Arc<SimulatedDatabase>,
        workflows: &'static [&'static str],
    ) -> Arc<Self> {
        let moods = FaultRates::new(&random);
        let world = Arc::new(Self {
            random,
            memory,
            workflows,
            truth: Mutex::default(),
            fault_rates: moods,
            is_calm: AtomicBool::new(false),
            began: Mutex::new((BEGINNING_MS, None)),
            trouble_until_ms: AtomicI64::new(0),
            trouble: Mutex::default(),
            death: Notify::new(),
            process: AtomicU64::new(0),
            log: Mutex::default(),
        });
        WORLD.set(Some(world.clone()));
        world
    }

    /// The world of the history on this thread.
    pub(crate) fn here() -> Option<Arc<SimulationState>> {
        WORLD.with_borrow(Clone::clone)
    }

    /// A process begins, so long after the last one has ended.
    pub(crate) fn begin_process(&self, after_ms: i64) {
        let now = self.now_ms();
        *lock(&self.began) = (now + after_ms, Some(Instant::now()));
        self.process.fetch_add(1, Ordering::Relaxed);
        // What a process did not live to see is no news for the next one.
        let _ = futures_now(self.death.notified());
    }

    /// The process is over: its time stands still.
    pub(crate) fn end_process(&self) {
        let now = self.now_ms();
        *lock(&self.began) = (now, None);
        self.truth().end_process();
    }

    pub(crate) async fn death(&self) {
        self.death.notified().await;
    }

    pub(crate) fn stop_faults(&self) {
        self.is_calm.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_calm(&self) -> bool {
        self.is_calm.load(Ordering::Relaxed)
    }

    pub(crate) fn truth(&self) -> MutexGuard<'_, Expectations> {
        lock(&self.truth)
    }

    /// Writes a line of the history.
    pub(crate) fn log_line(&self, line: impl Display) {
        let at = self.now_ms() - BEGINNING_MS;
        let _ =
            writeln!(lock(&self.log), "{} {at:>8} {line}", self.process.load(Ordering::Relaxed));
    }

    pub(crate) fn story(&self) -> String {
        lock(&self.log).clone()
    }

    /// Some time of a client, a person or a step: often none, seldom long.
    pub(crate) fn some_time(&self) -> Duration {
        Duration::from_millis(match self.random.below(8) {
            0..3 => 0,
            3..6 => 1 + self.random.below(20),
            6 => self.random.below(500),
            _ => self.random.below(4_000),
        })
    }

    fn error(&self) -> Error {
        match self.random.below(4) {
            0 => Error::Full,
            1 => Error::Busy,
            2 => Error::Unwritable { cause: "simulated".into() },
            _ => Error::Database { cause: "simulated".into() },
        }
    }

    fn is_in_trouble(&self) -> bool {
        self.now_ms() < self.trouble_until_ms.load(Ordering::Relaxed)
    }
}

impl SimulatedDisk for SimulationState {
    fn now_ms(&self) -> i64 {
        let (at, since) = *lock(&self.began);
        at + since.map_or(0, |since| since.elapsed().as_millis() as i64)
    }

    fn pause(&self) -> Option<Duration> {
        if self.is_calm() {
            return None;
        }
        if self.random.one_in(self.fault_rates.long_pause) {
            return Some(Duration::from_millis(self.random.below(9_000)));
        }
        self.random
            .one_in(self.fault_rates.pause)
            .then(|| Duration::from_millis(self.random.below(12)))
    }

    fn read_failure(&self) -> Option<Error> {
        let fails = !self.is_calm() && self.random.one_in(self.fault_rates.read_failure);
        fails
            .then(|| self.error())
            .inspect(|error| self.log_line(format_args!("disk: a read fails: {error}")))
    }

    fn group_fate(&self) -> CommitFate {
        if self.is_calm() {
            return CommitFate::Written;
        }
        if self.random.one_in(self.fault_rates.death) {
            let is_committed = self.random.one_in(2);
            self.log_line(format_args!("disk: the process dies, committed: {is_committed}"));
            return CommitFate::Dies { is_committed };
        }
        if !self.is_in_trouble() && self.random.one_in(self.fault_rates.trouble) {
            let error = [Error::Full, Error::Busy, Error::Unwritable { cause: "simulated".into() }];
            *lock(&self.trouble) = self.random.choose(&error);
            let until = self.now_ms() + self.random.below(15_000) as i64;
            self.trouble_until_ms.store(until, Ordering::Relaxed);
            self.log_line("disk: trouble begins");
        }
        let trouble = lock(&self.trouble).clone().filter(|_| self.is_in_trouble());
        let error = match trouble {
            Some(error) => error,
            None if self.random.one_in(self.fault_rates.failure) => self.error(),
            None => return CommitFate::Written,
        };
        let at = self.random.below(3) as usize;
        let fate = match self.random.below(4) {
            0 => CommitFate::NotBegun(error),
            1 => CommitFate::FailsAt(at, error),
            2 => CommitFate::BreaksAt(at, error),
            _ => CommitFate::NotCommitted(error),
        };
        self.log_line(format_args!("disk: {fate:?}"));
        fate
    }

    fn die(&self) {
        self.death.notify_one();
    }
}

/// The clock on the wall, for the engine.
pub(crate) struct WallClock(pub(crate) Arc<SimulationState>);

#[async_trait::async_trait]
impl engine::Clock for WallClock {
    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
    }
}

/// Polls a future once.
fn futures_now<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
