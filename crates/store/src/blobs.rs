//! Large files of items, kept beside the journal: `binary/EXECUTION/SUM` in the data folder, each
//! once an execution.
//!
//! A file is whole and synced before the piece of the journal that names it is committed, and goes
//! after its execution has gone. What a crash leaves in between belongs to nobody and is swept at
//! the next start.

use crate::{Error, private_files};
use aws_lc_rs::digest::{Context, SHA256, digest};
use bytes::Bytes;
use model::{Binary, Object, Str, Value};
use std::collections::HashSet;
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Files up to this size stay in the journal.
pub const INLINE_LIMIT: usize = 16 << 10;

pub(crate) const FOLDER: &str = "binary";
/// What the name of a file that is being written ends with.
pub(crate) const UNFINISHED: &str = ".part";

/// Files that are remembered, so that passing one on does not mean adding it up again.
const REMEMBERED: usize = 8;
const REMEMBERED_BYTES: usize = 64 << 20;

/// A file of this size is added up within a millisecond.
const CHEAP_HASH_BYTES: usize = 256 << 10;

/// The SHA-256 of a file, which is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileHash(pub(crate) [u8; 32]);

impl FileHash {
    pub(crate) fn of(data: &[u8]) -> Self {
        Self::from_digest(digest(&SHA256, data).as_ref())
    }

    fn from_digest(found: &[u8]) -> Self {
        let mut sum = [0; 32];
        sum.copy_from_slice(found);
        Self(sum)
    }

    /// Reads a sum as [`FileHash::to_hex`] writes it, or the whole id that an execution shows.
    pub fn parse(text: &str) -> Option<Self> {
        let last = text.rsplit(['/', ':']).next()?;
        let mut sum = [0; 32];
        hex::decode_to_slice(last, &mut sum).ok()?;
        Some(Self(sum))
    }

    pub fn to_hex(self) -> String {
        hex::encode(self.0)
    }
}

/// A file on its way to disk.
#[derive(Clone, Debug)]
pub struct NewFile {
    pub sum: FileHash,
    pub size: usize,
    /// Its bytes; none once it is on disk and still waits for the piece that names it.
    pub data: Bytes,
    pub mime_type: Str,
    pub file_name: Option<Str>,
    is_written: Arc<AtomicBool>,
}

/// The large files of one run, as its events name them.
#[derive(Default)]
pub struct PendingFiles {
    known: HashSet<FileHash>,
    recent: Vec<(Bytes, FileHash)>,
    new: Vec<NewFile>,
    /// How much of the new ones is held.
    new_bytes: usize,
}

/// How many files had been gathered at some point, and how much of them was held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilesMark {
    count: usize,
    bytes: usize,
}

impl PendingFiles {
    /// Files that no piece has taken along yet.
    pub fn new_files(&self) -> &[NewFile] {
        &self.new
    }

    /// How many bytes of them are held.
    pub fn new_bytes(&self) -> usize {
        self.new_bytes
    }

    pub fn take(&mut self) -> Vec<NewFile> {
        self.new_bytes = 0;
        std::mem::take(&mut self.new)
    }

    pub fn put_back(&mut self, mut files: Vec<NewFile>) {
        self.new_bytes += files.iter().map(|file| file.data.len()).sum::<usize>();
        files.append(&mut self.new);
        self.new = files;
    }

    /// Lets go of the bytes that are on disk: the files of a run's beginning wait there until all
    /// of it is written.
    pub(crate) fn release_written(&mut self) {
        for file in self.new.iter_mut().filter(|file| file.is_written.load(Ordering::Relaxed)) {
            self.new_bytes -= file.data.len();
            file.data = Bytes::new();
        }
    }

    pub(crate) fn mark(&self) -> FilesMark {
        FilesMark { count: self.new.len(), bytes: self.new_bytes }
    }

    /// Whether files of more than so many bytes came since then. A single one may be as large as it
    /// is.
    pub(crate) fn is_past(&self, mark: FilesMark, most: usize) -> bool {
        self.new.len() > mark.count + 1 && self.new_bytes - mark.bytes > most
    }

    /// Forgets the files that came since then: the event that names them was not added.
    pub(crate) fn rewind(&mut self, mark: FilesMark) {
        for file in self.new.drain(mark.count..) {
            self.known.remove(&file.sum);
        }
        self.new_bytes = mark.bytes;
    }

    /// Whether the run has had any.
    pub fn has_any(&self) -> bool {
        !self.known.is_empty()
    }

