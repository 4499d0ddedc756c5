//! `heddle memory` on the command line.

use super::DataFolder;
use crate::terminal::table::ListOutput;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum MemoryCommand {
    /// List long-term memories with their statistics, or the entries of one
    List {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
        /// Show the entries of this memory, by name or ID
        memory: Option<String>,
        /// Only entries of this user or session
        #[arg(long, requires = "memory")]
        subject: Option<String>,
    },
    /// Search a memory by meaning, keywords and time
    Search(SearchMemoryArgs),
    /// Delete an entry, a user or session, or a whole memory
    Delete(DeleteMemoryArgs),
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle memory search memory 'where does she live?' --subject ada
  heddle memory search memory 'invoice ZX-81' --all --json")]
pub(crate) struct SearchMemoryArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    #[command(flatten)]
    pub(crate) output: ListOutput,
    /// Memory name or ID
    pub(crate) memory: String,
    /// Search query
    pub(crate) query: String,
    /// Only entries of this user or session
    #[arg(long)]
    pub(crate) subject: Option<String>,
    /// Maximum number of results
    #[arg(long, default_value_t = 10, value_name = "NUMBER")]
    pub(crate) limit: usize,
    /// Include superseded and expired entries
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle memory delete memory --entry ENTRY_ID
  heddle memory delete memory --subject ada
  heddle memory delete --subject ada         # in all memories
  heddle memory delete memory --everything")]
pub(crate) struct DeleteMemoryArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Memory name or ID
    #[arg(required_unless_present = "subject")]
    pub(crate) memory: Option<String>,
    /// Delete this entry
    #[arg(long, value_name = "ID", requires = "memory")]
    pub(crate) entry: Option<String>,
    /// Delete everything about this user or session
    #[arg(long, conflicts_with = "entry")]
    pub(crate) subject: Option<String>,
    /// Delete the memory with all of its entries
    #[arg(long, conflicts_with_all = ["entry", "subject"], requires = "memory")]
    pub(crate) everything: bool,
}
