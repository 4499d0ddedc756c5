//! Encrypted connections to real servers: whose certificate is taken, whose is not, and what
//! "Ignore SSL issues" does.

use crate::smtp_server::SmtpServer;
use heddle_nodes::integrations::{EmailReadImap, EmailSend, Postgres, Redis};
use model::{Code, OnError, Value, json};
use node_api::{Node, NodeError};
use node_testing::{TestHost, items, run_on, to_json};
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use testkit::services;
use testkit::services::{AUTHORITY, PASSWORD, SignedCertificate};

async fn run<N: Node>(
    version: f64,
    kind: &'static str,
    params: Value,
    credential: Value,
) -> Result<Value, NodeError> {
    let mut host = TestHost::new(&N::spec(), version, &params);
    host.connections =
        Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.1,localhost").unwrap()));
    host.credentials.insert(kind, credential);
    host.execution.mode = "trigger".into();
    let outputs = run_on::<N>(&host, version, vec![items(&json!([{}]))], OnError::Stop).await?;
    Ok(outputs.first().map_or(Value::Null, to_json))
}

fn with(mut value: Value, key: &str, more: impl Into<Value>) -> Value {
    value.put_path(key, more).unwrap();
    value
}

fn assert_untrusted(result: Result<Value, NodeError>) {
    let error = result.unwrap_err();
    assert_eq!(error.code(), Code::UPSTREAM_UNREACHABLE, "{error}");
    assert!(
        error.message().starts_with("The certificate of ")
            && error.message().contains("is not trusted"),
        "{error}"
    );
    let told = format!("{:?}", error.to_run_error("x"));
    assert!(told.contains("CERT_INVALID") && told.contains("Ignore SSL issues"), "{told}");
    assert!(!told.contains(PASSWORD), "{told}");
}

fn redis_credential(port: u16) -> Value {
    json!({ "host": "localhost", "port": port, "password": PASSWORD, "ssl": true })
}

fn smtp_credential(port: u16, secure: bool) -> Value {
    json!({ "host": "localhost", "port": port, "user": "ada", "password": PASSWORD, "secure": secure })
}

fn imap_credential(port: u16) -> Value {
    json!({ "host": "localhost", "port": port, "user": "ada", "password": PASSWORD, "secure": true })
}

fn postgres_credential(port: u16) -> Value {
    json!({ "host": "localhost", "port": port, "database": "postgres", "user": "postgres", "password": PASSWORD, "ssl": "require" })
}

fn get() -> Value {
    json!({ "operation": "get", "key": "nothing", "propertyName": "found" })
}

fn mail() -> Value {
    json!({ "fromEmail": "a@example.com", "toEmail": "b@example.com", "subject": "s", "emailFormat": "text", "text": "t" })
}

fn is_encrypted() -> Value {
    json!({ "operation": "executeQuery", "query": "select ssl from pg_stat_ssl where pid = pg_backend_pid()" })
}

#[tokio::test]
async fn redis_is_not_spoken_to_under_a_certificate_nobody_vouches_for() {
    let server = services::redis();
    let credential = redis_credential(server.tls_port);
    assert_untrusted(run::<Redis>(1.0, "redis", get(), credential.clone()).await);
    let ignoring = with(credential, "disableTlsVerification", true);
    assert_eq!(
        run::<Redis>(1.0, "redis", get(), ignoring).await.unwrap(),
        json!([{ "found": null }])
    );
}

#[tokio::test]
async fn mail_is_not_sent_under_a_certificate_nobody_vouches_for() {
    let certified = SignedCertificate::generate();
    for (server, secure) in
        [(SmtpServer::with_tls(&certified), true), (SmtpServer::with_start_tls(&certified), false)]
    {
        let credential = smtp_credential(server.port, secure);
        assert_untrusted(run::<EmailSend>(2.1, "smtp", mail(), credential.clone()).await);
        assert!(server.received().is_empty());
        run::<EmailSend>(
            2.1,
            "smtp",
            with(mail(), "options.allowUnauthorizedCerts", true),
            credential,
        )
        .await
        .unwrap();
        let taken = server.received();
        assert!(taken.len() == 1 && taken[0].was_encrypted, "{taken:?}");
    }
}

#[tokio::test]
async fn mail_is_sent_in_the_open_only_where_the_credential_allows_it() {
    let certified = SignedCertificate::generate();
    let server = SmtpServer::with_start_tls(&certified);
    let open = with(smtp_credential(server.port, false), "disableStartTls", true);
    run::<EmailSend>(2.1, "smtp", mail(), open).await.unwrap();
    assert!(!server.received()[0].was_encrypted);
    let plain = SmtpServer::start();
    let refused =
        run::<EmailSend>(2.1, "smtp", mail(), smtp_credential(plain.port, true)).await.unwrap_err();
    assert_eq!(refused.code(), Code::UPSTREAM_UNREACHABLE, "{refused}");
    assert!(plain.received().is_empty());
}