    pub(crate) fn add(&mut self, file: &Binary) -> FileHash {
        let sum = self.hash_of(&file.data);
        if self.known.insert(sum) {
            let (data, mime_type, file_name) =
                (file.data.clone(), file.mime_type.clone(), file.file_name.clone());
            self.new_bytes += data.len();
            self.new.push(NewFile {
                sum,
                size: data.len(),
                data,
                mime_type,
                file_name,
                is_written: Arc::default(),
            });
        }
        sum
    }

    /// Whether a file can be named without adding up much.
    pub(crate) fn is_cheap_to_hash(&self, data: &Bytes) -> bool {
        data.len() <= CHEAP_HASH_BYTES
            || self
                .recent
                .iter()
                .any(|(held, _)| held.len() == data.len() && held.as_ptr() == data.as_ptr())
    }

    fn hash_of(&mut self, data: &Bytes) -> FileHash {
        // What is remembered is held, so that nothing else can have its place. A file that was read
        // back is the same elsewhere in memory; comparing costs far less than adding up.
        let same = |(held, _): &&(Bytes, FileHash)| {
            held.len() == data.len() && (held.as_ptr() == data.as_ptr() || held == data)
        };
        if let Some((_, sum)) = self.recent.iter().find(same) {
            return *sum;
        }
        let sum = FileHash::of(data);
        self.recent.push((data.clone(), sum));
        let held =
            |recent: &[(Bytes, FileHash)]| recent.iter().map(|(data, _)| data.len()).sum::<usize>();
        while self.recent.len() > REMEMBERED
            || (self.recent.len() > 1 && held(&self.recent) > REMEMBERED_BYTES)
        {
            self.recent.remove(0);
        }
        sum
    }
}

/// What a reader of the journal gets for a file that is not in it.
pub(crate) enum FetchedFile {
    Data(Bytes),
    /// Only what there is to know of it.
    Fields(Object),
}

/// Files are named by executions and left where they are: their fields as n8n shows files outside
/// of the database.
pub(crate) fn fields(execution: i64, sum: FileHash, size: usize) -> Object {
    Object::from_iter([
        ("data", Value::from("filesystem-v2")),
        ("id", format!("filesystem-v2:executions/{execution}/binary_data/{}", sum.to_hex()).into()),
        ("fileSize", Binary::size_in_words(size).into()),
        ("bytes", size.into()),
    ])
}

/// A file of an execution, looked at and found whole.
#[derive(Debug)]
pub struct StoredFile {
    pub file: File,
    pub size: u64,
    pub mime_type: Str,
    pub file_name: Option<Str>,
}

/// The folder of files.
#[derive(Clone)]
pub(crate) struct Blobs {
    folder: PathBuf,
    /// Two that want to write one file take turns, and the second finds it there. By execution, so
    /// that others need not wait.
    turns: Arc<[Mutex<()>; TURNS]>,
    /// Why nothing could be written the last time.
    trouble: Arc<Mutex<Option<Error>>>,
}

const TURNS: usize = 16;

/// No execution has this number.
const PROBE: i64 = 0;

