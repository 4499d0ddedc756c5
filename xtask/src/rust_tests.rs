//! Builds all Rust tests and runs their binaries side by side: many tests wait for time to pass or
//! for a server to start, and one binary after the other leaves a core idle.

use crate::lint_wrapper;
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Where tests name themselves if what they need is missing; see `testkit::not_run`.
const NOT_RUN: &str = "target/not-run.txt";

/// How many binaries run at a time; each has a thread per core.
const AT_ONCE: usize = 2;

struct TestBinary {
    name: String,
    path: PathBuf,
    /// The folder of its package, where it is run as by Cargo.
    folder: PathBuf,
    bytes: u64,
}

/// `cargo xtask test`.
pub(crate) fn run() -> Result<()> {
    let report = std::env::current_dir()?.join(NOT_RUN);
    let mut binaries = binaries()?;
    std::fs::write(&report, "")?;
    // The largest have the most tests, and nothing should wait for one that began last.
    binaries.sort_by_key(|binary| std::cmp::Reverse(binary.bytes));
    let failed = run_all(binaries, &report)?;
    show_not_run()?;
    if !failed.is_empty() {
        bail!("tests failed in {}", failed.join(", "));
    }
    Ok(())
}

/// Builds all tests, and the programs that they start.
pub(crate) fn build() -> Result<()> {
    binaries().map(|_| ())
}

fn binaries() -> Result<Vec<TestBinary>> {
    // Examples measure and are no tests; `cargo xtask lint` builds them.
    let arguments = [
        "test",
        "--workspace",
        "--tests",
        "--quiet",
        "--no-run",
        "--message-format=json-render-diagnostics",
    ];
    eprintln!("$ cargo {}", arguments.join(" "));
    let built = Command::new("cargo")
        .args(arguments)
        .envs([lint_wrapper()?])
        .stderr(Stdio::inherit())
        .output()?;
    if !built.status.success() {
        bail!("the tests could not be built");
    }
    let lines = String::from_utf8(built.stdout).context("Cargo wrote something else than JSON")?;
    let mut binaries = Vec::new();
    for line in lines.lines() {
        let message: Value = serde_json::from_str(line)?;
        let Some(path) = message["executable"].as_str().map(PathBuf::from) else { continue };
        if message["profile"]["test"] != true {
            continue;
        }
        let manifest = message["manifest_path"].as_str().map(Path::new);
        let folder = manifest.and_then(Path::parent).context("Cargo names no manifest")?;
        let package = folder.file_name().unwrap_or_default().to_string_lossy();
        let kind = message["target"]["kind"][0].as_str().unwrap_or_default();
        binaries.push(TestBinary {
            name: format!("{package} {kind}"),
            bytes: std::fs::metadata(&path)?.len(),
            folder: folder.to_owned(),
            path,
        });
    }
    Ok(binaries)
}

/// Runs the binaries and returns the names of those that failed.
fn run_all(binaries: Vec<TestBinary>, report: &Path) -> Result<Vec<String>> {
    let waiting = Mutex::new(VecDeque::from(binaries));
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let work = || -> Result<Vec<String>> {
        let mut failed = Vec::new();
        while let Some(binary) = next() {
            if !binary.run(report)? {
                failed.push(binary.name);
            }
        }
        Ok(failed)
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let mut failed = Vec::new();
        for worker in workers {
            match worker.join() {
                Ok(names) => failed.extend(names?),
                Err(_) => bail!("a thread that ran tests has panicked"),
            }
        }
        Ok(failed)
    })
}

impl TestBinary {
    /// Runs it and prints what it said: all of it if a test failed, else only how many passed.
    fn run(&self, report: &Path) -> Result<bool> {
        let began = Instant::now();
        eprintln!("   {}: started", self.name);
        let run = Command::new(&self.path)
            .arg("--quiet")
            .current_dir(&self.folder)
            .env("CARGO_MANIFEST_DIR", &self.folder)
            .env("TESTS_NOT_RUN", report)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("{} could not be started", self.path.display()))?;
        let said = String::from_utf8_lossy(&run.stdout);
        let result = said.lines().rfind(|line| line.starts_with("test result")).unwrap_or_default();
        eprintln!("   {}: {result} ({} s)", self.name, began.elapsed().as_secs());
        if !run.status.success() {
            eprintln!("{said}{}", String::from_utf8_lossy(&run.stderr));
        }
        Ok(run.status.success())
    }
}

/// Lists the tests that passed without having run.
pub(crate) fn show_not_run() -> Result<()> {
    let report = std::fs::read_to_string(NOT_RUN)?;
    let tests: BTreeSet<&str> = report.lines().collect();
    eprintln!("== tests not run: {}", tests.len());
    tests.iter().for_each(|test| eprintln!("   {test}"));
    Ok(())
}
