//! A future whose polls are long work.

use crate::section::{Allowance, is_offloaded, section};
use crate::turns::Kind;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::PollSemaphore;

/// Polls under way or waiting for a turn, each with a thread; further ones wait without one.
const MAX_OFFLOADED: usize = 128;

/// Polls a future off the threads of the runtime, in turns, within an allowance.
pub struct Offload<F> {
    inner: Pin<Box<F>>,
    allowance: Allowance,
    used: Duration,
    places: PollSemaphore,
}

impl<F: Future> Offload<F> {
    pub fn new(inner: F, allowance: Allowance) -> Self {
        static PLACES: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(MAX_OFFLOADED)));
        Self { inner: Box::pin(inner), allowance, used: Duration::ZERO, places: PollSemaphore::new(PLACES.clone()) }
    }
}

impl<F: Future> Future for Offload<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        // Inside of another one's poll, that one has the place. The semaphore is never closed.
        let _place = if is_offloaded() { None } else { ready!(this.places.poll_acquire(context)) };
        let (inner, used) = (&mut this.inner, this.used);
        let (polled, used) = section(Kind::Whole, Some(&this.allowance), used, || inner.as_mut().poll(context));
        this.used += used;
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Exceeded, tick};

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn all_polls_of_a_future_share_its_allowance() {
        let allowance = Allowance::new(Duration::from_millis(30), Duration::from_secs(1));
        let work = async {
            loop {
                assert!(is_offloaded());
                let until = crate::cpu_used() + Duration::from_millis(10);
                while crate::cpu_used() < until {
                    tick()?;
                }
                tokio::task::yield_now().await;
            }
        };
        let ended: Result<(), Exceeded> = Offload::new(work, allowance.clone()).await;
        assert_eq!(ended, Err(Exceeded { limit: Duration::from_millis(30) }));
        assert!(allowance.used() >= Duration::from_millis(30) && allowance.used() < Duration::from_millis(300));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn more_futures_than_places_are_all_done() {
        let allowance = Allowance::new(Duration::from_secs(1), Duration::from_secs(60));
        let many = (0..3 * MAX_OFFLOADED).map(|number| {
            tokio::spawn(Offload::new(
                async move {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    number
                },
                allowance.clone(),
            ))
        });
        let mut done = 0;
        for one in many.collect::<Vec<_>>() {
            done += usize::from(one.await.is_ok());
        }
        assert_eq!(done, 3 * MAX_OFFLOADED);
    }
}
