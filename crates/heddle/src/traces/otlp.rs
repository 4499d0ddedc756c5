//! OTLP over HTTP in its JSON form: what a span looks like on the wire, and the way to the
//! collector.

use crate::settings;
use anyhow::{Context as _, Result};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};
use std::time::Duration;

/// At most so many spans go in one request.
pub(super) const BATCH: usize = 512;
/// How often a batch is sent before it is given up.
const MAX_ATTEMPTS: u32 = 3;
const TIMEOUT: Duration = Duration::from_secs(10);

/// A span that is over.
#[derive(Clone, Debug)]
pub(super) struct OtlpSpan {
    pub(super) trace: [u8; 16],
    pub(super) id: [u8; 8],
    pub(super) parent: Option<[u8; 8]>,
    pub(super) name: &'static str,
    pub(super) is_server: bool,
    pub(super) started_ms: i64,
    pub(super) ended_ms: i64,
    pub(super) attributes: Vec<(&'static str, Attribute)>,
    /// Whether it went wrong, and the code of what did.
    pub(super) failure: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub(super) enum Attribute {
    Text(String),
    Number(i64),
    Flag(bool),
}

impl OtlpSpan {
    fn to_json(&self) -> Value {
        let nanoseconds = |milliseconds: i64| (i128::from(milliseconds) * 1_000_000).to_string();
        let attributes: Vec<Value> =
            self.attributes.iter().map(|(key, value)| attribute(key, value)).collect();
        // 1 is fine, 2 an error; a span of kind 2 answers somebody, one of kind 1 does not.
        let status = match self.failure {
            None => json!({ "code": 1 }),
            Some(code) => json!({ "code": 2, "message": code }),
        };
        let mut span = json!({
            "traceId": hex(&self.trace),
            "spanId": hex(&self.id),
            "name": self.name,
            "kind": if self.is_server { 2 } else { 1 },
            "startTimeUnixNano": nanoseconds(self.started_ms),
            "endTimeUnixNano": nanoseconds(self.ended_ms.max(self.started_ms)),
            "attributes": attributes,
            "status": status,
        });
        if let (Some(parent), Some(fields)) = (self.parent, span.as_object_mut()) {
            fields.insert("parentSpanId".into(), hex(&parent).into());
        }
        span
    }
}

fn attribute(key: &str, value: &Attribute) -> Value {
    let value = match value {
        Attribute::Text(text) => json!({ "stringValue": text }),
        Attribute::Number(number) => json!({ "intValue": number.to_string() }),
        Attribute::Flag(flag) => json!({ "boolValue": flag }),
    };
    json!({ "key": key, "value": value })
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The way to the collector. The operator has chosen it, so that it is not bound to what workflows
/// may reach.
pub(super) struct Exporter {
    client: reqwest::Client,
    address: reqwest::Url,
    headers: HeaderMap,
    service: String,
}

impl Exporter {
    pub(super) fn new(endpoint: &str, headers: &str, service: &str) -> Result<Self> {
        let unusable = || {
            settings::invalid_value(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "which is not an address such as http://localhost:4318",
            )
        };
        let address = reqwest::Url::parse(&format!("{}/v1/traces", endpoint.trim_end_matches('/')))
            .with_context(unusable)?;
        anyhow::ensure!(matches!(address.scheme(), "http" | "https"), unusable());
        #[expect(
            clippy::disallowed_methods,
            reason = "the operator chooses where traces go; workflows cannot influence it"
        )]
        let client = reqwest::Client::builder()
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none())
            .build();
        let headers = parse_headers(headers).context(
            "OTEL_EXPORTER_OTLP_HEADERS is not a list such as name=value,name=value \
                 (SETTING_INVALID)",
        )?;
        Ok(Self {
            client: client.context("traces could not be sent")?,
            address,
            headers,
            service: service.to_owned(),
        })
    }

    pub(super) async fn send(&self, spans: Vec<OtlpSpan>) {
        for batch in spans.chunks(BATCH) {
            if let Err(error) = self.send_batch(batch).await {
                tracing::warn!(%error, spans = batch.len(), "Could not send traces; they are lost.");
            }
        }
    }

    async fn send_batch(&self, spans: &[OtlpSpan]) -> Result<()> {
        let body = self.body(spans).to_string();
        let mut pause = Duration::from_millis(200);
        for attempt in 1.. {
            let request = self.client.post(self.address.clone()).headers(self.headers.clone());
            let answer =
                request.header("content-type", "application/json").body(body.clone()).send().await;
            match answer.map(|answer| answer.status()) {
                Ok(status) if status.is_success() => return Ok(()),
                Ok(status)
                    if attempt >= MAX_ATTEMPTS || !matches!(status.as_u16(), 429 | 502..=504) =>
                {
                    anyhow::bail!("the collector responded with {status}")
                }
                // The address may hold a password; the reason is told without it.
                Err(error) if attempt >= MAX_ATTEMPTS => {
                    anyhow::bail!("the collector could not be reached: {}", error.without_url())
                }
                _ => tokio::time::sleep(pause).await,
            }
            pause *= 2;
        }
        Ok(())
    }

    fn body(&self, spans: &[OtlpSpan]) -> Value {
        let version = env!("CARGO_PKG_VERSION");
        let about = [("service.name", self.service.as_str()), ("service.version", version)];
        let about: Vec<Value> = about
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
}

fn parse_headers(text: &str) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        let mut value = HeaderValue::from_str(value.trim()).ok()?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.trim().as_bytes()).ok()?, value);
    }
    Some(headers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_pairs() {
        let headers = parse_headers("authorization=Basic a=b, x-tenant=acme").unwrap();
        assert_eq!(
            (headers["authorization"].to_str().unwrap(), headers["x-tenant"].to_str().unwrap()),
            ("Basic a=b", "acme")
        );
        assert!(parse_headers("nothing").is_none());
        assert!(parse_headers("").unwrap().is_empty());
    }
}
