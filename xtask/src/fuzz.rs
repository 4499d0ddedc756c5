//! Runs the fuzz targets for a while, with LLVM's fuzzer and the coverage of our own crates.
//!
//! The targets share the profile, the features and the target folder of everything else, so that no
//! dependency is built a second time. Only our own crates are: this program stands in the
//! compiler's place for them (`RUSTC_WORKSPACE_WRAPPER`) and asks for coverage. No sanitizer is
//! needed, since our code is safe Rust, and so a stable toolchain will do.

use crate::clippy;
use anyhow::{Context as _, Result, bail, ensure};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use testkit::services;

/// Seconds per target, unless the first argument says otherwise.
const SECONDS: u32 = 60;

const SOURCES: &str = "fuzz/fuzz_targets";
/// What the fuzzer finds and says: inputs worth keeping, inputs that break something, logs.
const FOLDER: &str = "target/fuzz";

/// Bounds for one input: seconds, megabytes and bytes.
const BOUNDS: &[&str] = &["-timeout=10", "-rss_limit_mb=2048", "-max_len=4096"];

/// The target that needs real databases, and the variables that tell it where they are.
const WITH_DATABASES: &str = "read_only_sql";
const POSTGRES: &str = "HEDDLE_FUZZ_POSTGRES";
const MYSQL: &str = "HEDDLE_FUZZ_MYSQL";

/// What the fuzzer needs to see which code an input reaches, and which comparisons it meets there.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// `cargo xtask fuzz [seeds | SECONDS [TARGET…]]`.
pub(crate) fn run() -> Result<()> {
    let mut arguments = std::env::args().skip(2).peekable();
    if arguments.next_if(|word| word == "seeds").is_some() {
        return replay_seeds();
    }
    let seconds = arguments
        .next()
        .map(|seconds| seconds.parse())
        .transpose()
        .context("the time per target is a number of seconds")?;
    run_for(seconds.unwrap_or(SECONDS), &arguments.collect::<Vec<_>>())
}

/// Builds all targets, without coverage, and replays the inputs that each begins with: what was found
/// once stays fixed. The tests of the crates try random inputs; a nightly job searches for new ones.
pub(crate) fn replay_seeds() -> Result<()> {
    let targets = targets()?;
    let mut arguments = vec!["build", "--workspace", "--quiet", "--locked"];
    arguments.extend(targets.iter().flat_map(|target| ["--bin", target]));
    clippy(&arguments)?;
    let databases = Databases::start(&targets);
    for target in &targets {
        let mut command = Command::new(Path::new("target/debug").join(target));
        command.arg(seeds(target)).args(BOUNDS).arg("-runs=0");
        command.envs(databases.places.iter().map(|(variable, place)| (*variable, place.as_str())));
        let done = command.output().with_context(|| format!("{target} cannot be started"))?;
        let log = String::from_utf8_lossy(&done.stderr);
        ensure!(done.status.success(), "the seeds of {target} break it:\n{log}");
        let read = log.lines().find_map(|line| line.split("INFO: seed corpus: files: ").nth(1));
        let n_seeds = read.and_then(|rest| rest.split_whitespace().next());
        let n_seeds = n_seeds.with_context(|| format!("{target} has read no seeds:\n{log}"))?;
        eprintln!("fuzz: {target}: {n_seeds} seeds");
    }
    Ok(())
}

