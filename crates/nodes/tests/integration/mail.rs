//! Send Email against a mail server that keeps what it gets, and the Email Trigger against a real
//! IMAP server.

use crate::smtp_server::SmtpServer;
use heddle_nodes::integrations::{EmailReadImap, EmailSend};
use mail_parser::{MessageParser, MimeHeaders as _};
use model::{Binary, Code, Item, Items, OnError, Value, json};
use node_api::Node as _;
use node_testing::{TestHost, items, run_on, to_json};
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::sync::Arc;
use testkit::services;
use testkit::services::{PASSWORD, Service, deliver};

fn sender(server: &SmtpServer, version: f64, params: Value) -> TestHost {
    let mut host = TestHost::new(&EmailSend::spec(), version, &params);
    host.connections = Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.1").unwrap()));
    let credential = json!({ "host": "127.0.0.1", "port": server.port, "user": "ada", "password": PASSWORD, "secure": false });
    host.credentials.insert("smtp", credential);
    host
}

#[tokio::test]
async fn a_mail_arrives_with_its_texts_files_and_copies() {
    let server = SmtpServer::start();
    let params = json!({
        "fromEmail": "Ada L. <ada@example.com>", "toEmail": "bo@example.com, \"C, D\" <cd@example.com>", "subject": "Café ☕", "emailFormat": "both",
        "text": "plain", "html": "<b>bold</b><img src=\"cid:logo\">",
        "options": { "ccEmail": "e@example.com", "bccEmail": "hidden@example.com", "replyTo": "r@example.com", "attachments": "logo, report" }
    });
    let host = sender(&server, 2.1, params);
    let mut item = Item::new(json!({}).as_object().cloned().unwrap());
    item.set_binary(
        "logo",
        Binary::new("PNG".to_owned().into_bytes(), "image/png", Some("logo.png".into())),
    );
    item.set_binary(
        "report",
        Binary::new("a,b\n".to_owned().into_bytes(), "text/csv", Some("report.csv".into())),
    );
    let outputs =
        run_on::<EmailSend>(&host, 2.1, vec![Items::one(item)], OnError::Stop).await.unwrap();
    let told = to_json(&outputs[0]);
    assert_eq!(
        told.get_path("[0].accepted"),
        Some(&json!(["bo@example.com", "cd@example.com", "e@example.com", "hidden@example.com"]))
    );
    assert!(
        told.get_path("[0].response").and_then(Value::as_str).unwrap().starts_with("250"),
        "{told:?}"
    );

    let sent = server.received();
    assert_eq!(sent[0].signed_in_as, "ada");
    assert_eq!(sent[0].from, "ada@example.com");
    assert_eq!(
        sent[0].to,
        ["bo@example.com", "cd@example.com", "e@example.com", "hidden@example.com"]
    );
    let mail = MessageParser::default().parse(sent[0].source.as_bytes()).unwrap();
    assert_eq!(mail.subject(), Some("Café ☕"));
    assert_eq!(
        (mail.body_text(0).unwrap().trim(), mail.body_html(0).unwrap().trim()),
        ("plain", "<b>bold</b><img src=\"cid:logo\">")
    );
    assert_eq!(mail.reply_to().unwrap().first().unwrap().address(), Some("r@example.com"));
    assert!(!sent[0].source.contains("hidden@example.com"), "nobody else sees it");
    let files: Vec<_> = mail
        .attachments()
        .map(|part| (part.attachment_name().map(str::to_owned), part.contents().to_vec()))
        .collect();
    assert!(files.contains(&(Some("report.csv".into()), b"a,b\n".to_vec())), "{files:?}");
    let logo = mail.parts.iter().find(|part| part.content_id() == Some("logo")).unwrap();
    assert_eq!(logo.contents(), b"PNG");
}

#[tokio::test]
async fn one_format_is_sent_alone_and_the_note_only_when_asked_for() {
    let server = SmtpServer::start();
    let base = json!({ "fromEmail": "a@example.com", "toEmail": "b@example.com", "subject": "s", "text": "only text", "html": "<p>only html</p>" });
    let mut with_note = base.clone();
    with_note.make_object().insert("options", json!({ "appendAttribution": true }));
    for (version, params) in
        [(2.0, base.clone()), (2.1, base.clone()), (2.1, with_note), (1.0, base)]
    {
        let host = sender(&server, version, params);
        run_on::<EmailSend>(&host, version, vec![items(&json!([{}]))], OnError::Stop)
            .await
            .unwrap();
    }
    let sources: Vec<String> = server.received().into_iter().map(|mail| mail.source).collect();
    assert!(
        sources[0].contains("only text") && !sources[0].contains("only html"),
        "{}",
        sources[0]
    );
    assert!(
        sources[1].contains("only html")
            && !sources[1].contains("only text")
            && !sources[1].contains("Heddle"),
        "{}",
        sources[1]
    );
    assert!(sources[2].contains("Heddle"), "{}", sources[2]);
    assert!(sources[3].contains("only html") && sources[3].contains("only text"), "{}", sources[3]);
}

