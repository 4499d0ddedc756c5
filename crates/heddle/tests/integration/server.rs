//! The server as its users meet it: the real binary, a data folder, HTTP.

use crate::support;
use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};

fn webhook(path: &str, mode: &str) -> Value {
    node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": path, "responseMode": mode, "options": {} }),
    )
}

fn doubled() -> Value {
    let assignments =
        json!([{ "id": "1", "name": "n", "value": "={{ $json.body.n * 2 }}", "type": "number" }]);
    node(
        "Double",
        "set",
        3.4,
        json!({ "assignments": { "assignments": assignments }, "options": {} }),
    )
}

fn import(data: &TempFolder, name: &str, document: &Value) -> String {
    let file = data.write_json(name, document);
    let told = heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    told.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_call_starts_the_workflow_and_is_answered_as_its_webhook_says() {
    let data = TempFolder::new("answers");
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
        &row(
            "Fails",
            &[
                webhook("fails", "lastNode"),
                node("Stop", "stopAndError", 1.0, json!({ "errorMessage": "no" })),
            ],
        ),
    );
    let server = Server::start(&data.0, &[]);
    let body = json!({ "n": 21 });

    let received = server.call("POST", "/webhook/received", Some(&body));
    assert_eq!(
        (received.status, received.json()),
        (200, json!({ "message": "Workflow was started" }))
    );
    assert_eq!(server.call("POST", "/webhook/last", Some(&body)).json(), json!({ "n": 42 }));
    let answered = server.call("POST", "/webhook/node", Some(&body));
    assert_eq!((answered.status, answered.text()), (201, "42".to_owned()));
    assert_eq!(server.call("POST", "/webhook/fails", Some(&body)).status, 500);
    assert_eq!(server.call("GET", "/webhook/last", None).status, 404);

    wait_until("all runs are over", || {
        server.executions().iter().all(|execution| execution["stoppedAt"].is_string())
    });
    let statuses: Vec<Value> =
        server.executions().iter().map(|execution| execution["status"].clone()).collect();
    assert_eq!(statuses.iter().filter(|status| **status == "success").count(), 3);
    assert_eq!(statuses.iter().filter(|status| **status == "error").count(), 1);
}

/// What the option `onlyRunIf` of webhooks promises.
#[test]
fn a_call_that_does_not_meet_the_condition_is_answered_and_starts_nothing() {
    let data = TempFolder::new("condition");
    let conditional = |path: &str, mode: &str, condition: &str, more: Value| {
        let mut options = json!({ "onlyRunIf": condition });
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let params =
            json!({ "httpMethod": "POST", "path": path, "responseMode": mode, "options": options });
        row(path, &[node("Webhook", "webhook", 2.1, params), doubled()])
    };
    let is_paid = "={{ $json.body.type === 'paid' }}";
    import(&data, "plain", &conditional("plain", "onReceived", is_paid, json!({})));
    import(&data, "last", &conditional("last", "lastNode", is_paid, json!({})));
    import(
        &data,
        "quiet",
        &conditional("quiet", "onReceived", is_paid, json!({ "responseData": "ok" })),
    );
    import(
        &data,
        "broken",
        &conditional("broken", "onReceived", "={{ $('Nobody').first().json.x }}", json!({})),
    );
    let server = Server::start(&data.0, &[]);
    let call = |path: &str, kind: &str| {
        server.call("POST", &format!("/webhook/{path}"), Some(&json!({ "type": kind, "n": 4 })))
    };
    for path in ["plain", "last"] {
        let refused = call(path, "draft");
        assert_eq!(
            (refused.status, refused.text().contains("not started")),
            (200, true),
            "{path}: {}",
            refused.text()
        );
    }
    assert_eq!(call("quiet", "draft").text(), "ok");
    assert!(server.executions().is_empty(), "no run has begun");
    assert_eq!(call("plain", "paid").json(), json!({ "message": "Workflow was started" }));
    assert_eq!(call("last", "paid").json(), json!({ "n": 8 }));
    assert_eq!(call("quiet", "paid").text(), "ok");
    wait_until("three runs are over", || {
        server.executions().iter().filter(|execution| execution["status"] == "success").count() == 3
    });
    call("broken", "paid");
    wait_until("a condition that fails is told by a run", || {
        server.executions().iter().any(|execution| execution["status"] == "error")
    });
}

