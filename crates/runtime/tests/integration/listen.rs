//! Active workflows, their endpoints, and who may use an address.

use crate::calls::{json_body, request};
use crate::harness::{DataFolder, Process};
use crate::test_nodes::Gate;
use crate::workflows::{
    after, answering_webhook, effect, set, wait_for_call, webhook, webhook_with,
};
use heddle_runtime::endpoint::EndpointRequest;
use heddle_runtime::{EndpointKind, Error, RouteMatch, TestAddresses, TriggerEndpoint};
use model::{Code, RunStatus, Value, json};
use std::sync::Arc;
use std::time::Duration;
use store::addresses::ClaimResult;
use store::interruptions::InterruptionStore as _;
use store::variables::VariableStore as _;
use store::workflows::{ActivatedVersion, WorkflowStore as _};

fn is_active(process: &Process, id: &str) -> bool {
    process.run(process.store.workflow(id)).unwrap().unwrap().active
}

#[test]
fn an_address_belongs_to_the_first_workflow_that_claims_it() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("first", &[webhook("same"), after()]);
    process.save("second", &[webhook("same"), after()]).unwrap();
    let error = process.activate("second").unwrap_err();
    assert_eq!(error.code(), Code::WEBHOOK_TAKEN);
    assert!(!is_active(&process, "second"));
    assert_eq!(process.endpoint("same").workflow.id, "first");
    process.run(process.runtime.deactivate("first")).unwrap();
    process.activate("second").unwrap();
    assert_eq!(process.endpoint("same").workflow.id, "second");
}

#[test]
fn a_new_version_that_claims_a_foreign_address_is_not_saved() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("first", &[webhook("taken"), after()]);
    process.save_active("second", &[webhook("free"), after()]);
    let before = process.run(process.store.workflow("second")).unwrap().unwrap();
    let error = process.save("second", &[webhook("taken"), after()]).unwrap_err();
    assert_eq!(error.code(), Code::WEBHOOK_TAKEN);
    let now = process.run(process.store.workflow("second")).unwrap().unwrap();
    assert_eq!(now.version_id, before.version_id);
    assert!(process.listens("POST", "free"));
    assert_eq!(process.endpoint("taken").workflow.id, "first");
}

#[test]
fn one_path_may_have_a_workflow_for_each_method() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("post", &[webhook("path"), after()]);
    match process.runtime.find(EndpointKind::Webhook, "GET", "path") {
        RouteMatch::OtherMethods(methods) => assert_eq!(methods, ["POST"]),
        RouteMatch::Hook(..) | RouteMatch::Nothing => panic!("the other method is not known"),
    }
    process.save_active("get", &[webhook_with("path", json!({ "httpMethod": "GET" })), after()]);
    assert!(process.listens("GET", "path") && process.listens("POST", "path"));
    assert!(!process.listens("PUT", "path"));
    assert!(matches!(process.runtime.find(EndpointKind::Form, "GET", "path"), RouteMatch::Nothing));
}

#[test]
fn a_path_with_parameters_belongs_to_one_workflow_with_all_that_it_covers() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("users", &[webhook("users/:id/orders"), after()]);
    // The path of a webhook with parameters begins with its node's or workflow's id.
    let path = "users/users/7/orders";
    let RouteMatch::Hook(endpoint, params) =
        process.runtime.find(EndpointKind::Webhook, "POST", path)
    else {
        panic!("nothing listens at {path}")
    };
    assert_eq!(endpoint.workflow.id, "users");
    assert_eq!(params.get("id"), Some(&Value::from("7")));
    assert!(!process.listens("POST", "users/users/7") && !process.listens("POST", "users/users"));
    process.save("covered", &[webhook(path), after()]).unwrap();
    assert_eq!(process.activate("covered").unwrap_err().code(), Code::WEBHOOK_TAKEN);
    process.save_active("beside", &[webhook("users/users/7/bills"), after()]);
    assert_eq!(process.endpoint("users/users/7/bills").workflow.id, "beside");
}