#[tokio::test]
async fn refusals_are_told_without_secrets() {
    let server = SmtpServer::start();
    let base = json!({ "fromEmail": "a@example.com", "toEmail": "refused@example.com", "subject": "s", "emailFormat": "text", "text": "t" });
    let host = sender(&server, 2.1, base.clone());
    let error = run_on::<EmailSend>(&host, 2.1, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert!(error.code() == Code::UPSTREAM_STATUS && error.message().contains("550"), "{error}");
    let mut wrong = sender(&server, 2.1, base);
    wrong.credentials.get_mut("smtp").unwrap().make_object().insert("password", "another-s3cret");
    let error = run_on::<EmailSend>(&wrong, 2.1, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::NODE_CREDENTIAL, "{error}");
    assert!(!format!("{:?}", error.to_run_error("x")).contains("s3cret"), "{error}");
    let broken = sender(
        &server,
        2.1,
        json!({ "fromEmail": "a@example.com\r\nBcc: x@example.com", "toEmail": "b@example.com" }),
    );
    let error = run_on::<EmailSend>(&broken, 2.1, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::NODE_PARAMETER, "{error}");
    assert!(server.received().is_empty());
}

fn reader(server: &Service, params: Value) -> TestHost {
    let mut host = TestHost::new(&EmailReadImap::spec(), 2.1, &params);
    host.connections = Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.1").unwrap()));
    let credential = json!({ "host": "127.0.0.1", "port": server.port, "user": "ada", "password": PASSWORD, "secure": false });
    host.credentials.insert("imap", credential);
    host.execution.mode = "trigger".into();
    host
}

fn mail(subject: &str) -> String {
    format!(
        "From: Bo <bo@example.com>\r\nTo: ada@example.com\r\nSubject: {subject}\r\nMessage-ID: <{subject}@example.com>\r\n\r\nHello {subject}\r\n"
    )
}

#[tokio::test]
async fn each_mail_starts_one_run() {
    let server = services::dovecot();
    deliver(&server, "1.a", &mail("one"));
    deliver(&server, "2.a", &mail("two"));
    let mut host = reader(&server, json!({ "postProcessAction": "nothing" }));
    let poll = async |host: &TestHost| {
        let outputs = run_on::<EmailReadImap>(host, 2.1, vec![items(&json!([{}]))], OnError::Stop)
            .await
            .unwrap();
        let subjects = |items: &Items| {
            items
                .iter()
                .filter_map(|item| item.json.get("subject").map(Value::to_js_string))
                .collect::<Vec<_>>()
        };
        outputs
            .first()
            .map(subjects)
            .unwrap_or_default()
            .into_iter()
            .map(|subject| subject.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(poll(&host).await, ["one", "two"]);
    assert!(poll(&host).await.is_empty(), "unread, but known");
    deliver(&server, "3.a", &mail("three"));
    assert_eq!(poll(&host).await, ["three"]);

    let marking = reader(&server, json!({}));
    assert_eq!(poll(&marking).await, ["one", "two", "three"]);
    let after_a_crash = reader(&server, json!({}));
    assert_eq!(
        poll(&after_a_crash).await,
        ["one", "two", "three"],
        "nothing is marked before a run has it"
    );
    let given = items(&json!([{ "subject": "one" }]));
    let passed =
        run_on::<EmailReadImap>(&marking, 2.1, vec![given.clone()], OnError::Stop).await.unwrap();
    assert_eq!(to_json(&passed[0]), json!([{ "subject": "one" }]));
    let fresh = reader(&server, json!({}));
    assert!(poll(&fresh).await.is_empty(), "what was taken is marked as read");
    deliver(&server, "4.a", &mail("four"));
    let untracked = reader(&server, json!({ "options": { "trackLastMessageId": false } }));
    assert_eq!(poll(&untracked).await, ["four"]);
    assert!(
        poll(&untracked).await.is_empty(),
        "a look marks what the last one has found if its run could not"
    );
    let every = reader(
        &server,
        json!({ "options": { "customEmailConfig": "[\"ALL\", [\"SUBJECT\", \"two\"]]" } }),
    );
    assert_eq!(poll(&every).await, ["two"]);

    host.credentials.get_mut("imap").unwrap().make_object().insert("password", "another-s3cret");
    let error = run_on::<EmailReadImap>(&host, 2.1, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::NODE_CREDENTIAL, "{error}");
    assert!(!format!("{:?}", error.to_run_error("x")).contains("s3cret"), "{error}");
    let nowhere = reader(&server, json!({ "mailbox": "Nowhere" }));
    let error = run_on::<EmailReadImap>(&nowhere, 2.1, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::UPSTREAM_STATUS, "{error}");
}
