//! Runs a command of the machine. Off until the operator allows it.

use node_api::host::Feature;
use node_api::prelude::*;
use rustix::process::{Pid, Signal};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

pub(crate) struct ExecuteCommand;

const TIMEOUT: Duration = Duration::from_secs(300);
/// What one of the two output streams may hold.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;

impl Node for ExecuteCommand {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.executeCommand", &[1.0], "Execute Command", "Run a shell command")
            .icon("terminal")
            .untrusted()
            .private()
            .sends_to_exact("command")
            .group(NodeGroup::Flow)
            .param(
                Param::flag("executeOnce", "Execute once", true)
                    .help("Run the command once instead of once per item."),
            )
            .param(
                Param::long_text("command", "Command", "").required().help("Shell command to run."),
            )
            .hint(
                "Use it only if no other node does the job. Requires \
                 HEDDLE_ALLOW_EXECUTE_COMMAND=1.",
            )
            .differs("Off unless HEDDLE_ALLOW_EXECUTE_COMMAND=1 is set.")
            .note("The command's environment contains only PATH, HOME, LANG and TZ.")
            .note("A command is stopped after five minutes, or if its output exceeds 16 MiB.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        if !ctx.host().allows(Feature::ExecuteCommand) {
            return Err(NodeError::disallowed("Running shell commands is not allowed")
                .describe("The Execute Command node runs any command with the server's permissions, so it \
                     is disabled by default.")
                .hint("Set HEDDLE_ALLOW_EXECUTE_COMMAND=1 and restart to enable it."));
        }
        let count = if ctx.flag("executeOnce", 0)? { items.len().min(1) } else { items.len() };
        let mut output = ctx.builder();
        for index in 0..count {
            let result = match ctx.text("command", index) {
                Ok(command) => execute(&command, wait_for_stop(ctx)).await,
                Err(error) => Err(error),
            };
            match result {
                Ok(json) => output.push(Item::new(json).paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn execute(
    command: &str,
    stopped: impl Future<Output = CommandStop>,
) -> Result<Value, NodeError> {
    #[expect(
        clippy::disallowed_methods,
        reason = "running commands is the purpose of this node; disabled unless the operator allows it"
    )]
    let mut shell = Command::new("/bin/sh");
    shell
        .arg("-c")
        .arg(command)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .env_clear();
    shell.process_group(0);
    for name in ["PATH", "HOME", "LANG", "TZ"] {
        if let Some(value) = std::env::var_os(name) {
            shell.env(name, value);
        }
    }
    let failed = |problem: std::io::Error| {
        NodeError::failed(format!("The command could not be run: {problem}"))
    };
    let mut child = shell.spawn().map_err(failed)?;
    let mut family = ProcessGroup(child.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let finished = tokio::select! {
        finished = async { tokio::join!(read(out), read(err), child.wait()) } => Ok(finished),
        reason = stopped => Err(reason),
    };
    let (stdout, stderr, status) = match finished {
        Ok((stdout, stderr, status)) => (stdout?, stderr?, status.map_err(failed)?),
        Err(CommandStop::Cancelled) => {
            return Err(NodeError::failed("The command was stopped: the run was cancelled"));
        }
        Err(CommandStop::TimedOut) => {
            return Err(NodeError::failed(format!(
                "The command timed out after {} seconds",
                TIMEOUT.as_secs()
            )));
        }
    };
    // What the command left running on purpose, with its output elsewhere, goes on.
    family.0 = None;
    let code = status.code().unwrap_or(0);
    if !status.success() {
        return Err(NodeError::failed(format!("Command failed: {command}\n{stderr}"))
            .with("exitCode", code)
            .with("stderr", stderr));
    }
    Ok(Value::object(Object::from_iter([
        ("exitCode", Value::from(code)),
        ("stderr", stderr.into()),
        ("stdout", stdout.into()),
    ])))
}

/// The shell and everything that it started. Whoever lets go of it early ends them all.
struct ProcessGroup(Option<Pid>);

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if let Some(leader) = self.0 {
            // If they are gone already there is nothing to end.
            let _ = rustix::process::kill_process_group(leader, Signal::KILL);
        }
    }
}

/// Why a command does not run to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommandStop {
    Cancelled,
    TimedOut,
}

