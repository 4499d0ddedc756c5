//! Checks of a data folder. They only look: nothing is made, changed or moved.

use super::DoctorFinding;
use crate::settings::Settings;
use crate::terminal::format_size;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use store::inspect::{self, KeyState, ServerPresence};

/// Below this much room the next hours are at risk; below the second the next minutes.
const WARN_FREE_BYTES: u64 = 1 << 30;
const ERROR_FREE_BYTES: u64 = 64 << 20;
/// A log of this size says that somebody keeps the database from being tidied.
const LARGE_WAL_BYTES: u64 = 256 << 20;

pub(super) fn check(
    folder: &Path,
    settings: Option<&Settings>,
) -> Vec<(&'static str, DoctorFinding)> {
    if !folder.exists() {
        return vec![("folder", DoctorFinding::Ok("created when it is first used".into()))];
    }
    let served = inspect::server_presence(folder);
    let mut found = vec![
        ("folder", permissions(folder)),
        ("database", database(folder)),
        ("credential key", key(folder)),
    ];
    if folder.join("vault.key").exists() {
        found.push(("permissions of vault.key", key_permissions(&folder.join("vault.key"))));
    }
    found.push(("permissions", modes(folder)));
    found.push(("execution files", files_of_runs(folder)));
    found.push(("disk", free_space(folder)));
    found.push(("write-ahead log", wal_size(folder)));
    found.push(("server", server(&served)));
    if let (Ok(ServerPresence::Nobody), Some(settings)) = (&served, settings) {
        found.push(("port", port(SocketAddr::new(settings.server.host, settings.server.port))));
    }
    found
}

fn permissions(folder: &Path) -> DoctorFinding {
    // A file of our own is the only honest test: users, groups, mounts and quotas all have their
    // say.
    let path = folder.join(format!(".doctor-{}", std::process::id()));
    match std::fs::write(&path, b"ok").and_then(|()| std::fs::remove_file(&path)) {
        Ok(()) => DoctorFinding::Ok("writable".into()),
        Err(error) => DoctorFinding::Error(format!(
            "not writable: {error}. Give the user that runs Heddle write access."
        )),
    }
}

fn database(folder: &Path) -> DoctorFinding {
    let schema = match inspect::schema(folder) {
        Ok(Some(schema)) => schema,
        Ok(None) => return DoctorFinding::Ok("created at the first start".into()),
        Err(error) => {
            return DoctorFinding::Error(format!(
                "cannot be opened: {error} ({}). Restore a backup: `heddle restore`.",
                error.code()
            ));
        }
    };
    if schema.found > schema.known {
        return DoctorFinding::Error(format!(
            "was written by a newer Heddle (format {}, this one supports {}; STORE_NEWER). Use \
                 the newer one.",
            schema.found, schema.known
        ));
    }
    match inspect::problems(folder) {
        Ok(problems) if problems.is_empty() => match schema.found < schema.known {
            true => DoctorFinding::Ok(format!(
                "ok; format {} is migrated to {} at the next start",
                schema.found, schema.known
            )),
            false => DoctorFinding::Ok(format!("ok, format {}", schema.found)),
        },
        Ok(problems) => DoctorFinding::Error(format!(
            "is damaged (STORE_CORRUPT): {}. Stop the server, keep a copy of the folder, and restore a backup.",
            problems.join("; ")
        )),
        Err(error) => {
            DoctorFinding::Error(format!("cannot be checked: {error} ({})", error.code()))
        }
    }
}

fn files_of_runs(folder: &Path) -> DoctorFinding {
    match inspect::run_files(folder) {
        Ok(found) if found.lost.is_empty() => {
            DoctorFinding::Ok(format!("{}, {}", found.count, format_size(found.bytes)))
        }
        Ok(found) => DoctorFinding::Error(format!(
            "{} of {} are missing or truncated (EXECUTION_FILE_LOST), {} first. Restore a \
                 backup, or delete their executions.",
            found.lost.len(),
            found.count,
            found.lost[0]
        )),
        Err(error) => {
            DoctorFinding::Error(format!("cannot be checked: {error} ({})", error.code()))
        }
    }
}

