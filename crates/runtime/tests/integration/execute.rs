//! Starting, limiting, stopping and repeating runs.

use crate::calls::{json_body, request};
use crate::harness::{DataFolder, Process, ProcessOptions, eventually};
use crate::test_nodes::Gate;
use crate::workflows::{
    after, answering_webhook, call, called, document, effect, fail, repeatable, set, webhook,
    webhook_with,
};
use heddle_runtime::endpoint::EndpointRequest;
use heddle_runtime::{Error, Fork, RetryWith, RunLimits};
use model::{Object, RunStatus, Value, json};
use std::time::Duration;
use store::variables::VariableStore as _;

/// How many executions are on disk with the beginning of their journal.
fn committed(folder: &DataFolder) -> i64 {
    let sql = "SELECT min((SELECT count(*) FROM executions), (SELECT count(*) FROM journal))";
    folder.database().query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Calls an endpoint whose run stands still, from a task.
fn call_in_background(process: &Process, path: &str) -> tokio::task::JoinHandle<()> {
    let (runtime, endpoint) = (process.runtime.clone(), process.endpoint(path));
    process.spawn(async move {
        runtime.answer(&endpoint, request()).await.unwrap();
    })
}

#[test]
fn a_call_is_answered_only_after_its_run_is_on_disk() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("accepted"));
    let process = folder.start();
    process.save_active("w", &[webhook("w"), repeatable("accepted"), after()]);
    assert_eq!(committed(&folder), 0);
    assert_eq!(process.call("w").unwrap().status, 200);
    assert!(committed(&folder) > 0, "the run was answered for and is not on disk");
    let id = process.executions("w")[0].id;
    process.crash();
    gate.open();
    let process = folder.start();
    process.wait_for(id, RunStatus::Success);
    assert_eq!(process.executions("w").len(), 1);
}

#[test]
fn a_run_that_cannot_be_written_is_rejected_and_leaves_no_trace() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), effect("unwritten"), after()]);
    folder.database().execute_batch("ALTER TABLE executions RENAME TO elsewhere").unwrap();
    assert!(matches!(process.call("w"), Err(Error::Store(_))));
    folder.database().execute_batch("ALTER TABLE elsewhere RENAME TO executions").unwrap();
    process.run(eventually("the run is still there", async || {
        (process.runtime.runner.in_progress() == 0).then_some(())
    }));
    assert_eq!(committed(&folder), 0);
    assert_eq!(Gate::named("unwritten").entered(), 0, "it ran although its caller got an error");
    assert_eq!(process.call("w").unwrap().status, 200);
}

#[test]
fn calls_beyond_the_queue_are_rejected_and_the_queued_one_runs_later() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("queue"));
    let limits = RunLimits { max_running: 1, max_queued: 1, ..RunLimits::default() };
    let process = folder.start_with(ProcessOptions { limits, ..ProcessOptions::default() });
    process.save_active("w", &[webhook("w"), effect("queue")]);
    process.call("w").unwrap();
    process.run(gate.wait_entered(1));
    process.call("w").unwrap();
    assert!(matches!(process.call("w"), Err(Error::Overload)));
    assert_eq!((process.runtime.runner.slots_in_use(), gate.entered()), (1, 1));
    gate.open();
    for execution in process.executions("w") {
        process.wait_for(execution.id, RunStatus::Success);
    }
    assert_eq!((gate.entered(), process.executions("w").len()), (2, 2));
}

#[test]
fn large_bodies_are_rejected_while_memory_is_short_and_small_ones_are_not() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("memory"));
    let limits = RunLimits { max_reserved_bytes: 1 << 20, ..RunLimits::default() };
    let process = folder.start_with(ProcessOptions { limits, ..ProcessOptions::default() });
    process.save_active("w", &[webhook("w"), effect("memory")]);
    let sized = |length: usize| process.call_with("w", EndpointRequest { length, ..request() });
    sized(1 << 20).unwrap();
    assert!(matches!(sized(512 << 10), Err(Error::Overload)));
    sized(1 << 10).unwrap();
    gate.open();
    for execution in process.executions("w") {
        process.wait_for(execution.id, RunStatus::Success);
    }
    sized(512 << 10).unwrap();
}

