//! One file that holds a data folder as it was at one moment, and the way back.
//!
//! The file is a ZIP archive with the database, whatever else lies in the folder, and as its last
//! entry a list of all the others with their sizes and sums. The archive appears under its name
//! only when it is whole; a folder is replaced in one step or not at all.

pub(crate) mod before_migration;
mod manifest;
mod pack;
mod unpack;

pub use pack::{BackupContents, back_up};
pub use unpack::{KeyOrigin, ReplacePolicy, Restored, restore};

/// Told how many bytes of how many are done; for whoever waits at a terminal.
pub type BackupProgress<'a> = &'a mut dyn FnMut(BackupPhase, u64, u64);

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupPhase {
    CopyingDatabase,
    Packing,
    Checking,
    Unpacking,
}

/// Whether the key of the credentials goes along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyInclusion {
    No,
    Yes,
}

/// The files of the key, which are as secret as what they open.
const KEY_FILES: [&str; 2] = ["vault.key", "vault.key.next"];

#[cfg(test)]
mod tests;
