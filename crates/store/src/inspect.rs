//! Looks at a data folder without changing it: for `heddle doctor`, backups and whoever wants to
//! know if a server is there.

use crate::Error;
use crate::journal::SEGMENT_FORMAT;
use crate::sqlite::{KNOWN_SCHEMA, check_value};
use crate::vault::KeyFiles;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

pub use crate::private_files::open_to_others;

pub(crate) const DATABASE: &str = "heddle.db";
pub(crate) const LOCK: &str = "serving.lock";

/// How many problems of a database are told.
const SHOWN: usize = 5;

/// Whether a server runs on a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerPresence {
    Nobody,
    /// Where it answers, once it has said so.
    Somebody {
        address: Option<String>,
        /// Which version it is.
        version: Option<String>,
    },
}

/// How the vault's key stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// Nothing has been sealed yet.
    NotNeeded,
    Fits,
    Missing,
    DoesNotFit,
}

/// The form of a database, and the newest one that this version knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaVersion {
    pub found: i64,
    pub known: i64,
}

/// Room on the disk, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskSpace {
    pub database: u64,
    pub write_ahead: u64,
    pub free: Option<u64>,
}

/// Looks whether a server holds the folder.
pub fn server_presence(folder: &Path) -> Result<ServerPresence, Error> {
    let path = folder.join(LOCK);
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(ServerPresence::Nobody);
        }
        Err(error) => return Err(Error::file(&path, &error)),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(ServerPresence::Nobody),
        Err(std::fs::TryLockError::WouldBlock) => {
            let told = std::fs::read_to_string(&path).unwrap_or_default();
            let mut lines = told
                .lines()
                .map(|line| Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
            Ok(ServerPresence::Somebody {
                address: lines.next().flatten(),
                version: lines.next().flatten(),
            })
        }
        Err(std::fs::TryLockError::Error(error)) => Err(Error::file(&path, &error)),
    }
}

/// What this version calls itself beside others, with the forms of the database and of journals
/// that it writes.
pub fn own_version() -> String {
    format!("{} (database {KNOWN_SCHEMA}, journal {SEGMENT_FORMAT})", env!("CARGO_PKG_VERSION"))
}

/// Whoever works beside a server writes as that one does.
pub(crate) fn check_same_version(folder: &Path) -> Result<(), Error> {
    let own = own_version();
    match server_presence(folder)? {
        ServerPresence::Somebody { version: Some(server), .. } if server != own => {
            Err(Error::OtherVersion { server: server.into(), own: own.into() })
        }
        _ => Ok(()),
    }
}

/// The form of the folder's database; `None` if there is none yet.
pub fn schema(folder: &Path) -> Result<Option<SchemaVersion>, Error> {
    let Some(connection) = open_read_only(folder)? else { return Ok(None) };
    let found = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(Some(SchemaVersion { found, known: KNOWN_SCHEMA }))
}

/// Goes through the database and gives back what is wrong with it.
pub fn problems(folder: &Path) -> Result<Vec<String>, Error> {
    match open_read_only(folder)? {
        Some(connection) => problems_of(&connection),
        None => Ok(Vec::new()),
    }
}

pub(crate) fn problems_of(connection: &Connection) -> Result<Vec<String>, Error> {
    let mut check = connection.prepare("PRAGMA quick_check")?;
    let found = check.query_map([], |row| row.get::<_, String>(0))?;
    let mut problems = Vec::new();
    for problem in found {
        match problem? {
            fine if fine == "ok" => {}
            problem => problems.push(problem),
        }
    }
    problems.truncate(SHOWN);
    Ok(problems)
}

/// The large files of executions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunFiles {
    pub count: usize,
    pub bytes: u64,
    /// Those that are not there, or not as long as they were.
    pub lost: Vec<String>,
}

/// Compares the files of executions with what the database knows of them.
pub fn run_files(folder: &Path) -> Result<RunFiles, Error> {
    let mut found = RunFiles::default();
    let Some(connection) = open_read_only(folder)? else { return Ok(found) };
    let has_table = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'blobs'";
    if !connection.prepare(has_table)?.exists([])? {
        return Ok(found);
    }
    let mut files = connection.prepare("SELECT execution_id, sum, size FROM blobs")?;
    let mut rows = files.query([])?;
    while let Some(row) = rows.next()? {
        let (execution, sum, size): (i64, Vec<u8>, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        let name = format!("{}/{execution}/{}", crate::blobs::FOLDER, hex::encode(sum));
        found.count += 1;
        found.bytes += size as u64;
        if !std::fs::metadata(folder.join(&name)).is_ok_and(|there| there.len() == size as u64) {
            found.lost.push(name);
        }
    }
    Ok(found)
}

/// Whether the key in the folder opens the credentials in its database.
pub fn key(folder: &Path) -> Result<KeyState, Error> {
    let Some(connection) = open_read_only(folder)? else { return Ok(KeyState::NotNeeded) };
    let files = KeyFiles::new(folder);
    key_of(&connection, &files)
}

pub(crate) fn key_of(connection: &Connection, files: &KeyFiles) -> Result<KeyState, Error> {
    let Some(check) = check_value(connection)? else { return Ok(KeyState::NotNeeded) };
    let keys = [files.current(), files.next()];
    let is_there = keys.iter().any(|key| !matches!(key, Ok(None)));
    let fits = keys.iter().any(|key| matches!(key, Ok(Some(key)) if key.fits(&check)));
    Ok(match (is_there, fits) {
        (_, true) => KeyState::Fits,
        (true, false) => KeyState::DoesNotFit,
        (false, false) => KeyState::Missing,
    })
}

/// How large the database is, and how much room is left.
pub fn disk_space(folder: &Path) -> DiskSpace {
    let size = |name: &str| std::fs::metadata(folder.join(name)).map_or(0, |found| found.len());
    DiskSpace { database: size(DATABASE), write_ahead: size("heddle.db-wal"), free: free(folder) }
}

#[cfg(unix)]
pub(crate) fn free(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
pub(crate) fn free(_folder: &Path) -> Option<u64> {
    None
}

/// Opens the database for reading only; `None` if there is none.
fn open_read_only(folder: &Path) -> Result<Option<Connection>, Error> {
    let file = folder.join(DATABASE);
    if !file.exists() {
        return Ok(None);
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(Some(connection))
}
