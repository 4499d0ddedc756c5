//! A disk without room, or one that takes no writes.

use super::{DiskHarness, all_over, pay, prepare, statuses};
use crate::support::faults::{Fault, Field};
use crate::support::request_counter::{RequestCounter, pay_workflow};
use crate::support::{Reply, Server, TempFolder, heddle, request, wait_until};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// A small file system of its own, if this user may mount one.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        let options = format!("size={size},mode=700");
        let done = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(at)
            .output()
            .ok()?;
        done.status.success().then(|| Self(at.to_owned()))
    }

    fn grow(&self, size: &str) {
        let options = format!("remount,size={size}");
        assert!(
            Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap().success()
        );
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

fn assert_turned_away(reply: &Reply, code: &str) {
    assert_eq!(reply.status, 503, "{}", reply.text());
    assert!(reply.header("retry-after").is_some(), "{}", reply.headers);
    assert_eq!(reply.json()["code"], code);
}

/// A real file system runs out of room under load and gets some back.
#[test]
fn on_a_disk_that_fills_up_calls_are_turned_away_and_the_accepted_ones_go_on_when_there_is_room() {
    let (data, counter) = (TempFolder::new("small"), RequestCounter::start());
    let Some(disk) = SmallDisk::mount(&data.0, "3m") else {
        // The other tests have a full disk from the fault library.
        testkit::not_run("this user may not mount a small file system");
        return;
    };
    prepare(&data, &counter);
    let server =
        Server::start(&data.0, &[("HEDDLE_EGRESS_ALLOW", &counter.address), ("HEDDLE_LOG", "off")]);
    let filler = "x".repeat(60_000);
    let (mut accepted, mut turned_away) = (Vec::new(), Vec::new());
    for id in 0..400 {
        let reply = pay(&server.address, id, &filler).unwrap();
        match reply.status {
            200 => accepted.push(id),
            _ => {
                assert_turned_away(&reply, "STORE_FULL");
                turned_away.push(id);
            }
        }
        if turned_away.len() >= 10 {
            break;
        }
    }
    assert!(
        accepted.len() > 5 && turned_away.len() >= 10,
        "{} accepted, {} turned away",
        accepted.len(),
        turned_away.len()
    );
    // What needs no write is answered as ever.
    assert_eq!(server.call("GET", "/healthz", None).status, 200);
    assert_eq!(server.api("GET", "/executions?limit=5", None).status, 200);
    assert_eq!(server.api("GET", "/workflows", None).status, 200);
    disk.grow("64m");
    wait_until("it is ready again", || {
        server.call("GET", "/healthz/readiness", None).status == 200
    });
    all_over(&server);
    assert_eq!(pay(&server.address, 1000, &filler).unwrap().status, 200);
    all_over(&server);
    for id in accepted.iter().chain([&1000]) {
        assert_eq!((counter.count("one", *id), counter.count("two", *id)), (1, 1), "call {id}");
        assert_eq!(statuses(&server, *id), ["success"]);
    }
    for id in &turned_away {
        assert_eq!(
            (counter.count("one", *id), counter.count("two", *id)),
            (0, 0),
            "call {id} was turned away and happened"
        );
    }
    eprintln!("a disk of 3 MB: {} accepted, {} turned away", accepted.len(), turned_away.len());
    server.stop();
}

/// Full at each write of a run, from its acceptance to its end; likewise read-only and
/// broken.
#[test]
fn a_disk_that_refuses_any_write_of_a_run_loses_and_repeats_nothing() {
    let scene = DiskHarness::new("each-write");
    let server = scene.start();
    assert_eq!(pay(&server.address, 0, "").unwrap().status, 200);
    all_over(&server);
    let before = scene.faults.get(Field::Count);
    assert_eq!(pay(&server.address, 1, "").unwrap().status, 200);
    all_over(&server);
    let n_writes = scene.faults.get(Field::Count) - before;
    assert!(n_writes > 5, "{n_writes} writes");
    let (mut id, mut turned_away, mut stood_still) = (2, 0, 0);
    for fault in [Fault::Full, Fault::ReadOnly, Fault::Broken] {
        let step = if fault == Fault::Full { 1 } else { 7 };
        for nth in (1..=n_writes).step_by(step) {
            scene.faults.arm(fault, nth);
            let reply = pay(&server.address, id, "").unwrap();
            if reply.status == 200 {
                wait_until("the disk fails", || {
                    scene.faults.refused() > 0 || scene.paid(id) == (1, 1)
                });
            }
            // What needs no write works meanwhile.
            assert_eq!(server.api("GET", "/executions?limit=1", None).status, 200);
            if scene.faults.refused() > 0 {
                let what = format!("{fault:?} at write {nth} is told");
                wait_until(&what, || server.call("GET", "/healthz/readiness", None).status == 503);
            }
            scene.faults.clear();
            if reply.status == 200 {
                stood_still += 1;
                wait_until("the run is over", || statuses(&server, id) == ["success"]);
                assert_eq!(scene.paid(id), (1, 1), "{fault:?} at write {nth}");
            } else {
                turned_away += 1;
                assert_turned_away(
                    &reply,
                    if fault == Fault::Full { "STORE_FULL" } else { "STORE_UNWRITABLE" },
                );
                std::thread::sleep(Duration::from_millis(50));
                assert_eq!(
                    scene.paid(id),
                    (0, 0),
                    "{fault:?} at write {nth}: it was turned away and happened"
                );
            }
            id += 1;
        }
    }
    assert!(
        turned_away > 0 && stood_still > 0,
        "{turned_away} turned away, {stood_still} stood still"
    );
    eprintln!(
        "{n_writes} writes a run: {turned_away} calls turned away, {stood_still} stood still or passed"
    );
    server.stop();
}

/// A server that starts on a full disk serves what it can, and goes on when there is room.
#[test]
fn a_server_starts_on_a_full_disk_and_takes_up_what_was_interrupted_when_there_is_room() {
    let scene = DiskHarness::new("full-start");
    let server = scene.start();
    assert_eq!(pay(&server.address, 0, "").unwrap().status, 200);
    all_over(&server);
    // A run that is cut off in the middle.
    scene.faults.arm(Fault::Full, 20);
    let reply = pay(&server.address, 1, "").unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
    wait_until("the disk fails", || scene.faults.refused() > 0);
    server.kill();
    scene.faults.arm(Fault::Full, 0);
    let server = scene.start();
    assert_turned_away(&pay(&server.address, 2, "").unwrap(), "STORE_FULL");
    assert_eq!(server.api("GET", "/executions", None).status, 200);
    scene.faults.clear();
    all_over(&server);
    let status = statuses(&server, 1);
    match status[0].as_str() {
        "success" => assert_eq!(scene.paid(1), (1, 1)),
        "uncertain" => assert!(scene.paid(1).0 <= 1 && scene.paid(1).1 <= 1),
        other => panic!("{other}"),
    }
    assert_eq!(scene.paid(2), (0, 0));
    wait_until("calls are taken again", || pay(&server.address, 3, "").unwrap().status == 200);
    server.stop();
    assert!(scene.data.0.join("heddle.db").exists());
}

/// Callers who wait for the end of a run are told at once as well, whether its steps reach
/// outside or not; nothing of it happens later.
#[test]
fn a_caller_who_waits_for_the_answer_of_a_run_that_cannot_begin_is_turned_away() {
    let scene = DiskHarness::new("waiting-caller");
    let mut paying = pay_workflow(&scene.counter.address);
    paying["id"] = json!("paying");
    paying["nodes"][0]["parameters"] = json!({ "httpMethod": "POST", "path": "paying", "responseMode": "lastNode", "options": {} });
    let pure = json!({ "id": "pure", "name": "Pure", "settings": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
          "parameters": { "httpMethod": "POST", "path": "pure", "responseMode": "lastNode", "options": {} } },
        { "id": "2", "name": "Note", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "position": [0, 0], "parameters": { "options": {} } },
    ], "connections": { "Webhook": { "main": [[{ "node": "Note", "type": "main", "index": 0 }]] } } });
    for (name, document) in [("paying", &paying), ("pure", &pure)] {
        let file = scene.data.write_json(name, document);
        heddle(&scene.data.0, &["import", "--activate", file.to_str().unwrap()]);
    }
    let server = scene.start();
    for path in ["/webhook/paying", "/webhook/pure"] {
        scene.faults.arm(Fault::Full, 1);
        let reply = server.call("POST", path, Some(&json!({ "id": 7 })));
        assert_turned_away(&reply, "STORE_FULL");
        scene.faults.clear();
        assert_eq!(server.call("POST", path, Some(&json!({ "id": 8 }))).status, 200, "{path}");
    }
    all_over(&server);
    assert_eq!((scene.paid(7), scene.paid(8)), ((0, 0), (1, 1)));
    assert_eq!(server.executions().len(), 2, "only what was accepted left something");
    server.stop();
}