#[test]
fn a_body_that_cannot_be_read_is_refused_and_the_server_goes_on() {
    let data = TempFolder::new("bodies");
    import(&data, "last", &row("Last", &[webhook("last", "lastNode"), doubled()]));
    let server = Server::start(&data.0, &[]);
    let send = |kind: &str, body: &[u8]| {
        support::request(&server.address, "POST", "/webhook/last", &[("content-type", kind)], body)
            .unwrap()
    };
    assert_eq!(send("application/json", b"{\"n\":").status, 400);
    assert_eq!(send("multipart/form-data", b"no boundary").status, 400);
    assert_eq!(send("application/json", &vec![b' '; (16 << 20) + 1]).status, 413);
    assert_eq!(send("application/x-www-form-urlencoded", b"n=4&m=5").json(), json!({ "n": 8 }));
    assert_eq!(send("application/json", b"{\"n\":3}").json(), json!({ "n": 6 }));
    let parts = b"--x\r\ncontent-disposition: form-data; name=\"n\"\r\n\r\n7\r\n--x\r\ncontent-disposition: form-data; name=\"f\"; filename=\"../../etc/passwd\"\r\ncontent-type: text/plain\r\n\r\nhi\r\n--x--\r\n";
    assert_eq!(send("multipart/form-data; boundary=x", parts).json(), json!({ "n": 14 }));
    let newest = &server.executions()[0];
    let file =
        &newest["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0]["binary"]["f"];
    assert_eq!(file["fileName"], "passwd");
}

#[test]
fn workflows_come_and_go_through_the_api() {
    let data = TempFolder::new("api");
    let server = Server::start(&data.0, &[]);
    assert_eq!(server.call("GET", "/api/v1/workflows", None).status, 401);
    let made = server
        .api("POST", "/workflows", Some(&row("Mine", &[webhook("mine", "lastNode"), doubled()])))
        .json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["active"], false);
    assert_eq!(server.call("POST", "/webhook/mine", Some(&json!({ "n": 1 }))).status, 404);
    assert_eq!(
        server.api("POST", &format!("/workflows/{id}/activate"), None).json()["active"],
        true
    );
    assert_eq!(
        server.call("POST", "/webhook/mine", Some(&json!({ "n": 1 }))).json(),
        json!({ "n": 2 })
    );

    let rival = server
        .api("POST", "/workflows", Some(&row("Rival", &[webhook("mine", "lastNode")])))
        .json();
    let refused =
        server.api("POST", &format!("/workflows/{}/activate", rival["id"].as_str().unwrap()), None);
    assert_eq!((refused.status, refused.json()["code"].clone()), (409, json!("WEBHOOK_TAKEN")));

    let mut changed = row("Mine", &[webhook("moved", "lastNode"), doubled()]);
    changed["unknown"] = json!(1);
    assert_eq!(server.api("PUT", &format!("/workflows/{id}"), Some(&changed)).status, 400);
    changed.as_object_mut().unwrap().remove("unknown");
    assert_eq!(server.api("PUT", &format!("/workflows/{id}"), Some(&changed)).status, 200);
    assert_eq!(server.call("POST", "/webhook/mine", Some(&json!({ "n": 1 }))).status, 404);
    assert_eq!(
        server.call("POST", "/webhook/moved", Some(&json!({ "n": 1 }))).json(),
        json!({ "n": 2 })
    );
    assert_eq!(server.api("DELETE", &format!("/workflows/{id}"), None).status, 200);
    assert_eq!(server.call("POST", "/webhook/moved", Some(&json!({ "n": 1 }))).status, 404);
    assert_eq!(server.api("GET", &format!("/workflows/{id}"), None).status, 404);
}

