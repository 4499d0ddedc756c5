//! Registered tools under the policy, approvals, crashes and changes of their manifest, with a real
//! server.

use super::{ApprovalHarness, node, option, send, to};
use crate::support::{heddle, wait_until};
use serde_json::{Value, json};
use testkit::{FakeHttp, FakeResponse, ScriptedReply};

/// An agent whose only tools are registered ones.
fn start(name: &str, replies: Vec<ScriptedReply>) -> ApprovalHarness {
    ApprovalHarness::start_with(name, replies, |document| {
        option(document, "askBefore", json!("never"));
        let nodes = document["nodes"].as_array_mut().unwrap();
        nodes.truncate(3);
        nodes.push(node("Tools", "tool-registry", 1.0, json!({ "tools": "Send, Look, more.*" })));
        let connections = document["connections"].as_object_mut().unwrap();
        connections.remove("Send");
        connections.remove("Look");
        connections.insert("Tools".into(), to("Agent", "ai_tool"));
    })
}

fn manifest(ledger: &str, path: &str, effect: &str) -> String {
    format!(
        "version: 1
tools:
  - name: Send
    description: Send something to somebody.
    effect: {effect}
    input: {{ properties: {{ to: {{ type: string }} }}, required: [to] }}
    http: {{ method: POST, url: 'http://{ledger}/{path}/{{to}}' }}
  - name: Look
    description: Look at something.
    http: {{ url: 'http://{ledger}/look/{{at}}' }}
"
    )
}

impl ApprovalHarness {
    /// Writes the operator's file and waits until the server has it.
    fn write_tools(&self, text: &str, is_there: impl Fn(&Value) -> bool) {
        std::fs::write(self.folder.0.join("tools.yaml"), text).unwrap();
        wait_until("the server has the file", || is_there(&self.tools()));
    }

    fn tools(&self) -> Value {
        let reply = self.server.api("GET", "/tools?projectId=personal", None);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    }

    fn newest(&self) -> Value {
        let reply = self.server.api("GET", "/executions?limit=1&includeData=true", None);
        reply.json()["data"][0].clone()
    }

    fn wait_until_over(&self) -> Value {
        wait_until("it is over", || {
            let newest = self.newest();
            newest["stoppedAt"].is_string() && newest["status"] != "running"
        });
        self.newest()
    }
}

fn n_tools(tools: &Value) -> usize {
    tools["data"].as_array().unwrap().len()
}

#[test]
fn an_agent_calls_a_declared_request_and_follows_its_manifest() {
    let look = || ScriptedReply::call("Look", json!({ "at": "../x" }));
    let scene = start(
        "registered-reload",
        vec![
            send("ada"),
            look(),
            ScriptedReply::text("ok"),
            send("bob"),
            ScriptedReply::text("ok"),
            send("cyd"),
            ScriptedReply::text("ok"),
        ],
    );
    scene.write_tools(&manifest(&scene.ledger.address, "send", "write"), |tools| {
        n_tools(tools) == 2
    });
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.wait_until_over()["status"], "success");
    assert_eq!(scene.sent("ada"), 1);
    assert_eq!(scene.ledger.all().get("/look/..%2Fx"), Some(&1), "{:?}", scene.ledger.all());
    let offered = scene.models.requests()[0].body["tools"].clone();
    assert_eq!(offered[0]["function"]["parameters"]["required"], json!(["at"]), "{offered}");
    // By name: Look, Send.
    assert_eq!(offered[1]["function"]["description"], "Send something to somebody.");
    // The next run has the next definition.
    scene.write_tools(&manifest(&scene.ledger.address, "mail", "write"), |tools| {
        tools["manifests"][0]["isStale"] == false && tools.to_string().contains("Send")
    });
    wait_until("the new address is in force", || {
        std::thread::sleep(std::time::Duration::from_millis(700));
        true
    });
    assert_eq!(scene.call().status, 200);
    wait_until("it was sent", || scene.ledger.all().contains_key("/mail/bob"));
    assert_eq!(scene.wait_until_over()["status"], "success");
    // A wrong file is a finding, and the last good one keeps working.
    scene.write_tools("version: 1\ntools:\n  - names: x\n", |tools| {
        tools["manifests"][0]["isStale"] == true
    });
    let tools = scene.tools();
    let finding = &tools["manifests"][0]["findings"][0];
    assert_eq!(
        (&finding["line"], &finding["code"]),
        (&json!(3), &json!("TOOL_MANIFEST")),
        "{finding}"
    );
    assert_eq!(n_tools(&tools), 2);
    assert_eq!(scene.call().status, 200);
    wait_until("it was sent", || scene.ledger.all().contains_key("/mail/cyd"));
}

