//! `heddle tools`: its commands and options.

use super::DataFolder;
use crate::terminal::table::ListOutput;
use clap::{Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Subcommand)]
#[command(after_help = "Examples:
  heddle tools check tools.yaml
  heddle tools list
  heddle tools show tickets.search
  heddle tools add crm.yaml --project 7fKq2mXw0ZbR1tLs
  heddle tools call tickets.search --args '{\"query\": \"printer\"}'

Manifests are tools.yaml and tools/*.yaml in the data folder, and those added with `heddle tools add`. A running server follows
changes within a second. docs/tools.md describes the format.")]
pub(crate) enum ToolsCommand {
    /// List registered tools
    List {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
    },
    /// Show a registered tool as JSON
    Show {
        #[command(flatten)]
        data: DataFolder,
        name: String,
    },
    /// Check a manifest file
    Check {
        #[command(flatten)]
        data: DataFolder,
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        output: ListOutput,
    },
    /// Print the JSON Schema of manifests, for completion in editors
    Schema,
    /// Register a manifest file, or replace it
    Add {
        #[command(flatten)]
        data: DataFolder,
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Name of the manifest; the file's name without its ending if omitted
        #[arg(long)]
        name: Option<String>,
        /// ID of the project whose workflows may use its tools
        #[arg(long, default_value = store::projects::PERSONAL)]
        project: String,
    },
    /// Remove a registered manifest
    Remove {
        #[command(flatten)]
        data: DataFolder,
        /// Name of the manifest
        name: String,
        /// ID of its project
        #[arg(long, default_value = store::projects::PERSONAL)]
        project: String,
    },
    /// Call a registered tool
    Call {
        #[command(flatten)]
        data: DataFolder,
        name: String,
        /// Arguments as a JSON object
        #[arg(long, default_value = "{}", value_name = "JSON")]
        args: String,
        /// ID of the workflow whose credentials and project apply
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
    },
}
