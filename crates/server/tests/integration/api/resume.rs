//! What runs find that slept: the data that their workflow keeps, their budget, a journal that
//! another version wrote.

use super::disconnects::{active, runs_of, wait, webhook};
use crate::app::TestApp;
use model::{RunStatus, Value, json};
use std::time::{Duration, Instant};
use store::WorkflowStore as _;
use store::executions::Execution;

/// Counts how often it has run, in what the workflow keeps.
fn count() -> (&'static str, &'static str, Value) {
    let code = "const kept = $getWorkflowStaticData('global'); kept.n = (kept.n || 0) + 1; return [{ json: { n: kept.n } }];";
    ("Count", "code@2", json!({ "jsCode": (code) }))
}

async fn until(
    app: &TestApp,
    workflow: &str,
    what: &str,
    is_so: impl Fn(&[Execution]) -> bool,
) -> Vec<Execution> {
    let began = Instant::now();
    loop {
        let found = runs_of(app, workflow).await;
        if is_so(&found) && found.iter().all(|run| !app.runtime.runner.is_running(run.id)) {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{what}: {found:?}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn asleep(app: &TestApp, workflow: &str, count: usize) -> Vec<Execution> {
    let are_asleep = |runs: &[Execution]| {
        runs.iter().filter(|run| run.state.status == RunStatus::Waiting).count() == count
    };
    until(app, workflow, "not all of them sleep", are_asleep).await
}

async fn stored_count(app: &TestApp, workflow: &str) -> Option<f64> {
    let text = app.store.workflow(workflow).await.unwrap().unwrap().static_data.unwrap();
    counted(&model::json::parse(&text).unwrap())
}

fn counted(kept: &Value) -> Option<f64> {
    kept.get("global")?.get("n")?.as_f64()
}

#[tokio::test]
async fn issue_15_06_a_run_that_slept_leaves_alone_what_others_have_changed_meanwhile() {
    let app = TestApp::start().await;
    active(
        &app,
        "counter",
        &[webhook("count", json!({})), count(), wait(), ("After", "noOp", json!({}))],
    )
    .await;
    for _ in 0..3 {
        assert_eq!(app.call("POST", "/webhook/count").json("{}").send().await.status, 200);
    }
    let sleeping = asleep(&app, "counter", 3).await;
    assert_eq!(stored_count(&app, "counter").await, Some(3.0));
    // The oldest has seen one only.
    let oldest = sleeping.last().unwrap();
    app.runtime.wake(oldest).await.unwrap();
    asleep(&app, "counter", 2).await;
    assert_eq!(stored_count(&app, "counter").await, Some(3.0));
    // Also as the next run finds it, and after the workflow was changed while runs of the old
    // version sleep.
    active(
        &app,
        "counter",
        &[webhook("count", json!({})), count(), wait(), ("Later", "noOp", json!({}))],
    )
    .await;
    app.runtime.wake(&sleeping[1]).await.unwrap();
    asleep(&app, "counter", 1).await;
    assert_eq!(app.call("POST", "/webhook/count").json("{}").send().await.status, 200);
    asleep(&app, "counter", 2).await;
    assert_eq!(stored_count(&app, "counter").await, Some(4.0));
}

#[tokio::test]
async fn issue_15_06_what_a_run_changes_after_it_was_woken_is_kept() {
    let app = TestApp::start().await;
    active(&app, "counter", &[webhook("count", json!({})), wait(), count()]).await;
    for _ in 0..2 {
        assert_eq!(app.call("POST", "/webhook/count").json("{}").send().await.status, 200);
    }
    for run in asleep(&app, "counter", 2).await {
        app.runtime.wake(&run).await.unwrap();
        until(&app, "counter", "it is not over", |runs| {
            runs.iter().any(|one| one.id == run.id && one.state.stopped_ms.is_some())
        })
        .await;
    }
    assert_eq!(stored_count(&app, "counter").await, Some(2.0));
    let restarted = app.restarted().await;
    assert_eq!(counted(&restarted.load("counter").await.unwrap().static_data()), Some(2.0));
}

#[tokio::test]
async fn issue_15_09_a_run_whose_journal_this_version_cannot_read_stays_as_it_is() {
    let app = TestApp::start().await;
    active(&app, "sleeper", &[webhook("sleep", json!({})), wait(), ("After", "noOp", json!({}))])
        .await;
    assert_eq!(app.call("POST", "/webhook/sleep").json("{}").send().await.status, 200);
    let run = asleep(&app, "sleeper", 1).await.remove(0);
    let database = rusqlite::Connection::open(app.store.folder().join("heddle.db")).unwrap();
    let set_format =
        |format: i64| database.execute("UPDATE journal SET format = ?1", [format]).unwrap();
    set_format(99);
    let refused = app.runtime.wake(&run).await.err().unwrap();
    assert_eq!(refused.code().name(), "STORE_NEWER", "{refused}");
    let key = app.owner_key().await;
    let shown = app
        .call("GET", &format!("/api/v1/executions/{}?includeData=true", run.id))
        .key(&key)
        .send()
        .await;
    assert_eq!((shown.status, shown.text("code").as_str()), (409, "STORE_NEWER"), "{}", shown.body);
    // A start does not end it either.
    let restarted = app.restarted().await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(runs_of(&app, "sleeper").await[0].state.status, RunStatus::Waiting);
    set_format(1);
    restarted.wake(&run).await.unwrap();
    until(&app, "sleeper", "it is not over", |runs| runs[0].state.status == RunStatus::Success)
        .await;
}

/// However often it is tried, it is no death of the process.
#[tokio::test]
async fn issue_15_11_a_run_that_cannot_be_resumed_yet_is_not_quarantined_for_that() {
    let app = TestApp::start().await;
    active(&app, "sleeper", &[webhook("sleep", json!({})), wait(), ("After", "noOp", json!({}))])
        .await;
    assert_eq!(app.call("POST", "/webhook/sleep").json("{}").send().await.status, 200);
    let run = asleep(&app, "sleeper", 1).await.remove(0);
    let database = rusqlite::Connection::open(app.store.folder().join("heddle.db")).unwrap();
    database
        .execute_batch("UPDATE executions SET status = 'running'; UPDATE journal SET format = 99")
        .unwrap();
    let _restarted = app.restarted().await;
    let deaths = || -> i64 {
        let sql = "SELECT coalesce(max(deaths), 0) FROM interruptions WHERE execution_id = ?1";
        database.query_row(sql, [run.id], |row| row.get(0)).unwrap()
    };
    let began = std::time::Instant::now();
    // The second try comes after a second.
    while began.elapsed() < Duration::from_millis(2_500) {
        assert_eq!(runs_of(&app, "sleeper").await[0].state.status, RunStatus::Running);
        assert!(deaths() <= 1);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(deaths(), 1);
    database.execute_batch("UPDATE journal SET format = 1").unwrap();
    until(&app, "sleeper", "it does not go on", |runs| runs[0].state.status == RunStatus::Success)
        .await;
}
