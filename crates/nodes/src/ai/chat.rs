//! Nodes that talk to people in a chat.

mod params;
pub(super) mod respond;
pub(super) mod trigger;
