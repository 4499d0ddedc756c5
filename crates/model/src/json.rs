//! JSON text in and out: a reader that bounds depth and memory, and a writer that spells as
//! `JSON.stringify` does.

mod elements;
mod plain;
mod read;
mod spellings;
mod write;

pub use elements::{ElementError, Elements};
pub(crate) use plain::plain_length;
pub use read::{JsonError, MAX_DEPTH, parse, parse_measured, parse_with_spellings, parse_within};
#[doc(hidden)]
pub use serde_json;
pub use spellings::{Spellings, ValuePath};
pub use write::{
    TextPrefix, to_pretty_prefix, to_pretty_string, to_string, to_writer, write_string,
};
