//! `heddle executions retry | resume | approve | reject` and `heddle replay --from`: by the server
//! that runs on the folder, or in this process if there is none.

use super::print;
use crate::cli::DataFolder;
use crate::commands::local_server::{TemporaryKey, server_address};
use crate::commands::{block_on, with_code};
use crate::credentials::StoredCredentials;
use crate::logs;
use crate::settings::Settings;
use crate::terminal::eprint_line;
use crate::wiring::{self, ServedFolder};
use anyhow::{Context as _, Result};
use model::{RunStatus, Str};
use node_api::checkpoints::ApprovalVerdict;
use runtime::{
    ApprovalDecision, Decision, DecisionOutcome, Fork, RetryWith, RunLimits, Runtime,
    RuntimeOptions,
};
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use store::{ProjectFolders, Store};

/// How long the key lives that lets us talk to the server.
const KEY_LIFETIME_MS: i64 = 60_000;

#[derive(Clone)]
pub(in crate::commands) enum ExecutionAction {
    Retry,
    Resume(Decision),
    /// Decides about a call that an agent asks for.
    Decide {
        call: Str,
        ruling: ApprovalDecision,
    },
    Fork(Fork),
}

impl ExecutionAction {
    fn name(&self) -> &'static str {
        match self {
            ExecutionAction::Retry => "retry",
            ExecutionAction::Resume(_) => "resume",
            ExecutionAction::Decide { .. } => "approve",
            ExecutionAction::Fork(_) => "fork",
        }
    }

    fn body(&self) -> Option<String> {
        match self {
            // Whoever tries again at a terminal has usually mended the workflow.
            ExecutionAction::Retry => Some(serde_json::json!({ "loadWorkflow": true }).to_string()),
            ExecutionAction::Resume(Decision { finding, call, .. }) => {
                let (decision, result) = match finding {
                    DecisionOutcome::Undecided => (None, None),
                    DecisionOutcome::Retry => (Some("again"), None),
                    DecisionOutcome::Happened { result } => (Some("done"), Some(result.as_str())),
                };
                Some(serde_json::json!({ "decision": decision, "result": result, "call": call.as_deref() }).to_string())
            }
            ExecutionAction::Decide {
                call,
                ruling: ApprovalDecision { verdict, digest, reason, .. },
            } => {
                let decision =
                    if *verdict == ApprovalVerdict::Approved { "approve" } else { "reject" };
                let (call, digest, reason) = (call.as_str(), digest.as_str(), reason.as_deref());
                Some(serde_json::json!({ "call": call, "digest": digest, "decision": decision, "reason": reason }).to_string())
            }
            ExecutionAction::Fork(Fork { from, model }) => Some(
                serde_json::json!({ "from": from.as_str(), "model": model.as_deref() }).to_string(),
            ),
        }
    }
}

pub(in crate::commands) fn run(
    data: &DataFolder,
    id: i64,
    how: &ExecutionAction,
) -> Result<ExitCode> {
    let folder = data.path();
    match server_address(&folder)? {
        Some(address) => block_on(run_on_server(&folder, &address, id, how))?,
        None => block_on(run_locally(&folder, id, how))?,
    }
}

/// Lets the server remove an execution, which may be running, or be waited for.
pub(super) async fn delete_by_server(folder: &Path, address: &str, id: i64) -> Result<()> {
    let store = wiring::open_store(folder).map_err(with_code)?;
    let request =
        |client: &reqwest::Client| client.delete(format!("{address}/api/v1/executions/{id}"));
    call_server(&*store, "execution:delete", address, request).await.map(drop)
}

