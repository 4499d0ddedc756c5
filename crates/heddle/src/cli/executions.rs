//! `heddle executions` on the command line.

use super::{DataFolder, complete};
use crate::terminal::table::ListOutput;
use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(crate) enum ExecutionsCommand {
    /// List executions, newest first
    #[command(after_help = "Examples:
  heddle executions list --status error
  heddle executions list --status uncertain --json | jq -r '.[].workflowId' | sort | uniq -c
  heddle executions list --workflow 7fKq2mXw0ZbR1tLs --limit 5 --quiet")]
    List {
        #[command(flatten)]
        data: DataFolder,
        #[command(flatten)]
        output: ListOutput,
        /// Only executions of this workflow
        #[arg(long, value_name = "ID", add = complete::workflows())]
        workflow: Option<String>,
        /// Only executions with this status: success, error, running, waiting, canceled, uncertain
        #[arg(long, add = complete::statuses())]
        status: Option<String>,
        /// Maximum number of executions
        #[arg(long, default_value_t = 20)]
        limit: usize,
    },
    /// Show an execution as JSON in n8n's format
    Show {
        #[command(flatten)]
        data: DataFolder,
        /// Print JSON; this is the default
        #[arg(long, conflicts_with = "quiet")]
        json: bool,
        /// Print only the status
        #[arg(long, short)]
        quiet: bool,
        /// Execution ID
        #[arg(add = complete::executions())]
        id: i64,
    },
    /// Show what the agents of an execution did and why
    Trace(TraceArgs),
    /// Delete an execution and its journal
    Delete {
        #[command(flatten)]
        data: DataFolder,
        /// Execution ID
        #[arg(add = complete::executions())]
        id: i64,
    },
    /// Retry a failed execution with its original input
    #[command(after_help = "Examples:
  heddle executions list --status error
  heddle executions retry 42

Runs the current version of the workflow, on the running server or, if there is none, in this process. The exit code is 0 if the new
run succeeded and 1 if it failed.")]
    Retry {
        #[command(flatten)]
        data: DataFolder,
        /// ID of an execution that failed, was stopped or is uncertain
        #[arg(add = complete::executions())]
        id: i64,
    },
    /// Approve an agent's tool call and resume the execution
    #[command(after_help = "Examples:
  heddle executions show 42                    show the waiting calls with their exact arguments
  heddle executions approve 42
  heddle executions approve 42 --call 'tool 1.2'

Resumes on the running server or, if there is none, in this process. The exit code is 0 if the run succeeded or is waiting again, and 1
if it failed.")]
    Approve {
        #[command(flatten)]
        data: DataFolder,
        /// ID of an execution that is waiting for approval
        #[arg(add = complete::executions())]
        id: i64,
        /// Call to decide on, if several are waiting
        #[arg(long, value_name = "CALL")]
        call: Option<String>,
    },
    /// Reject an agent's tool call; the agent is informed and continues without it
    #[command(after_help = "Examples:
  heddle executions reject 42 --reason 'Not before Monday'
  heddle executions reject 42 --call 'tool 1.2'")]
    Reject {
        #[command(flatten)]
        data: DataFolder,
        /// ID of an execution that is waiting for approval
        #[arg(add = complete::executions())]
        id: i64,
        /// The call that is meant, where several ask
        #[arg(long, value_name = "CALL")]
        call: Option<String>,
        /// Reason to give to the agent
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Resolve steps that a crash left uncertain, and resume the executions
    Resume(ResumeArgs),
    /// Take back a decision about many executions that has not taken effect
    Undo(UndoArgs),
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle executions trace 42
  heddle executions trace 42 --json | jq -r '.[] | select(.kind == \"tool_call\") | .subNode'
  heddle executions trace 42 --otlp > trace.json

A trace has the stages of each agent's work: preprocess, retrieve, plan, act, integrate, update, output. Secrets are replaced.")]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    #[command(flatten)]
    pub(crate) output: ListOutput,
    /// Print OpenTelemetry spans (OTLP as JSON)
    #[arg(long, conflicts_with_all = ["json", "quiet"])]
    pub(crate) otlp: bool,
    /// Replace e-mail addresses, card and telephone numbers and the like
    #[arg(long)]
    pub(crate) redact_personal_data: bool,
    /// Execution ID
    #[arg(add = complete::executions())]
    pub(crate) id: i64,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle executions list --status uncertain
  heddle executions resume 42 --again
  heddle executions resume 42 --done '{\"id\": 7}'
  heddle executions resume 42 --done --call 'tool 1.2'
  heddle executions resume --all --workflow 7fKq2mXw0ZbR1tLs --node Pay --again

First check whether the step took effect: `heddle executions show ID` shows which step it is. Steps with a result are not repeated.
One execution resumes on the running server or, if there is none, in this process. The exit code is 0 if the run succeeded and 1 if it
failed.

With --all, the decision takes effect after 30 seconds, on the running server or when it next starts. The printed name takes it back until
then: `heddle executions undo NAME`.")]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// ID of an uncertain execution
    #[arg(required_unless_present = "all", conflicts_with = "all", add = complete::executions())]
    pub(crate) id: Option<i64>,
    /// Run the step again. Without --again or --done, the run resumes only if no step may have
    /// taken effect
    #[arg(long, group = "decision")]
    pub(crate) again: bool,
    /// Treat the step as done with this result: a tool's text, or a node's output as JSON
    #[arg(long, value_name = "RESULT", num_args = 0..=1, default_missing_value = "", group = "decision")]
    pub(crate) done: Option<String>,
    /// Agent call to decide on, if several are uncertain
    #[arg(long, value_name = "CALL", conflicts_with = "all")]
    pub(crate) call: Option<String>,
    #[command(flatten)]
    pub(crate) many: ResumeManyArgs,
}

#[derive(Args)]
pub(crate) struct ResumeManyArgs {
    /// Decide about all uncertain executions that match
    #[arg(long, requires = "decision")]
    pub(crate) all: bool,
    /// With --all: only executions of this workflow
    #[arg(long, value_name = "ID", requires = "all", add = complete::workflows())]
    pub(crate) workflow: Option<String>,
    /// With --all: only executions that stopped at this node
    #[arg(long, value_name = "NODE", requires = "all")]
    pub(crate) node: Option<String>,
    /// With --all: only executions that started after this time, such as 2026-01-31T12:00:00Z
    #[arg(long, value_name = "TIME", requires = "all")]
    pub(crate) after: Option<jiff::Timestamp>,
    /// With --all: only executions that started before this time
    #[arg(long, value_name = "TIME", requires = "all")]
    pub(crate) before: Option<jiff::Timestamp>,
    /// With --all: seconds until the decision takes effect
    #[arg(long, value_name = "SECONDS", requires = "all")]
    pub(crate) hold: Option<u64>,
    #[command(flatten)]
    pub(crate) output: ListOutput,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle executions undo 5rT0qQ2mXw0ZbR1t")]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Name of the decision, as printed by `heddle executions resume --all`
    #[arg(value_name = "NAME", add = complete::decisions())]
    pub(crate) batch: String,
}
