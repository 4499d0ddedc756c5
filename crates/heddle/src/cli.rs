//! The command line: every command, option and example.

mod chat;
mod complete;
mod executions;
mod folder;
mod knowledge;
mod mcp;
mod memory;
mod models;
mod policy;
mod tools;

pub(crate) use chat::{AgentArgs, AgentToolChoice, AskBefore, ChatArgs};
pub(crate) use executions::{ExecutionsCommand, ResumeArgs, ResumeManyArgs, TraceArgs, UndoArgs};
pub(crate) use folder::{
    BackupArgs, DoctorArgs, ExportArgs, ExportFormat, MigrateArgs, RestoreArgs,
};
pub(crate) use knowledge::{AddKnowledgeArgs, KnowledgeCommand, SearchKnowledgeArgs};
pub(crate) use mcp::McpArgs;
pub(crate) use memory::{DeleteMemoryArgs, MemoryCommand, SearchMemoryArgs};
pub(crate) use models::ModelsCommand;
pub(crate) use policy::{PolicyCommand, StopArgs};
pub(crate) use tools::ToolsCommand;

use crate::settings::GlobalArgs;
use crate::terminal::table::ListOutput;
use clap::{Args, Parser, Subcommand, ValueHint};
use std::path::PathBuf;

/// Run n8n workflows and AI agents.
#[derive(Parser)]
#[command(name = "heddle", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// Command to run; starts the server if omitted
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// The command that was given; the server if none was.
    pub(crate) fn into_command(self) -> Command {
        self.command.unwrap_or_else(|| Command::Serve(ServeArgs::default()))
    }

    /// Whether another process of ours has started this one for a piece of work.
    pub(crate) fn is_child(&self) -> bool {
        matches!(self.command, Some(Command::ReadPdf | Command::MergeSql))
    }
}

const EXAMPLES: &str = "Examples:
  heddle                                              start the server
  heddle import --activate flow.json                  import and activate a workflow
  heddle run examples/hello.json                      run a workflow
  heddle run shop.json --start Totals --input '[{\"n\":1}]'
  heddle expr '{{ $json.name.toUpperCase() }}' --json '{\"name\":\"ada\"}'
  heddle check *.json                                 check workflows for problems
  heddle nodes http                                   find a node
  heddle chat examples/agent.json                     chat with a workflow
  heddle agent --model openai/gpt-5-mini --tool calculator 'What is 17 % of 2400?'

  heddle doctor                                       show settings and problems

Settings come from --set, the environment and heddle.toml in the data folder; `heddle doctor` lists them.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start the server: editor, webhooks, schedules and API
    Serve(ServeArgs),
    /// Import workflow files into the data folder
    Import(ImportArgs),
    /// List workflows
    List(ListArgs),
    /// Activate a workflow
    Activate(WorkflowArgs),
    /// Deactivate a workflow
    Deactivate(WorkflowArgs),
    /// List, inspect and manage executions
    #[command(subcommand)]
    Executions(ExecutionsCommand),
    /// Manage API keys
    #[command(subcommand)]
    ApiKeys(ApiKeysCommand),
    /// List, import and export credentials
    #[command(subcommand)]
    Credentials(CredentialsCommand),
    /// Manage and search knowledge collections
    #[command(subcommand)]
    Knowledge(KnowledgeCommand),
    /// Search and delete what agents remember
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Manage built-in models, which need no API key
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Control which tools agents may call
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List, check and register tools that manifests declare
    #[command(subcommand)]
    Tools(ToolsCommand),
    /// Manage users
    #[command(subcommand)]
    Users(UsersCommand),
    /// Run a workflow file
    Run(RunArgs),
    /// Replay an execution offline, or fork it from a step
    Replay(ReplayArgs),
    /// Chat with a workflow that has a chat trigger
    Chat(ChatArgs),
    /// Connect an AI assistant over the Model Context Protocol (MCP)
    Mcp(McpArgs),
    /// Run an agent without a workflow
    Agent(AgentArgs),
    /// Evaluate an expression
    Expr(ExprArgs),
    /// Check workflows for problems and unsupported nodes
    Check(CheckArgs),
    /// Export workflows
    Export(ExportArgs),
    /// Back up the data folder to a file, even while the server is running
    Backup(BackupArgs),
    /// Restore a data folder from a backup
    Restore(RestoreArgs),
    /// Migrate a data folder written by an older Heddle
    Migrate(MigrateArgs),
    /// Run recorded test cases and compare the results
    Conformance(ConformanceArgs),
    /// List supported nodes
    Nodes(NodesArgs),
    /// Check this installation and its data folder, and show all settings
    Doctor(DoctorArgs),
    /// Print a completion script for your shell
    Completions(CompletionsArgs),
    /// Read the PDF on standard input, for the nodes that need its text
    #[command(name = nodes::files::PDF_COMMAND, hide = true)]
    ReadPdf,
    /// Run the query on standard input, for the SQL mode of Merge
    #[command(name = nodes::flow::SQL_COMMAND, hide = true)]
    MergeSql,
}

