//! Callers who hang up before what they asked for is done, and calls that come while another one is
//! being written.

use super::editor::row;
use crate::app::TestApp;
use futures::FutureExt as _;
use model::{Object, RunStatus, Value, json};
use runtime::{RouteMatch, VersionChoice};
use std::time::{Duration, Instant};
use store::ExecutionStore as _;
use store::executions::{Execution, ExecutionFilter};
use store::workflows::NewVersion;

async fn saved(app: &TestApp, id: &str, nodes: &[(&str, &str, Value)]) {
    let document = model::json::to_string(&row(nodes));
    let new = NewVersion {
        id: id.into(),
        name: id.into(),
        document: document.into(),
        author: None,
        static_data: None,
    };
    app.runtime.save(new, store::projects::PERSONAL).await.unwrap();
}

pub(crate) async fn active(app: &TestApp, id: &str, nodes: &[(&str, &str, Value)]) {
    saved(app, id, nodes).await;
    app.runtime.activate(id, VersionChoice::Newest).await.unwrap();
}

pub(crate) fn webhook(path: &str, options: Value) -> (&'static str, &'static str, Value) {
    ("Webhook", "webhook@2", json!({ "httpMethod": "POST", "path": (path), "options": (options) }))
}

pub(crate) fn wait() -> (&'static str, &'static str, Value) {
    ("Wait", "wait@1.1", json!({ "resume": "webhook", "httpMethod": "POST", "options": {} }))
}

pub(crate) async fn runs_of(app: &TestApp, workflow: &str) -> Vec<Execution> {
    let filter = ExecutionFilter {
        workflow_id: Some(workflow.into()),
        limit: 10,
        ..ExecutionFilter::default()
    };
    app.store.executions(filter).await.unwrap()
}

