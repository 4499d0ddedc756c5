//! Requests as tools: what a model gives is checked, sent by the same way as any request, and shown
//! to it in short.

pub(super) mod legacy_tool;
pub(super) mod optimize_response;
mod placeholders;
pub(crate) mod registered;
pub(super) mod request_tool;
