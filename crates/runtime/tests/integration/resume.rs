//! Runs that wait or were cut off, and what continues them.

use crate::calls::request;
use crate::harness::{DataFolder, Process};
use crate::test_nodes::{CALL, DECISION_TIME_MS, Gate};
use crate::workflows::{
    WAIT_SECONDS, after, ask, call, called, effect, repeatable, wait_for_call, wait_for_time,
    webhook,
};
use heddle_runtime::{
    ApprovalDecision, Decision, DecisionOutcome, Error, RetryWith, approval_calls,
};
use model::{RunStatus, Str, json};
use node_api::checkpoints::ApprovalVerdict;
use std::time::Duration;
use store::executions::Execution;

/// Starts the workflow behind a path and waits until its run sleeps.
fn call_until_waiting(process: &Process, path: &str) -> Execution {
    process.call(path).unwrap();
    process.wait_for_only(path, RunStatus::Waiting)
}

#[test]
fn a_wait_survives_a_crash_and_its_link_still_works() {
    let folder = DataFolder::new();
    let process = folder.start();
    process
        .save_active("w", &[webhook("w"), effect("wait-before"), wait_for_call("Wait"), after()]);
    let id = call_until_waiting(&process, "w").id;
    let token = process.token(id, 0);
    process.crash();
    let process = folder.start();
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Waiting);
    assert_eq!(process.wake(&token).unwrap().status, 200);
    process.wait_for(id, RunStatus::Success);
    assert_eq!(Gate::named("wait-before").entered(), 1, "a recorded step was repeated");
}

#[test]
fn a_link_is_for_its_own_wait_and_works_once() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active(
        "w",
        &[webhook("w"), wait_for_call("First"), wait_for_call("Second"), after()],
    );
    let id = call_until_waiting(&process, "w").id;
    let (first, second) = (process.token(id, 0), process.token(id, 1));
    assert!(matches!(process.find_waiting(&second), Err(Error::StaleLink { .. })));
    process.wake(&first).unwrap();
    process.wait_for(id, RunStatus::Waiting);
    assert!(matches!(process.find_waiting(&first), Err(Error::StaleLink { .. })));
    process.wake(&second).unwrap();
    process.wait_for(id, RunStatus::Success);
    assert!(matches!(process.find_waiting(&second), Err(Error::WrongStatus { .. })));
    let forged = format!("{}-0-{}", id, "0".repeat(32));
    assert!(process.find_waiting(&forged).unwrap().is_none());
}

#[test]
fn of_many_calls_at_once_one_wakes_the_run() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), wait_for_call("Wait"), effect("wake-race")]);
    let id = call_until_waiting(&process, "w").id;
    let token = process.token(id, 0);
    let waiting: Vec<_> = (0..8).map(|_| process.find_waiting(&token).unwrap().unwrap()).collect();
    let calls = waiting.into_iter().map(|waiting| {
        let runtime = process.runtime.clone();
        process.spawn(async move { runtime.wake_with(&waiting, request()).await.is_ok() })
    });
    let calls: Vec<_> = calls.collect();
    let answers = calls.into_iter().map(|call| process.run(call).unwrap());
    assert_eq!(answers.filter(|is_woken| *is_woken).count(), 1);
    process.wait_for(id, RunStatus::Success);
    assert_eq!(Gate::named("wake-race").entered(), 1);
}

#[test]
fn a_wait_whose_time_passed_while_nothing_ran_ends_at_the_next_start_and_not_before() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), wait_for_time(), after()]);
    let id = call_until_waiting(&process, "w").id;
    process.crash();
    let process = folder.start();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Waiting);
    process.crash();
    folder.clock.advance(Duration::from_secs(WAIT_SECONDS + 1));
    folder.start().wait_for(id, RunStatus::Success);
}

#[test]
fn a_caller_that_sleeps_with_the_run_it_called_continues_after_a_crash() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save("called", &[called(), wait_for_call("Wait"), effect("called-after")]).unwrap();
    process.save_active("w", &[webhook("w"), call("called"), effect("caller-after")]);
    let caller = call_until_waiting(&process, "w").id;
    let called = process.wait_for_only("called", RunStatus::Waiting).id;
    assert_eq!(process.execution(caller).unwrap().state.waits_for, Some(called));
    process.crash();
    let process = folder.start();
    process.wake(&process.token(called, 0)).unwrap();
    process.wait_for(called, RunStatus::Success);
    process.wait_for(caller, RunStatus::Success);
    let entered = |gate: &str| Gate::named(gate).entered();
    assert_eq!((entered("called-after"), entered("caller-after")), (1, 1));
}

