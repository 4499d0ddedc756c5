//! Opens files strictly below a folder: no step of the way may be a symbolic link when it is taken.
//!
//! The caller has resolved the links already. Somebody who swaps a folder for a link between that
//! check and the opening gets an error, because every step is opened from the handle of the one
//! before and refuses links.

use std::fs::File;
use std::io;
use std::path::Path;

/// What the file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileAccess {
    Read,
    /// Made if it is not there. The caller cuts it off once it knows what it is.
    Write,
    Append,
}

#[cfg(unix)]
pub(super) fn open(root: &Path, relative: &Path, purpose: FileAccess) -> io::Result<File> {
    use crate::private_files::restore_default_mode;
    use rustix::fs::{Mode, OFlags, openat};
    use rustix::io::Errno;
    // Without NONBLOCK, opening a named pipe would wait for its other end.
    let always = OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let mut folder = File::open(root)?;
    let mut names = relative.components().peekable();
    while let Some(name) = names.next() {
        if names.peek().is_some() {
            folder = openat(
                &folder,
                name.as_os_str(),
                always | OFlags::DIRECTORY | OFlags::RDONLY,
                Mode::empty(),
            )?
            .into();
            continue;
        }
        let flags = match purpose {
            FileAccess::Read => OFlags::RDONLY,
            FileAccess::Write => OFlags::WRONLY,
            FileAccess::Append => OFlags::WRONLY | OFlags::APPEND,
        };
        let found = openat(&folder, name.as_os_str(), always | flags, Mode::empty());
        if purpose == FileAccess::Read || !matches!(found, Err(Errno::NOENT)) {
            return Ok(found?.into());
        }
        return match openat(
            &folder,
            name.as_os_str(),
            always | flags | OFlags::CREATE | OFlags::EXCL,
            Mode::from_raw_mode(0o644),
        ) {
            Ok(made) => {
                let made = File::from(made);
                restore_default_mode(&made)?;
                Ok(made)
            }
            // Somebody was quicker.
            Err(Errno::EXIST) => {
                Ok(openat(&folder, name.as_os_str(), always | flags, Mode::empty())?.into())
            }
            Err(error) => Err(error.into()),
        };
    }
    Ok(folder)
}

/// Elsewhere the file is opened by its path and looked up once more afterwards.
#[cfg(not(unix))]
pub(super) fn open(root: &Path, relative: &Path, purpose: FileAccess) -> io::Result<File> {
    let path = root.join(relative);
    let mut options = std::fs::OpenOptions::new();
    match purpose {
        FileAccess::Read => options.read(true),
        FileAccess::Write => options.write(true).create(true).truncate(false),
        FileAccess::Append => options.append(true).create(true),
    };
    let file = options.open(&path)?;
    if path.canonicalize()?.starts_with(root) {
        Ok(file)
    } else {
        Err(io::Error::from(io::ErrorKind::PermissionDenied))
    }
}

/// Whether the way led over a symbolic link.
pub(super) fn is_link_error(error: &io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    #[cfg(not(unix))]
    return error.kind() == io::ErrorKind::PermissionDenied;
}
