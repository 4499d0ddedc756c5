//! Runs: what starts one, carries it out, records it and ends it.
//!
//! Here belongs everything about a run that is under way in this process: admission, the start and
//! its forms (manual, retry, fork, sub-workflow), the journal, spending, live events, metrics and
//! the end. How a run continues that is not under way is in [`crate::resume`].

pub(crate) mod accept;
pub(crate) mod accounts;
pub(crate) mod admission;
mod agent_metrics;
pub(crate) mod child_runs;
pub(crate) mod completion;
pub(crate) mod fork;
pub mod history;
pub(crate) mod inherited_lists;
pub(crate) mod journal;
pub(crate) mod ledger;
pub(crate) mod live;
pub(crate) mod manual;
pub(crate) mod metrics;
pub(crate) mod preview;
pub(crate) mod retry;
pub(crate) mod run_handle;
pub(crate) mod run_task;
pub(crate) mod runner;
pub(crate) mod session_rates;
pub(crate) mod start;
pub mod steps;
pub(crate) mod stop;
pub(crate) mod unrecorded;
