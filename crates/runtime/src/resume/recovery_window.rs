//! How many of the runs that a crash left behind are resumed side by side.
//!
//! Those that have shown no sign of life are suspects if the process dies again, so the window is
//! narrow at first. With each run that settles it grows, and whoever is resumed in a wide window is
//! one of too many to be held responsible.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Resumed runs that have shown no sign of life yet: no more than these are suspects if the process
/// dies again.
const NARROW: usize = 8;

/// The most that the window grows to.
const WIDE: usize = 1_024;

pub(crate) struct RecoveryWindow {
    permits: Arc<Semaphore>,
    size: AtomicUsize,
    most: usize,
}

/// A run in the window, until it has settled.
pub(crate) struct WindowPermit {
    window: Arc<RecoveryWindow>,
    _permit: OwnedSemaphorePermit,
    /// It is one of few.
    pub(crate) is_narrow: bool,
}

impl RecoveryWindow {
    pub(crate) fn narrow() -> Arc<Self> {
        Self::up_to(NARROW)
    }

    pub(crate) fn growing() -> Arc<Self> {
        Self::up_to(WIDE)
    }

    fn up_to(most: usize) -> Arc<Self> {
        Arc::new(Self {
            permits: Arc::new(Semaphore::new(NARROW)),
            size: AtomicUsize::new(NARROW),
            most,
        })
    }

    /// Waits for a place. None if the window is closed, which it never is.
    pub(crate) async fn acquire(self: &Arc<Self>) -> Option<WindowPermit> {
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        Some(WindowPermit {
            window: self.clone(),
            _permit: permit,
            is_narrow: self.size.load(Ordering::Relaxed) <= NARROW,
        })
    }

    /// Waits until everybody has settled.
    pub(crate) async fn settled(&self) {
        loop {
            let size = self.size.load(Ordering::Relaxed);
            let all = self.permits.acquire_many(size as u32).await;
            // Whoever settled meanwhile has made it larger.
            if all.is_err() || self.size.load(Ordering::Relaxed) == size {
                return;
            }
        }
    }
}

impl WindowPermit {
    /// The run is harmless: there is room for one more.
    pub(crate) fn settle(self) {
        let RecoveryWindow { permits, size, most } = &*self.window;
        let grows = size.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |size| {
            (size < *most).then_some(size + 1)
        });
        if grows.is_ok() {
            permits.add_permits(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    fn fill(window: &Arc<RecoveryWindow>) -> Vec<WindowPermit> {
        std::iter::from_fn(|| tokio::task::unconstrained(window.acquire()).now_or_never().flatten())
            .collect()
    }

    #[tokio::test]
    async fn the_window_doubles_each_time_that_all_in_it_have_settled() {
        let window = RecoveryWindow::growing();
        let sizes: Vec<usize> = std::iter::repeat_with(|| {
            let permits = fill(&window);
            let size = permits.len();
            assert!(permits.iter().all(|permit| permit.is_narrow == (size == NARROW)));
            permits.into_iter().for_each(WindowPermit::settle);
            size
        })
        .take(9)
        .collect();
        assert_eq!(sizes, [8, 16, 32, 64, 128, 256, 512, 1_024, 1_024]);
    }

    #[tokio::test]
    async fn suspects_stay_few_and_are_waited_for() {
        let window = RecoveryWindow::narrow();
        fill(&window).into_iter().for_each(WindowPermit::settle);
        let mut permits = fill(&window);
        assert_eq!(permits.len(), NARROW);
        assert!(window.settled().now_or_never().is_none());
        // One that is not to be resumed leaves its permit as it was.
        permits.clear();
        assert!(window.settled().now_or_never().is_some());
    }
}
