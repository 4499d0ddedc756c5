//! `heddle knowledge` on the command line.

use super::DataFolder;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum KnowledgeCommand {
    /// Put files into a collection; it is made if it is not there
    Add(AddKnowledgeArgs),
    /// The collections there are, or what is in one
    List {
        #[command(flatten)]
        data: DataFolder,
        /// Show the files and texts of this collection
        collection: Option<String>,
    },
    /// Find what has to do with a question
    Search(SearchKnowledgeArgs),
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle knowledge add docs --credential OpenAI handbook.pdf faq.md
  heddle knowledge add docs policies/*.html

Without a credential the built-in embedding model is used, which `heddle models pull` puts in place.
PDF, Word (docx), CSV, JSON, HTML, Markdown and plain text are read. A file that is added again takes the place of the old one.")]
pub(crate) struct AddKnowledgeArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// The collection, by its name or its id
    pub(crate) collection: String,
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// The credential that pays for the embedding model, by its name or its id; kept with the
    /// collection
    #[arg(long, value_name = "CREDENTIAL")]
    pub(crate) credential: Option<String>,
    /// The embedding model of a new collection; the provider's usual one if nothing is said
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
    /// The collection, by its name or its id
    pub(crate) collection: String,
    /// What is looked for
    pub(crate) query: String,
    /// How many results there are
    #[arg(long, default_value_t = 5, value_name = "NUMBER")]
    pub(crate) limit: usize,
    /// How near a result must be, from 0 to 1
    #[arg(long, default_value_t = 0.0, value_name = "SCORE")]
    pub(crate) min_score: f64,
    /// Only what has this metadata; may be given several times
    #[arg(long = "where", value_name = "FIELD=VALUE", value_parser = field_and_value)]
    pub(crate) metadata: Vec<(String, String)>,
    /// Let the words of the question count too
    #[arg(long)]
    pub(crate) hybrid: bool,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn field_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((field, value)) if !field.trim().is_empty() => {
            Ok((field.trim().to_owned(), value.to_owned()))
        }
        _ => Err("write it as FIELD=VALUE, such as source=terms.pdf".to_owned()),
    }
}
