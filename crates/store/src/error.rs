//! How keeping things fails.

use model::{Code, Str};
use node_api::ai::LongTermError;
use node_api::collections::CollectionError;
use node_api::tables::TableError;
use rusqlite::{ErrorCode, ffi};

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    #[error("the disk is full")]
    Full,
    #[error("another program locks the database")]
    Busy,
    #[error("the disk rejects writes: {cause}")]
    Unwritable { cause: Str },
    /// What was written before may be lost without a sign of it, so that the writer ends the
    /// process.
    #[error("the disk did not confirm a write: {cause}")]
    Unsynced { cause: Str },
    #[error("the database cannot be used: {cause}")]
    Database { cause: Str },
    #[error("{path} cannot be used: {cause}")]
    File { path: Str, cause: Str },
    #[error("{what} is damaged")]
    Corrupt { what: Str },
    #[error("the file {name} of execution {execution} is missing or damaged")]
    LostFile { execution: i64, name: Str },
    /// `version` is the Heddle that wrote it, if it says so.
    #[error(
        "{what} was written by a newer Heddle ({}); this is {}. Use the newer version, or restore a backup from before the upgrade",
        version_and_format(.version.as_deref(), *.found),
        version_and_format(Some(env!("CARGO_PKG_VERSION")), *.known)
    )]
    Newer { what: &'static str, version: Option<Str>, found: i64, known: i64 },
    #[error(
        "the journal of execution {execution} was written by a newer Heddle (format {found}, \
             this one supports {known})"
    )]
    NewerJournal { execution: i64, found: i64, known: i64 },
    #[error(
        "the data folder was written by an older Heddle (format {found}, this one writes {known}); start the server, or run `heddle migrate`"
    )]
    Older { found: i64, known: i64 },
    #[error("a server of another version is running on the data folder ({server}; this is {own})")]
    OtherVersion { server: Str, own: Str },
    #[error("another Heddle process is using the data folder {folder}")]
    Locked { folder: Str },
    #[error(
        "the vault key, vault.key, does not match the credentials in the data folder (VAULT_KEY)"
    )]
    Key,
    /// Somebody who cannot read a credential could otherwise have it sent to themselves.
    #[error("to change where a credential is sent, enter its secret fields again: {}", .fields.join(", "))]
    SecretNeeded { fields: Vec<Str> },
    #[error("{what} '{name}' already exists")]
    Taken { what: &'static str, name: Str },
    /// Removing it would make the run that called it call again.
    #[error("execution {id} was called by execution {by}, which has not finished and needs it")]
    Needed { id: i64, by: i64 },
    /// Somebody has removed it, or its workflow, while it was going on.
    #[error("execution {execution} or its workflow was deleted")]
    Gone { execution: i64 },
    #[error("the writer has stopped")]
    Stopped,
    #[error(transparent)]
    Table(TableError),
    #[error(transparent)]
    Collection(CollectionError),
    #[error(transparent)]
    LongTerm(LongTermError),
    #[error("the backup cannot be used: {cause}")]
    Backup { cause: Str },
    #[error("the data folder was not migrated, because it could not be backed up first: {cause}")]
    MigrationBackup { cause: Box<Error> },
    #[error("the folder {folder} already contains data")]
    Used { folder: Str },
}

impl Error {
    pub fn code(&self) -> Code {
        match self {
            Error::Full => Code::STORE_FULL,
            Error::Busy => Code::STORE_BUSY,
            Error::Unwritable { .. } => Code::STORE_UNWRITABLE,
            Error::Database { .. }
            | Error::File { .. }
            | Error::Stopped
            | Error::Unsynced { .. } => Code::STORE_DISK,
            Error::Corrupt { .. } => Code::STORE_CORRUPT,
            Error::LostFile { .. } => Code::EXECUTION_FILE_LOST,
            Error::Newer { .. } | Error::NewerJournal { .. } => Code::STORE_NEWER,
            Error::Older { .. } => Code::STORE_OLDER,
            Error::OtherVersion { .. } => Code::STORE_VERSION,
            Error::Locked { .. } => Code::STORE_LOCKED,
            Error::Key => Code::VAULT_KEY,
            Error::SecretNeeded { .. } => Code::CREDENTIAL_SECRET,
            Error::Taken { .. } => Code::NAME_TAKEN,
            Error::Needed { .. } => Code::EXECUTION_STATUS,
            Error::Gone { .. } => Code::EXECUTION_NOT_FOUND,
            Error::Table(error) => error.code(),
            Error::Collection(error) => error.code(),
            Error::LongTerm(error) => error.code(),
            Error::Backup { .. } => Code::BACKUP_DAMAGED,
            Error::MigrationBackup { cause } => cause.code(),
            Error::Used { .. } => Code::RESTORE_USED,
        }
    }

