//! Makes a folder of a backup: looks at all of it first, unpacks it beside the folder, and lets the
//! two change places.

use super::manifest::{self, Manifest, damaged};
use super::pack::{create_private, sync_folder_of};
use super::{BackupPhase, BackupProgress, KEY_FILES};
use crate::inspect::{self, DATABASE, KeyState, LOCK};
use crate::sqlite::{KNOWN_SCHEMA, lock, next_id, now_ms, raise};
use crate::{Error, private_files};
use aws_lc_rs::digest::{Context, SHA256};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// More runs than these do not begin in a second, hour after hour.
const IDS_A_SECOND: i64 = 10_000;
/// How far two clocks may be apart.
const GAP_SECONDS: i64 = 60;
/// A clock that is years ahead must not use up all ids.
const MAX_GAP_ID: i64 = 1 << 38;

/// Whether a folder that holds something may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplacePolicy {
    Nothing,
    WhatIsThere,
}

/// Where the key of the restored folder is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOrigin {
    Backup,
    /// The folder that was replaced had one that fits.
    Before,
    /// It has to be put there.
    Nowhere,
    NotNeeded,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    pub n_files: usize,
    pub bytes: u64,
    pub created_ms: i64,
    pub key: KeyOrigin,
    /// Where the folder is that was there before.
    pub before: Option<PathBuf>,
}

/// Puts a backup in the place of `folder`. Nothing is touched unless the backup is whole.
pub fn restore(
    archive: &Path,
    folder: &Path,
    replace: ReplacePolicy,
    watch: BackupProgress<'_>,
) -> Result<Restored, Error> {
    let mut zip = open(archive)?;
    let list = read_list(&mut zip)?;
    if list.schema > KNOWN_SCHEMA {
        return Err(Error::Newer {
            what: "the backup",
            version: list.heddle,
            found: list.schema,
            known: KNOWN_SCHEMA,
        });
    }
    read_all(&mut zip, &list, None, BackupPhase::Checking, watch)?;

    // A link to a folder stays a link: what it leads to is replaced.
    let folder = &std::fs::canonicalize(folder)
        .or_else(|_| std::path::absolute(folder))
        .map_err(|error| Error::file(folder, &error))?;
    let is_used = is_used(folder)?;
    if is_used && replace == ReplacePolicy::Nothing {
        return Err(Error::Used { folder: folder.display().to_string().into() });
    }
    // Held to the end, so that no server starts on what is about to be moved away.
    let _serving = if is_used || folder.join(LOCK).exists() { Some(lock(folder)?) } else { None };
    let parent = folder.parent().ok_or_else(|| Error::File {
        path: folder.display().to_string().into(),
        cause: "it cannot be replaced".into(),
    })?;
    std::fs::create_dir_all(parent).map_err(|error| Error::file(parent, &error))?;
    if inspect::free(parent).is_some_and(|free| free < list.total()) {
        return Err(Error::Full);
    }

    let mut unpacked =
        UnpackedFolder { path: sibling_path(folder, "restoring"), is_in_the_way: true };
    private_files::make_folder(&unpacked.path)?;
    read_all(&mut zip, &list, Some(&unpacked.path), BackupPhase::Unpacking, watch)?;
    let key = restore_key(&unpacked.path, folder, list.has_key)?;
    if !inspect::problems(&unpacked.path)?.is_empty() {
        return Err(damaged("its database is damaged"));
    }
    reserve_id_gap(&unpacked.path.join(DATABASE), list.created_ms)?;
    sync_folders(&unpacked.path)?;
    let before = swap(&mut unpacked, folder)?;
    sync_folder_of(folder)?;
    Ok(Restored {
        n_files: list.files.len(),
        bytes: list.total(),
        created_ms: list.created_ms,
        key,
        before,
    })
}

/// Ids that may have been given away after the backup was made are not given again: links to those
/// runs may be in the world, and would fit.
fn reserve_id_gap(database: &Path, created_ms: i64) -> Result<(), Error> {
    let connection = rusqlite::Connection::open(database)?;
    let seconds = now_ms().saturating_sub(created_ms).max(0) / 1000 + GAP_SECONDS;
    let next =
        next_id(&connection)?.saturating_add(seconds.saturating_mul(IDS_A_SECOND)).min(MAX_GAP_ID);
    raise(&connection, next)
}

fn open(archive: &Path) -> Result<ZipArchive<File>, Error> {
    let file = File::open(archive).map_err(|error| Error::file(archive, &error))?;
    ZipArchive::new(file).map_err(|_| damaged("it is truncated or not a backup"))
}

