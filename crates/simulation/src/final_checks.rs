//! The end of a history: nothing fails any more, everybody gets what they wait for, and then
//! everything that was promised must be there.

use crate::clients::wake;
use crate::operators::token_of;
use crate::process::Process;
use crate::workflows::{CLOCK_SECONDS, SCHEDULED};
use model::{RunEvent, RunStatus, Value};
use runtime::{Decision, DecisionOutcome};
use std::collections::BTreeMap;
use std::time::Duration;
use store::simulation::{ExecutionRow, SimulatedDisk as _};
use store::{ExecutionStore as _, ScheduleStore as _, WorkflowStore as _};
use tokio::time::sleep;

/// How long everything that can go on by itself needs at the most: a run that a stop or a failure
/// met is looked at after some seconds.
const SETTLE_TIME: Duration = Duration::from_secs(6);

/// Longer than any wait of a workflow. The clock on the wall goes on so far between two processes.
pub(crate) const LONGEST_WAIT_MS: i64 = 70_000;

/// A run that sleeps for so long after its time has come is not woken.
const OVERDUE_MS: i64 = 5_000;

/// Processes after which nothing may be left to do: every run has at most three waits.
pub(crate) const MAX_ROUNDS: usize = 8;

/// How long it may take until a process has done again whatever trouble has kept it from: the lease
/// of a schedule is the longest of all.
const LONGEST_SETBACK: Duration = Duration::from_secs(40);

/// The process that had the trouble gets over it without another start.
pub(crate) async fn recover(process: &Process) -> Result<(), String> {
    sleep(LONGEST_SETBACK).await;
    settle(process).await?;
    check_clock(process).await
}

/// Lets everything go on that can; whether all runs are over.
pub(crate) async fn settle(process: &Process) -> Result<bool, String> {
    sleep(SETTLE_TIME).await;
    let rows = process.world.rows();
    for row in &rows {
        match row.status {
            RunStatus::Running if !is_scheduled(row) => {
                return Err(format!("run {} is said to go on, and nobody is at it", row.id));
            }
            RunStatus::Uncertain => decide(process, row).await?,
            RunStatus::Waiting if row.waits_for.is_none() && row.wait_till_ms.is_none() => {
                resume(process, row).await?
            }
            RunStatus::Waiting
                if row
                    .wait_till_ms
                    .is_some_and(|till| till + OVERDUE_MS < process.world.now_ms()) =>
            {
                return Err(format!("run {} sleeps although its time has come", row.id));
            }
            RunStatus::Waiting if row.waits_for.is_some_and(|called| is_over(&rows, called)) => {
                return Err(format!("run {} waits for a run that is over", row.id));
            }
            _ => {}
        }
    }
    Ok(rows.iter().all(|row| row.status.is_over() || is_scheduled(row)))
}

/// Whether a run may begin at any time.
fn is_scheduled(row: &ExecutionRow) -> bool {
    SCHEDULED.contains(&row.workflow_id.as_str())
}

fn is_over(rows: &[ExecutionRow], id: i64) -> bool {
    rows.iter().find(|row| row.id == id).is_none_or(|row| row.status.is_over())
}

/// A person says that the step in doubt has happened.
async fn decide(process: &Process, row: &ExecutionRow) -> Result<(), String> {
    process.world.truth().decides(row.id, false);
    for finding in [
        DecisionOutcome::Undecided,
        DecisionOutcome::Happened { result: "{}".into() },
        DecisionOutcome::Retry,
    ] {
        process.world.truth().decides(row.id, finding == DecisionOutcome::Retry);
        if process.runtime.resume_decided(row.id, Decision::about_all(finding)).await.is_ok() {
            process.world.log_line(format_args!("run {} is decided about", row.id));
            return Ok(());
        }
    }
    Err(format!("run {} is uncertain, and nobody can decide about it", row.id))
}

/// Whoever has the link of the wait that a run is at wakes it.
async fn resume(process: &Process, row: &ExecutionRow) -> Result<(), String> {
    for wait in 0..2 {
        if wake(process, row.id, wait).await {
            return Ok(());
        }
    }
    Err(format!("run {} waits for a call and takes none", row.id))
}

/// What must be true in the end.
pub(crate) async fn check(process: &Process) -> Result<(), String> {
    check_clock(process).await?;
    let rows = process.world.rows();
    let mut began = BTreeMap::<u64, i64>::new();
    let mut woken = BTreeMap::<u64, i64>::new();
    for row in &rows {
        let events =
            process.store.journal(row.id).await.map_err(|error| {
                format!("the journal of run {} cannot be read: {error}", row.id)
            })?;
        process.world.truth().check_effects(row)?;
        check_journal(row, &events)?;
        if let Some(token) = events.first().and_then(token_of)
            && row.workflow_id != "called"
            && let Some(other) = began.insert(token, row.id)
        {
            return Err(format!("call {token} began the runs {other} and {}", row.id));
        }
        for token in resumed_by(row, &events)? {
            if let Some(other) = woken.insert(token, row.id) {
                return Err(format!("resume {token} woke run {other}, and run {} too", row.id));
            }
        }
    }
    check_calls(process, &began)?;
    check_resumes(process, &rows, &woken)?;
    match process.world.memory.orphans() {
        Ok(orphans) if orphans.is_empty() => {}
        found => return Err(format!("pieces of journals that belong to no run: {found:?}")),
    }
    process.world.truth().broken().map_or(Ok(()), Err)?;
    // Runs of the clock begin all the time.
    let in_progress = process.runtime.runner.in_progress();
    let going = rows.iter().filter(|row| !row.status.is_over()).count();
    if in_progress > going {
        Err(format!("{in_progress} runs count as going on, and {going} do"))
    } else {
        Ok(())
    }
}

