//! Calls as fast as they are answered while the server is killed again and again.

use crate::support::{Server, TempFolder, request, wait_until};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Callers at once.
const CALLERS: usize = 4;

/// What a storm leaves behind.
pub(super) struct Storm {
    pub(super) server: Server,
    /// The ids of calls that were accepted.
    pub(super) accepted: Vec<u64>,
    /// How many were sent.
    pub(super) sent: u64,
}

/// How often the server is killed.
pub(super) fn n_crashes() -> u64 {
    std::env::var("HEDDLE_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

/// Calls `/webhook/pay` with one id after the other, kills the server so many times at random
/// moments, and waits until every run is over or in doubt.
pub(super) fn storm(data: &TempFolder, settings: &[(&str, &str)], crashes: u64) -> Storm {
    let address = Arc::new(Mutex::new(String::new()));
    let (next, accepted, stop) = (
        Arc::new(AtomicU64::new(0)),
        Arc::<Mutex<Vec<u64>>>::default(),
        Arc::new(AtomicBool::new(false)),
    );
    let mut server = Server::start(&data.0, settings);
    address.lock().unwrap().clone_from(&server.address);
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (address, next, accepted, stop) =
                (address.clone(), next.clone(), Arc::clone(&accepted), stop.clone());
            std::thread::spawn(move || load(&address, &next, &accepted, &stop))
        })
        .collect();
    let mut moment = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..crashes {
        moment =
            moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis(20 + (moment >> 33) % 300));
        server.kill();
        server = Server::start(&data.0, settings);
        address.lock().unwrap().clone_from(&server.address);
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
    let accepted = accepted.lock().unwrap().clone();
    Storm { server, accepted, sent: next.load(Ordering::Relaxed) }
}

/// Sends calls as fast as they are answered, to whatever server there is, and writes down which
/// were accepted.
fn load(address: &Mutex<String>, next: &AtomicU64, accepted: &Mutex<Vec<u64>>, stop: &AtomicBool) {
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
