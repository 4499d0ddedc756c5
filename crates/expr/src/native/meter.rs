//! What the evaluation that runs on this thread has used of its allowance.
//!
//! A thread-local, because conversions deep inside of values have to be charged as well: an array that holds itself
//! twice, forty times over, is small until it is written out.

use super::{MAX_BYTES, MAX_STEPS, Run};
use crate::Error;
use std::cell::Cell;

thread_local! {
    static USED: Cell<Used> = const { Cell::new(Used { steps: 0, bytes: 0, most_steps: MAX_STEPS }) };
}

#[derive(Clone, Copy)]
struct Used {
    steps: u64,
    bytes: usize,
    most_steps: u64,
}

/// One evaluation's allowance. Evaluations may nest: a scope may evaluate another expression to answer.
pub(super) struct Meter {
    outer: Used,
}

impl Meter {
    pub(super) fn start() -> Self {
        Self::with_steps(MAX_STEPS)
    }

    pub(super) fn with_steps(most_steps: u64) -> Self {
        Self { outer: USED.replace(Used { steps: 0, bytes: 0, most_steps }) }
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
    used.steps = used.steps.saturating_add(steps as u64);
    USED.set(used);
    if used.steps > used.most_steps { Err(Error::Loops { limit: used.most_steps }.into()) } else { Ok(()) }
}

/// Asks before putting together a text or an array of this size.
pub(super) fn allocate(bytes: usize) -> Run<()> {
    let mut used = USED.get();
    used.bytes = used.bytes.saturating_add(bytes);
    USED.set(used);
    if used.bytes > MAX_BYTES { Err(Error::Memory { limit_bytes: MAX_BYTES }.into()) } else { Ok(()) }
}
