//! What the nodes of the SQL databases share.

pub(super) mod batch;
pub(super) mod binding;
pub(super) mod build;
pub(super) mod credential;
pub(super) mod params;
pub(super) mod replacements;
pub(super) mod rows;
pub(super) mod statements;
