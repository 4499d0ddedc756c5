//! A real server on a folder of its own, and a small client for it.

pub(crate) mod faults;
pub(crate) mod feed;
pub(crate) mod in_process;
pub(crate) mod ledger;
pub(crate) mod model_server;
pub(crate) mod pdf;
pub(crate) mod request_counter;
pub(crate) mod workflow;

use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
pub(crate) use testkit::TempFolder;

pub(crate) fn heddle(data: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(arguments)
        .env("HEDDLE_DATA", data)
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "heddle {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// A key of the API that may do everything.
pub(crate) fn new_key(data: &Path) -> String {
    heddle(data, &["api-keys", "create"]).trim().to_owned()
}

/// Processor time of a process so far, in hundredths of a second.
pub(crate) fn processor_time(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// `heddle serve` as a process.
pub(crate) struct Server {
    pub(crate) process: Child,
    pub(crate) address: String,
    key: String,
    log: Arc<Mutex<String>>,
    log_reader: JoinHandle<()>,
}

impl Server {
    pub(crate) fn start(data: &Path, settings: &[(&str, &str)]) -> Self {
        let key = new_key(data);
        Self::start_with_key(data, settings, &key)
            .unwrap_or_else(|log| panic!("the server did not start: {log}"))
    }

    /// With a key that was made before. What it says if it does not come as far as listening is the
    /// error.
    pub(crate) fn start_with_key(
        data: &Path,
        settings: &[(&str, &str)],
        key: &str,
    ) -> Result<Self, String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.args(["serve", "--port", "0"]);
        Self::start_command(command, data, settings, key)
    }

    /// The same with a command that ends in `heddle serve`.
    pub(crate) fn start_command(
        mut command: Command,
        data: &Path,
        settings: &[(&str, &str)],
        key: &str,
    ) -> Result<Self, String> {
        command.env("HEDDLE_DATA", data).envs(settings.iter().copied()).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let mut log = String::new();
        let address = loop {
            let Some(Ok(line)) = lines.next() else {
                let status = process.wait().unwrap();
                return Err(format!("{log}{status}"));
            };
            log = log + &line + "\n";
            if let Some(rest) = line.split("listens on http://").nth(1) {
                break rest.split_whitespace().next().unwrap().to_owned();
            }
        };
        let log = Arc::new(Mutex::new(log));
        let written = log.clone();
        // What it logs later must not fill the pipe.
        let log_reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                *written.lock().unwrap() += &(line + "\n");
            }
        });
        Ok(Self { process, address, key: key.to_owned(), log, log_reader })
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn key(&self) -> &str {
        &self.key
    }

    /// How it ended, once it has.
    pub(crate) fn wait(&mut self) -> std::process::ExitStatus {
        self.process.wait().unwrap()
    }

    /// Ends it the hard way.
    pub(crate) fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Asks it to stop and waits until it has.
    pub(crate) fn stop(mut self) {
        self.terminate();
    }

    fn terminate(&mut self) {
        Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status().unwrap();
        assert!(self.process.wait().unwrap().success());
    }

    /// Stops it and returns all that it has logged.
    pub(crate) fn stop_and_read_log(mut self) -> String {
        self.terminate();
        while !self.log_reader.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.log()
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        request(
            &self.address,
            method,
            path,
            &[("content-type", "application/json")],
            body.map(Value::to_string).unwrap_or_default().as_bytes(),
        )
        .unwrap()
    }

    /// Calls the API with a key that may do everything.
    pub(crate) fn api(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let headers = [("content-type", "application/json"), ("x-n8n-api-key", self.key.as_str())];
        let body = body.map(Value::to_string).unwrap_or_default();
        request(&self.address, method, &format!("/api/v1{path}"), &headers, body.as_bytes())
            .unwrap()
    }

    /// Calls the API with further headers.
    pub(crate) fn api_with(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
        let headers: Vec<(&str, &str)> =
            headers.iter().copied().chain([("x-n8n-api-key", self.key.as_str())]).collect();
        request(&self.address, method, &format!("/api/v1{path}"), &headers, b"").unwrap()
    }

    /// What `/metrics` says.
    pub(crate) fn metrics(&self) -> String {
        let reply =
            request(&self.address, "GET", "/metrics", &[("x-n8n-api-key", self.key.as_str())], b"")
                .unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.text()
    }

    /// Resumes what is quarantined, as a person would who knows that nothing ails it; gives back
    /// how many went on. Those with a step that may have taken effect stay as they are.
    pub(crate) fn resume_quarantined(&self) -> usize {
        let mut count = 0;
        loop {
            let is_held =
                |run: &&Value| run["data"]["resultData"]["error"]["code"] == "RUN_QUARANTINED";
            let mut resumed = 0;
            for run in self.executions_with("&status=uncertain").iter().filter(is_held) {
                let reply = self.api(
                    "POST",
                    &format!("/executions/{}/resume", run["id"].as_str().unwrap()),
                    None,
                );
                resumed += usize::from(reply.status == 200);
                assert!(
                    reply.status == 200 || reply.text().contains("may have taken effect"),
                    "{}",
                    reply.text()
                );
            }
            count += resumed;
            wait_until("what was resumed is over", || {
                self.api("GET", "/executions?status=running&limit=1", None).json()["data"]
                    .as_array()
                    .is_some_and(Vec::is_empty)
            });
            if resumed == 0 {
                return count;
            }
        }
    }

    /// The most memory that it has had so far.
    pub(crate) fn peak_memory_mb(&self) -> u64 {
        peak_memory_kb(self.process.id()).unwrap() / 1024
    }

    /// All executions, with their data.
    pub(crate) fn executions(&self) -> Vec<Value> {
        self.executions_with("")
    }

    /// Those that a filter lets through, such as `&status=waiting`.
    pub(crate) fn executions_with(&self, filter: &str) -> Vec<Value> {
        let mut all = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = self
                .api(
                    "GET",
                    &format!("/executions?includeData=true&limit=250{filter}{cursor}"),
                    None,
                )
                .json();
            all.extend(page["data"].as_array().unwrap().iter().cloned());
            match page["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return all,
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// One request on a connection of its own.
pub(crate) fn request(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> std::io::Result<Reply> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let mut head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let split = answer
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .ok_or_else(|| std::io::Error::other("no answer"))?;
    let head = String::from_utf8_lossy(&answer[..split]).into_owned();
    let status = head
        .split_whitespace()
        .nth(1)
        .and_then(|code| code.parse().ok())
        .ok_or_else(|| std::io::Error::other("no status"))?;
    let mut body = answer[split + 4..].to_vec();
    if head.to_lowercase().contains("transfer-encoding: chunked") {
        body = unchunk(&body);
    }
    Ok(Reply { status, headers: head, body })
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|window| window == b"\r\n") {
        let size =
            usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap_or("0").trim(), 16)
                .unwrap_or(0);
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
    body
}

/// The most memory that a process has had so far, in kilobytes; `None` if it is over.
pub(crate) fn peak_memory_kb(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok())
}

/// Waits for something to become true.
#[track_caller]
pub(crate) fn wait_until(what: &str, check: impl FnMut() -> bool) {
    wait_until_within(Duration::from_secs(60), what, check);
}

#[track_caller]
pub(crate) fn wait_until_within(limit: Duration, what: &str, mut check: impl FnMut() -> bool) {
    let began = Instant::now();
    while !check() {
        assert!(began.elapsed() < limit, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}
