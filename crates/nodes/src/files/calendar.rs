//! Calendar files (iCalendar): written for Convert to File, read for Extract from File.

mod parse;
mod write;

pub(crate) use parse::parse;
pub(crate) use write::{event_params, make_event};
