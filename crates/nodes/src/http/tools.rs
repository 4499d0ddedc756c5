//! Requests as tools: what a model gives is checked, sent by the same way as any request, and shown
//! to it in short.

pub(super) mod n8n;
pub(super) mod own;
mod placeholders;
pub(super) mod shortened;
