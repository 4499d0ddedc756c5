//! `heddle executions resume --all | undo`: one decision about many uncertain executions. It is held
//! for a while: the server resumes them then, now or at its next start.

use super::actions::{call_server, coded_error, open_runtime};
use crate::cli::{DataFolder, UndoArgs};
use crate::commands::local_server::{owner_of, server_address};
use crate::commands::{block_on, with_code};
use crate::terminal::table::ListOutput;
use crate::terminal::{eprint_line, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use model::Str;
use runtime::{DECISION_HOLD, DecisionOutcome, MAX_DECISION_HOLD, UncertainFilter};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// Which executions are meant, and how long the decision can be taken back.
pub(super) struct ManyRuns {
    pub(super) workflow: Option<String>,
    pub(super) node: Option<String>,
    pub(super) after: Option<jiff::Timestamp>,
    pub(super) before: Option<jiff::Timestamp>,
    pub(super) hold: Option<u64>,
    pub(super) output: ListOutput,
}

/// What was decided about.
struct Decided {
    batch: String,
    executions: u64,
    applies_at: String,
}

pub(super) fn decide(
    data: &DataFolder,
    runs: &ManyRuns,
    finding: &DecisionOutcome,
) -> Result<ExitCode> {
    anyhow::ensure!(
        runs.hold.is_none_or(|hold| hold <= MAX_DECISION_HOLD.as_secs()),
        "--hold is at most {} seconds",
        MAX_DECISION_HOLD.as_secs()
    );
    let folder = data.path();
    let address = server_address(&folder)?;
    let decided = match &address {
        Some(address) => block_on(decide_on_server(&folder, address, runs, finding))??,
        None => block_on(decide_locally(&folder, runs, finding))??,
    };
    let Decided { batch, executions, applies_at } = decided;
    if runs.output.json {
        let told = json!({ "batch": batch, "executions": executions, "appliesAt": applies_at });
        print_line(&told.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    if executions == 0 {
        runs.output.note("No uncertain executions match.");
        return Ok(ExitCode::SUCCESS);
    }
    print_line(&batch);
    let when = match address {
        Some(_) => format!("at {applies_at}"),
        None => format!("when the server runs, at {applies_at} or later"),
    };
    runs.output.note(&format!(
        "{executions} executions resume {when}. Until then: `heddle executions undo {batch}`."
    ));
    Ok(ExitCode::SUCCESS)
}

pub(super) fn undo(arguments: &UndoArgs) -> Result<ExitCode> {
    let folder = arguments.data.path();
    let batch = &arguments.batch;
    let taken_back = block_on(async {
        let Some(address) = server_address(&folder)? else {
            let runtime = open_runtime(&folder).await?;
            let held = runtime.held_batch(batch).await.map_err(coded_error)?;
            return runtime.take_back(&held).await.map(|n| n as u64).map_err(coded_error);
        };
        let store = wiring::open_store(&folder).map_err(with_code)?;
        let mut url = reqwest::Url::parse(&format!("{address}/api/v1/executions/resume/"))?;
        url.path_segments_mut()
            .ok()
            .context("the server's address is invalid")?
            .pop_if_empty()
            .push(batch);
        let request = |client: &reqwest::Client| client.delete(url);
        let told = call_server(&*store, "execution:retry", &address, request).await?;
        Ok::<u64, anyhow::Error>(told["executions"].as_u64().unwrap_or_default())
    })??;
    anyhow::ensure!(
        taken_back > 0,
        "the decision '{batch}' does not exist or has taken effect (NOT_FOUND)"
    );
    eprint_line(&format!("Taken back for {taken_back} executions. They are still uncertain."));
    Ok(ExitCode::SUCCESS)
}

async fn decide_on_server(
    folder: &Path,
    address: &str,
    runs: &ManyRuns,
    finding: &DecisionOutcome,
) -> Result<Decided> {
    let store = wiring::open_store(folder).map_err(with_code)?;
    let mut body = serde_json::Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            body.insert(name.to_owned(), value);
        }
    };
    let (decision, result) = match finding {
        DecisionOutcome::Happened { result } => ("done", Some(result.as_str())),
        DecisionOutcome::Retry | DecisionOutcome::Undecided => ("again", None),
    };
    set("decision", Some(decision.into()));
    set("result", result.map(Into::into));
    set("workflowId", runs.workflow.as_deref().map(Into::into));
    set("node", runs.node.as_deref().map(Into::into));
    set("startedAfter", runs.after.map(|time| time.to_string().into()));
    set("startedBefore", runs.before.map(|time| time.to_string().into()));
    set("holdSeconds", runs.hold.map(Into::into));
    let body = Value::from(body).to_string();
    let request = |client: &reqwest::Client| {
        client.post(format!("{address}/api/v1/executions/resume")).body(body)
    };
    let told = call_server(&*store, "execution:retry", address, request).await?;
    let text = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
    let executions = told["executions"].as_u64().unwrap_or_default();
    Ok(Decided { batch: text("batch"), executions, applies_at: text("appliesAt") })
}

async fn decide_locally(
    folder: &Path,
    runs: &ManyRuns,
    finding: &DecisionOutcome,
) -> Result<Decided> {
    let runtime = open_runtime(folder).await?;
    let wanted = UncertainFilter {
        workflow_id: runs.workflow.as_deref().map(Into::into),
        node: runs.node.as_deref().map(Into::into),
        started_after_ms: runs.after.map(|time| time.as_millisecond()),
        started_before_ms: runs.before.map(|time| time.as_millisecond()),
        ..UncertainFilter::default()
    };
    let found = runtime.uncertain_runs(wanted).await.map_err(coded_error)?;
    let by: Str = owner_of(&*runtime.store).await?;
    let hold = runs.hold.map_or(DECISION_HOLD, Duration::from_secs);
    let batch = runtime.hold_decision(&found, finding, &by, hold).await.map_err(coded_error)?;
    let applies_at = jiff::Timestamp::from_millisecond(batch.due_ms)
        .map_or_else(|_| String::new(), |time| format!("{time:.3}"));
    Ok(Decided { batch: batch.id.into(), executions: batch.n_runs as u64, applies_at })
}
