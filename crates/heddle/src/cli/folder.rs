//! Commands on the data folder as a whole: export, backup, restore, migrate, doctor.

use super::DataFolder;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:
  heddle export 7fKq2mXw0ZbR1tLs > flow.json
  heddle export --all --output flows
  heddle export --all --format n8n > for-n8n.json
  heddle export --file flow.json

One workflow is printed as an object, several as a list; with --output each goes into a file of its own. `n8n import:workflow` and
`heddle import` take both. A server may run on the folder meanwhile.")]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// The ids of workflows; `heddle list` shows them
    #[arg(required_unless_present_any = ["all", "file"], conflicts_with_all = ["all", "file"])]
    pub(crate) ids: Vec<String>,
    /// All workflows of the data folder
    #[arg(long, conflicts_with = "file")]
    pub(crate) all: bool,
    /// Read this workflow file instead, and print it as Heddle saves it
    #[arg(long, value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Write a file per workflow into this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
    /// `heddle` keeps everything that was saved; `n8n` writes only what n8n's import knows
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

Works while a server runs: the backup holds the folder as it was at one moment. It holds workflows, executions, credentials, people, the
settings file and the files that workflows keep in the data folder.

Credentials stay sealed in it, and the key that opens them, vault.key, is left out: whoever finds the backup cannot read them. Keep that
file somewhere else, and put it back into the folder after `heddle restore`. With --with-key it is put in; guard such a backup like the
passwords themselves.")]
pub(crate) struct BackupArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Put the key of the credentials in, too
    #[arg(long)]
    pub(crate) with_key: bool,
    /// Write over a file that is there
    #[arg(long)]
    pub(crate) force: bool,
    /// The file to write
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle backup before-upgrade.backup
  heddle migrate --data /var/lib/heddle

`heddle serve` does the same when it starts; no other command does. No server may run on the folder meanwhile. An older Heddle cannot use
the folder afterwards, so make a backup with the older one first.")]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle restore heddle.backup --data ./restored
  heddle restore monday.backup --data /var/lib/heddle --force

The backup is checked whole, unpacked beside the folder and checked again before the folder is touched; then the two change places in one
step. With --force the folder that was there stays beside it, as NAME.before-restore-TIME. A backup without the key needs the vault.key of
the folder it was made of: put it into the restored folder. With --force it is taken over from the folder that was there.")]
pub(crate) struct RestoreArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Put the backup in the place of a folder that is in use already
    #[arg(long)]
    pub(crate) force: bool,
    /// The backup
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle doctor
  heddle doctor --data /var/lib/heddle

The exit code is 0 when nothing is wrong, warnings or not, and 1 when something is.")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Write the reference page of settings into this file instead
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) docs: Option<PathBuf>,
}
