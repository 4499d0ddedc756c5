//! A disk that does not confirm what was written.

use super::{DiskHarness, all_over, pay, statuses};
use crate::support::faults::{Fault, Field};
use crate::support::wait_until;
use std::os::unix::process::ExitStatusExt as _;

const ABORTED: Option<i32> = Some(6);

/// Whichever sync of a run fails, the process ends without another try; the next one has
/// what was accepted.
#[test]
fn a_sync_that_fails_ends_the_process_and_nothing_accepted_is_lost() {
    let scene = DiskHarness::new("sync");
    let mut uncertain = 0;
    let mut n_syncs = 4;
    let mut id = 0;
    while id < n_syncs {
        let mut server = scene.start();
        if id == 0 {
            let before = scene.faults.get(Field::Syncs);
            assert_eq!(pay(&server.address, 1000, "").unwrap().status, 200);
            all_over(&server);
            n_syncs = (scene.faults.get(Field::Syncs) - before).unsigned_abs();
            assert!(n_syncs >= 3, "{n_syncs} syncs");
        }
        let nth_write = id as i64 * (scene_writes(&scene, &server) / n_syncs as i64);
        scene.faults.arm(Fault::SyncFails, nth_write + 1);
        let accepted = pay(&server.address, id, "").is_ok_and(|reply| reply.status == 200);
        // How writes share a commit differs from run to run; a further call meets the sync if this
        // one had too few.
        wait_until("a sync fails", || {
            scene.faults.refused() > 0 || pay(&server.address, 5000 + id, "").is_err()
        });
        assert_eq!(server.wait().signal(), ABORTED, "sync {id}");
        assert_eq!(scene.faults.refused(), 1, "it was tried again");
        let server = scene.start();
        all_over(&server);
        match statuses(&server, id).first().map(String::as_str) {
            Some("success") => assert_eq!(scene.paid(id), (1, 1)),
            Some("uncertain") => {
                uncertain += 1;
                assert!(scene.paid(id).0 <= 1 && scene.paid(id).1 <= 1);
            }
            None => assert!(!accepted, "call {id} was accepted and is gone"),
            Some(other) => panic!("call {id} is {other}"),
        }
        server.stop();
        id += 1;
    }
    eprintln!("{n_syncs} failed syncs, {uncertain} runs uncertain");
}

/// How many calls that change the folder a run makes.
fn scene_writes(scene: &DiskHarness, server: &super::Server) -> i64 {
    let before = scene.faults.get(Field::Count);
    let id = 2000 + before.unsigned_abs();
    assert_eq!(pay(&server.address, id, "").unwrap().status, 200);
    wait_until("the run is over", || statuses(server, id) == ["success"]);
    scene.faults.get(Field::Count) - before
}

/// The sync of the database itself, when its log is moved into it. SQLite alone would go on
/// and forget the log later.
#[test]
fn a_sync_of_the_database_that_fails_while_the_log_is_moved_ends_the_process_too() {
    let scene = DiskHarness::new("checkpoint-sync");
    let mut server = scene.start();
    scene.faults.set(Field::OnlyDatabase, 1);
    scene.faults.arm(Fault::SyncFails, 1);
    let filler = "x".repeat(1_000_000);
    let mut accepted = Vec::new();
    for id in 0..40 {
        match pay(&server.address, id, &filler) {
            Ok(reply) if reply.status == 200 => accepted.push(id),
            _ => break,
        }
    }
    assert_eq!(server.wait().signal(), ABORTED);
    assert!((2..39).contains(&accepted.len()), "{}", accepted.len());
    let server = scene.start();
    all_over(&server);
    for id in &accepted {
        assert!(matches!(statuses(&server, *id)[0].as_str(), "success" | "uncertain"), "call {id}");
        assert!(scene.paid(*id).0 <= 1 && scene.paid(*id).1 <= 1);
    }
    server.stop();
}
