//! Chat models for agents.

pub(super) mod openai;
