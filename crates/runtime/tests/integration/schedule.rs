//! Triggers by the clock, what was missed while nothing ran, and what is kept of the past.

use crate::harness::{DataFolder, Process, ProcessOptions, eventually};
use crate::test_nodes::Gate;
use crate::workflows::{TestNode, after, effect, wait_for_call, webhook};
use engine::Clock as _;
use heddle_runtime::{CatchUp, Retention};
use model::{RunStatus, Value, json};
use std::time::Duration;
use store::schedules::{Schedule, ScheduleStore as _};
use store::workflows::WorkflowStore as _;

const HOUR: Duration = Duration::from_secs(60 * 60);

fn cron(expressions: &[&str]) -> TestNode {
    let interval =
        |expression: &&str| json!({ "field": "cronExpression", "expression": (*expression) });
    let intervals = Value::array(expressions.iter().map(interval).collect());
    ("Clock", "scheduleTrigger@1.2", json!({ "rule": { "interval": (intervals) } }))
}

fn hourly() -> TestNode {
    cron(&["0 * * * *"])
}

fn schedules(process: &Process) -> Vec<Schedule> {
    process.run(process.store.schedules(None)).unwrap()
}

/// Waits until the scheduler has fired or skipped everything that is due.
fn wait_until_nothing_is_due(folder: &DataFolder, process: &Process) {
    process.run(eventually("a schedule stays due", async || {
        let rows = process.store.schedules(None).await.unwrap();
        let is_due = |row: &Schedule| row.next_ms.is_some_and(|next| next <= folder.clock.now_ms());
        (!rows.iter().any(is_due)).then_some(())
    }));
}

/// How many runs make up for the moments of five hours.
fn runs_after_five_hours(catch_up: CatchUp) -> usize {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[hourly(), after()]);
    process.stop(Duration::from_secs(5));
    folder.clock.advance(5 * HOUR);
    let process = folder.start_with(ProcessOptions { catch_up, ..ProcessOptions::default() });
    wait_until_nothing_is_due(&folder, &process);
    let runs = process.executions("w");
    for run in &runs {
        process.wait_for(run.id, RunStatus::Success);
    }
    runs.len()
}

#[test]
fn missed_moments_are_skipped_by_default() {
    assert_eq!(CatchUp::default(), CatchUp::Skip);
    assert_eq!(runs_after_five_hours(CatchUp::Skip), 0);
}

#[test]
fn one_run_may_make_up_for_all_missed_moments() {
    assert_eq!(runs_after_five_hours(CatchUp::One), 1);
}

#[test]
fn each_missed_moment_may_get_its_run() {
    assert_eq!(runs_after_five_hours(CatchUp::All), 5);
}

#[test]
fn a_moment_that_is_due_fires_once_even_if_the_process_crashes_right_after() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[hourly(), effect("fires-once")]);
    let due = schedules(&process)[0].next_ms.unwrap();
    process.crash();
    // Late by less than what counts as missed.
    folder.clock.advance(Duration::from_millis((due - folder.clock.now_ms()) as u64 + 1_000));
    let process = folder.start();
    wait_until_nothing_is_due(&folder, &process);
    process.wait_for_only("w", RunStatus::Success);
    process.crash();
    let process = folder.start();
    wait_until_nothing_is_due(&folder, &process);
    assert_eq!(process.executions("w").len(), 1);
    assert_eq!(Gate::named("fires-once").entered(), 1);
    assert_eq!(schedules(&process)[0].next_ms, Some(due + HOUR.as_millis() as i64));
}

#[test]
fn a_deactivated_workflow_does_not_fire_and_forgets_its_schedule() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[hourly(), after()]);
    process.save_active("other", &[hourly(), after()]);
    process.run(process.runtime.deactivate("w")).unwrap();
    assert!(schedules(&process).iter().all(|schedule| schedule.workflow_id == "other"));
    process.stop(Duration::from_secs(5));
    folder.clock.advance(2 * HOUR);
    let catch_up = CatchUp::All;
    let process = folder.start_with(ProcessOptions { catch_up, ..ProcessOptions::default() });
    wait_until_nothing_is_due(&folder, &process);
    assert_eq!((process.executions("w").len(), process.executions("other").len()), (0, 2));
}

#[test]
fn each_rule_of_a_trigger_has_a_schedule_and_a_changed_rule_a_new_moment() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[cron(&["0 * * * *", "30 12 * * *"]), after()]);
    let both = schedules(&process);
    assert_eq!(both.len(), 2);
    assert_ne!(both[0].next_ms, both[1].next_ms);
    process.save("w", &[cron(&["0 0 1 1 *"]), after()]).unwrap();
    let changed = schedules(&process);
    assert_eq!(changed.len(), 1);
    assert!(changed[0].next_ms > both.iter().filter_map(|schedule| schedule.next_ms).max());
    process.save("w", &[cron(&["0 0 1 1 *"]), effect("same-rule")]).unwrap();
    assert_eq!(schedules(&process), changed, "the same rule was planned anew");
}

#[test]
fn finished_executions_are_removed_by_age_and_number_and_waiting_ones_stay() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("sleeper", &[webhook("sleeper"), wait_for_call("Wait")]);
    process.call("sleeper").unwrap();
    let sleeper = process.wait_for_only("sleeper", RunStatus::Waiting);
    process.save_active("w", &[webhook("w"), after()]);
    let run = || {
        process.call("w").unwrap();
        let id = process.executions("w").last().unwrap().id;
        process.wait_for(id, RunStatus::Success).id
    };
    let old = run();
    folder.clock.advance(2 * HOUR);
    let recent = [run(), run(), run()];
    let prune = |retention: Retention| {
        let removed = process.run(process.runtime.prune(retention)).unwrap();
        let left: Vec<i64> = process.executions("w").iter().map(|run| run.id).collect();
        (removed, left)
    };
    assert_eq!(prune(Retention::default()), (0, vec![old, recent[0], recent[1], recent[2]]));
    let by_age = Retention { age: HOUR, ..Retention::default() };
    assert_eq!(prune(by_age), (1, recent.to_vec()));
    let by_number = Retention { count: 2, ..Retention::default() };
    assert_eq!(prune(by_number), (1, recent[1..].to_vec()));
    let nothing = Retention { count: 0, ..Retention::default() };
    assert_eq!(prune(nothing), (2, Vec::new()));
    assert!(process.execution(sleeper.id).is_some(), "a waiting run was removed");
}

#[test]
fn old_versions_are_removed_unless_a_run_needs_them() {
    let folder = DataFolder::new();
    let process = folder.start();
    let version = |gate: &str| [webhook("w"), wait_for_call("Wait"), effect(gate)];
    process.save_active("w", &version("needed"));
    process.call("w").unwrap();
    let sleeper = process.wait_for_only("w", RunStatus::Waiting);
    for number in 0..5 {
        process.save("w", &version(&format!("version-{number}"))).unwrap();
    }
    let n_versions = || process.run(process.store.versions("w")).unwrap().len();
    assert_eq!(n_versions(), 6);
    let retention = Retention { versions: 2, ..Retention::default() };
    process.run(process.runtime.prune_history(retention)).unwrap();
    assert_eq!(n_versions(), 3);
    process.wake(&process.token(sleeper.id, 0)).unwrap();
    process.wait_for(sleeper.id, RunStatus::Success);
    assert_eq!(Gate::named("needed").entered(), 1);
}
