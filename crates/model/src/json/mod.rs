//! JSON text in and out: a reader with a depth limit, and a writer that spells as `JSON.stringify` does.

mod read;
mod write;

pub use read::{MAX_DEPTH, ReadError, parse, parse_with_spellings};
#[doc(hidden)]
pub use serde_json;
pub use write::{to_pretty_string, to_string, to_writer, write_string};

/// Numbers that a document spells otherwise than we would (`1.0`, `1e3`, 20 digits), by their path.
///
/// The writer uses the old spelling as long as the number there still has the same value.
pub type Spellings = std::collections::HashMap<String, Box<str>>;