async fn run_that_is(app: &TestApp, workflow: &str, status: RunStatus) -> Execution {
    let began = Instant::now();
    loop {
        let found = runs_of(app, workflow).await;
        if let Some(run) = found
            .iter()
            .find(|run| run.state.status == status && !app.runtime.runner.is_running(run.id))
        {
            return run.clone();
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "no run is {}: {found:?}",
            status.name()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A run that waits for one that it has called, and that one, which waits for a call.
async fn asleep_together(app: &TestApp) -> (Execution, Execution) {
    saved(app, "called", &[("Start", "executeWorkflowTrigger@1", json!({})), wait()]).await;
    let call = (
        "Call",
        "executeWorkflow@1",
        json!({ "source": "database", "workflowId": "called", "options": {} }),
    );
    active(app, "caller", &[webhook("call", json!({})), call]).await;
    assert_eq!(app.call("POST", "/webhook/call").json("{}").send().await.status, 200);
    let called = run_that_is(app, "called", RunStatus::Waiting).await;
    (run_that_is(app, "caller", RunStatus::Waiting).await, called)
}

/// A call as the server hands it on.
fn delivery(key: &str) -> runtime::endpoint::EndpointRequest {
    runtime::endpoint::EndpointRequest {
        method: "POST".into(),
        url: "http://x/webhook/once".into(),
        headers: Object::from_iter([("x-delivery", key)]),
        params: Object::new(),
        query: Object::new(),
        body: Value::empty_object(),
        files: Vec::new(),
        remote: None,
        user: None,
        request_id: "".into(),
        is_test: false,
        length: 0,
    }
}

async fn with_deliveries() -> TestApp {
    let app = TestApp::start().await;
    active(
        &app,
        "once",
        &[webhook("once", json!({ "deliveryHeader": "X-Delivery" })), ("After", "noOp", json!({}))],
    )
    .await;
    app
}

async fn send(app: &TestApp, key: &str) -> (u16, String) {
    let reply = app.call("POST", "/webhook/once").header("x-delivery", key).json("{}").send().await;
    (reply.status, reply.body)
}

#[tokio::test]
async fn issue_15_02_a_delivery_whose_sender_has_gone_is_taken_once() {
    let app = with_deliveries().await;
    let RouteMatch::Hook(hook, _) =
        app.runtime.find(runtime::EndpointKind::Webhook, "POST", "once")
    else {
        panic!("no webhook")
    };
    assert!(
        app.runtime.answer(&hook, delivery("a")).now_or_never().is_none(),
        "it was dropped before it was done"
    );
    // It is sent again, and nobody is told that it was taken unless it was.
    assert_eq!(send(&app, "a").await.0, 200);
    run_that_is(&app, "once", RunStatus::Success).await;
    assert_eq!(runs_of(&app, "once").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn issue_15_02_nobody_is_told_that_a_delivery_was_taken_before_it_is_on_disk() {
    let app = with_deliveries().await;
    let held = app.hold_writer();
    let mut both = Box::pin(futures::future::join(send(&app, "a"), send(&app, "a")));
    assert!(
        tokio::time::timeout(Duration::from_millis(500), &mut both).await.is_err(),
        "one was answered before it was written"
    );
    held.let_go();
    let (first, second) = both.await;
    assert_eq!((first.0, second.0), (200, 200));
    assert_eq!(
        [&first.1, &second.1].iter().filter(|body| body.contains("already received")).count(),
        1,
        "{first:?} {second:?}"
    );
    assert_eq!(runs_of(&app, "once").await.len(), 1);
}

#[tokio::test]
async fn issue_15_03_a_stop_whose_caller_has_gone_reaches_the_run_that_was_waited_for() {
    let app = TestApp::start().await;
    let (caller, called) = asleep_together(&app).await;
    assert_eq!(caller.state.waits_for, Some(called.id));
    assert!(
        app.runtime.stop_execution(caller.id).now_or_never().is_none(),
        "it was dropped before it was done"
    );
    run_that_is(&app, "caller", RunStatus::Cancelled).await;
    run_that_is(&app, "called", RunStatus::Cancelled).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn issue_15_03_a_run_whose_removal_is_under_way_is_not_taken_up() {
    let app = TestApp::start().await;
    active(&app, "sleeper", &[webhook("sleep", json!({})), wait(), ("After", "noOp", json!({}))])
        .await;
    assert_eq!(app.call("POST", "/webhook/sleep").json("{}").send().await.status, 200);
    let run = run_that_is(&app, "sleeper", RunStatus::Waiting).await;
    let held = app.hold_writer();
    let removal = app.runtime.delete_execution(run.id);
    assert!(
        tokio::time::timeout(Duration::from_millis(300), removal).await.is_err(),
        "nothing can be written"
    );
    // Its caller has gone, and the row is still there.
    assert!(matches!(app.runtime.wake(&run).await, Err(runtime::Error::WrongStatus { .. })));
    held.let_go();
    let began = Instant::now();
    while !runs_of(&app, "sleeper").await.is_empty() {
        assert!(began.elapsed() < Duration::from_secs(60), "it was not removed");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(app.runtime.runner.in_progress(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn issue_15_00_a_run_that_is_stopped_as_it_falls_asleep_does_not_sleep() {
    let app = TestApp::start().await;
    active(&app, "sleeper", &[webhook("sleep", json!({})), wait(), ("After", "noOp", json!({}))])
        .await;
    let mut events = app.runtime.recorder.subscribe();
    let held = app.hold_writer();
    let calling = async {
        let reply = app.call("POST", "/webhook/sleep").json("{}").send().await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    };
    let stopping = async {
        let id = loop {
            let event = events.recv().await.unwrap();
            if matches!(event.event, model::RunEvent::RunFinished { .. }) {
                break event.run_id.parse().unwrap();
            }
        };
        let mut stop = Box::pin(app.runtime.stop_execution(id));
        assert!(
            tokio::time::timeout(Duration::from_millis(300), &mut stop).await.is_err(),
            "it sleeps, as far as anybody knows"
        );
        held.let_go();
        stop.await.unwrap();
    };
    futures::future::join(calling, stopping).await;
    let runs = runs_of(&app, "sleeper").await;
    assert_eq!(runs.iter().map(|run| run.state.status).collect::<Vec<_>>(), [RunStatus::Cancelled]);
}

#[tokio::test]
async fn issue_15_04_whoever_waits_for_a_run_of_a_removed_workflow_hears_of_it() {
    let app = TestApp::start().await;
    let (_, called) = asleep_together(&app).await;
    let key = app.owner_key().await;
    assert_eq!(app.call("DELETE", "/api/v1/workflows/called").key(&key).send().await.status, 200);
    assert!(runs_of(&app, "called").await.is_empty());
    run_that_is(&app, "caller", RunStatus::Error).await;
    assert!(matches!(app.runtime.wake(&called).await, Err(runtime::Error::NoExecution { .. })));
    assert_eq!(app.call("DELETE", "/api/v1/workflows/called").key(&key).send().await.status, 404);
}

#[tokio::test]
async fn issue_15_04_a_call_that_was_found_before_its_workflow_went_starts_nothing() {
    let app = with_deliveries().await;
    let RouteMatch::Hook(hook, _) =
        app.runtime.find(runtime::EndpointKind::Webhook, "POST", "once")
    else {
        panic!("no webhook")
    };
    app.runtime.deactivate("once").await.unwrap();
    let late = app.runtime.answer(&hook, delivery("a")).await;
    assert!(matches!(late, Err(runtime::Error::NotListening)));
    assert!(app.runtime.delete_workflow("once").await.unwrap());
    assert!(runs_of(&app, "once").await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn issue_15_00_whoever_is_answered_when_a_run_begins_does_not_wait_for_its_code() {
    let app = TestApp::start().await;
    active(
        &app,
        "busy",
        &[
            webhook("busy", json!({})),
            ("Code", "code@2", json!({ "jsCode": "for (let i = 0; i < 1e8; i++); return [];" })),
        ],
    )
    .await;
    assert_eq!(app.call("POST", "/webhook/busy").json("{}").send().await.status, 200);
    let run = runs_of(&app, "busy").await.remove(0);
    assert_eq!(run.state.status, RunStatus::Running);
    run_that_is(&app, "busy", RunStatus::Success).await;
}
