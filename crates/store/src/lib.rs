//! Where Heddle keeps things on disk: the folder of files that workflows may use, and the data of a run that does
//! not fit into memory.
//!
//! Invariant: nothing outside of the folders given here is opened, whatever a path or a symbolic link says.
//! Invariant: a failing disk is reported, never a panic and never silently missing data.

mod spill;
mod workspace;

pub use spill::{SpillFile, SpillLimits};
pub use workspace::{FileLimits, Workspace};