/// A file that came with a call is written before the run is, and goes again if the run is
/// turned away.
#[test]
fn a_call_that_is_turned_away_leaves_no_file_behind() {
    let scene = DiskHarness::new("no-file-left");
    let upload = json!({ "id": "upload", "name": "Upload", "settings": {}, "connections": {}, "nodes": [
        { "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
          "parameters": { "httpMethod": "POST", "path": "upload", "options": { "rawBody": true } } },
    ] });
    let file = scene.data.write_json("upload", &upload);
    heddle(&scene.data.0, &["import", "--activate", file.to_str().unwrap()]);
    let server = scene.start();
    let send = || {
        request(
            &server.address,
            "POST",
            "/webhook/upload",
            &[("content-type", "image/png")],
            &[7; 40_000],
        )
        .unwrap()
    };
    let folders = || std::fs::read_dir(scene.data.0.join("binary")).map_or(0, Iterator::count);
    assert_eq!(send().status, 200);
    let (mut accepted, mut turned_away) = (1, 0);
    for nth in 1..=8 {
        scene.faults.arm(Fault::Full, nth);
        let reply = send();
        scene.faults.clear();
        match reply.status {
            200 => accepted += 1,
            _ => {
                assert_turned_away(&reply, "STORE_FULL");
                turned_away += 1;
            }
        }
        all_over(&server);
        assert_eq!(folders(), accepted, "full at write {nth}");
    }
    assert!(turned_away > 1, "{turned_away} turned away, {accepted} accepted");
    server.stop();
}
