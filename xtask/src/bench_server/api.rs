//! The server's own API, for what a benchmark sets up and looks at.

use super::load::request;
use super::process::{BenchServer, HEDDLE};
use super::response::ResponseReader;
use anyhow::{Context as _, Result};
use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

pub(super) struct ApiClient {
    key: String,
}

impl ApiClient {
    pub(super) fn of(data: &Path) -> Result<Self> {
        let made =
            Command::new(HEDDLE).args(["api-keys", "create", "--data"]).arg(data).output()?;
        let key = String::from_utf8(made.stdout)?
            .split_whitespace()
            .find(|word| word.starts_with("heddle_"))
            .map(str::to_owned);
        Ok(Self {
            key: key.with_context(|| {
                format!("no key was made: {}", String::from_utf8_lossy(&made.stderr))
            })?,
        })
    }

    pub(super) fn call(
        &self,
        server: &BenchServer,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Result<String> {
        let plain = request(&server.address, method, path, "application/json", body);
        let headers = format!("x-n8n-api-key: {}\r\nconnection: close", self.key);
        let with_key = String::from_utf8_lossy(&plain).replacen("user-agent: bench", &headers, 1);
        let mut stream = TcpStream::connect(&server.address)?;
        stream.write_all(with_key.as_bytes())?;
        Ok(String::from_utf8_lossy(ResponseReader::read(&mut stream)?.body()).into_owned())
    }

    /// How many writes the store has taken since it started.
    pub(super) fn writes(&self, server: &BenchServer) -> Result<f64> {
        self.metric(server, "heddle_store_group_size_sum")
    }

    /// How many workflows listen.
    pub(super) fn n_active(&self, server: &BenchServer) -> Result<f64> {
        self.metric(server, "heddle_active_workflows")
    }

    fn metric(&self, server: &BenchServer, name: &str) -> Result<f64> {
        let told = self.call(server, "GET", "/metrics", b"")?;
        let line = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|number| number.trim().parse().ok())
            .with_context(|| format!("no {name} in the metrics"))
    }
}
