//! Kill -9 at every write and sync of a run, of a recovery, of the first start, of tidying
//! up and of a claim.

use crate::support::faults::{Fault, Faults, Field};
use crate::support::request_counter::{RequestCounter, pay_workflow};
use crate::support::{Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// Every `STRIDE`th place in the short form, all of them in the long one.
fn stride(short: usize) -> usize {
    if std::env::var_os("HEDDLE_CRASHES").is_some() { 1 } else { short }
}

fn pay(server: &Server, id: u64) -> bool {
    let body = json!({ "id": id }).to_string();
    request(
        &server.address,
        "POST",
        "/webhook/pay",
        &[("content-type", "application/json")],
        body.as_bytes(),
    )
    .is_ok_and(|reply| reply.status == 200)
}

/// Kills in a row that met the activation of the workflow have deactivated it.
fn activate(server: &Server) {
    let path = "/api/v1/workflows/pay/activate";
    let _ = request(&server.address, "POST", path, &[("x-n8n-api-key", server.key())], b"");
}

fn all_over(server: &Server) {
    wait_until("every run is over", || {
        let running = server.api("GET", "/executions?status=running&limit=1", None).json();
        running["data"].as_array().is_some_and(Vec::is_empty)
    });
}

/// The executions of each call by what became of them.
fn statuses(server: &Server) -> HashMap<u64, Vec<String>> {
    let mut found: HashMap<u64, Vec<String>> = HashMap::new();
    for execution in server.executions() {
        let item = &execution["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0];
        let id = item["json"]["body"]["id"].as_u64().unwrap_or(u64::MAX);
        found
            .entry(id)
            .or_default()
            .push(execution["status"].as_str().unwrap_or_default().to_owned());
    }
    found
}

/// Each accepted call happened once or is uncertain; the others at most once. Gives back how many
/// are uncertain.
fn check(server: &Server, counter: &RequestCounter, accepted: &[u64], n_calls: u64) -> usize {
    let found = statuses(server);
    let mut uncertain = 0;
    for id in accepted {
        let statuses =
            found.get(id).unwrap_or_else(|| panic!("call {id} was accepted and is gone"));
        assert_eq!(statuses.len(), 1, "call {id} has {statuses:?}");
        match statuses[0].as_str() {
            "success" => assert_eq!(
                (counter.count("one", *id), counter.count("two", *id)),
                (1, 1),
                "call {id}"
            ),
            "uncertain" => uncertain += 1,
            other => panic!("call {id} is {other}"),
        }
    }
    for id in 0..n_calls {
        assert!(
            counter.count("one", id) <= 1 && counter.count("two", id) <= 1,
            "call {id} was paid twice"
        );
    }
    uncertain
}

/// At every journal write and sync, whole and torn, counted from the start of the process:
/// the recovery of the run that the last kill cut off is killed as well, often several times in a
/// row.
#[test]
fn killed_at_any_write_or_sync_of_start_recovery_and_run_a_call_happens_once_or_is_uncertain() {
    let (data, counter) = (TempFolder::new("fail-points"), RequestCounter::start());
    let file = data.write_json("pay", &pay_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let faults = Faults::new(&data);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let server = faults.start(&settings);
    assert!(pay(&server, 0));
    all_over(&server);
    let n_places = faults.get(Field::Count);
    server.kill();
    let (mut accepted, mut id, mut kills, mut at_start) = (vec![0], 1, 0, 0);
    for fault in [Fault::Kill, Fault::KillHalfWay] {
        let first = if fault == Fault::Kill { 1 } else { 2 };
        for nth in (first..=n_places).step_by(stride(3)) {
            faults.arm(fault, nth);
            match faults.try_start(&settings) {
                Ok(mut server) => {
                    // Two calls, so that the second one is under way when the first is being
                    // written.
                    for _ in 0..2 {
                        if pay(&server, id) {
                            accepted.push(id);
                        }
                        id += 1;
                    }
                    while faults.get(Field::Count) < faults.get(Field::At)
                        && server.process.try_wait().unwrap().is_none()
                    {
                        match pay(&server, id) {
                            true => accepted.push(id),
                            false => activate(&server),
                        }
                        id += 1;
                    }
                    server.wait();
                }
                Err(_) => at_start += 1,
            }
            kills += 1;
        }
    }
    faults.clear();
    let server = faults.start(&settings);
    all_over(&server);
    // Runs that two kills in a row met before they had recorded anything wait for a person.
    let quarantined = server.resume_quarantined();
    let uncertain = check(&server, &counter, &accepted, id);
    server.stop();
    eprintln!(
        "{kills} kills at {n_places} places ({at_start} before listening): {id} calls, {} accepted, {uncertain} uncertain, {quarantined} quarantined",
        accepted.len()
    );
}

/// The first start makes the database. Killed anywhere in it, the next one finds nothing
/// half done.
#[test]
fn a_first_start_that_is_killed_anywhere_is_done_again() {
    let mut kills = 0;
    for nth in (1..).step_by(stride(9)) {
        let data = TempFolder::new("migration");
        let faults = Faults::new(&data);
        faults.arm(Fault::Kill, nth as i64);
        // A key would be made before; this server needs none until it is up.
        let started = faults.try_start_with_key(&[("HEDDLE_LOG", "off")], "");
        if started.is_ok() {
            break;
        }
        kills += 1;
        faults.clear();
        let server = Server::start(&data.0, &[("HEDDLE_LOG", "off")]);
        assert_eq!(server.api("GET", "/workflows", None).status, 200);
        server.stop();
        let doctor = heddle(&data.0, &["doctor"]);
        assert!(!doctor.contains("damaged"), "{doctor}");
    }
    assert!(kills >= 2, "{kills} kills");
    eprintln!("{kills} kills during the first start");
}

/// Old executions are removed and the file is made shorter; killed anywhere in it, nothing
/// that stays is touched.
#[test]
fn tidying_up_that_is_killed_leaves_everything_that_stays() {
    let (data, counter) = (TempFolder::new("vacuum"), RequestCounter::start());
    let file = data.write_json("pay", &pay_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let faults = Faults::new(&data);
    let settings = [
        ("HEDDLE_EGRESS_ALLOW", counter.address.as_str()),
        ("HEDDLE_LOG", "off"),
        ("HEDDLE_KEEP_COUNT", "5"),
    ];
    let (mut kills, mut id, mut later) = (0, 0, 0);
    for nth in (1..=60).step_by(stride(7)) {
        let mut server = faults.start(&settings);
        for _ in 0..10 {
            assert!(pay(&server, id));
            id += 1;
        }
        all_over(&server);
        faults.arm(Fault::Kill, nth);
        // It begins a minute after the start.
        later += 61_000;
        faults.set(Field::LaterMs, later);
        let list = |server: &Server| {
            let headers = [("x-n8n-api-key", server.key())];
            let reply =
                request(&server.address, "GET", "/api/v1/executions?limit=250", &headers, b"")
                    .ok()?;
            reply.json()["data"].as_array().map(Vec::len)
        };
        wait_until("old executions are gone", || list(&server).is_none_or(|count| count <= 5));
        if list(&server).is_none() {
            server.wait();
            kills += 1;
        }
        faults.clear();
        drop(server);
        let server = faults.start(&settings);
        let found = statuses(&server);
        for kept in id - 5..id {
            assert_eq!(
                found.get(&kept).map(Vec::as_slice),
                Some(&["success".to_owned()][..]),
                "call {kept}"
            );
        }
        server.stop();
    }
    assert!(kills > 0);
    eprintln!("{kills} kills while tidying up");
}

/// A trigger by the clock is claimed, its run begins, its next moment is written. Killed
/// anywhere in it, and started again once the claim is over, each moment has one run.
#[test]
fn a_moment_of_the_clock_is_taken_once_whenever_its_claim_is_killed() {
    let (data, counter) = (TempFolder::new("claim"), RequestCounter::start());
    let file = data.write_json("tick", &tick_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    let faults = Faults::new(&data);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let now = || {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()
            as i64
    };
    let first_hour = (now() / HOUR_MS + 1) * HOUR_MS;
    // The first start writes down when the trigger is due.
    faults.start(&settings).stop();
    let (mut hours, mut kills) = (0, 0);
    for nth in (1..=90).step_by(stride(6)) {
        let due = first_hour + hours * HOUR_MS;
        hours += 1;
        let before = counter.total();
        faults.set(Field::ClockMs, due + 500 - now());
        faults.arm(Fault::Kill, nth);
        if let Ok(mut server) = faults.try_start(&settings) {
            wait_until("it is killed, or has ticked", || {
                server.process.try_wait().unwrap().is_some() || counter.total() > before
            });
            std::thread::sleep(Duration::from_millis(100));
        }
        kills += i64::from(faults.get(Field::Count) >= faults.get(Field::At));
        faults.clear();
        faults.set(Field::ClockMs, due + 45_000 - now());
        let server = faults.start(&settings);
        let n_runs = || {
            server.api("GET", "/executions?limit=250", None).json()["data"]
                .as_array()
                .unwrap()
                .len() as i64
        };
        wait_until("the moment is taken", || n_runs() >= hours);
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(n_runs(), hours, "killed at write {nth}");
        server.kill();
    }
    for (path, count) in counter.all() {
        assert_eq!(count, 1, "{path}");
    }
    assert!(kills > 5, "{kills} kills");
    eprintln!(
        "{kills} kills around a claim, {hours} moments, {} ticks, none twice",
        counter.total()
    );
}

const HOUR_MS: i64 = 60 * 60 * 1000;

/// Every hour, under the hour that it is for.
fn tick_workflow(counter: &str) -> Value {
    let url = format!("=http://{counter}/tick/{{{{ $json.timestamp.slice(0, 13) }}}}");
    let nodes = json!([
        { "id": "1", "name": "Clock", "type": "n8n-nodes-base.scheduleTrigger", "typeVersion": 1.2, "position": [0, 0],
          "parameters": { "rule": { "interval": [{ "field": "cronExpression", "expression": "0 0 * * * *" }] } } },
        { "id": "2", "name": "Tick", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "position": [0, 0],
          "parameters": { "method": "POST", "url": url, "options": {} } },
    ]);
    let connections =
        json!({ "Clock": { "main": [[{ "node": "Tick", "type": "main", "index": 0 }]] } });
    json!({ "id": "tick", "name": "Tick", "nodes": nodes, "connections": connections, "settings": {} })
}
