//! `heddle executions`: what has run, from the data folder.

pub(super) mod actions;
mod approvals;

use super::block_on;
use crate::cli::{DataFolder, ExecutionsCommand};
use crate::terminal::{Colour, eprint_line, paint, print_line};
use crate::wiring;
use anyhow::{Context as _, Result};
use model::RunStatus;
use node_api::checkpoints::ApprovalVerdict;
use runtime::{Decision, DecisionOutcome};
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use store::Store;
use store::executions::{Execution, ExecutionFilter};

pub(super) fn run(arguments: ExecutionsCommand) -> Result<ExitCode> {
    match arguments {
        ExecutionsCommand::List { data, workflow, status, limit } => {
            list(&data, workflow, status, limit)
        }
        ExecutionsCommand::Show { data, id } => show(&data, id),
        ExecutionsCommand::Delete { data, id } => delete(&data, id),
        ExecutionsCommand::Retry { data, id } => {
            actions::run(&data, id, &actions::ExecutionAction::Retry)
        }
        ExecutionsCommand::Approve { data, id, call } => {
            approvals::decide(&data, id, call.as_deref(), ApprovalVerdict::Approved, None)
        }
        ExecutionsCommand::Reject { data, id, call, reason } => {
            approvals::decide(&data, id, call.as_deref(), ApprovalVerdict::Rejected, reason)
        }
        ExecutionsCommand::Resume { data, id, done, again, call } => {
            let unless_done =
                if again { DecisionOutcome::Retry } else { DecisionOutcome::Undecided };
            let finding = done
                .map_or(unless_done, |result| DecisionOutcome::Happened { result: result.into() });
            actions::run(
                &data,
                id,
                &actions::ExecutionAction::Resume(Decision {
                    call: call.map(Into::into),
                    ..Decision::about_all(finding)
                }),
            )
        }
    }
}

fn open(data: &DataFolder) -> Result<Arc<dyn Store>> {
    Ok(wiring::open_store(&data.path())?)
}

fn list(
    data: &DataFolder,
    workflow: Option<String>,
    status: Option<String>,
    limit: usize,
) -> Result<ExitCode> {
    let status = status
        .map(|name| {
            RunStatus::from_name(&name).with_context(|| format!("'{name}' is not a status"))
        })
        .transpose()?;
    let filter = ExecutionFilter {
        workflow_id: workflow.map(Into::into),
        status,
        limit,
        ..ExecutionFilter::default()
    };
    let found = block_on(open(data)?.executions(filter))??;
    if found.is_empty() {
        eprint_line("No executions yet.");
    }
    for execution in found {
        print_line(&line(&execution));
    }
    Ok(ExitCode::SUCCESS)
}

fn line(execution: &Execution) -> String {
    let Execution { id, started: begun, state, .. } = execution;
    let colour = match state.status {
        RunStatus::Success => Colour::Green,
        RunStatus::Error | RunStatus::Cancelled => Colour::Red,
        RunStatus::Running | RunStatus::Waiting | RunStatus::Uncertain => Colour::Yellow,
    };
    let began = jiff::Timestamp::from_millisecond(begun.started_ms)
        .map_or_else(|_| String::new(), |time| format!("{time:.0}"));
    let took = state
        .stopped_ms
        .map(|stopped| format!("{} ms", stopped - begun.started_ms))
        .unwrap_or_default();
    let error = state.error.as_deref().unwrap_or_default();
    format!(
        "{id:>8}  {}  {began}  {:<8}  {:<16}  {took:>8}  {error}",
        paint(&format!("{:<9}", state.status.name()), colour),
        begun.mode,
        begun.workflow_id
    )
}

fn show(data: &DataFolder, id: i64) -> Result<ExitCode> {
    let store = open(data)?;
    block_on(async {
        let missing = || format!("execution {id} does not exist (EXECUTION_NOT_FOUND)");
        let execution = store.execution(id).await?.with_context(missing)?;
        let outcome = runtime::history::outcome(&execution, store.outline(id).await?);
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        outcome
            .write_json(&mut out)
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush())
            .context("it could not be printed")?;
        drop(out);
        approvals::print_pending(&*store, id).await?;
        Ok(ExitCode::SUCCESS)
    })?
}

fn delete(data: &DataFolder, id: i64) -> Result<ExitCode> {
    let folder = data.path();
    if let Some(address) = actions::server_address(&folder)? {
        block_on(actions::delete_by_server(&folder, &address, id))??;
        return Ok(ExitCode::SUCCESS);
    }
    let was_there = block_on(open(data)?.delete_execution(id))??;
    anyhow::ensure!(was_there, "execution {id} does not exist (EXECUTION_NOT_FOUND)");
    Ok(ExitCode::SUCCESS)
}