#[test]
fn a_delivery_that_comes_again_starts_no_second_run_even_after_a_crash() {
    let folder = DataFolder::new();
    let process = folder.start();
    let options = json!({ "options": { "deliveryHeader": "x-delivery" } });
    process.save_active("w", &[webhook_with("w", options), effect("delivery")]);
    let deliver = |process: &Process, id: &str| {
        let headers = Object::from_iter([("x-delivery", id)]);
        json_body(&process.call_with("w", EndpointRequest { headers, ..request() }).unwrap())
    };
    let first = deliver(&process, "1");
    let again = deliver(&process, "1");
    assert_ne!(first, again);
    assert_eq!(
        again.get("message").and_then(Value::as_str),
        Some("This delivery was already received")
    );
    process.wait_for_only("w", RunStatus::Success);
    process.crash();
    let process = folder.start();
    assert_eq!(deliver(&process, "1"), again);
    assert_eq!(process.executions("w").len(), 1);
    assert_eq!(deliver(&process, "2"), first);
    assert_eq!(process.executions("w").len(), 2);
}

#[test]
fn a_stopped_run_is_cancelled_and_does_not_continue() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("stop"));
    let process = folder.start();
    process.save_active(
        "w",
        &[webhook("w"), effect("stop"), ("Next", "test.effect", json!({ "gate": "stop-next" }))],
    );
    process.call("w").unwrap();
    process.run(gate.wait_entered(1));
    let id = process.executions("w")[0].id;
    process.run(process.runtime.stop_execution(id)).unwrap();
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Cancelled);
    gate.open();
    assert!(!process.runtime.runner.is_running(id));
    assert_eq!(Gate::named("stop-next").entered(), 0);
    assert!(matches!(
        process.run(process.runtime.stop_execution(id)),
        Err(Error::WrongStatus { status: "canceled", .. })
    ));
    assert!(matches!(
        process.run(process.runtime.stop_execution(id + 1)),
        Err(Error::NoExecution { .. })
    ));
}

#[test]
fn stopping_a_caller_stops_the_run_it_waits_for() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("stop-called"));
    let process = folder.start();
    process.save("called", &[called(), effect("stop-called")]).unwrap();
    process.save_active("caller", &[webhook("w"), call("called"), after()]);
    process.call("w").unwrap();
    process.run(gate.wait_entered(1));
    let caller = process.executions("caller")[0].id;
    process.run(process.runtime.stop_execution(caller)).unwrap();
    process.wait_for(caller, RunStatus::Cancelled);
    process.wait_for_only("called", RunStatus::Cancelled);
}

#[test]
fn a_clean_stop_waits_for_runs_and_accepts_no_new_ones() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("clean-stop"));
    let process = folder.start();
    process.save_active("w", &[webhook("w"), effect("clean-stop"), after()]);
    process.call("w").unwrap();
    process.run(gate.wait_entered(1));
    let id = process.executions("w")[0].id;
    let runtime = process.runtime.clone();
    let stopped = process.spawn(async move { runtime.stop(Duration::from_secs(30)).await });
    process
        .run(eventually("it does not stop", async || process.runtime.is_stopping().then_some(())));
    assert!(matches!(process.call("w"), Err(Error::Stopping)));
    assert!(!stopped.is_finished(), "it did not wait for the run");
    gate.open();
    process.run(stopped).unwrap();
    assert_eq!(process.execution(id).unwrap().state.status, RunStatus::Success);
}

#[test]
fn deleting_a_workflow_ends_its_runs_and_removes_them() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("delete"));
    let process = folder.start();
    process.save_active("w", &[webhook("w"), effect("delete")]);
    process.call("w").unwrap();
    process.run(gate.wait_entered(1));
    let id = process.executions("w")[0].id;
    assert!(process.run(process.runtime.delete_workflow("w")).unwrap());
    assert!(process.execution(id).is_none() && !process.listens("POST", "w"));
    assert!(!process.run(process.runtime.delete_workflow("w")).unwrap());
}

