//! The clock that ends JavaScript: a thread that advances the engine's epoch while something runs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use wasmtime::Engine;

/// One step of the epoch.
pub(super) const TICK_MS: u64 = 2;
/// The thread goes on for this many idle steps, so that a series of short evaluations does not wake
/// it each time.
const IDLE_TICKS: u32 = 50;

#[derive(Clone)]
pub(super) struct EpochTicker(Arc<TickerShared>);

struct TickerShared {
    running: AtomicUsize,
    asleep: AtomicBool,
    lock: Mutex<()>,
    wake: Condvar,
}

/// Time passes as long as this is held.
pub(super) struct TickerGuard(EpochTicker);

impl EpochTicker {
    /// Starts the thread, which ends with the engine.
    pub(super) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(TickerShared {
            running: AtomicUsize::new(0),
            asleep: AtomicBool::new(false),
            lock: Mutex::new(()),
            wake: Condvar::new(),
        });
        let (thread_shared, engine) = (shared.clone(), engine.weak());
        std::thread::Builder::new().name("js-clock".into()).spawn(move || {
            let mut idle = 0;
            loop {
                std::thread::sleep(Duration::from_millis(TICK_MS));
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
                drop(engine);
                idle = if thread_shared.running.load(Ordering::SeqCst) == 0 { idle + 1 } else { 0 };
                if idle > IDLE_TICKS {
                    thread_shared.sleep();
                    idle = 0;
                }
            }
        })?;
        Ok(Self(shared))
    }

    pub(super) fn run(&self) -> TickerGuard {
        self.0.running.fetch_add(1, Ordering::SeqCst);
        if self.0.asleep.load(Ordering::SeqCst) {
            let _guard = self.0.lock.lock().unwrap_or_else(PoisonError::into_inner);
            self.0.asleep.store(false, Ordering::SeqCst);
            self.0.wake.notify_all();
        }
        TickerGuard(self.clone())
    }
}

impl TickerShared {
    fn sleep(&self) {
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.asleep.store(true, Ordering::SeqCst);
        // Whoever began before the flag was set did not see it, so it is looked at once more.
        while self.running.load(Ordering::SeqCst) == 0 && self.asleep.load(Ordering::SeqCst) {
            guard = self.wake.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        self.asleep.store(false, Ordering::SeqCst);
    }
}

impl Drop for TickerGuard {
    fn drop(&mut self) {
        self.0.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}
