//! How a loop of tool calls is to go.

use model::{SpendingLimit, Str};
use ports::ai::{Message, OutputFormat, ToolChoice};

/// How a loop is to go.
#[derive(Clone, Debug)]
pub struct AgentOptions {
    pub system_prompt: Str,
    /// What stands between what was said before and what the user says now.
    pub opening: Vec<Message>,
    pub max_iterations: usize,
    pub tool_choice: ToolChoice,
    pub timeout_ms: Option<u64>,
    pub on_limit: OnLimit,
    /// Tools that may run at the same time.
    pub parallel_tools: usize,
    /// How often in a row a model may get its calls wrong.
    pub max_repairs: usize,
    /// How often the same call may be made in one run.
    pub max_same_calls: usize,
    /// How many calls of one turn are made.
    pub max_calls_in_a_turn: usize,
    /// What it may spend on its model.
    pub budget: SpendingLimit,
    /// How much of what was said before the model sees, in tokens as they are guessed from the
    /// letters.
    pub max_history_tokens: Option<usize>,
    /// Tools that whoever asked calls themselves: a call of one ends the run, and they come back
    /// with the result.
    pub client_tools: Vec<Str>,
    /// What was said in this turn before they came back, behind the words of the user.
    pub turn_so_far: Vec<Message>,
    /// Before which tools a person is asked.
    pub approval: ApprovalPolicy,
    /// Tools before which a person is asked whatever they do, by name.
    pub ask_before: Vec<Str>,
    /// Tools that may send anything anywhere, by name, whatever the agent has read before.
    pub trusted: Vec<Str>,
    /// Whether the run can wait for a person.
    pub can_wait: bool,
    /// How long a person has time to decide about a call.
    pub approval_timeout_ms: u64,
    /// The form of the answer as the model's API is asked for it. Without one, an answer that a
    /// parser reads is given by a tool.
    pub answer_format: OutputFormat,
    /// The item of the node's input that it works on.
    pub item: usize,
}

impl Default for AgentOptions {
    fn default() -> Self {
        Self {
            system_prompt: "You are a helpful AI assistant.".into(),
            opening: Vec::new(),
            max_iterations: 10,
            tool_choice: ToolChoice::Auto,
            timeout_ms: Some(300_000),
            on_limit: OnLimit::Error,
            parallel_tools: 4,
            max_repairs: 2,
            max_same_calls: 3,
            max_calls_in_a_turn: 32,
            budget: SpendingLimit::default(),
            max_history_tokens: None,
            client_tools: Vec::new(),
            turn_so_far: Vec::new(),
            approval: ApprovalPolicy::Never,
            ask_before: Vec::new(),
            trusted: Vec::new(),
            can_wait: true,
            approval_timeout_ms: 24 * 60 * 60 * 1000,
            answer_format: OutputFormat::Text,
            item: 0,
        }
    }
}

/// Before which tools a person is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApprovalPolicy {
    #[default]
    Never,
    /// Before those that may change something ([`ports::ai::Effect::Changes`]), or that send
    /// data to a place of the model's choice.
    Changes,
    All,
}

/// What becomes of a run that reaches its last iteration, or the end of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLimit {
    /// It fails.
    Error,
    /// It ends with what the model has said so far.
    Partial,
    /// The model is asked once more, without tools, to answer with what it knows.
    Conclude,
}
