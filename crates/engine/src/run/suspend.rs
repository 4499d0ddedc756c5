//! Lets go of a node that waits for a run which it has called and which sleeps, or for a person,
//! but not while something of it is half done.

use super::lock;
use super::subworkflow::Suspended;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// What a node and everything that serves it have under way in one step.
#[derive(Default)]
pub(super) struct SuspendState {
    state: Mutex<SuspendInner>,
    changed: Notify,
}

#[derive(Default)]
struct SuspendInner {
    suspended: Option<Suspended>,
    /// When the time of the first person is over who is asked something.
    asked_until_ms: Option<i64>,
    /// Calls of tools and models, and notes on their way to the journal.
    n_busy: usize,
}

/// Something that is to be done before the node is let go.
pub(super) struct BusyGuard(Arc<SuspendState>);

impl SuspendState {
    /// Returns when the node waits for a run that sleeps, or for a person, and does nothing else;
    /// and until when people have time.
    pub(super) async fn suspended(&self) -> (Suspended, Option<i64>) {
        loop {
            {
                let mut state = lock(&self.state);
                if state.n_busy == 0
                    && let Some(parked) = state.suspended.take()
                {
                    return (parked, state.asked_until_ms);
                }
            }
            self.changed.notified().await;
        }
    }

    /// Tells the engine to let go of the node, which does.
    pub(super) async fn suspend(&self, parked: Suspended) -> Infallible {
        {
            let mut state = lock(&self.state);
            // A decision wakes the run whatever else it waits for; the end of a called run wakes
            // only who waits for it.
            if matches!(state.suspended, None | Some(Suspended::Asking)) {
                state.suspended = Some(parked);
            }
        }
        self.changed.notify_one();
        std::future::pending().await
    }

    /// A person has time until then.
    pub(super) fn ask_until(&self, until_ms: i64) {
        let mut state = lock(&self.state);
        state.asked_until_ms =
            Some(state.asked_until_ms.map_or(until_ms, |known| known.min(until_ms)));
    }

    pub(super) fn busy(self: &Arc<Self>) -> BusyGuard {
        lock(&self.state).n_busy += 1;
        BusyGuard(self.clone())
    }
}

impl Drop for BusyGuard {
    fn drop(&mut self) {
        lock(&self.0.state).n_busy -= 1;
        self.0.changed.notify_one();
    }
}
