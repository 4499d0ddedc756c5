//! Calendar files (iCalendar).

mod parse;
mod write;

pub use parse::parse;
pub use write::{ContentLines, at_time, escaped, one_line, quoted};
