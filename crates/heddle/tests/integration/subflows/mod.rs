//! Workflows that call others: callers sleep with them, outlive a crash with them, and go on behind
//! them.

mod agents;
mod forms;
mod text;

use crate::support;
use crate::support::faults::{Faults, Field};
use crate::support::request_counter::RequestCounter;
use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use testkit::{FakeHttp, FakeResponse};

fn import(data: &TempFolder, id: &str, document: Value) {
    let mut document = document;
    document["id"] = json!(id);
    let file = data.write_json(id, &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
}

fn start() -> Value {
    node("Start", "executeWorkflowTrigger", 1.0, json!({}))
}

fn set(name: &str, field: &str, value: &str) -> Value {
    let assignments = json!([{ "id": "1", "name": field, "value": value, "type": "string" }]);
    node(name, "set", 3.4, json!({ "assignments": { "assignments": assignments }, "options": {} }))
}

fn code(name: &str, source: &str) -> Value {
    node(name, "code", 2.0, json!({ "jsCode": source }))
}

fn post(name: &str, url: &str) -> Value {
    node(name, "httpRequest", 4.2, json!({ "method": "POST", "url": url, "options": {} }))
}

fn wait_for_call() -> Value {
    node("Wait", "wait", 1.1, json!({ "resume": "webhook", "httpMethod": "POST", "options": {} }))
}

fn call(mode: &str, options: Value) -> Value {
    let target = json!({ "__rl": true, "mode": "id", "value": "child" });
    node(
        "Call",
        "executeWorkflow",
        1.2,
        json!({ "source": "database", "workflowId": target, "mode": mode, "options": options }),
    )
}

/// A workflow that a call of `/webhook/go` starts, and that calls the workflow `child`.
fn parent(between: &[Value]) -> Value {
    let webhook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": "go", "options": {} }),
    );
    let after = set("After", "after", "={{ $json.result }} after");
    let nodes: Vec<Value> =
        std::iter::once(webhook).chain(between.iter().cloned()).chain([after]).collect();
    row("Parent", &nodes)
}

/// A child that tells its own address, waits for a call of it, and gives back what the call
/// brought.
fn waiting_child() -> Value {
    row(
        "Child",
        &[
            start(),
            set("Tell", "url", "={{ $execution.resumeUrl }}"),
            wait_for_call(),
            set("Done", "result", "={{ $json.body.word }}"),
        ],
    )
}

fn go(server: &Server) {
    assert_eq!(server.call("POST", "/webhook/go", Some(&json!({}))).status, 200);
}

fn of<'a>(executions: &'a [Value], workflow: &str) -> Vec<&'a Value> {
    executions.iter().filter(|execution| execution["workflowId"] == workflow).collect()
}

/// How the runs of a workflow stand, oldest first.
fn statuses(server: &Server, workflow: &str) -> Vec<String> {
    let all = server.executions();
    of(&all, workflow)
        .iter()
        .rev()
        .map(|execution| execution["status"].as_str().unwrap().to_owned())
        .collect()
}

