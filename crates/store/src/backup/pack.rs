//! Makes a backup of a folder, whether or not a server runs on it.

use super::manifest::{self, Manifest, ManifestEntry, is_safe};
use super::{BackupPhase, BackupProgress, KEY_FILES, KeyInclusion};
use crate::inspect::{self, DATABASE, KeyState, LOCK};
use crate::sqlite::{connect, now_ms};
use crate::vault::KeyFiles;
use crate::{Error, private_files};
use aws_lc_rs::digest::{Context, SHA256};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Pages of the database that are copied between two looks at the clock.
const PAGES: i32 = 512;

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupContents {
    pub n_files: usize,
    /// Unpacked.
    pub bytes: u64,
    pub key: KeyState,
    pub has_key: bool,
    /// Links, sockets and files without a readable name or text: left out.
    pub left_out: Vec<PathBuf>,
}

/// Writes a backup of `folder` to `target`, which appears only when it is whole.
pub fn back_up(
    folder: &Path,
    target: &Path,
    with_key: KeyInclusion,
    watch: BackupProgress<'_>,
) -> Result<BackupContents, Error> {
    let unfinished = PartialBackup::next_to(target)?;
    let contents = pack(folder, target, &unfinished, with_key, watch)?;
    std::fs::rename(&unfinished.archive, target).map_err(|error| Error::file(target, &error))?;
    sync_folder_of(target)?;
    Ok(contents)
}

fn pack(
    folder: &Path,
    target: &Path,
    unfinished: &PartialBackup,
    with_key: KeyInclusion,
    watch: BackupProgress<'_>,
) -> Result<BackupContents, Error> {
    let database = folder.join(DATABASE);
    if !database.exists() {
        return Err(Error::File {
            path: folder.display().to_string().into(),
            cause: "it contains no database".into(),
        });
    }
    let files = KeyFiles::new(folder);
    // While the lock is held nobody changes the key, so that the one we take fits the moment we
    // copy.
    let lock = files.lock()?;
    let source = connect(&database)?;
    source.execute_batch("BEGIN")?;
    let schema: i64 =
        source.query_row("SELECT user_version FROM pragma_user_version", [], |row| row.get(0))?;
    // The first read fixes the moment.
    source.query_row("SELECT count(*) FROM facts", [], |row| row.get::<_, i64>(0))?;
    let key = inspect::key_of(&source, &files)?;
    let keys = match with_key {
        KeyInclusion::Yes => read_keys(folder)?,
        KeyInclusion::No => Vec::new(),
    };
    drop(lock);
    copy_database(&source, &unfinished.database, watch)?;
    drop(source);

    let OtherFiles { found, mut left_out } =
        other_files(folder, &[target, &unfinished.archive, &unfinished.database])?;
    let size = |path: &Path| std::fs::metadata(path).map_or(0, |found| found.len());
    let total = size(&unfinished.database) + found.iter().map(|(_, path)| size(path)).sum::<u64>();
    let mut packer = Packer {
        zip: ZipWriter::new(create_private(&unfinished.archive)?),
        path: &unfinished.archive,
        files: Vec::new(),
        done: 0,
        total,
    };
    packer.add(DATABASE, &unfinished.database, watch)?;
    for (name, path) in found {
        match packer.add(&name, &path, watch) {
            // A file that went away since, or one that may not be read, does not end the backup; it
            // is told.
            Err(PackError::Source) => left_out.push(path),
            other => other?,
        }
    }
    for (name, text) in &keys {
        packer.add_bytes(name, text)?;
    }
    let has_key = !keys.is_empty();
    let list = Manifest {
        heddle: Some(env!("CARGO_PKG_VERSION").into()),
        schema,
        created_ms: now_ms(),
        has_key,
        files: std::mem::take(&mut packer.files),
    };
    let (n_files, bytes) = (list.files.len(), list.total());
    packer.finish(&list)?;
    Ok(BackupContents { n_files, bytes, key, has_key, left_out })
}

/// The names that are being written until the backup is whole; what is left of them goes with this.
struct PartialBackup {
    archive: PathBuf,
    database: PathBuf,
}

