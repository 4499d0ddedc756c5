//! Keeps the items that meet conditions and drops the others.

mod v1;
mod v2;

pub(super) use v1::FilterV1;
pub(super) use v2::FilterNode;
