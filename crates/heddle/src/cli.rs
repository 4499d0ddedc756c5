//! The command line: every command, option and example.

use clap::{Args, Parser, Subcommand, ValueHint};
use std::path::PathBuf;

/// Runs AI-agent workflows in n8n's format.
#[derive(Parser)]
#[command(name = "heddle", version, arg_required_else_help = true, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "Examples:
  heddle run examples/hello.json                      run a workflow and watch it
  heddle run shop.json --start Totals --input '[{\"n\":1}]'
  heddle expr '{{ $json.name.toUpperCase() }}' --json '{\"name\":\"ada\"}'
  heddle check *.json                                 what would run, what would not
  heddle nodes http                                   find a node

Settings are environment variables; `heddle doctor` lists them with their values.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a workflow file
    Run(Run),
    /// Evaluate an expression
    Expr(Expr),
    /// Look workflows over: problems, and which nodes run here
    Check(Check),
    /// Print a workflow as Heddle saves it
    Export(Export),
    /// Run recorded cases and compare the results
    Conformance(Conformance),
    /// List the nodes that can run
    Nodes(Nodes),
    /// Check this installation and show its settings
    Doctor,
    /// Print a completion script for your shell
    Completions(Completions),
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle run flow.json
  heddle run flow.json --json | jq '.data.resultData.runData'
  heddle run flow.json --start 'Edit Fields' --input '{\"name\":\"Ada\"}'
  heddle run flow.json --input @items.json
  curl https://example.com/items.json | heddle run flow.json --input -

The exit code is 0 when the run succeeded, 1 when it failed and 2 when it could not start.")]
pub(crate) struct Run {
    /// The workflow, n8n's JSON; `-` reads it from standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Start at this node instead of the trigger
    #[arg(long, value_name = "NODE")]
    pub(crate) start: Option<String>,
    /// Stop after this node
    #[arg(long, value_name = "NODE")]
    pub(crate) until: Option<String>,
    /// Give the first node this: an object, a list of objects, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Take the outputs of earlier nodes from this execution (a file that `--json` printed)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
    /// Print the finished execution as JSON, in n8n's shape
    #[arg(long)]
    pub(crate) json: bool,
    /// Ignore pinned data and really run every node
    #[arg(long)]
    pub(crate) no_pins: bool,
    /// Stop the run after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
    /// Say nothing but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Tell what the run took: time, processor time, memory
    #[arg(long)]
    pub(crate) stats: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle expr '{{ $json.price * 2 }}' --json '{\"price\":4}'
  heddle expr '{{ $now.plus(1, \"week\").toISODate() }}'
  heddle expr 'Hello {{ $json.name }}' --json '{\"name\":\"Ada\"}'
  heddle expr --cases expressions.jsonl > results.jsonl")]
pub(crate) struct Expr {
    /// The expression, with `{{ }}`; a leading `=` may be left out
    #[arg(required_unless_present = "cases")]
    pub(crate) expression: Option<String>,
    /// The current item's JSON, `$json`; a list gives several items
    #[arg(long, value_name = "DATA")]
    pub(crate) json: Option<String>,
    /// Evaluate the cases of a file of JSON lines, one result line each
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "expression")]
    pub(crate) cases: Option<PathBuf>,
    /// Which evaluator: `auto` takes the native one where it can
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) evaluator: EvaluatorChoice,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum EvaluatorChoice {
    Auto,
    Native,
    Sandbox,
}

#[derive(Args)]
pub(crate) struct Check {
    /// Workflow files
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct Export {
    /// The workflow to read and print
    #[arg(long, value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle conformance ../shared/corpus
  heddle conformance ../shared/corpus/flows --json
  heddle conformance ../shared/corpus --only n8n.Merge --differences")]
pub(crate) struct Conformance {
    /// A folder of cases: the corpus, or one of its parts
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Only cases whose id contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Show the difference of each failure
    #[arg(long, short)]
    pub(crate) differences: bool,
    /// Evaluate expressions with this evaluator
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) evaluator: EvaluatorChoice,
}

#[derive(Args)]
pub(crate) struct Nodes {
    /// Only nodes whose type, name or summary contains this
    pub(crate) search: Option<String>,
    /// Print the descriptions as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the reference pages into this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) docs: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Completions {
    /// bash, zsh, fish, elvish or powershell
    pub(crate) shell: clap_complete::Shell,
}