#[test]
fn a_retry_uses_the_version_that_failed_or_the_newest() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), fail()]);
    process.call("w").unwrap();
    let failed = process.wait_for_only("w", RunStatus::Error);
    process.save("w", &[webhook("w"), after()]).unwrap();
    let retry =
        |with: RetryWith| process.run(process.runtime.retry(failed.id, with)).map(|run| run.id);
    let same = process.wait_for(retry(RetryWith::SameVersion).unwrap(), RunStatus::Error);
    assert_eq!(same.started.version_id, failed.started.version_id);
    let newest = process.wait_for(retry(RetryWith::NewestVersion).unwrap(), RunStatus::Success);
    assert_ne!(newest.started.version_id, failed.started.version_id);
    assert_eq!(
        (same.started.retry_of, newest.started.retry_of),
        (Some(failed.id), Some(failed.id))
    );
    let of_success = process.run(process.runtime.retry(newest.id, RetryWith::SameVersion));
    assert!(matches!(of_success, Err(Error::WrongStatus { status: "success", .. })));
}

#[test]
fn a_fork_repeats_only_what_comes_from_its_step_on() {
    let (folder, gate) = (DataFolder::new(), Gate::named("fork"));
    let process = folder.start();
    process.save_active("w", &[webhook("w"), effect("fork"), after()]);
    process.call("w").unwrap();
    let first = process.wait_for_only("w", RunStatus::Success);
    let fork = |from: &str| {
        let fork = Fork { from: from.into(), model: None };
        process.run(process.runtime.fork(first.id, fork)).map(|run| run.id)
    };
    process.wait_for(fork("After").unwrap(), RunStatus::Success);
    assert_eq!(gate.entered(), 1);
    process.wait_for(fork("Effect").unwrap(), RunStatus::Success);
    assert_eq!(gate.entered(), 2);
    assert!(matches!(fork("Nowhere"), Err(Error::NoStep { .. })));
}

#[test]
fn a_node_that_panics_ends_its_run_and_nothing_else() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("bad", &[webhook("bad"), ("Panic", "test.panic", json!({}))]);
    process.save_active("good", &[webhook("good"), after()]);
    process.call("bad").unwrap();
    let failed = process.wait_for_only("bad", RunStatus::Error);
    assert!(failed.state.stopped_ms.is_some() && failed.state.error.is_some());
    process.call("good").unwrap();
    process.wait_for_only("good", RunStatus::Success);
    assert_eq!(process.runtime.runner.in_progress(), 0);
}

#[test]
fn runs_have_the_variables_as_they_were_last_reloaded() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[answering_webhook("w"), set("={{ $vars.greeting }}")]);
    let variable = process.run(process.store.add_variable("greeting", "hello", None)).unwrap();
    let greeting = || json_body(&process.call("w").unwrap());
    process.run(process.runtime.reload()).unwrap();
    assert_eq!(greeting(), json!({ "value": "hello" }));
    process.run(process.store.change_variable(&variable.id, "greeting", "bye", None)).unwrap();
    process.run(process.runtime.reload()).unwrap();
    assert_eq!(greeting(), json!({ "value": "bye" }));
}

#[test]
fn a_workflow_that_keeps_no_successes_keeps_its_failures() {
    let folder = DataFolder::new();
    let process = folder.start();
    let save = |id: &str, nodes: &[crate::workflows::TestNode]| {
        let mut document = document(nodes);
        let settings = document.make_object().entry("settings").make_object();
        settings.insert("saveDataSuccessExecution", "none");
        process.save_document(id, &document).unwrap();
        process.activate(id).unwrap();
    };
    save("good", &[answering_webhook("good"), effect("unsaved"), after()]);
    save("bad", &[answering_webhook("bad"), fail()]);
    assert_eq!(process.call("good").unwrap().status, 200);
    assert_eq!(process.call("bad").unwrap().status, 500);
    process.wait_for_only("bad", RunStatus::Error);
    process.run(eventually("it is not over", async || {
        (process.runtime.runner.in_progress() == 0).then_some(())
    }));
    assert_eq!(Gate::named("unsaved").entered(), 1);
    assert!(process.executions("good").is_empty());
}

#[test]
fn a_caller_that_hangs_up_does_not_end_its_run() {
    let (folder, gate) = (DataFolder::new(), Gate::closed("hang-up"));
    let process = folder.start();
    process.save_active("w", &[answering_webhook("w"), effect("hang-up"), after()]);
    let caller = call_in_background(&process, "w");
    process.run(gate.wait_entered(1));
    caller.abort();
    assert!(process.run(caller).unwrap_err().is_cancelled());
    gate.open();
    process.wait_for_only("w", RunStatus::Success);
    assert_eq!(gate.entered(), 1);
}
