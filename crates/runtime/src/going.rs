//! A run under way: driven by whoever waits for it, and on its own from the moment nobody does.

use engine::Outcome;
use futures::FutureExt as _;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// How a run ends; `None` if it broke off and nobody knows. Dropping it does not stop the run.
pub struct Going(State);

enum State {
    /// A short run that its caller waits for needs no task of its own.
    Held(Pin<Box<dyn Future<Output = Option<Outcome>> + Send>>),
    Free(JoinHandle<Option<Outcome>>),
    Over,
}

impl Going {
    pub(crate) fn new(run: impl Future<Output = Outcome> + Send + 'static) -> Self {
        Self(State::Held(Box::pin(AssertUnwindSafe(run).catch_unwind().map(Result::ok))))
    }

    /// Goes as far as the run gets without waiting for anything.
    pub(crate) async fn begin(&mut self) -> Poll<Option<Outcome>> {
        poll_fn(|cx| Poll::Ready(Pin::new(&mut *self).poll(cx))).await
    }

    /// Lets the run go on by itself from now on.
    pub(crate) fn let_go(&mut self) {
        if let State::Held(run) = std::mem::replace(&mut self.0, State::Over)
            // Without a runtime the process ends, and the run goes on after the next start.
            && let Ok(runtime) = Handle::try_current()
        {
            self.0 = State::Free(runtime.spawn(run));
        }
    }
}

impl Future for Going {
    type Output = Option<Outcome>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Outcome>> {
        let polled = match &mut self.0 {
            State::Held(run) => run.as_mut().poll(cx),
            State::Free(task) => Pin::new(task).poll(cx).map(|ended| ended.ok().flatten()),
            State::Over => Poll::Ready(None),
        };
        if polled.is_ready() {
            self.0 = State::Over;
        }
        polled
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        if matches!(self.0, State::Held(_)) {
            self.let_go();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn a_run_that_nobody_waits_for_any_more_goes_on() {
        let (tell, told) = tokio::sync::oneshot::channel();
        let run = async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let _ = tell.send(());
            std::future::pending().await
        };
        assert!(tokio::time::timeout(Duration::from_millis(1), Going::new(run)).await.is_err());
        assert_eq!(tokio::time::timeout(Duration::from_secs(60), told).await.unwrap(), Ok(()));
    }

    #[tokio::test]
    async fn a_run_that_panics_has_no_outcome_and_harms_nobody() {
        assert!(Going::new(async { panic!("a bug") }).await.is_none());
        let mut freed = Going::new(async { panic!("a bug") });
        freed.let_go();
        assert!(freed.await.is_none());
    }
}
