//! Runs a command of the machine. Off until the operator allows it.

use node_api::host::Feature;
use node_api::prelude::*;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};

pub(crate) struct ExecuteCommand;

const TIMEOUT: Duration = Duration::from_secs(300);
/// What one of the two output streams may hold.
const MAX_OUTPUT_BYTES: u64 = 16 << 20;

impl Node for ExecuteCommand {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.executeCommand", &[1.0], "Execute Command", "Run a command of the machine")
            .group(Group::Flow)
            .param(Param::flag("executeOnce", "Execute once", true).help("Run the command once, not once for each item."))
            .param(Param::long_text("command", "Command", "").required().help("The command, given to the shell."))
            .hint("Only where no node does the work: the operator must allow it with HEDDLE_ALLOW_EXECUTE_COMMAND=1.")
            .differs("Off unless HEDDLE_ALLOW_EXECUTE_COMMAND=1 is set.")
            .note("The command sees PATH, HOME, LANG and TZ of the environment and nothing else of it.")
            .note("A command is stopped after five minutes, or when it writes more than 16 MiB.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        if !ctx.host().allows(Feature::ExecuteCommand) {
            return Err(NodeError::disallowed("Commands of the machine are not allowed here")
                .describe("The Execute Command node runs whatever it is told to with the rights of the server, so it is off by default.")
                .hint("The operator can set HEDDLE_ALLOW_EXECUTE_COMMAND=1 and restart."));
        }
        let count = if ctx.flag("executeOnce", 0)? { items.len().min(1) } else { items.len() };
        let mut output = ctx.builder();
        for index in 0..count {
            let result = match ctx.text("command", index) {
                Ok(command) => execute(ctx, &command).await,
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

async fn execute(ctx: &Ctx<'_>, command: &str) -> Result<Value, NodeError> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).env_clear();
    for name in ["PATH", "HOME", "LANG", "TZ"] {
        if let Some(value) = std::env::var_os(name) {
            shell.env(name, value);
        }
    }
    let failed = |problem: std::io::Error| NodeError::failed(format!("The command could not be run: {problem}"));
    let mut child = shell.spawn().map_err(failed)?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let finished = tokio::select! {
        finished = async { tokio::join!(read(out), read(err), child.wait()) } => Some(finished),
        () = stopped(ctx) => None,
    };
    let Some((stdout, stderr, status)) = finished else {
        stop(&mut child).await;
        return Err(NodeError::failed(format!("The command was stopped: it took longer than {} seconds", TIMEOUT.as_secs())));
    };
    let (stdout, stderr, status) = (stdout?, stderr?, status.map_err(failed)?);
    let code = status.code().unwrap_or(0);
    if !status.success() {
        return Err(NodeError::failed(format!("Command failed: {command}\n{stderr}")).with("exitCode", code).with("stderr", stderr));
    }
    Ok(Value::object(Object::from_iter([("exitCode", Value::from(code)), ("stderr", stderr.into()), ("stdout", stdout.into())])))
}

async fn stop(child: &mut Child) {
    // If it is gone already there is nothing to stop.
    let _ = child.kill().await;
}

/// Returns when the time is up or the run is cancelled.
async fn stopped(ctx: &Ctx<'_>) {
    let deadline = tokio::time::Instant::now() + TIMEOUT;
    while tokio::time::Instant::now() < deadline && !ctx.host().is_cancelled() {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn read(pipe: Option<impl AsyncRead + Unpin>) -> Result<Str, NodeError> {
    let mut bytes = Vec::new();
    if let Some(pipe) = pipe {
        let read = pipe.take(MAX_OUTPUT_BYTES + 1).read_to_end(&mut bytes).await;
        read.map_err(|problem| NodeError::failed(format!("The command's output could not be read: {problem}")))?;
    }
    if bytes.len() as u64 > MAX_OUTPUT_BYTES {
        return Err(NodeError::failed(format!("The command wrote more than {MAX_OUTPUT_BYTES} bytes")));
    }
    Ok(Str::from(String::from_utf8_lossy(&bytes).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_api::testing::{TestHost, items, run, run_on, to_json};

    async fn allowed(command: &str, once: bool, on_error: OnError) -> Result<Value, NodeError> {
        let mut host = TestHost::new(&ExecuteCommand::spec(), 1.0, &json!({ "command": command, "executeOnce": once }));
        host.allowed.push(Feature::ExecuteCommand);
        let outputs = run_on::<ExecuteCommand>(&host, 1.0, vec![items(&json!([{}, {}]))], on_error).await?;
        Ok(to_json(&outputs[0]))
    }

    #[tokio::test]
    async fn it_is_off_until_the_operator_allows_it() {
        let error = run::<ExecuteCommand>(json!({ "command": "true" }), json!([{}])).await.unwrap_err();
        assert_eq!(error.code(), Code::NODE_DISALLOWED);
        assert!(error.to_run_error("x").hint.unwrap().contains("HEDDLE_ALLOW_EXECUTE_COMMAND=1"));
    }

    #[tokio::test]
    async fn the_outputs_of_the_command_come_back() {
        let wanted = json!({ "exitCode": 0, "stderr": "no", "stdout": "yes" });
        assert_eq!(allowed("echo yes; echo no >&2", true, OnError::Stop).await.unwrap(), json!([wanted]));
        assert_eq!(allowed("true", false, OnError::Stop).await.unwrap().as_array().unwrap().len(), 2);
    }

    #[tokio::test]
    async fn a_failing_command_is_an_error() {
        let error = allowed("echo bad >&2; exit 3", true, OnError::Stop).await.unwrap_err();
        assert_eq!(error.message(), "Command failed: echo bad >&2; exit 3\nbad");
        assert_eq!(error.context().get("exitCode"), Some(&json!(3)));
        let kept = allowed("exit 3", true, OnError::ContinueRegular).await.unwrap();
        assert_eq!(kept, json!([{ "error": "Command failed: exit 3\n" }]));
    }

    #[tokio::test]
    async fn the_servers_environment_stays_hidden() {
        let environment = allowed("env", true, OnError::Stop).await.unwrap();
        assert!(!environment.get_path("[0].stdout").unwrap().as_str().unwrap().contains("CARGO"));
    }
}