fn wait_for(server: &Server, parent: &[&str], child: &[&str]) {
    let began = std::time::Instant::now();
    loop {
        let found = (statuses(server, "parent"), statuses(server, "child"));
        if found.0 == parent && found.1 == child {
            return;
        }
        assert!(began.elapsed().as_secs() < 60, "{found:?} instead of {parent:?}, {child:?}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

fn run_data(execution: &Value, node: &str) -> Value {
    execution["data"]["resultData"]["runData"][node][0]["data"]["main"][0].clone()
}

fn outputs(execution: &Value, node: &str, field: &str) -> Vec<Value> {
    run_data(execution, node)
        .as_array()
        .unwrap_or(&Vec::new())
        .iter()
        .map(|item| item["json"][field].clone())
        .collect()
}

/// The path that wakes a child.
fn address_of(child: &Value) -> String {
    let url = outputs(child, "Tell", "url")[0].as_str().unwrap().to_owned();
    format!("/{}", url.splitn(4, '/').nth(3).unwrap())
}

fn id(execution: &Value) -> &str {
    execution["id"].as_str().unwrap()
}

#[test]
fn a_caller_sleeps_with_the_workflow_it_called_and_goes_on_after_a_restart() {
    let data = TempFolder::new("sub-webhook");
    import(&data, "child", waiting_child());
    import(&data, "parent", parent(&[call("once", json!({}))]));
    let server = Server::start(&data.0, &[]);
    go(&server);
    wait_for(&server, &["waiting"], &["waiting"]);
    server.kill();
    let server = Server::start(&data.0, &[]);
    wait_for(&server, &["waiting"], &["waiting"]);
    let all = server.executions();
    let (above, below) = (of(&all, "parent")[0], of(&all, "child")[0]);
    assert_eq!(
        (&below["parentExecutionId"], &above["waitsForExecutionId"]),
        (&above["id"], &below["id"])
    );
    assert_eq!(above["parentExecutionId"], Value::Null);
    assert_eq!(
        server.call("POST", &address_of(below), Some(&json!({ "word": "hello" }))).status,
        200
    );
    wait_for(&server, &["success"], &["success"]);
    let all = server.executions();
    let above = of(&all, "parent")[0];
    assert_eq!(outputs(above, "Call", "result"), [json!("hello")]);
    assert_eq!(outputs(above, "After", "after"), [json!("hello after")]);
    assert_eq!(run_data(above, "Call")[0]["pairedItem"], json!({ "item": 0 }));
    server.stop();
}

#[test]
fn a_child_that_waits_for_a_moment_wakes_its_caller_too() {
    let data = TempFolder::new("sub-time");
    let wait = node(
        "Wait",
        "wait",
        1.1,
        json!({ "resume": "timeInterval", "amount": 2, "unit": "hours" }),
    );
    import(&data, "child", row("Child", &[start(), wait, set("Done", "result", "slept")]));
    import(&data, "parent", parent(&[call("once", json!({}))]));
    let faults = Faults::new(&data);
    let server = faults.start(&[("HEDDLE_LOG", "off")]);
    go(&server);
    wait_for(&server, &["waiting"], &["waiting"]);
    server.kill();
    faults.set(Field::ClockMs, 3 * 3_600_000);
    let server = faults.start(&[("HEDDLE_LOG", "off")]);
    wait_for(&server, &["success"], &["success"]);
    assert_eq!(
        outputs(of(&server.executions(), "parent")[0], "After", "after"),
        [json!("slept after")]
    );
    server.stop();
}

/// Posts its number, waits for a call if it is two, and gives back its number.
fn choosy_child(counter: &str) -> Value {
    let is_two = json!({ "conditions": { "number": [{ "value1": "={{ $('Start').item.json.n }}", "operation": "equal", "value2": 2 }] } });
    let nodes = [
        start(),
        set("Tell", "url", "={{ $execution.resumeUrl }}"),
        post("Post", &format!("=http://{counter}/seen/{{{{ $('Start').item.json.n }}}}")),
        node("If", "if", 1.0, is_two),
        wait_for_call(),
        set("Done", "result", "={{ $('Start').first().json.n }}"),
    ];
    let mut document = row("Child", &nodes);
    let done = json!([{ "node": "Done", "type": "main", "index": 0 }]);
    document["connections"]["If"]["main"].as_array_mut().unwrap().push(done);
    document
}

#[test]
fn of_calls_for_each_item_the_second_waits_and_none_is_made_twice() {
    let (data, counter) = (TempFolder::new("sub-each"), RequestCounter::start());
    import(&data, "child", choosy_child(&counter.address));
    let items = code("Items", "return [1, 2, 3].map(n => ({ json: { n } }))");
    import(&data, "parent", parent(&[items, call("each", json!({}))]));
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str())];
    let server = Server::start(&data.0, &settings);
    go(&server);
    wait_for(&server, &["waiting"], &["success", "waiting"]);
    let refused = server.api(
        "DELETE",
        &format!("/executions/{}", id(of(&server.executions(), "child")[1])),
        None,
    );
    assert_eq!(
        (refused.status, refused.json()["code"].clone()),
        (409, json!("EXECUTION_STATUS")),
        "its caller needs its result again"
    );
    server.kill();
    let server = Server::start(&data.0, &settings);
    let all = server.executions();
    assert_eq!(
        server.call("POST", &address_of(of(&all, "child")[0]), Some(&json!({}))).status,
        200
    );
    wait_for(&server, &["success"], &["success", "success", "success"]);
    let all = server.executions();
    let above = of(&all, "parent")[0];
    assert_eq!(outputs(above, "Call", "result"), [json!("1"), json!("2"), json!("3")]);
    let pairs: Vec<Value> = run_data(above, "Call")
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["pairedItem"].clone())
        .collect();
    assert_eq!(pairs, [json!({ "item": 0 }), json!({ "item": 1 }), json!({ "item": 2 })]);
    for n in 1..=3 {
        assert_eq!(counter.count("seen", n), 1, "{:?}", counter.all());
    }
    server.stop();
}

