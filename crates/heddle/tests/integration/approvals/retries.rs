//! Crashes while a run asks and after somebody has decided, and runs that are done again or go
//! another way.

use super::{ApprovalHarness, send};
use serde_json::json;
use std::process::Command;
use testkit::ScriptedReply;

#[test]
fn killed_while_it_waits_and_after_the_decision_the_call_is_made_once() {
    let mut scene =
        ApprovalHarness::start("killed", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    scene.wait_for(&id, "waiting");
    let asked = scene.open_approval("ada");
    for _ in 0..2 {
        scene.restart();
        assert_eq!(scene.execution(&id)["status"], "waiting");
        assert_eq!(
            scene.pending_approvals(),
            std::slice::from_ref(&asked),
            "what is asked is asked still"
        );
    }
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    // Wherever the run is by now: on its way to the call, in it or behind it.
    scene.restart();
    let is_over =
        || matches!(scene.execution(&id)["status"].as_str(), Some("success" | "uncertain"));
    crate::support::wait_until("it has gone on", is_over);
    let status = scene.execution(&id)["status"].clone();
    assert!(scene.sent("ada") <= 1);
    match status == "success" {
        true => assert_eq!(scene.sent("ada"), 1),
        // It may have been sent, and a person looks.
        false => assert!(scene.server.executions()[0].to_string().contains("item 0: tool 1.1")),
    }
    assert_eq!(
        scene.decide(&asked, "approve").json()["code"],
        "APPROVAL_DECIDED",
        "the decision outlived the crash"
    );
}

/// Between the decision and the call there is nothing but the journal: the process ends while its
/// call waits for its turn.
#[test]
fn killed_at_the_call_that_was_approved_it_is_uncertain_and_not_made_twice() {
    let mut scene =
        ApprovalHarness::start("killed-at-call", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    let asked = scene.open_approval("ada");
    scene.ledger.hold(Some("/send/ada".into()));
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    crate::support::wait_until("it is sent", || scene.sent("ada") == 1);
    let _ = scene.server.process.kill();
    scene.server.wait();
    scene.ledger.hold(None);
    scene.restart();
    scene.wait_for(&id, "uncertain");
    assert_eq!((scene.sent("ada"), scene.pending_approvals().len()), (1, 0));
    let refused = scene.decide(&asked, "approve").json();
    assert_eq!(refused["code"], "APPROVAL_DECIDED", "{refused}");
    let done = scene.server.api(
        "POST",
        &format!("/executions/{id}/resume"),
        Some(&json!({ "decision": "done", "result": "sent" })),
    );
    assert_eq!(done.status, 200, "{}", done.text());
    scene.wait_for(&id, "success");
    assert_eq!(scene.sent("ada"), 1);
}

fn replay(scene: &ApprovalHarness, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.arg("replay").args(arguments).env("HEDDLE_DATA", &scene.folder.0);
    let output =
        command.env("HEDDLE_EGRESS_ALLOW", "127.0.0.1").env("HEDDLE_LOG", "off").output().unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
fn a_fork_asks_anew_and_a_replay_asks_nobody() {
    let scene = ApprovalHarness::start("fork", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    let (ok, told) = replay(&scene, &[&id]);
    assert!(ok && told.contains("approval"), "of a run that waits, as far as it came: {told}");
    assert_eq!(scene.decide(&scene.open_approval("ada"), "approve").status, 200);
    scene.wait_for(&id, "success");
    let (ok, told) = replay(&scene, &[&id]);
    assert!(ok && told.contains("tool 1.1 approval") && told.contains("all identical"), "{told}");
    assert_eq!((scene.sent("ada"), scene.models.requests().len()), (1, 2), "a replay does nothing");

    // From before its result on, the call is made again: only if somebody says so again.
    for (from, number) in [("Agent/tool 1.1 approval", 1), ("Agent/tool 1.1 begun", 2)] {
        let (ok, told) = replay(&scene, &[&id, "--from", from]);
        assert!(ok && told.contains("waiting"), "{from}: {told}");
        scene.wait_for_questions(1);
        assert_eq!(scene.sent("ada"), number, "{from}: nobody has approved it");
        scene.models.script([ScriptedReply::text("again")]);
        let asked = scene.open_approval("ada");
        let fork = asked["executionId"].as_str().unwrap().to_owned();
        assert_ne!(fork, id);
        assert_eq!(scene.decide(&asked, "approve").status, 200);
        scene.wait_for(&fork, "success");
        assert_eq!(scene.sent("ada"), number + 1);
    }
    // From its result on, the call counts as begun: whether it happened is for a person to say, and
    // nobody is asked whether it may.
    let (_, told) = replay(&scene, &[&id, "--from", "Agent/tool 1.1"]);
    assert!(told.contains("uncertain"), "{told}");
    assert_eq!(scene.sent("ada"), 3, "it was not made once more");
    // From behind its result on, there is nothing to ask.
    scene.models.script([ScriptedReply::text("otherwise")]);
    let (ok, told) = replay(&scene, &[&id, "--from", "Agent/model 2"]);
    assert!(ok && told.contains("success"), "{told}");
    assert_eq!((scene.sent("ada"), scene.pending_approvals().len()), (3, 0));
}
