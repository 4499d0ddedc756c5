//! Executions found by when and how they began, folders, insights, and workflows from an address.

use super::{EditorHarness, code, row, text};
use crate::app::TestApp;
use model::{Value, json};
use store::users::UserRole;

#[tokio::test]
async fn executions_are_found_by_their_mode_and_their_moment_and_name_their_workflow() {
    let editor = EditorHarness::new().await;
    let drawn = json!({ "workflow": (row(&[("Start", "manualTrigger", json!({}))])) });
    let (first, second) = (editor.ran(&drawn).await, editor.ran(&drawn).await);
    let ids = async |query: &str| {
        let reply = editor.get(&format!("/executions?{query}")).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.rows().iter().map(|row| text(row, "id").to_owned()).collect::<Vec<_>>()
    };
    let both = [text(&second, "id").to_owned(), text(&first, "id").to_owned()];
    assert_eq!(ids("mode=manual&status=success").await, both);
    assert!(ids("mode=webhook").await.is_empty());
    assert_eq!(ids("startedAfter=2001-01-01T00:00:00Z").await, both);
    assert!(ids("startedAfter=2999-01-01T00:00:00Z").await.is_empty());
    assert!(ids("startedBefore=2001-01-01T00:00:00Z").await.is_empty());
    let began = text(&second, "startedAt");
    assert!(!ids(&format!("startedBefore={began}")).await.contains(&both[0]));
    assert_eq!(editor.get("/executions?startedAfter=yesterday").await.status, 400);
    let row = editor.get("/executions").await.rows()[0].clone();
    assert_eq!(
        (text(&row, "workflowName"), text(&row, "workflowId")),
        ("Saved", editor.workflow.as_str())
    );
}

#[tokio::test]
async fn insights_count_runs_by_day_and_by_workflow() {
    let editor = EditorHarness::new().await;
    let well = json!({ "workflow": (row(&[("Start", "manualTrigger", json!({}))])) });
    let ill = json!({ "workflow": (row(&[("Start", "manualTrigger", json!({})), ("No", "code@2", code("throw new Error('no')"))])) });
    for body in [&well, &well, &ill] {
        editor.ran(body).await;
    }
    let insights = editor.get("/insights?days=3").await;
    assert_eq!(insights.status, 200, "{}", insights.body);
    let insights = insights.json();
    let list = |key: &str| insights.get(key).and_then(Value::as_array).unwrap().to_vec();
    let days = list("runs");
    assert_eq!(days.len(), 3, "every day has its row");
    let sum = |key: &str| days.iter().filter_map(|day| day.get(key)?.as_usize()).sum::<usize>();
    assert_eq!((sum("ok"), sum("failed")), (2, 1));
    let [workflow] = &list("workflows")[..] else { panic!("{insights:?}") };
    assert_eq!(
        (text(workflow, "name"), workflow.get("runs"), workflow.get("failed")),
        ("Saved", Some(&3.into()), Some(&1.into()))
    );
    let [latency] = &list("latency")[..] else { panic!("{insights:?}") };
    assert!(
        latency.get("p50").and_then(Value::as_f64) <= latency.get("p95").and_then(Value::as_f64)
    );
    assert_eq!(insights.get("totals").and_then(|totals| totals.get("runs")), Some(&3.into()));
    let path = format!("/insights?workflowId={}", editor.workflow);
    assert_eq!(
        editor
            .get(&path)
            .await
            .json()
            .get("totals")
            .and_then(|totals| totals.get("failed").cloned()),
        Some(1.into())
    );
    for (path, status) in [
        ("/insights?days=0", 400),
        ("/insights?days=91", 400),
        ("/insights?days=x", 400),
        ("/insights?workflowId=nope", 404),
    ] {
        assert_eq!(editor.get(path).await.status, status, "{path}");
    }
    editor.app.user("v@x.y", UserRole::Viewer).await;
    let key = editor.app.key("v@x.y", &["*"]).await;
    let foreign = editor.app.call("GET", "/api/v1/insights").key(&key).send().await.json();
    assert_eq!(
        foreign.get("totals").and_then(|totals| totals.get("runs")),
        Some(&0.into()),
        "runs of others are not counted"
    );
}

async fn send(
    app: &TestApp,
    key: &str,
    method: &str,
    path: &str,
    body: Value,
) -> crate::app::Reply {
    app.call(method, &format!("/api/v1{path}"))
        .key(key)
        .json(&model::json::to_string(&body))
        .send()
        .await
}

