//! A future whose polls are long work, or become long work once much data has come in.

use crate::cpu_slots::SlotKind;
use crate::section::{Allowance, LARGE_BYTES, SectionStart, is_offloaded, lending, section};
use std::cell::Cell;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio_util::sync::PollSemaphore;

/// Polls under way or waiting for a turn, each with a thread; further ones wait without one.
const MAX_OFFLOADED: usize = 128;

thread_local! {
    /// Whether the future that is polled here has met work to be offloaded.
    static IS_ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Polls a future off the threads of the runtime, in turns, within an allowance.
pub struct Offload<F> {
    inner: F,
    allowance: Allowance,
    used: Duration,
    is_long: bool,
    /// None until it is asked for.
    places: Option<PollSemaphore>,
}

impl<F: Future + Unpin> Offload<F> {
    pub fn new(inner: F, allowance: Allowance) -> Self {
        Self { inner, allowance, used: Duration::ZERO, is_long: false, places: Some(places()) }
    }

    /// The same for work on much data, which waits while memory is short.
    pub fn long(inner: F, allowance: Allowance) -> Self {
        Self { is_long: true, ..Self::new(inner, allowance) }
    }

    /// Polls it like any other, until something inside of it calls [`request_offload`]. Sections inside of it
    /// are charged to the allowance.
    pub fn if_asked(inner: F, allowance: Allowance) -> Self {
        Self { inner, allowance, used: Duration::ZERO, is_long: false, places: None }
    }
}

fn places() -> PollSemaphore {
    static PLACES: LazyLock<Arc<Semaphore>> =
        LazyLock::new(|| Arc::new(Semaphore::new(MAX_OFFLOADED)));
    PollSemaphore::new(PLACES.clone())
}

impl<F: Future + Unpin> Future for Offload<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        let Some(places) = &mut this.places else {
            // It may be a part of another one, which others have asked.
            let before = IS_ASKED.replace(false);
            let polled = lending(&this.allowance, || Pin::new(&mut this.inner).poll(context));
            if IS_ASKED.replace(before) {
                this.places = Some(places());
            }
            return polled;
        };
        // Inside of another one's poll, that one has the place. The semaphore is never closed.
        let _place = if is_offloaded() { None } else { ready!(places.poll_acquire(context)) };
        let (inner, start) =
            (&mut this.inner, SectionStart { used_before: this.used, is_long: this.is_long });
        let (polled, used) = section(SlotKind::Whole, Some(&this.allowance), start, || {
            Pin::new(inner).poll(context)
        });
        this.used += used;
        polled
    }
}

/// To be called once so much data is there, and before it is worked on: what follows is offloaded
/// if it is much, together with all of the [`Offload::if_asked`] that it is a part of. Where there
/// is none, nothing changes.
pub async fn request_offload(bytes: usize) {
    let mut is_told = bytes < LARGE_BYTES;
    std::future::poll_fn(|context| {
        if is_told || is_offloaded() {
            return Poll::Ready(());
        }
        is_told = true;
        IS_ASKED.set(true);
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
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
        let ended: Result<(), Exceeded> = Offload::new(Box::pin(work), allowance.clone()).await;
        assert_eq!(ended, Err(Exceeded { limit: Duration::from_millis(30) }));
        assert!(
            allowance.used() >= Duration::from_millis(30)
                && allowance.used() < Duration::from_millis(300)
        );
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn issue_15_01_a_section_inside_of_a_future_ends_when_nobody_wants_the_future() {
        let stop = tokio_util::sync::CancellationToken::new();
        let allowance =
            Allowance::new(Duration::from_secs(60), Duration::from_secs(60)).until(stop.clone());
        let work = Box::pin(async {
            crate::interruptible(|| {
                let until = crate::cpu_used() + Duration::from_secs(20);
                while crate::cpu_used() < until {
                    tick()?;
                }
                Ok::<_, Exceeded>(())
            })
        });
        let stopping = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            stop.cancel();
        });
        assert_eq!(
            Offload::if_asked(work, allowance.clone()).await,
            Ok(Err(Exceeded { limit: Duration::ZERO }))
        );
        assert!(allowance.used() > Duration::ZERO, "what it used is charged");
        stopping.join().unwrap();
        assert_eq!(crate::interruptible(tick), Ok(Ok(())), "and what follows is nobody else's");
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn more_futures_than_places_are_all_done() {
        let allowance = Allowance::new(Duration::from_secs(1), Duration::from_secs(60));
        let many = (0..3 * MAX_OFFLOADED).map(|number| {
            let work = async move {
                tokio::time::sleep(Duration::from_millis(1)).await;
                number
            };
            tokio::spawn(Offload::new(Box::pin(work), allowance.clone()))
        });
        let mut done = 0;
        for one in many.collect::<Vec<_>>() {
            done += usize::from(one.await.is_ok());
        }
        assert_eq!(done, 3 * MAX_OFFLOADED);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn issue_14_06_work_that_meets_much_data_goes_on_elsewhere() {
        let allowance = Allowance::new(Duration::from_millis(20), Duration::from_secs(1));
        let work = Box::pin(async {
            request_offload(LARGE_BYTES - 1).await;
            let little = is_offloaded();
            // A part of several that are under way.
            tokio::join!(request_offload(LARGE_BYTES), tokio::task::yield_now());
            let until = crate::cpu_used() + Duration::from_secs(5);
            let mut ended = Ok(());
            while ended.is_ok() && crate::cpu_used() < until {
                ended = tick();
            }
            (little, is_offloaded(), ended)
        });
        let limit = Duration::from_millis(20);
        assert_eq!(
            Offload::if_asked(work, allowance.clone()).await,
            (false, true, Err(Exceeded { limit }))
        );
        // Where nobody offloads, it goes on where it is.
        request_offload(LARGE_BYTES).await;
        assert!(!is_offloaded());
        let next = Box::pin(async { is_offloaded() });
        assert!(
            !Offload::if_asked(next, allowance).await,
            "what was asked for elsewhere is not taken for this one"
        );
    }
}
