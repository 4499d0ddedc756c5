//! Keeps workflows alive: the endpoints and schedules of active ones, their runs and waits, and
//! what a crash left unfinished.
//!
//! - `execute`: runs, from admission to their last event on disk
//! - `resume`: runs that wait, or were cut off, and what continues them
//! - `schedule`: what happens at a time: triggers, polls, due waits, retention
//! - `listen`: active workflows, their endpoints, and the answers to calls
//! - `policy`: what the operator lets agents call
//! - `trace`: what agents did and why, from the journal
//!
//! Invariant: no HTTP, no SQL and no node by name here: `server` translates calls, `store` keeps
//! rows, `nodes` say what they listen to. Invariant: an answer that says a run was accepted leaves
//! only after the run is on disk.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod error;
mod execute;
mod key_lock;
mod listen;
mod loaded_workflow;
pub mod policy;
mod resume;
mod runtime;
mod schedule;
mod sync;
mod task;
pub mod tools;
pub mod trace;
mod versions;

pub use error::Error;
pub use execute::admission::RunLimits;
pub use execute::fork::Fork;
pub use execute::journal::Recorder;
pub use execute::live::{LiveChunk, LiveEvent};
pub use execute::manual::{ManualRun, ManualStart};
pub use execute::metrics::RunMetrics;
pub use execute::preview::{NodeRecords, PreviewExecution, PreviewRequest};
pub use execute::retry::RetryWith;
pub use execute::runner::Runner;
pub use execute::start::{AcceptedRun, Admission, RunRequest};
pub use execute::{history, steps};
pub use listen::addresses::claim_into_result;
pub use listen::response_stream::{ChunkStream, SlowReader};
pub use listen::routes::{RouteMatch, TestRun, TriggerEndpoint};
pub use listen::test_listener::{TestAddress, TestAddresses};
pub use listen::trigger_listeners::{LISTEN_CPU_TIME, ListenScope, is_cpu_timeout};
pub use listen::{chat, endpoint, mcp};
pub use loaded_workflow::LoadedWorkflow;
pub use resume::approval::{ApprovalCall, ApprovalDecision, approval_calls};
pub use resume::decision::{Decision, DecisionOutcome};
pub use resume::forms::FormSubmission;
pub use resume::held::{
    DECISION_HOLD, DecidedBatch, MAX_DECIDED_RUNS, MAX_DECISION_HOLD, UncertainFilter, UncertainRun,
};
pub use resume::waiting_run::WaitingRun;
pub use runtime::{Runtime, RuntimeOptions};
pub use schedule::fire::CatchUp;
pub use schedule::retention::Retention;
pub use store::addresses::EndpointKind;
pub use versions::VersionChoice;

pub(crate) use error::format_time;
pub(crate) use sync::lock;
