//! Large files in executions, with the real binary: by reference in the API, whole after kill -9,
//! gone with their execution.

use crate::support::workflow::{node, row};
use crate::support::{Reply, Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// Takes a file through five nodes and gives it back.
fn echo() -> Value {
    let webhook = json!({ "httpMethod": "POST", "path": "echo", "responseMode": "responseNode", "options": { "rawBody": true } });
    let pass = |name: &str| node(name, "noOp", 1.0, json!({}));
    let respond =
        node("Respond", "respondToWebhook", 1.1, json!({ "respondWith": "binary", "options": {} }));
    row(
        "echo",
        &[
            node("Webhook", "webhook", 2.0, webhook),
            pass("One"),
            pass("Two"),
            pass("Three"),
            pass("Four"),
            respond,
        ],
    )
}

/// Takes a file, sleeps, and adds the file up.
fn sums() -> Value {
    let webhook = json!({ "httpMethod": "POST", "path": "sums", "options": { "rawBody": true } });
    let wait = json!({ "resume": "timeInterval", "amount": 2, "unit": "seconds" });
    let hash = json!({ "action": "hash", "type": "SHA256", "binaryData": true, "binaryPropertyName": "data", "dataPropertyName": "sum" });
    row(
        "sums",
        &[
            node("Webhook", "webhook", 2.0, webhook),
            node("Wait", "wait", 1.1, wait),
            node("Hash", "crypto", 1.0, hash),
        ],
    )
}

fn set_up(name: &str) -> TempFolder {
    let data = TempFolder::new(name);
    for (name, workflow) in [("echo", echo()), ("sums", sums())] {
        let file = data.write_json(name, &workflow);
        heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    }
    data
}

fn serve(data: &TempFolder) -> Server {
    Server::start(&data.0, &[("HEDDLE_MAX_BODY", "64MB"), ("HEDDLE_LOG", "off")])
}

fn send(server: &Server, path: &str, file: &[u8]) -> Reply {
    request(
        &server.address,
        "POST",
        &format!("/webhook/{path}"),
        &[("content-type", "image/png")],
        file,
    )
    .unwrap()
}

/// Bytes that nothing can pack.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..length.div_ceil(8)).flat_map(|_| next().to_le_bytes()).take(length).collect()
}

/// The file that a node of an execution put out, as the API shows it.
fn shown(execution: &Value, node: &str) -> Value {
    execution["data"]["resultData"]["runData"][node][0]["data"]["main"][0][0]["binary"]["data"]
        .clone()
}