fn open_call(process: &Process, id: i64) -> ApprovalDecision {
    let calls = approval_calls(&process.journal(id));
    assert_eq!(calls.len(), 1);
    ApprovalDecision {
        verdict: ApprovalVerdict::Approved,
        digest: calls[0].asked.digest.clone(),
        reason: None,
        by: "ada@example.com".into(),
    }
}

#[test]
fn an_approval_is_decided_once_however_many_decide() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), ask(), effect("approved")]);
    let id = call_until_waiting(&process, "w").id;
    let decisions: Vec<_> = [ApprovalVerdict::Approved, ApprovalVerdict::Rejected]
        .into_iter()
        .map(|verdict| {
            let decision = ApprovalDecision { verdict, ..open_call(&process, id) };
            let runtime = process.runtime.clone();
            let decided =
                process.spawn(async move { runtime.decide_approval(id, CALL, decision).await });
            (verdict, decided)
        })
        .collect();
    let mut accepted = Vec::new();
    for (verdict, decided) in decisions {
        match process.run(decided).unwrap() {
            Ok(_) => accepted.push(verdict.name()),
            Err(Error::AlreadyDecided { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(accepted.len(), 1);
    process.wait_for(id, RunStatus::Success);
    assert_eq!(process.output(id, "Ask"), [json!({ "verdict": (accepted[0]) })]);
    assert_eq!(Gate::named("approved").entered(), 1);
}

#[test]
fn an_approval_is_about_the_call_that_was_seen_and_survives_a_crash() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), ask()]);
    let id = call_until_waiting(&process, "w").id;
    process.crash();
    let process = folder.start();
    let decide = |decision| process.run(process.runtime.decide_approval(id, CALL, decision));
    let other = ApprovalDecision { digest: Str::from("another call"), ..open_call(&process, id) };
    assert!(matches!(decide(other), Err(Error::ApprovalMismatch { .. })));
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Waiting);
    assert!(decide(open_call(&process, id)).unwrap().is_some());
    process.wait_for(id, RunStatus::Success);
    assert_eq!(process.output(id, "Ask"), [json!({ "verdict": "approved" })]);
}

#[test]
fn an_approval_that_nobody_gave_in_time_expires() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), ask()]);
    let id = call_until_waiting(&process, "w").id;
    let decision = open_call(&process, id);
    folder.clock.advance(Duration::from_millis(DECISION_TIME_MS as u64 + 1));
    let late = process.run(process.runtime.decide_approval(id, CALL, decision));
    assert!(matches!(late, Err(Error::ApprovalExpired { .. })));
    process.crash();
    let process = folder.start();
    process.wait_for(id, RunStatus::Success);
    assert_eq!(process.output(id, "Ask"), [json!({ "verdict": "expired" })]);
}

/// A run that was cut off inside an effect, in a new process.
fn interrupted(folder: &DataFolder, gate: &str) -> (Process, i64) {
    let process = folder.start();
    let closed = Gate::closed(gate);
    process.save_active("w", &[webhook("w"), effect(gate), after()]);
    process.call("w").unwrap();
    process.run(closed.wait_entered(1));
    let id = process.executions("w")[0].id;
    process.crash();
    closed.open();
    let process = folder.start();
    process.wait_for(id, RunStatus::Uncertain);
    (process, id)
}

fn decide(process: &Process, id: i64, decision: Decision) -> Result<(), Error> {
    process.run(process.runtime.resume_decided(id, decision)).map(drop)
}

