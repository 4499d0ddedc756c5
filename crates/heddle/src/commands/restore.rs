//! `heddle restore`: makes a data folder of a backup.

use crate::cli;
use crate::progress::PhaseProgressBar;
use crate::terminal::{Colour, eprint_line, format_size, paint, print_line};
use anyhow::{Context as _, Result};
use std::process::ExitCode;
use store::backup::{KeyOrigin, ReplacePolicy, restore};

pub(super) fn run(arguments: &cli::RestoreArgs) -> Result<ExitCode> {
    let folder = arguments.data.path();
    let replace = if arguments.force { ReplacePolicy::WhatIsThere } else { ReplacePolicy::Nothing };
    let mut bar = PhaseProgressBar::default();
    let restored = restore(&arguments.file, &folder, replace, &mut |doing, done, total| {
        bar.show(doing, done, total)
    });
    bar.end();
    let restored = restored.map_err(|error| match error {
        store::Error::Used { .. } => {
            super::with_code(error).context("choose another --data, or use --force to replace it")
        }
        error => super::with_code(error),
    });
    let restored =
        restored.with_context(|| format!("{} could not be restored", arguments.file.display()))?;
    let made = jiff::Timestamp::from_millisecond(restored.created_ms)
        .map_or_else(|_| String::new(), |time| format!("{time:.0}"));
    print_line(&format!(
        "{}  {} files, {}, as of {made}",
        folder.display(),
        restored.n_files,
        format_size(restored.bytes)
    ));
    if let Some(before) = &restored.before {
        eprint_line(&format!("The previous folder is now {}.", before.display()));
    }
    match restored.key {
        KeyOrigin::NotNeeded => {}
        KeyOrigin::Backup => eprint_line("The credential key was in the backup."),
        KeyOrigin::Before => eprint_line("The credential key was copied from the previous folder."),
        KeyOrigin::Nowhere => eprint_line(&format!(
            "{} the credential key is missing: before you start the server, copy the vault.key \
                 of the original folder into {}.",
            paint("note:", Colour::Yellow),
            folder.display()
        )),
    }
    Ok(ExitCode::SUCCESS)
}
