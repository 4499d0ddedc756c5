//! `heddle policy`: its commands and options.

use super::DataFolder;
use crate::terminal::table::ListOutput;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Subcommand)]
#[command(after_help = "Examples:
  heddle policy show > policy.toml
  heddle policy check policy.toml
  heddle policy dry-run policy.toml
  heddle policy apply policy.toml
  heddle policy stop --tool 'slack_*' --reason 'Wrong channel'
  heddle policy stop --workflow 3f0c --agent 'Support agent'

A running server follows within a second. docs/policy.md describes the rules.")]
pub(crate) enum PolicyCommand {
    /// Print the policy in force
    Show {
        #[command(flatten)]
        data: DataFolder,
    },
    /// Check a policy file
    Check {
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Put a policy file in force
    Apply {
        #[command(flatten)]
        data: DataFolder,
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Show what a policy file would have done to the last tool calls
    DryRun {
        #[command(flatten)]
        data: DataFolder,
        /// Without a file, the policy in force
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// How many tool calls to try it on
        #[arg(long, default_value_t = runtime::policy::MAX_DRY_RUN_CALLS)]
        calls: usize,
        #[command(flatten)]
        output: ListOutput,
    },
    /// List the versions of the policy
    History {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
    },
    /// Stop tools, servers or agents at once
    Stop(StopArgs),
    /// Remove a stop
    Unstop {
        #[command(flatten)]
        data: DataFolder,
        /// Name of the stop; `heddle policy show` has it
        name: String,
    },
}

#[derive(Args)]
#[group(id = "target", required = true, multiple = true)]
pub(crate) struct StopArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Tools of this name; `*` stands for any letters
    #[arg(long, group = "target", conflicts_with_all = ["server", "node_type", "workflow"])]
    pub(crate) tool: Option<String>,
    /// All tools of an MCP server
    #[arg(long, group = "target", conflicts_with_all = ["node_type", "workflow"])]
    pub(crate) server: Option<String>,
    /// All tools that nodes of this type supply
    #[arg(long, group = "target", conflicts_with = "workflow")]
    pub(crate) node_type: Option<String>,
    /// All agents of a workflow, by its ID
    #[arg(long, group = "target")]
    pub(crate) workflow: Option<String>,
    /// Only this agent of the workflow, by the name of its node
    #[arg(long, requires = "workflow")]
    pub(crate) agent: Option<String>,
    /// Told to models and to whoever looks at the execution
    #[arg(long, default_value = "")]
    pub(crate) reason: String,
}
