//! AWS's binary event streams, as Bedrock answers with them.

use serde_json::Value;

/// A header whose value is a text.
const TEXT: u8 = 7;

/// An event of this kind.
pub fn aws_event(kind: &str, payload: &Value) -> Vec<u8> {
    aws_frame(
        &[(":message-type", "event"), (":event-type", kind), (":content-type", "application/json")],
        payload.to_string().as_bytes(),
    )
}

/// A frame with any headers and payload.
pub fn aws_frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    for (name, value) in headers {
        encoded.push(name.len() as u8);
        encoded.extend_from_slice(name.as_bytes());
        encoded.push(TEXT);
        encoded.extend_from_slice(&(value.len() as u16).to_be_bytes());
        encoded.extend_from_slice(value.as_bytes());
    }
    // Both lengths, a checksum of them, and one of everything at the end.
    let total = 16 + encoded.len() + payload.len();
    let mut frame = (total as u32).to_be_bytes().to_vec();
    frame.extend_from_slice(&(encoded.len() as u32).to_be_bytes());
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame.extend_from_slice(&encoded);
    frame.extend_from_slice(payload);
    frame.extend_from_slice(&crc32fast::hash(&frame).to_be_bytes());
    frame
}
