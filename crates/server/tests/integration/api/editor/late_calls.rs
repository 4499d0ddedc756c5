//! Calls that were meant for one wait of a run and whose end comes when the run is somewhere else.

use super::resume_links::waits_at;
use super::{EditorHarness, order, row, text};
use crate::app::Reply;
use futures::FutureExt as _;
use model::{RunStatus, Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// What becomes of the run while somebody holds their call open.
#[derive(Clone, Copy, Debug)]
pub(super) enum Interference {
    Resumed,
    Stopped,
    Finished,
    Deleted,
}

pub(super) const ALL: [Interference; 4] =
    [Interference::Resumed, Interference::Stopped, Interference::Finished, Interference::Deleted];

/// How a wait is called: its parameters, the expression that gives its address, and what is sent
/// there.
struct WaitKind {
    parameters: fn() -> Value,
    address: &'static str,
    content_type: &'static str,
    body: &'static str,
}

const WEBHOOK: WaitKind = WaitKind {
    parameters: || json!({ "resume": "webhook", "httpMethod": "POST", "options": {} }),
    address: "={{ $execution.resumeUrl }}",
    content_type: "application/json",
    body: r#"{"name":"Ada"}"#,
};

const FORM: WaitKind = WaitKind {
    parameters: || {
        json!({
            "resume": "form", "formTitle": "Name", "options": {},
            "formFields": { "values": [{ "fieldLabel": "Name", "fieldType": "text" }] }
        })
    },
    address: "={{ $execution.resumeFormUrl }}",
    content_type: "application/x-www-form-urlencoded",
    body: "field-0=Ada",
};

impl WaitKind {
    fn workflow(&self) -> Value {
        let wait = || (self.parameters)();
        row(&[
            ("Start", "manualTrigger", json!({})),
            ("First", "wait@1.1", wait()),
            ("Second", "wait@1.1", wait()),
            ("After", "noOp", json!({})),
        ])
    }

    /// The path at which the run goes on from where it waits now.
    async fn path(&self, editor: &EditorHarness, execution: &str) -> String {
        let body = json!({
            "workflow": (self.workflow()), "workflowId": (editor.workflow.as_str()), "node": "First",
            "expression": (self.address), "executionId": (execution)
        });
        let address = editor.post("/workflows/expression", &body).await.text("text");
        format!(
            "/{}",
            address.splitn(4, '/').nth(3).unwrap_or_else(|| panic!("no address: {address}"))
        )
    }

    async fn begin(&self, editor: &EditorHarness, path: &str) -> OpenCall {
        OpenCall::begin(editor, path, self.content_type, self.body).await
    }

    async fn send(&self, editor: &EditorHarness, path: &str) -> Reply {
        self.begin(editor, path).await.end().await
    }
}

/// A call whose address was looked up and whose body has begun.
pub(super) struct OpenCall {
    stream: TcpStream,
    rest: &'static [u8],
}

impl OpenCall {
    pub(super) async fn begin(
        editor: &EditorHarness,
        path: &str,
        content_type: &str,
        body: &'static str,
    ) -> Self {
        let mut stream = TcpStream::connect(editor.app.address).await.unwrap();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n",
            editor.app.address,
            content_type,
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        // The server asks for the body once it reads it: by then it has found the run.
        let mut heard = Vec::new();
        while !heard.ends_with(b"\r\n\r\n") {
            heard.push(stream.read_u8().await.unwrap());
        }
        assert!(heard.starts_with(b"HTTP/1.1 100"), "{}", String::from_utf8_lossy(&heard));
        let (first, rest) = body.as_bytes().split_at(1);
        stream.write_all(first).await.unwrap();
        Self { stream, rest }
    }

    pub(super) async fn end(mut self) -> Reply {
        self.stream.write_all(self.rest).await.unwrap();
        let mut bytes = Vec::new();
        self.stream.read_to_end(&mut bytes).await.unwrap();
        Reply::read(&bytes)
    }
}

pub(super) async fn stop(editor: &EditorHarness, execution: &str) {
    let stopped = editor
        .app
        .call("POST", &format!("/api/v1/executions/{execution}/stop"))
        .key(&editor.key)
        .send()
        .await;
    assert_eq!(stopped.status, 200, "{}", stopped.body);
}

pub(super) async fn delete(editor: &EditorHarness, execution: &str) {
    let deleted = editor
        .app
        .call("DELETE", &format!("/api/v1/executions/{execution}"))
        .key(&editor.key)
        .send()
        .await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
}

async fn check(kind: &WaitKind, interference: Interference) {
    let editor = EditorHarness::new().await;
    let execution = editor.begun(&json!({ "workflow": (kind.workflow()) })).await;
    waits_at(&editor, &execution, "First").await;
    let first = kind.path(&editor, &execution).await;
    let held = kind.begin(&editor, &first).await;
    let stands = match interference {
        Interference::Stopped => {
            stop(&editor, &execution).await;
            "canceled"
        }
        Interference::Deleted => {
            delete(&editor, &execution).await;
            let late = held.end().await;
            assert_eq!(
                (late.status, late.text("code").as_str()),
                (404, "EXECUTION_NOT_FOUND"),
                "{}",
                late.body
            );
            assert_eq!(editor.get(&format!("/executions/{execution}")).await.status, 404);
            return;
        }
        Interference::Resumed | Interference::Finished => {
            let taken = kind.send(&editor, &first).await;
            assert!(taken.status < 400, "{}", taken.body);
            waits_at(&editor, &execution, "Second").await;
            "waiting"
        }
    };
    let stands = match interference {
        Interference::Finished => {
            let second = kind.path(&editor, &execution).await;
            assert!(kind.send(&editor, &second).await.status < 400);
            "success"
        }
        Interference::Resumed | Interference::Stopped | Interference::Deleted => stands,
    };
    let before = editor.outline(&execution).await;
    let late = held.end().await;
    assert_eq!(
        (late.status, late.text("code").as_str()),
        (409, "EXECUTION_STATUS"),
        "{interference:?} {}",
        late.body
    );
    let after = editor.outline(&execution).await;
    assert_eq!(
        (text(&after, "status"), order(&after)),
        (stands, order(&before)),
        "{interference:?}"
    );
}

#[tokio::test]
async fn issue_15_01_a_call_that_ends_late_wakes_no_other_wait() {
    for interference in ALL {
        check(&WEBHOOK, interference).await;
    }
}

#[tokio::test]
async fn issue_15_01_a_form_that_is_sent_late_wakes_no_other_wait() {
    for interference in ALL {
        check(&FORM, interference).await;
    }
}

#[tokio::test]
async fn issue_15_03_a_run_that_is_being_woken_goes_on_after_its_caller_has_gone() {
    let editor = EditorHarness::new().await;
    let execution = editor.begun(&json!({ "workflow": (WEBHOOK.workflow()) })).await;
    waits_at(&editor, &execution, "First").await;
    let row =
        editor.app.runtime.store.execution(execution.parse().unwrap()).await.unwrap().unwrap();
    // It is polled once, and dropped while it reads the run; until the run has fallen asleep, it is
    // turned away at once.
    while let Some(woken) = editor.app.runtime.wake(&row).now_or_never() {
        assert!(matches!(woken, Err(runtime::Error::WrongStatus { .. })));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    wakes_once(&editor, &execution).await;
}

#[tokio::test]
async fn issue_15_03_a_run_that_was_decided_about_goes_on_after_its_caller_has_gone() {
    let editor = EditorHarness::new().await;
    let execution = editor.begun(&json!({ "workflow": (WEBHOOK.workflow()) })).await;
    waits_at(&editor, &execution, "First").await;
    let id: i64 = execution.parse().unwrap();
    editor.app.runtime.store.set_status(id, RunStatus::Uncertain).await.unwrap();
    assert!(
        editor
            .app
            .runtime
            .resume_decided(id, runtime::Decision::undecided())
            .now_or_never()
            .is_none(),
        "it was dropped before it was done"
    );
    wakes_once(&editor, &execution).await;
}

/// The run goes on to its second wait by itself, no further, and can be called there.
async fn wakes_once(editor: &EditorHarness, execution: &str) {
    waits_at(editor, execution, "Second").await;
    assert_eq!(order(&editor.outline(execution).await).last().map(String::as_str), Some("Second"));
    let second = WEBHOOK.path(editor, execution).await;
    assert_eq!(WEBHOOK.send(editor, &second).await.status, 200);
    assert_eq!(text(&editor.outline(execution).await, "status"), "success");
}

#[tokio::test]
async fn issue_15_01_a_time_that_has_come_wakes_the_wait_that_it_was_for_and_no_other() {
    let editor = EditorHarness::new().await;
    let waits =
        |amount: i32| json!({ "resume": "timeInterval", "amount": (amount), "unit": "hours" });
    let drawn = row(&[
        ("Start", "manualTrigger", json!({})),
        ("First", "wait@1.1", waits(1)),
        ("Second", "wait@1.1", waits(2)),
    ]);
    let execution = editor.begun(&json!({ "workflow": (drawn) })).await;
    waits_at(&editor, &execution, "First").await;
    let seen =
        editor.app.runtime.store.execution(execution.parse().unwrap()).await.unwrap().unwrap();
    assert!(editor.app.runtime.wake(&seen).await.unwrap().is_some());
    waits_at(&editor, &execution, "Second").await;
    let late = editor.app.runtime.wake(&seen).await;
    assert!(matches!(late, Err(runtime::Error::WrongStatus { .. })), "it sleeps elsewhere by now");
    assert_eq!(text(&editor.outline(&execution).await, "status"), "waiting");
}