#[test]
fn an_effect_that_was_cut_off_is_left_to_a_person_who_may_enter_its_result() {
    let folder = DataFolder::new();
    let (process, id) = interrupted(&folder, "uncertain-happened");
    let undecided = decide(&process, id, Decision::undecided());
    assert!(matches!(undecided, Err(Error::Undecided { .. })));
    let result = Str::from(r#"{ "paid": 7 }"#);
    decide(&process, id, Decision::about_all(DecisionOutcome::Happened { result })).unwrap();
    process.wait_for(id, RunStatus::Success);
    assert_eq!(process.output(id, "After"), [json!({ "paid": 7 })]);
    assert_eq!(Gate::named("uncertain-happened").entered(), 1, "the effect was repeated");
}

#[test]
fn an_effect_that_was_cut_off_is_repeated_if_a_person_says_so_and_has_seen_its_state() {
    let folder = DataFolder::new();
    let (process, id) = interrupted(&folder, "uncertain-again");
    let retry =
        |seen: u64| Decision { seen: Some(seen), ..Decision::about_all(DecisionOutcome::Retry) };
    let seen = process.journal(id).len() as u64;
    assert!(matches!(decide(&process, id, retry(seen - 1)), Err(Error::RunAdvanced { .. })));
    decide(&process, id, retry(seen)).unwrap();
    process.wait_for(id, RunStatus::Success);
    assert_eq!(Gate::named("uncertain-again").entered(), 2);
    assert!(matches!(decide(&process, id, retry(seen)), Err(Error::WrongStatus { .. })));
}

#[test]
fn a_run_that_is_active_at_two_crashes_in_a_row_is_quarantined() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("quarantine"));
    let process = folder.start();
    process.save_active("w", &[webhook("w"), repeatable("quarantine"), after()]);
    process.call("w").unwrap();
    process.run(gate.wait_entered(1));
    let id = process.executions("w")[0].id;
    process.crash();
    let process = folder.start();
    process.run(gate.wait_entered(2));
    process.crash();
    let process = folder.start();
    let quarantined = process.wait_for(id, RunStatus::Uncertain);
    let reason = quarantined.state.error.unwrap();
    assert!(reason.contains("last 2 times") && reason.contains("'Step'"), "{reason}");
    assert_eq!(gate.entered(), 2);
    // A person may still try it.
    gate.open();
    decide(&process, id, Decision::about_all(DecisionOutcome::Retry)).unwrap();
    process.wait_for(id, RunStatus::Success);
}

#[test]
fn a_clean_stop_is_no_crash_of_the_runs_it_leaves() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("stopped-often"));
    let process = folder.start();
    process.save_active("w", &[webhook("w"), repeatable("stopped-often"), after()]);
    process.call("w").unwrap();
    process.run(gate.wait_entered(1));
    let id = process.executions("w")[0].id;
    process.stop(Duration::ZERO);
    for starts in 2..=4 {
        let process = folder.start();
        process.run(gate.wait_entered(starts));
        process.stop(Duration::ZERO);
    }
    gate.open();
    folder.start().wait_for(id, RunStatus::Success);
}

#[test]
fn a_run_that_cannot_be_read_is_tried_again_after_a_back_off() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), wait_for_time(), after()]);
    let id = call_until_waiting(&process, "w").id;
    process.crash();
    folder.clock.advance(Duration::from_secs(WAIT_SECONDS + 1));
    // A version of the format that only a newer release can read.
    let set_format = |format: i64| {
        let changed = folder.database().execute("UPDATE journal SET format = ?1", [format]);
        assert!(changed.unwrap() > 0);
    };
    set_format(99);
    let process = folder.start();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Waiting);
    set_format(1);
    // Longer than the pause between two rounds: it is the back-off that it waits for.
    std::thread::sleep(Duration::from_millis(800));
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Waiting);
    folder.clock.advance(Duration::from_secs(2));
    process.wait_for(id, RunStatus::Success);
}

#[test]
fn a_sleeping_run_continues_with_the_version_it_began_with() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), wait_for_call("Wait"), effect("old-version")]);
    let run = call_until_waiting(&process, "w");
    process.save("w", &[webhook("w"), wait_for_call("Wait"), effect("new-version")]).unwrap();
    process.crash();
    let process = folder.start();
    process.wake(&process.token(run.id, 0)).unwrap();
    process.wait_for(run.id, RunStatus::Success);
    let entered = |gate: &str| Gate::named(gate).entered();
    assert_eq!((entered("old-version"), entered("new-version")), (1, 0));
}

#[test]
fn a_waiting_run_can_be_stopped_and_retried_but_not_woken_any_more() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), wait_for_call("Wait"), after()]);
    let id = call_until_waiting(&process, "w").id;
    process.run(process.runtime.stop_execution(id)).unwrap();
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Cancelled);
    let woken = process.find_waiting(&process.token(id, 0));
    assert!(matches!(woken, Err(Error::WrongStatus { status: "canceled", .. })));
    let again = process.run(process.runtime.retry(id, RetryWith::SameVersion)).unwrap().id;
    process.wait_for(again, RunStatus::Waiting);
}
