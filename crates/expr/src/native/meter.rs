//! What the evaluation that runs on this thread has used of its allowance.
//!
//! A thread-local, because conversions deep inside of values have to be charged as well: an array that holds itself
//! twice, forty times over, is small until it is written out.

use super::{INLINE_BYTES, INLINE_STEPS, MAX_BYTES, MAX_STEPS, Run, Stop};
use crate::Error;
use std::cell::Cell;

thread_local! {
    static USED: Cell<Used> = const { Cell::new(Used { steps: 0, bytes: 0, most_steps: MAX_STEPS, most_bytes: MAX_BYTES, is_inline: false }) };
}

/// After so many steps others may have their turn, and time is looked at.
const STEPS_PER_TICK: u64 = 1 << 16;

#[derive(Clone, Copy)]
struct Used {
    steps: u64,
    bytes: usize,
    most_steps: u64,
    most_bytes: usize,
    /// What is more than the limits is not refused but done elsewhere.
    is_inline: bool,
}

/// One evaluation's allowance. Evaluations may nest: a scope may evaluate another expression to answer.
pub(super) struct Meter {
    outer: Used,
}

impl Meter {
    /// For an evaluation on a thread that serves others too: what takes longer is [`Stop::Unfinished`].
    pub(super) fn inline() -> Self {
        Self::begin(INLINE_STEPS, INLINE_BYTES, true)
    }

    pub(super) fn start() -> Self {
        Self::begin(MAX_STEPS, MAX_BYTES, false)
    }

    pub(super) fn with_steps(most_steps: u64) -> Self {
        Self::begin(most_steps, MAX_BYTES, false)
    }

    fn begin(most_steps: u64, most_bytes: usize, is_inline: bool) -> Self {
        Self { outer: USED.replace(Used { steps: 0, bytes: 0, most_steps, most_bytes, is_inline }) }
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        USED.set(self.outer);
    }
}

/// Counts work.
pub(super) fn spend(steps: usize) -> Run<()> {
    let mut used = USED.get();
    let before = used.steps;
    used.steps = used.steps.saturating_add(steps as u64);
    USED.set(used);
    if used.steps > used.most_steps {
        return Err(if used.is_inline { Stop::Unfinished } else { Error::Loops { limit: used.most_steps }.into() });
    }
    if before / STEPS_PER_TICK != used.steps / STEPS_PER_TICK {
        compute::tick().map_err(|exceeded| Error::from(exceeded).into())
    } else {
        Ok(())
    }
}

/// Asks before putting together a text or an array of this size.
pub(super) fn allocate(bytes: usize) -> Run<()> {
    let mut used = USED.get();
    used.bytes = used.bytes.saturating_add(bytes);
    USED.set(used);
    match used.bytes > used.most_bytes {
        true if used.is_inline => Err(Stop::Unfinished),
        true => Err(Error::Memory { limit_bytes: used.most_bytes }.into()),
        false => Ok(()),
    }
}
