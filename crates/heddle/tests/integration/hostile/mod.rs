//! Callers who send the worst expressions, patterns, archives, bodies and queries there are, all at
//! once: what serves others goes on.
//!
//! `cargo xtask hostile 60` is the long form, which holds the marks; the suite runs a short one on
//! whatever machine it is. `HEDDLE_HOSTILE_ONLY` names the one attack to look at.

mod attacks;
mod limits;

use crate::support::workflow::row;
use crate::support::{Server, TempFolder, heddle, request};
use attacks::{Attack, attacks, set, webhook};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Callers of the long form, and of the short one: a debug build computes twenty times as long.
const CALLERS: usize = 50;
const FEW_CALLERS: usize = 6;

/// What the long form holds.
const HEALTH_P99: Duration = Duration::from_millis(50);
const HONEST_P99: Duration = Duration::from_secs(1);
const MEMORY_MB: u64 = 600;

/// What the short form holds: a debug build on a busy machine is only asked to go on.
const SHORT_P99: Duration = Duration::from_secs(20);

/// An expression for the native evaluator, one for the sandbox, and one for a call that is too
/// large to be served in passing.
const HONEST: [(&str, &str); 3] = [
    ("native", "={{ $json.body.name.toUpperCase() }}"),
    (
        "javascript",
        "={{ Object.entries($json.body).map(([key, value]) => `${key}:${value}`).join() }}",
    ),
    ("large", "={{ $json.body.name + ' ' + $json.body.text.length }}"),
];

/// The text of a large call.
const LARGE_BYTES: usize = 100_000;

#[test]
fn issue_14_06_hostile_load_holds_up_neither_health_nor_honest_callers() {
    let asked: Option<u64> =
        std::env::var("HEDDLE_HOSTILE_SECONDS").ok().and_then(|text| text.parse().ok());
    let time = Duration::from_secs(asked.unwrap_or(5));
    let data = TempFolder::new("hostile");
    let only = std::env::var("HEDDLE_HOSTILE_ONLY").ok();
    let attacks: Vec<Attack> = attacks()
        .into_iter()
        .filter(|attack| only.as_deref().is_none_or(|name| name == attack.name))
        .collect();
    for attack in &attacks {
        activate(&data, attack.name, &attack.nodes);
    }
    for (name, expression) in HONEST {
        activate(&data, name, &[webhook(name), set(expression)]);
    }
    let server = Server::start(&data.0, &[("HEDDLE_LOG", "off"), ("HEDDLE_RATE_LIMIT", "0")]);
    let (stop, sent) = (AtomicBool::new(false), AtomicU64::new(0));
    let (mut health, mut honest) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        // Each begins with another attack.
        let callers = if asked.is_some() { CALLERS } else { FEW_CALLERS };
        for caller in (0..callers).map(|caller| caller * attacks.len() / callers) {
            let (server, attacks, stop, sent) = (&server, &attacks, &stop, &sent);
            scope.spawn(move || attack_until(stop, &server.address, attacks, caller, sent));
        }
        let (server, stop) = (&server, &stop);
        let watched = scope
            .spawn(move || repeat_until(stop, Duration::from_millis(20), |_| ask_health(server)));
        let asked: Vec<_> = HONEST
            .iter()
            .map(|(name, _)| {
                scope.spawn(move || {
                    repeat_until(stop, Duration::from_millis(50), |number| {
                        ask_honestly(server, name, number)
                    })
                })
            })
            .collect();
        std::thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        health = watched.join().unwrap();
        honest = asked.into_iter().map(|one| one.join().unwrap()).collect();
    });
    let memory = server.peak_memory_mb();
    eprintln!("hostile calls: {}, peak memory: {memory} MB", sent.load(Ordering::Relaxed));
    print_latencies("health", &mut health);
    for ((name, _), times) in HONEST.iter().zip(&mut honest) {
        print_latencies(name, times);
    }
    let (health_mark, honest_mark) =
        if asked.is_some() { (HEALTH_P99, HONEST_P99) } else { (SHORT_P99, SHORT_P99) };
    assert!(p99(&health) <= health_mark, "/healthz p99 {:?}", p99(&health));
    for ((name, _), times) in HONEST.iter().zip(&honest) {
        assert!(p99(times) <= honest_mark, "{name} p99 {:?}", p99(times));
        nothing_was_lost(&server, name, times.len());
    }
    assert!(memory <= MEMORY_MB, "{memory} MB");
}

