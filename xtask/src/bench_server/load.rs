//! The load generator: kept connections, as fast as answers come or at a set rate.

use anyhow::{Context as _, Result, ensure};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A whole request as it goes over the wire.
pub(super) type Request = Arc<[u8]>;

#[derive(Clone, Copy)]
pub(super) struct Load {
    pub(super) connections: usize,
    pub(super) requests: usize,
    /// Requests a second; without one, as many as are answered. Latency counts from when a request was due.
    pub(super) rate: Option<f64>,
}

pub(super) struct Measured {
    pub(super) cpu_us: f64,
    pub(super) rate: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// The same in the middle one of the seconds that it took, ordered by it: what the slowest moments of the machine leave alone.
    pub(super) middle_p99_ms: f64,
    /// The share of the processors that others took from this machine meanwhile.
    pub(super) stolen: f64,
    /// The length of one answer's body.
    pub(super) answer_bytes: usize,
}

pub(super) fn request(host: &str, method: &str, path: &str, content_type: &str, body: &[u8]) -> Request {
    let length = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nuser-agent: bench\r\ncontent-type: {content_type}\r\n");
    [format!("{head}content-length: {length}\r\n\r\n").as_bytes(), body].concat().into()
}

impl Load {
    /// Sends the requests one after the other, over and over.
    pub(super) fn run(&self, address: &str, requests: &[Request]) -> Result<Measured> {
        let next = AtomicUsize::new(0);
        let (began, stolen) = (Instant::now(), Processors::now()?);
        let work = || self.connection(address, requests, &next, began);
        let (mut latencies, mut answer_bytes) = (Vec::with_capacity(self.requests), 0);
        std::thread::scope(|scope| -> Result<()> {
            let workers: Vec<_> = (0..self.connections.min(self.requests))
                .map(|_| std::thread::Builder::new().stack_size(256 << 10).spawn_scoped(scope, work))
                .collect::<Result<_, _>>()?;
            for worker in workers {
                let (found, bytes) = worker.join().map_err(|_| anyhow::anyhow!("a connection panicked"))??;
                latencies.extend(found);
                answer_bytes = answer_bytes.max(bytes);
            }
            Ok(())
        })?;
        latencies.sort_unstable();
        let rate = self.requests as f64 / began.elapsed().as_secs_f64();
        let stolen = Processors::now()?.stolen_since(&stolen);
        let seconds = latencies.chunk_by_mut(|one: &(u64, Duration), other| one.0 == other.0);
        let mut by_second: Vec<f64> = seconds.map(|second| percentile(second, 0.99)).collect();
        by_second.sort_unstable_by(f64::total_cmp);
        let middle_p99_ms = by_second.get(by_second.len() / 2).copied().unwrap_or_default();
        let (p50_ms, p99_ms) = (percentile(&mut latencies, 0.5), percentile(&mut latencies, 0.99));
        Ok(Measured { cpu_us: 0.0, rate, p50_ms, p99_ms, middle_p99_ms, stolen, answer_bytes })
    }

    fn connection(&self, address: &str, requests: &[Request], next: &AtomicUsize, began: Instant) -> Result<(Vec<Latency>, usize)> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let (mut latencies, mut answer_bytes) = (Vec::new(), 0);
        let mut buffer = vec![0; 1 << 16];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.requests {
                return Ok((latencies, answer_bytes));
            }
            let mut due = Instant::now();
            if let Some(rate) = self.rate {
                due = began + Duration::from_secs_f64(number as f64 / rate);
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
            stream.write_all(&requests[number % requests.len()])?;
            answer_bytes = read_answer(&mut stream, &mut buffer)?.len();
            latencies.push((due.saturating_duration_since(began).as_secs(), due.elapsed()));
        }
    }
}

/// The second in which a request was due, and how long it took.
type Latency = (u64, Duration);

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
        let ticks: Vec<f64> = text.lines().next().unwrap_or_default().split_whitespace().filter_map(|word| word.parse().ok()).collect();
        Ok(Self { all: ticks.iter().take(8).sum(), stolen: ticks.get(7).copied().unwrap_or_default() })
    }

    fn stolen_since(&self, before: &Self) -> f64 {
        (self.stolen - before.stolen) / (self.all - before.all).max(1.0)
    }
}

/// Reads one answer and gives its body; any but a good one is an error.
pub(super) fn read_answer(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<Vec<u8>> {
    let mut answer = Vec::new();
    let mut whole = usize::MAX;
    while answer.len() < whole {
        let count = stream.read(buffer)?;
        ensure!(count > 0, "the server closed a connection");
        answer.extend_from_slice(buffer.get(..count).unwrap_or_default());
        if whole == usize::MAX
            && let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
            ensure!(head.starts_with("http/1.1 20"), "the server answered {head} {}", String::from_utf8_lossy(&answer[end..]));
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
            whole = end + 4 + length.context("an answer without a length")?;
        }
    }
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(0) + 4;
    Ok(answer.split_off(end.min(answer.len())))
}

impl Measured {
    pub(super) fn latency(&self) -> String {
        let Measured { p50_ms, p99_ms, middle_p99_ms, stolen, .. } = self;
        format!(
            "p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms, in the middle second {middle_p99_ms:.1} ms; others took {:.0} % of the machine",
            stolen * 100.0
        )
    }

    pub(super) fn print(&self, name: &str, floor: Option<&Measured>) {
        let ratio = floor.map(|floor| format!(" ({:.1} x floor)", self.cpu_us / floor.cpu_us)).unwrap_or_default();
        let Measured { cpu_us, rate, p50_ms, p99_ms, .. } = self;
        eprintln!("  {name:32} {cpu_us:7.0} µs of processor each{ratio}, {rate:6.0} a second, p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms");
    }
}
