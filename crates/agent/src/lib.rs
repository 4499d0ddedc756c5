//! The agent loop and its strategies: what is asked of a model, what is done with its answer, when
//! it ends.
//!
//! Invariant: no network, disk, clock or random source of its own. Models, memories and tools are
//! ports of `ports::ai`; the rest of the world is [`AgentHost`]. With recorded answers behind them a
//! run is a pure function. Invariant: nothing that reached outside is done twice: every model
//! answer and every tool result is kept in the world's notes before the loop goes on, and a loop
//! that begins again finds it there.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod ask;
mod codec;
pub mod flow;
mod guard;
mod host;
pub mod memory;
mod prompted;
pub mod react;
mod record;
mod remember;
mod schema;
mod schema_check;
mod sources;
pub mod stages;
mod structured_output;
mod tools;

pub use ask::{MAX_REPAIRS, ask, ask_for_text, ask_structured};
pub use codec::{reply_from_value, reply_to_value};
pub use guard::{InvalidCall, ToolGuard};
pub use host::{AgentError, AgentEvent, AgentHost};
pub use prompted::{PromptedModel, with_tools};
pub use record::{AgentOutcome, EndReason, Record, ToolUse};
pub use remember::{MemorySession, RecalledHistory, recall, remember};
pub use schema_check::SchemaCheck;
pub use tools::{AgentOptions, ApprovalPolicy, OnLimit, ToolsAgent, call_tool, with_results};
