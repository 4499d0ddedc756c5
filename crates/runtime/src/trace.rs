//! The decision trace of agents: what each was given, looked up, decided, called and answered, made
//! of the events of the journal.
//!
//! A trace event is read from one event of the run and nothing else, so that live streams, exports
//! and spans tell the same. Its id is the place of that event in the journal, by which a stream
//! goes on where it was cut off. A model's reasoning is not part of it.

mod feed;
pub mod gen_ai;
pub mod otlp;
mod read;

pub use feed::{TraceBatch, TraceFeed, TraceRecord, TraceSubscription};

use formats::sensitive::Redaction;
use model::{AgentStage, Object, RunError, Str, Value};

/// Something an agent did, or that was done for it.
#[derive(Clone, Debug)]
pub struct TraceEvent {
    /// The place of the event among those of the run.
    pub seq: u64,
    pub stage: AgentStage,
    pub kind: TraceKind,
    /// The agent's node, or another node that was served.
    pub node: Str,
    pub run: usize,
    /// The node that served it.
    pub sub_node: Option<Str>,
    pub at_ms: Option<i64>,
    pub duration_ms: Option<u64>,
    pub detail: Object,
    pub error: Option<RunError>,
}

/// What a trace event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// An agent was given its input.
    Input,
    /// A conversation or a long-term memory was read.
    MemoryRead,
    /// Documents were searched, or embedded to be searched.
    Search,
    /// A model replied: what it could call, and what it chose.
    ModelReply,
    /// A person is asked about a call, or has decided.
    Approval,
    /// A tool was called.
    ToolCall,
    /// What a call gave was put before the model.
    ToolResult,
    /// A memory took something in.
    MemoryWrite,
    /// An agent answered.
    Answer,
    /// The run is over, or sleeps.
    ExecutionFinished,
}

impl TraceKind {
    pub const ALL: [Self; 10] = [
        Self::Input,
        Self::MemoryRead,
        Self::Search,
        Self::ModelReply,
        Self::Approval,
        Self::ToolCall,
        Self::ToolResult,
        Self::MemoryWrite,
        Self::Answer,
        Self::ExecutionFinished,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::MemoryRead => "memory_read",
            Self::Search => "search",
            Self::ModelReply => "model_reply",
            Self::Approval => "approval",
            Self::ToolCall => "tool_call",
            Self::ToolResult => "tool_result",
            Self::MemoryWrite => "memory_write",
            Self::Answer => "answer",
            Self::ExecutionFinished => "execution_finished",
        }
    }

    /// Whether it belongs to the log of tool calls.
    pub fn is_of_tools(self) -> bool {
        matches!(self, Self::Approval | Self::ToolCall | Self::ToolResult)
    }
}

impl TraceEvent {
    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        let mut left = usize::MAX;
        for (_, value) in self.detail.iter() {
            value.fits_within(&mut left);
        }
        usize::MAX - left + size_of::<Self>()
    }

    /// The same without secrets, and without personal data if that is asked for.
    pub fn redacted(&self, redaction: Redaction) -> Self {
        let error = self
            .error
            .clone()
            .map(|error| RunError { message: redaction.of_text(&error.message).into(), ..error });
        Self { detail: redaction.of_fields(&self.detail), error, ..self.clone() }
    }

    /// As exports and streams tell it.
    pub fn to_value(&self, run_id: &str) -> Value {
        let mut told = Object::from_iter([
            ("id", Value::from(format!("{run_id}:{}", self.seq))),
            ("executionId", run_id.into()),
            ("stage", self.stage.name().into()),
            ("kind", self.kind.name().into()),
            ("node", self.node.clone().into()),
            ("run", self.run.into()),
        ]);
        if let Some(sub_node) = &self.sub_node {
            told.insert("subNode", sub_node.clone());
        }
        if let Some(at_ms) = self.at_ms {
            told.insert("atMs", at_ms as f64);
        }
        if let Some(duration_ms) = self.duration_ms {
            told.insert("durationMs", duration_ms as f64);
        }
        told.insert("detail", Value::from(self.detail.clone()));
        if let Some(error) = &self.error {
            let about = [
                ("code", Value::from(error.code.name())),
                ("message", error.message.clone().into()),
            ];
            told.insert("error", Value::from(Object::from_iter(about)));
        }
        told.into()
    }
}
