//! The command line: every command, option and example.

mod chat;
mod folder;
mod knowledge;
mod models;

pub(crate) use chat::{AgentArgs, AgentToolChoice, AskBefore, ChatArgs};
pub(crate) use folder::{
    BackupArgs, DoctorArgs, ExportArgs, ExportFormat, MigrateArgs, RestoreArgs,
};
pub(crate) use knowledge::{AddKnowledgeArgs, KnowledgeCommand, SearchKnowledgeArgs};
pub(crate) use models::ModelsCommand;

use crate::settings::GlobalArgs;
use clap::{Args, Parser, Subcommand, ValueHint};
use std::path::PathBuf;

/// Runs AI-agent workflows in n8n's format.
#[derive(Parser)]
#[command(name = "heddle", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    /// Without one, the server starts
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
  heddle serve                                        start the server
  heddle import --activate flow.json                  give it a workflow
  heddle run examples/hello.json                      run a workflow and watch it
  heddle run shop.json --start Totals --input '[{\"n\":1}]'
  heddle expr '{{ $json.name.toUpperCase() }}' --json '{\"name\":\"ada\"}'
  heddle check *.json                                 what would run, what would not
  heddle nodes http                                   find a node
  heddle chat examples/agent.json                     talk to a workflow
  heddle agent --model openai/gpt-5-mini --tool calculator 'What is 17 % of 2400?'

  heddle doctor                                       settings, and what is wrong

Settings come from --set, the environment and heddle.toml in the data folder; `heddle doctor` lists them.";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Start the server: webhooks, schedules, the API
    Serve(ServeArgs),
    /// Put workflow files into the data folder
    Import(ImportArgs),
    /// List the workflows of the data folder
    List(DataFolder),
    /// Make a workflow listen to its triggers
    Activate(WorkflowArgs),
    /// Make a workflow stop listening
    Deactivate(WorkflowArgs),
    /// Look at what has run
    #[command(subcommand)]
    Executions(ExecutionsCommand),
    /// Make and remove keys of the API
    #[command(subcommand)]
    ApiKeys(ApiKeysCommand),
    /// Look at the credentials of the data folder, and bring some along
    #[command(subcommand)]
    Credentials(CredentialsCommand),
    /// Fill and search the collections of documents that agents look into
    #[command(subcommand)]
    Knowledge(KnowledgeCommand),
    /// Put models on this machine that need no key, and look at them
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Say who may sign in
    #[command(subcommand)]
    Users(UsersCommand),
    /// Run a workflow file
    Run(RunArgs),
    /// Do again what an execution did, from its journal and without any network, or go another way
    /// from one of its steps
    Replay(ReplayArgs),
    /// Talk to a workflow that has a chat trigger
    Chat(ChatArgs),
    /// Give an agent something to do, without a workflow
    Agent(AgentArgs),
    /// Evaluate an expression
    Expr(ExprArgs),
    /// Look workflows over: problems, and which nodes run here
    Check(CheckArgs),
    /// Write workflows out: those of the data folder, or a file as Heddle saves it
    Export(ExportArgs),
    /// Put everything in the data folder into one file, also while a server runs on it
    Backup(BackupArgs),
    /// Make a data folder of a backup
    Restore(RestoreArgs),
    /// Bring a data folder that an older Heddle wrote up to date
    Migrate(MigrateArgs),
    /// Run recorded cases and compare the results
    Conformance(ConformanceArgs),
    /// List the nodes that can run
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

