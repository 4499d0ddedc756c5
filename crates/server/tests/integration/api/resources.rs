//! Tags, variables, projects, credentials and the audit, from end to end.

use crate::app::{Reply, TestApp};
use model::Value;

async fn send(app: &TestApp, key: &str, method: &str, path: &str, body: &str) -> Reply {
    app.call(method, &format!("/api/v1{path}")).key(key).json(body).send().await
}

async fn workflow(app: &TestApp, key: &str, name: &str) -> String {
    let node = r#"{"id":"n","name":"Hook","type":"n8n-nodes-base.webhook","typeVersion":2,"position":[0,0],"parameters":{"path":"p"}}"#;
    let body = format!(
        r#"{{"name":"{name}","nodes":[{node}],"connections":{{}},"settings":{{}},"pinData":{{"Hook":[{{"json":{{}}}}]}}}}"#
    );
    let reply = send(app, key, "POST", "/workflows", &body).await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.text("id")
}

#[tokio::test]
async fn tags_are_made_given_filtered_by_and_removed() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let made = send(&app, &key, "POST", "/tags", r#"{"name":"live"}"#).await;
    assert_eq!(made.status, 201);
    let (live, test) =
        (made.text("id"), send(&app, &key, "POST", "/tags", r#"{"name":"test"}"#).await.text("id"));
    assert_eq!(send(&app, &key, "POST", "/tags", r#"{"name":"live"}"#).await.status, 409);
    assert_eq!(
        send(&app, &key, "PUT", &format!("/tags/{test}"), r#"{"name":"live"}"#).await.status,
        409
    );
    assert_eq!(
        send(&app, &key, "PUT", &format!("/tags/{test}"), r#"{"name":"tried"}"#).await.text("name"),
        "tried"
    );
    let (first, second) = (workflow(&app, &key, "one").await, workflow(&app, &key, "two").await);
    let both = format!(r#"[{{"id":"{live}"}},{{"id":"{test}"}}]"#);
    let given = send(&app, &key, "PUT", &format!("/workflows/{first}/tags"), &both).await;
    assert_eq!((given.status, given.json().as_array().unwrap().len()), (200, 2));
    send(
        &app,
        &key,
        "PUT",
        &format!("/workflows/{second}/tags"),
        &format!(r#"[{{"id":"{live}"}}]"#),
    )
    .await;
    assert_eq!(
        send(&app, &key, "PUT", &format!("/workflows/{second}/tags"), r#"[{"id":"nope"}]"#)
            .await
            .status,
        404
    );
    for (tags, expected) in
        [("live", 2), ("tried", 1), ("live,tried", 1), ("live,nothing", 0), ("", 2)]
    {
        let rows = send(&app, &key, "GET", &format!("/workflows?tags={tags}"), "").await.rows();
        assert_eq!(rows.len(), expected, "{tags}");
    }
    assert_eq!(send(&app, &key, "DELETE", &format!("/tags/{live}"), "").await.status, 200);
    let shown = send(&app, &key, "GET", &format!("/workflows/{first}"), "").await.json();
    assert_eq!(shown.get("tags").unwrap().as_array().unwrap().len(), 1);
    assert_eq!(send(&app, &key, "GET", &format!("/tags/{live}"), "").await.status, 404);
    assert_eq!(send(&app, &key, "GET", "/executions/1/tags", "").await.status, 404);
}

#[tokio::test]
async fn lists_come_in_pages() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    for index in 0..5 {
        let body = format!(
            r#"{{"name":"t{index}","key":"k{index}","value":"v","type":"httpBearerAuth","data":{{"token":"t"}}}}"#
        );
        let only = |fields: &str| {
            model::json::parse(&body)
                .map(|value| {
                    let kept = value
                        .as_object()
                        .unwrap()
                        .iter()
                        .filter(|(name, _)| fields.contains(name.as_str()));
                    model::json::to_string(&Value::from(
                        kept.map(|(name, value)| (name.clone(), value.clone()))
                            .collect::<model::Object>(),
                    ))
                })
                .unwrap()
        };
        for (path, fields) in [
            ("/tags", "name"),
            ("/variables", "key value"),
            ("/projects", "name"),
            ("/credentials", "name type data"),
        ] {
            assert!(send(&app, &key, "POST", path, &only(fields)).await.status < 300, "{path}");
        }
        send(&app, &key, "POST", "/users", &format!(r#"[{{"email":"u{index}@x.y"}}]"#)).await;
        workflow(&app, &key, &format!("w{index}")).await;
    }
    for (path, expected) in [
        ("/tags", 5),
        ("/variables", 5),
        ("/projects", 11),
        ("/credentials", 5),
        ("/users", 6),
        ("/workflows", 5),
    ] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = send(&app, &key, "GET", &format!("{path}?limit=2{cursor}"), "").await;
            assert!(
                page.json().get("nextCursor").is_some(),
                "{path} does not say whether there is more"
            );
            let rows = page.rows();
            assert!(rows.len() <= 2);
            seen.extend(rows.iter().map(|row| row.get("id").unwrap().as_str().unwrap().to_owned()));
            match page.json().get("nextCursor").and_then(|next| next.as_str().map(str::to_owned)) {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        let count = seen.len();
        seen.sort();
        seen.dedup();
        assert_eq!((count, seen.len()), (expected, expected), "{path}");
    }
}

#[tokio::test]
async fn variables_are_made_changed_and_removed() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let made = send(&app, &key, "POST", "/variables", r#"{"key":"REGION","value":"north"}"#).await;
    assert_eq!((made.status, made.text("type")), (201, "string".to_owned()));
    let path = format!("/variables/{}", made.text("id"));
    for bad in [
        r#"{"key":"1a","value":""}"#,
        r#"{"key":"a b","value":""}"#,
        r#"{"key":"","value":""}"#,
        r#"{"key":"a"}"#,
        r#"{"key":"a","value":1}"#,
    ] {
        assert_eq!(send(&app, &key, "POST", "/variables", bad).await.status, 400, "{bad}");
    }
    assert_eq!(
        send(&app, &key, "POST", "/variables", r#"{"key":"REGION","value":"x"}"#).await.status,
        409
    );
    assert_eq!(
        send(&app, &key, "PUT", &path, r#"{"key":"REGION","value":"south"}"#).await.status,
        204
    );
    let rows = send(&app, &key, "GET", "/variables", "").await.rows();
    assert_eq!(rows[0].get("value").unwrap().as_str(), Some("south"));
    assert_eq!(send(&app, &key, "DELETE", &path, "").await.status, 204);
    assert_eq!(send(&app, &key, "DELETE", &path, "").await.status, 404);
}

#[tokio::test]
async fn workflows_move_between_projects() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let (first, _) = (workflow(&app, &key, "one").await, workflow(&app, &key, "two").await);
    let project = send(&app, &key, "POST", "/projects", r#"{"name":"Sales"}"#).await.text("id");
    let path = format!("/workflows/{first}/transfer");
    let to = |id: &str| format!(r#"{{"destinationProjectId":"{id}"}}"#);
    assert_eq!(send(&app, &key, "PUT", &path, &to("nope")).await.status, 404);
    assert_eq!(
        send(&app, &key, "PUT", "/workflows/nope/transfer", &to(&project)).await.status,
        404
    );
    assert_eq!(send(&app, &key, "PUT", &path, &to(&project)).await.status, 204);
    let count = async |id: &str| {
        send(&app, &key, "GET", &format!("/workflows?projectId={id}"), "").await.rows().len()
    };
    assert_eq!((count(&project).await, count("personal").await), (1, 1));
    assert_eq!(send(&app, &key, "DELETE", &format!("/projects/{project}"), "").await.status, 204);
    assert_eq!(count("personal").await, 2);
}

#[tokio::test]
async fn pinned_data_can_be_left_out() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let id = workflow(&app, &key, "one").await;
    for path in [format!("/workflows/{id}"), "/workflows".to_owned()] {
        assert!(send(&app, &key, "GET", &path, "").await.body.contains("pinData"));
        assert!(
            !send(&app, &key, "GET", &format!("{path}?excludePinnedData=true"), "")
                .await
                .body
                .contains("pinData")
        );
    }
}

#[tokio::test]
async fn credentials_are_made_changed_and_removed_by_their_schema() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let schema = send(&app, &key, "GET", "/credentials/schema/httpBearerAuth", "").await.json();
    assert_eq!(schema.get("required").unwrap().at(0).unwrap().as_str(), Some("token"));
    assert_eq!(send(&app, &key, "GET", "/credentials/schema/nope", "").await.status, 404);
    let made = send(
        &app,
        &key,
        "POST",
        "/credentials",
        r#"{"name":"a","type":"httpBearerAuth","data":{"token":"t"}}"#,
    )
    .await;
    assert_eq!((made.status, made.text("type")), (200, "httpBearerAuth".to_owned()));
    let path = format!("/credentials/{}", made.text("id"));
    assert_eq!(send(&app, &key, "PATCH", &path, r#"{"name":"b"}"#).await.text("name"), "b");
    assert_eq!(send(&app, &key, "PATCH", &path, r#"{"type":"httpBasicAuth"}"#).await.status, 400);
    let changed = send(
        &app,
        &key,
        "PATCH",
        &path,
        r#"{"type":"httpBasicAuth","data":{"user":"u","password":"p"}}"#,
    )
    .await;
    assert_eq!((changed.status, changed.text("type")), (200, "httpBasicAuth".to_owned()));
    assert_eq!(send(&app, &key, "DELETE", &path, "").await.status, 200);
    assert_eq!(send(&app, &key, "DELETE", &path, "").await.status, 404);
}

#[tokio::test]
async fn issue_14_00_an_audit_tells_of_expressions_in_queries_with_or_without_a_sign() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    for (query, is_told) in
        [("SELECT 1", false), ("SELECT {{ $json.x }}", true), ("=SELECT {{ $json.x }}", true)]
    {
        let node = format!(
            r#"{{"id":"n","name":"Query","type":"n8n-nodes-base.postgres","typeVersion":2.5,"position":[0,0],"parameters":{{"query":"{query}"}}}}"#
        );
        let body =
            format!(r#"{{"name":"{query}","nodes":[{node}],"connections":{{}},"settings":{{}}}}"#);
        let made = send(&app, &key, "POST", "/workflows", &body).await;
        assert_eq!(made.status, 200, "{}", made.body);
        let report = send(
            &app,
            &key,
            "POST",
            "/audit",
            r#"{"additionalOptions":{"categories":["database"]}}"#,
        )
        .await;
        assert_eq!(
            report.body.contains("Expressions in SQL queries"),
            is_told,
            "{query}: {}",
            report.body
        );
        send(&app, &key, "DELETE", &format!("/workflows/{}", made.text("id")), "").await;
    }
}

#[tokio::test]
async fn an_audit_tells_of_open_webhooks_and_unused_credentials() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    assert_eq!(send(&app, &key, "POST", "/audit", "").await.body, "[]");
    workflow(&app, &key, "open").await;
    send(
        &app,
        &key,
        "POST",
        "/credentials",
        r#"{"name":"lost","type":"httpBearerAuth","data":{"token":"t"}}"#,
    )
    .await;
    let report = send(&app, &key, "POST", "/audit", "").await;
    assert_eq!(report.status, 200);
    assert!(report.body.contains("Unprotected webhooks") && report.body.contains("\"lost\""));
    let some = send(
        &app,
        &key,
        "POST",
        "/audit",
        r#"{"additionalOptions":{"categories":["credentials"]}}"#,
    )
    .await;
    assert!(!some.body.contains("webhooks"));
    assert_eq!(
        send(&app, &key, "POST", "/audit", r#"{"additionalOptions":{"categories":["x"]}}"#)
            .await
            .status,
        400
    );
}

#[tokio::test]
async fn issue_14_07_an_audit_tells_of_nodes_without_a_credential_that_they_need() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let request = |name: &str, more: &str| {
        let parameters = r#"{"url":"https://a.test","authentication":"genericCredentialType","genericAuthType":"httpHeaderAuth"}"#;
        let kind = "n8n-nodes-base.httpRequest";
        format!(
            r#"{{"id":"{name}","name":"{name}","type":"{kind}","typeVersion":4.2,"position":[0,0],"parameters":{parameters}{more}}}"#
        )
    };
    let chosen = r#","credentials":{"httpHeaderAuth":{"id":"x","name":"x"}}"#;
    let nodes =
        [request("lacking", ""), request("chosen", chosen), request("off", r#","disabled":true"#)]
            .join(",");
    let body = format!(r#"{{"name":"w","nodes":[{nodes}],"connections":{{}},"settings":{{}}}}"#);
    let made = send(&app, &key, "POST", "/workflows", &body).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let report = send(
        &app,
        &key,
        "POST",
        "/audit",
        r#"{"additionalOptions":{"categories":["credentials"]}}"#,
    )
    .await
    .body;
    assert!(
        report.contains("without a required credential") && report.contains("lacking"),
        "{report}"
    );
    assert!(!report.contains("\"chosen\"") && !report.contains("\"off\""), "{report}");
}