#[test]
fn kill_9_while_a_child_runs_leaves_no_doubt_about_its_caller() {
    let (data, counter) = (TempFolder::new("sub-kill"), RequestCounter::start());
    let nap = node(
        "Nap",
        "wait",
        1.1,
        json!({ "resume": "timeInterval", "amount": 2, "unit": "seconds" }),
    );
    let address = &counter.address;
    let child = [
        start(),
        post("One", &format!("http://{address}/one/1")),
        nap,
        post("Two", &format!("http://{address}/two/1")),
        set("Done", "result", "done"),
    ];
    import(&data, "child", row("Child", &child));
    import(
        &data,
        "parent",
        parent(&[
            call("once", json!({})),
            post("Three", &format!("http://{address}/three/1")),
            set("Keep", "result", "={{ $('Call').item.json.result }}"),
        ]),
    );
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str())];
    let server = Server::start(&data.0, &settings);
    go(&server);
    wait_until("the child naps", || {
        of(&server.executions(), "child")
            .first()
            .is_some_and(|child| run_data(child, "One").is_array())
    });
    assert_eq!(statuses(&server, "parent"), ["running"]);
    server.kill();
    let server = Server::start(&data.0, &settings);
    wait_for(&server, &["success"], &["success"]);
    assert_eq!(
        (counter.count("one", 1), counter.count("two", 1), counter.count("three", 1)),
        (1, 1, 1)
    );
    assert_eq!(
        outputs(of(&server.executions(), "parent")[0], "After", "after"),
        [json!("done after")]
    );
    server.stop();
}

/// A service that never answers the first request, and all later ones at once.
fn hesitant() -> FakeHttp {
    FakeHttp::scripted(vec![FakeResponse::silence(), FakeResponse::json(&json!({}))])
}

#[test]
fn a_caller_is_uncertain_as_long_as_the_run_it_called_is() {
    let data = TempFolder::new("sub-uncertain");
    let service = hesitant();
    let address = service.address.to_string();
    import(
        &data,
        "child",
        row(
            "Child",
            &[
                start(),
                post("Pay", &format!("http://{address}/pay")),
                set("Done", "result", "paid"),
            ],
        ),
    );
    import(&data, "parent", parent(&[call("once", json!({}))]));
    let settings = [("HEDDLE_EGRESS_ALLOW", address.as_str())];
    let server = Server::start(&data.0, &settings);
    go(&server);
    wait_until("the child pays", || service.n_requests() == 1);
    server.kill();
    let server = Server::start(&data.0, &settings);
    wait_for(&server, &["uncertain"], &["uncertain"]);
    let all = server.executions();
    let (above, below) =
        (id(of(&all, "parent")[0]).to_owned(), id(of(&all, "child")[0]).to_owned());
    let error = &of(&all, "parent")[0]["data"]["resultData"]["error"];
    assert!(error["message"].as_str().unwrap().contains(&format!("Execution {below}")), "{error}");
    assert_eq!(error["code"], "RUN_UNCERTAIN", "{error}");
    // Nobody has decided about the child yet.
    assert_eq!(server.api("POST", &format!("/executions/{above}/resume"), None).status, 200);
    wait_for(&server, &["uncertain"], &["uncertain"]);
    assert_eq!(
        server
            .api(
                "POST",
                &format!("/executions/{below}/resume"),
                Some(&json!({ "decision": "again" }))
            )
            .status,
        200
    );
    wait_for(&server, &["uncertain"], &["success"]);
    assert_eq!(server.api("POST", &format!("/executions/{above}/resume"), None).status, 200);
    wait_for(&server, &["success"], &["success"]);
    let above = server.executions();
    assert_eq!(outputs(of(&above, "parent")[0], "After", "after"), [json!("paid after")]);
    assert_eq!(of(&above, "parent")[0]["data"]["resultData"]["error"], Value::Null);
    assert_eq!(service.n_requests(), 2);
    server.stop();
}

