//! Commands on the data folder as a whole: export, backup, restore, migrate, doctor.

use super::{DataFolder, complete};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:
  heddle export 7fKq2mXw0ZbR1tLs > flow.json
  heddle export --all --output flows
  heddle export --all --format n8n > for-n8n.json
  heddle export --file flow.json

One workflow is printed as an object, several as a list; with --output, each is written to a separate file. `n8n import:workflow` and
`heddle import` accept both. Works while the server is running.")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Workflow IDs, as shown by `heddle list`
    #[arg(required_unless_present_any = ["all", "file"], conflicts_with_all = ["all", "file"], add = complete::workflows())]
    pub(crate) ids: Vec<String>,
    /// Export all workflows of the data folder
    #[arg(long, conflicts_with = "file")]
    pub(crate) all: bool,
    /// Read this workflow file instead, and print it as Heddle would save it
    #[arg(long, value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Write one file per workflow into this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// `heddle` exports everything that was saved; `n8n` exports only what n8n can import
    #[arg(long, value_enum, default_value = "heddle")]
    pub(crate) format: ExportFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ExportFormat {
    Heddle,
    N8n,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle backup heddle.backup
  heddle backup --data /var/lib/heddle /backups/monday.backup
  heddle backup --with-key everything.backup

Works while the server is running: the backup is a consistent snapshot of the folder. It contains workflows, executions, credentials,
users, the settings file and the files that workflows store in the data folder.

Credentials stay encrypted, and their key, vault.key, is not included, so the backup alone does not reveal them. Store that file
elsewhere, and copy it into the folder after `heddle restore`. Use --with-key to include it, and protect such a backup like the passwords
themselves.")]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Include the credential key
    #[arg(long)]
    pub(crate) with_key: bool,
    /// Overwrite an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// File to write
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle migrate --data /var/lib/heddle

`heddle serve` also migrates when it starts; no other command does. Stop the server first. An older Heddle cannot use the folder
afterwards. Before anything changes, a backup is written to `backups` in the data folder; the last three are kept. To go back, install
the previous version and restore it with `heddle restore FILE --force`.")]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Do not back up the data folder first
    #[arg(long)]
    pub(crate) no_backup: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle restore heddle.backup --data ./restored
  heddle restore monday.backup --data /var/lib/heddle --force

The backup is verified, unpacked next to the folder and verified again; then the folders are swapped atomically. With --force, the
previous folder is renamed to NAME.before-restore-TIME. A backup without the key needs the vault.key of the original folder: copy it into the
restored folder. With --force, it is copied from the previous folder.")]
pub(crate) struct RestoreArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Replace a data folder that already contains data
    #[arg(long)]
    pub(crate) force: bool,
    /// Backup file
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle doctor
  heddle doctor --data /var/lib/heddle

The exit code is 1 if there are errors, and 0 otherwise. Warnings do not count as errors.")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Print settings and checks as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,
    /// Print only problems
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Write the settings reference to this file instead
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) docs: Option<PathBuf>,
}