/// Builds the targets and runs each for so many seconds; all of them if none is named. One target
/// runs on each processor.
fn run_for(seconds: u32, wanted: &[String]) -> Result<()> {
    let mut targets = targets()?;
    if let Some(unknown) = wanted.iter().find(|name| !targets.contains(name)) {
        bail!("there is no fuzz target {unknown}; the targets are: {}", targets.join(", "));
    }
    targets.retain(|target| wanted.is_empty() || wanted.contains(target));
    build(&targets)?;
    let databases = Databases::start(&targets);
    let at_once = std::thread::available_parallelism().map_or(1, usize::from).min(targets.len());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match fuzz(target, seconds, &databases.places) {
                        Ok(told) => eprintln!("fuzz: {target}: {told}"),
                        Err(problem) => {
                            eprintln!("fuzz: {target}: {problem:#}");
                            failures
                                .lock()
                                .unwrap_or_else(std::sync::PoisonError::into_inner)
                                .push(target.clone());
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if !failures.is_empty() {
        bail!("fuzz targets failed: {}", failures.join(", "));
    }
    Ok(())
}

/// The names of the targets.
pub(crate) fn targets() -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in std::fs::read_dir(SOURCES).with_context(|| format!("{SOURCES} cannot be read"))? {
        targets.extend(entry?.path().file_stem().and_then(OsStr::to_str).map(str::to_owned));
    }
    targets.sort();
    Ok(targets)
}

/// Inputs to begin with, which are checked in.
pub(crate) fn seeds(target: &str) -> PathBuf {
    Path::new("fuzz/seeds").join(target)
}

fn build(targets: &[String]) -> Result<()> {
    let mut command = Command::new("cargo");
    // The whole workspace, as everywhere: with fewer packages the dependencies would be built again
    // with fewer features.
    command.args(["build", "--workspace", "--quiet", "--locked"]);
    for target in targets {
        command.args(["--bin", target]);
    }
    eprintln!("$ cargo build --workspace --bin {}", targets.join(" --bin "));
    let status = command
        .env("RUSTC_WORKSPACE_WRAPPER", std::env::current_exe()?)
        .status()
        .context("cargo cannot be started")?;
    if !status.success() {
        bail!("the fuzz targets cannot be built: {status}");
    }
    Ok(())
}

/// Servers that run as long as the targets do.
#[derive(Default)]
struct Databases {
    places: Vec<(&'static str, String)>,
    _running: Vec<Arc<services::Service>>,
}

impl Databases {
    /// None if no target needs them, or somebody has named their own.
    fn start(targets: &[String]) -> Self {
        let is_wanted = targets.iter().any(|target| target == WITH_DATABASES);
        if !is_wanted
            || [POSTGRES, MYSQL].iter().any(|variable| std::env::var_os(variable).is_some())
        {
            return Self::default();
        }
        let (postgres, mariadb) = (services::postgres(), services::mariadb());
        let place = |port: u16, user: &str, database: &str| {
            format!("127.0.0.1:{port}:{user}:{}:{database}", services::PASSWORD)
        };
        let places = vec![
            (POSTGRES, place(postgres.port, "postgres", "postgres")),
            (MYSQL, place(mariadb.port, "admin", "test")),
        ];
        Self { places, _running: vec![postgres, mariadb] }
    }
}

/// Runs a target, and says how far it came.
fn fuzz(target: &str, seconds: u32, databases: &[(&'static str, String)]) -> Result<String> {
    let (corpus, artifacts) = (
        Path::new(FOLDER).join("corpus").join(target),
        Path::new(FOLDER).join("artifacts").join(target),
    );
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&artifacts)?;
    let log_path = Path::new(FOLDER).join(format!("{target}.log"));
    let log = File::create(&log_path)?;
    let mut command = Command::new(Path::new("target/debug").join(target));
    command.arg(&corpus).arg(seeds(target)).args(BOUNDS).arg(format!("-max_total_time={seconds}"));
    command.arg(format!("-artifact_prefix={}/", artifacts.display())).arg("-print_final_stats=1");
    command.envs(databases.iter().map(|(variable, place)| (*variable, place.as_str())));
    let status =
        command.stdout(log.try_clone()?).stderr(log).status().context("it cannot be started")?;
    let log = String::from_utf8_lossy(&std::fs::read(&log_path)?).into_owned();
    if status.success() {
        return summary(&log).with_context(|| {
            format!("the fuzzer saw no coverage; its log is {}", log_path.display())
        });
    }
    let lines: Vec<&str> = log.lines().collect();
    eprintln!("{}", lines[lines.len().saturating_sub(60)..].join("\n"));
    match log.lines().find_map(|line| line.split("Test unit written to ").nth(1)) {
        Some(artifact) => bail!(
            "this input breaks it: {artifact}; to try it again: target/debug/{target} {artifact}"
        ),
        None => bail!("it ended with {status}; its log is {}", log_path.display()),
    }
}

/// How many inputs were tried, and how many edges of our code they reached. None if the target was
/// built without coverage: it would run, and find next to nothing.
fn summary(log: &str) -> Option<String> {
    let number = |after: &str| {
        log.lines().rev().find_map(|line| {
            line.split(after).nth(1)?.split_whitespace().next()?.parse::<u64>().ok()
        })
    };
    let (inputs, edges) = (number("stat::number_of_executed_units:")?, number("cov:")?);
    (log.contains("inline 8-bit counters") && edges > 0)
        .then(|| format!("{inputs} inputs, {edges} edges"))
}

/// The compiler, if Cargo has put this program in its place.
pub(crate) fn compiler() -> Option<OsString> {
    std::env::args_os()
        .nth(1)
        .filter(|program| Path::new(program).file_stem() == Some(OsStr::new("rustc")))
}

/// Compiles one of our crates with coverage. Questions about the compiler and build scripts, which
/// no fuzzer runs, are left as they are.
pub(crate) fn compile(compiler: &OsStr) -> Result<()> {
    let arguments: Vec<OsString> = std::env::args_os().skip(2).collect();
    let name = arguments.iter().skip_while(|argument| *argument != "--crate-name").nth(1);
    let is_ours = name
        .and_then(|name| name.to_str())
        .is_some_and(|name| name != "___" && !name.starts_with("build_script_"));
    let coverage = if is_ours { COVERAGE } else { &[] };
    let status = Command::new(compiler)
        .args(&arguments)
        .args(coverage)
        .status()
        .context("the compiler cannot be started")?;
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_00_a_fuzzer_that_sees_no_coverage_is_a_failure() {
        let log = "INFO: Loaded 1 modules   (93 inline 8-bit counters): 93 [0x1, 0x2),\n#12\tDONE   cov: 45 ft: 3 corp: 1/1b\nstat::number_of_executed_units: 12\n";
        assert_eq!(summary(log), Some("12 inputs, 45 edges".to_owned()));
        assert_eq!(summary(&log.replace("cov: 45 ", "")), None);
        assert_eq!(summary(&log.replace("(93 inline 8-bit counters)", "")), None);
        assert_eq!(summary(""), None);
    }
}
