//! Runs that are not under way, and what continues them.
//!
//! Here belongs what a suspended or interrupted run waits for (a call, a form, an approval, a
//! decision), the tokens that name a wait, and crash recovery: reading the journal, resuming a few
//! runs at a time, backing off and quarantine.

pub(crate) mod approval;
pub(crate) mod backoff;
pub(crate) mod decision;
pub(crate) mod forms;
pub(crate) mod held;
pub(crate) mod journal_state;
pub(crate) mod quarantine;
pub(crate) mod recovery;
pub(crate) mod recovery_window;
pub(crate) mod resumption;
pub(crate) mod tokens;
pub(crate) mod waiting_run;
pub(crate) mod wake;