fn key(folder: &Path) -> DoctorFinding {
    match inspect::key(folder) {
        Ok(KeyState::Fits) => DoctorFinding::Ok("fits".into()),
        Ok(KeyState::NotNeeded) => DoctorFinding::Ok("created when needed".into()),
        Ok(KeyState::Missing) => DoctorFinding::Error(
            "vault.key is missing, and no credential can be decrypted (VAULT_KEY). Restore the \
                 file from where you stored it."
                .into(),
        ),
        Ok(KeyState::DoesNotFit) => DoctorFinding::Error(
            "vault.key does not match these credentials (VAULT_KEY). Restore the right file."
                .into(),
        ),
        Err(error) => {
            DoctorFinding::Error(format!("cannot be checked: {error} ({})", error.code()))
        }
    }
}

#[cfg(unix)]
fn key_permissions(path: &Path) -> DoctorFinding {
    use std::os::unix::fs::PermissionsExt as _;
    match std::fs::metadata(path).map(|found| found.permissions().mode() & 0o777) {
        Ok(mode) if mode & 0o077 == 0 => DoctorFinding::Ok(format!("{mode:o}")),
        Ok(mode) => DoctorFinding::Error(format!(
            "{mode:o}: other users on this machine can read it. Run `chmod 600 {}`.",
            path.display()
        )),
        Err(error) => DoctorFinding::Error(error.to_string()),
    }
}

#[cfg(not(unix))]
fn key_permissions(_path: &Path) -> DoctorFinding {
    DoctorFinding::Ok("not checked on this system".into())
}

/// The modes of the folder and of what Heddle keeps in it.
fn modes(folder: &Path) -> DoctorFinding {
    let mut open = inspect::open_to_others(folder);
    open.retain(|(path, _)| !path.ends_with("vault.key"));
    if open.is_empty() {
        return DoctorFinding::Ok("only the owner can read the folder".into());
    }
    let told: Vec<String> =
        open.iter().map(|(path, mode)| format!("{} ({mode:o})", path.display())).collect();
    let told = told.join(", ");
    DoctorFinding::Warning(format!(
        "other users on this machine can read {told}. The server restricts access when it \
             starts, if it owns them."
    ))
}

fn free_space(folder: &Path) -> DoctorFinding {
    let room = inspect::disk_space(folder);
    let Some(free) = room.free else {
        return DoctorFinding::Ok("free disk space is not known on this system".into());
    };
    let told =
        format!("{} free, the database uses {}", format_size(free), format_size(room.database));
    match free {
        free if free < ERROR_FREE_BYTES => DoctorFinding::Error(format!(
            "{told}. Free disk space, or lower keep_bytes: runs pause when the disk is full."
        )),
        free if free < WARN_FREE_BYTES => {
            DoctorFinding::Warning(format!("{told}. Free disk space soon, or lower keep_bytes."))
        }
        _ => DoctorFinding::Ok(told),
    }
}

fn wal_size(folder: &Path) -> DoctorFinding {
    let bytes = inspect::disk_space(folder).write_ahead;
    match bytes > LARGE_WAL_BYTES {
        true => DoctorFinding::Warning(format!(
            "{}. A long-running reader, such as a backup, is blocking checkpoints; the WAL \
                 shrinks afterwards.",
            format_size(bytes)
        )),
        false => DoctorFinding::Ok(format_size(bytes)),
    }
}

fn server(served: &Result<ServerPresence, store::Error>) -> DoctorFinding {
    match served {
        Ok(ServerPresence::Nobody) => {
            DoctorFinding::Ok("not running; `heddle serve` starts it".into())
        }
        Ok(ServerPresence::Somebody { address: Some(address), .. }) => {
            DoctorFinding::Ok(format!("running at {address}"))
        }
        Ok(ServerPresence::Somebody { address: None, .. }) => {
            DoctorFinding::Ok("running on this folder, still starting".into())
        }
        Err(error) => DoctorFinding::Error(format!("{error} ({})", error.code())),
    }
}

#[expect(clippy::disallowed_methods, reason = "checks whether `heddle serve` could listen there")]
fn port(address: SocketAddr) -> DoctorFinding {
    match TcpListener::bind(address) {
        Ok(_) => DoctorFinding::Ok(format!("{address} is free")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            DoctorFinding::Warning(format!(
                "{address} is in use by another program. Choose another with --port or HEDDLE_PORT."
            ))
        }
        Err(error) => DoctorFinding::Error(format!(
            "could not listen on {address}: {error}. Choose another with --host and --port."
        )),
    }
}
