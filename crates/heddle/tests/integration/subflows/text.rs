//! Workflows from files and texts, and the credentials that they may use.

use super::{address_of, go, parent, row, set, start, statuses, wait_for_call};
use crate::support::workflow::node;
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::process::Command;
use testkit::{FakeHttp, FakeResponse};

const CANARY: &str = "canary-51c0de";

fn keep_credential(data: &TempFolder) {
    let credential = json!([{ "id": "1", "name": "Mine", "type": "httpHeaderAuth", "data": { "name": "X-Key", "value": CANARY } }]);
    let file = data.write_json("credentials", &credential);
    heddle(&data.0, &["credentials", "import", file.to_str().unwrap()]);
}

/// A request with the credential of this id and name.
fn sends(url: &str, id: &str, name: &str) -> Value {
    let parameters = json!({ "url": url, "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth", "options": {} });
    let mut sends = node("Send", "httpRequest", 4.2, parameters);
    sends["credentials"] = json!({ "httpHeaderAuth": { "id": id, "name": name } });
    sends
}

fn import(data: &TempFolder, id: &str, mut document: Value) -> String {
    document["id"] = json!(id);
    let file = data.write_json(id, &document);
    let import = ["import", "--activate", file.to_str().unwrap()];
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(import)
        .env("HEDDLE_DATA", &data.0)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    told
}

#[test]
fn issue_14_07_text_that_waited_still_has_no_credential_that_its_caller_does_not_name() {
    let data = TempFolder::new("text-guesses");
    keep_credential(&data);
    let service = FakeHttp::fixed(FakeResponse::json(&json!({})));
    let url = service.url("/");
    let tell = set("Tell", "url", "={{ $execution.resumeUrl }}");
    let child = row("Child", &[start(), tell, wait_for_call(), sends(&url, "1", "x")]);
    let call = node(
        "Call",
        "executeWorkflow",
        1.2,
        json!({ "source": "parameter", "workflowJson": child.to_string(), "options": {} }),
    );
    assert_eq!(import(&data, "parent", parent(&[call])), "", "at its top it names none");
    let allow = [("HEDDLE_EGRESS_ALLOW", "127.0.0.1")];
    let server = Server::start(&data.0, &allow);
    go(&server);
    wait_until("both wait", || statuses(&server, "parent") == ["waiting", "waiting"]);
    server.kill();
    let server = Server::start(&data.0, &allow);
    let all = server.executions();
    let below = all.iter().find(|execution| execution["mode"] == "integrated").unwrap();
    assert_eq!(server.call("POST", &address_of(below), Some(&json!({}))).status, 200);
    wait_until("both are over", || statuses(&server, "parent") == ["error", "error"]);
    let all = server.executions();
    let below = all.iter().find(|execution| execution["mode"] == "integrated").unwrap();
    let error = below["data"]["resultData"]["error"].to_string();
    assert!(error.contains("CREDENTIAL_MISSING") && error.contains("'x'"), "{error}");
    assert_eq!(service.received(), "");
    server.stop();
}

#[test]
fn issue_14_07_an_imported_file_keeps_only_credentials_of_the_same_id_name_and_type() {
    let data = TempFolder::new("import-guesses");
    keep_credential(&data);
    let service = FakeHttp::fixed(FakeResponse::json(&json!({})));
    let url = service.url("/");
    let other_kind = |mut node: Value| {
        node["credentials"] = json!({ "httpBasicAuth": { "id": "1", "name": "Mine" } });
        node
    };
    let guesses =
        [sends(&url, "1", "x"), sends(&url, "2", "Mine"), other_kind(sends(&url, "1", "Mine"))];
    let allow = [("HEDDLE_EGRESS_ALLOW", "127.0.0.1")];
    for (number, guess) in guesses.into_iter().enumerate() {
        let told =
            import(&data, &format!("guess-{number}"), parent_at(&format!("guess-{number}"), guess));
        assert!(
            told.contains("CREDENTIAL_MISSING") && told.contains("heddle credentials import"),
            "{told}"
        );
    }
    assert_eq!(import(&data, "known", parent_at("known", sends(&url, "1", "Mine"))), "");
    let server = Server::start(&data.0, &allow);
    for number in 0..3 {
        let kept = server.api("GET", &format!("/workflows/guess-{number}"), None).json();
        let chosen =
            kept["nodes"][1]["credentials"].as_object().unwrap().values().next().unwrap().clone();
        assert_eq!(chosen["id"], Value::Null, "{kept}");
        assert_eq!(
            server.call("POST", &format!("/webhook/guess-{number}"), Some(&json!({}))).status,
            500
        );
    }
    assert!(!service.received().contains(CANARY));
    let reply = server.call("POST", "/webhook/known", Some(&json!({})));
    assert_eq!(
        (reply.status, service.received().contains(CANARY)),
        (200, true),
        "{}",
        reply.text()
    );
    server.stop();
}

/// A workflow that a call of this path starts, and that answers when it is done.
fn parent_at(path: &str, next: Value) -> Value {
    let parameters =
        json!({ "httpMethod": "POST", "path": path, "responseMode": "lastNode", "options": {} });
    let mut webhook = node("Webhook", "webhook", 2.0, parameters);
    webhook["webhookId"] = json!(path);
    row(path, &[webhook, next])
}
