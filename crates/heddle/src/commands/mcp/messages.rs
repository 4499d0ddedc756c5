//! What a message of the protocol says to whoever passes it on.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Where a message of the current revision says which it is.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// A message from a client.
pub(super) struct ClientMessage {
    pub(super) text: String,
    pub(super) method: Option<String>,
    /// Of a request, which wants an answer.
    pub(super) id: Option<Value>,
    /// The revision that the message itself names.
    pub(super) version: Option<String>,
    /// What is called, read or asked for.
    pub(super) name: Option<String>,
    /// The request that a client no longer wants an answer to.
    pub(super) cancels: Option<Value>,
}

impl ClientMessage {
    pub(super) fn parse(text: String) -> Result<Self, serde_json::Error> {
        #[expect(clippy::disallowed_methods, reason = "a message of the client on this machine")]
        let read: Value = serde_json::from_str(&text)?;
        let method = read["method"].as_str().map(str::to_owned);
        let params = &read["params"];
        let name = params["name"].as_str().or_else(|| params["uri"].as_str());
        let is_cancel = method.as_deref() == Some("notifications/cancelled");
        Ok(Self {
            id: method.is_some().then(|| read.get("id").cloned()).flatten(),
            version: params["_meta"][VERSION_KEY].as_str().map(str::to_owned),
            name: name.map(str::to_owned),
            cancels: is_cancel.then(|| params.get("requestId").cloned()).flatten(),
            method,
            text,
        })
    }
}

/// A name as a header carries it: as it is, or encoded if a header cannot.
pub(super) fn header_value(name: &str) -> String {
    let is_plain = name.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        && name.trim() == name
        && !name.starts_with("=?base64?");
    if is_plain { name.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(name)) }
}

/// The answer to a request that the server did not answer in the protocol.
pub(super) fn error_reply(id: &Value, message: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": message } })
        .to_string()
}

/// The messages in a stream of events, as they come in.
#[derive(Default)]
pub(super) struct EventMessages {
    pending: Vec<u8>,
    data: String,
}

impl EventMessages {
    /// Takes more bytes, and gives the messages that are complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        self.pending.extend_from_slice(bytes);
        let mut complete = Vec::new();
        while let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.pending.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\r', '\n']);
            if let Some(data) = line.strip_prefix("data:") {
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
            } else if line.is_empty() && !self.data.is_empty() {
                complete.push(std::mem::take(&mut self.data));
            }
        }
        complete
    }

    /// How many bytes are held back.
    pub(super) fn len(&self) -> usize {
        self.pending.len() + self.data.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_says_what_its_headers_need() {
        let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"calc","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let message = ClientMessage::parse(text.to_owned()).unwrap();
        assert_eq!(
            (message.method.as_deref(), message.name.as_deref()),
            (Some("tools/call"), Some("calc"))
        );
        assert_eq!((message.id, message.version.as_deref()), (Some(json!(7)), Some("2026-07-28")));
        let cancel =
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        let cancel = ClientMessage::parse(cancel.to_owned()).unwrap();
        assert_eq!((cancel.cancels, cancel.id), (Some(json!(7)), None));
        let answer =
            ClientMessage::parse(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#.to_owned()).unwrap();
        assert!(answer.method.is_none() && answer.id.is_none());
        assert!(ClientMessage::parse("{".to_owned()).is_err());
    }

    #[test]
    fn events_are_read_however_they_are_cut() {
        let stream = "id: 0\nretry: 3000\ndata:\n\n: alive\r\n\r\ndata: {\"a\":1}\r\n\r\ndata:{\"b\":\ndata:\"ä\"}\n\n";
        for size in 1..stream.len() {
            let mut events = EventMessages::default();
            let found: Vec<String> =
                stream.as_bytes().chunks(size).flat_map(|part| events.push(part)).collect();
            assert_eq!(found, ["{\"a\":1}", "{\"b\":\"ä\"}"], "{size}");
            assert_eq!(events.len(), 0);
        }
    }

    #[test]
    fn a_name_that_no_header_can_carry_is_encoded() {
        assert_eq!(header_value("workflow_a"), "workflow_a");
        assert_eq!(header_value("ä"), "=?base64?w6Q=?=");
        assert_eq!(header_value("a\r\nx: y"), "=?base64?YQ0KeDogeQ==?=");
    }
}