impl Blobs {
    pub(crate) fn new(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), turns: Arc::default(), trouble: Arc::default() }
    }

    /// Writes the files that are not there yet; returns once they are on disk.
    pub(crate) fn write(&self, execution: i64, files: &[NewFile]) -> Result<(), Error> {
        let folder = self.folder_of(execution);
        let _turn = self.turns[execution.unsigned_abs() as usize % TURNS]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_there = |file: &&NewFile| {
            std::fs::metadata(folder.join(file.sum.to_hex()))
                .is_ok_and(|found| found.len() == file.size as u64)
        };
        let missing: Vec<&NewFile> = files.iter().filter(|file| !is_there(file)).collect();
        if !missing.is_empty() {
            let written = Self::write_missing(execution, &folder, &missing);
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) =
                written.as_ref().err().filter(|error| error.may_pass()).cloned();
            written?;
        }
        files.iter().for_each(|file| file.is_written.store(true, Ordering::Relaxed));
        Ok(())
    }

    fn write_missing(execution: i64, folder: &Path, missing: &[&NewFile]) -> Result<(), Error> {
        private_files::make_folder(folder)?;
        for file in missing {
            if file.data.len() != file.size {
                // It was on disk, and somebody took it away.
                return Err(lost(execution, file.sum));
            }
            let path = folder.join(file.sum.to_hex());
            let unfinished = folder.join(format!("{}{UNFINISHED}", file.sum.to_hex()));
            let written = private_files::create(&unfinished).and_then(|mut target| {
                target.write_all(&file.data)?;
                Ok(target)
            });
            match written {
                Ok(target) => target.sync_all().map_err(|error| Error::unsynced(&path, &error))?,
                Err(error) => {
                    let _ = std::fs::remove_file(&unfinished);
                    return Err(Error::unwritten(&path, &error));
                }
            }
            std::fs::rename(&unfinished, &path).map_err(|error| Error::unwritten(&path, &error))?;
        }
        private_files::sync_folder(folder).inspect_err(|_| {
            // Their names may not last; who tries again is not to find them there.
            missing
                .iter()
                .for_each(|file| _ = std::fs::remove_file(folder.join(file.sum.to_hex())));
        })
    }

    /// Why files could not be written the last time.
    pub(crate) fn trouble(&self) -> Option<Error> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Tries whether files can be written.
    pub(crate) fn probe_write(&self) -> Result<(), Error> {
        let data = Bytes::from_static(b"probe");
        let (sum, size) = (FileHash::of(&data), data.len());
        let probe = NewFile {
            sum,
            size,
            data,
            mime_type: Str::new(),
            file_name: None,
            is_written: Arc::default(),
        };
        let tried = self.write(PROBE, &[probe]);
        let _ = std::fs::remove_dir_all(self.folder_of(PROBE));
        tried
    }

    /// A file's bytes, if they are what they were.
    pub(crate) fn read(&self, execution: i64, sum: FileHash, size: usize) -> Result<Bytes, Error> {
        let path = self.path(execution, sum);
        let data = match std::fs::read(&path) {
            Ok(data) => data,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(lost(execution, sum));
            }
            Err(error) => return Err(Error::file(&path, &error)),
        };
        if data.len() != size || FileHash::of(&data) != sum {
            return Err(lost(execution, sum));
        }
        Ok(data.into())
    }

    /// Opens a file for reading once it was found whole; it is never held in memory.
    pub(crate) fn open(&self, execution: i64, sum: FileHash) -> Result<File, Error> {
        let path = self.path(execution, sum);
        let failed = |error: &std::io::Error| match error.kind() {
            std::io::ErrorKind::NotFound => lost(execution, sum),
            _ => Error::file(&path, error),
        };
        let mut file = File::open(&path).map_err(|error| failed(&error))?;
        let (mut context, mut buffer) = (Context::new(&SHA256), vec![0; 1 << 17]);
        loop {
            match file.read(&mut buffer).map_err(|error| failed(&error))? {
                0 => break,
                count => context.update(&buffer[..count]),
            }
        }
        if FileHash::from_digest(context.finish().as_ref()) != sum {
            return Err(lost(execution, sum));
        }
        file.rewind().map_err(|error| failed(&error))?;
        Ok(file)
    }

    /// Removes the files of executions that are gone. What cannot be removed now is swept at the
    /// next start.
    pub(crate) fn remove(&self, executions: &[i64]) {
        for execution in executions {
            let folder = self.folder_of(*execution);
            match std::fs::remove_dir_all(&folder) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    tracing::warn!(%error, execution, "Could not remove the files of an execution.")
                }
            }
        }
    }

    /// Removes what belongs to no execution. Those from `before` on may not have been written down
    /// yet.
    pub(crate) fn sweep(
        &self,
        before: i64,
        is_known: impl Fn(i64) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(Error::file(&self.folder, &error)),
        };
        for entry in entries {
            let entry = entry.map_err(|error| Error::file(&self.folder, &error))?;
            // Whatever else somebody put here is not ours to remove.
            let Some(execution) =
                entry.file_name().to_str().and_then(|name| name.parse::<i64>().ok())
            else {
                continue;
            };
            if execution < before && !is_known(execution)? {
                self.remove(&[execution]);
            }
        }
        Ok(())
    }

    /// The last process may have made a folder here and ended before its name was sure to last.
    pub(crate) fn sync_names(&self) -> Result<(), Error> {
        if self.folder.is_dir() { private_files::sync_folder(&self.folder) } else { Ok(()) }
    }

    pub(crate) fn path(&self, execution: i64, sum: FileHash) -> PathBuf {
        self.folder_of(execution).join(sum.to_hex())
    }

    fn folder_of(&self, execution: i64) -> PathBuf {
        self.folder.join(execution.to_string())
    }
}

fn lost(execution: i64, sum: FileHash) -> Error {
    Error::LostFile { execution, name: sum.to_hex().into() }
}
