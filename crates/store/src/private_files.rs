//! Files and folders that nobody else on the machine may read, and their names made to last.

use crate::Error;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// What of a data folder is ours, beside the folder itself.
const OURS: &[&str] = &[
    "heddle.db",
    "heddle.db-wal",
    "heddle.db-shm",
    "heddle.db-journal",
    "serving.lock",
    "vault.key",
    "vault.key.next",
    "vault.key.new",
    "vault.lock",
    "binary",
    crate::backup::before_migration::FOLDER,
    "workspace",
];

/// Makes a folder and whatever is missing above it, and makes their names last.
pub(crate) fn make_folder(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Some(parent) = parent {
        make_folder(parent)?;
    }
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            return Err(Error::unwritten(path, &error));
        }
        _ => {}
    }
    sync_folder(parent.unwrap_or(Path::new(".")))
}

/// A file of the data folder.
pub(crate) type DataFile = File;

/// A new file, in the place of one that is there.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(true).write(true).read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A file for writing, as it is if it is there.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes new names in a folder last.
pub(crate) fn sync_folder(path: &Path) -> Result<(), Error> {
    match File::open(path) {
        // Somebody else's folder in which we may make things but not look.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        Err(error) => Err(Error::unwritten(path, &error)),
        Ok(folder) => folder.sync_all().map_err(|error| Error::unsynced(path, &error)),
    }
}

/// Locks and shared memory do not hold everywhere: two servers on one folder would not notice each
/// other in time.
pub(crate) fn warn_if_network_drive(folder: &Path) {
    #[cfg(target_os = "linux")]
    {
        /// NFS, SMB in its three forms, CIFS, AFS, Ceph, 9P, FUSE (such as sshfs).
        const NETWORK: [u64; 9] = [
            0x6969,
            0x517B,
            0xFE53_4D42,
            0xFF53_4D42,
            0x5346_414F,
            0x6B41_4653,
            0x00C3_6400,
            0x0102_1997,
            0x6573_5546,
        ];
        if let Ok(found) = rustix::fs::statfs(folder)
            && NETWORK.contains(&(found.f_type as u64 & 0xFFFF_FFFF))
        {
            let folder = folder.display();
            tracing::warn!(%folder, "The data folder is on a network file system, where locks may be unreliable. Use a \
                 local disk.");
        }
    }
}

/// From now on whatever this process and its children make is closed to others, unless they open it
/// themselves.
pub fn keep_new_files_private() {
    #[cfg(unix)]
    {
        let former = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077)).bits();
        // Whoever calls this twice has set the mask that they find.
        let _ = FORMER_MASK.set(former);
    }
}

/// The mask of the process before it was to keep its files to itself.
#[cfg(unix)]
static FORMER_MASK: std::sync::OnceLock<rustix::fs::RawMode> = std::sync::OnceLock::new();

/// Gives a new file or folder of a workflow the mode that it would have without
/// [`keep_new_files_private`]: it is made for others to use.
pub(crate) fn restore_default_mode(made: &File) -> io::Result<()> {
    #[cfg(unix)]
    if let Some(former) = FORMER_MASK.get() {
        let all = if made.metadata()?.is_dir() { 0o777 } else { 0o666 };
        rustix::fs::fchmod(made, rustix::fs::Mode::from_raw_mode(all & !former))?;
    }
    #[cfg(not(unix))]
    let _ = made;
    Ok(())
}

/// What of a data folder others on the machine can reach, with its mode.
pub fn open_to_others(folder: &Path) -> Vec<(PathBuf, u32)> {
    let ours = OURS.iter().map(|name| folder.join(name));
    std::iter::once(folder.to_owned())
        .chain(ours)
        .filter_map(|path| mode_of(&path).filter(|mode| mode & 0o077 != 0).map(|mode| (path, mode)))
        .collect()
}

/// Closes a data folder to others on the machine, as far as it is ours to close.
pub(crate) fn tighten(folder: &Path) {
    for (path, mode) in open_to_others(folder) {
        match close(&path, mode) {
            Ok(()) => {
                tracing::warn!(path = %path.display(), was = format!("{mode:o}"), "Permissions tightened: only the owner can read this.")
            }
            Err(error) => {
                tracing::warn!(path = %path.display(), mode = format!("{mode:o}"), %error, "Other users on this machine can read this, and its permissions cannot be \
                     changed.")
            }
        }
    }
}

/// The mode of a file or folder that is itself there, and no link.
#[cfg(unix)]
fn mode_of(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    let found = path.symlink_metadata().ok().filter(|found| found.is_file() || found.is_dir())?;
    Some(found.permissions().mode() & 0o777)
}

#[cfg(unix)]
fn close(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & 0o700))
}

#[cfg(not(unix))]
fn mode_of(_path: &Path) -> Option<u32> {
    None
}

#[cfg(not(unix))]
fn close(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}