    /// Whether the same write may succeed later, when somebody has made room or let go.
    pub fn may_pass(&self) -> bool {
        matches!(self, Error::Full | Error::Busy | Error::Unwritable { .. })
    }

    pub(crate) fn file(path: &std::path::Path, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Error::Full,
            _ => Error::File {
                path: path.display().to_string().into(),
                cause: error.to_string().into(),
            },
        }
    }

    /// A file could not be written. Whatever the reason is, it can be when somebody has seen to it.
    pub(crate) fn unwritten(path: &std::path::Path, error: &std::io::Error) -> Self {
        match Self::file(path, error) {
            Error::File { path, cause } => {
                Error::Unwritable { cause: format!("{path}: {cause}").into() }
            }
            full => full,
        }
    }

    pub(crate) fn unsynced(path: &std::path::Path, error: &std::io::Error) -> Self {
        Error::Unsynced { cause: format!("{}: {error}", path.display()).into() }
    }
}

fn version_and_format(version: Option<&str>, format: i64) -> String {
    match version {
        Some(version) => format!("Heddle {version}, format {format}"),
        None => format!("format {format}"),
    }
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        Error::Table(error)
    }
}

impl From<Error> for TableError {
    fn from(error: Error) -> Self {
        match error {
            Error::Table(error) => error,
            other => TableError::Store { code: other.code(), message: other.to_string().into() },
        }
    }
}

impl From<CollectionError> for Error {
    fn from(error: CollectionError) -> Self {
        Error::Collection(error)
    }
}

impl From<Error> for CollectionError {
    fn from(error: Error) -> Self {
        match error {
            Error::Collection(error) => error,
            other => {
                CollectionError::Store { code: other.code(), message: other.to_string().into() }
            }
        }
    }
}

impl From<LongTermError> for Error {
    fn from(error: LongTermError) -> Self {
        Error::LongTerm(error)
    }
}

impl From<Error> for LongTermError {
    fn from(error: Error) -> Self {
        match error {
            Error::LongTerm(error) => error,
            other => LongTermError::Store { code: other.code(), message: other.to_string().into() },
        }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        let cause = || error.to_string().into();
        let Some(failure) = error.sqlite_error() else { return Error::Database { cause: cause() } };
        match failure.code {
            ErrorCode::DiskFull => Error::Full,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                Error::Corrupt { what: "the database".into() }
            }
            ErrorCode::ReadOnly | ErrorCode::CannotOpen => Error::Unwritable { cause: cause() },
            ErrorCode::SystemIoFailure if FAILED_SYNCS.contains(&failure.extended_code) => {
                Error::Unsynced { cause: cause() }
            }
            ErrorCode::SystemIoFailure if FAILED_WRITES.contains(&failure.extended_code) => {
                Error::Unwritable { cause: cause() }
            }
            _ => Error::Database { cause: cause() },
        }
    }
}

/// SQLite's extended codes for a sync that failed.
const FAILED_SYNCS: [i32; 2] = [ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_DIR_FSYNC];

/// Those for a write that failed: nothing of its transaction stays, and it can be tried again.
const FAILED_WRITES: [i32; 5] = [
    ffi::SQLITE_IOERR_WRITE,
    ffi::SQLITE_IOERR_TRUNCATE,
    ffi::SQLITE_IOERR_SHMOPEN,
    ffi::SQLITE_IOERR_SHMSIZE,
    ffi::SQLITE_IOERR_SHMMAP,
];
