//! Kill -9 at random times under load.

use crate::support::request_counter::{RequestCounter, pay_workflow};
use crate::support::{Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Sends calls as fast as they are answered, to whatever server there is, and writes down which
/// were accepted.
fn load(
    address: Arc<Mutex<String>>,
    next: Arc<AtomicU64>,
    accepted: Arc<Mutex<Vec<u64>>>,
    stop: Arc<AtomicBool>,
) {
    while !stop.load(Ordering::Relaxed) {
        let id = next.fetch_add(1, Ordering::Relaxed);
        let server = address.lock().unwrap().clone();
        let body = json!({ "id": id }).to_string();
        match request(
            &server,
            "POST",
            "/webhook/pay",
            &[("content-type", "application/json")],
            body.as_bytes(),
        ) {
            Ok(reply) if reply.status == 200 => accepted.lock().unwrap().push(id),
            // Turned away, or cut off before the answer: nothing was promised.
            Ok(_) | Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

#[test]
fn what_was_accepted_survives_kill_9_and_nothing_happens_twice_silently() {
    let crashes: u64 =
        std::env::var("HEDDLE_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(8);
    let counter = RequestCounter::start();
    let data = TempFolder::new("crash");
    let file = data.write_json("pay", &pay_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];

    let address = Arc::new(Mutex::new(String::new()));
    let (next, accepted, stop) = (
        Arc::new(AtomicU64::new(0)),
        Arc::<Mutex<Vec<u64>>>::default(),
        Arc::new(AtomicBool::new(false)),
    );
    let mut server = Server::start(&data.0, &settings);
    *address.lock().unwrap() = server.address.clone();
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (address, next, accepted, stop) =
                (address.clone(), next.clone(), Arc::clone(&accepted), stop.clone());
            std::thread::spawn(move || load(address, next, accepted, stop))
        })
        .collect();
    let mut moment = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..crashes {
        moment =
            moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(20 + (moment >> 33) % 300));
        server.kill();
        server = Server::start(&data.0, &settings);
        *address.lock().unwrap() = server.address.clone();
    }
    wait_until("calls are accepted", || accepted.lock().unwrap().len() > 20);
    stop.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.join().unwrap();
    }
    wait_until("every run is over", || {
        let running = server.api("GET", "/executions?status=running&limit=1", None).json();
        running["data"].as_array().is_some_and(Vec::is_empty)
    });

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
    let accepted: Vec<u64> = accepted.lock().unwrap().clone();
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
    for id in 0..next.load(Ordering::Relaxed) {
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
