//! `heddle knowledge` on the command line.

use super::{DataFolder, complete};
use crate::terminal::table::ListOutput;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum KnowledgeCommand {
    /// Add files to a collection; create it if it does not exist
    Add(AddKnowledgeArgs),
    /// List collections, or the contents of one
    List {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
        /// Show the files and texts of this collection
        #[arg(add = complete::collections())]
        collection: Option<String>,
    },
    /// Search a collection
    Search(SearchKnowledgeArgs),
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle knowledge add docs --credential OpenAI handbook.pdf faq.md
  heddle knowledge add docs policies/*.html

Without a credential, the built-in embedding model is used; install it with `heddle models pull`.
Supported formats are PDF, Word (docx), CSV, JSON, HTML, Markdown and plain text. Adding a file again replaces it.")]
pub(crate) struct AddKnowledgeArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Collection name or ID
    #[arg(add = complete::collections())]
    pub(crate) collection: String,
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Credential for the embedding model, by name or ID; stored with the collection
    #[arg(long, value_name = "CREDENTIAL", add = complete::credentials())]
    pub(crate) credential: Option<String>,
    /// Embedding model of a new collection; defaults to the provider's usual one
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle knowledge search docs 'how long can I return something?'
  heddle knowledge search docs 'invoice ZX-81' --hybrid --limit 3
  heddle knowledge search docs 'refunds' --where source=terms.pdf")]
pub(crate) struct SearchKnowledgeArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Collection name or ID
    #[arg(add = complete::collections())]
    pub(crate) collection: String,
    /// Search query
    pub(crate) query: String,
    /// Maximum number of results
    #[arg(long, default_value_t = 5, value_name = "NUMBER")]
    pub(crate) limit: usize,
    /// Minimum similarity of a result, from 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SCORE")]
    pub(crate) min_score: f64,
    /// Only results with this metadata; repeatable
    #[arg(long = "where", value_name = "FIELD=VALUE", value_parser = field_and_value)]
    pub(crate) metadata: Vec<(String, String)>,
    /// Combine semantic and keyword search
    #[arg(long)]
    pub(crate) hybrid: bool,
    /// Print the results as JSON Lines
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,
    /// Print only the source of each result
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn field_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((field, value)) if !field.trim().is_empty() => {
            Ok((field.trim().to_owned(), value.to_owned()))
        }
        _ => Err("use the form FIELD=VALUE, such as source=terms.pdf".to_owned()),
    }
}
