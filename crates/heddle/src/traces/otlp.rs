//! The way of spans to the collector: OTLP over HTTP, as JSON.

use crate::settings;
use anyhow::{Context as _, Result};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use runtime::trace::otlp::{OtlpSpan, resource_spans};
use std::time::Duration;

/// At most so many spans go in one request.
pub(super) const BATCH: usize = 512;
/// How often a batch is sent before it is given up.
const MAX_ATTEMPTS: u32 = 3;
const TIMEOUT: Duration = Duration::from_secs(10);

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
        let body = resource_spans(&self.service, spans).to_string();
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
