//! Runs a workflow: turns a checked plan and a set of node types into a stream of
//! [`model::RunEvent`]s.
//!
//! Invariant: no node is known by name here; behaviour that one node needs belongs to the contract.
//! Invariant: no clock, random source, network or disk of its own. All come in through [`Ports`],
//! so that a test can replay a run to the same events in the same order.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod budget;
mod budget_account;
pub mod check;
mod connections;
mod credential_choice;
mod from_ai;
mod inline_workflow;
mod options;
mod outcome;
mod parameter_refs;
mod params;
mod partial;
mod plan;
mod ports;
mod preview;
mod ranges;
mod request_key;
mod reuse;
mod run;
mod scope;

pub use budget::{Budgets, Spender, Spending};
pub use budget_account::{BudgetAccount, BudgetClaim};
pub use options::{ExecutionLimits, FailureHandling, RecordedStep, RunOptions};
pub use outcome::{RunOutcome, write_run_data};
pub use params::CompiledParam;
pub use plan::{Plan, PlanNode, PlanSupplier};
pub use ports::{
    Addresses, CallReply, CallSite, CallTarget, Clock, CredentialSource, Journal, JournalError,
    NoCredentials, NoJournal, NoLedger, NoWorkflows, PendingRecord, Ports, Random, Responder,
    SharedPorts, SpendingLedger, SubworkflowCall, Subworkflows, WorkflowSource,
};
pub use preview::{Preview, preview};
pub use request_key::{RequestKeys, RequestPlace};
pub use run::{ConnectedTools, Engine, RunStart, TRIES};
pub use scope::{ExecutionVars, RunData, RunView, ToolCallScope, Vars};