impl PartialBackup {
    fn next_to(target: &Path) -> Result<Self, Error> {
        let name = target.file_name().ok_or_else(|| Error::File {
            path: target.display().to_string().into(),
            cause: "it is not a valid file name".into(),
        })?;
        let beside = |end: &str| {
            target.with_file_name(format!(
                ".{}.{end}-{}",
                name.to_string_lossy(),
                std::process::id()
            ))
        };
        Ok(Self { archive: beside("part"), database: beside("copy") })
    }
}

impl Drop for PartialBackup {
    fn drop(&mut self) {
        for path in [&self.archive, &self.database] {
            let _ = std::fs::remove_file(path);
        }
        let _ = std::fs::remove_file(self.database.with_extension("journal"));
    }
}

/// Copies the database as it was when its reader began. Writers go on meanwhile.
fn copy_database(
    source: &Connection,
    target: &Path,
    watch: BackupProgress<'_>,
) -> Result<(), Error> {
    drop(create_private(target)?);
    let mut copy = Connection::open(target)?;
    {
        let page: i64 = source.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        let backup = Backup::new(source, &mut copy)?;
        loop {
            let step = backup.step(PAGES)?;
            let progress = backup.progress();
            let bytes = |pages: i32| (i64::from(pages) * page).unsigned_abs();
            watch(
                BackupPhase::CopyingDatabase,
                bytes(progress.pagecount - progress.remaining),
                bytes(progress.pagecount),
            );
            match step {
                StepResult::Done => break,
                StepResult::Busy | StepResult::Locked => {
                    std::thread::sleep(Duration::from_millis(20))
                }
                _ => {}
            }
        }
    }
    // One file without a log of its own.
    copy.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    match inspect::problems_of(&copy)?.first() {
        None => Ok(()),
        Some(problem) => Err(Error::Corrupt { what: format!("the database ({problem})").into() }),
    }
}

