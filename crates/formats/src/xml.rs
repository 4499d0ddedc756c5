//! XML to values and back.

pub mod read;
pub mod write;
