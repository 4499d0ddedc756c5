//! The folder of files that workflows may use, and nothing beside it.

mod confined_open;
mod glob;
mod list;
mod project_folders;

pub use project_folders::ProjectFolders;

use crate::private_files;
use bytes::Bytes;
use confined_open::FileAccess;
use model::Code;
use node_api::NodeError;
use node_api::files::FileStorage;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};

/// What one operation on files may take.
#[derive(Clone, Copy, Debug)]
pub struct FileLimits {
    /// The largest file that is read.
    pub read_bytes: u64,
    /// The largest file that is written, what is there already included.
    pub write_bytes: u64,
    /// How many folder entries a pattern may look at.
    pub listed_entries: usize,
}

impl Default for FileLimits {
    fn default() -> Self {
        Self { read_bytes: 512 << 20, write_bytes: 2 << 30, listed_entries: 200_000 }
    }
}

/// A folder, given by `HEDDLE_FILES_ROOT`. Relative paths start in it; absolute ones must lie
/// inside.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    limits: FileLimits,
    /// The folders of other projects are in it, and closed.
    has_projects: bool,
    /// It is made when it is first used.
    is_made: bool,
}

impl Workspace {
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self::with_limits(root, FileLimits::default())
    }

    pub fn with_limits(root: impl Into<PathBuf>, limits: FileLimits) -> Self {
        Self { root: root.into(), limits, has_projects: false, is_made: false }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    fn read_now(&self, path: &str) -> Result<Bytes, NodeError> {
        let (file, _) = self.open(path, FileAccess::Read)?;
        let limit = self.limits.read_bytes;
        let length =
            file.metadata().map_err(|error| io_error(&error, path, FileAccess::Read))?.len();
        if length > limit {
            return Err(too_large(path, length, limit));
        }
        let mut data = Vec::with_capacity(length as usize);
        // The file may grow while it is read, so the length alone is not enough.
        file.take(limit + 1)
            .read_to_end(&mut data)
            .map_err(|error| io_error(&error, path, FileAccess::Read))?;
        if data.len() as u64 > limit {
            return Err(too_large(path, data.len() as u64, limit));
        }
        Ok(data.into())
    }

    fn write_now(&self, path: &str, data: &[u8], purpose: FileAccess) -> Result<String, NodeError> {
        if !self.root.exists() {
            let made =
                std::fs::create_dir_all(&self.root).and_then(|()| match self.is_in_data_folder() {
                    true => Ok(()),
                    false => private_files::restore_default_mode(&File::open(&self.root)?),
                });
            made.map_err(|error| io_error(&error, path, purpose))?;
        }
        let failed = |error: io::Error| io_error(&error, path, purpose);
        let check = |length: u64| {
            if length > self.limits.write_bytes {
                Err(too_large(path, length, self.limits.write_bytes))
            } else {
                Ok(())
            }
        };
        check(data.len() as u64)?;
        let (mut file, full) = self.open(path, purpose)?;
        if purpose == FileAccess::Append {
            check(file.metadata().map_err(failed)?.len().saturating_add(data.len() as u64))?;
        } else {
            file.set_len(0).map_err(failed)?;
        }
        file.write_all(data).and_then(|()| file.flush()).map_err(failed)?;
        Ok(full.to_string_lossy().into_owned())
    }

    /// What is in a data folder stays closed, like everything there.
    fn is_in_data_folder(&self) -> bool {
        self.root.parent().is_some_and(|parent| parent.join("heddle.db").exists())
    }

    /// Opens a plain file and tells its place.
    fn open(&self, path: &str, purpose: FileAccess) -> Result<(File, PathBuf), NodeError> {
        let (root, relative) = self.resolve(path)?;
        let file = confined_open::open(&root, &relative, purpose).map_err(|error| {
            if confined_open::is_link_error(&error) {
                self.outside(path, "it contains a symbolic link")
            } else {
                io_error(&error, path, purpose)
            }
        })?;
        let kind = file.metadata().map_err(|error| io_error(&error, path, purpose))?.file_type();
        if kind.is_dir() {
            let message = format!("EISDIR: illegal operation on a directory, {}", verb(purpose));
            return Err(NodeError::new(Code::FILE_IO, message)
                .with("errno", "EISDIR")
                .hint(format!("'{path}' is a folder. Name a file in it.")));
        }
        if !kind.is_file() {
            return Err(self.outside(path, "it is a device or a pipe, not a regular file"));
        }
        Ok((file, root.join(relative)))
    }

    /// The real root, and the path below it with symbolic links resolved as far as the path exists.
    fn resolve(&self, path: &str) -> Result<(PathBuf, PathBuf), NodeError> {
        self.check_text(path)?;
        if self.is_made {
            private_files::make_folder(&self.root)
                .map_err(|error| NodeError::new(Code::FILE_IO, error.to_string()))?;
        }
        let root = self.root.canonicalize().map_err(|error| {
            NodeError::new(
                Code::FILE_IO,
                format!("The files folder '{}' cannot be used: {error}", self.root.display()),
            )
            .with("errno", "ENOENT")
            .hint("Create the folder, or set HEDDLE_FILES_ROOT to an existing one.")
        })?;
        let whole = root.join(path);
        let mut rest = Vec::new();
        let mut there = whole.as_path();
        // The last part of the path may be missing; it then cannot lead anywhere, and opening it
        // tells.
        let real = loop {
            match (there.canonicalize(), there.parent(), there.file_name()) {
                (Ok(real), ..) => break real,
                (Err(_), Some(parent), Some(name)) => {
                    rest.push(name.to_owned());
                    there = parent;
                }
                (Err(_), ..) => return Err(self.outside(path, "it cannot be resolved")),
            }
        };
        let below =
            real.strip_prefix(&root).map_err(|_| self.outside(path, "it is outside the folder"))?;
        let relative: PathBuf = below.iter().chain(rest.iter().rev().map(AsRef::as_ref)).collect();
        let is_elsewhere = |name: Component<'_>| {
            name.as_os_str().to_string_lossy().eq_ignore_ascii_case(project_folders::PROJECTS)
        };
        if self.has_projects
            && relative
                .components()
                .find(|part| *part != Component::CurDir)
                .is_some_and(is_elsewhere)
        {
            return Err(self.outside(path, "it belongs to another project"));
        }
        Ok((root, relative))
    }

    /// Refuses what no honest path contains, before the disk is asked.
    fn check_text(&self, path: &str) -> Result<(), NodeError> {
        if path.is_empty() {
            let message = "The file path is empty";
            return Err(NodeError::new(Code::FILE_IO, message)
                .with("errno", "ENOENT")
                .hint("Enter a file path."));
        }
        if path.contains('\0') {
            return Err(self.outside(&path.replace('\0', "\\0"), "it contains a NUL character"));
        }
        if path.split(['/', '\\']).any(|part| part == "..")
            || Path::new(path).components().any(|part| part == Component::ParentDir)
        {
            return Err(self.outside(path, "it contains '..'"));
        }
        if path.split(['/', '\\']).any(is_device_name) {
            return Err(self.outside(path, "it contains a device name"));
        }
        Ok(())
    }

    fn outside(&self, path: &str, why: &str) -> NodeError {
        NodeError::new(
            Code::FILE_OUTSIDE,
            format!("Access to the file is not allowed. Allowed paths: {}", self.root.display()),
        )
        .describe(format!("The path '{path}' was rejected: {why}."))
        .hint("Use a path inside the files folder. The operator sets it with HEDDLE_FILES_ROOT.")
        .with("path", path)
    }
}

