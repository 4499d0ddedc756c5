//! Runs work that cannot be trusted in a child process whose memory, time and files the operating
//! system limits.
//!
//! A thread that spins cannot be ended, and the memory it takes is ours; a process can be killed.
//! The child is this program again, under a hidden command that reads a request from standard input
//! and writes its answer to standard output.

pub(crate) mod row_protocol;

use model::{Code, Object, Value};
use node_api::NodeError;
use rustix::process::{Resource, Rlimit, setpriority_process, setrlimit};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;
use tokio::process::{Child, Command};
use tokio::sync::{Semaphore, SemaphorePermit};

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// The program that children run from now on. It must serve [`crate::files::PDF_COMMAND`] and
/// [`crate::flow::SQL_COMMAND`].
pub fn use_child_program(program: PathBuf) {
    // The first one stays: a process has one program.
    let _ = PROGRAM.set(program);
}

/// None in tests of this crate and in programs that never named one; the work then stays in this
/// process.
pub(crate) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// What a child is for. Each kind has a place of its own, so that none can take all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChildKind {
    Files,
    Queries,
}

/// Children at the same time, of whatever kind, besides the one that each kind has a place for:
/// each may take a gigabyte.
const SHARED_PERMITS: usize = 2;

static SHARED: Semaphore = Semaphore::const_new(SHARED_PERMITS);
static FILES: Semaphore = Semaphore::const_new(1);
static QUERIES: Semaphore = Semaphore::const_new(1);

/// The right to have a child, until it is dropped.
pub(crate) struct ChildPermit {
    _permit: Option<SemaphorePermit<'static>>,
}

/// Waits for a turn to have a child.
pub(crate) async fn acquire_permit(kind: ChildKind) -> ChildPermit {
    let own = match kind {
        ChildKind::Files => &FILES,
        ChildKind::Queries => &QUERIES,
    };
    // The semaphores are never closed.
    let place = tokio::select! {
        biased;
        place = own.acquire() => place.ok(),
        place = SHARED.acquire() => place.ok(),
    };
    ChildPermit { _permit: place }
}

/// Starts the program under a command, with nothing of our environment. Dropping the child kills
/// it.
pub(crate) fn spawn_child(program: &Path, command: &str, _turn: &ChildPermit) -> io::Result<Child> {
    #[expect(
        clippy::disallowed_methods,
        reason = "re-executes this binary with limits for a single job"
    )]
    let mut child = Command::new(program);
    child
        .arg(command)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    // The program's allocator reserves a gigabyte of addresses if nothing is said, and what is
    // reserved is not limited.
    child.env("MIMALLOC_ARENA_RESERVE", "32M");
    child.spawn()
}

/// Called by a child before it touches its request: `memory` bytes on top of what the program
/// itself takes, processor time, and no file at all. Only standard input and output, which are open
/// already, still work.
pub(crate) fn confine(memory: u64, time: Duration) -> io::Result<()> {
    let limit =
        |resource, most| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    limit(Resource::As, address_space_bytes().saturating_add(memory))?;
    limit(Resource::Cpu, time.as_secs() + 1)?;
    limit(Resource::Fsize, 0)?;
    limit(Resource::Core, 0)?;
    limit(Resource::Nofile, 0)?;
    // What serves connections goes first.
    setpriority_process(None, NICE)?;
    #[cfg(target_os = "linux")]
    rustix::thread::set_no_new_privs(true)?;
    Ok(())
}

/// How far children stand back behind us.
const NICE: i32 = 10;

/// What the program has reserved for itself before it reads anything.
#[expect(
    clippy::disallowed_methods,
    reason = "reads metrics of the current process from the system"
)]
fn address_space_bytes() -> u64 {
    let figures = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = figures.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages.saturating_mul(rustix::param::page_size() as u64)
}

/// An error as a child writes it.
pub(crate) fn error_fields(error: &NodeError) -> Object {
    let told = error.to_run_error("");
    let mut fields = Object::from_iter([
        ("code", Value::from(told.code.name())),
        ("message", told.message.into()),
    ]);
    for (key, text) in [("description", told.description), ("hint", told.hint)] {
        if let Some(text) = text {
            fields.insert(key, text);
        }
    }
    if let Some(parameter) = told.context.get("parameter") {
        fields.insert("parameter", parameter.clone());
    }
    fields
}

/// The error that a child wrote.
pub(crate) fn error_from_fields(fields: &Value) -> NodeError {
    let text = |key: &str| fields.get(key).and_then(Value::as_str);
    let code = text("code").and_then(Code::from_name).unwrap_or(Code::NODE_INPUT);
    let mut error = NodeError::new(code, text("message").unwrap_or_default());
    if let Some(description) = text("description") {
        error = error.describe(description);
    }
    if let Some(hint) = text("hint") {
        error = error.hint(hint);
    }
    if let Some(parameter) = text("parameter") {
        error = error.with("parameter", parameter);
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn issue_14_08_children_are_limited_and_no_kind_takes_all_places() {
        let now = async |kind| {
            tokio::time::timeout(Duration::from_millis(50), acquire_permit(kind)).await.ok()
        };
        let mut queries = Vec::new();
        while let Some(query) = now(ChildKind::Queries).await {
            queries.push(query);
            assert!(queries.len() <= SHARED_PERMITS + 1);
        }
        // Tests of this crate that have a child take a place for a moment.
        let file = tokio::time::timeout(Duration::from_secs(120), acquire_permit(ChildKind::Files))
            .await
            .unwrap();
        drop((file, queries));
    }

    #[test]
    fn errors_survive_the_way() {
        let parts = |error: &NodeError| {
            let told = error.to_run_error("");
            (told.code, told.message, told.description, told.hint, told.context)
        };
        for error in [
            NodeError::input("Incorrect Password").hint("Set it."),
            NodeError::new(Code::INPUT_BOMB, "too deep"),
            NodeError::parameter("query", "Issue while executing query")
                .describe("near \"x\": syntax error"),
        ] {
            assert_eq!(
                parts(&error_from_fields(&Value::object(error_fields(&error)))),
                parts(&error)
            );
        }
    }
}
