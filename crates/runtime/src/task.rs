//! Work that a caller who has gone does not end, and that a panic does not take along.

use crate::Error;
use futures::FutureExt as _;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument as _;

/// The time until something that broke begins again.
const RESTART_DELAY: Duration = Duration::from_secs(1);

/// Does work in a task of its own, which a caller who has gone does not end.
pub(crate) async fn spawn_detached<T: Send + 'static>(
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    match tokio::spawn(work.in_current_span()).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => Err(Error::Panicked),
        // The process ends.
        Err(_) => Err(Error::Stopping),
    }
}

/// A panic is an error like others.
pub(crate) async fn catch_panic<T>(
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    AssertUnwindSafe(work).catch_unwind().await.unwrap_or(Err(Error::Panicked))
}

/// Keeps something going that others rely on, such as the clock: if it panics it begins again.
pub(crate) fn supervise<T, F>(
    name: &'static str,
    of: &Arc<T>,
    begin: impl Fn(Arc<T>) -> F + Send + 'static,
) where
    T: Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let of = of.clone();
    tokio::spawn(async move {
        while AssertUnwindSafe(begin(of.clone())).catch_unwind().await.is_err() {
            tracing::error!(task = name, "A runtime task panicked; restarting it.");
            tokio::time::sleep(RESTART_DELAY).await;
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[tokio::test(start_paused = true)]
    async fn a_panic_is_an_error_and_what_others_rely_on_begins_again() {
        assert!(matches!(
            spawn_detached::<()>(async { panic!("a bug") }).await,
            Err(Error::Panicked)
        ));
        assert!(matches!(catch_panic::<()>(async { panic!("a bug") }).await, Err(Error::Panicked)));
        assert!(matches!(catch_panic(async { Ok(7) }).await, Ok(7)));
        let starts = Arc::new(AtomicUsize::new(0));
        supervise("test", &starts, |starts| async move {
            assert!(starts.fetch_add(1, Ordering::Relaxed) >= 2, "a bug")
        });
        tokio::time::sleep(10 * RESTART_DELAY).await;
        assert_eq!(starts.load(Ordering::Relaxed), 3);
    }
}