#[async_trait::async_trait]
impl FileStorage for Workspace {
    async fn read(&self, path: &str) -> Result<Bytes, NodeError> {
        let path = path.to_owned();
        self.in_background(move |workspace| workspace.read_now(&path)).await
    }

    async fn write(&self, path: &str, data: &[u8], append: bool) -> Result<String, NodeError> {
        let (path, data) = (path.to_owned(), Bytes::copy_from_slice(data));
        let purpose = if append { FileAccess::Append } else { FileAccess::Write };
        self.in_background(move |workspace| workspace.write_now(&path, &data, purpose)).await
    }

    async fn list(&self, pattern: &str) -> Result<Vec<String>, NodeError> {
        let pattern = pattern.to_owned();
        self.in_background(move |workspace| workspace.list_now(&pattern)).await
    }
}

impl Workspace {
    async fn in_background<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Workspace) -> Result<T, NodeError> + Send + 'static,
    ) -> Result<T, NodeError> {
        let workspace = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&workspace)).await;
        done.unwrap_or_else(|error| {
            Err(NodeError::new(
                Code::FILE_IO,
                format!("The file operation was interrupted: {error}"),
            ))
        })
    }
}

/// Names that stand for a device on Windows, in any folder and with any extension.
fn is_device_name(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    match stem.as_str() {
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" => true,
        stem => {
            stem.len() == 4
                && (stem.starts_with("COM") || stem.starts_with("LPT"))
                && stem.ends_with(|last: char| last.is_ascii_digit())
        }
    }
}

fn verb(purpose: FileAccess) -> &'static str {
    if purpose == FileAccess::Read { "read" } else { "open" }
}

fn too_large(path: &str, length: u64, limit: u64) -> NodeError {
    NodeError::new(Code::FILE_IO, "The file is too large")
        .describe(format!("'{path}' has {length} bytes; the limit is {limit}."))
        .with("errno", "EFBIG")
}

/// What the system said, with Node.js' name of the error, which workflows and nodes look at.
fn io_error(error: &io::Error, path: &str, purpose: FileAccess) -> NodeError {
    let (errno, message) = match error.kind() {
        io::ErrorKind::NotFound if purpose == FileAccess::Read => {
            ("ENOENT", format!("The file \"{path}\" could not be accessed."))
        }
        io::ErrorKind::NotFound => {
            ("ENOENT", format!("ENOENT: no such file or directory, open '{path}'"))
        }
        io::ErrorKind::PermissionDenied => {
            ("EACCES", format!("EACCES: permission denied, open '{path}'"))
        }
        io::ErrorKind::IsADirectory => {
            ("EISDIR", format!("EISDIR: illegal operation on a directory, open '{path}'"))
        }
        io::ErrorKind::NotADirectory => {
            ("ENOTDIR", format!("ENOTDIR: not a directory, open '{path}'"))
        }
        io::ErrorKind::InvalidFilename => {
            ("ENAMETOOLONG", format!("ENAMETOOLONG: name too long, open '{path}'"))
        }
        io::ErrorKind::StorageFull => {
            ("ENOSPC", "ENOSPC: no space left on device, write".to_owned())
        }
        _ => ("EIO", format!("The file \"{path}\" cannot be used: {error}")),
    };
    NodeError::new(Code::FILE_IO, message).with("errno", errno).with("path", path)
}

#[cfg(test)]
mod tests;
