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
        let began = Instant::now();
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
        let rate = self.requests as f64 / began.elapsed().as_secs_f64();
        latencies.sort_unstable();
        let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
        Ok(Measured { cpu_us: 0.0, rate, p50_ms: at(0.5), p99_ms: at(0.99), answer_bytes })
    }

    fn connection(&self, address: &str, requests: &[Request], next: &AtomicUsize, began: Instant) -> Result<(Vec<Duration>, usize)> {
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
            answer_bytes = read_answer(&mut stream, &mut buffer)?;
            latencies.push(due.elapsed());
        }
    }
}

/// Reads one answer and gives the length of its body; any but a good one is an error.
pub(super) fn read_answer(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<usize> {
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
    Ok(answer.len().saturating_sub(answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap_or(0) + 4))
}

impl Measured {
    pub(super) fn print(&self, name: &str, floor: Option<&Measured>) {
        let ratio = floor.map(|floor| format!(" ({:.1} x floor)", self.cpu_us / floor.cpu_us)).unwrap_or_default();
        let Measured { cpu_us, rate, p50_ms, p99_ms, .. } = self;
        eprintln!("  {name:32} {cpu_us:7.0} µs of processor each{ratio}, {rate:6.0} a second, p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms");
    }
}
