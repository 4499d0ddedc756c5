//! Schedules outlive changes of workflows: none is lost, and none fires at a moment that nobody
//! asked for.

use super::editor::row;
use crate::app::{TestApp, TestOptions};
use model::{Value, json};
use runtime::VersionChoice;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};
use store::addresses::ClaimResult;
use store::executions::ExecutionFilter;
use store::schedules::{PlannedSchedule, Schedule, ScheduleStore as _};
use store::workflows::{ActivatedVersion, NewVersion};
use store::{ExecutionStore as _, WorkflowStore as _};

fn cron(expression: &str) -> Value {
    let interval = json!({ "field": "cronExpression", "expression": (expression) });
    row(&[
        ("Clock", "scheduleTrigger@1.2", json!({ "rule": { "interval": [(interval)] } })),
        ("After", "noOp", json!({})),
    ])
}

const HOURLY: &str = "0 * * * *";
const YEARLY: &str = "0 0 1 1 *";

async fn save(app: &TestApp, id: &str, document: &Value) {
    let document = model::json::to_string(document);
    let new = NewVersion {
        id: id.into(),
        name: id.into(),
        document: document.into(),
        author: None,
        static_data: None,
    };
    app.runtime.save(new, store::projects::PERSONAL).await.unwrap();
}

async fn rows_of(app: &TestApp, id: &str) -> Vec<Schedule> {
    app.store.schedules(Some(vec![id.into()])).await.unwrap()
}

async fn n_runs(app: &TestApp) -> usize {
    app.store
        .executions(ExecutionFilter { limit: 100, ..ExecutionFilter::default() })
        .await
        .unwrap()
        .len()
}

#[tokio::test]
async fn issue_15_05_a_trigger_that_nobody_knows_yet_takes_no_schedule_along() {
    let app = TestApp::start().await;
    save(&app, "hourly", &cron(HOURLY)).await;
    app.runtime.activate("hourly", VersionChoice::Newest).await.unwrap();
    let known = rows_of(&app, "hourly").await;
    assert_eq!(known.len(), 1);
    let unknown = Schedule { node: "Later".into(), next_ms: Some(1), ..known[0].clone() };
    assert!(
        app.store
            .change_schedules(vec![PlannedSchedule { found: None, planned: unknown }], Vec::new())
            .await
            .unwrap()
    );
    // Wakes the clock.
    save(&app, "other", &cron(YEARLY)).await;
    app.runtime.activate("other", VersionChoice::Newest).await.unwrap();
    let began = Instant::now();
    // It has looked once nothing is due for the moment: what nobody knows is left alone for a
    // while.
    while app.store.next_schedule().await.unwrap() == Some(1) {
        assert!(began.elapsed() < Duration::from_secs(60), "the clock has not looked");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(rows_of(&app, "hourly").await.contains(&known[0]));
}

#[tokio::test]
async fn issue_15_05_what_was_deactivated_and_activated_between_two_looks_is_due_again() {
    let app = TestApp::start().await;
    save(&app, "hourly", &cron(HOURLY)).await;
    app.runtime.activate("hourly", VersionChoice::Newest).await.unwrap();
    // As another process does it, of which the server hears once both are done.
    let version = app.store.workflow("hourly").await.unwrap().unwrap().version_id;
    assert!(app.store.deactivate("hourly").await.unwrap());
    assert!(rows_of(&app, "hourly").await.is_empty());
    assert!(matches!(
        app.store.activate("hourly", ActivatedVersion::Newest(version), Vec::new()).await.unwrap(),
        ClaimResult::Done(())
    ));
    app.runtime.reload().await.unwrap();
    assert_eq!(rows_of(&app, "hourly").await.len(), 1);
}

#[tokio::test]
async fn issue_15_00_a_schedule_that_was_changed_does_not_fire_at_the_old_moment() {
    let later_ms = Arc::new(AtomicI64::new(0));
    let app =
        TestApp::start_with(TestOptions { later_ms: later_ms.clone(), ..TestOptions::default() })
            .await;
    save(&app, "w", &cron(HOURLY)).await;
    app.runtime.activate("w", VersionChoice::Newest).await.unwrap();
    let before = rows_of(&app, "w").await[0].next_ms.unwrap();
    save(&app, "w", &cron("30 12 1 1 *")).await;
    let after = rows_of(&app, "w").await[0].next_ms.unwrap();
    assert!(after > before, "{before} {after}");
    // Saving the same rule again moves nothing.
    save(&app, "w", &cron("30 12 1 1 *")).await;
    assert_eq!(rows_of(&app, "w").await[0].next_ms, Some(after));
    // A moment that has come under the old rule is not taken back.
    later_ms.store(after - jiff::Timestamp::now().as_millisecond() + 10_000, Ordering::Relaxed);
    save(&app, "w", &cron(YEARLY)).await;
    let began = Instant::now();
    while n_runs(&app).await == 0 {
        assert!(began.elapsed() < Duration::from_secs(60), "it has not fired");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(n_runs(&app).await, 1);
}