/// Where workflows, executions and credentials are stored.
#[derive(Args, Clone, Default)]
pub(crate) struct DataFolder {
    /// Data folder
    #[arg(long = "data", value_name = "DIR", env = "HEDDLE_DATA", value_hint = ValueHint::DirPath)]
    folder: Option<PathBuf>,
}

impl DataFolder {
    /// The folder that was named, or `.heddle` in the home folder.
    pub(crate) fn path(&self) -> PathBuf {
        let home = || {
            std::env::var_os("HOME")
                .map_or_else(|| PathBuf::from("."), PathBuf::from)
                .join(".heddle")
        };
        let named = || {
            std::env::var_os("HEDDLE_DATA").filter(|folder| !folder.is_empty()).map(PathBuf::from)
        };
        self.folder.clone().or_else(named).unwrap_or_else(home)
    }

    /// Whether somebody has named a folder.
    pub(crate) fn is_named(&self) -> bool {
        self.folder.is_some()
            || std::env::var_os("HEDDLE_DATA").is_some_and(|named| !named.is_empty())
    }

    /// The folder that a command line names, whatever the command is.
    pub(crate) fn of(matches: &clap::ArgMatches) -> Self {
        let mut deepest = matches;
        while let Some((_, inner)) = deepest.subcommand() {
            deepest = inner;
        }
        Self { folder: deepest.try_get_one::<PathBuf>("folder").ok().flatten().cloned() }
    }
}

#[derive(Args, Default)]
#[command(after_help = "Examples:
  heddle serve
  heddle serve --port 8080 --data ./data
  heddle serve --config /etc/heddle.toml --set keep_days=7

