//! The n8n node against a server of pages.

use super::api_call::{ApiCall, ResultShape, read};
use super::*;
use node_api::NodeInfo;
use node_api::http::Http;
use node_testing::{TestHost, items, run_on, to_json};
use std::sync::{Arc, Mutex};

const KEY: &str = "n8n_api_0123456789";

fn host(params: Value) -> TestHost {
    let mut host = TestHost::new(&N8n::spec(), 1.0, &params);
    host.credential_types = std::sync::Arc::new(crate::credentials::registry());
    host.credentials
        .insert("n8nApi", json!({ "apiKey": KEY, "baseUrl": "https://flows.test/api/v1/" }));
    host
}

fn call(params: Value) -> Result<ApiCall, NodeError> {
    let host = host(params);
    let info = NodeInfo::default();
    read(&Ctx::new(&info, &[], 0, &host), 0)
}

/// A server of pages: answers by what it was asked, and remembers it.
#[derive(Clone, Default)]
struct PageServer(Arc<Mutex<Vec<HttpRequest>>>);

#[async_trait::async_trait]
impl Http for PageServer {
    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (status, body) = match request.url.as_str() {
            url if url.contains("127.0.0.1") => {
                return Err(HttpError::Blocked {
                    host: "127.0.0.1".into(),
                    reason: "it is a private address".into(),
                });
            }
            url if url.contains("cursor=two") => {
                (200, json!({ "data": [{ "id": "3" }], "nextCursor": null }))
            }
            url if url.contains("/workflows?active") || url.ends_with("/workflows") => {
                (200, json!({ "data": [{ "id": "1" }, { "id": "2" }], "nextCursor": "two" }))
            }
            url if url.contains("cursor=same") || url.ends_with("/executions") => {
                (200, json!({ "data": [], "nextCursor": "same" }))
            }
            url if url.contains("/nope") => {
                (404, json!({ "message": format!("no workflow for {KEY}") }))
            }
            _ => (200, json!({ "id": "1" })),
        };
        let url = request.url.clone();
        self.0.lock().unwrap().push(request);
        let body = model::json::to_string(&body).into_bytes().into();
        Ok(HttpResponse {
            status,
            status_text: "".into(),
            headers: Vec::new(),
            body,
            url,
            reservation: Default::default(),
        })
    }
}

async fn run(params: Value) -> (Result<Value, NodeError>, Vec<HttpRequest>) {
    let pages = PageServer::default();
    let mut host = host(params);
    host.http = Box::new(pages.clone());
    let outputs = run_on::<N8n>(&host, 1.0, vec![items(&json!([{}]))], model::OnError::Stop).await;
    let sent = pages.0.lock().unwrap().clone();
    (outputs.map(|outputs| to_json(&outputs[0])), sent)
}

#[tokio::test]
async fn all_pages_become_items_and_the_key_goes_in_its_header() {
    let (made, sent) = run(json!({ "filters": { "activeWorkflows": true, "tags": "" } })).await;
    assert_eq!(made.unwrap(), json!([{ "id": "1" }, { "id": "2" }, { "id": "3" }]));
    assert_eq!(sent[0].url, "https://flows.test/api/v1/workflows?active=true");
    assert_eq!(sent[1].url, "https://flows.test/api/v1/workflows?active=true&cursor=two");
    assert!(sent.iter().all(|request| request.header("x-n8n-api-key") == Some(KEY)));
    let (made, sent) = run(json!({ "returnAll": false, "limit": 2 })).await;
    assert_eq!((made.is_ok(), sent.len()), (true, 1));
    assert_eq!(sent[0].url, "https://flows.test/api/v1/workflows?limit=2");
}

#[tokio::test]
async fn a_list_that_goes_in_circles_ends() {
    let (made, sent) =
        run(json!({ "resource": "execution", "operation": "getAll", "returnAll": true })).await;
    assert!(made.unwrap_err().message().contains("same page cursor"));
    assert_eq!(sent.len(), 2);
}

