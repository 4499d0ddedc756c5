//! Tools that a model may call.

mod arithmetic;
pub(super) mod calculator;
