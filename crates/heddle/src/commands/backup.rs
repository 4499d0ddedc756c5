//! `heddle backup`: everything in the data folder in one file.

use crate::cli;
use crate::progress::PhaseProgressBar;
use crate::settings::{self, Settings};
use crate::terminal::{Colour, eprint_line, format_size, paint, print_line};
use anyhow::{Context as _, Result};
use std::process::ExitCode;
use store::backup::{KeyInclusion, back_up};
use store::inspect::KeyState;

/// How many files that were left out are named.
const MAX_LISTED: usize = 5;

pub(super) fn run(arguments: &cli::BackupArgs) -> Result<ExitCode> {
    let (folder, file) = (arguments.data.path(), &arguments.file);
    anyhow::ensure!(
        arguments.force || !file.exists(),
        "{} already exists; use --force to overwrite it (NAME_TAKEN)",
        file.display()
    );
    let with_key = if arguments.with_key { KeyInclusion::Yes } else { KeyInclusion::No };
    let mut bar = PhaseProgressBar::default();
    let contents =
        back_up(&folder, file, with_key, &mut |doing, done, total| bar.show(doing, done, total));
    bar.end();
    let contents = contents
        .map_err(super::with_code)
        .with_context(|| format!("{} could not be backed up", folder.display()))?;
    let packed = std::fs::metadata(file).map_or(0, |found| found.len());
    print_line(&format!(
        "{}  {} files, {} packed into {}",
        file.display(),
        contents.n_files,
        format_size(contents.bytes),
        format_size(packed)
    ));
    let warning = paint("note:", Colour::Yellow);
    match contents.key {
        _ if contents.has_key => eprint_line(&format!(
            "{warning} the backup contains the credential key; protect it like the passwords \
                 themselves."
        )),
        KeyState::NotNeeded => {}
        _ => eprint_line(&format!(
            "{warning} the backup does not contain the credential key, vault.key; store it \
                 elsewhere (--with-key includes it)."
        )),
    }
    for path in contents.left_out.iter().take(MAX_LISTED) {
        eprint_line(&format!(
            "{warning} {} was skipped: it is a link or cannot be read.",
            path.display()
        ));
    }
    if contents.left_out.len() > MAX_LISTED {
        eprint_line(&format!(
            "{warning} {} more were skipped.",
            contents.left_out.len() - MAX_LISTED
        ));
    }
    warn_external_files(&folder);
    Ok(ExitCode::SUCCESS)
}

/// Files of workflows may live outside of the data folder; whoever relies on the backup should
/// know.
fn warn_external_files(folder: &std::path::Path) {
    let Ok(settings) = Settings::load() else { return };
    let absolute = |path: &std::path::Path| std::fs::canonicalize(path).ok();
    if let (Some(root), Some(folder)) = (absolute(&settings.files_root), absolute(folder))
        && !root.starts_with(&folder)
    {
        let key = settings::SETTINGS
            .iter()
            .find(|setting| setting.name == "HEDDLE_FILES_ROOT")
            .map(settings::Setting::key)
            .unwrap_or_default();
        eprint_line(&format!(
            "{} the workflow files in {} ({key}) are outside the data folder and not in the backup.",
            paint("note:", Colour::Yellow),
            root.display()
        ));
    }
}
