//! HTML pages.

pub mod page;
pub mod plain_text;