By default, the server listens only on this machine. Use --host to listen on another address. At the first start, it prints a link to
create the owner account, and opens it in a browser if it runs in a terminal on a machine with a display.")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Address to listen on (HEDDLE_HOST; 127.0.0.1)
    #[arg(long)]
    pub(crate) host: Option<std::net::IpAddr>,
    /// Port to listen on; 0 picks a free one (HEDDLE_PORT; 5678)
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Public URL of this instance, if it differs from its address (HEDDLE_BASE_URL)
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
    /// Do not open the setup page in a browser at the first start (HEDDLE_OPEN_BROWSER=0)
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle import flow.json
  heddle import --activate flows/*.json

A workflow with an existing ID becomes a new version of that workflow. Works with or without a running server. Workflows are saved in
batches of 500; the import stops at the first workflow that fails, and those before it are imported. Nodes keep credentials that are stored
with the same ID, name and type: run `heddle credentials import` first.")]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Activate the imported workflows
    #[arg(long)]
    pub(crate) activate: bool,
    /// Workflow files: one workflow each, or a list of them
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle list
  heddle list --json | jq -r '.[] | select(.active) | .name'
  heddle export $(heddle list --quiet)")]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    #[command(flatten)]
    pub(crate) output: ListOutput,
}

#[derive(Args)]
pub(crate) struct WorkflowArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Workflow ID, as shown by `heddle list`
    #[arg(add = complete::workflows())]
    pub(crate) id: String,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle replay 42
  heddle replay 42 --from 'Agent/model 2' --model gpt-4o

Without --from, no requests are sent and nothing is written: agents repeat their steps with the recorded responses and results, and each
step's output is compared with the recorded one. The exit code is 1 if anything differs. With --from, a new execution starts: it reuses the
results before the step and runs the rest again, on the running server or, if there is none, in this process.")]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Execution ID
    #[arg(add = complete::executions())]
    pub(crate) id: i64,
    /// Step to fork from: a node, or a node and one of its recorded steps as shown by the replay
    #[arg(long, value_name = "STEP")]
    pub(crate) from: Option<String>,
    /// Use this model from that step on
    #[arg(long, value_name = "MODEL", requires = "from")]
    pub(crate) model: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum ApiKeysCommand {
    /// Create an API key; it is shown only once
    Create {
        #[command(flatten)]
        data: DataFolder,
        /// Label of the key
        #[arg(long, default_value = "command line")]
        label: String,
        /// Email address of the key's owner
        #[arg(long, default_value = "owner@localhost", add = complete::users())]
        user: String,
        /// Scope to grant, such as workflow:read; all scopes if omitted
        #[arg(long, value_name = "SCOPE")]
        scope: Vec<String>,
        /// Days until the key expires
        #[arg(long, value_name = "DAYS")]
        expires: Option<u32>,
    },
    /// List API keys, without their secrets
    List {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
    },
    /// Delete an API key; it stops working immediately
    Delete {
        #[command(flatten)]
        data: DataFolder,
        /// ID of the key
        #[arg(add = complete::api_keys())]
        id: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum CredentialsCommand {
    /// Import credentials from a file written by `n8n export:credentials --all --decrypted`
    Import {
        #[command(flatten)]
        data: DataFolder,
        /// List of credentials with id, name, type and data; `-` reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// List credentials, without their data
    List {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
    },
    /// Check that the key decrypts all credentials
    Verify {
        #[command(flatten)]
        data: DataFolder,
    },
    /// Export credentials with their data, in n8n's format
    Export {
        #[command(flatten)]
        data: DataFolder,
        /// Confirm that secrets are printed in plain text
        #[arg(long)]
        decrypted: bool,
    },
    /// Re-encrypt all credentials with a new key
    Rotate {
        #[command(flatten)]
        data: DataFolder,
    },
}

#[derive(Subcommand)]
pub(crate) enum UsersCommand {
    /// List users, and whether they can sign in
    List {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
    },
    /// Create a user; the password is read from standard input
    Create {
        #[command(flatten)]
        data: DataFolder,
        email: String,
        /// viewer, editor, admin or owner
        #[arg(long, default_value = "editor", add = complete::roles())]
        role: String,
    },
    /// Change a user's role
    Role {
        #[command(flatten)]
        data: DataFolder,
        #[arg(add = complete::users())]
        email: String,
        /// viewer, editor, admin or owner
        #[arg(add = complete::roles())]
        role: String,
    },
    /// Set a user's password, read from standard input
    Password {
        #[command(flatten)]
        data: DataFolder,
        #[arg(add = complete::users())]
        email: String,
    },
    /// Remove the authenticator app of a user who has lost it
    ResetTwoFactor {
        #[command(flatten)]
        data: DataFolder,
        #[arg(add = complete::users())]
        email: String,
    },
    /// Delete a user, with their API keys and sessions
    Delete {
        #[command(flatten)]
        data: DataFolder,
        #[arg(add = complete::users())]
        email: String,
    },
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle run flow.json
  heddle run flow.json --json | jq '.data.resultData.runData'
  heddle run flow.json --start 'Edit Fields' --input '{\"name\":\"Ada\"}'
  heddle run flow.json --input @items.json
  curl https://example.com/items.json | heddle run flow.json --input -

The exit code is 0 if the run succeeded, 1 if it failed and 2 if it could not start.")]
pub(crate) struct RunArgs {
    /// Workflow file (n8n JSON); `-` reads standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Start at this node instead of the trigger
    #[arg(long, value_name = "NODE")]
    pub(crate) start: Option<String>,
    /// Stop after this node
    #[arg(long, value_name = "NODE")]
    pub(crate) until: Option<String>,
    /// Input of the first node: an object, a list of objects, `@FILE`, or `-` for standard input
    #[arg(long, value_name = "JSON")]
    pub(crate) input: Option<String>,
    /// Reuse the outputs of earlier nodes from this execution (a file printed with `--json`)
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
    /// Print the finished execution as JSON, in n8n's format
    #[arg(long)]
    pub(crate) json: bool,
    /// Ignore pinned data and run every node
    #[arg(long)]
    pub(crate) no_pins: bool,
    /// Stop the run after this many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
    /// Print only errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print statistics of the run: time, CPU time, memory
    #[arg(long)]
    pub(crate) stats: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle expr '{{ $json.price * 2 }}' --json '{\"price\":4}'
  heddle expr '{{ $now.plus(1, \"week\").toISODate() }}'
  heddle expr 'Hello {{ $json.name }}' --json '{\"name\":\"Ada\"}'
  heddle expr --cases expressions.jsonl > results.jsonl")]
pub(crate) struct ExprArgs {
    /// Expression, with `{{ }}`; a leading `=` is optional
    #[arg(required_unless_present = "cases")]
    pub(crate) expression: Option<String>,
    /// JSON of the current item (`$json`); pass a list for several items
    #[arg(long, value_name = "DATA")]
    pub(crate) json: Option<String>,
    /// Evaluate the cases of a JSON Lines file, and print one result per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "expression")]
    pub(crate) cases: Option<PathBuf>,
    /// Evaluator; `auto` uses the native one where possible
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
pub(crate) struct CheckArgs {
    /// Workflow files
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle conformance ../shared/corpus
  heddle conformance ../shared/corpus/flows --json
  heddle conformance ../shared/corpus --only n8n.Merge --differences")]
pub(crate) struct ConformanceArgs {
    /// Folder of cases: the corpus, or one of its parts
    #[arg(value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// Print the results as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Only cases whose id contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) only: Option<String>,
    /// Show the differences of each failure
    #[arg(long, short)]
    pub(crate) differences: bool,
    /// Evaluate expressions with this evaluator
    #[arg(long, value_enum, default_value = "auto")]
    pub(crate) evaluator: EvaluatorChoice,
}

#[derive(Args)]
pub(crate) struct NodesArgs {
    /// Only nodes whose type, name or summary contains this
    #[arg(add = complete::node_types())]
    pub(crate) search: Option<String>,
    /// Print the descriptions as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) json: bool,
    /// Print only the types, one per line
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Write the reference pages into this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) docs: Option<PathBuf>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  source <(heddle completions bash)                                        in ~/.bashrc
  source <(heddle completions zsh)                                         in ~/.zshrc
  heddle completions fish > ~/.config/fish/completions/heddle.fish

The script asks heddle for suggestions, such as the IDs of workflows and executions in the data folder.")]
pub(crate) struct CompletionsArgs {
    /// bash, zsh, fish, elvish or powershell
    pub(crate) shell: clap_complete::Shell,
}
