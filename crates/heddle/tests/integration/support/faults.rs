//! Faults of the disk, the clock and the system on demand: a small library in C that is loaded into
//! the server.

use super::{Server, TempFolder, new_key};
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const LIBRARY: &str = include_str!("faults.c");

/// The numbers are those of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None = 0,
    Full = 1,
    ReadOnly = 2,
    Broken = 3,
    SyncFails = 4,
    Kill = 5,
    KillHalfWay = 6,
    NoMoreFiles = 7,
}

/// What can be set and read while the server runs, by its place in the control file.
#[derive(Clone, Copy)]
pub(crate) enum Field {
    Fault = 0,
    At = 1,
    Count = 2,
    Syncs = 3,
    ClockMs = 4,
    NoThreads = 5,
    Refused = 6,
    OnlyDatabase = 7,
    LaterMs = 8,
    AbortPort = 9,
    OnlyFiles = 10,
}

/// A data folder with a control over what goes wrong in it.
pub(crate) struct Faults {
    data: PathBuf,
    path: PathBuf,
    control: File,
    key: OnceLock<String>,
}

impl Faults {
    pub(crate) fn new(data: &TempFolder) -> Self {
        Self::of(&data.0)
    }

    pub(crate) fn of(data: &Path) -> Self {
        let path = data.with_extension("faults");
        let control =
            File::options().create(true).truncate(true).read(true).write(true).open(&path).unwrap();
        control.set_len(128).unwrap();
        Self { data: std::fs::canonicalize(data).unwrap(), path, control, key: OnceLock::new() }
    }

    pub(crate) fn set(&self, field: Field, value: i64) {
        self.control.write_all_at(&value.to_ne_bytes(), field as u64 * 8).unwrap();
    }

    pub(crate) fn get(&self, field: Field) -> i64 {
        let mut bytes = [0; 8];
        self.control.read_exact_at(&mut bytes, field as u64 * 8).unwrap();
        i64::from_ne_bytes(bytes)
    }

    /// From the `nth` call that changes the folder on, counted from now.
    pub(crate) fn arm(&self, fault: Fault, nth: i64) {
        self.set(Field::Fault, Fault::None as i64);
        self.set(Field::Refused, 0);
        self.set(Field::At, self.get(Field::Count) + nth);
        self.set(Field::Fault, fault as i64);
    }

    pub(crate) fn clear(&self) {
        self.set(Field::Fault, Fault::None as i64);
    }

    /// How many calls met the fault since it was set.
    pub(crate) fn refused(&self) -> i64 {
        self.get(Field::Refused)
    }

    /// A server in whose folder things go wrong. What it says if it does not start is the error.
    pub(crate) fn try_start(&self, settings: &[(&str, &str)]) -> Result<Server, String> {
        let key = self.key.get_or_init(|| new_key(&self.data));
        self.try_start_with_key(settings, key)
    }

    pub(crate) fn try_start_with_key(
        &self,
        settings: &[(&str, &str)],
        key: &str,
    ) -> Result<Server, String> {
        let (library, control, folder) =
            (library().to_string_lossy(), self.path.to_string_lossy(), self.data.to_string_lossy());
        let mut all = settings.to_vec();
        all.extend([
            ("LD_PRELOAD", &*library),
            ("FAULT_CONTROL", &*control),
            ("FAULT_FOLDER", &*folder),
        ]);
        Server::start_with_key(&self.data, &all, key)
    }

    pub(crate) fn start(&self, settings: &[(&str, &str)]) -> Server {
        self.try_start(settings).unwrap_or_else(|told| panic!("the server did not start: {told}"))
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Built once per process; the compiler is there, because the database is built with it.
fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let stem = format!("faults-{}", std::process::id());
        let (source, built) = (folder.join(format!("{stem}.c")), folder.join(format!("{stem}.so")));
        std::fs::write(&source, LIBRARY).unwrap();
        let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
        let done = Command::new(&compiler)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&built, &source])
            .arg("-ldl")
            .output();
        let done = done.unwrap_or_else(|error| {
            panic!("`{compiler}` is needed to build the fault library: {error}")
        });
        assert!(done.status.success(), "{compiler}: {}", String::from_utf8_lossy(&done.stderr));
        let _ = std::fs::remove_file(source);
        built
    })
}
