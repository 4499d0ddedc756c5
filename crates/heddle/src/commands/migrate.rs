//! `heddle migrate`: brings a data folder that an older version wrote up to date.

use crate::cli;
use crate::terminal::{eprint_line, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use std::process::ExitCode;
use store::{BackupPolicy, Migration};

pub(super) fn run(arguments: &cli::MigrateArgs) -> Result<ExitCode> {
    let folder = arguments.data.path();
    store::keep_new_files_private();
    let policy = if arguments.no_backup { BackupPolicy::Skip } else { BackupPolicy::Create };
    let Migration { schema, backup } = wiring::migrate_folder(&folder, policy)
        .map_err(super::with_code)
        .with_context(|| format!("{} could not be migrated", folder.display()))?;
    print_line(&match schema.found {
        found if found == schema.known => {
            format!("{}  up to date (format {found})", folder.display())
        }
        0 => format!("{}  created (format {})", folder.display(), schema.known),
        found => format!("{}  migrated from format {found} to {}", folder.display(), schema.known),
    });
    if let Some(backup) = backup {
        eprint_line(&format!("Backup from before the migration: {}", backup.display()));
        eprint_line(&store::restore_instructions(&folder, &backup));
    }
    Ok(ExitCode::SUCCESS)
}
