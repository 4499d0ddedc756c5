//! What a decision does, and which ones are refused.

use super::{ApprovalHarness, node, option, send, to};
use crate::support::wait_until;
use serde_json::json;
use std::time::{Duration, Instant};
use testkit::ScriptedReply;

#[test]
fn an_approved_call_is_made_and_the_run_goes_on() {
    let scene = ApprovalHarness::start(
        "approve",
        vec![send("ada").and_call("Look", json!({ "at": "sky" })), ScriptedReply::text("done")],
    );
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    let expected = json!({ "to": "ada" });
    assert_eq!(
        (&asked["tool"], &asked["arguments"], &asked["call"]),
        (&json!("Send"), &expected, &json!("item 0: tool 1.1"))
    );
    assert_eq!(
        (&asked["workflowId"], &asked["workflowName"], &asked["node"]),
        (&json!("asks"), &json!("Asks first"), &json!("Agent"))
    );
    scene.wait_for(&id, "waiting");
    assert_eq!(
        scene.ledger.all().get("/look/sky"),
        Some(&1),
        "what needs no approval is done before the run waits"
    );
    let waiting = scene.execution(&id);
    assert_eq!(waiting["waitTill"], asked["untilAt"], "{waiting}");
    assert_eq!(scene.sent("ada"), 0);
    let reply = scene.decide(&asked, "approve");
    assert_eq!(reply.status, 200, "{}", reply.text());
    scene.wait_for(&id, "success");
    assert_eq!(
        (scene.sent("ada"), scene.answer(&id), scene.models.requests().len()),
        (1, json!("done"), 2)
    );
    assert!(scene.pending_approvals().is_empty());
}