#[test]
fn a_workflow_that_nothing_can_start_is_not_activated() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save("w", &[after()]).unwrap();
    assert!(matches!(process.activate("w"), Err(Error::NoTrigger)));
    assert!(matches!(process.activate("missing"), Err(Error::NoWorkflow { .. })));
    assert_eq!(process.runtime.n_active(), 0);
}

#[test]
fn active_workflows_listen_again_after_a_crash_and_inactive_ones_do_not() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("on", &[webhook("on"), after()]);
    process.save_active("off", &[webhook("off"), after()]);
    process.run(process.runtime.deactivate("off")).unwrap();
    process.crash();
    let process = folder.start();
    assert!(process.listens("POST", "on") && !process.listens("POST", "off"));
    assert_eq!(process.runtime.addresses(), [("POST".into(), "on".into())]);
}

#[test]
fn a_call_found_before_its_workflow_was_deactivated_starts_nothing() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("w", &[webhook("w"), effect("deactivated")]);
    let endpoint = process.endpoint("w");
    process.run(process.runtime.deactivate("w")).unwrap();
    let answer = process.run(process.runtime.answer(&endpoint, request()));
    assert!(matches!(answer, Err(Error::NotListening)));
    assert_eq!(Gate::named("deactivated").entered(), 0);
}

#[test]
fn what_another_process_activates_listens_after_a_reload() {
    let folder = DataFolder::new();
    let process = folder.start();
    let saved = process.save("w", &[webhook("w"), after()]).unwrap();
    let loaded = process.run(process.runtime.load("w")).unwrap();
    let scope = process.run(process.runtime.listen_scope(&loaded.project_id)).unwrap();
    let version = ActivatedVersion::Newest(saved.version_id);
    let claims = loaded.claims(&scope).unwrap();
    let activated = process.run(process.store.activate("w", version, claims)).unwrap();
    assert!(matches!(activated, ClaimResult::Done(())));
    process.run(process.runtime.reload()).unwrap();
    assert!(process.listens("POST", "w"));
}

#[test]
fn an_endpoint_whose_path_is_a_variable_moves_when_the_variable_changes() {
    let folder = DataFolder::new();
    let process = folder.start();
    let variable = process.run(process.store.add_variable("path", "before", None)).unwrap();
    process.run(process.runtime.reload()).unwrap();
    process.save_active("w", &[webhook("={{ $vars.path }}"), after()]);
    assert!(process.listens("POST", "before"));
    process.run(process.store.change_variable(&variable.id, "path", "later", None)).unwrap();
    process.run(process.runtime.reload()).unwrap();
    assert!(process.listens("POST", "later") && !process.listens("POST", "before"));
}

#[test]
fn a_workflow_that_two_starts_died_of_is_deactivated() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("bad", &[webhook("bad"), after()]);
    process.save_active("good", &[webhook("good"), after()]);
    // As two processes leave it that died while they activated it.
    for _ in 0..2 {
        process.run(process.store.begin_attempt("", "start")).unwrap();
        process.run(process.store.begin_attempt("bad", "activate")).unwrap();
    }
    process.crash();
    let process = folder.start();
    assert!(!process.listens("POST", "bad") && process.listens("POST", "good"));
    assert!(!is_active(&process, "bad") && is_active(&process, "good"));
    process.activate("bad").unwrap();
    assert!(process.listens("POST", "bad"));
}

#[test]
fn calls_from_addresses_that_are_not_allowed_start_nothing() {
    let folder = DataFolder::new();
    let process = folder.start();
    let options = json!({ "responseMode": "lastNode", "options": { "ipWhitelist": "10.0.0.0/8" } });
    process.save_active("w", &[webhook_with("w", options), after()]);
    let from = |remote: Option<&str>| {
        let remote = remote.map(|ip| ip.parse().unwrap());
        process.call_with("w", EndpointRequest { remote, ..request() }).unwrap().status
    };
    assert_eq!((from(Some("192.0.2.1")), from(None)), (403, 403));
    assert!(process.executions("w").is_empty());
    assert_eq!((from(Some("10.1.2.3")), from(Some("::ffff:10.1.2.3"))), (200, 200));
    assert_eq!(process.executions("w").len(), 2);
}