#[test]
fn the_policy_matches_the_declared_effect_and_asks_before_a_send() {
    let scene = start(
        "registered-policy",
        vec![send("ada"), ScriptedReply::text("ok"), send("eve"), ScriptedReply::text("ok")],
    );
    scene.write_tools(&manifest(&scene.ledger.address, "send", "spend"), |tools| {
        n_tools(tools) == 2
    });
    let set = |text: &str| {
        let version = scene.server.api("GET", "/policy", None).json()["version"].clone();
        let body = json!({ "text": text, "version": version });
        assert_eq!(scene.server.api("PUT", "/policy", Some(&body)).status, 200);
    };
    set("[[rule]]\nname = 'no spending'\neffects = ['spend']\naction = 'deny'\n");
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.wait_until_over()["status"], "success");
    assert_eq!(scene.sent("ada"), 0);
    assert!(scene.results(1)[0].contains("no spending"), "{:?}", scene.results(1));
    let called = |arguments: Value| {
        let body = json!({ "projectId": "personal", "arguments": arguments });
        scene.server.api("POST", "/tools/Send/call", Some(&body)).json()
    };
    assert_eq!(called(json!({ "to": "joe" }))["error"]["code"], "POLICY_DENIED");
    set("[[rule]]\nname = 'ask'\neffects = ['spend']\naction = 'approve'\n");
    let id = scene.ask(1);
    assert_eq!(scene.sent("eve"), 0);
    assert_eq!(scene.decide(&scene.open_approval("eve"), "approve").status, 200);
    scene.wait_for(&id, "success");
    assert_eq!(scene.sent("eve"), 1);
    assert_eq!(
        called(json!({ "to": "joe" }))["error"]["code"],
        "POLICY_DENIED",
        "nobody can be asked"
    );
    set("");
    assert_eq!(called(json!({ "who": "joe" }))["error"]["code"], "TOOL_ARGUMENT");
    assert_eq!(called(json!({ "to": "joe" })), json!({ "ok": true, "output": {}, "error": null }));
    assert_eq!(scene.sent("joe"), 1);
}

#[test]
fn a_crash_in_the_middle_of_a_call_is_uncertain_unless_it_only_reads() {
    let look = ScriptedReply::call("Look", json!({ "at": "x" }));
    let mut scene = start("registered-crash", vec![send("ada"), look, ScriptedReply::text("ok")]);
    scene.write_tools(&manifest(&scene.ledger.address, "send", "write"), |tools| {
        n_tools(tools) == 2
    });
    scene.ledger.hold(Some("/send/ada".to_owned()));
    assert_eq!(scene.call().status, 200);
    wait_until("the tool is being called", || scene.sent("ada") == 1);
    let id = scene.newest()["id"]
        .as_str()
        .map_or_else(|| scene.newest()["id"].to_string(), str::to_owned);
    scene.restart();
    scene.ledger.hold(None);
    scene.wait_for(&id, "uncertain");
    assert_eq!(scene.sent("ada"), 1, "it is not sent again");
    // The next reply of the script: a look that is cut off and made again.
    scene.ledger.hold(Some("/look/x".to_owned()));
    assert_eq!(scene.call().status, 200);
    wait_until("the tool is being called", || scene.ledger.all().contains_key("/look/x"));
    scene.restart();
    scene.ledger.hold(None);
    wait_until("it is made again", || scene.ledger.all()["/look/x"] == 2);
    assert_eq!(scene.wait_until_over()["status"], "success");
}

