//! Files that are not what was written.

use super::{DiskHarness, all_over, pay};
use crate::support::faults::Fault;
use crate::support::wait_until;
use rusqlite::Connection;

/// A bit flips in the journal of a finished run. The run is named, and only it is out of
/// order.
#[test]
fn a_flipped_bit_is_told_for_its_execution_and_for_no_other() {
    let scene = DiskHarness::new("flip");
    let server = scene.start();
    for id in 0..3 {
        assert_eq!(pay(&server.address, id, "").unwrap().status, 200);
        all_over(&server);
    }
    flip(&scene, 2);
    let reply = server.api("GET", "/executions/2?includeData=true", None);
    assert_eq!((reply.status, reply.json()["code"].as_str()), (500, Some("STORE_CORRUPT")));
    assert!(reply.text().contains("execution 2"), "{}", reply.text());
    // Its row is there, and so are the others with everything.
    assert_eq!(server.api("GET", "/executions/2", None).status, 200);
    assert_eq!(server.api("GET", "/executions/1?includeData=true", None).status, 200);
    assert_eq!(server.api("GET", "/executions/3?includeData=true", None).status, 200);
    let all = server.executions();
    assert_eq!(all.len(), 3, "one that is damaged does not take the list with it");
    let whole = all.iter().filter(|execution| !super::webhook_item(execution).is_null()).count();
    assert_eq!(whole, 2);
    assert_eq!(pay(&server.address, 9, "").unwrap().status, 200);
    all_over(&server);
    assert_eq!(server.api("DELETE", "/executions/2", None).status, 200);
    server.stop();
}

/// A bit flips in the journal of an interrupted run. It ends with the reason; the others go
/// on.
#[test]
fn an_interrupted_run_with_a_damaged_journal_fails_by_name_and_the_others_go_on() {
    let scene = DiskHarness::new("flip-interrupted");
    let server = scene.start();
    assert_eq!(pay(&server.address, 0, "").unwrap().status, 200);
    all_over(&server);
    // They stand still in the middle, and the process ends.
    scene.faults.arm(Fault::Full, 20);
    assert_eq!(pay(&server.address, 1, "").unwrap().status, 200);
    wait_until("the disk fails", || scene.faults.refused() > 0);
    server.kill();
    scene.faults.clear();
    let running: Vec<i64> = {
        let database = Connection::open(scene.data.0.join("heddle.db")).unwrap();
        let mut found =
            database.prepare("SELECT id FROM executions WHERE status = 'running'").unwrap();
        found.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    let [id] = running[..] else { panic!("{running:?}") };
    flip(&scene, id);
    let server = scene.start();
    assert_eq!(pay(&server.address, 2, "").unwrap().status, 200);
    all_over(&server);
    let row = server.api("GET", &format!("/executions/{id}"), None).json();
    assert_eq!(row["status"], "error", "{row}");
    assert_eq!(scene.paid(2), (1, 1));
    let database = Connection::open(scene.data.0.join("heddle.db")).unwrap();
    let reason: String = database
        .query_row("SELECT error FROM executions WHERE id = ?", [id], |row| row.get(0))
        .unwrap();
    assert!(
        reason.contains(&format!("execution {id} ")) && reason.contains("STORE_CORRUPT"),
        "{reason}"
    );
    server.stop();
}

/// The head of the database is damaged. The server refuses, says so, and writes over
/// nothing.
#[test]
fn a_damaged_head_is_refused_and_nothing_is_overwritten() {
    let scene = DiskHarness::new("head");
    scene.start().stop();
    let path = scene.data.0.join("heddle.db");
    // Nothing of it is in the log any more.
    let database = Connection::open(&path).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(database);
    let whole = std::fs::read(&path).unwrap();
    for (from, to) in [(0, 16), (16, 18), (0, 100), (100, 108)] {
        let mut damaged = whole.clone();
        damaged[from..to].iter_mut().for_each(|byte| *byte ^= 0x5a);
        std::fs::write(&path, &damaged).unwrap();
        let started = scene.faults.try_start(&scene.settings());
        let told =
            started.err().unwrap_or_else(|| panic!("bytes {from} to {to}: the server started"));
        assert!(told.contains("the database is damaged"), "bytes {from} to {to}: {told}");
        assert!(
            std::fs::read(&path).unwrap() == damaged,
            "bytes {from} to {to}: it was written to"
        );
    }
    std::fs::write(&path, &whole).unwrap();
    scene.start().stop();
}

/// Flips one bit in the newest piece of an execution's journal.
fn flip(scene: &DiskHarness, execution: i64) {
    let database = Connection::open(scene.data.0.join("heddle.db")).unwrap();
    let sql = "SELECT place, events FROM journal WHERE place >> 24 = ? ORDER BY place DESC LIMIT 1";
    let (place, mut events): (i64, Vec<u8>) =
        database.query_row(sql, [execution], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let middle = events.len() / 2;
    events[middle] ^= 1;
    let changed = database.execute(
        "UPDATE journal SET events = ?2 WHERE place = ?1",
        rusqlite::params![place, events],
    );
    assert_eq!(changed.unwrap(), 1);
}
