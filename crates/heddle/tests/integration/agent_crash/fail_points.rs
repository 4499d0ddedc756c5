//! Kills at every write and sync of an agent's run: before a result is recorded, between its parts,
//! and right after.

use super::harness::AgentCrashHarness;
use crate::support::faults::{Fault, Faults, Field};
use crate::support::wait_until;

/// Every so many places in the short form, all of them in the long one.
const STRIDE: usize = 9;

#[test]
fn killed_at_any_write_between_a_result_and_its_record_an_agent_repeats_nothing() {
    let scene = AgentCrashHarness::new("agent-writes");
    let faults = Faults::new(&scene.data);
    let server = faults.start(&scene.settings());
    let before = faults.get(Field::Count);
    assert!(scene.call(&server.address, 0));
    scene.all_over(&server);
    let n_places = faults.get(Field::Count) - before;
    server.kill();
    let stride = if std::env::var_os("HEDDLE_AGENT_CRASHES").is_some() { 1 } else { STRIDE };
    let (mut accepted, mut id, mut kills) = (vec![0], 0, 0);
    for fault in [Fault::Kill, Fault::KillHalfWay] {
        for nth in (1..=n_places).step_by(stride) {
            id += 1;
            // The runs that earlier kills have left are over before the places of this one are
            // counted.
            let mut server = faults.start(&scene.settings());
            scene.all_over(&server);
            faults.arm(fault, nth);
            if scene.call(&server.address, id) {
                accepted.push(id);
            }
            wait_until("it is killed, or the run is over", || {
                let reply = crate::support::request(
                    &server.address,
                    "GET",
                    "/api/v1/executions?status=running&limit=1",
                    &[("x-n8n-api-key", server.key())],
                    b"",
                );
                server.process.try_wait().unwrap().is_some()
                    || reply.is_ok_and(|reply| {
                        reply.status == 200
                            && reply.json()["data"].as_array().is_some_and(Vec::is_empty)
                    })
            });
            kills += i64::from(server.process.try_wait().unwrap().is_some());
            faults.clear();
            drop(server);
            scene.take_down();
        }
    }
    let server = faults.start(&scene.settings());
    let tally = scene.check(&server, &accepted, id + 1);
    assert!(kills > 3 && tally.recorded > 0, "{kills} kills, {tally:?}");
    server.stop();
    eprintln!(
        "{kills} kills at {n_places} places of a run, {} calls accepted: {tally:?}",
        accepted.len()
    );
}
