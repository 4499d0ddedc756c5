//! The server as its users meet it: the real binary, a data folder, HTTP.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test")]

mod support;

use serde_json::{Value, json};
use support::{Folder, Server, heddle, wait_until};

fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0],
            "parameters": parameters, "webhookId": format!("id-of-{name}") })
}

/// A workflow of nodes in a row.
fn row(name: &str, nodes: &[Value]) -> Value {
    let mut connections = serde_json::Map::new();
    for pair in nodes.windows(2) {
        let target = json!([[{ "node": pair[1]["name"], "type": "main", "index": 0 }]]);
        connections.insert(pair[0]["name"].as_str().unwrap().to_owned(), json!({ "main": target }));
    }
    json!({ "name": name, "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

fn webhook(path: &str, mode: &str) -> Value {
    node("Webhook", "webhook", 2.0, json!({ "httpMethod": "POST", "path": path, "responseMode": mode, "options": {} }))
}

fn doubled() -> Value {
    let assignments = json!([{ "id": "1", "name": "n", "value": "={{ $json.body.n * 2 }}", "type": "number" }]);
    node("Double", "set", 3.4, json!({ "assignments": { "assignments": assignments }, "options": {} }))
}

fn import(data: &Folder, name: &str, document: &Value) -> String {
    let file = data.workflow(name, document);
    let told = heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    told.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_call_starts_the_workflow_and_is_answered_as_its_webhook_says() {
    let data = Folder::new("answers");
    import(&data, "received", &row("Received", &[webhook("received", "onReceived"), doubled()]));
    import(&data, "last", &row("Last", &[webhook("last", "lastNode"), doubled()]));
    let respond = node(
        "Answer",
        "respondToWebhook",
        1.1,
        json!({ "respondWith": "text", "responseBody": "={{ $json.n }}", "options": { "responseCode": 201 } }),
    );
    import(&data, "node", &row("Node", &[webhook("node", "responseNode"), doubled(), respond]));
    import(
        &data,
        "fails",
        &row("Fails", &[webhook("fails", "lastNode"), node("Stop", "stopAndError", 1.0, json!({ "errorMessage": "no" }))]),
    );
    let server = Server::start(&data.0, &[]);
    let body = json!({ "n": 21 });

    let received = server.call("POST", "/webhook/received", Some(&body));
    assert_eq!((received.status, received.json()), (200, json!({ "message": "Workflow was started" })));
    assert_eq!(server.call("POST", "/webhook/last", Some(&body)).json(), json!({ "n": 42 }));
    let answered = server.call("POST", "/webhook/node", Some(&body));
    assert_eq!((answered.status, answered.text()), (201, "42".to_owned()));
    assert_eq!(server.call("POST", "/webhook/fails", Some(&body)).status, 500);
    assert_eq!(server.call("GET", "/webhook/last", None).status, 404);

    wait_until("all runs are over", || server.executions().iter().all(|execution| execution["stoppedAt"].is_string()));
    let statuses: Vec<Value> = server.executions().iter().map(|execution| execution["status"].clone()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == "success").count(), 3);
    assert_eq!(statuses.iter().filter(|status| **status == "error").count(), 1);
}

#[test]
fn a_body_that_cannot_be_read_is_refused_and_the_server_goes_on() {
    let data = Folder::new("bodies");
    import(&data, "last", &row("Last", &[webhook("last", "lastNode"), doubled()]));
    let server = Server::start(&data.0, &[]);
    let send =
        |kind: &str, body: &[u8]| support::request(&server.address, "POST", "/webhook/last", &[("content-type", kind)], body).unwrap();
    assert_eq!(send("application/json", b"{\"n\":").status, 400);
    assert_eq!(send("multipart/form-data", b"no boundary").status, 400);
    assert_eq!(send("application/json", &vec![b' '; (16 << 20) + 1]).status, 413);
    assert_eq!(send("application/x-www-form-urlencoded", b"n=4&m=5").json(), json!({ "n": 8 }));
    assert_eq!(send("application/json", b"{\"n\":3}").json(), json!({ "n": 6 }));
    let parts = b"--x\r\ncontent-disposition: form-data; name=\"n\"\r\n\r\n7\r\n--x\r\ncontent-disposition: form-data; name=\"f\"; filename=\"../../etc/passwd\"\r\ncontent-type: text/plain\r\n\r\nhi\r\n--x--\r\n";
    assert_eq!(send("multipart/form-data; boundary=x", parts).json(), json!({ "n": 14 }));
    let newest = &server.executions()[0];
    let file = &newest["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0]["binary"]["f"];
    assert_eq!(file["fileName"], "passwd");
}

#[test]
fn workflows_come_and_go_through_the_api() {
    let data = Folder::new("api");
    let server = Server::start(&data.0, &[]);
    assert_eq!(server.call("GET", "/api/v1/workflows", None).status, 401);
    let made = server.api("POST", "/workflows", Some(&row("Mine", &[webhook("mine", "lastNode"), doubled()]))).json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["active"], false);
    assert_eq!(server.call("POST", "/webhook/mine", Some(&json!({ "n": 1 }))).status, 404);
    assert_eq!(server.api("POST", &format!("/workflows/{id}/activate"), None).json()["active"], true);
    assert_eq!(server.call("POST", "/webhook/mine", Some(&json!({ "n": 1 }))).json(), json!({ "n": 2 }));

    let rival = server.api("POST", "/workflows", Some(&row("Rival", &[webhook("mine", "lastNode")]))).json();
    let refused = server.api("POST", &format!("/workflows/{}/activate", rival["id"].as_str().unwrap()), None);
    assert_eq!((refused.status, refused.json()["code"].clone()), (409, json!("WEBHOOK_TAKEN")));

    let mut changed = row("Mine", &[webhook("moved", "lastNode"), doubled()]);
    changed["unknown"] = json!(1);
    assert_eq!(server.api("PUT", &format!("/workflows/{id}"), Some(&changed)).status, 400);
    changed.as_object_mut().unwrap().remove("unknown");
    assert_eq!(server.api("PUT", &format!("/workflows/{id}"), Some(&changed)).status, 200);
    assert_eq!(server.call("POST", "/webhook/mine", Some(&json!({ "n": 1 }))).status, 404);
    assert_eq!(server.call("POST", "/webhook/moved", Some(&json!({ "n": 1 }))).json(), json!({ "n": 2 }));
    assert_eq!(server.api("DELETE", &format!("/workflows/{id}"), None).status, 200);
    assert_eq!(server.call("POST", "/webhook/moved", Some(&json!({ "n": 1 }))).status, 404);
    assert_eq!(server.api("GET", &format!("/workflows/{id}"), None).status, 404);
}

#[test]
fn a_workflow_imported_beside_a_running_server_listens_soon() {
    let data = Folder::new("beside");
    let server = Server::start(&data.0, &[]);
    let id = import(&data, "last", &row("Last", &[webhook("late", "lastNode"), doubled()]));
    wait_until("the import is noticed", || server.call("POST", "/webhook/late", Some(&json!({ "n": 1 }))).status == 200);
    heddle(&data.0, &["deactivate", &id]);
    wait_until("the change is noticed", || server.call("POST", "/webhook/late", Some(&json!({ "n": 1 }))).status == 404);
}

#[test]
fn a_second_server_on_the_same_folder_is_refused() {
    let data = Folder::new("second");
    let _first = Server::start(&data.0, &[]);
    let second = std::process::Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["serve", "--port", "0"])
        .env("HEDDLE_DATA", &data.0)
        .output()
        .unwrap();
    assert!(!second.status.success());
    assert!(String::from_utf8_lossy(&second.stderr).contains("another Heddle"));
}

#[test]
fn a_run_that_sleeps_goes_on_after_a_restart() {
    let data = Folder::new("sleeps");
    let wait = node("Wait", "wait", 1.1, json!({ "resume": "specificTime", "dateTime": "={{ $now.plus(70, 'seconds').toISO() }}" }));
    import(&data, "sleeps", &row("Sleeps", &[webhook("sleeps", "onReceived"), wait, doubled()]));
    let server = Server::start(&data.0, &[]);
    assert_eq!(server.call("POST", "/webhook/sleeps", Some(&json!({ "n": 1 }))).status, 200);
    wait_until("the run sleeps", || server.executions()[0]["status"] == "waiting");
    server.kill();
    let server = Server::start(&data.0, &[]);
    assert_eq!(server.executions()[0]["status"], "waiting");
    assert_eq!(server.api("POST", "/executions/1/stop", None).json()["status"], "canceled");
    server.stop();
}
