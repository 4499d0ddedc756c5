//! Commands that talk to agents.

use super::DataFolder;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:
  heddle chat agent.json                       a workflow file
  heddle chat 8fKq2                            a workflow of the data folder, with its credentials
  heddle chat agent.json --session ada         go on with a conversation that the workflow's memory keeps
  echo 'What is 6*7?' | heddle chat agent.json
  heddle chat agent.json --json < questions.txt

In the chat: /new begins a new conversation, /exit or Ctrl-D ends it, the arrow keys bring back what was typed. An agent that asks before
tools run asks you. What the agent does is told on standard error, its answers come on standard output: with a pipe, each line is a message
and each answer ends with a line break.
With --json everything is one event on each line, as a streaming webhook sends it.")]
pub(crate) struct ChatArgs {
    /// A workflow file, or the id of a workflow of the data folder
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) workflow: String,
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Whose conversation it is; a new one if nothing is said
    #[arg(long)]
    pub(crate) session: Option<String>,
    /// Print events as lines of JSON
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

Providers and where their keys come from: openai (OPENAI_API_KEY, OPENAI_BASE_URL), anthropic (ANTHROPIC_API_KEY), gemini (GEMINI_API_KEY or
GOOGLE_API_KEY), openrouter (OPENROUTER_API_KEY), groq (GROQ_API_KEY), deepseek (DEEPSEEK_API_KEY), mistral (MISTRAL_API_KEY), xai
(XAI_API_KEY), ollama (OLLAMA_HOST). With --credential a key of the data folder is used instead.

The answer comes on standard output, what the agent does on standard error. The exit code is 0 when there is an answer, 1 when there is none.")]
pub(crate) struct AgentArgs {
    /// What it is to do
    pub(crate) objective: String,
    /// The model, as PROVIDER/MODEL
    #[arg(long, short)]
    pub(crate) model: String,
    /// A tool that it may use; several with several --tool
    #[arg(long = "tool", short, value_enum)]
    pub(crate) tools: Vec<AgentToolChoice>,
    /// Ask at the terminal before a tool runs, with its exact arguments
    #[arg(long, value_enum, value_name = "WHICH")]
    pub(crate) ask_before: Option<AskBefore>,
    /// How often the model is asked at most
    #[arg(long, default_value_t = 10)]
    pub(crate) max_iterations: usize,
    /// What the model is told before everything else
    #[arg(long, default_value = "You are a helpful AI assistant.")]
    pub(crate) system: String,
    /// The folder that the tool `file` reads
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) files: Option<PathBuf>,
    /// The id of a credential of the data folder
    #[arg(long, value_name = "ID")]
    pub(crate) credential: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataFolder,
    /// Print events as lines of JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Before which tools somebody is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AskBefore {
    /// Those that may change something
    Changes,
    /// All of them
    All,
}

/// The tools of an agent without a workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentToolChoice {
    /// Exact arithmetic
    Calculator,
    /// Requests to the web, behind the egress policy
    Http,
    /// A place to think
    Think,
    /// JavaScript that the model writes, in the sandbox
    Code,
    /// Files in the folder given with --files, to read
    File,
}
