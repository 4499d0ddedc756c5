//! Where conversations are kept outside of the data folder: in the process, in Redis, in Postgres.

pub mod langchain;
mod n8n_import;
mod postgres;
mod process;
mod redis;

pub use self::n8n_import::N8nConversations;
pub use self::postgres::PostgresConversations;
pub use self::process::{ProcessConversations, ProcessLimits};
pub use self::redis::{Protection, RedisConversations};

use aws_lc_rs::digest::{SHA256, digest};
use node_api::ai::MemoryError;
use node_api::connect::ConnectError;

/// The SHA-256 of something, in lower-case letters and digits.
fn hashed(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unusable(error: ConnectError) -> MemoryError {
    MemoryError::new(error.to_string())
}
