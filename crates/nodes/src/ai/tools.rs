//! Tools that a model may call.

mod arithmetic;
pub(super) mod calculator;
pub(super) mod code;
pub(crate) mod fn_tool;
pub(crate) mod registry;
pub(crate) mod schema;
pub(super) mod search;
pub(super) mod think;
pub(super) mod workflow;
