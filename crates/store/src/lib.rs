//! Where Heddle keeps things on disk: workflows, executions and their journal in a database, the folder of files that
//! workflows may use, and the data of a run that does not fit into memory.
//!
//! Invariant: all SQL lives here, in methods named for a use.
//! Invariant: what a method of a store trait has returned from is on disk.
//! Invariant: nothing outside of the folders given here is opened, whatever a path or a symbolic link says.
//! Invariant: a failing disk is reported, never a panic and never silently missing data.

pub mod access;
pub mod approvals;
pub mod backup;
pub mod blobs;
mod codec;
pub mod conversations;
pub mod credentials;
mod error;
pub mod executions;
pub mod folders;
pub mod insights;
pub mod inspect;
pub mod journal;
pub mod projects;
pub mod schedules;
pub mod spending;
mod spill;
mod sqlite;
pub mod tags;
mod told;
pub mod users;
pub mod variables;
mod vault;
pub mod workflows;
mod workspace;

pub use access::Access;
pub use approvals::Approvals;
pub use conversations::KeptConversations;
pub use credentials::Credentials;
pub use error::Error;
pub use executions::Executions;
pub use folders::Folders;
pub use insights::Insights;
pub use projects::Projects;
pub use schedules::Schedules;
use spending::SpendingAccount;
pub use spill::{SpillFile, SpillLimits};
pub use sqlite::{Sqlite, Unfinished, Use, WriterFigures, new_id};
pub use tags::Tags;
pub use users::Users;
pub use variables::Variables;
pub use workflows::Workflows;
pub use workspace::{FileLimits, Workspace};

/// Everything that is kept, behind one door. Implemented for SQLite; PostgreSQL comes behind the same traits.
pub trait Store:
    Access + Approvals + Executions + KeptConversations + Projects + Schedules + SpendingAccount + Variables + Workflows
{
}

impl<T: Access + Approvals + Executions + KeptConversations + Projects + Schedules + SpendingAccount + Variables + Workflows> Store for T {}
