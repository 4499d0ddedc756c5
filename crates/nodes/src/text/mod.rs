//! Nodes for texts and documents: HTML, XML, Markdown, dates, hashes, tokens.

mod date_time;
pub(crate) mod dates;
pub(crate) mod js_regex;

use node_api::{Entry, run};

pub static NODES: &[Entry] = &[run::<date_time::DateTime>(), run::<date_time::v1::DateTimeV1>()];
