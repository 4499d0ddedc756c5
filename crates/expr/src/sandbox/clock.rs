//! How long the guest may run: a moment on a thread that serves others, or its limit of CPU time
//! off such threads.

use super::state::GuestState;
use super::ticker::TICK_MS;
use crate::ExprError;
use std::time::Duration;
use wasmtime::UpdateDeadline;

/// How long an expression may hold up a thread that serves others.
pub(super) const INLINE_TICKS: u64 = 2;
/// How often a longer one lets others have their turn, and its time is looked at.
const TICKS_PER_LOOK: u64 = 5;

/// The limit of what the guest does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GuestClock {
    Inline,
    /// CPU time of this thread, counted from `began`; waiting for a turn is not counted.
    Limit {
        began: Duration,
        limit: Duration,
        limit_ms: u64,
    },
}

impl GuestClock {
    /// Begins now, on this thread.
    pub(super) fn within(limit_ms: u64) -> Self {
        Self::with_left(Duration::from_millis(limit_ms), limit_ms)
    }

    /// The same with what is left of a limit.
    pub(super) fn with_left(left: Duration, limit_ms: u64) -> Self {
        GuestClock::Limit { began: compute::cpu_used(), limit: left, limit_ms }
    }

    pub(super) fn first_ticks(self) -> u64 {
        match self {
            GuestClock::Inline => INLINE_TICKS,
            GuestClock::Limit { limit, .. } => {
                (limit.as_millis() as u64 / TICK_MS + 1).min(TICKS_PER_LOOK)
            }
        }
    }
}

/// What happens when the time until the next look is over.
pub(super) fn ticked(state: &mut GuestState) -> wasmtime::Result<UpdateDeadline> {
    let GuestClock::Limit { began, limit, limit_ms } = state.clock else {
        return Err(wasmtime::Error::new(OutOfInlineTime));
    };
    if let Err(exceeded) = compute::tick() {
        return Err(state.stop(exceeded.into()));
    }
    match compute::cpu_used().saturating_sub(began) {
        used if used > limit => Err(state.stop(ExprError::Time { limit_ms })),
        used => {
            let left = (limit - used).as_millis() as u64 / TICK_MS + 1;
            Ok(UpdateDeadline::Continue(left.min(TICKS_PER_LOOK)))
        }
    }
}

/// The guest was stopped because this thread has to serve others.
#[derive(Debug, thiserror::Error)]
#[error("the expression takes longer than this thread may spend on it")]
pub(super) struct OutOfInlineTime;