/// Kill -9 at random times while workflows call each other.
#[test]
fn kill_9_at_any_time_makes_no_call_twice_and_loses_none() {
    let kills: u64 =
        std::env::var("HEDDLE_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let (data, counter) = (TempFolder::new("sub-random"), RequestCounter::start());
    let to = |step: &str, from: &str| {
        post(
            step,
            &format!("=http://{}/{step}/{{{{ $('{from}').first().json.n }}}}", counter.address),
        )
    };
    import(
        &data,
        "child",
        row("Child", &[start(), to("one", "Start"), set("Done", "result", "done")]),
    );
    let number = node(
        "Number",
        "set",
        3.4,
        json!({ "assignments": { "assignments": [{ "id": "1", "name": "n", "value": "={{ $json.body.n }}", "type": "number" }] }, "options": {} }),
    );
    import(
        &data,
        "parent",
        parent(&[
            number,
            call("once", json!({})),
            to("two", "Number"),
            set("Keep", "result", "={{ $('Call').item.json.result }}"),
        ]),
    );
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let key = support::new_key(&data.0);
    let mut accepted = Vec::new();
    let mut next = 0_u64;
    for kill in 0..kills {
        let mut server = Server::start_with_key(&data.0, &settings, &key).unwrap();
        let process = server.process.id().to_string();
        let killer = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(60 + kill * 37 % 200));
            std::process::Command::new("kill").args(["-KILL", &process]).status().unwrap();
        });
        while server.process.try_wait().unwrap().is_none() {
            next += 1;
            let body = json!({ "n": next }).to_string();
            let sent = support::request(
                &server.address,
                "POST",
                "/webhook/go",
                &[("content-type", "application/json")],
                body.as_bytes(),
            );
            if sent.is_ok_and(|reply| reply.status == 200) {
                accepted.push(next);
            }
        }
        killer.join().unwrap();
    }
    let server = Server::start_with_key(&data.0, &settings, &key).unwrap();
    let stands =
        |execution: &Value| matches!(execution["status"].as_str(), Some("success" | "uncertain"));
    wait_until("every run is over or uncertain", || server.executions().iter().all(stands));
    // Runs that two kills in a row met before they had recorded anything wait for a person.
    server.resume_quarantined();
    wait_until("every run is over or uncertain", || server.executions().iter().all(stands));
    let all = server.executions();
    for above in of(&all, "parent") {
        let n = run_data(above, "Webhook")[0]["json"]["body"]["n"].as_u64().unwrap();
        let below: Vec<&Value> = of(&all, "child")
            .into_iter()
            .filter(|child| child["parentExecutionId"] == above["id"])
            .collect();
        assert!(below.len() <= 1, "{above}");
        assert!(counter.count("one", n) <= 1 && counter.count("two", n) <= 1, "{n}");
        if above["status"] == "success" {
            assert_eq!(
                (counter.count("one", n), counter.count("two", n), below[0]["status"].as_str()),
                (1, 1, Some("success"))
            );
            assert_eq!(outputs(above, "After", "after"), [json!("done after")]);
        } else if below[0]["status"] == "uncertain" {
            let error =
                above["data"]["resultData"]["error"]["message"].as_str().unwrap().to_owned();
            assert!(error.contains(&format!("Execution {}", id(below[0]))), "{error}");
        }
        accepted.retain(|kept| *kept != n);
    }
    assert!(accepted.is_empty(), "accepted and lost: {accepted:?}");
    let doubt = all.iter().filter(|execution| execution["status"] == "uncertain").count();
    eprintln!("{kills} kills, {} calls, {doubt} uncertain", of(&all, "parent").len());
    server.stop();
}

