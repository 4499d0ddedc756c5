//! The operator's policy: what it forbids, asks about, limits and stops, whatever the workflow says.

use super::{ApprovalHarness, option, send, start_server};
use crate::support::{Reply, wait_until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::ScriptedReply;

impl ApprovalHarness {
    /// An agent that asks nobody by itself.
    fn start_unasked(name: &str, replies: Vec<ScriptedReply>) -> Self {
        Self::start_with(name, replies, |document| option(document, "askBefore", json!("never")))
    }

    fn set_policy(&self, text: &str) {
        let version = self.policy()["version"].clone();
        let reply = self.put_policy(text, &version);
        assert_eq!(reply.status, 200, "{}", reply.text());
    }

    fn put_policy(&self, text: &str, version: &Value) -> Reply {
        let body = json!({ "text": text, "version": version });
        self.server.api("PUT", "/policy", Some(&body))
    }

    fn policy(&self) -> Value {
        self.server.api("GET", "/policy", None).json()
    }

    fn stop(&self, target: Value) -> String {
        let mut body = target;
        body["reason"] = json!("Too many mails");
        let reply = self.server.api("POST", "/policy/stops", Some(&body));
        assert_eq!(reply.status, 201, "{}", reply.text());
        for odd in [json!({}), json!({ "agent": "x" }), json!({ "tool": "x", "server": "y" })] {
            assert_eq!(self.server.api("POST", "/policy/stops", Some(&odd)).status, 400, "{odd}");
        }
        reply.json()["name"].as_str().unwrap().to_owned()
    }

    /// The newest execution, once it is over.
    fn ended(&self) -> Value {
        let newest = || {
            self.server.api("GET", "/executions?limit=1&includeData=true", None).json()["data"][0]
                .clone()
        };
        wait_until("it is over", || {
            newest()["stoppedAt"].is_string() && newest()["status"] != "running"
        });
        newest()
    }
}

const NO_SENDING: &str = "[[rule]]\nname = 'no sending'\nnode_types = 'n8n-nodes-base.httpRequest*'\n\
     effects = ['write', 'send']\naction = 'deny'\nreason = 'Mail is off.'\n";

#[test]
fn what_the_policy_forbids_is_not_called_and_the_model_is_told() {
    let scene =
        ApprovalHarness::start_unasked("policy-deny", vec![send("ada"), ScriptedReply::text("ok")]);
    scene.set_policy(NO_SENDING);
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.ended()["status"], "success");
    assert_eq!(scene.sent("ada"), 0);
    let told = scene.results(1).join("\n");
    assert!(told.contains("POLICY_DENIED") && told.contains("no sending"), "{told}");
    assert!(told.contains("Mail is off."), "{told}");
    let hints = scene.ended().to_string();
    assert!(hints.contains("rule 'no sending' of the policy"), "whoever looks at the run sees it");
}

#[test]
fn the_policy_asks_a_person_where_the_workflow_asks_nobody() {
    let scene = ApprovalHarness::start_unasked(
        "policy-approve",
        vec![send("ada"), send("eve"), ScriptedReply::text("ok")],
    );
    scene.set_policy(
        "[[rule]]\nname = 'strangers'\ntools = 'Send'\n\
         arguments = [{ path = 'to', none_of = ['ada', 'bob'] }]\naction = 'approve'\n",
    );
    let id = scene.ask(1);
    assert_eq!((scene.sent("ada"), scene.sent("eve")), (1, 0));
    let asked = scene.open_approval("eve");
    // Forbidden after it was asked about: an approval does not bring it back.
    scene.set_policy(NO_SENDING);
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    scene.wait_for(&id, "success");
    assert_eq!(scene.sent("eve"), 0);
}

#[test]
fn a_limit_counts_calls_and_says_when_to_try_again() {
    let scene = ApprovalHarness::start_unasked(
        "policy-limit",
        vec![send("ada"), send("bob"), send("cyd"), ScriptedReply::text("ok")],
    );
    scene.set_policy(
        "[[limit]]\nname = 'two an hour'\ntools = 'Se*'\nper = 'workflow'\ncalls = 2\nseconds = 3600\n",
    );
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.ended()["status"], "success");
    assert_eq!((scene.sent("ada"), scene.sent("bob"), scene.sent("cyd")), (1, 1, 0));
    let told = scene.results(3).pop().unwrap();
    assert!(told.contains("RATE_LIMIT") && told.contains("two an hour"), "{told}");
}

#[test]
fn a_stop_ends_a_running_agent_within_a_second_or_so_and_lets_it_go_when_it_is_removed() {
    let scene = ApprovalHarness::start_unasked(
        "policy-stop",
        vec![send("ada"), send("bob"), ScriptedReply::text("ok")],
    );
    scene.ledger.hold(Some("/send/ada".to_owned()));
    assert_eq!(scene.call().status, 200);
    wait_until("the tool is being called", || scene.sent("ada") == 1);
    let began = Instant::now();
    let name = scene.stop(json!({ "workflowId": "asks", "agent": "Agent" }));
    let ended = scene.ended();
    assert!(began.elapsed() < Duration::from_secs(20), "the agent went on");
    let error = &ended["data"]["resultData"]["error"];
    assert_eq!((&ended["status"], &error["code"]), (&json!("error"), &json!("AGENT_STOPPED")));
    assert!(error["message"].as_str().unwrap().contains("Too many mails"), "{error}");
    scene.ledger.hold(None);
    // It does not begin again either, until the stop is gone.
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.ended()["data"]["resultData"]["error"]["code"], "AGENT_STOPPED");
    assert_eq!(scene.models.requests().len(), 1);
    let path = format!("/policy/stops?name={}", name.replace(' ', "%20").replace('/', "%2F"));
    assert_eq!(scene.server.api("DELETE", &path, None).status, 204);
    assert_eq!(scene.server.api("DELETE", &path, None).status, 400);
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.ended()["status"], "success");
    assert_eq!(scene.sent("bob"), 1);
}

