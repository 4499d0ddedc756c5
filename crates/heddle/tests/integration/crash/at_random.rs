//! Kill -9 at random times under load.

use super::storm::{Storm, n_crashes, storm};
use crate::support::request_counter::{RequestCounter, pay_workflow};
use crate::support::{TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::collections::HashMap;

#[test]
fn what_was_accepted_survives_kill_9_and_nothing_happens_twice_silently() {
    let crashes = n_crashes();
    let counter = RequestCounter::start();
    let data = TempFolder::new("crash");
    let file = data.write_json("pay", &pay_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];

    let Storm { server, accepted, sent } = storm(&data, &settings, crashes);

    // A run that two kills in a row met before it had recorded anything waits for a person.
    let quarantined = server.resume_quarantined();
    let mut statuses: HashMap<u64, Vec<String>> = HashMap::new();
    for execution in server.executions() {
        let item = &execution["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0];
        let id = item["json"]["body"]["id"].as_u64().unwrap_or(u64::MAX);
        statuses
            .entry(id)
            .or_default()
            .push(execution["status"].as_str().unwrap_or_default().to_owned());
    }
    let mut uncertain = 0;
    for id in &accepted {
        let found =
            statuses.get(id).unwrap_or_else(|| panic!("call {id} was accepted and is gone"));
        assert_eq!(found.len(), 1, "call {id} has {found:?}");
        match found[0].as_str() {
            "success" => assert_eq!(
                (counter.count("one", *id), counter.count("two", *id)),
                (1, 1),
                "call {id}"
            ),
            "uncertain" => uncertain += 1,
            other => panic!("call {id} is {other}"),
        }
    }
    for id in 0..sent {
        assert!(
            counter.count("one", id) <= 1 && counter.count("two", id) <= 1,
            "call {id} was paid twice"
        );
    }
    // A person may decide to take an uncertain step again.
    let doubtful = server.api("GET", "/executions?status=uncertain&limit=1", None).json();
    if let Some(id) = doubtful["data"][0]["id"].as_str() {
        let resume = |body: Option<&Value>| {
            server.api("POST", &format!("/executions/{id}/resume"), body).status
        };
        assert_eq!(resume(None), 409, "nobody has said whether it happened");
        assert_eq!(resume(Some(&json!({ "decision": "again" }))), 200);
        assert_eq!(resume(Some(&json!({ "decision": "again" }))), 409);
        wait_until("the run went on", || {
            server.api("GET", &format!("/executions/{id}"), None).json()["status"] == "success"
        });
    }
    eprintln!(
        "{crashes} crashes, {} calls accepted, {uncertain} uncertain, {quarantined} quarantined",
        accepted.len()
    );
}
