//! Runs of which a piece could not be written in the transaction at hand: what they tell next must
//! not be written without it, and nobody is told that it was.

use crate::Error;
use std::cell::RefCell;
use std::collections::HashMap;

thread_local! {
    /// On the writer's thread.
    static FAILED: RefCell<HashMap<i64, Error>> = RefCell::default();
}

pub(super) fn note(execution: i64, error: &Error) {
    FAILED.with_borrow_mut(|failed| failed.insert(execution, error.clone()));
}

/// Why an earlier piece of a run was not written, if one was not.
pub(super) fn of(execution: i64) -> Option<Error> {
    FAILED.with_borrow(|failed| failed.get(&execution).cloned())
}

/// Another transaction begins.
pub(super) fn forget() {
    FAILED.with_borrow_mut(HashMap::clear);
}
