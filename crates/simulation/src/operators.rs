//! People who look at runs and workflows, and change them.

use crate::process::Process;
use crate::workflows::version;
use model::{RunEvent, RunStatus, Value};
use runtime::{Decision, DecisionOutcome, VersionChoice};
use store::ExecutionStore as _;

/// Somebody comes and does something. They wait for its end, however long it takes.
pub(crate) fn spawn_action(process: &Process) {
    let process = process.clone();
    tokio::spawn(async move {
        match process.world.random.below(10) {
            0..2 => stop(&process).await,
            2 => delete(&process).await,
            3..5 => decide(&process).await,
            5 => delete_workflow(&process).await,
            6..8 => save(&process).await,
            8 => deactivate(&process).await,
            _ => activate(&process).await,
        }
    });
}

async fn stop(process: &Process) {
    let Some(row) = process.choose_run(|row| !row.status.is_over()) else { return };
    let stopped = process.runtime.stop_execution(row.id).await;
    process.world.log_line(format_args!("stop of run {}: {}", row.id, result_text(&stopped)));
    if stopped.is_ok() {
        let now = process.world.rows().into_iter().find(|now| now.id == row.id);
        if let Some(now) = now.filter(|now| !now.status.is_over()) {
            process.world.truth().fail(format!(
                "run {} was stopped and is {}",
                row.id,
                now.status.name()
            ));
        }
    }
}

async fn delete(process: &Process) {
    let Some(row) = process.choose_run(|_| true) else { return };
    let Ok(Some(begun)) = process.store.first_event(row.id).await else { return };
    process.world.truth().deletes(row.id, token_of(&begun));
    let deleted = process.runtime.delete_execution(row.id).await;
    process.world.log_line(format_args!("delete of run {}: {}", row.id, result_text(&deleted)));
}

async fn decide(process: &Process) {
    let Some(row) = process.choose_run(|row| row.status == RunStatus::Uncertain) else { return };
    let is_again = process.world.random.one_in(2);
    let finding = if is_again {
        DecisionOutcome::Retry
    } else {
        DecisionOutcome::Happened { result: "{}".into() }
    };
    process.world.truth().decides(row.id, is_again);
    let decided = process.runtime.resume_decided(row.id, Decision::about_all(finding)).await;
    process.world.log_line(format_args!(
        "decision about run {}, again {is_again}: {}",
        row.id,
        result_text(&decided)
    ));
}

async fn delete_workflow(process: &Process) {
    let Some(id) = process
        .world
        .random
        .choose(process.world.workflows)
        .filter(|_| process.world.random.one_in(3))
    else {
        return;
    };
    process.world.truth().deletes_workflow(id, true);
    let deleted = process.runtime.delete_workflow(id).await;
    process.world.truth().deletes_workflow(id, false);
    process.world.log_line(format_args!("delete of workflow {id}: {}", result_text(&deleted)));
}

/// Saves a workflow, and lets it listen if it was new.
async fn save(process: &Process) {
    let world = &process.world;
    let Some(id) = world.random.choose(world.workflows) else { return };
    let saved =
        process.runtime.save(version(id, world.random.below(3)), store::projects::PERSONAL).await;
    world.log_line(format_args!("save of workflow {id}: {}", result_text(&saved)));
    if saved.is_ok_and(|saved| !saved.active) {
        let activated = process.runtime.activate(id, VersionChoice::Newest).await;
        world.log_line(format_args!("workflow {id} is activated: {}", result_text(&activated)));
    }
}

async fn deactivate(process: &Process) {
    let Some(id) = process.world.random.choose(process.world.workflows) else { return };
    let done = process.runtime.deactivate(id).await;
    process.world.log_line(format_args!("workflow {id} is deactivated: {}", result_text(&done)));
}

async fn activate(process: &Process) {
    let Some(id) = process.world.random.choose(process.world.workflows) else { return };
    let done = process.runtime.activate(id, VersionChoice::Newest).await;
    process.world.log_line(format_args!("workflow {id} is activated: {}", result_text(&done)));
}

fn result_text<T>(done: &Result<T, runtime::Error>) -> String {
    match done {
        Ok(_) => "done".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// What names the call that a run began with.
pub(crate) fn token_of(begun: &RunEvent) -> Option<u64> {
    let RunEvent::RunStarted { items: Some(items), .. } = begun else { return None };
    let item = items.first()?;
    item.json.get_path("body.token").and_then(Value::as_f64).map(|token| token as u64)
}