#[test]
fn a_project_registers_manifests_but_cannot_replace_the_operators_tools() {
    let scene = start(
        "registered-api",
        vec![ScriptedReply::call("more_ping", json!({})), ScriptedReply::text("ok")],
    );
    scene.write_tools(&manifest(&scene.ledger.address, "send", "write"), |tools| {
        n_tools(tools) == 2
    });
    let text = |name: &str| {
        format!(
            "version: 1\ntools:\n  - name: {name}\n    description: d\n    rate_limit: {{ calls: 1, seconds: 3600 }}\n    http: {{ url: 'http://{}/ping' }}\n",
            scene.ledger.address
        )
    };
    let put = |name: &str, text: &str, version: u64| {
        let body = json!({ "projectId": "personal", "text": text, "version": version });
        let reply = scene.server.api("PUT", &format!("/tools/manifests/{name}"), Some(&body));
        (reply.status, reply.json()["code"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(put("one", &text("more.ping"), 0), (200, String::new()));
    assert_eq!(put("one", &text("more.ping"), 0), (409, "TOOL_CHANGED".into()));
    assert_eq!(put("one", &text("more.ping"), 1), (200, String::new()));
    assert_eq!(put("two", &text("more.ping"), 0), (409, "TOOL_TAKEN".into()));
    assert_eq!(put("two", &text("Send"), 0), (409, "TOOL_TAKEN".into()));
    assert_eq!(put("two", "version: 1\ntools: [{}]", 0), (422, "TOOL_MANIFEST".into()));
    let file = "version: 1\ntools:\n  - namespace: a\n    openapi: { file: x/y.json }\n";
    assert_eq!(put("two", file, 0), (422, "TOOL_MANIFEST".into()));
    let checked = scene.server.api(
        "POST",
        "/tools/check",
        Some(&json!({ "projectId": "personal", "text": text("x") })),
    );
    assert_eq!(checked.json(), json!({ "tools": ["x"], "findings": [] }));
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.wait_until_over()["status"], "success");
    assert_eq!(scene.ledger.all().get("/ping"), Some(&1));
    let body = json!({ "projectId": "personal", "arguments": {} });
    let called = scene.server.api("POST", "/tools/more.ping/call", Some(&body)).json();
    assert_eq!(called["error"]["code"], "RATE_LIMIT", "{called}");
    // The command line sees the same, and the server follows it.
    let listed = heddle(&scene.folder.0, &["tools", "list", "--quiet"]);
    assert_eq!(listed, "Look\nSend\nmore.ping\n");
    heddle(&scene.folder.0, &["tools", "remove", "one"]);
    wait_until("the server knows", || n_tools(&scene.tools()) == 2);
    let gone = scene.server.api("DELETE", "/tools/manifests/one?projectId=personal", None);
    assert_eq!((gone.status, &gone.json()["code"]), (404, &json!("TOOL_NOT_FOUND")));
    let unknown = scene.server.api("POST", "/tools/more.ping/call", Some(&body));
    assert_eq!(unknown.status, 404);
}

#[test]
fn a_credential_goes_to_its_hosts_with_the_rights_of_a_workflow_and_nowhere_else() {
    let evil = FakeHttp::fixed(FakeResponse::json(&json!({})));
    let elsewhere = format!("http://{}/stolen", evil.address);
    let good = FakeHttp::start(move |request| match request.path.as_str() {
        "/away" => FakeResponse::redirect(307, &elsewhere),
        _ => FakeResponse::json(&json!({ "yes": true })),
    });
    let scene = start("registered-credential", vec![ScriptedReply::text("ok")]);
    let hosts = format!("127.0.0.1:{}", good.port());
    let body = json!({
        "name": "Key", "type": "httpHeaderAuth", "projectId": "personal",
        "data": { "name": "X-Key", "value": "canary-7", "allowedHttpRequestDomains": "domains", "allowedDomains": hosts }
    });
    let made = scene.server.api("POST", "/credentials", Some(&body)).json();
    let id = made["id"].as_str().unwrap_or_else(|| panic!("{made}"));
    let entry = |name: &str, url: &str| {
        format!(
            "  - name: {name}\n    description: d\n    http: {{ url: '{url}', credential: {{ type: httpHeaderAuth, id: {id} }} }}\n"
        )
    };
    let text = [
        entry("right", &good.url("/right")),
        entry("away", &good.url("/away")),
        entry("wrong", &evil.url("/wrong")),
    ];
    scene.write_tools(&format!("version: 1\ntools:\n{}", text.concat()), |tools| {
        n_tools(tools) == 3
    });
    let call = |name: &str, workflow: Value| {
        let body = json!({ "projectId": "personal", "workflowId": workflow, "arguments": {} });
        scene.server.api("POST", &format!("/tools/{name}/call"), Some(&body)).json()
    };
    let nobody = call("right", Value::Null);
    assert_eq!(nobody["ok"], false, "{nobody}");
    assert_eq!(good.n_requests(), 0);
    assert_eq!(call("right", json!("asks"))["output"], json!({ "yes": true }));
    assert_eq!(good.requests()[0].header("x-key"), Some("canary-7"));
    for name in ["wrong", "away"] {
        let refused = call(name, json!("asks"));
        assert_eq!(refused["ok"], false, "{refused}");
        assert!(!refused.to_string().contains("canary"), "{refused}");
    }
    assert_eq!(evil.n_requests(), 0, "neither the host nor a redirect leads away");
}

#[test]
fn a_connected_tool_of_the_same_name_does_not_take_the_place_of_a_registered_one() {
    let scene = ApprovalHarness::start_with(
        "registered-shadow",
        vec![
            ScriptedReply::call("Send_2", json!({ "to": "ada" })),
            send("bob"),
            ScriptedReply::text("ok"),
        ],
        |document| {
            option(document, "askBefore", json!("never"));
            let tools = node("Tools", "tool-registry", 1.0, json!({ "tools": "Send" }));
            document["nodes"].as_array_mut().unwrap().push(tools);
            document["connections"]["Tools"] = to("Agent", "ai_tool");
        },
    );
    scene.write_tools(&manifest(&scene.ledger.address, "mail", "spend"), |tools| {
        n_tools(tools) == 2
    });
    let version = scene.server.api("GET", "/policy", None).json()["version"].clone();
    let rule = "[[rule]]\nname = 'registry'\nnode_types = 'tool-registry'\naction = 'deny'\n";
    let body = json!({ "text": rule, "version": version });
    assert_eq!(scene.server.api("PUT", "/policy", Some(&body)).status, 200);
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.wait_until_over()["status"], "success");
    assert_eq!(scene.sent("bob"), 1, "the connected one is another tool");
    assert!(!scene.ledger.all().contains_key("/mail/ada"), "the rule matches where it is from");
    assert!(scene.results(1)[0].contains("rule 'registry'"), "{:?}", scene.results(1));
}
