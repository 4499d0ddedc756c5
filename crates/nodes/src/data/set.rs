//! Sets fields of items, one by one or all at once from JSON.

mod field;
mod params;
mod raw;
mod v1;
mod v3;

pub(super) use v1::SetV1;
pub(super) use v3::Set;
