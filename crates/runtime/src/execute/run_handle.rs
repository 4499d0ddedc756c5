//! A run under way: driven by its caller while that waits, and by a task of its own after that.

use engine::RunOutcome;
use futures::FutureExt as _;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// How a run ends; `None` if it broke off and nobody knows. Dropping it does not stop the run.
pub struct RunHandle(HandleState);

enum HandleState {
    /// A short run that its caller waits for needs no task of its own.
    Inline(Pin<Box<dyn Future<Output = Option<RunOutcome>> + Send>>),
    Spawned(JoinHandle<Option<RunOutcome>>),
    Done,
}

impl RunHandle {
    pub(crate) fn new(run: impl Future<Output = RunOutcome> + Send + 'static) -> Self {
        Self(HandleState::Inline(Box::pin(AssertUnwindSafe(run).catch_unwind().map(Result::ok))))
    }

    /// Goes as far as the run gets without waiting for anything.
    pub(crate) async fn poll_once(&mut self) -> Poll<Option<RunOutcome>> {
        poll_fn(|cx| Poll::Ready(Pin::new(&mut *self).poll(cx))).await
    }

    /// Lets the run go on by itself from now on.
    pub(crate) fn detach(&mut self) {
        if let HandleState::Inline(run) = std::mem::replace(&mut self.0, HandleState::Done)
            // Without a runtime the process ends, and the run goes on after the next start.
            && let Ok(runtime) = Handle::try_current()
        {
            self.0 = HandleState::Spawned(runtime.spawn(run));
        }
    }
}

impl Future for RunHandle {
    type Output = Option<RunOutcome>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<RunOutcome>> {
        let polled = match &mut self.0 {
            HandleState::Inline(run) => run.as_mut().poll(cx),
            HandleState::Spawned(task) => Pin::new(task).poll(cx).map(|ended| ended.ok().flatten()),
            HandleState::Done => Poll::Ready(None),
        };
        if polled.is_ready() {
            self.0 = HandleState::Done;
        }
        polled
    }
}

impl Drop for RunHandle {
    fn drop(&mut self) {
        if matches!(self.0, HandleState::Inline(_)) {
            self.detach();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_run_that_nobody_waits_for_any_more_goes_on() {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let run = async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let _ = sender.send(());
            std::future::pending().await
        };
        assert!(tokio::time::timeout(Duration::from_millis(1), RunHandle::new(run)).await.is_err());
        assert_eq!(tokio::time::timeout(Duration::from_secs(60), receiver).await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn a_run_that_panics_has_no_outcome_and_harms_nobody() {
        assert!(RunHandle::new(async { panic!("a bug") }).await.is_none());
        let mut freed = RunHandle::new(async { panic!("a bug") });
        freed.detach();
        assert!(freed.await.is_none());
    }
}
