//! What happens at a time.
//!
//! Here belongs the scheduler that fires due triggers and wakes due runs, polling triggers, and the
//! retention of finished executions.

pub(crate) mod clock;
pub(crate) mod fire;
pub(crate) mod poll;
pub(crate) mod retention;
pub(crate) mod timers;