#[test]
fn stopping_and_removing_reach_the_other_run() {
    let data = TempFolder::new("sub-stop");
    import(&data, "child", waiting_child());
    import(&data, "parent", parent(&[call("once", json!({}))]));
    let server = Server::start(&data.0, &[]);
    go(&server);
    wait_for(&server, &["waiting"], &["waiting"]);
    let newest = |workflow: &str| id(of(&server.executions(), workflow)[0]).to_owned();
    assert_eq!(
        server.api("POST", &format!("/executions/{}/stop", newest("parent")), None).json()["status"],
        "canceled"
    );
    wait_for(&server, &["canceled"], &["canceled"]);

    go(&server);
    wait_for(&server, &["canceled", "waiting"], &["canceled", "waiting"]);
    let below = newest("child");
    assert_eq!(
        server.api("POST", &format!("/executions/{below}/stop"), None).json()["status"],
        "canceled"
    );
    wait_for(&server, &["canceled", "error"], &["canceled", "canceled"]);
    let all = server.executions();
    let error = &of(&all, "parent")[0]["data"]["resultData"]["error"];
    assert_eq!(
        (&error["code"], &error["node"]),
        (&json!("SUBWORKFLOW_STOPPED"), &json!("Call")),
        "{error}"
    );
    assert!(error["message"].as_str().unwrap().contains(&below), "{error}");

    go(&server);
    wait_for(&server, &["canceled", "error", "waiting"], &["canceled", "canceled", "waiting"]);
    let (above, below) = (newest("parent"), newest("child"));
    assert_eq!(server.api("DELETE", &format!("/executions/{below}"), None).status, 409);
    assert_eq!(server.api("DELETE", &format!("/executions/{above}"), None).status, 200);
    wait_for(&server, &["canceled", "error"], &["canceled", "canceled", "canceled"]);
    assert_eq!(server.api("DELETE", &format!("/executions/{below}"), None).status, 200);
    server.stop();
}

#[test]
fn stopping_many_counts_those_that_were_stopped_with_their_callers() {
    let data = TempFolder::new("sub-stop-many");
    import(&data, "child", waiting_child());
    import(&data, "parent", parent(&[call("once", json!({}))]));
    let server = Server::start(&data.0, &[]);
    go(&server);
    go(&server);
    wait_for(&server, &["waiting", "waiting"], &["waiting", "waiting"]);
    let stopped = server.api("POST", "/executions/stop", Some(&json!({ "status": ["waiting"] })));
    assert_eq!(stopped.json(), json!({ "stopped": 4 }));
    wait_for(&server, &["canceled", "canceled"], &["canceled", "canceled"]);
    server.stop();
}

#[test]
fn stopping_a_caller_stops_a_child_that_runs() {
    let data = TempFolder::new("sub-stop-running");
    let nap = node(
        "Nap",
        "wait",
        1.1,
        json!({ "resume": "timeInterval", "amount": 60, "unit": "seconds" }),
    );
    // Posting makes it a run whose beginning is on disk at once.
    let counter = RequestCounter::start();
    import(
        &data,
        "child",
        row("Child", &[start(), post("One", &format!("http://{}/one/1", counter.address)), nap]),
    );
    import(&data, "parent", parent(&[call("once", json!({}))]));
    let server = Server::start(&data.0, &[("HEDDLE_EGRESS_ALLOW", counter.address.as_str())]);
    go(&server);
    wait_for(&server, &["running"], &["running"]);
    let above = id(of(&server.executions(), "parent")[0]).to_owned();
    assert_eq!(server.api("POST", &format!("/executions/{above}/stop"), None).status, 200);
    wait_for(&server, &["canceled"], &["canceled"]);
    server.stop();
}

