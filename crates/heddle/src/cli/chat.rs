//! Commands that talk to agents.

use super::{DataFolder, complete};
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:
  heddle chat agent.json                       a workflow file
  heddle chat 8fKq2                            a stored workflow, with its credentials
  heddle chat agent.json --session ada         continue a conversation stored in the workflow's memory
  echo 'What is 6*7?' | heddle chat agent.json
  heddle chat agent.json --json < questions.txt

In the chat, /new starts a new conversation, /exit or Ctrl-D ends it, and the arrow keys recall earlier input. If a tool needs approval, you
are asked. Replies are written to standard output and the agent's steps to standard error. With piped input, each line is a message and
each reply ends with a line break.
With --json, each line is an event, as sent by a streaming webhook.")]
pub(crate) struct ChatArgs {
    /// Workflow file, or the ID of a stored workflow
    #[arg(add = complete::files_and_workflows())]
    pub(crate) workflow: String,
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Session ID of the conversation; starts a new one if omitted
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Print events as JSON Lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
#[command(after_help = "Examples:
  heddle agent --model openai/gpt-5-mini --tool calculator 'What is 17 % of 2400?'
  heddle agent --model anthropic/claude-sonnet-4-5 --tool http --tool think 'What is new on https://example.com?'
  heddle agent --model ollama/llama3.2 --tool file --files ./notes 'Summarise my notes'
  heddle agent --model openai/gpt-5-mini --tool http --ask-before changes 'Tell the build server to deploy'
  heddle agent --model openai/gpt-5-mini --json 'Say hello'

Providers and their environment variables: openai (OPENAI_API_KEY, OPENAI_BASE_URL), anthropic (ANTHROPIC_API_KEY), gemini (GEMINI_API_KEY or
GOOGLE_API_KEY), openrouter (OPENROUTER_API_KEY), groq (GROQ_API_KEY), deepseek (DEEPSEEK_API_KEY), mistral (MISTRAL_API_KEY), xai
(XAI_API_KEY), ollama (OLLAMA_HOST). With --credential, a stored credential is used instead.

The reply is written to standard output, the agent's steps to standard error. The exit code is 0 if there is a reply and 1 if there is none.")]
pub(crate) struct AgentArgs {
    /// Task for the agent
    pub(crate) objective: String,
    /// Model, as PROVIDER/MODEL
    #[arg(long, short)]
    pub(crate) model: String,
    /// Tool that the agent may use; repeatable
    #[arg(long = "tool", short, value_enum)]
    pub(crate) tools: Vec<AgentToolChoice>,
    /// Ask for approval at the terminal before a tool runs, showing its exact arguments
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) ask_before: Option<AskBefore>,
    /// Maximum number of model calls
    #[arg(long, default_value_t = 10)]
    pub(crate) max_iterations: usize,
    /// System prompt
    #[arg(long, default_value = "You are a helpful AI assistant.")]
    pub(crate) system: String,
    /// Folder that the tool `file` may read
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) files: Option<PathBuf>,
    /// ID of a stored credential
    #[arg(long, value_name = "ID", add = complete::credentials())]
    pub(crate) credential: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Print events as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which tools need approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskBefore {
    /// Tools that may change something
    Changes,
    /// All tools
    All,
}

/// The tools of an agent without a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentToolChoice {
    /// Exact arithmetic
    Calculator,
    /// HTTP requests, subject to the egress policy
    Http,
    /// Scratchpad for reasoning
    Think,
    /// JavaScript written by the model, run in the sandbox
    Code,
    /// Read files in the folder given with --files
    File,
}
