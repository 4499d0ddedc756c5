//! Pure data: workflow JSON as n8n writes it, items, connection kinds, run events, operations,
//! error codes.
//!
//! Invariant: any workflow n8n can write is read and written back unchanged, fields we do not know
//! included. Invariant: nothing here does I/O, knows a node by name or can panic on bad input.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::disallowed_types))]

pub mod code;
pub mod event;
pub mod item;
pub mod json;
pub mod kind;
pub mod memory_estimate;
pub mod metrics;
mod number;
mod object;
pub mod operation;
mod path;
pub mod rename;
pub mod run;
mod serde_bridge;
mod spent;
mod value;
pub mod workflow;

pub use code::{Blame, Code};
pub use ecow::EcoString as Str;
pub use event::{AgentStage, Exposure, NodeState, RunEvent, RunRange, StageRecord, StepChanges};
pub use item::{
    Binary, Item, ItemError, Items, ItemsBuilder, PairedItem, Pairs, ResidentItems, Source, Spill,
    SpillError, Spilled, WalkGuard,
};
pub use kind::Kind;
pub use number::number_to_string;
pub use object::Object;
pub use operation::{Operation, OperationError, UndoHistory, apply};
pub use path::{Gaps, PathError, PathKey, PathKeys};
pub use run::{RunError, RunStatus, TaskData, TaskStatus};
pub use serde_bridge::{from_value, to_value};
pub use spent::{ModelUsage, SpendingLimit, SpendingTotal};
pub use value::{DateKind, DateValue, MAX_ITEM_DEPTH, Value};
pub use workflow::{
    Edge, Node, OnError, WithheldCredential, Workflow, WorkflowError, keep_credentials,
};
