//! `heddle restore`: makes a data folder of a backup.

use crate::cli;
use crate::terminal::{Colour, note, paint, say, size};
use crate::watching::Bar;
use anyhow::{Context as _, Result};
use std::process::ExitCode;
use store::backup::{KeyFrom, Replace, restore};

pub(super) fn run(arguments: &cli::Restore) -> Result<ExitCode> {
    let folder = arguments.data.path();
    let replace = if arguments.force { Replace::WhatIsThere } else { Replace::Nothing };
    let mut bar = Bar::default();
    let restored = restore(&arguments.file, &folder, replace, &mut |doing, done, total| {
        bar.show(doing, done, total)
    });
    bar.end();
    let restored = restored.map_err(|error| match error {
        store::Error::Used { .. } => {
            super::coded(error).context("give another --data, or --force to replace it")
        }
        error => super::coded(error),
    });
    let restored =
        restored.with_context(|| format!("{} cannot be restored", arguments.file.display()))?;
    let made = jiff::Timestamp::from_millisecond(restored.created_ms)
        .map_or_else(|_| String::new(), |time| format!("{time:.0}"));
    say(&format!(
        "{}  {} files, {}, as of {made}",
        folder.display(),
        restored.n_files,
        size(restored.bytes)
    ));
    if let Some(before) = &restored.before {
        note(&format!("What was there before is in {}.", before.display()));
    }
    match restored.key {
        KeyFrom::NotNeeded => {}
        KeyFrom::Backup => note("The key of the credentials came with the backup."),
        KeyFrom::Before => {
            note("The key of the credentials was taken over from the folder that was there.")
        }
        KeyFrom::Nowhere => note(&format!(
            "{} the key of the credentials is missing: put the vault.key of the folder that was backed up into {} before you start it.",
            paint("note:", Colour::Yellow),
            folder.display()
        )),
    }
    Ok(ExitCode::SUCCESS)
}