/// Returns when the time is up or the run is cancelled.
async fn wait_for_stop(ctx: &Ctx<'_>) -> CommandStop {
    let deadline = tokio::time::Instant::now() + TIMEOUT;
    while tokio::time::Instant::now() < deadline {
        if ctx.host().is_cancelled() {
            return CommandStop::Cancelled;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    CommandStop::TimedOut
}

async fn read(pipe: Option<impl AsyncRead + Unpin>) -> Result<Str, NodeError> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let read = pipe.take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut bytes).await;
        read.map_err(|problem| {
            NodeError::failed(format!("The command's output could not be read: {problem}"))
        })?;
    }
    if bytes.len() as u64 > MAX_OUTPUT_BYTES {
        return Err(NodeError::failed(format!(
            "The command's output exceeds the limit of {MAX_OUTPUT_BYTES} bytes"
        )));
    }
    Ok(Str::from(String::from_utf8_lossy(&bytes).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run, run_on, to_json};

    async fn allowed(command: &str, once: bool, on_error: OnError) -> Result<Value, NodeError> {
        let mut host = TestHost::new(
            &ExecuteCommand::spec(),
            1.0,
            &json!({ "command": command, "executeOnce": once }),
        );
        host.allowed.push(Feature::ExecuteCommand);
        let outputs =
            run_on::<ExecuteCommand>(&host, 1.0, vec![items(&json!([{}, {}]))], on_error).await?;
        Ok(to_json(&outputs[0]))
    }

    #[tokio::test]
    async fn it_is_off_until_the_operator_allows_it() {
        let error =
            run::<ExecuteCommand>(json!({ "command": "true" }), json!([{}])).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_DISALLOWED);
        assert!(error.to_run_error("x").hint.unwrap().contains("HEDDLE_ALLOW_EXECUTE_COMMAND=1"));
    }

    #[tokio::test]
    async fn the_outputs_of_the_command_come_back() {
        let wanted = json!({ "exitCode": 0, "stderr": "no", "stdout": "yes" });
        assert_eq!(
            allowed("echo yes; echo no >&2", true, OnError::Stop).await.unwrap(),
            json!([wanted])
        );
        assert_eq!(
            allowed("true", false, OnError::Stop).await.unwrap().as_array().unwrap().len(),
            2
        );
    }

    #[tokio::test]
    async fn a_failing_command_is_an_error() {
        let error = allowed("echo bad >&2; exit 3", true, OnError::Stop).await.unwrap_err();
        assert_eq!(error.message(), "Command failed: echo bad >&2; exit 3\nbad");
        assert_eq!(error.context().get("exitCode"), Some(&json!(3)));
        let kept = allowed("exit 3", true, OnError::ContinueRegular).await.unwrap();
        assert_eq!(kept, json!([{ "error": "Command failed: exit 3\n" }]));
    }

    /// A command whose children's children outlive the shell, and the file that has the number of
    /// one of them.
    fn family() -> (String, std::path::PathBuf) {
        let file = std::env::temp_dir().join(format!("heddle-command-{}", uuid::Uuid::new_v4()));
        (
            format!(
                "(sleep 300 & echo $! > {0}.new; mv {0}.new {0}; wait) & sleep 300; wait",
                file.display()
            ),
            file,
        )
    }

    async fn number_in(file: &std::path::Path) -> u32 {
        loop {
            if let Ok(text) = std::fs::read_to_string(file) {
                return text.trim().parse().unwrap();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Nothing but its entry in the table may be left of a process.
    async fn is_gone(number: u32) -> bool {
        for _ in 0..3_000 {
            let state = std::fs::read_to_string(format!("/proc/{number}/stat"));
            if state.is_err()
                || state.is_ok_and(|state| {
                    state.rsplit(')').next().is_some_and(|rest| rest.starts_with(" Z"))
                })
            {
                return true;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        false
    }

    #[tokio::test]
    async fn stopping_a_command_ends_all_that_it_started() {
        let (command, file) = family();
        let started = Box::pin(async {
            number_in(&file).await;
            CommandStop::Cancelled
        });
        let error = execute(&command, started).await.unwrap_err();
        assert_eq!(error.message(), "The command was stopped: the run was cancelled");
        assert!(is_gone(number_in(&file).await).await);
        std::fs::remove_file(file).unwrap();
    }

    #[tokio::test]
    async fn a_run_that_is_dropped_leaves_nothing_running() {
        let (command, file) = family();
        let number = tokio::select! {
            number = number_in(&file) => number,
            _ = execute(&command, std::future::pending()) => unreachable!(),
        };
        assert!(is_gone(number).await);
        std::fs::remove_file(file).unwrap();
    }

    #[tokio::test]
    async fn the_servers_environment_stays_hidden() {
        let environment = allowed("env", true, OnError::Stop).await.unwrap();
        assert!(!environment.get_path("[0].stdout").unwrap().as_str().unwrap().contains("CARGO"));
    }
}