fn read_keys(folder: &Path) -> Result<Vec<(&'static str, Vec<u8>)>, Error> {
    let mut keys = Vec::new();
    for name in KEY_FILES {
        let path = folder.join(name);
        match std::fs::read(&path) {
            Ok(text) => keys.push((name, text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(Error::file(&path, &error)),
        }
    }
    Ok(keys)
}

/// The files of a folder beside the database and the keys.
#[derive(Default)]
struct OtherFiles {
    /// By the names they have in the archive.
    found: Vec<(String, PathBuf)>,
    left_out: Vec<PathBuf>,
}

fn other_files(folder: &Path, without: &[&Path]) -> Result<OtherFiles, Error> {
    let without: Vec<PathBuf> =
        without.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
    let OtherFiles { mut found, mut left_out } = OtherFiles::default();
    let mut folders = vec![(String::new(), folder.to_owned())];
    while let Some((prefix, here)) = folders.pop() {
        let entries = match std::fs::read_dir(&here) {
            // The files of a run that went meanwhile.
            Err(error)
                if error.kind() == std::io::ErrorKind::NotFound
                    && prefix.starts_with("binary/") =>
            {
                continue;
            }
            other => other.map_err(|error| Error::file(&here, &error))?,
        };
        for entry in entries {
            let entry = entry.map_err(|error| Error::file(&here, &error))?;
            let path = entry.path();
            let kind = entry.file_type().map_err(|error| Error::file(&path, &error))?;
            let name = entry.file_name().to_str().map(|name| format!("{prefix}{name}"));
            if std::path::absolute(&path).is_ok_and(|path| without.contains(&path))
                || name.as_deref().is_some_and(is_ours)
            {
                continue;
            }
            match name.filter(|name| is_safe(name)) {
                Some(name) if kind.is_dir() => folders.push((format!("{name}/"), path)),
                Some(name) if kind.is_file() => found.push((name, path)),
                _ => left_out.push(path),
            }
        }
    }
    found.sort();
    Ok(OtherFiles { found, left_out })
}

/// Files that are copied in another way, or that mean something only where they are.
fn is_ours(name: &str) -> bool {
    let is_database = name
        .strip_prefix(DATABASE)
        .is_some_and(|rest| matches!(rest, "" | "-wal" | "-shm" | "-journal"));
    let is_unfinished = name.starts_with("binary/") && name.ends_with(crate::blobs::UNFINISHED);
    // The weights of built-in models are large, and can be had again.
    let is_weights = name == "models";
    is_database
        || is_unfinished
        || is_weights
        || name == super::before_migration::FOLDER
        || name == LOCK
        || name == "vault.lock"
        || name.starts_with("vault.key")
        || name == manifest::NAME
}

/// Why a file was not packed.
enum PackError {
    /// It cannot be read.
    Source,
    Failed(Error),
}

impl From<PackError> for Error {
    fn from(unpacked: PackError) -> Self {
        match unpacked {
            PackError::Source => Error::Corrupt { what: "the copy of the database".into() },
            PackError::Failed(error) => error,
        }
    }
}

struct Packer<'a> {
    zip: ZipWriter<File>,
    path: &'a Path,
    files: Vec<ManifestEntry>,
    done: u64,
    total: u64,
}

impl Packer<'_> {
    fn add(&mut self, name: &str, path: &Path, watch: BackupProgress<'_>) -> Result<(), PackError> {
        let mut source = File::open(path).map_err(|_| PackError::Source)?;
        let mut buffer = vec![0; 1 << 17];
        let mut count = source.read(&mut buffer).map_err(|_| PackError::Source)?;
        self.start(name).map_err(PackError::Failed)?;
        let (mut size, mut sum) = (0, Context::new(&SHA256));
        while count > 0 {
            sum.update(&buffer[..count]);
            self.zip
                .write_all(&buffer[..count])
                .map_err(|error| PackError::Failed(Error::file(self.path, &error)))?;
            size += count as u64;
            self.done += count as u64;
            watch(BackupPhase::Packing, self.done.min(self.total), self.total);
            count = source
                .read(&mut buffer)
                .map_err(|error| PackError::Failed(Error::file(path, &error)))?;
        }
        self.files.push(ManifestEntry {
            name: name.to_owned(),
            size,
            sum: hex::encode(sum.finish()),
        });
        Ok(())
    }

    fn add_bytes(&mut self, name: &str, bytes: &[u8]) -> Result<(), Error> {
        self.start(name)?;
        self.zip.write_all(bytes).map_err(|error| Error::file(self.path, &error))?;
        let sum = hex::encode(aws_lc_rs::digest::digest(&SHA256, bytes));
        self.files.push(ManifestEntry { name: name.to_owned(), size: bytes.len() as u64, sum });
        Ok(())
    }

    fn start(&mut self, name: &str) -> Result<(), Error> {
        // Speed counts more than the last percent.
        let options = SimpleFileOptions::default()
            .compression_level(Some(2))
            .large_file(true)
            .unix_permissions(0o600);
        self.zip.start_file(name, options).map_err(|error| self.failed(&error))
    }

    fn finish(mut self, list: &Manifest) -> Result<(), Error> {
        self.start(manifest::NAME)?;
        self.zip
            .write_all(list.to_text().as_bytes())
            .map_err(|error| Error::file(self.path, &error))?;
        let path = self.path;
        let file =
            self.zip.finish().map_err(|error| Error::file(path, &std::io::Error::from(error)))?;
        file.sync_all().map_err(|error| Error::file(path, &error))
    }

    fn failed(&self, error: &zip::result::ZipError) -> Error {
        match error {
            zip::result::ZipError::Io(error) => Error::file(self.path, error),
            other => Error::File {
                path: self.path.display().to_string().into(),
                cause: other.to_string().into(),
            },
        }
    }
}

/// A new file that only we may read.
pub(super) fn create_private(path: &Path) -> Result<File, Error> {
    private_files::create(path).map_err(|error| Error::file(path, &error))
}

/// Makes a rename last.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), Error> {
    let parent =
        path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    private_files::sync_folder(parent)
}