#[test]
fn a_workflow_imported_beside_a_running_server_listens_soon() {
    let data = TempFolder::new("beside");
    let server = Server::start(&data.0, &[]);
    let id = import(&data, "last", &row("Last", &[webhook("late", "lastNode"), doubled()]));
    wait_until("the import is noticed", || {
        server.call("POST", "/webhook/late", Some(&json!({ "n": 1 }))).status == 200
    });
    heddle(&data.0, &["deactivate", &id]);
    wait_until("the change is noticed", || {
        server.call("POST", "/webhook/late", Some(&json!({ "n": 1 }))).status == 404
    });
}

#[test]
fn a_second_server_on_the_same_folder_is_refused() {
    let data = TempFolder::new("second");
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
    let data = TempFolder::new("sleeps");
    let wait = node(
        "Wait",
        "wait",
        1.1,
        json!({ "resume": "specificTime", "dateTime": "={{ $now.plus(70, 'seconds').toISO() }}" }),
    );
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

#[test]
fn a_waiting_run_is_woken_by_its_address_and_by_no_other() {
    let data = TempFolder::new("waiting");
    let respond = node(
        "Tell",
        "respondToWebhook",
        1.1,
        json!({ "respondWith": "text", "responseBody": "={{ $execution.resumeUrl }}", "options": {} }),
    );
    let wait = node(
        "Wait",
        "wait",
        1.1,
        json!({ "resume": "webhook", "httpMethod": "POST", "responseMode": "lastNode", "options": { "webhookSuffix": "yes" } }),
    );
    import(
        &data,
        "waits",
        &row("Waits", &[webhook("waits", "responseNode"), respond, wait, doubled()]),
    );
    let server = Server::start(&data.0, &[]);
    let address = server.call("POST", "/webhook/waits", Some(&json!({}))).text();
    let path = address.splitn(4, '/').nth(3).map(|path| format!("/{path}")).unwrap();
    wait_until("the run waits", || server.executions()[0]["status"] == "waiting");
    let body = json!({ "n": 4 });
    assert_eq!(server.call("POST", "/webhook-waiting/1/yes", Some(&body)).status, 404);
    assert_eq!(
        server
            .call("POST", "/webhook-waiting/1-0123456789abcdef0123456789abcdef/yes", Some(&body))
            .status,
        404
    );
    assert_eq!(
        server.call("POST", &path, Some(&body)).status,
        404,
        "the suffix belongs to the address"
    );
    assert_eq!(server.call("GET", &format!("{path}/yes"), None).status, 404);
    assert_eq!(server.call("POST", &format!("{path}/yes"), Some(&body)).json(), json!({ "n": 8 }));
    assert_eq!(server.call("POST", &format!("{path}/yes"), Some(&body)).status, 409);
    assert_eq!(server.executions()[0]["status"], "success");
}

#[test]
fn a_form_is_shown_checked_and_followed_by_the_next_page() {
    let data = TempFolder::new("form");
    let field = |label: &str| json!({ "fieldLabel": label, "requiredField": true });
    let trigger = node(
        "Form",
        "formTrigger",
        2.2,
        json!({ "path": "apply", "formTitle": "Apply <b>", "formFields": { "values": [field("Name")] }, "options": {} }),
    );
    let more = node(
        "More",
        "form",
        2.3,
        json!({ "formFields": { "values": [field("={{ $json.Name }} why")] }, "options": {} }),
    );
    let end = node(
        "End",
        "form",
        2.3,
        json!({ "operation": "completion", "completionTitle": "={{ 'Bye ' + $('Form').item.json.Name }}", "options": {} }),
    );
    import(&data, "form", &row("Form", &[trigger, more, end]));
    let server = Server::start(&data.0, &[]);
    let page = server.call("GET", "/form/apply", None);
    assert!(page.text().contains("<h1>Apply &lt;b&gt;</h1>"));
    assert!(page.header("content-security-policy").unwrap().contains("default-src 'none'"));
    let send = |path: &str, body: &str| {
        support::request(
            &server.address,
            "POST",
            path,
            &[("content-type", "application/x-www-form-urlencoded")],
            body.as_bytes(),
        )
        .unwrap()
    };
    assert!(send("/form/apply", "Name=").text().contains("This field is required."));
    let next = send("/form/apply", "Name=Ada&Extra=1");
    assert_eq!(next.status, 303);
    let place = next.header("location").unwrap().to_owned();
    assert!(server.call("GET", &place, None).text().contains("Ada why"));
    assert!(send(&place, "Ada+why=Looms").text().contains("Bye Ada"));
    assert_eq!(send(&place, "Ada+why=Looms").status, 409);
    let run = &server.executions()[0]["data"]["resultData"]["runData"];
    assert_eq!(
        server.call("POST", "/webhook/apply", Some(&json!({}))).status,
        404,
        "a form has no second door"
    );
    assert_eq!(run["Form"][0]["data"]["main"][0][0]["json"]["Extra"], Value::Null);
    assert_eq!(run["More"][0]["data"]["main"][0][0]["json"]["Ada why"], "Looms");
}

#[test]
fn the_events_of_a_run_can_be_followed_and_taken_up_where_they_broke_off() {
    let data = TempFolder::new("events");
    import(&data, "last", &row("Last", &[webhook("last", "lastNode"), doubled()]));
    let server = Server::start(&data.0, &[]);
    server.call("POST", "/webhook/last", Some(&json!({ "n": 1 })));
    let events = server.api("GET", "/executions/1/events", None).text();
    let kinds: Vec<&str> = events.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(
        kinds,
        [
            "executionStarted",
            "nodeStarted",
            "nodeFinished",
            "nodeStarted",
            "nodeFinished",
            "executionFinished"
        ]
    );
    let rest = server.api_with("GET", "/executions/1/events", &[("last-event-id", "1:4")]).text();
    let kinds: Vec<&str> = rest.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(kinds, ["nodeFinished", "executionFinished"]);
    assert_eq!(server.api("GET", "/executions/9/events", None).status, 404);
}

#[test]
fn a_delivery_that_comes_twice_starts_one_run() {
    let data = TempFolder::new("deliveries");
    let options = json!({ "deliveryHeader": "X-Delivery" });
    let hook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": "once", "options": options }),
    );
    import(&data, "once", &row("Once", &[hook]));
    let server = Server::start(&data.0, &[]);
    let send = |server: &Server, key: &str| {
        support::request(&server.address, "POST", "/webhook/once", &[("x-delivery", key)], b"")
            .unwrap()
            .text()
    };
    assert!(send(&server, "a").contains("Workflow was started"));
    assert!(send(&server, "a").contains("already received"));
    server.kill();
    let server = Server::start(&data.0, &[]);
    assert!(send(&server, "a").contains("already received"));
    assert!(send(&server, "b").contains("Workflow was started"));
    assert_eq!(server.executions().len(), 2);
}

#[test]
fn variables_reach_workflows_and_workflows_set_no_cookie_of_ours() {
    let data = TempFolder::new("variables");
    let headers = json!({ "entries": [{ "name": "Set-Cookie", "value": "heddle_session=x" }] });
    let options = json!({ "responseHeaders": headers });
    let respond = node(
        "Answer",
        "respondToWebhook",
        1.1,
        json!({ "respondWith": "text", "responseBody": "={{ $vars.city }}", "options": options }),
    );
    import(&data, "vars", &row("Vars", &[webhook("vars", "responseNode"), respond]));
    let server = Server::start(&data.0, &[]);
    assert_eq!(
        server.api("POST", "/variables", Some(&json!({ "key": "city", "value": "Ghent" }))).status,
        201
    );
    wait_until("the variable is there", || {
        server.call("POST", "/webhook/vars", None).text() == "Ghent"
    });
    assert_eq!(server.call("POST", "/webhook/vars", None).header("set-cookie"), None);
}