#[tokio::test]
async fn errors_are_n8ns_and_show_no_key() {
    let (made, _) =
        run(json!({ "operation": "get", "workflowId": { "mode": "id", "value": "nope" } })).await;
    let error = made.unwrap_err();
    assert_eq!(error.code(), Code::UPSTREAM_STATUS);
    assert_eq!(error.message(), "The resource you are requesting could not be found");
    assert!(!format!("{:?}", error.to_run_error("n")).contains(KEY));
}

#[tokio::test]
async fn a_closed_address_tells_how_it_is_opened() {
    let mut host = host(json!({}));
    host.http = Box::new(PageServer::default());
    host.credentials
        .insert("n8nApi", json!({ "apiKey": KEY, "baseUrl": "http://127.0.0.1:5678/api/v1" }));
    let error = run_on::<N8n>(&host, 1.0, vec![items(&json!([{}]))], model::OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::EGRESS_BLOCKED);
    let told = format!("{:?}", error.to_run_error("n"));
    assert!(told.contains("Whoever operates this instance can allow it"), "{told}");
}

#[test]
fn operations_become_requests() {
    let id = |value: &str| json!({ "__rl": true, "mode": "id", "value": value });
    for (params, method, path) in [
        (
            json!({ "operation": "activate", "workflowId": id("a1") }),
            "POST",
            "/workflows/a1/activate",
        ),
        (
            json!({ "operation": "deactivate", "workflowId": id("a1") }),
            "POST",
            "/workflows/a1/deactivate",
        ),
        (
            json!({ "operation": "delete", "workflowId": id("a/../b") }),
            "DELETE",
            "/workflows/a%2F..%2Fb",
        ),
        (
            json!({ "operation": "getVersion", "workflowId": id("a1"), "versionId": "v" }),
            "GET",
            "/workflows/a1/v",
        ),
        (
            json!({ "operation": "get", "workflowId": { "mode": "url", "value": "https://x.y/workflow/Ab9?z" } }),
            "GET",
            "/workflows/Ab9",
        ),
        (
            json!({ "resource": "execution", "operation": "delete", "executionId": 7 }),
            "DELETE",
            "/executions/7",
        ),
        (
            json!({ "resource": "credential", "operation": "getSchema", "credentialTypeName": "n8nApi" }),
            "GET",
            "/credentials/schema/n8nApi",
        ),
        (json!({ "resource": "audit" }), "POST", "/audit"),
    ] {
        let made = call(params.clone()).unwrap();
        assert_eq!(
            (made.method, made.path.as_str(), made.shape),
            (method, path, ResultShape::One),
            "{params:?}"
        );
    }
    for bad in [".", "..", "", "  "] {
        assert!(call(json!({ "operation": "get", "workflowId": id(bad) })).is_err(), "{bad}");
    }
    assert!(
        call(
            json!({ "operation": "get", "workflowId": { "mode": "url", "value": "https://x.y/" } })
        )
        .is_err()
    );
}

#[test]
fn bodies_have_only_what_the_api_takes() {
    let given =
        r#"{ "name": "W", "nodes": [1], "active": true, "id": "x", "settings": { "a": 1 } }"#;
    let created =
        call(json!({ "operation": "create", "workflowObject": given })).unwrap().body.unwrap();
    let expected = json!({ "name": "W", "nodes": [1], "connections": {}, "settings": { "a": 1 }, "staticData": null });
    assert_eq!(created, expected);
    let update = json!({ "operation": "update", "workflowId": { "value": "1" }, "workflowObject": { "name": "N", "tags": [] } });
    assert_eq!(call(update).unwrap().body.unwrap(), json!({ "name": "N" }));
    let credential = json!({ "resource": "credential", "operation": "create", "name": "c", "credentialTypeName": "t", "data": "{\"a\":1}" });
    assert_eq!(
        call(credential).unwrap().body.unwrap(),
        json!({ "name": "c", "type": "t", "data": { "a": 1 } })
    );
    let broken =
        call(json!({ "operation": "create", "workflowObject": "{ not json" })).unwrap_err();
    assert_eq!(
        broken.message(),
        "The 'workflowObject' property must be valid JSON, but cannot be parsed"
    );
}
