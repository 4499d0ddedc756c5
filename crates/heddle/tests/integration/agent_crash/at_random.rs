//! Kills at random times while several agents are at work.

use super::harness::AgentCrashHarness;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How often a server is killed unless `HEDDLE_AGENT_CRASHES` says otherwise.
const KILLS: u64 = 6;

/// Calls under way at the same time.
const CALLERS: usize = 3;

#[test]
fn agents_that_are_killed_at_random_repeat_no_recorded_call_and_lose_none() {
    let kills: u64 =
        std::env::var("HEDDLE_AGENT_CRASHES").ok().map_or(KILLS, |text| text.parse().unwrap());
    let scene = AgentCrashHarness::new("agent-random");
    let mut server = scene.start();
    let address = Mutex::new(server.address.clone());
    let (next, stop, accepted) =
        (AtomicU64::new(0), AtomicBool::new(false), Mutex::new(Vec::new()));
    // How long a run takes here, so that the moments of the kills are spread over it on any
    // machine.
    let began = Instant::now();
    assert!(scene.call(&server.address, next.fetch_add(1, Ordering::Relaxed)));
    scene.all_over(&server);
    let one_run = began.elapsed().max(Duration::from_millis(20));
    accepted.lock().unwrap().push(0);
    let load = || {
        while !stop.load(Ordering::Relaxed) {
            let id = next.fetch_add(1, Ordering::Relaxed);
            let server = address.lock().unwrap().clone();
            match scene.call(&server, id) {
                true => accepted.lock().unwrap().push(id),
                // Turned away, or cut off before the answer: nothing was promised.
                false => std::thread::sleep(Duration::from_millis(5)),
            }
            // The call is answered before its run is over; more than a few runs at once would only
            // wait for each other.
            std::thread::sleep(one_run / 2);
        }
    };
    server = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..CALLERS).map(|_| scope.spawn(load)).collect();
        let mut moment = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..kills {
            moment = moment
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            std::thread::sleep(one_run.mul_f64((moment >> 40) as f64 / f64::from(1 << 24) * 3.0));
            scene.kill(server);
            server = scene.start();
            address.lock().unwrap().clone_from(&server.address);
        }
        stop.store(true, Ordering::Relaxed);
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        server
    });
    let (accepted, n_calls) = (accepted.into_inner().unwrap(), next.load(Ordering::Relaxed));
    let tally = scene.check(&server, &accepted, n_calls);
    assert!(tally.recorded > 0, "no kill met a run that had something on record");
    server.stop();
    eprintln!("{kills} kills, {n_calls} calls, {} accepted: {tally:?}", accepted.len());
}