fn read_list(zip: &mut ZipArchive<File>) -> Result<Manifest, Error> {
    let entry = zip.by_name(manifest::NAME).map_err(|_| damaged("it has no list of its files"))?;
    let mut text = String::new();
    entry
        .take(manifest::MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(|_| damaged("its list of files cannot be read"))?;
    let list = Manifest::parse(&text)?;
    if list.files.len() + 1 != zip.len() || !list.files.iter().any(|file| file.name == DATABASE) {
        return Err(damaged("it does not contain the files that it lists"));
    }
    Ok(list)
}

/// Reads every file of the archive and compares it with the list; writes them below a folder if one
/// is named.
fn read_all(
    zip: &mut ZipArchive<File>,
    list: &Manifest,
    into: Option<&Path>,
    doing: BackupPhase,
    watch: BackupProgress<'_>,
) -> Result<(), Error> {
    let (mut done, total) = (0, list.total());
    let mut buffer = vec![0; 1 << 17];
    for file in &list.files {
        let wrong = || damaged(&format!("'{}' in it is damaged", file.name));
        let mut entry = zip.by_name(&file.name).map_err(|_| wrong())?;
        let mut target = match into {
            Some(folder) => Some(RestoreTarget::create(folder, &file.name)?),
            None => None,
        };
        let (mut size, mut sum) = (0, Context::new(&SHA256));
        loop {
            let count = entry.read(&mut buffer).map_err(|_| wrong())?;
            if count == 0 {
                break;
            }
            size += count as u64;
            if size > file.size {
                return Err(wrong());
            }
            sum.update(&buffer[..count]);
            if let Some(target) = &mut target {
                target
                    .file
                    .write_all(&buffer[..count])
                    .map_err(|error| Error::file(&target.path, &error))?;
            }
            done += count as u64;
            watch(doing, done, total);
        }
        if size != file.size || hex::encode(sum.finish()) != file.sum {
            return Err(wrong());
        }
        if let Some(target) = target {
            target.file.sync_all().map_err(|error| Error::file(&target.path, &error))?;
        }
    }
    Ok(())
}

struct RestoreTarget {
    file: File,
    path: PathBuf,
}

impl RestoreTarget {
    fn create(folder: &Path, name: &str) -> Result<Self, Error> {
        let path = folder.join(name);
        if let Some(parent) = path.parent() {
            private_files::make_folder(parent)?;
        }
        Ok(Self { file: create_private(&path)?, path })
    }
}

/// Takes the key of the folder that is replaced over, if the backup has none and it fits.
fn restore_key(unpacked: &Path, folder: &Path, has_key: bool) -> Result<KeyOrigin, Error> {
    match inspect::key(unpacked)? {
        KeyState::NotNeeded => return Ok(KeyOrigin::NotNeeded),
        KeyState::Fits => return Ok(KeyOrigin::Backup),
        KeyState::DoesNotFit if has_key => return Err(Error::Key),
        KeyState::DoesNotFit | KeyState::Missing => {}
    }
    for name in KEY_FILES {
        if let Ok(text) = std::fs::read(folder.join(name)) {
            let mut target = RestoreTarget::create(unpacked, name)?;
            target
                .file
                .write_all(&text)
                .and_then(|()| target.file.sync_all())
                .map_err(|error| Error::file(&target.path, &error))?;
        }
    }
    if inspect::key(unpacked)? == KeyState::Fits {
        return Ok(KeyOrigin::Before);
    }
    for name in KEY_FILES {
        let _ = std::fs::remove_file(unpacked.join(name));
    }
    Ok(KeyOrigin::Nowhere)
}

/// Whether there is anything in the folder that would be missed.
fn is_used(folder: &Path) -> Result<bool, Error> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::file(folder, &error)),
    }
}

/// A name beside the folder that is not taken.
fn sibling_path(folder: &Path, what: &str) -> PathBuf {
    let name =
        folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    folder.with_file_name(format!("{name}.{what}-{}-{}", now_ms() / 1000, std::process::id()))
}

/// Makes the names of all that was unpacked last.
fn sync_folders(folder: &Path) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(|error| Error::file(folder, &error))? {
        let entry = entry.map_err(|error| Error::file(folder, &error))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            sync_folders(&entry.path())?;
        }
    }
    private_files::sync_folder(folder)
}

/// The unpacked folder takes the place of the one that is there; gives back where that is now, if
/// it held anything.
fn swap(unpacked: &mut UnpackedFolder, folder: &Path) -> Result<Option<PathBuf>, Error> {
    let failed = |error: &std::io::Error| match error.kind() {
        std::io::ErrorKind::ResourceBusy | std::io::ErrorKind::CrossesDevices => Error::File {
            path: folder.display().to_string().into(),
            cause: "it is a mount point and cannot be replaced; restore into a folder inside it"
                .into(),
        },
        _ => Error::file(folder, error),
    };
    if !is_used(folder)? {
        // An empty folder is replaced by a rename like a missing one.
        std::fs::rename(&unpacked.path, folder).map_err(|error| failed(&error))?;
        return Ok(None);
    }
    let kept = sibling_path(folder, "before-restore");
    if exchange(&unpacked.path, folder) {
        // From here on that name is the folder that was there, and nothing may remove it.
        unpacked.is_in_the_way = false;
        let is_renamed = std::fs::rename(&unpacked.path, &kept).is_ok();
        return Ok(Some(if is_renamed { kept } else { unpacked.path.clone() }));
    }
    std::fs::rename(folder, &kept).map_err(|error| failed(&error))?;
    if let Err(error) = std::fs::rename(&unpacked.path, folder) {
        let _ = std::fs::rename(&kept, folder);
        return Err(failed(&error));
    }
    Ok(Some(kept))
}

/// Lets two folders change places in one step, where the system can.
#[cfg(target_os = "linux")]
fn exchange(a: &Path, b: &Path) -> bool {
    rustix::fs::renameat_with(
        rustix::fs::CWD,
        a,
        rustix::fs::CWD,
        b,
        rustix::fs::RenameFlags::EXCHANGE,
    )
    .is_ok()
}

#[cfg(not(target_os = "linux"))]
fn exchange(_a: &Path, _b: &Path) -> bool {
    false
}

/// A folder that is being made; gone with this unless it has taken its place.
struct UnpackedFolder {
    path: PathBuf,
    is_in_the_way: bool,
}

impl Drop for UnpackedFolder {
    fn drop(&mut self) {
        if self.is_in_the_way {
            // After a rename there is nothing of this name any more.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}
