//! Nobody holds the server by being slow, large or many.

use super::wire::{connect, echo, rest_of, send};
use crate::app::{TestApp, TestOptions};
use heddle_server::{AdmissionLimits, BodyLimits};
use runtime::RunLimits;
use serde_json::json;
use std::time::{Duration, Instant};
use store::WorkflowStore as _;
use store::interruptions::InterruptionStore as _;
use store::users::UserRole;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

const SHORT: Duration = Duration::from_millis(300);

async fn with_admission(admission: AdmissionLimits) -> TestApp {
    TestApp::start_with(TestOptions { admission, ..TestOptions::default() }).await
}

#[tokio::test]
async fn headers_that_dribble_are_cut_off() {
    let app =
        with_admission(AdmissionLimits { header_time: SHORT, ..AdmissionLimits::default() }).await;
    let mut stream = connect(app.address).await;
    for letter in "GET / HTTP/1.1\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".bytes() {
        if stream.write_all(&[letter]).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (_, is_closed) = rest_of(&mut stream, AdmissionLimits::default().header_time / 2).await;
    assert!(is_closed);
    assert_eq!(send(&app, "GET", "/healthz", &[], b"").await.status, 200);
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let app =
        with_admission(AdmissionLimits { header_time: SHORT, ..AdmissionLimits::default() }).await;
    let mut stream = connect(app.address).await;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let (text, is_closed) = rest_of(&mut stream, AdmissionLimits::default().header_time / 2).await;
    assert!(is_closed && text.starts_with("HTTP/1.1 200"), "{text}");
}

#[tokio::test]
async fn a_body_that_dribbles_is_cut_off_at_every_door() {
    let usual = AdmissionLimits::default();
    let app =
        with_admission(AdmissionLimits { body_time: SHORT, body_gap: usual.body_time, ..usual })
            .await;
    echo(&app, "slow", json!({})).await;
    let key = app.owner_key().await;
    for path in ["/webhook/slow", "/api/v1/workflows", "/api/login"] {
        let mut stream = connect(app.address).await;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nX-N8N-API-KEY: {key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
            app.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let began = Instant::now();
        for _ in 0..100 {
            if stream.write_all(b"1\r\n \r\n").await.is_err() || began.elapsed() > SHORT * 2 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let (text, is_closed) =
            rest_of(&mut stream, AdmissionLimits::default().body_time / 2).await;
        assert!(
            is_closed && text.starts_with("HTTP/1.1 408") && text.contains("REQUEST_TIMEOUT"),
            "{path}: {text}"
        );
    }
}

/// An upload of 100,000 bytes that sends so many of them and then nothing.
async fn stalled(app: &TestApp, path: &str, address: &str, sent: usize) -> TcpStream {
    let mut stream = connect(app.address).await;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nX-Forwarded-For: {address}\r\nContent-Type: text/plain\r\nContent-Length: 100000\r\n\r\n",
        app.address
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b'a'; sent]).await.unwrap();
    stream
}

#[tokio::test]
async fn issue_14_00_an_upload_that_stalls_is_cut_off() {
    let app =
        with_admission(AdmissionLimits { body_gap: SHORT, ..AdmissionLimits::default() }).await;
    echo(&app, "slow", json!({})).await;
    let began = Instant::now();
    let mut stream = stalled(&app, "/webhook/slow", "203.0.113.7", 50_000).await;
    let (text, is_closed) = rest_of(&mut stream, AdmissionLimits::default().body_time).await;
    assert!(
        is_closed && text.starts_with("HTTP/1.1 408") && text.contains("REQUEST_TIMEOUT"),
        "{text}"
    );
    assert!(began.elapsed() < AdmissionLimits::default().body_time);
}

#[tokio::test]
async fn issue_14_00_time_that_a_fast_sender_saves_is_not_waited_for_later() {
    let app =
        with_admission(AdmissionLimits { body_time: SHORT, ..AdmissionLimits::default() }).await;
    echo(&app, "slow", json!({})).await;
    let began = Instant::now();
    // At the slowest rate that is allowed these bytes would take six seconds.
    let mut stream = stalled(&app, "/webhook/slow", "203.0.113.7", 99_000).await;
    while began.elapsed() < SHORT * 5 && stream.write_all(b"a").await.is_ok() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (_, is_closed) = rest_of(&mut stream, Duration::from_secs(4)).await;
    assert!(is_closed && began.elapsed() < Duration::from_secs(6));
}

#[tokio::test]
async fn issue_14_00_stalled_uploads_do_not_take_the_room_of_others() {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let app = with_admission(AdmissionLimits {
        body_memory: 256 << 10,
        trusted_proxies,
        ..AdmissionLimits::default()
    })
    .await;
    echo(&app, "heavy", json!({})).await;
    let key = app.owner_key().await;
    let mut stalled_ones = Vec::new();
    for _ in 0..8 {
        stalled_ones.push(stalled(&app, "/webhook/heavy", "203.0.113.7", 40_000).await);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    let large = vec![b'a'; 60_000];
    let heavy = async |address: &str, body: &[u8]| {
        let headers = [("Content-Type", "text/plain"), ("X-Forwarded-For", address)];
        send(&app, "POST", "/webhook/heavy", &headers, body).await.status
    };
    assert_eq!(heavy("203.0.113.7", &large).await, 503, "the network has used its share");
    assert_eq!(heavy("203.0.113.7", &large[..10_000]).await, 200, "what is small gets through");
    assert_eq!(heavy("198.51.100.9", &large).await, 200, "others have room");
    let json = [("Content-Type", "application/json"), ("X-Forwarded-For", "203.0.113.7")];
    let sign_in =
        send(&app, "POST", "/api/login", &json, br#"{"email":"a@b.c","password":"wrong"}"#).await;
    assert_eq!(sign_in.status, 401, "{}", sign_in.body);
    let key_header = [json[0], json[1], ("X-N8N-API-KEY", key.as_str())];
    let reply = send(&app, "POST", "/api/v1/workflows", &key_header, &large).await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")), "{}", reply.body);
    assert_eq!(reply.text("code"), "OVERLOAD");
    drop(stalled_ones);
}

#[tokio::test]
async fn issue_14_00_a_body_of_many_values_is_refused_by_its_weight_at_every_door() {
    let bodies = BodyLimits { bytes: 1 << 20, ..BodyLimits::default() };
    let app = TestApp::start_with(TestOptions { bodies, ..TestOptions::default() }).await;
    echo(&app, "values", json!({})).await;
    let key = app.owner_key().await;
    let body = format!("{{\"a\":[{}[1]]}}", "[1],".repeat(200_000));
    for path in [
        "/webhook/values",
        "/api/v1/workflows",
        "/api/v1/workflows/check",
        "/api/v1/workflows/expression",
        "/v1/chat/completions",
        "/v1/embeddings",
    ] {
        let headers = [("Content-Type", "application/json"), ("X-N8N-API-KEY", key.as_str())];
        let reply = send(&app, "POST", path, &headers, body.as_bytes()).await;
        assert_eq!(reply.status, 413, "{path}: {}", reply.body);
        assert!(reply.body.contains("more values than fit"), "{path}: {}", reply.body);
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
    let app =
        with_admission(AdmissionLimits { connections: 2, ..AdmissionLimits::default() }).await;
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
    let app = with_admission(AdmissionLimits { requests: 1, ..AdmissionLimits::default() }).await;
    echo(&app, "busy", json!({})).await;
    let mut slow = connect(app.address).await;
    slow.write_all(b"POST /webhook/busy HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n")
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let reply = send(&app, "POST", "/webhook/busy", &[], b"").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")), "{}", reply.body);
    assert_eq!(
        send(&app, "GET", "/healthz", &[], b"").await.status,
        200,
        "whoever watches us still gets in"
    );
    slow.write_all(b"{}").await.unwrap();
    drop(slow);
    let began = Instant::now();
    while send(&app, "POST", "/webhook/busy", &[], b"").await.status != 200 {
        assert!(began.elapsed() < Duration::from_secs(60), "it is not let in again");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn bodies_take_only_so_much_memory_together() {
    let app =
        with_admission(AdmissionLimits { body_memory: 100 << 10, ..AdmissionLimits::default() })
            .await;
    echo(&app, "heavy", json!({})).await;
    let reply = send(
        &app,
        "POST",
        "/webhook/heavy",
        &[("Content-Type", "text/plain")],
        &vec![b'a'; 300 << 10],
    )
    .await;
    assert_eq!(reply.status, 503, "{}", reply.body);
    assert_eq!(
        send(
            &app,
            "POST",
            "/webhook/heavy",
            &[("Content-Type", "text/plain")],
            &vec![b'a'; 50 << 10]
        )
        .await
        .status,
        200
    );
}

#[tokio::test]
async fn one_address_sends_only_so_many_requests_a_second() {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let app = with_admission(AdmissionLimits {
        per_second: 2,
        trusted_proxies,
        ..AdmissionLimits::default()
    })
    .await;
    let status =
        async |client: &str| send(&app, "GET", "/", &[("X-Forwarded-For", client)], b"").await;
    // On a slow machine a few more are allowed before one comes too early.
    let first_refused = async |client: &str| {
        let mut taken = 0;
        loop {
            let reply = status(client).await;
            if reply.status != 200 {
                break (taken, reply);
            }
            taken += 1;
            assert!(taken < 50, "{client} was never refused");
        }
    };
    let (taken, refused) = first_refused("203.0.113.7").await;
    assert!(taken >= 4, "{taken}");
    assert_eq!(
        (refused.status, refused.header("retry-after"), refused.text("code").as_str()),
        (429, Some("1"), "RATE_LIMIT")
    );
    assert_eq!(status("203.0.113.8").await.status, 200, "another address has its own count");
    assert!(
        first_refused("203.0.113.8, 203.0.113.7").await.0 < 3,
        "what stands left of a stranger is the stranger's word"
    );
}

#[tokio::test]
async fn only_our_proxies_say_whose_call_it_is() {
    let only = json!({ "options": { "ipWhitelist": "203.0.113.7" } });
    let app = TestApp::start().await;
    echo(&app, "mine", only.clone()).await;
    assert_eq!(
        send(&app, "POST", "/webhook/mine", &[("X-Forwarded-For", "203.0.113.7")], b"")
            .await
            .status,
        403
    );
    let admission = AdmissionLimits {
        trusted_proxies: vec!["127.0.0.0/8".parse().unwrap()],
        ..AdmissionLimits::default()
    };
    let app = with_admission(admission).await;
    echo(&app, "mine", only).await;
    assert_eq!(
        send(&app, "POST", "/webhook/mine", &[("X-Forwarded-For", "203.0.113.7")], b"")
            .await
            .status,
        200
    );
    assert_eq!(
        send(
            &app,
            "POST",
            "/webhook/mine",
            &[("X-Forwarded-For", "203.0.113.7, 198.51.100.1")],
            b""
        )
        .await
        .status,
        403
    );
    assert_eq!(send(&app, "POST", "/webhook/mine", &[], b"").await.status, 403);
}

#[tokio::test]
async fn runs_that_wait_for_their_turn_are_bounded_in_number_and_size() {
    // No run ever gets its turn, so each stays in the queue.
    let runs = RunLimits { max_running: 0, max_queued: 2, max_reserved_bytes: 1000 };
    let app = TestApp::start_with(TestOptions { runs, ..TestOptions::default() }).await;
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

#[tokio::test]
async fn issue_14_00_health_checks_are_limited_and_tell_strangers_nothing() {
    let trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    let app = with_admission(AdmissionLimits {
        per_second: 2,
        trusted_proxies,
        ..AdmissionLimits::default()
    })
    .await;
    let check = async || {
        send(&app, "GET", "/healthz", &[("X-Forwarded-For", "203.0.113.7")], b"").await.status
    };
    let mut statuses = Vec::new();
    for _ in 0..50 {
        statuses.push(check().await);
    }
    assert!(statuses[..4] == [200; 4] && statuses.contains(&429), "{statuses:?}");
    app.runtime.stop(Duration::ZERO).await;
    let key = app.owner_key().await;
    let stranger = send(&app, "GET", "/healthz/readiness", &[], b"").await;
    assert_eq!((stranger.status, stranger.body.as_str()), (503, r#"{"status":"error"}"#));
    let operator = send(&app, "GET", "/healthz/readiness", &[("X-N8N-API-KEY", &key)], b"").await;
    assert_eq!((operator.status, operator.text("reason").as_str()), (503, "stopping"));
}

#[tokio::test]
async fn issue_14_12_a_workflow_whose_activation_met_two_deaths_does_not_listen_at_the_next_start()
{
    let app = TestApp::start().await;
    let (deadly, other) =
        (echo(&app, "deadly", json!({})).await, echo(&app, "other", json!({})).await);
    let active = async |id: &str| app.store.workflow(id).await.unwrap().unwrap().active;
    // A start that died, of whatever: the next one notes each workflow, and all of them listen.
    app.store.begin_attempt("", "start").await.unwrap();
    app.restarted().await.stop(Duration::ZERO).await;
    assert!(active(&deadly).await && active(&other).await);
    // It died again, and of this one.
    app.store.begin_attempt("", "start").await.unwrap();
    for _ in 0..2 {
        app.store.begin_attempt(&deadly, "activate").await.unwrap();
    }
    let runtime = app.restarted().await;
    assert!(!active(&deadly).await && active(&other).await);
    assert_eq!(runtime.active_workflows().len(), 1);
    // Somebody has mended it.
    runtime.activate(&deadly, runtime::VersionChoice::Newest).await.unwrap();
    assert!(active(&deadly).await);
}

#[tokio::test]
async fn issue_14_00_requests_to_sign_in_and_about_oneself_are_small() {
    let app = TestApp::start().await;
    app.user("a@b.c", UserRole::Editor).await;
    let session = app.log_in("a@b.c").await;
    let large = format!(r#"{{"email":"a@b.c","password":"{}"}}"#, "x".repeat(64 << 10));
    for path in [
        "/api/login",
        "/api/setup",
        "/api/invitation",
        "/api/me/name",
        "/api/me/email",
        "/api/me/password",
        "/api/me/api-keys",
    ] {
        let headers = [
            ("Content-Type", "application/json"),
            ("Cookie", session.cookie.as_str()),
            ("X-CSRF-Token", session.csrf.as_str()),
        ];
        let reply = send(&app, "POST", path, &headers, large.as_bytes()).await;
        assert_eq!(
            (reply.status, reply.text("code").as_str()),
            (413, "REQUEST_TOO_LARGE"),
            "{path}: {}",
            reply.body
        );
    }
}
