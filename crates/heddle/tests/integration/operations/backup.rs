//! Backups of a folder that a server works on, and restores that are killed.

use super::{errors, import, node, row, run, webhook};
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Everything that a folder says about its workflows and executions.
fn content(data: &Path) -> (Value, String) {
    let flows = serde_json::from_str(&heddle(data, &["export", "--all"])).unwrap();
    (flows, heddle(data, &["executions", "list", "--limit", "100000"]))
}

fn backup(data: &Path, file: &Path) {
    let _ = std::fs::remove_file(file);
    let done = run(data, &["backup", file.to_str().unwrap()], &[]);
    assert!(done.status.success(), "{}", errors(&done));
}

fn is_healthy(data: &Path) {
    let doctor = run(data, &["doctor"], &[("HEDDLE_PORT", "0")]);
    let text = String::from_utf8_lossy(&doctor.stdout).into_owned();
    assert!(text.contains("database: ok"), "{text}");
}

#[test]
fn a_backup_of_a_busy_server_holds_every_call_answered_before_it_and_restores_whole() {
    let folder = TempFolder::new("backup-busy");
    let (data, file, target) =
        (folder.0.join("data"), folder.0.join("busy.backup"), folder.0.join("restored"));
    import(&data, &row("Fine", &[webhook("fine"), node("Pass", "noOp", 1.0, json!({}))]));
    std::fs::create_dir_all(data.join("workspace")).unwrap();
    std::fs::write(data.join("workspace/report.csv"), "a,b\n").unwrap();
    let server = Server::start(&data, &[]);
    let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (stop, answered, address) =
                (stop.clone(), answered.clone(), server.address.clone());
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let reply = crate::support::request(
                        &address,
                        "POST",
                        "/webhook/fine",
                        &[("content-type", "application/json")],
                        b"{}",
                    )
                    .unwrap();
                    assert_eq!(reply.status, 200);
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    for round in 0..3 {
        let n_seen = answered.load(Ordering::Relaxed);
        wait_until("the server is busy", || answered.load(Ordering::Relaxed) > n_seen + 20);
        let n_before = answered.load(Ordering::Relaxed);
        backup(&data, &file);
        let target = target.join(round.to_string());
        let restored = run(&target, &["restore", file.to_str().unwrap()], &[]);
        assert!(restored.status.success(), "{}", errors(&restored));
        is_healthy(&target);
        let listed = heddle(&target, &["executions", "list", "--limit", "1000000"]);
        let n_kept = listed.lines().count();
        assert!(n_kept >= n_before, "{n_kept} of {n_before}");
        assert!(target.join("workspace/report.csv").exists());
    }
    stop.store(true, Ordering::Relaxed);
    for caller in callers {
        caller.join().unwrap();
    }
    server.stop();
    backup(&data, &file);
    let last = folder.0.join("last");
    assert!(run(&last, &["restore", file.to_str().unwrap()], &[]).status.success());
    assert_eq!(content(&last), content(&data));
    // It can be served: every whole execution is there, and the workflow listens.
    std::fs::copy(data.join("vault.key"), last.join("vault.key")).unwrap();
    let second = Server::start(&last, &[]);
    assert_eq!(second.call("POST", "/webhook/fine", Some(&json!({}))).status, 200);
    // Executions that began after the backup may have sent links into the world, which must not fit
    // new ones.
    let id = |execution: &Value| execution["id"].as_str().unwrap().parse::<i64>().unwrap();
    let executions = second.executions();
    assert!(
        id(&executions[0]) > id(&executions[1]) + 100_000,
        "{} after {}",
        executions[0]["id"],
        executions[1]["id"]
    );
}

#[test]
fn a_damaged_backup_is_refused_with_a_code_and_a_used_folder_too() {
    let folder = TempFolder::new("backup-damage");
    let (data, file) = (folder.0.join("data"), folder.0.join("b.backup"));
    import(&data, &row("Fine", &[webhook("fine")]));
    backup(&data, &file);
    let before = content(&data);
    let name = file.to_str().unwrap();
    let used = run(&data, &["restore", name], &[]);
    assert_eq!(used.status.code(), Some(2));
    assert!(errors(&used).contains("RESTORE_USED"), "{}", errors(&used));
    assert!(errors(&run(&data, &["backup", name], &[])).contains("NAME_TAKEN"));
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let cut = run(&data, &["restore", name, "--force"], &[]);
    assert!(errors(&cut).contains("BACKUP_DAMAGED"), "{}", errors(&cut));
    assert_eq!(content(&data), before);
    let left: Vec<String> = std::fs::read_dir(&folder.0)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn a_kill_in_the_middle_of_a_backup_or_a_restore_leaves_a_usable_folder() {
    let folder = TempFolder::new("backup-kill");
    let (data, file) = (folder.0.join("data"), folder.0.join("b.backup"));
    import(&data, &row("Fine", &[webhook("fine")]));
    // Enough to be busy with for a while.
    std::fs::create_dir_all(data.join("workspace")).unwrap();
    for index in 0..8_u32 {
        let noise: Vec<u8> = (0..4_000_000_u32)
            .map(|place| (place.wrapping_mul(2_654_435_761).wrapping_add(index * 77) >> 13) as u8)
            .collect();
        std::fs::write(data.join(format!("workspace/{index}.bin")), noise).unwrap();
    }
    let whole = folder.0.join("whole.backup");
    let started = Instant::now();
    backup(&data, &whole);
    let a_backup = started.elapsed();
    let before = content(&data);
    let started = Instant::now();
    assert!(run(&data, &["restore", whole.to_str().unwrap(), "--force"], &[]).status.success());
    let a_restore = started.elapsed();
    let kill_after = |arguments: &[&str], time: Duration| {
        let command = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(arguments)
            .env("HEDDLE_DATA", &data)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let mut process = command.unwrap();
        std::thread::sleep(time);
        let was_running = process.try_wait().unwrap().is_none();
        let _ = process.kill();
        process.wait().unwrap();
        was_running
    };
    let (mut n_backups, mut n_restores) = (0, 0);
    // Twelve moments between the first and the last, on a fast machine as on a slow one. Most are
    // early ones, so that some meet it at work although the machine has become faster since.
    for step in 0..12 {
        n_backups += usize::from(kill_after(
            &["backup", file.to_str().unwrap(), "--force"],
            a_backup * (step * step) / 144,
        ));
        if file.exists() {
            // What is there under the name is whole.
            let target = folder.0.join(format!("from-{step}"));
            assert!(run(&target, &["restore", file.to_str().unwrap()], &[]).status.success());
        }
        n_restores += usize::from(kill_after(
            &["restore", whole.to_str().unwrap(), "--force"],
            a_restore * (step * step) / 144,
        ));
        assert_eq!(content(&data), before);
        is_healthy(&data);
    }
    assert!(n_backups > 2 && n_restores > 2, "{n_backups} and {n_restores} were really cut off");
}
