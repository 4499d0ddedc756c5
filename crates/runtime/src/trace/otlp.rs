//! Spans of OpenTelemetry in the JSON form of OTLP.

use aws_lc_rs::digest::{SHA256, digest};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A span that is over.
#[derive(Clone, Debug)]
pub struct OtlpSpan {
    pub trace: [u8; 16],
    pub id: [u8; 8],
    pub parent: Option<[u8; 8]>,
    pub name: Cow<'static, str>,
    pub kind: SpanKind,
    pub started_ms: i64,
    pub ended_ms: i64,
    pub attributes: Vec<(&'static str, Attribute)>,
    /// Whether it went wrong, and the code of what did.
    pub failure: Option<&'static str>,
}

/// What a span stands for, with its number on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    Internal = 1,
    /// It answers somebody.
    Server = 2,
    /// It asks somebody.
    Client = 3,
}

#[derive(Clone, Debug)]
pub enum Attribute {
    Text(String),
    Number(i64),
    Flag(bool),
    Texts(Vec<String>),
}

impl OtlpSpan {
    fn to_json(&self) -> Value {
        let nanoseconds = |milliseconds: i64| (i128::from(milliseconds) * 1_000_000).to_string();
        let attributes: Vec<Value> =
            self.attributes.iter().map(|(key, value)| attribute(key, value)).collect();
        // 1 is fine, 2 an error.
        let status = match self.failure {
            None => json!({ "code": 1 }),
            Some(code) => json!({ "code": 2, "message": code }),
        };
        let mut span = json!({
            "traceId": hex::encode(self.trace),
            "spanId": hex::encode(self.id),
            "name": self.name,
            "kind": self.kind as u8,
            "startTimeUnixNano": nanoseconds(self.started_ms),
            "endTimeUnixNano": nanoseconds(self.ended_ms.max(self.started_ms)),
            "attributes": attributes,
            "status": status,
        });
        if let (Some(parent), Some(fields)) = (self.parent, span.as_object_mut()) {
            fields.insert("parentSpanId".into(), hex::encode(parent).into());
        }
        span
    }
}

fn attribute(key: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Number(number) => json!({ "intValue": number.to_string() }),
        Attribute::Texts(texts) => {
            let values: Vec<Value> =
                texts.iter().map(|text| json!({ "stringValue": text })).collect();
            json!({ "arrayValue": { "values": values } })
        }
        Attribute::Flag(flag) => json!({ "boolValue": flag }),
    };
    json!({ "key": key, "value": value })
}

/// What is sent to a collector, or exported.
pub fn resource_spans(service: &str, spans: &[OtlpSpan]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let about: Vec<Value> = [("service.name", service), ("service.version", version)]
        .iter()
        .map(|(key, value)| attribute(key, &Attribute::Text((*value).to_owned())))
        .collect();
    json!({
        "resourceSpans": [{
            "resource": { "attributes": about },
            "scopeSpans": [{
                "scope": { "name": "heddle", "version": version },
                "spans": spans.iter().map(OtlpSpan::to_json).collect::<Vec<_>>(),
            }],
        }],
    })
}

/// The trace of a run: the same one whenever it goes on, in this process or the next.
pub fn trace_id(secret: &str, run_id: &str) -> [u8; 16] {
    let own = digest(&SHA256, format!("{secret}/{run_id}").as_bytes());
    let mut id = [0; 16];
    id.copy_from_slice(&own.as_ref()[..16]);
    id
}

/// The same for a part of a run, which has the same id in every export.
pub fn span_id(secret: &str, run_id: &str, part: &str) -> [u8; 8] {
    let own = digest(&SHA256, format!("{secret}/{run_id}/{part}").as_bytes());
    let mut id = [0; 8];
    id.copy_from_slice(&own.as_ref()[..8]);
    id
}
