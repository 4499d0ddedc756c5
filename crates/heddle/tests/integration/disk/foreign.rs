//! Other programs at the database.

use super::{DiskHarness, all_over, pay, statuses};
use crate::support::wait_until;
use rusqlite::Connection;
use std::time::Duration;

/// SQLITE_BUSY. Somebody holds the database for longer than a write waits.
#[test]
fn a_foreign_writer_that_does_not_let_go_turns_calls_away_and_stops_no_run_for_good() {
    let scene = DiskHarness::new("foreign-writer");
    let server = scene.start();
    assert_eq!(pay(&server.address, 0, "").unwrap().status, 200);
    all_over(&server);
    let foreign = Connection::open(scene.data.0.join("heddle.db")).unwrap();
    foreign.execute_batch("BEGIN IMMEDIATE").unwrap();
    let address = server.address.clone();
    let reply = std::thread::spawn(move || pay(&address, 1, "").unwrap());
    assert_eq!(server.api("GET", "/executions?limit=1", None).status, 200, "reading goes on");
    let reply = reply.join().unwrap();
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (503, Some("STORE_BUSY")),
        "{}",
        reply.text()
    );
    assert!(reply.header("retry-after").is_some());
    foreign.execute_batch("COMMIT").unwrap();
    wait_until("calls are taken again", || pay(&server.address, 2, "").unwrap().status == 200);
    all_over(&server);
    assert_eq!((scene.paid(1), statuses(&server, 2).len()), ((0, 0), 1));
    server.stop();
}

/// A foreign reader that stays. Calls are taken as ever, and the log is short again when it
/// has gone.
#[test]
fn a_foreign_reader_that_stays_stops_nobody_and_the_log_is_short_again_when_it_goes() {
    let scene = DiskHarness::new("foreign-reader");
    let server = scene.start();
    assert_eq!(pay(&server.address, 0, "").unwrap().status, 200);
    let foreign = Connection::open(scene.data.0.join("heddle.db")).unwrap();
    foreign.execute_batch("BEGIN").unwrap();
    let seen: i64 =
        foreign.query_row("SELECT count(*) FROM executions", [], |row| row.get(0)).unwrap();
    let log =
        || std::fs::metadata(scene.data.0.join("heddle.db-wal")).map_or(0, |found| found.len());
    let filler = "x".repeat(2_000_000);
    let mut id = 1;
    while log() < 70 << 20 {
        assert_eq!(pay(&server.address, id, &filler).unwrap().status, 200);
        id += 1;
        assert!(id < 200, "{} bytes", log());
    }
    all_over(&server);
    assert_eq!(
        foreign
            .query_row("SELECT count(*) FROM executions", [], |row| row.get::<_, i64>(0))
            .unwrap(),
        seen
    );
    drop(foreign);
    wait_until("the log is short", || {
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(pay(&server.address, id, "").unwrap().status, 200);
        id += 1;
        log() <= 64 << 20
    });
    all_over(&server);
    for paid in 1..id {
        assert_eq!(scene.paid(paid), (1, 1), "call {paid}");
    }
    server.stop();
}

/// An error that is no trouble of the disk: the end of a run is not written although that was tried
/// for long. Nobody has to start the server again for it to go on from what is there, as after a
/// crash.
#[test]
fn issue_15_11_a_run_whose_end_was_not_written_goes_on_once_it_can() {
    let scene = DiskHarness::new("unwritten-end");
    let server = scene.start();
    scene.counter.hold(Some("/two/1".to_owned()));
    assert_eq!(pay(&server.address, 1, "").unwrap().status, 200);
    wait_until("it is at its last step", || scene.paid(1) == (1, 1));
    let foreign = Connection::open(scene.data.0.join("heddle.db")).unwrap();
    foreign.execute_batch("ALTER TABLE journal RENAME TO journal_away").unwrap();
    scene.counter.hold(None);
    wait_until("the end is given up", || {
        server.metrics().contains("\nheddle_executions_running 0\n")
    });
    let status = || {
        foreign
            .query_row("SELECT status FROM executions", [], |row| row.get::<_, String>(0))
            .unwrap()
    };
    assert_eq!(status(), "running");
    foreign.execute_batch("ALTER TABLE journal_away RENAME TO journal").unwrap();
    wait_until("it stops where nobody knows whether the step was done", || status() == "uncertain");
    assert_eq!(scene.paid(1), (1, 1));
    server.stop();
}
