//! Checks of a data folder. They only look: nothing is made, changed or moved.

use super::Finding;
use crate::settings::Settings;
use crate::terminal::size;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use store::inspect::{self, KeyState, Served};

/// Below this much room the next hours are at risk; below the second the next minutes.
const ROOM: u64 = 1 << 30;
const LITTLE_ROOM: u64 = 64 << 20;
/// A log of this size says that somebody keeps the database from being tidied.
const LARGE_LOG: u64 = 256 << 20;

pub(super) fn check(folder: &Path, settings: Option<&Settings>) -> Vec<(&'static str, Finding)> {
    if !folder.exists() {
        return vec![("folder", Finding::Ok("is made when something is first put into it".into()))];
    }
    let served = inspect::served(folder);
    let mut found = vec![
        ("folder", permissions(folder)),
        ("database", database(folder)),
        ("key of the credentials", key(folder)),
    ];
    if folder.join("vault.key").exists() {
        found.push(("permissions of vault.key", key_permissions(&folder.join("vault.key"))));
    }
    found.push(("permissions", modes(folder)));
    found.push(("files of executions", files_of_runs(folder)));
    found.push(("disk", room(folder)));
    found.push(("write-ahead log", log(folder)));
    found.push(("server", server(&served)));
    if let (Ok(Served::Nobody), Some(settings)) = (&served, settings) {
        found.push(("port", port(SocketAddr::new(settings.serving.host, settings.serving.port))));
    }
    found
}

fn permissions(folder: &Path) -> Finding {
    // A file of our own is the only honest test: users, groups, mounts and quotas all have their
    // say.
    let path = folder.join(format!(".doctor-{}", std::process::id()));
    match std::fs::write(&path, b"ok").and_then(|()| std::fs::remove_file(&path)) {
        Ok(()) => Finding::Ok("can be written".into()),
        Err(error) => Finding::Error(format!(
            "cannot be written: {error}. Give it to the user that Heddle runs as."
        )),
    }
}

fn database(folder: &Path) -> Finding {
    let schema = match inspect::schema(folder) {
        Ok(Some(schema)) => schema,
        Ok(None) => return Finding::Ok("is made at the first start".into()),
        Err(error) => {
            return Finding::Error(format!(
                "cannot be opened: {error} ({}). Restore a backup: `heddle restore`.",
                error.code()
            ));
        }
    };
    if schema.found > schema.known {
        return Finding::Error(format!(
            "was written by a newer Heddle (format {}, this one knows {}; STORE_NEWER). Use that one.",
            schema.found, schema.known
        ));
    }
    match inspect::problems(folder) {
        Ok(problems) if problems.is_empty() => match schema.found < schema.known {
            true => Finding::Ok(format!(
                "is in order; format {} becomes {} at the next start",
                schema.found, schema.known
            )),
            false => Finding::Ok(format!("is in order, format {}", schema.found)),
        },
        Ok(problems) => Finding::Error(format!(
            "is damaged (STORE_CORRUPT): {}. Stop the server, keep a copy of the folder, and restore a backup.",
            problems.join("; ")
        )),
        Err(error) => Finding::Error(format!("cannot be checked: {error} ({})", error.code())),
    }
}

fn files_of_runs(folder: &Path) -> Finding {
    match inspect::files_of_runs(folder) {
        Ok(found) if found.lost.is_empty() => {
            Finding::Ok(format!("{}, {}", found.count, size(found.bytes)))
        }
        Ok(found) => Finding::Error(format!(
            "{} of {} are missing or cut off (EXECUTION_FILE_LOST), {} first. Restore a backup, or delete their executions.",
            found.lost.len(),
            found.count,
            found.lost[0]
        )),
        Err(error) => Finding::Error(format!("cannot be checked: {error} ({})", error.code())),
    }
}

fn key(folder: &Path) -> Finding {
    match inspect::key(folder) {
        Ok(KeyState::Fits) => Finding::Ok("fits".into()),
        Ok(KeyState::NotNeeded) => Finding::Ok("is made when it is needed".into()),
        Ok(KeyState::Missing) => {
            Finding::Error("vault.key is missing, and no credential can be opened (VAULT_KEY). Put it back from where you keep it.".into())
        }
        Ok(KeyState::DoesNotFit) => {
            Finding::Error("vault.key is not the key of these credentials (VAULT_KEY). Put the right one back.".into())
        }
        Err(error) => Finding::Error(format!("cannot be checked: {error} ({})", error.code())),
    }
}

#[cfg(unix)]
fn key_permissions(path: &Path) -> Finding {
    use std::os::unix::fs::PermissionsExt as _;
    match std::fs::metadata(path).map(|found| found.permissions().mode() & 0o777) {
        Ok(mode) if mode & 0o077 == 0 => Finding::Ok(format!("{mode:o}")),
        Ok(mode) => Finding::Error(format!(
            "{mode:o}: others on this machine can read it. Run `chmod 600 {}`.",
            path.display()
        )),
        Err(error) => Finding::Error(error.to_string()),
    }
}

#[cfg(not(unix))]
fn key_permissions(_path: &Path) -> Finding {
    Finding::Ok("not checked on this system".into())
}

/// The modes of the folder and of what Heddle keeps in it.
fn modes(folder: &Path) -> Finding {
    let mut open = inspect::open_to_others(folder);
    open.retain(|(path, _)| !path.ends_with("vault.key"));
    if open.is_empty() {
        return Finding::Ok("only the owner can read the folder".into());
    }
    let told: Vec<String> =
        open.iter().map(|(path, mode)| format!("{} ({mode:o})", path.display())).collect();
    let told = told.join(", ");
    Finding::Warning(format!(
        "others on this machine can read {told}. A server closes them when it starts, if they are its own."
    ))
}

fn room(folder: &Path) -> Finding {
    let room = inspect::room(folder);
    let Some(free) = room.free else {
        return Finding::Ok("the room that is left is not known on this system".into());
    };
    let told = format!("{} free, the database has {}", size(free), size(room.database));
    match free {
        free if free < LITTLE_ROOM => Finding::Error(format!(
            "{told}. Make room, or lower keep_bytes: runs stand still when the disk is full."
        )),
        free if free < ROOM => {
            Finding::Warning(format!("{told}. Make room soon, or lower keep_bytes."))
        }
        _ => Finding::Ok(told),
    }
}

fn log(folder: &Path) -> Finding {
    let bytes = inspect::room(folder).write_ahead;
    match bytes > LARGE_LOG {
        true => Finding::Warning(format!(
            "{}. Something has been reading the database for long, such as a backup; it shrinks after that.",
            size(bytes)
        )),
        false => Finding::Ok(size(bytes)),
    }
}

fn server(served: &Result<Served, store::Error>) -> Finding {
    match served {
        Ok(Served::Nobody) => {
            Finding::Ok("none runs on this folder; `heddle serve` starts one".into())
        }
        Ok(Served::Somebody { address: Some(address), .. }) => {
            Finding::Ok(format!("runs at {address}"))
        }
        Ok(Served::Somebody { address: None, .. }) => {
            Finding::Ok("runs on this folder and is still starting".into())
        }
        Err(error) => Finding::Error(format!("{error} ({})", error.code())),
    }
}

#[expect(clippy::disallowed_methods, reason = "whether `heddle serve` could listen there")]
fn port(address: SocketAddr) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::Ok(format!("{address} is free")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => Finding::Warning(format!(
            "{address} is taken by another program. Choose another with --port or HEDDLE_PORT."
        )),
        Err(error) => Finding::Error(format!(
            "{address} cannot be listened on: {error}. Choose another with --host and --port."
        )),
    }
}