#[test]
fn a_stop_of_a_tool_ends_its_running_call_and_the_agent_goes_on_without_it() {
    let scene = ApprovalHarness::start_unasked(
        "policy-stop-tool",
        vec![send("ada"), send("bob"), ScriptedReply::text("ok")],
    );
    scene.ledger.hold(Some("/send/ada".to_owned()));
    assert_eq!(scene.call().status, 200);
    wait_until("the tool is being called", || scene.sent("ada") == 1);
    scene.stop(json!({ "tool": "Send" }));
    assert_eq!(scene.ended()["status"], "success");
    scene.ledger.hold(None);
    let told = scene.results(2);
    assert!(told[0].contains("It may have taken effect"), "{told:?}");
    assert!(told[1].contains("POLICY_DENIED"), "{told:?}");
    assert_eq!(scene.sent("bob"), 0);
}

#[test]
fn a_dry_run_says_what_a_policy_would_have_done_and_does_nothing() {
    let scene = ApprovalHarness::start_unasked(
        "policy-dry-run",
        vec![
            send("ada"),
            ScriptedReply::call("Look", json!({ "at": "x" })),
            ScriptedReply::text("ok"),
        ],
    );
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.ended()["status"], "success");
    let dry_run = |body: Value| {
        let reply = scene.server.api("POST", "/policy/dry-run", Some(&body));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    };
    let tried = dry_run(json!({ "text": NO_SENDING }));
    assert_eq!(
        (&tried["calls"], &tried["allowed"], &tried["denied"]),
        (&json!(2), &json!(1), &json!(1))
    );
    let changed = &tried["changed"];
    assert_eq!(changed.as_array().unwrap().len(), 1, "{changed}");
    assert_eq!(
        (
            &changed[0]["tool"],
            &changed[0]["agent"],
            &changed[0]["now"]["action"],
            &changed[0]["then"]
        ),
        (
            &json!("Send"),
            &json!("Agent"),
            &json!("allow"),
            &json!({ "action": "deny", "rule": "no sending" })
        )
    );
    assert_eq!(dry_run(json!({}))["changed"], json!([]), "the policy in force");
    assert_eq!(scene.policy()["version"], 0, "nothing was put in force");
}

#[test]
fn a_policy_that_cannot_be_used_or_was_changed_meanwhile_is_refused_and_the_last_one_stays() {
    let mut scene =
        ApprovalHarness::start_unasked("policy-bad", vec![send("ada"), ScriptedReply::text("ok")]);
    scene.set_policy(NO_SENDING);
    let refused = scene.put_policy("[[rule]]\naction = 'forbid'\n", &json!(1));
    assert_eq!((refused.status, &refused.json()["code"]), (422, &json!("POLICY_INVALID")));
    assert!(refused.json()["message"].as_str().unwrap().starts_with("line 2: "));
    let refused = scene.put_policy("", &json!(0));
    assert_eq!((refused.status, &refused.json()["code"]), (409, &json!("POLICY_CHANGED")));
    let odd = json!({ "text": "", "version": 1, "more": 1 });
    assert_eq!(scene.server.api("PUT", "/policy", Some(&odd)).status, 400);
    let _ = scene.server.process.kill();
    scene.server.wait();
    scene.server = start_server(&scene.folder, &scene.key);
    assert_eq!(scene.policy()["text"], NO_SENDING);
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.ended()["status"], "success");
    assert_eq!(scene.sent("ada"), 0);
}

#[test]
fn another_process_changes_the_policy_of_a_running_server() {
    let scene =
        ApprovalHarness::start_unasked("policy-cli", vec![send("ada"), ScriptedReply::text("ok")]);
    let file = scene.folder.0.join("rules.toml");
    std::fs::write(&file, NO_SENDING).unwrap();
    let run = |arguments: &[&str]| crate::support::heddle(&scene.folder.0, arguments);
    let checked = run(&["policy", "check", file.to_str().unwrap()]);
    assert!(checked.contains("1 rule"), "{checked}");
    run(&["policy", "apply", file.to_str().unwrap()]);
    assert_eq!(run(&["policy", "show"]), NO_SENDING);
    wait_until("the server has it", || scene.policy()["text"] == NO_SENDING);
    assert_eq!(scene.call().status, 200);
    assert_eq!(scene.ended()["status"], "success");
    assert_eq!(scene.sent("ada"), 0);
    run(&["policy", "stop", "--tool", "Look", "--reason", "Looking is off"]);
    wait_until("the server knows", || scene.policy()["stops"][0]["reason"] == "Looking is off");
    run(&["policy", "unstop", scene.policy()["stops"][0]["name"].as_str().unwrap()]);
    wait_until("the server knows", || scene.policy()["stops"] == json!([]));
}