fn activate(data: &TempFolder, name: &str, nodes: &[Value]) {
    activate_document(data, name, &with_both_inputs(row(name, nodes)));
}

fn activate_document(data: &TempFolder, name: &str, document: &Value) {
    let file = data.write_json(name, document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
}

/// The same workflow with nodes that compare two lists fed with one list twice.
fn with_both_inputs(mut document: Value) -> Value {
    for outputs in document["connections"].as_object_mut().unwrap().values_mut() {
        let targets = outputs["main"][0].as_array_mut().unwrap();
        let second = targets
            .iter()
            .find(|target| matches!(target["node"].as_str(), Some("Compare" | "Merge")))
            .cloned();
        targets.extend(second.map(|mut target| {
            target["index"] = json!(1);
            target
        }));
    }
    document
}

fn attack_until(
    stop: &AtomicBool,
    address: &str,
    attacks: &[Attack],
    caller: usize,
    sent: &AtomicU64,
) {
    for attack in attacks.iter().cycle().skip(caller) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        // It may be turned away, time out or fail; all that counts is what others notice.
        let headers = [("content-type", attack.content_type)];
        let _ =
            request(address, "POST", &format!("/webhook/{}", attack.name), &headers, &attack.body);
        sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// How long each call took.
fn repeat_until(stop: &AtomicBool, pause: Duration, call: impl Fn(usize)) -> Vec<Duration> {
    let mut times = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let began = Instant::now();
        call(times.len());
        times.push(began.elapsed());
        std::thread::sleep(pause);
    }
    times
}

fn ask_health(server: &Server) {
    assert_eq!(server.call("GET", "/healthz", None).status, 200);
}

fn ask_honestly(server: &Server, name: &str, number: usize) {
    let mut body = json!({ "name": format!("ada {number}") });
    if name == "large" {
        body["text"] = json!("x".repeat(LARGE_BYTES));
    }
    let began = Instant::now();
    let headers = [("content-type", "application/json")];
    let asked = request(
        &server.address,
        "POST",
        &format!("/webhook/{name}"),
        &headers,
        body.to_string().as_bytes(),
    );
    let reply = asked.unwrap_or_else(|error| {
        panic!("{name}, call {number}: no answer within {:?}: {error}", began.elapsed())
    });
    assert_eq!(reply.status, 200, "{}", reply.text());
    let expected = match name {
        "native" => format!("ADA {number}"),
        "large" => format!("ada {number} {LARGE_BYTES}"),
        _ => format!("name:ada {number}"),
    };
    assert!(reply.text().contains(&expected), "{}", reply.text());
}

fn p99(times: &[Duration]) -> Duration {
    times.get((times.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

fn print_latencies(name: &str, times: &mut [Duration]) {
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    eprintln!(
        "{name}: {} calls, p50 {:?}, p99 {:?}, longest {:?}",
        times.len(),
        at(50),
        p99(times),
        times.last().unwrap()
    );
}

/// Every answered call of an honest caller has an execution that went well.
fn nothing_was_lost(server: &Server, name: &str, answered: usize) {
    let workflows = server.api("GET", "/workflows?limit=250", None).json();
    let id = workflows["data"]
        .as_array()
        .unwrap()
        .iter()
        .find(|workflow| workflow["name"] == name)
        .unwrap()["id"]
        .clone();
    let (mut kept, mut cursor) = (0, String::new());
    loop {
        let path = format!(
            "/executions?workflowId={}&status=success&limit=250{cursor}",
            id.as_str().unwrap()
        );
        let page = server.api("GET", &path, None).json();
        kept += page["data"].as_array().unwrap().len();
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(kept, answered, "{name}");
}
