//! What a request costs the server, next to a bare handler that does the same input and output.

use anyhow::{Context as _, Result, bail};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const CONNECTIONS: usize = 50;
const REQUESTS: usize = 20_000;
const BODY: &str = r#"{"id":7,"name":"Ada","tags":["a","b"],"note":"the quick brown fox jumps over the lazy dog"}"#;

/// The scenarios that need nothing but the server: file, method and path.
const SCENARIOS: &[(&str, &str, &str)] = &[
    ("single-webhook", "GET", "/webhook/single-webhook"),
    ("set-node-expressions", "POST", "/webhook/set-expressions-benchmark"),
    ("js-code-node", "POST", "/webhook/code-node-benchmark"),
];

pub(crate) fn run(folder: &Path) -> Result<()> {
    eprintln!("\n== the server: {CONNECTIONS} connections, {REQUESTS} requests, everything kept on disk");
    let corpus = Path::new("../shared/corpus/bench");
    if !corpus.is_dir() {
        eprintln!("  corpus not found, {} scenarios not run", SCENARIOS.len());
        return Ok(());
    }
    crate::call("cargo", &["build", "--release", "--quiet", "--package", "heddle-server", "--example", "floor"])?;
    let floor = Server::start("target/release/examples/floor", &[folder.to_str().context("path")?], BufferOf::Output)?;
    let bare = floor.measure("POST", "/floor", REQUESTS)?;
    bare.print("floor: a bare handler", None);
    drop(floor);
    for (name, method, path) in SCENARIOS {
        let data = folder.join(name);
        let data = data.to_str().context("path")?;
        let file = corpus.join(format!("{name}.json"));
        crate::call("target/release/heddle", &["import", "--data", data, "--activate", file.to_str().context("path")?])?;
        let began = Instant::now();
        let server = Server::start("target/release/heddle", &["serve", "--data", data, "--port", "0"], BufferOf::Errors)?;
        let one = AtomicUsize::new(1);
        connection(&server.address, &server.request(method, path), &one)?;
        let first = began.elapsed();
        let idle = server.memory()?;
        let n_requests = if *name == "js-code-node" { REQUESTS / 10 } else { REQUESTS };
        server.measure(method, path, n_requests)?.print(name, Some(&bare));
        eprintln!("      first answer after {} ms, {idle} MB idle, {} MB after", first.as_millis(), server.memory()?);
    }
    Ok(())
}

struct Measured {
    cpu_us: f64,
    rate: f64,
    p50_ms: f64,
    p99_ms: f64,
}

impl Measured {
    fn print(&self, name: &str, floor: Option<&Measured>) {
        let ratio = floor.map(|floor| format!(" ({:.1} x floor)", self.cpu_us / floor.cpu_us)).unwrap_or_default();
        let Measured { cpu_us, rate, p50_ms, p99_ms } = self;
        eprintln!("  {name:24} {cpu_us:7.0} µs of processor each{ratio}, {rate:6.0} a second, p50 {p50_ms:.1} ms, p99 {p99_ms:.1} ms");
    }
}

enum BufferOf {
    Output,
    Errors,
}

struct Server {
    process: Child,
    address: String,
}

impl Server {
    fn start(program: &str, arguments: &[&str], told: BufferOf) -> Result<Self> {
        let mut process = Command::new(program).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stream: Box<dyn std::io::Read + Send> = match told {
            BufferOf::Output => Box::new(process.stdout.take().context("no output")?),
            BufferOf::Errors => Box::new(process.stderr.take().context("no output")?),
        };
        let mut lines = BufReader::new(stream).lines();
        let address = loop {
            let Some(line) = lines.next() else { bail!("{program} did not start") };
            if let Some(rest) = line?.split("listens on http://").nth(1) {
                break rest.split_whitespace().next().unwrap_or_default().to_owned();
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { process, address })
    }

    /// Processor time so far, in seconds.
    fn cpu(&self) -> Result<f64> {
        let line = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let fields = line.rsplit_once(')').context("stat")?.1.split_whitespace().skip(11).take(2);
        Ok(fields.map(|ticks| ticks.parse::<f64>().unwrap_or(0.0)).sum::<f64>() / 100.0)
    }

    fn memory(&self) -> Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = text.lines().find(|line| line.starts_with("VmRSS")).context("status")?;
        Ok(line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).context("status")? / 1024)
    }

    fn request(&self, method: &str, path: &str) -> Vec<u8> {
        let body = if method == "GET" { "" } else { BODY };
        format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nuser-agent: bench\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .into_bytes()
    }

    /// Sends requests on kept connections as fast as they are answered; what is done after the answers counts too.
    fn measure(&self, method: &str, path: &str, n_requests: usize) -> Result<Measured> {
        let request: Arc<[u8]> = self.request(method, path).into();
        let left = Arc::new(AtomicUsize::new(n_requests));
        let before = self.cpu()?;
        let began = Instant::now();
        let workers: Vec<_> = (0..CONNECTIONS.min(n_requests))
            .map(|_| {
                let (address, request, left) = (self.address.clone(), request.clone(), left.clone());
                std::thread::spawn(move || connection(&address, &request, &left))
            })
            .collect();
        let mut latencies = Vec::with_capacity(n_requests);
        for worker in workers {
            latencies.extend(worker.join().map_err(|_| anyhow::anyhow!("a connection panicked"))??);
        }
        let rate = n_requests as f64 / began.elapsed().as_secs_f64();
        self.drain()?;
        let cpu_us = (self.cpu()? - before) * 1e6 / n_requests as f64;
        latencies.sort_unstable();
        let at = |share: f64| latencies[((latencies.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
        Ok(Measured { cpu_us, rate, p50_ms: at(0.5), p99_ms: at(0.99) })
    }

    /// Waits until the processor is idle.
    fn drain(&self) -> Result<()> {
        let mut before = self.cpu()?;
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = self.cpu()?;
            if now - before < 0.02 {
                return Ok(());
            }
            before = now;
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn connection(address: &str, request: &[u8], left: &AtomicUsize) -> Result<Vec<Duration>> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    let mut latencies = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok() {
        let began = Instant::now();
        stream.write_all(request)?;
        let mut answer = Vec::new();
        loop {
            let count = stream.read(&mut buffer)?;
            anyhow::ensure!(count > 0, "the server closed a connection");
            answer.extend_from_slice(&buffer[..count]);
            if is_whole(&answer)? {
                break;
            }
        }
        latencies.push(began.elapsed());
    }
    Ok(latencies)
}

fn is_whole(answer: &[u8]) -> Result<bool> {
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(false) };
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    anyhow::ensure!(head.starts_with("http/1.1 200"), "the server answered {head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok()).unwrap_or(0);
    Ok(answer.len() >= end + 4 + length)
}
