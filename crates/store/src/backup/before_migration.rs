//! The backup that a migration starts with: the way back to the version before the upgrade.
//!
//! It is an ordinary backup without the credential key, in the folder `backups` of the data folder.
//! Backups leave that folder out, so that they do not grow with each other.

use super::{KeyInclusion, back_up};
use crate::sqlite::now_ms;
use crate::{Error, private_files};
use std::path::{Path, PathBuf};

/// Where these backups are, below the data folder.
pub(crate) const FOLDER: &str = "backups";

const PREFIX: &str = "before-";
const SUFFIX: &str = ".backup";

/// How many of them are kept.
const KEPT: usize = 3;

/// Backs the folder up as it is.
pub(crate) fn create(folder: &Path) -> Result<PathBuf, Error> {
    let backups = folder.join(FOLDER);
    let time = jiff::Timestamp::from_millisecond(now_ms()).unwrap_or_default();
    let time = time.strftime("%Y%m%dT%H%M%SZ");
    let path = backups.join(format!("{PREFIX}{}-{time}{SUFFIX}", env!("CARGO_PKG_VERSION")));
    private_files::make_folder(&backups)
        .and_then(|()| back_up(folder, &path, KeyInclusion::No, &mut |_, _, _| {}))
        .map_err(|cause| Error::MigrationBackup { cause: Box::new(cause) })?;
    Ok(path)
}

/// Removes a backup whose migration failed and so changed nothing.
pub(crate) fn discard(path: &Path) {
    let _ = std::fs::remove_file(path);
}

/// Removes all but the newest ones, and what a process that was killed left of its own. What cannot
/// be removed is tried again at the next migration.
pub(crate) fn prune(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder.join(FOLDER)) else { return };
    let mut whole = Vec::new();
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let Some(name) = name.to_str() else { continue };
        if name.starts_with(PREFIX) && name.ends_with(SUFFIX) {
            let written = entry.metadata().and_then(|found| found.modified()).ok();
            whole.push((written, path));
        } else if name.starts_with(&format!(".{PREFIX}")) {
            let _ = std::fs::remove_file(path);
        }
    }
    whole.sort();
    let n_old = whole.len().saturating_sub(KEPT);
    for (_, path) in whole.drain(..n_old) {
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_ones_are_kept_and_the_parts_of_a_killed_process_go() {
        let name = format!("heddle-prune-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let backups = folder.join(FOLDER);
        private_files::make_folder(&backups).unwrap();
        let names = ["before-0.9.0-a.backup", "before-0.10.0-b.backup", "before-0.2.0-c.backup"];
        for (index, name) in names.into_iter().chain(["before-0.1.0-d.backup"]).enumerate() {
            let file = private_files::create(&backups.join(name)).unwrap();
            let written = std::time::UNIX_EPOCH + std::time::Duration::from_secs(index as u64);
            file.set_modified(written).unwrap();
        }
        for name in [".before-0.1.0-e.backup.part-7", "mine.backup"] {
            private_files::create(&backups.join(name)).unwrap();
        }
        prune(&folder);
        let mut left: Vec<String> = std::fs::read_dir(&backups)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let _ = std::fs::remove_dir_all(&folder);
        let kept = ["before-0.1.0-d.backup", names[1], names[2], "mine.backup"];
        assert_eq!(left, kept);
    }
}
