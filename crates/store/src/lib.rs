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
    reason = "an archive is made of the data folder and becomes one"
)]
pub mod backup;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "large files of runs lie beside the database"
)]
pub mod blobs;
mod codec;
pub mod conversations;
pub mod credentials;
mod error;
pub mod executions;
pub mod folders;
pub mod insights;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "looks at data folders without changing them"
)]
pub mod inspect;
pub mod interruptions;
pub mod journal;
mod parts;
#[expect(
    clippy::disallowed_types,
    reason = "files of the data folder are made here, closed to others"
)]
mod private;
pub mod projects;
pub mod schedules;
pub mod spending;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the temporary file of runs that outgrow memory"
)]
mod spill;
mod sqlite;
pub mod tags;
mod told;
pub mod users;
pub mod variables;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the key of the vault is a file"
)]
mod vault;
pub mod workflows;
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the folder that workflows may use, and nothing outside of it"
)]
mod workspace;

pub use access::Access;
pub use approvals::Approvals;
pub use conversations::KeptConversations;
pub use credentials::Credentials;
pub use error::Error;
pub use executions::Executions;
pub use folders::Folders;
pub use insights::Insights;
pub use interruptions::Interruptions;
pub use private::keep_new_files_private;
pub use projects::Projects;
pub use schedules::Schedules;
use spending::SpendingAccount;
pub use spill::{SpillFile, SpillLimits, SpillTotal};
#[cfg(feature = "simulation")]
pub use sqlite::simulation;
pub use sqlite::{Sqlite, Unfinished, Use, WriterFigures, new_id};
pub use tags::Tags;
pub use users::Users;
pub use variables::Variables;
pub use workflows::Workflows;
pub use workspace::{FileLimits, ProjectFolders, Workspace};

/// Everything that is kept, behind one door. Implemented for SQLite; PostgreSQL comes behind the
/// same traits.
pub trait Store:
    Access
    + Approvals
    + Executions
    + Interruptions
    + KeptConversations
    + Projects
    + Schedules
    + SpendingAccount
    + Variables
    + Workflows
{
}

impl<T> Store for T where
    T: Access
        + Approvals
        + Executions
        + Interruptions
        + KeptConversations
        + Projects
        + Schedules
        + SpendingAccount
        + Variables
        + Workflows
{
}
