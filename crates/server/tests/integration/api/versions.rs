//! The versions of a workflow: reading them, and choosing the one that listens.

use crate::app::{Reply, TestApp};

async fn send(app: &TestApp, key: &str, method: &str, path: &str, body: &str) -> Reply {
    app.call(method, &format!("/api/v1/workflows{path}")).key(key).json(body).send().await
}

/// A workflow whose webhook says a word.
fn saying(name: &str, path: &str, word: &str) -> String {
    let hook = format!(
        r#"{{"id":"n","name":"Hook","type":"n8n-nodes-base.webhook","typeVersion":2.1,"position":[0,0],"parameters":{{"path":"{path}","options":{{"responseData":"{word}"}}}}}}"#
    );
    format!(r#"{{"name":"{name}","nodes":[{hook}],"connections":{{}},"settings":{{}}}}"#)
}

async fn respond(app: &TestApp, path: &str) -> (u16, String) {
    let reply = app.call("GET", path).send().await;
    (reply.status, reply.body)
}

#[tokio::test]
async fn every_version_of_a_workflow_can_be_read() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id = send(&app, &key, "POST", "", &saying("one", "a", "first")).await.text("id");
    let other = send(&app, &key, "POST", "", &saying("other", "b", "first")).await.text("id");
    let before = send(&app, &key, "GET", &format!("/{id}"), "").await.text("versionId");
    assert_eq!(
        send(&app, &key, "PUT", &format!("/{id}"), &saying("renamed", "a", "second")).await.status,
        200
    );
    let history = send(&app, &key, "GET", &format!("/{id}/history"), "").await.json();
    assert_eq!(history.as_array().unwrap().len(), 2);
    for path in [format!("/{id}/versions/{before}"), format!("/{id}/{before}")] {
        let old = send(&app, &key, "GET", &path, "").await;
        assert_eq!((old.status, old.text("workflowId")), (200, id.clone()));
        assert!(old.body.contains("first") && !old.body.contains("second"), "{}", old.body);
        assert!(old.json().get("name").unwrap().is_null(), "nobody has named it");
    }
    assert_eq!(
        send(&app, &key, "GET", &format!("/{other}/versions/{before}"), "").await.status,
        404
    );
    assert_eq!(send(&app, &key, "GET", &format!("/{other}/{before}"), "").await.status, 404);
}

#[tokio::test]
async fn an_older_version_listens_when_it_is_activated() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let made = send(&app, &key, "POST", "", &saying("one", "old", "first")).await;
    let (id, first) = (made.text("id"), made.text("versionId"));
    assert!(made.json().get("activeVersionId").unwrap().is_null(), "nothing listens yet");
    let second = send(&app, &key, "PUT", &format!("/{id}"), &saying("one", "new", "second"))
        .await
        .text("versionId");
    let activated = send(&app, &key, "POST", &format!("/{id}/activate"), "").await;
    assert_eq!(
        (activated.text("versionId"), activated.text("activeVersionId")),
        (second.clone(), second.clone())
    );
    assert_eq!(respond(&app, "/webhook/new").await, (200, "second".to_owned()));

    let body = format!(
        r#"{{"versionId":"{first}","name":"Known good","description":"Before the change"}}"#
    );
    let activated = send(&app, &key, "POST", &format!("/{id}/activate"), &body).await;
    assert_eq!(activated.status, 200, "{}", activated.body);
    assert_eq!(
        (activated.text("versionId"), activated.text("activeVersionId")),
        (second.clone(), first.clone())
    );
    assert!(activated.body.contains("second"), "what is shown is what was saved last");
    assert_eq!(respond(&app, "/webhook/old").await, (200, "first".to_owned()));
    assert_eq!(respond(&app, "/webhook/new").await.0, 404);
    let named = send(&app, &key, "GET", &format!("/{id}/versions/{first}"), "").await;
    assert_eq!(
        (named.text("name"), named.text("description")),
        ("Known good".to_owned(), "Before the change".to_owned())
    );

    // Saving brings the newest version back, as it does for any active workflow.
    let third = send(&app, &key, "PUT", &format!("/{id}"), &saying("one", "new", "third")).await;
    assert_eq!(third.text("activeVersionId"), third.text("versionId"));
    assert_eq!(respond(&app, "/webhook/new").await, (200, "third".to_owned()));
    assert_eq!(respond(&app, "/webhook/old").await.0, 404);

    let published = send(
        &app,
        &key,
        "POST",
        &format!("/{id}/publish"),
        &format!(r#"{{"versionId":"{second}"}}"#),
    )
    .await;
    assert_eq!(published.text("activeVersionId"), second);
    assert_eq!(respond(&app, "/webhook/new").await, (200, "second".to_owned()));
    let unpublished = send(&app, &key, "POST", &format!("/{id}/unpublish"), "").await;
    assert!(unpublished.json().get("activeVersionId").unwrap().is_null());
    assert_eq!(respond(&app, "/webhook/new").await.0, 404);
}

#[tokio::test]
async fn a_version_that_is_not_there_or_cannot_listen_changes_nothing() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let silent =
        send(&app, &key, "POST", "", r#"{"name":"one","nodes":[],"connections":{},"settings":{}}"#)
            .await;
    let (id, first) = (silent.text("id"), silent.text("versionId"));
    let other =
        send(&app, &key, "POST", "", &saying("other", "other", "x")).await.text("versionId");
    send(&app, &key, "PUT", &format!("/{id}"), &saying("one", "here", "fine")).await;
    assert_eq!(send(&app, &key, "POST", &format!("/{id}/activate"), "").await.status, 200);
    for (version, status) in [("nope", 404), (other.as_str(), 404), (first.as_str(), 422)] {
        let reply = send(
            &app,
            &key,
            "POST",
            &format!("/{id}/activate"),
            &format!(r#"{{"versionId":"{version}"}}"#),
        )
        .await;
        assert_eq!(reply.status, status, "{version}: {}", reply.body);
        assert_eq!(respond(&app, "/webhook/here").await, (200, "fine".to_owned()));
    }
}