#[test]
fn a_caller_that_runs_out_of_time_takes_the_child_with_it() {
    let (data, counter) = (TempFolder::new("sub-timeout"), RequestCounter::start());
    let nap = node(
        "Nap",
        "wait",
        1.1,
        json!({ "resume": "timeInterval", "amount": 60, "unit": "seconds" }),
    );
    import(
        &data,
        "child",
        row("Child", &[start(), post("One", &format!("http://{}/one/1", counter.address)), nap]),
    );
    let mut hasty = parent(&[call("once", json!({}))]);
    hasty["settings"]["executionTimeout"] = json!(1);
    import(&data, "parent", hasty);
    let server = Server::start(&data.0, &[("HEDDLE_EGRESS_ALLOW", counter.address.as_str())]);
    go(&server);
    wait_for(&server, &["error"], &["canceled"]);
    assert_eq!(
        of(&server.executions(), "parent")[0]["data"]["resultData"]["error"]["code"],
        "RUN_TIMEOUT"
    );
    server.stop();
}

#[test]
fn callers_of_callers_sleep_and_wake_in_turn() {
    let data = TempFolder::new("sub-deep");
    let mut deep = call("once", json!({}));
    deep["parameters"]["workflowId"]["value"] = json!("deep");
    import(&data, "deep", waiting_child());
    import(
        &data,
        "child",
        row("Child", &[start(), deep, set("Done", "result", "={{ $json.result }} and up")]),
    );
    import(&data, "parent", parent(&[call("once", json!({}))]));
    let server = Server::start(&data.0, &[]);
    go(&server);
    wait_for(&server, &["waiting"], &["waiting"]);
    server.kill();
    let server = Server::start(&data.0, &[]);
    let all = server.executions();
    assert_eq!(
        server
            .call("POST", &address_of(of(&all, "deep")[0]), Some(&json!({ "word": "down" })))
            .status,
        200
    );
    wait_for(&server, &["success"], &["success"]);
    assert_eq!(
        outputs(of(&server.executions(), "parent")[0], "After", "after"),
        [json!("down and up after")]
    );
    assert_eq!(server.executions().len(), 3);
    go(&server);
    wait_for(&server, &["success", "waiting"], &["success", "waiting"]);
    let above = id(of(&server.executions(), "parent")[0]).to_owned();
    assert_eq!(server.api("POST", &format!("/executions/{above}/stop"), None).status, 200);
    wait_for(&server, &["success", "canceled"], &["success", "canceled"]);
    assert_eq!(statuses(&server, "deep"), ["success", "canceled"]);
    server.stop();
}

#[test]
fn a_child_that_nobody_keeps_is_there_until_its_caller_is_over() {
    let (data, counter) = (TempFolder::new("sub-unkept"), RequestCounter::start());
    let mut child = choosy_child(&counter.address);
    child["settings"]["saveDataSuccessExecution"] = json!("none");
    import(&data, "child", child);
    let items = code("Items", "return [1, 2].map(n => ({ json: { n } }))");
    import(&data, "parent", parent(&[items, call("each", json!({}))]));
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str())];
    let server = Server::start(&data.0, &settings);
    go(&server);
    wait_for(&server, &["waiting"], &["success", "waiting"]);
    assert_eq!(
        server
            .call("POST", &address_of(of(&server.executions(), "child")[0]), Some(&json!({})))
            .status,
        200
    );
    wait_until("its caller is over", || statuses(&server, "parent") == ["success"]);
    let all = server.executions();
    assert_eq!(outputs(of(&all, "parent")[0], "Call", "result"), [json!("1"), json!("2")]);
    assert_eq!((counter.count("seen", 1), counter.count("seen", 2)), (1, 1));
    // Neither is kept, also not the one that has slept.
    assert!(statuses(&server, "child").is_empty());
    server.stop();
}

#[test]
fn a_call_that_nobody_waits_for_begins_for_good_and_its_caller_goes_on() {
    let data = TempFolder::new("sub-forget");
    import(&data, "child", waiting_child());
    import(&data, "parent", parent(&[call("once", json!({ "waitForSubWorkflow": false }))]));
    let server = Server::start(&data.0, &[]);
    go(&server);
    wait_for(&server, &["success"], &["waiting"]);
    server.kill();
    let server = Server::start(&data.0, &[]);
    wait_for(&server, &["success"], &["waiting"]);
    let all = server.executions();
    assert_eq!(of(&all, "child")[0]["parentExecutionId"], of(&all, "parent")[0]["id"]);
    assert_eq!(
        server
            .call("POST", &address_of(of(&all, "child")[0]), Some(&json!({ "word": "late" })))
            .status,
        200
    );
    wait_for(&server, &["success"], &["success"]);
    server.stop();
}

