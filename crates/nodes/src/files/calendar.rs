//! Event files for Convert to File.

mod write;

pub(crate) use write::{event_params, make_event};
