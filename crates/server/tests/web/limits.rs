//! T-WEB: nobody holds the server by being slow, large or many.

use crate::app::{Ground, TestApp};
use crate::wire::{connect, echo, rest_of, send};
use heddle_server::GateLimits;
use runtime::RunLimits;
use serde_json::json;
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt as _;

const SHORT: Duration = Duration::from_millis(300);

async fn with_gate(gate: GateLimits) -> TestApp {
    TestApp::start_on(Ground { gate, ..Ground::default() }).await
}

#[tokio::test]
async fn headers_that_dribble_are_cut_off() {
    let app = with_gate(GateLimits { header_time: SHORT, ..GateLimits::default() }).await;
    let began = Instant::now();
    let mut stream = connect(app.address).await;
    for letter in "GET / HTTP/1.1\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".bytes() {
        if stream.write_all(&[letter]).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (_, is_closed) = rest_of(&mut stream, Duration::from_secs(5)).await;
    assert!(is_closed && began.elapsed() < Duration::from_secs(5));
    assert_eq!(send(&app, "GET", "/healthz", &[], b"").await.status, 200);
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let app = with_gate(GateLimits { header_time: SHORT, ..GateLimits::default() }).await;
    let mut stream = connect(app.address).await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
    let (text, is_closed) = rest_of(&mut stream, Duration::from_secs(5)).await;
    assert!(is_closed && text.starts_with("HTTP/1.1 200"), "{text}");
}

#[tokio::test]
async fn a_body_that_dribbles_is_cut_off_at_every_door() {
    let app = with_gate(GateLimits { body_time: SHORT, ..GateLimits::default() }).await;
    echo(&app, "slow", json!({})).await;
    let key = app.owner_key().await;
    for path in ["/webhook/slow", "/api/v1/workflows", "/api/login"] {
        let mut stream = connect(app.address).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nX-N8N-API-KEY: {key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let began = Instant::now();
        for _ in 0..100 {
            if stream.write_all(b"1\r\n \r\n").await.is_err() || began.elapsed() > SHORT * 2 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let (text, is_closed) = rest_of(&mut stream, Duration::from_secs(5)).await;
        assert!(is_closed && text.starts_with("HTTP/1.1 4"), "{path}: {text}");
        if path == "/webhook/slow" {
            assert!(text.starts_with("HTTP/1.1 408") && text.contains("REQUEST_TIMEOUT"), "{text}");
        }
    }
}

#[tokio::test]
async fn headers_are_taken_up_to_a_size_and_a_number() {
    let app = TestApp::start().await;
    let long = "a".repeat(64 << 10);
    assert_eq!(send(&app, "GET", "/healthz", &[("X-Long", &long)], b"").await.status, 431);
    let names: Vec<String> = (0..200).map(|number| format!("X-{number}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    assert_eq!(send(&app, "GET", "/healthz", &many, b"").await.status, 431);
    let path = format!("/{}", "a".repeat(40 << 10));
    assert!(matches!(send(&app, "GET", &path, &[], b"").await.status, 414 | 431));
    assert_eq!(send(&app, "GET", "/healthz", &many[..50], b"").await.status, 200);
}

#[tokio::test]
async fn connections_beyond_the_limit_are_told_to_come_again() {
    let app = with_gate(GateLimits { connections: 2, ..GateLimits::default() }).await;
    let first = connect(app.address).await;
    let _second = connect(app.address).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let reply = send(&app, "GET", "/healthz", &[], b"").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_eq!(reply.text("code"), "OVERLOAD");
    drop(first);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(send(&app, "GET", "/healthz", &[], b"").await.status, 200);
}

#[tokio::test]
async fn requests_beyond_the_limit_are_told_to_come_again() {
    let app = with_gate(GateLimits { requests: 1, ..GateLimits::default() }).await;
    echo(&app, "busy", json!({})).await;
    let mut slow = connect(app.address).await;
    slow.write_all(b"POST /webhook/busy HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n").await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let reply = send(&app, "POST", "/webhook/busy", &[], b"").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")), "{}", reply.body);
    assert_eq!(send(&app, "GET", "/healthz", &[], b"").await.status, 200, "whoever watches us still gets in");
    slow.write_all(b"{}").await.unwrap();
    drop(slow);
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(send(&app, "POST", "/webhook/busy", &[], b"").await.status, 200);
}

#[tokio::test]
async fn bodies_take_only_so_much_memory_together() {
    let app = with_gate(GateLimits { body_memory: 100 << 10, ..GateLimits::default() }).await;
    echo(&app, "heavy", json!({})).await;
    let reply = send(&app, "POST", "/webhook/heavy", &[("Content-Type", "text/plain")], &vec![b'a'; 300 << 10]).await;
    assert_eq!(reply.status, 503, "{}", reply.body);
    assert_eq!(send(&app, "POST", "/webhook/heavy", &[("Content-Type", "text/plain")], &vec![b'a'; 50 << 10]).await.status, 200);
}

#[tokio::test]
async fn one_address_sends_only_so_many_requests_a_second() {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let app = with_gate(GateLimits { per_second: 2, trusted_proxies, ..GateLimits::default() }).await;
    let status = async |client: &str| send(&app, "GET", "/", &[("X-Forwarded-For", client)], b"").await;
    let mut statuses = Vec::new();
    for _ in 0..6 {
        statuses.push(status("203.0.113.7").await.status);
    }
    assert_eq!(&statuses[..4], [200; 4]);
    assert!(statuses.contains(&429), "{statuses:?}");
    let refused = status("203.0.113.7").await;
    assert_eq!((refused.status, refused.header("retry-after"), refused.text("code").as_str()), (429, Some("1"), "RATE_LIMIT"));
    assert_eq!(status("203.0.113.8").await.status, 200, "another address has its own count");
    assert_eq!(status("203.0.113.8, 203.0.113.7").await.status, 429, "what stands left of a stranger is the stranger's word");
}

#[tokio::test]
async fn only_our_proxies_say_whose_call_it_is() {
    let only = json!({ "options": { "ipWhitelist": "203.0.113.7" } });
    let app = TestApp::start().await;
    echo(&app, "mine", only.clone()).await;
    assert_eq!(send(&app, "POST", "/webhook/mine", &[("X-Forwarded-For", "203.0.113.7")], b"").await.status, 403);
    let gate = GateLimits { trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()], ..GateLimits::default() };
    let app = with_gate(gate).await;
    echo(&app, "mine", only).await;
    assert_eq!(send(&app, "POST", "/webhook/mine", &[("X-Forwarded-For", "203.0.113.7")], b"").await.status, 200);
    assert_eq!(send(&app, "POST", "/webhook/mine", &[("X-Forwarded-For", "203.0.113.7, 198.51.100.1")], b"").await.status, 403);
    assert_eq!(send(&app, "POST", "/webhook/mine", &[], b"").await.status, 403);
}

#[tokio::test]
async fn runs_that_wait_for_their_turn_are_bounded_in_number_and_size() {
    // No run ever gets its turn, so each stays in the queue.
    let runs = RunLimits { at_once: 0, waiting: 2, held_bytes: 1000 };
    let app = TestApp::start_on(Ground { runs, ..Ground::default() }).await;
    echo(&app, "queue", json!({ "responseMode": "onReceived" })).await;
    let text = [("Content-Type", "text/plain")];
    let large = send(&app, "POST", "/webhook/queue", &text, &[b'a'; 2000]).await;
    assert_eq!((large.status, large.header("retry-after")), (503, Some("1")));
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(send(&app, "POST", "/webhook/queue", &text, b"a").await.status);
    }
    assert_eq!(statuses, [200, 200, 503, 503]);
}