#[tokio::test]
async fn a_database_that_must_be_encrypted_is_not_spoken_to_in_the_open() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let heard = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 8];
        stream.read_exact(&mut asked).unwrap();
        // "No encryption here."
        stream.write_all(b"N").unwrap();
        let mut more = Vec::new();
        let _ = stream.read_to_end(&mut more);
        more
    });
    let credential = with(postgres_credential(port), "allowUnauthorizedCerts", true);
    let error = run::<Postgres>(2.6, "postgres", is_encrypted(), credential).await.unwrap_err();
    assert!(error.message().contains("does not offer encryption"), "{error}");
    assert!(heard.join().unwrap().is_empty(), "nothing was said");
}

#[tokio::test]
async fn mail_is_not_read_under_a_certificate_nobody_vouches_for() {
    let server = services::dovecot();
    let credential = imap_credential(server.tls_port);
    assert_untrusted(run::<EmailReadImap>(2.1, "imap", json!({}), credential.clone()).await);
    run::<EmailReadImap>(
        2.1,
        "imap",
        json!({}),
        with(credential.clone(), "allowUnauthorizedCerts", true),
    )
    .await
    .unwrap();
    run::<EmailReadImap>(
        2.1,
        "imap",
        json!({ "options": { "allowUnauthorizedCerts": true } }),
        credential,
    )
    .await
    .unwrap();
}

/// The system's authorities are read once a process, so the test runs in a process whose system knows
/// another one.
#[test]
fn an_authority_that_the_system_trusts_is_enough() {
    testkit::isolated_with(
        |command| {
            let (redis, dovecot, postgres) =
                (services::redis(), services::dovecot(), services::postgres());
            let folder = redis.folder.clone();
            let certified = SignedCertificate::generate();
            let authorities = [&redis.folder, &dovecot.folder, &postgres.folder]
                .map(|folder| std::fs::read_to_string(folder.join(AUTHORITY)).unwrap());
            let all = authorities.join("") + &certified.authority;
            for (file, pem) in [
                ("all.pem", &all),
                ("smtp.ca", &certified.authority),
                ("smtp.pem", &certified.certificate),
                ("smtp.key", &certified.key),
            ] {
                std::fs::write(folder.join(file), pem).unwrap();
            }
            let ports = format!("{} {} {}", redis.tls_port, dovecot.tls_port, postgres.port);
            command.env("SSL_CERT_FILE", folder.join("all.pem"));
            command.env("TEST_FOLDER", folder).env("TEST_PORTS", ports);
            [redis, dovecot, postgres]
        },
        || tokio::runtime::Runtime::new().unwrap().block_on(trusted()),
    );
}

async fn trusted() {
    let folder = std::env::var("TEST_FOLDER").unwrap();
    let ports: Vec<u16> =
        std::env::var("TEST_PORTS").unwrap().split(' ').map(|port| port.parse().unwrap()).collect();
    let pem = |name: &str| std::fs::read_to_string(Path::new(&folder).join(name)).unwrap();
    let certified = SignedCertificate {
        authority: pem("smtp.ca"),
        certificate: pem("smtp.pem"),
        key: pem("smtp.key"),
    };
    assert_eq!(
        run::<Redis>(1.0, "redis", get(), redis_credential(ports[0])).await.unwrap(),
        json!([{ "found": null }])
    );
    run::<EmailReadImap>(2.1, "imap", json!({}), imap_credential(ports[1])).await.unwrap();
    assert_eq!(
        run::<Postgres>(2.6, "postgres", is_encrypted(), postgres_credential(ports[2]))
            .await
            .unwrap(),
        json!([{ "ssl": true }])
    );
    for (server, secure) in
        [(SmtpServer::with_tls(&certified), true), (SmtpServer::with_start_tls(&certified), false)]
    {
        run::<EmailSend>(2.1, "smtp", mail(), smtp_credential(server.port, secure)).await.unwrap();
        assert!(server.received()[0].was_encrypted);
    }
    // A trusted authority vouches only for the names in the certificate.
    let elsewhere = with(redis_credential(ports[0]), "host", "127.0.0.2");
    let mut host = TestHost::new(&Redis::spec(), 1.0, &get());
    host.connections =
        Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.0/8").unwrap()));
    host.credentials.insert("redis", elsewhere);
    let error =
        run_on::<Redis>(&host, 1.0, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert!(error.message().ends_with("is not trusted: it was issued for another name"), "{error}");
}
