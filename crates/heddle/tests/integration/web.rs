//! Web attacks against the real binary: a body without end and a flood of calls leave the server alive
//! and its memory where it was.

use crate::support;
use crate::support::{Server, TempFolder, heddle};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn echoing(name: &str, mode: &str) -> TempFolder {
    let data = TempFolder::new(name);
    let hook = json!({ "id": "1", "name": "Webhook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0],
        "parameters": { "httpMethod": "POST", "path": "echo", "responseMode": mode, "options": {} }, "webhookId": "w" });
    let document = json!({ "name": name, "nodes": [hook], "connections": {}, "settings": {} });
    let file = data.write_json("echo", &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    data
}

/// Sends up to a gigabyte until the server has had enough, and gives the status it answers with.
fn send_a_gigabyte(server: &Server, headers: &str) -> Option<u16> {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = format!(
        "POST /webhook/echo HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n{headers}\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let is_chunked = headers.contains("chunked");
    let megabyte = vec![b' '; 1 << 20];
    for _ in 0..1024 {
        let sent = match is_chunked {
            true => stream
                .write_all(b"100000\r\n")
                .and_then(|()| stream.write_all(&megabyte))
                .and_then(|()| stream.write_all(b"\r\n")),
            false => stream.write_all(&megabyte),
        };
        if sent.is_err() {
            break;
        }
    }
    let mut answer = String::new();
    let mut buffer = [0; 1024];
    while let Ok(count) = stream.read(&mut buffer) {
        if count == 0 {
            break;
        }
        answer.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    answer.split_whitespace().nth(1).and_then(|status| status.parse().ok())
}

#[test]
fn a_gigabyte_is_refused_without_being_held() {
    let data = echoing("gigabyte", "onReceived");
    let server = Server::start(&data.0, &[]);
    assert_eq!(server.call("POST", "/webhook/echo", Some(&json!({}))).status, 200);
    let before = server.peak_memory_mb();
    for headers in ["content-length: 1073741824\r\n", "transfer-encoding: chunked\r\n"] {
        // The answer may be lost with the connection that is closed on us in mid-sentence.
        let statuses: Vec<Option<u16>> =
            (0..4).map(|_| send_a_gigabyte(&server, headers)).collect();
        assert!(
            statuses.iter().all(|status| matches!(status, Some(413) | None)),
            "{headers}: {statuses:?}"
        );
    }
    let just_too_much = vec![b' '; (16 << 20) + 1];
    let reply = support::request(
        &server.address,
        "POST",
        "/webhook/echo",
        &[("content-type", "application/json")],
        &just_too_much,
    );
    assert_eq!(reply.unwrap().status, 413);
    let grown = server.peak_memory_mb() - before;
    assert!(grown < 150, "it took {grown} MB");
    assert_eq!(server.call("POST", "/webhook/echo", Some(&json!({}))).status, 200);
}

/// Sends calls on a kept connection as fast as they are answered, and counts the answers by status.
fn flood(
    address: &str,
    forwarded: &str,
    until: Instant,
    statuses: &std::sync::Mutex<BTreeMap<u16, usize>>,
    broken: &AtomicUsize,
) {
    let request = format!(
        "POST /webhook/echo HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: {forwarded}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{{\"n\":123}}"
    );
    while Instant::now() < until {
        let Ok(mut stream) = TcpStream::connect(address) else {
            broken.fetch_add(1, Ordering::Relaxed);
            continue;
        };
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let mut buffer = [0; 4096];
        while Instant::now() < until {
            if stream.write_all(request.as_bytes()).is_err() {
                break;
            }
            let Ok(count) = stream.read(&mut buffer) else {
                broken.fetch_add(1, Ordering::Relaxed);
                break;
            };
            let text = String::from_utf8_lossy(&buffer[..count]);
            let Some(status) = text.split(' ').nth(1).and_then(|status| status.parse().ok()) else {
                break;
            };
            *statuses.lock().unwrap().entry(status).or_default() += 1;
            if text.contains("connection: close") {
                break;
            }
        }
    }
}

#[test]
fn a_flood_is_answered_with_yes_or_later_and_memory_stays_bounded() {
    let data = echoing("flood", "onReceived");
    let settings = [
        // Little enough that one address sends more on a slow machine, too.
        ("HEDDLE_RATE_LIMIT", "10"),
        ("HEDDLE_TRUSTED_PROXIES", "127.0.0.1"),
        ("HEDDLE_MAX_CONNECTIONS", "100"),
        ("HEDDLE_MAX_REQUESTS", "40"),
        ("HEDDLE_RUNS_WAITING", "1000"),
        ("HEDDLE_LOG", "off"),
    ];
    let server = Server::start(&data.0, &settings);
    assert_eq!(server.call("POST", "/webhook/echo", Some(&json!({}))).status, 200);
    let before = server.peak_memory_mb();
    let statuses = std::sync::Mutex::new(BTreeMap::new());
    let broken = AtomicUsize::new(0);
    let until = Instant::now() + Duration::from_secs(4);
    std::thread::scope(|scope| {
        for number in 0..120 {
            let (address, statuses, broken) = (&server.address, &statuses, &broken);
            // One address sends far more than its share, the others a little.
            let forwarded =
                if number < 60 { "203.0.113.7".to_owned() } else { format!("198.51.100.{number}") };
            scope.spawn(move || flood(address, &forwarded, until, statuses, broken));
        }
    });
    let statuses = statuses.into_inner().unwrap();
    assert!(statuses.keys().all(|status| matches!(status, 200 | 429 | 503)), "{statuses:?}");
    assert!(statuses.contains_key(&200) && statuses.contains_key(&429), "{statuses:?}");
    let grown = server.peak_memory_mb() - before;
    assert!(grown < 200, "it took {grown} MB: {statuses:?}");
    support::wait_until("the server has calmed down", || {
        server.call("POST", "/webhook/echo", Some(&json!({}))).status == 200
    });
    support::wait_until("it is ready", || {
        server.call("GET", "/healthz/readiness", None).status == 200
    });
}
