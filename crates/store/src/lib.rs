//! Where Heddle keeps things on disk: workflows, executions and their journal in a database, the
//! folder of files that workflows may use, and the data of a run that does not fit into memory.
//!
//! Invariant: all SQL lives here, in methods named for a use. Invariant: what a method of a store
//! trait has returned from is on disk. Invariant: nothing outside of the folders given here is
//! opened, whatever a path or a symbolic link says. Invariant: a failing disk is reported, never a
//! panic and never silently missing data.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod access;
pub mod addresses;
pub mod approvals;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "backups are made from data folders and restored to them"
)]
pub mod backup;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "large execution files are stored next to the database"
)]
pub mod blobs;
mod codec;
pub mod conversations;
pub mod credentials;
pub mod decisions;
mod error;
pub mod executions;
pub mod folders;
pub mod identities;
pub mod insights;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "inspects data folders without changing them"
)]
pub mod inspect;
pub mod interruptions;
pub mod journal;
mod large_events;
pub mod mcp_tools;
mod passthrough;
pub mod policies;
#[expect(
    clippy::disallowed_types,
    reason = "creates the files of the data folder with restricted permissions"
)]
mod private_files;
pub mod projects;
pub mod schedules;
pub mod second_factors;
pub mod spending;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the temporary file of runs that outgrow memory"
)]
mod spill;
mod sqlite;
mod status;
pub mod tags;
pub mod tool_manifests;
pub mod users;
pub mod variables;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "the vault key is a file")]
mod vault;
pub mod workflows;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the folder that workflows may use, and nothing outside it"
)]
mod workspace;

use node_api::ai::{ConversationKeys, ConversationStore, LongTermMemory, Sealer};
use node_api::collections::Collections;
use node_api::mcp::McpPins;
use node_api::tables::Tables;

pub use access::ApiKeyStore;
pub use approvals::ApprovalStore;
pub use conversations::ConversationCleanup;
pub use credentials::CredentialStore;
pub use decisions::HeldDecisionStore;
pub use error::Error;
pub use executions::ExecutionStore;
pub use folders::FolderStore;
pub use identities::IdentityStore;
pub use insights::InsightStore;
pub use interruptions::InterruptionStore;
pub use mcp_tools::McpToolStore;
pub use policies::PolicyStore;
pub use private_files::keep_new_files_private;
pub use projects::ProjectStore;
pub use schedules::ScheduleStore;
pub use second_factors::SecondFactorStore;
pub use spending::SpendingStore;
pub use spill::{SpillFile, SpillLimits, SpillTotal};
#[cfg(feature = "simulation")]
pub use sqlite::simulation;
pub use sqlite::{
    BackupPolicy, Migration, OpenMode, Sqlite, WriterMetrics, new_id, restore_instructions,
};
pub use status::StoreStatus;
pub use tags::TagStore;
pub use tool_manifests::ToolManifestStore;
pub use users::UserStore;
pub use variables::VariableStore;
pub use workflows::WorkflowStore;
pub use workspace::{FileLimits, ProjectFolders, Workspace};

/// Everything that is stored, as one trait object. Implemented for SQLite; PostgreSQL comes behind
/// the same traits.
pub trait Store:
    ApiKeyStore
    + ApprovalStore
    + Collections
    + ConversationCleanup
    + ConversationKeys
    + ConversationStore
    + CredentialStore
    + ExecutionStore
    + FolderStore
    + HeldDecisionStore
    + IdentityStore
    + InsightStore
    + InterruptionStore
    + LongTermMemory
    + McpPins
    + McpToolStore
    + PolicyStore
    + ProjectStore
    + ScheduleStore
    + Sealer
    + SecondFactorStore
    + SpendingStore
    + StoreStatus
    + Tables
    + TagStore
    + ToolManifestStore
    + UserStore
    + VariableStore
    + WorkflowStore
{
}

impl<T> Store for T where
    T: ApiKeyStore
        + ApprovalStore
        + Collections
        + ConversationCleanup
        + ConversationKeys
        + ConversationStore
        + CredentialStore
        + ExecutionStore
        + FolderStore
        + HeldDecisionStore
        + IdentityStore
        + InsightStore
        + InterruptionStore
        + LongTermMemory
        + McpPins
        + McpToolStore
        + PolicyStore
        + ProjectStore
        + ScheduleStore
        + Sealer
        + SecondFactorStore
        + SpendingStore
        + StoreStatus
        + Tables
        + TagStore
        + ToolManifestStore
        + UserStore
        + VariableStore
        + WorkflowStore
{
}
