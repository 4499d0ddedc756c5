//! Many runs that a crash left in doubt, decided at once, and the decision taken back.

use crate::support::ledger::{Ledger, ledger_workflow};
use crate::support::{Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};

const RUNS: u64 = 5;

fn settings(ledger: &Ledger) -> [(&str, &str); 2] {
    [("HEDDLE_EGRESS_ALLOW", ledger.address.as_str()), ("HEDDLE_LOG", "off")]
}

/// Runs of which nobody knows whether they have paid.
fn doubtful(data: &TempFolder, ledger: &Ledger) -> Server {
    let document = ledger_workflow(&ledger.address, &json!({}), None);
    let file = data.write_json("pay", &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let server = Server::start(&data.0, &settings(ledger));
    ledger.hold(true);
    for id in 0..RUNS {
        let body = json!({ "id": id }).to_string();
        let headers = [("content-type", "application/json")];
        request(&server.address, "POST", "/webhook/pay", &headers, body.as_bytes()).unwrap();
    }
    wait_until("all have paid", || (0..RUNS).all(|id| ledger.paid(id) == 1));
    server.kill();
    ledger.hold(false);
    let server = Server::start(&data.0, &settings(ledger));
    wait_until("all are uncertain", || count(&server, "uncertain") == RUNS as usize);
    server
}

fn count(server: &Server, status: &str) -> usize {
    server.executions_with(&format!("&status={status}")).len()
}

fn decide(server: &Server, body: &Value) -> Value {
    let reply = server.api("POST", "/executions/resume", Some(body));
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.json()
}

#[test]
fn many_runs_are_decided_at_once_and_the_decision_is_taken_back() {
    let (data, ledger) = (TempFolder::new("decide-many"), Ledger::start());
    let server = doubtful(&data, &ledger);
    let steps = || server.api("GET", "/executions/uncertain", None).json();
    let found = steps();
    assert_eq!(found["data"].as_array().unwrap().len(), 1, "{found}");
    let step = &found["data"][0];
    assert_eq!((&step["workflowId"], &step["node"]), (&json!("pay"), &json!("Pay")));
    assert_eq!((&step["executions"], &step["decided"]), (&json!(RUNS), &json!(0)));
    // Neither of another node, nor of another time.
    for filter in [
        json!({ "decision": "again", "node": "Webhook" }),
        json!({ "decision": "again", "workflowId": "other" }),
        json!({ "decision": "again", "startedBefore": "2020-01-01T00:00:00Z" }),
    ] {
        assert_eq!(decide(&server, &filter)["executions"], 0, "{filter}");
    }
    let wanted =
        json!({ "decision": "again", "workflowId": "pay", "node": "Pay", "holdSeconds": 3600 });
    let decided = decide(&server, &wanted);
    assert_eq!(decided["executions"], RUNS);
    let found = steps();
    assert_eq!(found["data"][0]["decided"], RUNS);
    assert_eq!(found["batches"][0]["batch"], decided["batch"]);
    let path = format!("/executions/resume/{}", decided["batch"].as_str().unwrap());
    let undo = || server.api("DELETE", &path, None).json();
    assert_eq!(undo(), json!({ "executions": RUNS }));
    assert_eq!(undo(), json!({ "executions": 0 }), "it was taken back before");
    assert_eq!(
        (count(&server, "uncertain"), steps()["batches"].clone()),
        (RUNS as usize, json!([]))
    );
    // What takes effect at once.
    let ids: Vec<Value> = server
        .executions_with("&status=uncertain")
        .iter()
        .take(2)
        .map(|run| run["id"].clone())
        .collect();
    let done =
        json!({ "decision": "done", "result": "{\"checked\":true}", "ids": ids, "holdSeconds": 0 });
    assert_eq!(decide(&server, &done)["executions"], 2);
    wait_until("two are over", || count(&server, "success") == 2);
    assert_eq!(
        decide(&server, &json!({ "decision": "again", "holdSeconds": 0 }))["executions"],
        RUNS - 2
    );
    wait_until("all are over", || count(&server, "success") == RUNS as usize);
    let requests: usize = (0..RUNS).map(|id| ledger.requests(id)).sum();
    assert_eq!(requests as u64, RUNS + RUNS - 2, "those that were done are not repeated");
    server.stop();
}

#[test]
fn a_decision_that_is_held_outlives_the_process_and_takes_effect_once() {
    let (data, ledger) = (TempFolder::new("held"), Ledger::start());
    let server = doubtful(&data, &ledger);
    decide(&server, &json!({ "decision": "again", "holdSeconds": 3 }));
    server.kill();
    let server = Server::start(&data.0, &settings(&ledger));
    assert_eq!(count(&server, "uncertain"), RUNS as usize);
    wait_until("all are over", || count(&server, "success") == RUNS as usize);
    for id in 0..RUNS {
        assert_eq!(ledger.requests(id), 2);
    }
    server.stop();
    // Once, whatever is started afterwards.
    let server = Server::start(&data.0, &settings(&ledger));
    assert_eq!(count(&server, "success"), RUNS as usize);
    assert!((0..RUNS).all(|id| ledger.requests(id) == 2));
    server.stop();
}

#[test]
fn the_command_line_decides_about_many_and_takes_it_back() {
    let (data, ledger) = (TempFolder::new("decide-cli"), Ledger::start());
    let server = doubtful(&data, &ledger);
    let listed: Value = serde_json::from_str(&heddle(
        &data.0,
        &["executions", "list", "--status", "uncertain", "--json"],
    ))
    .unwrap();
    assert_eq!(listed.as_array().unwrap().len(), RUNS as usize);
    assert_eq!(
        (&listed[0]["workflowId"], &listed[0]["status"]),
        (&json!("pay"), &json!("uncertain"))
    );
    let decide = |more: &[&str]| {
        let arguments =
            ["executions", "resume", "--all", "--workflow", "pay", "--again", "--quiet"];
        heddle(&data.0, &[&arguments, more].concat()).trim().to_owned()
    };
    let batch = decide(&["--hold", "3600"]);
    heddle(&data.0, &["executions", "undo", &batch]);
    assert_eq!(count(&server, "uncertain"), RUNS as usize);
    server.stop();
    // Without a server it is done when there is one again.
    let batch = decide(&["--hold", "3600"]);
    heddle(&data.0, &["executions", "undo", &batch]);
    decide(&["--hold", "0", "--node", "Pay"]);
    let server = Server::start(&data.0, &settings(&ledger));
    wait_until("all are over", || count(&server, "success") == RUNS as usize);
    server.stop();
}
