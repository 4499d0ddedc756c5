//! Runs a workflow: turns a checked plan and a set of node types into a stream of
//! [`model::RunEvent`]s.
//!
//! Invariant: no node is known by name here; behaviour that one node needs belongs to the contract.
//! Invariant: no clock, random source, network or disk of its own. All come in through [`Ports`],
//! so that a test can replay a run to the same events in the same order.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod account;
mod budget;
pub mod check;
mod choose;
mod extent;
mod from_ai;
mod options;
mod outcome;
mod params;
mod plan;
mod ports;
mod preview;
mod reuse;
mod run;
mod scope;
mod siblings;
mod text;

pub use account::{Account, Claim};
pub use budget::{Budgets, Spender, Spending};
pub use options::{Failures, Limits, Recorded, RunOptions};
pub use outcome::{Outcome, write_run_data};
pub use params::Compiled;
pub use plan::{Plan, PlanNode, Supplier};
pub use ports::{
    Addresses, Call, CallTarget, Calls, Clock, Credentials, Journal, JournalError, Ledger,
    NoCredentials, NoJournal, NoLedger, NoWorkflows, Place, Ports, Random, Recording, Reply,
    Responder, SharedPorts, Workflows,
};
pub use preview::{Preview, preview};
pub use run::{Engine, Start, TRIES};
pub use scope::{Called, ExecutionVars, RunData, RunView, Vars};
