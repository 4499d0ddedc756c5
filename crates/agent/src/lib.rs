//! The agent loop and its strategies: what is asked of a model, what is done with its answer, when
//! it ends.
//!
//! Invariant: no network, disk, clock or random source of its own. Models, memories and tools are
//! ports of `node_api::ai`; the rest of the world is [`World`]. With recorded answers behind them a
//! run is a pure function. Invariant: nothing that reached outside is done twice: every model
//! answer and every tool result is kept in the world's notes before the loop goes on, and a loop
//! that begins again finds it there.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

mod ask;
mod codec;
pub mod flow;
mod form;
mod guard;
pub mod memory;
mod prompted;
pub mod react;
mod record;
mod remember;
mod schema;
mod shape;
mod tools;
mod world;

pub use ask::{MAX_REPAIRS, ask, ask_for_text, ask_in_form};
pub use codec::{turn_from_value, turn_to_value};
pub use guard::{Guard, Refused};
pub use prompted::{Prompted, with_tools};
pub use record::{Ended, Outcome, Record, ToolUse};
pub use remember::{Past, Remembering, recall, remember};
pub use shape::Shape;
pub use tools::{Approval, OnLimit, Options, ToolsAgent, with_results};
pub use world::{AgentError, AgentEvent, World};