#[test]
fn a_call_is_answered_with_what_its_workflow_puts_out_or_without_its_error() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("good", &[answering_webhook("good"), set("={{ $json.body.name }}")]);
    process.save_active("bad", &[answering_webhook("bad"), crate::workflows::fail()]);
    process.save_active("waits", &[answering_webhook("waits"), wait_for_call("Wait")]);
    let body = json!({ "name": "Ada" });
    let answer = process.call_with("good", EndpointRequest { body, ..request() }).unwrap();
    assert_eq!((answer.status, json_body(&answer)), (200, json!({ "value": "Ada" })));
    let answer = process.call("bad").unwrap();
    assert_eq!(answer.status, 500);
    assert!(!model::json::to_string(&json_body(&answer)).contains("on purpose"));
    let answer = process.call("waits").unwrap();
    assert_eq!(json_body(&answer), json!({ "message": "Workflow was started" }));
    process.wait_for_only("waits", RunStatus::Waiting);
}

fn listen_for_test(process: &Process, id: &str) -> Result<TestAddresses, Error> {
    process.run(process.runtime.listen_for_test(id, None, None))
}

fn find_test(process: &Process, path: &str) -> Option<Arc<TriggerEndpoint>> {
    match process.runtime.find_test(EndpointKind::Webhook, "POST", path) {
        RouteMatch::Hook(endpoint, _) => Some(endpoint),
        RouteMatch::OtherMethods(_) | RouteMatch::Nothing => None,
    }
}

#[test]
fn a_test_listener_takes_one_call_as_a_manual_run() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save("w", &[webhook("w"), after()]).unwrap();
    let listening = listen_for_test(&process, "w").unwrap();
    assert_eq!(listening.addresses[0].path, "w");
    assert!(!process.listens("POST", "w"), "the test listens for everybody");
    let endpoint = find_test(&process, "w").unwrap();
    assert!(process.runtime.take_test(&endpoint));
    assert!(!process.runtime.take_test(&endpoint), "a second call was taken");
    process.run(process.runtime.answer(&endpoint, request())).map(drop).unwrap();
    let run = process.wait_for_only("w", RunStatus::Success);
    assert_eq!(run.started.mode, "manual");
    assert!(find_test(&process, "w").is_none() && !process.runtime.end_test("w"));
}

#[test]
fn a_test_listener_expires_after_two_minutes() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save("w", &[webhook("w"), after()]).unwrap();
    listen_for_test(&process, "w").unwrap();
    folder.clock.advance(Duration::from_secs(119));
    let endpoint = find_test(&process, "w").expect("it ended too early");
    folder.clock.advance(Duration::from_secs(1));
    assert!(find_test(&process, "w").is_none());
    assert!(!process.runtime.take_test(&endpoint));
    listen_for_test(&process, "w").unwrap();
    assert!(process.runtime.end_test("w") && find_test(&process, "w").is_none());
}

#[test]
fn a_test_listener_cannot_take_an_address_that_is_in_use() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save_active("active", &[webhook("live"), after()]);
    process.save("first", &[webhook("draft"), after()]).unwrap();
    process.save("second", &[webhook("draft"), after()]).unwrap();
    process.save("third", &[webhook("live"), after()]).unwrap();
    listen_for_test(&process, "first").unwrap();
    for id in ["second", "third"] {
        assert_eq!(listen_for_test(&process, id).unwrap_err().code(), Code::WEBHOOK_TAKEN, "{id}");
    }
    listen_for_test(&process, "active").unwrap();
    process.runtime.end_test("first");
    listen_for_test(&process, "second").unwrap();
}

#[test]
fn a_replaced_test_listener_does_not_take_calls_of_the_one_before() {
    let folder = DataFolder::new();
    let process = folder.start();
    process.save("w", &[webhook("w"), after()]).unwrap();
    listen_for_test(&process, "w").unwrap();
    let before = find_test(&process, "w").unwrap();
    listen_for_test(&process, "w").unwrap();
    assert!(!process.runtime.take_test(&before));
    let now = find_test(&process, "w").unwrap();
    assert!(process.runtime.take_test(&now));
}
