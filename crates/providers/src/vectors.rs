//! Where vectors are kept outside of the data folder: in the process, in Postgres, and in services
//! that are reached over HTTP.

mod cohere;
mod json_service;
mod pinecone;
mod postgres;
mod process;
mod qdrant;
mod supabase;
#[cfg(test)]
mod tests;

pub use cohere::CohereReranker;
pub use pinecone::{BASE_URL as PINECONE_URL, Pinecone};
pub use postgres::{Columns, Distance, PostgresVectors, UsedCollection};
pub use process::{ProcessVectors, VectorLimits};
pub use qdrant::Qdrant;
pub use supabase::Supabase;

use model::{Str, Value};
use node_api::NodeError;
use node_api::ai::Document;

/// A random id as these services want them.
fn new_id() -> Result<Str, NodeError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| NodeError::failed(format!("There are no random numbers: {error}")))?;
    // The marks of a random UUID.
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
        .into())
}

fn numbers(vector: &[f32]) -> Value {
    Value::array(vector.iter().map(|number| f64::from(*number).into()).collect())
}

fn document(content: Option<&Value>, metadata: Option<&Value>) -> Document {
    let content = content
        .filter(|content| !content.is_nullish())
        .map(Value::to_js_string)
        .unwrap_or_default();
    Document { content, metadata: metadata.and_then(Value::as_object).cloned().unwrap_or_default() }
}

/// A part of an address, written so that it stays one part.
fn part(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'~' => {
                written.push(char::from(byte))
            }
            b'.' if !text.chars().all(|letter| letter == '.') => written.push('.'),
            other => written.push_str(&format!("%{other:02X}")),
        }
    }
    written
}