/// Where workflows, executions and credentials are kept.
#[derive(Args, Clone, Default)]
pub(crate) struct DataFolder {
    /// The data folder
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

It listens on this machine only, until another address is given with --host.")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// The address to listen on (HEDDLE_HOST; 127.0.0.1)
    #[arg(long)]
    pub(crate) host: Option<std::net::IpAddr>,
    /// The port to listen on; 0 takes any that is free (HEDDLE_PORT; 5678)
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Where callers reach this instance, if not at its address (HEDDLE_BASE_URL)
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle import flow.json
  heddle import --activate flows/*.json

A workflow with an id that is there already becomes a new version of it. Works whether or not a server runs on the folder. Many are saved
500 at a time; one that cannot be imported ends it, and those before it are imported. Nodes keep credentials that are stored under the same id,
name and type: run `heddle credentials import` first.")]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Make them listen to their triggers
    #[arg(long)]
    pub(crate) activate: bool,
    /// Workflow files: one workflow each, or a list of them
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Args)]
pub(crate) struct WorkflowArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// The id of the workflow; `heddle list` shows it
    pub(crate) id: String,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle replay 42
  heddle replay 42 --from 'Agent/model 2' --model gpt-4o

Without --from nothing is asked and nothing is written: agents take their steps again with the answers and results that they had, and
each step is compared with what it put out then. The exit code is 1 if anything differs. With --from a new execution begins: what stands
before the step stays as it was, and the rest is done anew, by the server that runs on the data folder or here.")]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// The id of an execution
    pub(crate) id: i64,
    /// The step to go on from: a node, or a node and a note of it as the replay shows them
    #[arg(long, value_name = "STEP")]
    pub(crate) from: Option<String>,
    /// Ask this model from there on
    #[arg(long, value_name = "MODEL", requires = "from")]
    pub(crate) model: Option<String>,
}

#[derive(Subcommand)]
pub(crate) enum ExecutionsCommand {
    /// The newest ones first
    List {
        #[command(flatten)]
        data: DataFolder,
        /// Only of this workflow
        #[arg(long, value_name = "ID")]
        workflow: Option<String>,
        /// Only those that stand like this: success, error, running, waiting, canceled, uncertain
        #[arg(long)]
        status: Option<String>,
        /// How many
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// One, whole, as JSON in n8n's shape
    Show {
        #[command(flatten)]
        data: DataFolder,
        id: i64,
    },
    /// Remove one and its journal
    Delete {
        #[command(flatten)]
        data: DataFolder,
        id: i64,
    },
    /// Run the workflow of a failed one again, on what that began with
    #[command(after_help = "Examples:
  heddle executions list --status error
  heddle executions retry 42

The workflow is taken as it is saved now. A server that runs on the data folder does the work; without one it is done here. The exit
code is 0 when the new run succeeded, 1 when it failed.")]
    Retry {
        #[command(flatten)]
        data: DataFolder,
        /// The id of an execution that failed, was stopped or is uncertain
        id: i64,
    },
    /// Let an agent make a call that it asks for, and go on
    #[command(after_help = "Examples:
  heddle executions show 42                    tells which calls ask, with their exact arguments
  heddle executions approve 42
  heddle executions approve 42 --call 'tool 1.2'

A server that runs on the data folder does the work; without one it is done here. The exit code is 0 when the run succeeded or waits
again, 1 when it failed.")]
    Approve {
        #[command(flatten)]
        data: DataFolder,
        /// The id of an execution that waits for approval
        id: i64,
        /// The call that is meant, where several ask
        #[arg(long, value_name = "CALL")]
        call: Option<String>,
    },
    /// Do not let an agent make a call that it asks for; it is told so, and goes on without
    #[command(after_help = "Examples:
  heddle executions reject 42 --reason 'Not before Monday'
  heddle executions reject 42 --call 'tool 1.2'")]
    Reject {
        #[command(flatten)]
        data: DataFolder,
        /// The id of an execution that waits for approval
        id: i64,
        /// The call that is meant, where several ask
        #[arg(long, value_name = "CALL")]
        call: Option<String>,
        /// What the agent is told
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Decide about a step that a crash left uncertain, and go on from there
    #[command(after_help = "Examples:
  heddle executions list --status uncertain
  heddle executions resume 42 --again
  heddle executions resume 42 --done '{\"id\": 7}'
  heddle executions resume 42 --done --call 'tool 1.2'

Look first whether the step happened: `heddle executions show ID` tells which one it is. Nothing that has a result is done again. A server that runs on the data folder does the
work; without one it is done here. The exit code is 0 when the run succeeded, 1 when it failed.")]
    Resume {
        #[command(flatten)]
        data: DataFolder,
        /// The id of an execution that is uncertain
        id: i64,
        /// Do it again. Without --again and --done the run goes on only if no step of it may have
        /// happened
        #[arg(long)]
        again: bool,
        /// It happened, and this came of it: the text a tool gave, or what the node put out as JSON
        #[arg(long, value_name = "RESULT", num_args = 0..=1, default_missing_value = "", conflicts_with = "again")]
        done: Option<String>,
        /// The call of an agent that is meant, where several are in doubt
        #[arg(long, value_name = "CALL")]
        call: Option<String>,
    },
}

#[derive(Subcommand)]
pub(crate) enum ApiKeysCommand {
    /// Make a key; it is shown once
    Create {
        #[command(flatten)]
        data: DataFolder,
        /// What it is for
        #[arg(long, default_value = "command line")]
        label: String,
        /// The e-mail address of whoever it belongs to
        #[arg(long, default_value = "owner@localhost")]
        user: String,
        /// What it allows, such as workflow:read; everything if none is named
        #[arg(long, value_name = "SCOPE")]
        scope: Vec<String>,
        /// After how many days it expires
        #[arg(long, value_name = "DAYS")]
        expires: Option<u32>,
    },
    /// The keys there are, without the keys themselves
    List {
        #[command(flatten)]
        data: DataFolder,
    },
    /// Remove a key; it stops working at once
    Delete {
        #[command(flatten)]
        data: DataFolder,
        id: String,
    },
}

#[derive(Subcommand)]
pub(crate) enum CredentialsCommand {
    /// Take credentials over from a file that `n8n export:credentials --all --decrypted` wrote
    Import {
        #[command(flatten)]
        data: DataFolder,
        /// A list of credentials, each with id, name, type and data; `-` reads standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// The credentials there are, without what they hold
    List {
        #[command(flatten)]
        data: DataFolder,
    },
    /// See whether the key opens all of them
    Verify {
        #[command(flatten)]
        data: DataFolder,
    },
    /// Print them with what they hold, in n8n's format
    Export {
        #[command(flatten)]
        data: DataFolder,
        /// Yes, print the secrets
        #[arg(long)]
        decrypted: bool,
    },
    /// Seal all of them with a new key
    Rotate {
        #[command(flatten)]
        data: DataFolder,
    },
}

#[derive(Subcommand)]
pub(crate) enum UsersCommand {
    /// Everybody, and whether they can sign in
    List {
        #[command(flatten)]
        data: DataFolder,
    },
    /// Add somebody; the password comes from standard input
    Create {
        #[command(flatten)]
        data: DataFolder,
        email: String,
        /// viewer, editor, admin or owner
        #[arg(long, default_value = "editor")]
        role: String,
    },
    /// Change what somebody may do
    Role {
        #[command(flatten)]
        data: DataFolder,
        email: String,
        /// viewer, editor, admin or owner
        role: String,
    },
    /// Set somebody's password, from standard input
    Password {
        #[command(flatten)]
        data: DataFolder,
        email: String,
    },
    /// Remove somebody, with their keys and sessions
    Delete {
        #[command(flatten)]
        data: DataFolder,
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

The exit code is 0 when the run succeeded, 1 when it failed and 2 when it could not start.")]
pub(crate) struct RunArgs {
    /// The workflow, n8n's JSON; `-` reads it from standard input
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
pub(crate) struct ExprArgs {
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
pub(crate) struct NodesArgs {
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
pub(crate) struct CompletionsArgs {
    /// bash, zsh, fish, elvish or powershell
    pub(crate) shell: clap_complete::Shell,
}