#[test]
fn a_child_has_variables_and_keeps_static_data_of_its_own() {
    let data = TempFolder::new("sub-data");
    let count = "const kept = $getWorkflowStaticData('global'); kept.count = (kept.count ?? 0) + 1; return [{ json: { result: $vars.word + kept.count } }]";
    import(&data, "child", row("Child", &[start(), code("Count", count)]));
    let items = code("Items", "return [1, 2, 3].map(n => ({ json: { n } }))");
    import(&data, "parent", parent(&[items, call("each", json!({}))]));
    let server = Server::start(&data.0, &[]);
    assert_eq!(
        server.api("POST", "/variables", Some(&json!({ "key": "word", "value": "no " }))).status,
        201
    );
    server.stop();
    let server = Server::start(&data.0, &[]);
    go(&server);
    wait_for(&server, &["success"], &["success"; 3]);
    assert_eq!(
        outputs(of(&server.executions(), "parent")[0], "Call", "result"),
        [json!("no 1"), json!("no 2"), json!("no 3")]
    );
    server.stop();
    let server = Server::start(&data.0, &[]);
    go(&server);
    wait_for(&server, &["success"; 2], &["success"; 6]);
    assert_eq!(
        outputs(of(&server.executions(), "parent")[0], "Call", "result"),
        [json!("no 4"), json!("no 5"), json!("no 6")]
    );
    server.stop();
}

#[test]
fn a_workflow_that_stands_in_the_node_can_wait_as_well() {
    let data = TempFolder::new("sub-inline");
    let call = node(
        "Call",
        "executeWorkflow",
        1.2,
        json!({ "source": "parameter", "workflowJson": waiting_child().to_string(), "options": {} }),
    );
    import(&data, "parent", parent(&[call]));
    let server = Server::start(&data.0, &[]);
    go(&server);
    wait_until("both wait", || statuses(&server, "parent") == ["waiting", "waiting"]);
    server.kill();
    let server = Server::start(&data.0, &[]);
    let all = server.executions();
    let below = all.iter().find(|execution| execution["mode"] == "integrated").unwrap();
    assert_eq!(below["workflowData"]["name"], "Child");
    assert_eq!(
        server.call("POST", &address_of(below), Some(&json!({ "word": "text" }))).status,
        200
    );
    wait_until("both are over", || statuses(&server, "parent") == ["success", "success"]);
    let all = server.executions();
    let above = all.iter().find(|execution| execution["mode"] == "webhook").unwrap();
    assert_eq!(outputs(above, "After", "after"), [json!("text after")]);
    server.stop();
}

#[test]
fn the_command_line_runs_sub_workflows_in_memory_and_says_when_one_waits() {
    let data = TempFolder::new("sub-run");
    let inline = |child: Value| {
        node(
            "Call",
            "executeWorkflow",
            1.2,
            json!({ "source": "parameter", "workflowJson": child.to_string(), "options": {} }),
        )
    };
    let trigger = node("Manual", "manualTrigger", 1.0, json!({}));
    let quick = row(
        "Quick",
        &[trigger.clone(), inline(row("Child", &[start(), set("Done", "result", "quick")]))],
    );
    let file = data.write_json("quick", &quick);
    assert_eq!(heddle(&data.0, &["run", file.to_str().unwrap()]).trim(), r#"{"result":"quick"}"#);
    let file = data.write_json(
        "slow",
        &row("Slow", &[trigger, inline(waiting_child()), set("After", "after", "never")]),
    );
    let told = heddle(&data.0, &["run", "--json", file.to_str().unwrap()]);
    let execution: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(execution["status"], "waiting");
    assert_eq!(execution["data"]["resultData"]["runData"]["After"], Value::Null);
}
