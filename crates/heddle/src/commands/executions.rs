//! `heddle executions`: what has run, from the data folder.

pub(super) mod actions;
mod approvals;
mod many;
mod trace;

use super::block_on;
use super::local_server::server_address;
use crate::cli::{DataFolder, ExecutionsCommand, ResumeArgs, ResumeManyArgs};
use crate::terminal::table::{Cell, ListOutput, Table};
use crate::terminal::{Colour, print_line};
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
        ExecutionsCommand::List { data, output, workflow, status, limit } => {
            list(&data, output, workflow, status, limit)
        }
        ExecutionsCommand::Show { data, json: _, quiet, id } => show(&data, id, quiet),
        ExecutionsCommand::Trace(arguments) => trace::run(&arguments),
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
        ExecutionsCommand::Undo(arguments) => many::undo(&arguments),
        ExecutionsCommand::Resume(ResumeArgs { data, id, done, again, call, many }) => {
            let unless_done =
                if again { DecisionOutcome::Retry } else { DecisionOutcome::Undecided };
            let finding = done
                .map_or(unless_done, |result| DecisionOutcome::Happened { result: result.into() });
            let Some(id) = id else {
                let ResumeManyArgs { all: _, workflow, node, after, before, hold, output } = many;
                let runs = many::ManyRuns { workflow, node, after, before, hold, output };
                return many::decide(&data, &runs, &finding);
            };
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
    output: ListOutput,
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
        output.note("No executions yet.");
    }
    table_of(&found).print(output);
    Ok(ExitCode::SUCCESS)
}

fn print(execution: &Execution) {
    table_of(std::slice::from_ref(execution)).print_rows();
}

fn table_of(executions: &[Execution]) -> Table {
    let mut table = Table::new(&[
        ">id",
        "status",
        "startedAt",
        "mode",
        "workflowId",
        ">milliseconds",
        "error",
        "-stoppedAt",
        "-retryOf",
    ]);
    for execution in executions {
        table.row(cells_of(execution));
    }
    table
}

fn cells_of(execution: &Execution) -> [Cell; 9] {
    let Execution { id, started: begun, state, .. } = execution;
    let colour = match state.status {
        RunStatus::Success => Colour::Green,
        RunStatus::Error | RunStatus::Cancelled => Colour::Red,
        RunStatus::Running | RunStatus::Waiting | RunStatus::Uncertain => Colour::Yellow,
    };
    let took = state.stopped_ms.map(|stopped| stopped - begun.started_ms);
    [
        Cell::text(id.to_string()),
        Cell::text(state.status.name()).coloured(colour),
        Cell::time(Some(begun.started_ms)),
        Cell::text(begun.mode.clone()),
        Cell::text(begun.workflow_id.clone()),
        took.map_or_else(
            || Cell::optional(None::<String>),
            |took| Cell::shown(took as f64, format!("{took} ms")),
        ),
        Cell::optional(state.error.clone()),
        Cell::time(state.stopped_ms),
        Cell::optional(begun.retry_of.map(|id| id.to_string())),
    ]
}

fn show(data: &DataFolder, id: i64, quiet: bool) -> Result<ExitCode> {
    let store = open(data)?;
    block_on(async {
        let missing = || format!("execution {id} does not exist (EXECUTION_NOT_FOUND)");
        let execution = store.execution(id).await?.with_context(missing)?;
        if quiet {
            print_line(execution.state.status.name());
            return Ok(ExitCode::SUCCESS);
        }
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
    if let Some(address) = server_address(&folder)? {
        block_on(actions::delete_by_server(&folder, &address, id))??;
        return Ok(ExitCode::SUCCESS);
    }
    let was_there = block_on(open(data)?.delete_execution(id))??;
    anyhow::ensure!(was_there, "execution {id} does not exist (EXECUTION_NOT_FOUND)");
    Ok(ExitCode::SUCCESS)
}
