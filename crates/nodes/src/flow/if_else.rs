//! Sends each item to the "true" or the "false" output, depending on conditions.

mod v1;
mod v2;

pub(super) use v1::IfV1;
pub(super) use v2::{If, params, split};
