//! What a connection may go to: the same policy as for requests, with the address pinned that was
//! checked.

use heddle_providers::connect::GuardedConnections;
use heddle_providers::http::{EgressPolicy, NameResolver};
use model::Code;
use node_api::connect::{
    ConnectError, Connections as _, DateForm, Dialect, Mail, NumberForm, RedisServer, RemoteServer,
    SqlServer, ValueForms,
};
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::TcpListener;

/// Gives one list of addresses after the other, the last one again and again.
struct Names {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

#[async_trait::async_trait]
impl NameResolver for Names {
    async fn resolve(&self, _host: &str) -> io::Result<Vec<IpAddr>> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(self.answers[asked.min(self.answers.len() - 1)].clone())
    }
}

fn connections(allow: &str, answers: &[&[&str]]) -> GuardedConnections {
    let answers = answers
        .iter()
        .map(|list| list.iter().map(|text| text.parse().unwrap()).collect())
        .collect();
    GuardedConnections::with_resolver(
        EgressPolicy::parse(allow).unwrap(),
        Arc::new(Names { answers, asked: AtomicUsize::new(0) }),
    )
}

fn sql(host: &str, port: u16, dialect: Dialect) -> SqlServer {
    let values = ValueForms {
        big_integers: NumberForm::Text,
        decimals: NumberForm::Text,
        dates: DateForm::Iso,
    };
    let server = RemoteServer {
        user: "u".into(),
        password: "canary-s3cret".into(),
        timeout_ms: 2_000,
        ..RemoteServer::new(host, port)
    };
    SqlServer { server, dialect, database: "d".into(), values }
}

/// The error of each kind of connection to a place.
async fn errors(connections: &GuardedConnections, host: &str, port: u16) -> Vec<ConnectError> {
    let server = sql(host, port, Dialect::Postgres).server;
    let redis = RedisServer { server: server.clone(), database: 0 };
    let mail =
        Mail { from: "a@example.com".into(), to: vec!["b@example.com".into()], ..Mail::default() };
    vec![
        connections.sql(&sql(host, port, Dialect::Postgres)).await.err().unwrap(),
        connections.sql(&sql(host, port, Dialect::MySql)).await.err().unwrap(),
        connections.redis(&redis).await.err().unwrap(),
        connections.send_mail(&server, mail).await.unwrap_err(),
        connections.mailbox(&server).await.err().unwrap(),
    ]
}

#[tokio::test]
async fn private_places_are_closed_however_they_are_written() {
    let open = connections("", &[&["8.8.8.8"]]);
    let places = [
        "127.0.0.1",
        "127.1",
        "0",
        "0x7f000001",
        "2130706433",
        "017700000001",
        "127.0.0.1.",
        "localhost",
        "localhost.",
        "[::1]",
        "::1",
        "::",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.5",
        "192.168.1.1",
        "169.254.169.254",
        "metadata.google.internal",
        "db.local",
    ];
    for place in places {
        for error in errors(&open, place, 5432).await {
            assert_eq!(error.code(), Code::EGRESS_BLOCKED, "{place}: {error}");
        }
    }
}

#[tokio::test]
async fn what_is_no_host_is_refused() {
    let open = connections("127.0.0.1", &[&["127.0.0.1"]]);
    for place in [
        "/var/run/postgresql",
        "a b",
        "user@127.0.0.1",
        "127.0.0.1:5432",
        "host/path",
        "host?x",
        "",
    ] {
        for error in errors(&open, place, 1).await {
            assert_eq!(error.code(), Code::EGRESS_URL, "{place}: {error}");
        }
    }
}

#[tokio::test]
async fn one_private_address_closes_a_name() {
    for answers in [&["10.0.0.1"][..], &["8.8.8.8", "127.0.0.1"], &["::ffff:10.0.0.1"]] {
        for error in errors(&connections("", &[answers]), "db.example.com", 5432).await {
            assert_eq!(error.code(), Code::EGRESS_BLOCKED, "{answers:?}: {error}");
        }
    }
}

#[tokio::test]
async fn the_connection_goes_to_the_address_that_was_checked() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            drop(stream);
        }
    });
    // The name is looked up once for each connection; a second answer would come too late.
    let allow = format!("db.example.com:{port}");
    for kind in 0..5 {
        let rebinding = connections(&allow, &[&["127.0.0.1"], &["169.254.169.254"]]);
        let before = calls.load(Ordering::Relaxed);
        let server = sql("db.example.com", port, Dialect::Postgres).server;
        let mail = Mail {
            from: "a@example.com".into(),
            to: vec!["b@example.com".into()],
            ..Mail::default()
        };
        let error = match kind {
            0 => rebinding.sql(&sql("db.example.com", port, Dialect::Postgres)).await.err(),
            1 => rebinding.sql(&sql("db.example.com", port, Dialect::MySql)).await.err(),
            2 => rebinding.redis(&RedisServer { server, database: 0 }).await.err(),
            3 => rebinding.send_mail(&server, mail).await.err(),
            _ => rebinding.mailbox(&server).await.err(),
        };
        let error = error.unwrap();
        assert!(
            matches!(error.code(), Code::UPSTREAM_UNREACHABLE | Code::UPSTREAM_STATUS),
            "{kind}: {error}"
        );
        assert!(
            calls.load(Ordering::Relaxed) > before,
            "{kind}: nothing came to the checked address"
        );
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
    let other_port = connections(&allow, &[&["127.0.0.1"]]);
    for error in errors(&other_port, "db.example.com", port.wrapping_add(1).max(1)).await {
        assert_eq!(error.code(), Code::EGRESS_BLOCKED, "an entry opens its own port only: {error}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_not_waited_for_longer_than_its_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let open = connections("127.0.0.1", &[&["127.0.0.1"]]);
    let began = std::time::Instant::now();
    let silent = SqlServer {
        server: RemoteServer {
            timeout_ms: 200,
            ..sql("127.0.0.1", port, Dialect::Postgres).server
        },
        ..sql("127.0.0.1", port, Dialect::Postgres)
    };
    assert_eq!(open.sql(&silent).await.err().unwrap().code(), Code::UPSTREAM_TIMEOUT);
    let silent = SqlServer { dialect: Dialect::MySql, ..silent };
    assert_eq!(open.sql(&silent).await.err().unwrap().code(), Code::UPSTREAM_TIMEOUT);
    let redis = RedisServer { server: silent.server.clone(), database: 0 };
    assert_eq!(open.redis(&redis).await.err().unwrap().code(), Code::UPSTREAM_TIMEOUT);
    assert_eq!(open.mailbox(&silent.server).await.err().unwrap().code(), Code::UPSTREAM_TIMEOUT);
    assert!(began.elapsed().as_secs() < 30);
    drop(listener);
}