#[test]
fn a_call_is_decided_once() {
    let scene = ApprovalHarness::start("twice", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    for decision in ["approve", "reject"] {
        let refused = scene.decide(&asked, decision).json();
        assert_eq!(refused["code"], "APPROVAL_DECIDED", "{refused}");
        assert!(
            refused["message"].as_str().unwrap().contains("approved by owner@localhost"),
            "{refused}"
        );
    }
    scene.wait_for(&id, "success");
    assert_eq!(
        scene.decide(&asked, "approve").json()["code"],
        "APPROVAL_DECIDED",
        "also when all is over"
    );
    assert_eq!(scene.sent("ada"), 1);
}

/// Many at the same moment: one of them counts.
#[test]
fn of_many_decisions_at_once_one_counts() {
    let scene = ApprovalHarness::start("race", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    let codes: Vec<u16> = std::thread::scope(|scope| {
        let deciding: Vec<_> = (0..8)
            .map(|number| if number % 2 == 0 { "approve" } else { "reject" })
            .map(|decision| scope.spawn(|| scene.decide(&asked, decision).status))
            .collect();
        deciding.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(codes.iter().filter(|code| **code == 200).count(), 1, "{codes:?}");
    assert!(codes.iter().all(|code| matches!(code, 200 | 409)), "{codes:?}");
    scene.wait_for(&id, "success");
    assert!(scene.sent("ada") <= 1);
}

#[test]
fn after_its_time_a_call_is_not_made_and_cannot_be_approved() {
    let scene = ApprovalHarness::start_with(
        "late",
        vec![send("ada"), ScriptedReply::text("done")],
        |document| {
            // Two seconds.
            option(document, "approvalHours", json!(2.0 / 3600.0));
        },
    );
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    let began = Instant::now();
    wait_until("its time is over", || scene.pending_approvals().is_empty());
    assert!(began.elapsed() < Duration::from_secs(20), "the scheduler did not look in time");
    let late = scene.decide(&asked, "approve").json();
    assert_eq!(late["code"], "APPROVAL_EXPIRED", "{late}");
    scene.wait_for(&id, "success");
    assert_eq!(scene.results(1), ["Nobody approved this call of 'Send' in time. It was not made."]);
    assert_eq!(scene.decide(&asked, "approve").json()["code"], "APPROVAL_EXPIRED");
    assert_eq!(scene.sent("ada"), 0);
}

#[test]
fn another_digest_decides_nothing() {
    let scene = ApprovalHarness::start("digest", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    let other = scene.decide_with(
        &asked,
        json!({ "call": asked["call"], "digest": "0".repeat(64), "decision": "approve" }),
    );
    assert_eq!((other.status, &other.json()["code"]), (409, &json!("APPROVAL_CHANGED")));
    for (body, code) in [
        (json!({ "digest": asked["digest"], "decision": "approve" }), "REQUEST_INVALID"),
        (json!({ "call": asked["call"], "decision": "approve" }), "REQUEST_INVALID"),
        (json!({ "call": asked["call"], "digest": asked["digest"] }), "REQUEST_INVALID"),
        (
            json!({ "call": asked["call"], "digest": asked["digest"], "decision": "approved" }),
            "REQUEST_INVALID",
        ),
        (
            json!({ "call": asked["call"], "digest": asked["digest"], "decision": "approve", "by": "eve" }),
            "REQUEST_INVALID",
        ),
        (
            json!({ "call": asked["call"], "digest": asked["digest"], "decision": "approve", "arguments": {} }),
            "REQUEST_INVALID",
        ),
        (
            json!({ "call": asked["call"], "digest": asked["digest"], "decision": "reject", "reason": "x".repeat(3000) }),
            "REQUEST_INVALID",
        ),
        (
            json!({ "call": "tool 9.9", "digest": asked["digest"], "decision": "approve" }),
            "APPROVAL_CALL",
        ),
    ] {
        let refused = scene.decide_with(&asked, body.clone()).json();
        assert_eq!(refused["code"], code, "{body}: {refused}");
    }
    assert_eq!(
        (scene.pending_approvals().len(), scene.sent("ada")),
        (1, 0),
        "what was refused changes nothing"
    );
    scene.wait_for(&id, "waiting");
    let short = scene.decide_with(
        &asked,
        json!({ "call": "tool 1.1", "digest": asked["digest"], "decision": "approve" }),
    );
    assert_eq!(short.status, 200, "{}", short.text());
    scene.wait_for(&id, "success");
}

#[test]
fn a_rejection_reaches_the_model_with_its_reason_and_counts_for_the_same_call() {
    let scene = ApprovalHarness::start(
        "reject",
        vec![send("ada"), send("ada"), ScriptedReply::text("Then not.")],
    );
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    let body = json!({ "call": asked["call"], "digest": asked["digest"], "decision": "reject", "reason": "Wrong person" });
    assert_eq!(scene.decide_with(&asked, body).status, 200);
    scene.wait_for(&id, "success");
    assert_eq!(
        scene.results(1),
        ["A person rejected this call of 'Send' (Wrong person). It was not made."]
    );
    assert!(
        scene.results(2)[1].contains("already rejected this exact call of 'Send' (Wrong person)"),
        "{:?}",
        scene.results(2)
    );
    assert_eq!((scene.sent("ada"), scene.answer(&id)), (0, json!("Then not.")));
}

#[test]
fn calls_of_one_turn_are_decided_one_by_one_and_at_the_same_time() {
    let turn = || {
        send("ada")
            .and_call("Send", json!({ "to": "bob" }))
            .and_call("Send", json!({ "to": "eve" }))
    };
    let scene = ApprovalHarness::start(
        "parallel",
        vec![turn(), ScriptedReply::text("one"), turn(), ScriptedReply::text("two")],
    );
    let id = scene.ask(3);
    assert_eq!(scene.decide(&scene.open_approval("bob"), "approve").status, 200);
    wait_until("the one that was approved is sent", || scene.sent("bob") == 1);
    scene.wait_for(&id, "waiting");
    assert_eq!(
        (scene.pending_approvals().len(), scene.sent("ada"), scene.models.requests().len()),
        (2, 0, 1)
    );
    assert_eq!(scene.decide(&scene.open_approval("ada"), "reject").status, 200);
    assert_eq!(
        scene.decide(&scene.open_approval("eve"), "approve").status,
        200,
        "also right after the other"
    );
    scene.wait_for(&id, "success");
    assert_eq!((scene.sent("ada"), scene.sent("bob"), scene.sent("eve")), (0, 1, 1));

    let id = scene.ask(3);
    let all = scene.pending_approvals();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let deciding: Vec<_> =
            all.iter().map(|asked| scope.spawn(|| scene.decide(asked, "approve").status)).collect();
        deciding.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(statuses, [200, 200, 200]);
    scene.wait_for(&id, "success");
    assert_eq!((scene.sent("ada"), scene.sent("bob"), scene.sent("eve")), (1, 2, 2));
}

#[test]
fn a_decision_about_a_run_that_is_at_work_is_taken_up_when_it_stands_still() {
    let scene = ApprovalHarness::start(
        "at-work",
        vec![send("ada").and_call("Send", json!({ "to": "bob" })), ScriptedReply::text("done")],
    );
    let id = scene.ask(2);
    let (ada, bob) = (scene.open_approval("ada"), scene.open_approval("bob"));
    // The service does not answer, so that the run is at work on the first call.
    scene.ledger.hold(Some("/send/ada".into()));
    assert_eq!(scene.decide(&ada, "approve").status, 200);
    wait_until("it is sent", || scene.sent("ada") == 1);
    assert_eq!(scene.execution(&id)["status"], "running");
    let reply = scene.decide(&bob, "approve");
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert_eq!(scene.decide(&bob, "reject").json()["code"], "APPROVAL_DECIDED");
    assert_eq!(
        (
            scene.pending_approvals().len(),
            scene.sent("bob"),
            scene.execution(&id)["status"].clone()
        ),
        (0, 0, json!("running"))
    );
    scene.ledger.hold(None);
    scene.wait_for(&id, "success");
    assert_eq!((scene.sent("ada"), scene.sent("bob"), scene.models.requests().len()), (1, 1, 2));
}

/// Decisions about calls that come while the run is at work wake it where it sleeps next, if that
/// is for a decision, and nowhere else.
#[test]
fn issue_15_01_a_decision_wakes_no_wait_behind_the_agent() {
    let two = send("ada").and_call("Send", json!({ "to": "bob" }));
    let scene = ApprovalHarness::start_with(
        "wait-behind",
        vec![two, ScriptedReply::text("done")],
        |document| {
            let wait = node(
                "Wait",
                "n8n-nodes-base.wait",
                1.1,
                json!({ "resume": "webhook", "options": {} }),
            );
            document["nodes"].as_array_mut().unwrap().push(wait);
            document["connections"]["Agent"] = to("Wait", "main");
        },
    );
    let id = scene.ask(2);
    let (ada, bob) = (scene.open_approval("ada"), scene.open_approval("bob"));
    scene.ledger.hold(Some("/send/ada".into()));
    assert_eq!(scene.decide(&ada, "approve").status, 200);
    wait_until("it is sent", || scene.sent("ada") == 1);
    assert_eq!(scene.decide(&bob, "reject").status, 200);
    scene.ledger.hold(None);
    let sleeps = || {
        let outline = scene.server.api("GET", &format!("/executions/{id}/outline"), None).json();
        outline["status"] == "waiting" && outline["nodes"]["Wait"][0]["status"] == "waiting"
    };
    wait_until("it waits behind the agent", sleeps);
    for asked in [&ada, &bob] {
        assert_eq!(scene.decide(asked, "approve").json()["code"], "APPROVAL_DECIDED");
    }
    // Longer than it takes to wake it.
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(sleeps());
    assert_eq!((scene.sent("ada"), scene.sent("bob")), (1, 0));
}

/// What was decided while the run was at work is on disk: a crash later it counts.
#[test]
fn killed_while_it_is_at_work_a_run_knows_what_was_decided_meanwhile() {
    let mut scene = ApprovalHarness::start(
        "at-work-killed",
        vec![send("ada").and_call("Look", json!({ "at": "sky" })), ScriptedReply::text("done")],
    );
    scene.ledger.hold(Some("/look/sky".into()));
    assert_eq!(scene.call().status, 200);
    scene.wait_for_questions(1);
    let asked = scene.open_approval("ada");
    let id = asked["executionId"].as_str().unwrap().to_owned();
    wait_until("it looks", || scene.ledger.all().contains_key("/look/sky"));
    assert_eq!(scene.execution(&id)["status"], "running");
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    assert_eq!(scene.sent("ada"), 0);
    let _ = scene.server.process.kill();
    scene.server.wait();
    scene.ledger.hold(None);
    scene.restart();
    scene.wait_for(&id, "success");
    assert_eq!((scene.sent("ada"), scene.models.requests().len()), (1, 2));
}

#[test]
fn a_run_that_is_stopped_asks_for_nothing() {
    let scene = ApprovalHarness::start("stopped", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    scene.wait_for(&id, "waiting");
    assert_eq!(scene.server.api("POST", &format!("/executions/{id}/stop"), None).status, 200);
    assert_eq!(
        (scene.execution(&id)["status"].clone(), scene.pending_approvals().len()),
        (json!("canceled"), 0)
    );
    let refused = scene.decide(&asked, "approve").json();
    assert_eq!(refused["code"], "APPROVAL_NONE", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("canceled"), "{refused}");
    assert_eq!((scene.sent("ada"), scene.execution(&id)["status"].clone()), (0, json!("canceled")));
}
