//! Databases and mail as tools.

pub(super) mod database;
pub(super) mod email;
