//! Kill -9 under load, with steps that say how they may be repeated: nobody has to decide.

use super::storm::{Storm, n_crashes, storm};
use crate::support::ledger::{Ledger, ledger_workflow};
use crate::support::{Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};

const KEYED: &str = "Idempotency-Key";

fn import(data: &TempFolder, document: &Value) {
    let file = data.write_json("pay", document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
}

fn settings(ledger: &Ledger) -> [(&str, &str); 3] {
    [
        ("HEDDLE_EGRESS_ALLOW", ledger.address.as_str()),
        ("HEDDLE_LOG", "off"),
        ("HEDDLE_KEEP_COUNT", "1000000"),
    ]
}

/// How often each accepted call was paid, once nobody has to decide any more. Runs that two kills in a
/// row met before they had recorded anything are resumed first, as a person would.
fn check(ledger: &Ledger, storm: &Storm, what: &str) {
    let quarantined = storm.server.resume_quarantined();
    let uncertain = storm.server.executions_with("&status=uncertain").len();
    let failed = storm.server.executions_with("&status=error").len();
    let lost = storm.accepted.iter().filter(|id| ledger.paid(**id) == 0).count();
    let repeated = (0..storm.sent).filter(|id| ledger.paid(*id) > 1).count();
    let sent_again = (0..storm.sent).filter(|id| ledger.requests(*id) > 1).count();
    eprintln!(
        "{what}: {} accepted, {lost} lost, {repeated} repeated, {uncertain} uncertain; {sent_again} sent again, {quarantined} quarantined, {} checks",
        storm.accepted.len(),
        ledger.checks()
    );
    assert_eq!((lost, uncertain, failed), (0, 0, 0), "{what}");
}

#[test]
fn with_idempotency_keys_kills_lose_repeat_and_doubt_nothing() {
    let (data, ledger) = (TempFolder::new("keyed-storm"), Ledger::start());
    import(
        &data,
        &ledger_workflow(&ledger.address, &json!({ "idempotencyKeyHeader": KEYED }), None),
    );
    let storm = storm(&data, &settings(&ledger), n_crashes());
    check(&ledger, &storm, "idempotency keys");
    for id in 0..storm.sent {
        assert!(ledger.paid(id) <= 1, "call {id} was paid twice");
    }
    storm.server.stop();
}

#[test]
fn steps_that_are_safe_to_repeat_lose_and_doubt_nothing() {
    let (data, ledger) = (TempFolder::new("safe-storm"), Ledger::start());
    import(&data, &ledger_workflow(&ledger.address, &json!({}), Some(true)));
    let storm = storm(&data, &settings(&ledger), n_crashes());
    check(&ledger, &storm, "safe to repeat");
    storm.server.stop();
}

#[test]
fn with_a_check_request_kills_lose_repeat_and_doubt_nothing() {
    let (data, ledger) = (TempFolder::new("check-storm"), Ledger::start());
    let url = format!("=http://{}/paid/{{{{ $json.body.id }}}}", ledger.address);
    let options = json!({ "recoveryCheck": { "check": { "url": url, "delay": 1 } } });
    import(&data, &ledger_workflow(&ledger.address, &options, None));
    let storm = storm(&data, &settings(&ledger), n_crashes());
    check(&ledger, &storm, "check requests");
    for id in 0..storm.sent {
        assert!(ledger.paid(id) <= 1, "call {id} was paid twice");
    }
    storm.server.stop();
}

fn pay(server: &Server, id: u64) {
    let (body, headers) = (json!({ "id": id }).to_string(), [("content-type", "application/json")]);
    let reply = request(&server.address, "POST", "/webhook/pay", &headers, body.as_bytes());
    assert_eq!(reply.unwrap().status, 200);
}

fn status_of(server: &Server, id: &str) -> String {
    let found = server.api("GET", &format!("/executions/{id}"), None).json();
    found["status"].as_str().unwrap().to_owned()
}

/// Kills the server while one payment is made and not answered.
fn cut_off(data: &TempFolder, ledger: &Ledger, id: u64) {
    let server = Server::start(&data.0, &settings(ledger));
    ledger.hold(true);
    pay(&server, id);
    wait_until("it is paid", || ledger.paid(id) == 1);
    server.kill();
    ledger.hold(false);
}

fn check_options(ledger: &Ledger, key: bool) -> Value {
    let asked = if key { "$idempotencyKey" } else { "$json.body.id" };
    let url = format!("=http://{}/paid/{{{{ {asked} }}}}", ledger.address);
    let mut options = json!({ "recoveryCheck": { "check": { "url": url, "delay": 0 } } });
    if key {
        options["idempotencyKeyHeader"] = json!(KEYED);
    }
    options
}

#[test]
fn what_a_check_finds_becomes_the_output_of_the_step() {
    let (data, ledger) = (TempFolder::new("check-found"), Ledger::start());
    import(&data, &ledger_workflow(&ledger.address, &check_options(&ledger, true), None));
    cut_off(&data, &ledger, 7);
    let server = Server::start(&data.0, &settings(&ledger));
    wait_until("it is over", || status_of(&server, "1") == "success");
    assert_eq!((ledger.requests(7), ledger.paid(7), ledger.checks()), (1, 1, 1));
    let shown = server.api("GET", "/executions/1?includeData=true", None).json();
    let step = &shown["data"]["resultData"]["runData"]["Pay"][0];
    assert_eq!(step["data"]["main"][0][0]["json"], json!({ "paid": 7, "found": true }));
    let hint = step["hints"][0]["message"].as_str().unwrap();
    assert!(hint.contains("1 of 1 requests had taken effect"), "{hint}");
    server.stop();
}

#[test]
fn a_check_that_finds_nothing_lets_the_step_run_again() {
    let (data, ledger) = (TempFolder::new("check-nothing"), Ledger::start());
    import(&data, &ledger_workflow(&ledger.address, &check_options(&ledger, false), None));
    cut_off(&data, &ledger, 7);
    ledger.answer_checks(Some(404));
    let server = Server::start(&data.0, &settings(&ledger));
    wait_until("it is over", || status_of(&server, "1") == "success");
    assert_eq!((ledger.requests(7), ledger.checks()), (2, 1));
    server.stop();
}

#[test]
fn a_check_that_is_unclear_leaves_the_run_to_a_person_and_sends_nothing() {
    let (data, ledger) = (TempFolder::new("check-unclear"), Ledger::start());
    import(&data, &ledger_workflow(&ledger.address, &check_options(&ledger, false), None));
    cut_off(&data, &ledger, 7);
    ledger.answer_checks(Some(500));
    let server = Server::start(&data.0, &settings(&ledger));
    wait_until("nobody knows", || status_of(&server, "1") == "uncertain");
    assert_eq!((ledger.requests(7), ledger.checks()), (1, 3));
    let shown = server.api("GET", "/executions/1?includeData=true", None).json();
    let message = shown["data"]["resultData"]["error"]["message"].as_str().unwrap();
    assert!(message.contains("status 500"), "{message}");
    // Whoever decides is believed: nobody is asked again.
    let again = json!({ "decision": "again" });
    assert_eq!(server.api("POST", "/executions/1/resume", Some(&again)).status, 200);
    wait_until("it is over", || status_of(&server, "1") == "success");
    assert_eq!((ledger.requests(7), ledger.checks()), (2, 3));
    server.stop();
}

/// Services forget keys. A step that was cut off long ago is left to a person.
#[test]
fn a_key_that_the_service_may_have_forgotten_is_not_relied_on() {
    use crate::support::faults::{Faults, Field};
    let (data, ledger) = (TempFolder::new("old-key"), Ledger::start());
    import(
        &data,
        &ledger_workflow(&ledger.address, &json!({ "idempotencyKeyHeader": KEYED }), None),
    );
    let faults = Faults::new(&data);
    let server = faults.start(&settings(&ledger));
    ledger.hold(true);
    pay(&server, 7);
    wait_until("it is paid", || ledger.paid(7) == 1);
    server.kill();
    ledger.hold(false);
    faults.set(Field::ClockMs, 24 * 3_600_000);
    let server = faults.start(&settings(&ledger));
    wait_until("nobody knows", || status_of(&server, "1") == "uncertain");
    assert_eq!(ledger.requests(7), 1);
    server.stop();
}

/// The keys of two runs have nothing to do with each other, and nothing that others can see gives
/// them.
#[test]
fn every_run_has_keys_of_its_own_that_nobody_can_compute() {
    let (data, ledger) = (TempFolder::new("keys"), Ledger::start());
    import(
        &data,
        &ledger_workflow(&ledger.address, &json!({ "idempotencyKeyHeader": KEYED }), None),
    );
    let server = Server::start(&data.0, &settings(&ledger));
    for id in [1, 2, 3] {
        pay(&server, id);
        wait_until("it is over", || ledger.paid(id) == 1);
    }
    server.stop();
    let (other_data, other) = (TempFolder::new("keys-elsewhere"), Ledger::start());
    import(
        &other_data,
        &ledger_workflow(&other.address, &json!({ "idempotencyKeyHeader": KEYED }), None),
    );
    let server = Server::start(&other_data.0, &settings(&other));
    pay(&server, 1);
    wait_until("it is over", || other.paid(1) == 1);
    server.stop();
    let keys = ledger.keys();
    assert_eq!(keys.len(), 3);
    for key in keys.keys() {
        assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    }
    // The same workflow, execution, node and item on another instance.
    assert!(other.keys().keys().all(|key| !keys.contains_key(key)));
}
