//! Agents that call several workflows in one breath: none of the calls is made twice or cut off,
//! and none outlives its caller.

use super::{address_of, go, id, import, of, post, set, start, statuses, waiting_child};
use crate::support::model_server::Model;
use crate::support::request_counter::RequestCounter;
use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, wait_until};
use serde_json::{Value, json};
use std::time::Duration;

/// An agent that `/webhook/go` starts and that has these workflows as its tools.
fn agent(model: &Model, workflows: &[&str]) -> Value {
    let webhook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": "go", "options": {} }),
    );
    let mut document = row("Parent", &[webhook]);
    let part = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let model = json!({ "baseUrl": format!("http://{}/v1", model.address), "model": "mock" });
    let mut nodes = vec![
        part("Agent", "ai-agent", 1.0, json!({ "userMessage": "go" })),
        part("Model", "openai-compatible-model", 1.0, model),
    ];
    document["connections"] =
        json!({ "Webhook": to_agent("main"), "Model": to_agent("ai_languageModel") });
    for workflow in workflows {
        let target = json!({ "description": workflow, "workflowId": { "__rl": true, "mode": "id", "value": workflow } });
        nodes.push(part(workflow, "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, target));
        document["connections"][workflow] = to_agent("ai_tool");
    }
    document["nodes"].as_array_mut().unwrap().extend(nodes);
    document
}

/// The model asks for all of them at once.
fn all_at_once(workflows: &[&str]) -> Value {
    let call = |(place, name): (usize, &&str)| json!({ "index": place, "id": format!("c{place}"), "type": "function", "function": { "name": name, "arguments": "{\"input\":\"x\"}" } });
    json!({ "tool_calls": workflows.iter().enumerate().map(call).collect::<Vec<_>>() })
}

#[test]
fn issue_15_00_a_call_that_goes_to_sleep_does_not_end_the_one_beside_it() {
    let (data, counter) = (TempFolder::new("sub-beside"), RequestCounter::start());
    let model =
        Model::start(vec![all_at_once(&["child", "worker"]), json!({ "content": "all done" })]);
    let pays = post("Pay", &format!("http://{}/pay/1", counter.address));
    import(&data, "child", waiting_child());
    import(&data, "worker", row("Worker", &[start(), pays, set("Done", "paid", "yes")]));
    import(&data, "parent", agent(&model, &["child", "worker"]));
    let server = Server::start(&data.0, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1")]);
    counter.hold(Some("/pay/1".to_owned()));
    go(&server);
    wait_until("one sleeps and one is at it", || {
        statuses(&server, "child") == ["waiting"] && counter.count("pay", 1) == 1
    });
    // Time enough for whoever would let go of the agent.
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(statuses(&server, "worker"), ["running"]);
    counter.hold(None);
    wait_until("the other one ends, and the agent sleeps", || {
        statuses(&server, "worker") == ["success"] && statuses(&server, "parent") == ["waiting"]
    });
    let path = address_of(of(&server.executions(), "child")[0]);
    assert_eq!(server.call("POST", &path, Some(&json!({ "word": "yes" }))).status, 200);
    wait_until("the agent ends", || statuses(&server, "parent") == ["success"]);
    assert_eq!(
        (counter.count("pay", 1), statuses(&server, "worker").len(), model.n_requests()),
        (1, 1, 2)
    );
    server.stop();
}

#[test]
fn issue_15_00_whoever_stops_a_caller_stops_all_that_it_waits_for() {
    let data = TempFolder::new("sub-both");
    let both = ["child", "other"];
    let model =
        Model::start(vec![all_at_once(&both), all_at_once(&both), json!({ "content": "no" })]);
    import(&data, "child", waiting_child());
    import(&data, "other", waiting_child());
    import(&data, "parent", agent(&model, &both));
    let server = Server::start(&data.0, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1")]);
    let all_are = |expected: &[&str]| {
        ["parent", "child", "other"].iter().all(|workflow| statuses(&server, workflow) == expected)
    };
    go(&server);
    wait_until("all sleep", || all_are(&["waiting"]));
    let parent = id(of(&server.executions(), "parent")[0]).to_owned();
    assert_eq!(server.api("POST", &format!("/executions/{parent}/stop"), None).status, 200);
    wait_until("all were stopped", || all_are(&["canceled"]));
    // And whoever removes its workflow.
    go(&server);
    wait_until("all sleep again", || all_are(&["canceled", "waiting"]));
    assert_eq!(server.api("DELETE", "/workflows/parent", None).status, 200);
    wait_until("both were stopped", || {
        ["child", "other"]
            .iter()
            .all(|workflow| statuses(&server, workflow) == ["canceled", "canceled"])
    });
    server.stop();
}