/// A journal tells of one run, from its beginning on.
fn check_journal(row: &ExecutionRow, events: &[RunEvent]) -> Result<(), String> {
    let id = row.id;
    match events.first() {
        Some(RunEvent::RunStarted { run_id, workflow_id, .. })
            if *run_id == id.to_string() && *workflow_id == row.workflow_id => {}
        other => {
            return Err(format!(
                "the journal of run {id} of {} begins with {other:?}",
                row.workflow_id
            ));
        }
    }
    let n_starts =
        events.iter().filter(|event| matches!(event, RunEvent::RunStarted { .. })).count();
    if n_starts > 1 {
        Err(format!("the journal of run {id} tells of {n_starts} runs"))
    } else {
        Ok(())
    }
}

/// The calls that woke a run, each of which was for the wait that it woke the run from.
fn resumed_by(row: &ExecutionRow, events: &[RunEvent]) -> Result<Vec<u64>, String> {
    let mut tokens = Vec::new();
    for event in events {
        let RunEvent::RunResumed { items: Some(items) } = event else { continue };
        let Some(item) = items.first() else { continue };
        let sent = item.json.get("body").unwrap_or(&item.json);
        let number = |field: &str| match sent.get(field)? {
            Value::String(text) => text.parse().ok(),
            other => other.as_f64().map(|number| number as i64),
        };
        let (run, wait) = (number("run"), number("wait"));
        if (run, wait) != (Some(row.id), Some(tokens.len() as i64)) {
            return Err(format!(
                "run {} was woken from wait {} by a call for wait {wait:?} of run {run:?}",
                row.id,
                tokens.len()
            ));
        }
        tokens.extend(number("token").map(|token| token as u64));
    }
    Ok(tokens)
}

fn check_calls(process: &Process, began: &BTreeMap<u64, i64>) -> Result<(), String> {
    let truth = process.world.truth();
    let mut by_delivery = BTreeMap::<&str, Vec<u64>>::new();
    for (token, call) in &truth.calls {
        let run = began.get(token);
        if let (Some(delivery), Some(_)) = (&call.delivery, run) {
            by_delivery.entry(delivery).or_default().push(*token);
        }
        match call.was_taken {
            Some(true) if run.is_none() && !call.may_be_gone => {
                return Err(format!(
                    "call {token} of {} was taken, and there is no run of it",
                    call.workflow
                ));
            }
            Some(false) if run.is_some() => {
                return Err(format!(
                    "call {token} of {} was refused, and run {run:?} is of it",
                    call.workflow
                ));
            }
            _ => {}
        }
    }
    if let Some((delivery, calls)) = by_delivery.iter().find(|(_, calls)| calls.len() > 1) {
        return Err(format!("delivery {delivery} began the runs of the calls {calls:?}"));
    }
    for delivery in &truth.taken_before {
        let mut its =
            truth.calls.iter().filter(|(_, call)| call.delivery.as_ref() == Some(delivery));
        if !its.any(|(token, call)| call.may_be_gone || began.contains_key(token)) {
            return Err(format!("delivery {delivery} was taken before, and there is no run of it"));
        }
    }
    Ok(())
}

fn check_resumes(
    process: &Process,
    rows: &[ExecutionRow],
    woken: &BTreeMap<u64, i64>,
) -> Result<(), String> {
    let truth = process.world.truth();
    for resume in &truth.resumes {
        let is_there = rows.iter().any(|row| row.id == resume.run);
        if is_there && woken.get(&resume.token) != Some(&resume.run) {
            return Err(format!(
                "resume {} of run {} from wait {} was taken, and the run does not have it",
                resume.token, resume.run, resume.wait
            ));
        }
    }
    Ok(())
}

/// A schedule that is active has its next moment, and fires then.
pub(crate) async fn check_clock(process: &Process) -> Result<(), String> {
    let failed = |error: store::Error| error.to_string();
    let listening = process.store.listening(None).await.map_err(failed)?;
    let its: Vec<&str> = SCHEDULED
        .into_iter()
        .filter(|id| listening.iter().any(|workflow| workflow.id == *id))
        .collect();
    if its.is_empty() {
        return Ok(());
    }
    let schedules = process.store.schedules(None).await.map_err(failed)?;
    let is_planned = |id: &&&str| {
        !schedules.iter().any(|schedule| schedule.workflow_id == **id && schedule.next_ms.is_some())
    };
    if let Some(id) = its.iter().find(is_planned) {
        return Err(format!("{id} is active and has no next moment"));
    }
    let longest = CLOCK_SECONDS.into_iter().max().unwrap_or_default();
    let (since, before) = (process.world.now_ms(), process.world.rows());
    sleep(Duration::from_secs(longest + 1)).await;
    let after = process.world.rows();
    let n_runs =
        |rows: &[ExecutionRow], id: &str| rows.iter().filter(|row| row.workflow_id == id).count();
    match its.iter().find(|id| n_runs(&after, id) <= n_runs(&before, id)) {
        Some(id) => Err(format!("{id} is active and did not fire since {since}: {schedules:?}")),
        None => Ok(()),
    }
}