fn reference(file: &Value) -> String {
    file["id"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()
}

fn folder_of(data: &TempFolder, execution: &Value) -> PathBuf {
    data.0.join("binary").join(execution["id"].as_str().unwrap())
}

fn execution(server: &Server, id: &str) -> Value {
    server.api("GET", &format!("/executions/{id}?includeData=true"), None).json()
}

#[test]
fn an_upload_is_shown_by_reference_and_its_bytes_are_a_call_away() {
    let data = set_up("binary-api");
    let server = serve(&data);
    let file = noise(300_000, 7);
    let reply = send(&server, "echo", &file);
    assert_eq!(reply.status, 200, "{}", reply.text());
    assert!(reply.body == file, "what came back is not what was sent");
    wait_until("the run is written", || {
        server.executions().iter().any(|run| run["status"] == "success")
    });
    let run = server.executions().remove(0);
    let found = shown(&run, "Four");
    assert_eq!(
        (found["data"].as_str(), found["fileSize"].as_str(), found["bytes"].as_u64()),
        (Some("filesystem-v2"), Some("300 kB"), Some(300_000))
    );
    assert_eq!(found["mimeType"], "image/png");
    assert_eq!(shown(&run, "Webhook")["id"], found["id"]);
    assert_eq!(
        std::fs::read_dir(folder_of(&data, &run)).unwrap().count(),
        1,
        "one file however many nodes it went through"
    );

    let (id, name) = (run["id"].as_str().unwrap(), reference(&found));
    let path = format!("/executions/{id}/binary/{name}");
    let got = server.api("GET", &path, None);
    assert_eq!((got.status, got.header("content-type")), (200, Some("image/png")));
    assert!(
        got.body == file && got.header("content-disposition").unwrap().starts_with("attachment")
    );
    assert!(
        got.header("content-security-policy").unwrap().starts_with("sandbox")
            && got.header("x-content-type-options") == Some("nosniff")
    );
    let part = server.api_with("GET", &path, &[("range", "bytes=100-199")]);
    assert_eq!((part.status, part.header("content-range")), (206, Some("bytes 100-199/300000")));
    assert!(part.body == file[100..200]);
    assert_eq!(server.api_with("GET", &path, &[("range", "bytes=300000-")]).status, 416);
    let whole_id = found["id"].as_str().unwrap().replace('/', "%2F");
    assert_eq!(
        server.api("GET", &format!("/executions/{id}/binary/{whole_id}"), None).body.len(),
        file.len()
    );

    assert_eq!(
        request(&server.address, "GET", &format!("/api/v1{path}"), &[], b"").unwrap().status,
        401
    );
    for wrong in [
        format!("/executions/99/binary/{name}"),
        format!("/executions/{id}/binary/..%2F..%2Fheddle.db"),
        format!("/executions/{id}/binary/{}", "0".repeat(64)),
    ] {
        assert_eq!(
            server.api("GET", &wrong, None).json()["code"],
            "EXECUTION_NOT_FOUND",
            "{wrong}"
        );
    }
    std::fs::write(folder_of(&data, &run).join(&name), &file[1..]).unwrap();
    assert_eq!(server.api("GET", &path, None).json()["code"], "EXECUTION_FILE_LOST");
    assert_eq!(server.api("DELETE", &format!("/executions/{id}"), None).status, 200);
    assert!(!folder_of(&data, &run).exists());
}

#[test]
fn a_large_upload_is_held_a_few_times_at_most() {
    const SIZE: usize = 16 << 20;
    let data = set_up("binary-memory");
    let server = serve(&data);
    send(&server, "echo", &noise(50_000, 3));
    let peak = || server.peak_memory_mb() as usize * 1024 * 1024;
    let before = peak();
    let file = noise(SIZE, 9);
    for _ in 0..2 {
        let reply = send(&server, "echo", &file);
        assert_eq!((reply.status, reply.body.len()), (200, SIZE), "{:.300}", reply.text());
        assert!(reply.body == file);
    }
    let times = (peak() - before) as f64 / SIZE as f64;
    eprintln!("an upload of 16 MB took {times:.1} times its size");
    assert!(times < 5.0, "{times:.1} times its size");
}

#[test]
fn a_file_outlives_kill_9_and_a_lost_one_fails_only_its_run() {
    let data = set_up("binary-crash");
    let mut server = serve(&data);
    let files: Vec<Vec<u8>> = (1..=3).map(|seed| noise(2_000_000, seed)).collect();
    for file in &files {
        assert_eq!(send(&server, "sums", file).status, 200);
    }
    server.kill();
    let kept: Vec<PathBuf> = (1..=3).map(|id| data.0.join(format!("binary/{id}"))).collect();
    let lost = std::fs::read_dir(&kept[1]).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(&lost).unwrap();
    // Files of a run that was never accepted.
    std::fs::create_dir_all(data.0.join("binary/77")).unwrap();
    let told = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("doctor")
        .env("HEDDLE_DATA", &data.0)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(told.contains("1 of 3 are missing") && told.contains("EXECUTION_FILE_LOST"), "{told}");

    server = serve(&data);
    assert!(!data.0.join("binary/77").exists());
    wait_until("the runs are over", || {
        server.executions().iter().all(|run| run["status"] == "success" || run["status"] == "error")
    });
    for id in ["1", "3"] {
        let run = execution(&server, id);
        assert_eq!(run["status"], "success", "{run}");
        let sum =
            &run["data"]["resultData"]["runData"]["Hash"][0]["data"]["main"][0][0]["json"]["sum"];
        assert_eq!(
            sum.as_str(),
            Some(reference(&shown(&run, "Webhook")).as_str()),
            "the node saw the bytes that were sent"
        );
    }
    let failed = execution(&server, "2");
    assert_eq!(
        (failed["status"].as_str(), &failed["data"]["resultData"]["error"]["code"]),
        (Some("error"), &json!("EXECUTION_FILE_LOST"))
    );

    // A backup has the files, and a folder that is made of it serves them.
    server.stop();
    let (archive, other) = (data.0.join("all.zip"), TempFolder::new("binary-restored"));
    heddle(&data.0, &["backup", archive.to_str().unwrap()]);
    std::fs::remove_dir_all(&other.0).unwrap();
    heddle(&other.0, &["restore", archive.to_str().unwrap()]);
    let server = serve(&other);
    let path =
        format!("/executions/3/binary/{}", reference(&shown(&execution(&server, "3"), "Webhook")));
    assert!(server.api("GET", &path, None).body == files[2]);
}