#[tokio::test]
async fn workflows_lie_in_folders_and_move_up_when_one_is_removed() {
    let editor = EditorHarness::new().await;
    let (app, key) = (&editor.app, editor.key.as_str());
    let make = async |name: &str, parent: Value| {
        send(app, key, "POST", "/folders", json!({ "name": (name), "parentId": (parent) })).await
    };
    let outer = make("Outer", Value::Null).await;
    assert_eq!(outer.status, 201, "{}", outer.body);
    let outer = outer.text("id");
    let inner = make("Inner", outer.as_str().into()).await.text("id");
    let path = format!("/workflows/{}", editor.workflow);
    let place =
        |folder: Value| send(app, key, "PATCH", &path, json!({ "parentFolderId": (folder) }));
    let before = editor.get(&format!("/workflows/{}", editor.workflow)).await.text("versionId");
    let placed = place(inner.as_str().into()).await;
    assert_eq!(
        (placed.status, placed.text("parentFolderId"), placed.text("versionId")),
        (200, inner.clone(), before),
        "no version is made"
    );
    let within = async |folder: &str| {
        editor.get(&format!("/workflows?parentFolderId={folder}")).await.rows().len()
    };
    assert_eq!((within(&inner).await, within(&outer).await, within("").await), (1, 0, 0));

    let renamed =
        send(app, key, "PATCH", &format!("/folders/{inner}"), json!({ "name": "Within" })).await;
    assert_eq!(
        (renamed.text("name"), renamed.text("parentId")),
        ("Within".to_owned(), outer.clone())
    );
    let circle = send(
        app,
        key,
        "PATCH",
        &format!("/folders/{outer}"),
        json!({ "parentId": (inner.as_str()) }),
    )
    .await;
    assert_eq!(circle.status, 400, "a folder cannot lie in itself");
    assert_eq!(
        send(app, key, "DELETE", &format!("/folders/{inner}"), Value::Null).await.status,
        200
    );
    assert_eq!(within(&outer).await, 1);
    assert_eq!(place(Value::Null).await.status, 200);
    assert_eq!((within(&outer).await, within("").await), (0, 1));
    let saved =
        json!({ "name": "In", "nodes": [], "connections": {}, "parentFolderId": (outer.as_str()) });
    assert_eq!(editor.post("/workflows", &saved).await.text("parentFolderId"), outer);
    let lost = json!({ "name": "In", "nodes": [], "connections": {}, "parentFolderId": "nope" });
    assert_eq!(editor.post("/workflows", &lost).await.status, 400);
    assert_eq!(
        editor.get("/workflows").await.rows().len(),
        2,
        "what could not be placed was not made"
    );

    let mut deepest = outer.clone();
    let mut depth = 1;
    loop {
        let made = make("Deeper", deepest.as_str().into()).await;
        if made.status == 400 {
            break;
        }
        deepest = made.text("id");
        depth += 1;
        assert!(depth <= 20, "folders end somewhere");
    }
    assert_eq!(depth, 20);
}

#[tokio::test]
async fn a_folder_belongs_to_its_project() {
    let editor = EditorHarness::new().await;
    let (app, key) = (&editor.app, editor.key.as_str());
    let team = editor.post("/projects", &json!({ "name": "Team" })).await.text("id");
    let theirs = editor
        .post("/folders", &json!({ "name": "Theirs", "projectId": (team.as_str()) }))
        .await
        .text("id");
    let foreign = send(
        app,
        key,
        "PATCH",
        &format!("/workflows/{}", editor.workflow),
        json!({ "parentFolderId": (theirs.as_str()) }),
    )
    .await;
    assert_eq!(foreign.status, 400, "a workflow lies in a folder of its own project");
    app.user("e@x.y", UserRole::Editor).await;
    let stranger = app.key("e@x.y", &["*"]).await;
    for (method, body) in [("PATCH", json!({ "name": "x" })), ("DELETE", Value::Null)] {
        assert_eq!(
            send(app, &stranger, method, &format!("/folders/{theirs}"), body).await.status,
            404
        );
    }
    let listed = app.call("GET", "/api/v1/folders").key(&stranger).send().await;
    assert!(listed.rows().is_empty());
    assert_eq!(editor.get(&format!("/folders?projectId={team}")).await.rows().len(), 1);
    assert_eq!(
        send(app, key, "DELETE", &format!("/projects/{team}"), Value::Null).await.status,
        204
    );
    assert!(editor.get("/folders").await.rows().is_empty(), "folders go with their project");
}

#[tokio::test]
async fn a_workflow_is_read_from_an_address_only_as_the_policy_allows() {
    let editor = EditorHarness::new().await;
    for (body, word) in [
        (json!({ "url": "http://127.0.0.1:9/x.json" }), "blocked"),
        (json!({ "url": "http://169.254.169.254/latest/meta-data" }), "blocked"),
        (json!({ "url": "file:///etc/passwd" }), "http"),
        (json!({ "url": "http://" }), "url"),
        (json!({ "url": 7 }), "url"),
        (json!({}), "url"),
    ] {
        let reply = editor.post("/workflows/fetch", &body).await;
        assert_eq!(
            (reply.status, reply.text("code").as_str()),
            (400, "REQUEST_INVALID"),
            "{}",
            reply.body
        );
        assert!(reply.text("message").contains(word), "{word}: {}", reply.body);
    }
}
