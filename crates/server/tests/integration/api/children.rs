//! Workflows that others call are executions of their own: of a version, able to sleep, and to be
//! tried again.

use crate::app::TestApp;
use model::RunStatus;
use std::time::{Duration, Instant};
use store::executions::{Execution, ExecutionFilter};
use store::workflows::NewVersion;
use store::{ExecutionStore as _, WorkflowStore as _};

fn node(name: &str, kind: &str, version: f64, parameters: &str) -> String {
    format!(
        r#"{{ "id": "{name}", "name": "{name}", "type": "n8n-nodes-base.{kind}", "typeVersion": {version}, "position": [0, 0], "parameters": {parameters} }}"#
    )
}

fn row(id: &str, nodes: &[(&str, String)]) -> NewVersion {
    let lines = nodes.windows(2).map(|pair| {
        format!(
            r#""{}": {{ "main": [[{{ "node": "{}", "type": "main", "index": 0 }}]] }}"#,
            pair[0].0, pair[1].0
        )
    });
    let connections = lines.collect::<Vec<_>>().join(", ");
    let nodes = nodes.iter().map(|(_, node)| node.clone()).collect::<Vec<_>>().join(", ");
    let document = format!(
        r#"{{ "id": "{id}", "name": "{id}", "nodes": [{nodes}], "connections": {{ {connections} }}, "settings": {{ "executionOrder": "v1" }} }}"#
    );
    NewVersion {
        id: id.into(),
        name: id.into(),
        document: document.into(),
        author: None,
        static_data: None,
    }
}

/// Calls a workflow whose second node is the given one, and waits until that run stands like this.
async fn call(app: &TestApp, second: (&str, String), status: RunStatus) -> Execution {
    let start = node("Start", "executeWorkflowTrigger", 1.0, "{}");
    let webhook = node(
        "Webhook",
        "webhook",
        1.0,
        r#"{ "httpMethod": "POST", "path": "call", "options": {} }"#,
    );
    let call = node(
        "Call",
        "executeWorkflow",
        1.0,
        r#"{ "source": "database", "workflowId": "called", "options": {} }"#,
    );
    let after = node("After", "noOp", 1.0, "{}");
    app.store
        .save_workflow(row("called", &[("Start", start), second, ("After", after)]))
        .await
        .unwrap();
    app.store.save_workflow(row("caller", &[("Webhook", webhook), ("Call", call)])).await.unwrap();
    app.runtime.activate("caller", runtime::VersionChoice::Newest).await.unwrap();
    assert_eq!(app.call("POST", "/webhook/call").json("{}").send().await.status, 200);
    stands(app, status).await
}

async fn stands(app: &TestApp, status: RunStatus) -> Execution {
    let began = Instant::now();
    loop {
        let filter = ExecutionFilter {
            workflow_id: Some("called".into()),
            limit: 10,
            ..ExecutionFilter::default()
        };
        let found = app.store.executions(filter).await.unwrap();
        // A run says that it sleeps a moment before it can be woken.
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

#[tokio::test]
async fn a_called_workflow_is_a_run_of_a_version_and_can_be_tried_again() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let stop = node("Stop", "stopAndError", 1.0, r#"{ "errorMessage": "no" }"#);
    let run = call(&app, ("Stop", stop), RunStatus::Error).await;
    let newest = app.store.workflow("called").await.unwrap().unwrap().version_id;
    assert_eq!(
        (
            run.started.version_id,
            run.started.parent.map(|caller| (caller.execution, caller.number))
        ),
        (newest, Some((1, 0)))
    );
    let again =
        app.call("POST", &format!("/api/v1/executions/{}/retry", run.id)).key(&key).send().await;
    assert_eq!(again.status, 200, "{}", again.body);
}

#[tokio::test]
async fn a_called_workflow_that_sleeps_is_woken_and_goes_on() {
    let app = TestApp::start().await;
    let wait = node(
        "Wait",
        "wait",
        1.1,
        r#"{ "resume": "timeInterval", "amount": 5, "unit": "minutes" }"#,
    );
    let run = call(&app, ("Wait", wait), RunStatus::Waiting).await;
    app.runtime.wake(&run).await.unwrap();
    let ended = stands(&app, RunStatus::Success).await;
    assert_eq!(ended.id, run.id);
}
