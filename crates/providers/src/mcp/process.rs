//! A server's process: started from the operator's file only, with a clean environment, limits of
//! its own and a process group that is killed with it.

use super::config::ProcessConfig;
use super::environment::environment;
use super::limits::{MAX_GARBAGE_LINES, MAX_MESSAGE_BYTES, MAX_STDERR_BYTES, PROCESS_FILES};
use super::message::{GivenUp, MessageGuard};
use super::pipe::{Inbox, Outlet, PipeTransport};
use bytes::Bytes;
use futures::future::BoxFuture;
use model::Str;
use node_api::mcp::McpError;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader,
};
use tokio::process::{Child, ChildStdin, Command};

/// A running process. Dropping it kills it and all its children.
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
}

/// The last bytes of standard error.
#[derive(Clone, Default)]
pub(super) struct StderrTail {
    kept: Arc<Mutex<VecDeque<u8>>>,
    /// Values that are not shown: those of the environment.
    secrets: Arc<Vec<String>>,
}

/// Values of variables that are shorter are no secrets, and occur in ordinary words.
const MIN_SECRET_CHARS: usize = 6;

/// Starts the process and gives the transport over its standard input and output.
pub(super) fn start(
    config: &ProcessConfig,
    guard: MessageGuard,
) -> Result<(Process, PipeTransport, StderrTail), McpError> {
    let server = guard.server().clone();
    let failed = |what: &str, error: &dyn std::fmt::Display| McpError::Connect {
        server: server.clone(),
        reason: format!("{what}: {error}").into(),
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "the operator's file names the command; nothing of a workflow is in it"
    )]
    let mut command = Command::new(&config.command);
    command
        .args(&config.args)
        .env_clear()
        .envs(environment(config))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    if let Some(folder) = &config.cwd {
        command.current_dir(folder);
    }
    let mut child = command
        .spawn()
        .map_err(|error| failed(&format!("'{}' could not be started", config.command), &error))?;
    let group = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let process = Process { child, group };
    if let Some(group) = group {
        limit(group, config).map_err(|error| failed("its limits could not be set", &error))?;
    }
    let (Some(input), Some(output), Some(errors)) = pipes else {
        return Err(failed("it has no pipes", &"none was made"));
    };
    let secrets = config.env.iter().map(|(_, value)| value.clone());
    let secrets = secrets.filter(|value| value.chars().count() >= MIN_SECRET_CHARS).collect();
    let tail = StderrTail { secrets: Arc::new(secrets), ..StderrTail::default() };
    tokio::spawn(tail.clone().read(errors));
    let outlet = Arc::new(Input { pipe: tokio::sync::Mutex::new(input), guard: guard.clone() });
    let transport = PipeTransport::new(guard, outlet, |inbox| read_lines(output, inbox));
    Ok((process, transport, tail))
}

/// Memory, files and standing of a process and of what it starts. Its command is the operator's, so
/// that the moment before they hold does not matter.
#[cfg(target_os = "linux")]
fn limit(process: Pid, config: &ProcessConfig) -> rustix::io::Result<()> {
    use rustix::process::{Resource, Rlimit, prlimit, setpriority_process};
    let most = |resource, most| {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        prlimit(Some(process), resource, limit).map(|_| ())
    };
    // Addresses that a runtime only reserves do not count.
    most(Resource::Data, config.memory)?;
    most(Resource::Nofile, PROCESS_FILES)?;
    most(Resource::Core, 0)?;
    setpriority_process(Some(process), 5)
}

#[cfg(not(target_os = "linux"))]
fn limit(_: Pid, _: &ProcessConfig) -> rustix::io::Result<()> {
    Ok(())
}

impl Process {
    /// How it ended, if it has.
    pub(super) fn ending(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok()??;
        Some(format!("the process ended ({status})"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // It may have ended with all its children.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

struct Input {
    pipe: tokio::sync::Mutex<ChildStdin>,
    guard: MessageGuard,
}

impl Outlet for Input {
    fn send(&self, text: Bytes) -> BoxFuture<'_, Result<(), GivenUp>> {
        Box::pin(async move {
            let mut line = text.to_vec();
            line.push(b'\n');
            let mut pipe = self.pipe.lock().await;
            let written = async {
                pipe.write_all(&line).await?;
                pipe.flush().await
            };
            written.await.map_err(|error| {
                let server = self.guard.server().clone();
                let reason = format!("its standard input is closed: {error}").into();
                self.guard.fail(McpError::Closed { server, what: "write".into(), reason })
            })
        })
    }
}

/// Reads one message a line. Programs that print something else in between are put up with.
async fn read_lines(output: impl AsyncRead + Unpin, inbox: Inbox) {
    let mut output = BufReader::with_capacity(64 << 10, output);
    let mut line = Vec::new();
    let mut n_garbage = 0;
    loop {
        line.clear();
        // One byte more than a message has: a line that is too long is told from one that fits.
        let mut limited = (&mut output).take(MAX_MESSAGE_BYTES as u64 + 1);
        match limited.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = line.trim_ascii();
        if text.is_empty() {
            continue;
        }
        match inbox.take(text).await {
            Ok(true) => {}
            Ok(false) => n_garbage += 1,
            Err(GivenUp) => return,
        }
        if n_garbage > MAX_GARBAGE_LINES {
            inbox.broken("it prints text that is not JSON-RPC to standard output");
            return;
        }
    }
}

impl StderrTail {
    async fn read(self, mut errors: impl AsyncRead + Unpin) {
        let mut piece = vec![0; 4096];
        while let Ok(count @ 1..) = errors.read(&mut piece).await {
            let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend(&piece[..count]);
            let excess = kept.len().saturating_sub(MAX_STDERR_BYTES);
            kept.drain(..excess);
        }
    }

    /// What there is, without secrets and control characters.
    pub(super) fn text(&self) -> Str {
        let bytes: Vec<u8> = {
            let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.iter().copied().collect()
        };
        let mut text = String::from_utf8_lossy(&bytes).into_owned();
        for secret in self.secrets.iter() {
            text = text.replace(secret.as_str(), "***");
        }
        super::text::visible(&text, MAX_STDERR_BYTES)
    }
}