/// Asks the server, and waits for the run to end.
async fn run_on_server(
    folder: &Path,
    address: &str,
    id: i64,
    how: &ExecutionAction,
) -> Result<ExitCode> {
    let store = wiring::open_store(folder).map_err(with_code)?;
    let request = |client: &reqwest::Client| {
        let request = client.post(format!("{address}/api/v1/executions/{id}/{}", how.name()));
        match how.body() {
            Some(body) => request.body(body),
            None => request,
        }
    };
    let body = call_server(&*store, "execution:retry", address, request).await?;
    let run: i64 = body["id"]
        .as_str()
        .and_then(|id| id.parse().ok())
        .context("the server's response names no execution")?;
    loop {
        let found = store
            .execution(run)
            .await
            .map_err(with_code)?
            .with_context(|| format!("execution {run} was not stored"))?;
        if found.state.status != RunStatus::Running {
            print(&found);
            return Ok(exit_code(found.state.status));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Asks the server, with a key that is gone afterwards.
pub(super) async fn call_server(
    store: &dyn Store,
    scope: &str,
    address: &str,
    request: impl FnOnce(&reqwest::Client) -> reqwest::RequestBuilder,
) -> Result<serde_json::Value> {
    let label = "command line, for a minute";
    let key = TemporaryKey::create(store, label, &[scope.to_owned()], KEY_LIFETIME_MS).await?;
    let asked = send_request(&key.secret, address, request).await;
    key.delete(store).await?;
    asked
}

async fn send_request(
    key: &str,
    address: &str,
    request: impl FnOnce(&reqwest::Client) -> reqwest::RequestBuilder,
) -> Result<serde_json::Value> {
    #[expect(clippy::disallowed_methods, reason = "calls the server of the same data folder")]
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(30))
        .no_proxy()
        .build()
        .context("the HTTP client could not be created")?;
    let answer = request(&client).header("x-n8n-api-key", key).send().await;
    let answer = answer.with_context(|| {
        format!("the server at {address} did not respond (UPSTREAM_UNREACHABLE)")
    })?;
    let is_fine = answer.status().is_success();
    let text = answer.text().await.context("the server's response cannot be read")?;
    #[expect(
        clippy::disallowed_methods,
        reason = "our own server's response, read by a command that exits afterwards"
    )]
    let body: serde_json::Value =
        serde_json::from_str(&text).context("the server's response is not JSON")?;
    if !is_fine {
        anyhow::bail!(
            "{} ({})",
            body["message"].as_str().unwrap_or("the server rejected the request"),
            body["code"].as_str().unwrap_or("unknown")
        );
    }
    Ok(body)
}

/// A runtime that does what it is asked, and has the folder to itself meanwhile.
pub(super) async fn open_runtime(folder: &Path) -> Result<Arc<Runtime>> {
    let settings = Settings::load()?;
    logs::start(&settings.server);
    wiring::check_files_root(&settings, folder)?;
    let store = ServedFolder::open(folder, &settings).map_err(with_code)?.store();
    let serving = &settings.server;
    // Where calls that wake the run will find a server.
    let urls = serving.urls(SocketAddr::new(serving.host, serving.port))?;
    let mut engine = wiring::engine(&settings)?;
    let options = RuntimeOptions {
        run: wiring::run_options(&settings),
        limits: RunLimits::default(),
        catch_up: settings.catch_up,
        spending: settings.spending,
        keep: settings.retention,
        base_url: urls.webhook_base().clone(),
        manifests: crate::tool_files::from_folder(folder, engine.registry.clone()),
    };
    engine.ports.credentials = Arc::new(StoredCredentials(store.clone()));
    engine.ports.collections = store.clone();
    engine.ports.long_term_memory = store.clone();
    engine.ports.mcp = crate::mcp_servers::from_folder(folder, &settings, store.clone());
    engine.ports.files = Arc::new(ProjectFolders::new(&settings.files_root, store.clone()));
    engine.ports.tables = store.clone();
    engine.ports.conversations =
        crate::conversations::from_store(&store, &engine.ports.conversations);
    Runtime::new_idle(engine, store, options).await.map_err(coded_error)
}

/// Does the work in this process.
async fn run_locally(folder: &Path, id: i64, how: &ExecutionAction) -> Result<ExitCode> {
    let runtime = open_runtime(folder).await?;
    let store = runtime.store.clone();
    let taken = match how {
        ExecutionAction::Retry => {
            Some(runtime.retry(id, RetryWith::NewestVersion).await.map_err(coded_error)?)
        }
        ExecutionAction::Resume(decision) => {
            runtime.resume_decided(id, decision.clone()).await.map_err(coded_error)?
        }
        ExecutionAction::Decide { call, ruling } => {
            runtime.decide_approval(id, call, ruling.clone()).await.map_err(coded_error)?
        }
        ExecutionAction::Fork(fork) => {
            Some(runtime.fork(id, fork.clone()).await.map_err(coded_error)?)
        }
    };
    let taken =
        taken.with_context(|| format!("execution {id} cannot be resumed (EXECUTION_STATUS)"))?;
    let run = taken.id;
    let outcome = taken.outcome.await.context("the run was interrupted")?;
    match store.execution(run).await.map_err(with_code)? {
        Some(found) => print(&found),
        None => eprint_line(&format!(
            "execution {run} ended with {} and was not stored",
            outcome.status.name()
        )),
    }
    Ok(exit_code(outcome.status))
}

pub(super) fn coded_error(error: runtime::Error) -> anyhow::Error {
    anyhow::anyhow!("{error} ({})", error.code())
}

fn exit_code(status: RunStatus) -> ExitCode {
    match status {
        RunStatus::Success | RunStatus::Waiting => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    }
}
