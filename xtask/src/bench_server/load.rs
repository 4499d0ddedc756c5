//! The load generator: kept connections, as fast as answers come or at a set rate.

use super::driver::{Latency, LoadDriver};
use anyhow::Result;
use std::sync::Arc;

/// A whole request as it goes over the wire.
pub(super) type RawRequest = Arc<[u8]>;

#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) connections: usize,
    pub(super) requests: usize,
    /// Requests a second; without one, as many as are answered. Latency counts from when a request
    /// was due.
    pub(super) rate: Option<f64>,
}

pub(super) struct Measurement {
    pub(super) cpu_us: f64,
    pub(super) rate: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// The same in the middle one of the seconds that it took, ordered by it: what the slowest
    /// moments of the machine leave alone.
    pub(super) middle_p99_ms: f64,
    /// The share of the processors that others took from this machine meanwhile.
    pub(super) stolen: f64,
    /// The length of one answer's body.
    pub(super) answer_bytes: usize,
}

pub(super) fn request(
    host: &str,
    method: &str,
    path: &str,
    content_type: &str,
    body: &[u8],
) -> RawRequest {
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: bench\r\ncontent-type: {content_type}\r\n"
    );
    [format!("{head}content-length: {length}\r\n\r\n").as_bytes(), body].concat().into()
}

impl Load {
    /// Sends the requests one after the other, over and over.
    pub(super) fn run(&self, address: &str, requests: &[RawRequest]) -> Result<Measurement> {
        let stolen = Processors::now()?;
        let mut drive = LoadDriver::connect(self, address, requests)?;
        let took = drive.run()?;
        let (mut latencies, answer_bytes) = (drive.latencies, drive.answer_bytes);
        let stolen = Processors::now()?.stolen_since(&stolen);
        let rate = self.requests as f64 / took.as_secs_f64();
        latencies.sort_unstable();
        let seconds = latencies.chunk_by_mut(|one, other| one.0 == other.0);
        let mut by_second: Vec<f64> = seconds.map(|second| percentile(second, 0.99)).collect();
        by_second.sort_unstable_by(f64::total_cmp);
        let middle_p99_ms = by_second.get(by_second.len() / 2).copied().unwrap_or_default();
        let (p50_ms, p99_ms) = (percentile(&mut latencies, 0.5), percentile(&mut latencies, 0.99));
        Ok(Measurement { cpu_us: 0.0, rate, p50_ms, p99_ms, middle_p99_ms, stolen, answer_bytes })
    }
}

/// The latency, in milliseconds, that a share of requests stays within.
fn percentile(latencies: &mut [Latency], share: f64) -> f64 {
    latencies.sort_unstable_by_key(|(_, latency)| *latency);
    let at = (latencies.len().saturating_sub(1) as f64 * share) as usize;
    latencies.get(at).map_or(0.0, |(_, latency)| latency.as_secs_f64() * 1000.0)
}

/// What the kernel says about the processors: time in all, and time that the host gave to others.
struct Processors {
    all: f64,
    stolen: f64,
}

impl Processors {
    fn now() -> Result<Self> {
        let text = std::fs::read_to_string("/proc/stat")?;
        let ticks: Vec<f64> = text
            .lines()
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        Ok(Self {
            all: ticks.iter().take(8).sum(),
            stolen: ticks.get(7).copied().unwrap_or_default(),
        })
    }

    fn stolen_since(&self, before: &Self) -> f64 {
        (self.stolen - before.stolen) / (self.all - before.all).max(1.0)
    }
}

impl Measurement {
    pub(super) fn latency(&self) -> String {
        let Measurement { p50_ms, p99_ms, middle_p99_ms, stolen, .. } = self;
        format!(
            "p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms, in the middle second {middle_p99_ms:.1} ms; others took {:.0} % of the machine",
            stolen * 100.0
        )
    }

    pub(super) fn print(&self, name: &str, floor: Option<&Measurement>) {
        let ratio = floor
            .map(|floor| format!(" ({:.1} x floor)", self.cpu_us / floor.cpu_us))
            .unwrap_or_default();
        let Measurement { cpu_us, rate, p50_ms, p99_ms, .. } = self;
        eprintln!(
            "  {name:32} {cpu_us:7.0} µs of processor each{ratio}, {rate:6.0} a second, p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms"
        );
    }
}
