//! A server in a process of its own, and what it takes.

use super::load::{Load, Measurement, RawRequest};
use anyhow::{Context as _, Result, bail};
use std::io::{BufRead as _, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// More rows than any of the scenarios writes.
const TABLE_BYTES: &str = "10000000000";

pub(super) const HEDDLE: &str = "target/release/heddle";

pub(super) struct BenchServer {
    pub(super) address: String,
    id: u32,
    /// Without one, the process is not ours.
    process: Option<Child>,
}

impl BenchServer {
    /// `egress` is what workflows may call.
    pub(super) fn heddle(data: &Path, egress: &str) -> Result<Self> {
        let mut command = Command::new(HEDDLE);
        command.args(["serve", "--port", "0", "--data"]).arg(data);
        command.env("HEDDLE_EGRESS_ALLOW", egress).env("HEDDLE_FILES_ROOT", data.join("workspace"));
        // Everything at once shall be answered, not turned away, and a table shall hold the rows of
        // all runs.
        command.env("HEDDLE_RUNS_AT_ONCE", "1000").env("HEDDLE_TABLE_BYTES", TABLE_BYTES);
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let told = process.stderr.take().context("no output")?;
        Self::started(process, told)
    }

    pub(super) fn floor(folder: &Path) -> Result<Self> {
        let mut command = Command::new("target/release/examples/floor");
        command.arg(folder);
        Self::peer(command)
    }

    /// Somebody else's program that says on its standard output where it listens.
    pub(super) fn peer(mut command: Command) -> Result<Self> {
        let mut process = command.stdout(Stdio::piped()).spawn()?;
        let told = process.stdout.take().context("no output")?;
        Self::started(process, told)
    }

    /// Somebody else's that runs already, if `BENCH_<name>_URL` and `BENCH_<name>_PID` say where.
    pub(super) fn running(name: &str) -> Result<Option<Self>> {
        let Ok(url) = std::env::var(format!("BENCH_{name}_URL")) else { return Ok(None) };
        let id = std::env::var(format!("BENCH_{name}_PID")).ok().and_then(|id| id.parse().ok());
        let id = id.with_context(|| format!("BENCH_{name}_PID is not the number of a process"))?;
        Ok(Some(Self {
            address: url.trim_start_matches("http://").trim_end_matches('/').to_owned(),
            id,
            process: None,
        }))
    }

    /// Waits until it says where it listens.
    fn started(process: Child, told: impl Read + Send + 'static) -> Result<Self> {
        let mut lines = BufReader::new(told).lines();
        let address = loop {
            let Some(line) = lines.next() else { bail!("the server did not start") };
            if let Some(rest) = line?.split("listens on http://").nth(1) {
                break rest.split_whitespace().next().unwrap_or_default().to_owned();
            }
        };
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { address, id: process.id(), process: Some(process) })
    }

    /// Processor time so far, in seconds, of the process and those it has started: n8n runs code in
    /// one of them.
    fn cpu(&self) -> Result<f64> {
        let mut found: Vec<ProcessStat> = Vec::new();
        for entry in std::fs::read_dir("/proc")?.flatten() {
            let is_process = entry.file_name().to_string_lossy().parse::<u32>().is_ok();
            if is_process && let Ok(line) = std::fs::read_to_string(entry.path().join("stat")) {
                found.extend(ProcessStat::read(&line));
            }
        }
        let mut family = vec![self.id];
        let mut ticks = 0.0;
        while let Some(id) = family.pop() {
            ticks += found.iter().find(|stat| stat.id == id).map_or(0.0, |stat| stat.ticks);
            family.extend(found.iter().filter(|stat| stat.parent == id).map(|stat| stat.id));
        }
        Ok(ticks / 100.0)
    }

    /// Megabytes that are in memory.
    pub(super) fn memory(&self) -> Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.id))?;
        let line = text.lines().find(|line| line.starts_with("VmRSS")).context("status")?;
        Ok(line
            .split_whitespace()
            .nth(1)
            .and_then(|kb| kb.parse::<u64>().ok())
            .context("status")?
            / 1024)
    }

    /// Runs a load; what is done after the answers counts too.
    pub(super) fn measure(&self, load: &Load, requests: &[RawRequest]) -> Result<Measurement> {
        let before = self.cpu()?;
        let measured = load.run(&self.address, requests)?;
        self.drain()?;
        Ok(Measurement { cpu_us: (self.cpu()? - before) * 1e6 / load.requests as f64, ..measured })
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

    /// Asks it to end, and waits for that: the database is in one file then.
    pub(super) fn stop(mut self) -> Result<()> {
        if let Some(mut process) = self.process.take() {
            crate::call("kill", &["-TERM", &self.id.to_string()])?;
            process.wait()?;
        }
        Ok(())
    }
}

impl Drop for BenchServer {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// What the kernel says about a process.
struct ProcessStat {
    id: u32,
    parent: u32,
    /// Hundredths of a second of processor time.
    ticks: f64,
}

impl ProcessStat {
    /// A line of `/proc/ID/stat`; the name in brackets may hold anything.
    fn read(line: &str) -> Option<Self> {
        let (id, rest) = line.split_once(" (")?;
        let fields: Vec<&str> = rest.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
        Some(Self {
            id: id.parse().ok()?,
            parent: fields.get(1)?.parse().ok()?,
            ticks: number(11)? + number(12)?,
        })
    }
}
