//! Links that let a waiting run go on: each for one wait of one run, and shown to those who may let
//! it go on.

use super::{EditorHarness, row, text};
use crate::app::Reply;
use model::{Value, json};
use store::ApiKeyStore as _;
use store::projects::{ProjectRole, ProjectStore as _};
use store::users::UserRole;

fn twice() -> Value {
    let wait = || json!({ "resume": "webhook", "httpMethod": "POST", "options": {} });
    row(&[
        ("Start", "manualTrigger", json!({})),
        ("First", "wait@1.1", wait()),
        ("Second", "wait@1.1", wait()),
    ])
}

/// What an expression about an execution gives somebody.
async fn shown(editor: &EditorHarness, key: &str, execution: &str, expression: &str) -> Reply {
    let body = json!({ "workflow": (twice()), "workflowId": (editor.workflow.as_str()), "node": "First", "expression": (expression), "executionId": (execution) });
    editor
        .app
        .call("POST", "/api/v1/workflows/expression")
        .key(key)
        .json(&model::json::to_string(&body))
        .send()
        .await
}

/// The path of the link that lets an execution go on now.
async fn link(editor: &EditorHarness, execution: &str) -> String {
    let shown =
        shown(editor, &editor.key, execution, "={{ $execution.resumeUrl }}").await.text("text");
    format!("/{}", shown.splitn(4, '/').nth(3).unwrap_or_else(|| panic!("no link: {shown}")))
}

/// Waits until an execution sleeps at a node. It says so a moment before it can be woken.
pub(super) async fn waits_at(editor: &EditorHarness, execution: &str, node: &str) {
    let began = std::time::Instant::now();
    loop {
        let outline = editor.outline(execution).await;
        let is_there = text(&outline, "status") == "waiting"
            && outline.get("nodes").is_some_and(|nodes| nodes.get(node).is_some());
        if is_there && !editor.app.runtime.runner.is_running(execution.parse().unwrap()) {
            return;
        }
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "{outline:?}");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn issue_14_00_a_link_lets_a_run_go_on_from_its_own_wait_and_from_no_other() {
    let editor = EditorHarness::new().await;
    let execution = editor.begun(&json!({ "workflow": (twice()) })).await;
    waits_at(&editor, &execution, "First").await;
    let first = link(&editor, &execution).await;
    assert_eq!(editor.app.call("POST", &first).send().await.status, 200);
    waits_at(&editor, &execution, "Second").await;
    let stale = editor.app.call("POST", &first).send().await;
    assert_eq!((stale.status, stale.text("code")), (409, "EXECUTION_STATUS".to_owned()));
    let second = link(&editor, &execution).await;
    assert_ne!(first, second);
    assert_eq!(editor.app.call("POST", &second).send().await.status, 200);
    assert_eq!(text(&editor.outline(&execution).await, "status"), "success");
}

#[tokio::test]
async fn issue_14_00_whoever_only_looks_is_shown_no_link() {
    let editor = EditorHarness::new().await;
    let execution = editor.begun(&json!({ "workflow": (twice()) })).await;
    waits_at(&editor, &execution, "First").await;
    let user = editor.app.user("viewer@x.y", UserRole::Editor).await;
    editor.app.store.set_members("personal", vec![(user.id, ProjectRole::Viewer)]).await.unwrap();
    let viewer = editor.app.key("viewer@x.y", &["*"]).await;
    for expression in [
        "={{ $execution.resumeUrl }}",
        "={{ $execution.resumeFormUrl }}",
        "={{ JSON.stringify($execution) }}",
    ] {
        let reply = shown(&editor, &viewer, &execution, expression).await;
        assert!(
            reply.status == 403 || reply.status == 404 || !reply.body.contains("-waiting/"),
            "{}",
            reply.body
        );
    }
    let reading = editor.app.key("owner@localhost", &["workflow:read", "execution:read"]).await;
    assert!(
        !shown(&editor, &reading, &execution, "={{ $execution.resumeUrl }}")
            .await
            .body
            .contains("-waiting/")
    );
    assert!(link(&editor, &execution).await.starts_with("/webhook-waiting/"));
}

/// A link of the release in which it was good for every wait of its run.
async fn old_link(editor: &EditorHarness, execution: &str) -> String {
    let secret = editor.app.store.secret("resume_tickets").await.unwrap();
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, secret.as_bytes());
    let signature: String = aws_lc_rs::hmac::sign(&key, execution.as_bytes())
        .as_ref()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{execution}-{}", &signature[..32])
}

#[tokio::test]
async fn issue_14_00_a_link_from_before_an_upgrade_is_good_for_the_wait_that_its_run_was_at() {
    let editor = EditorHarness::new().await;
    let execution = editor.begun(&json!({ "workflow": (twice()) })).await;
    waits_at(&editor, &execution, "First").await;
    let old = old_link(&editor, &execution).await;
    let refused = editor.app.call("POST", &format!("/webhook-waiting/{old}")).send().await;
    assert_eq!(refused.status, 409, "this run began after the upgrade: {}", refused.body);
    // As if the upgrade had come after the run began to wait.
    let raw = rusqlite::Connection::open(editor.app.folder.0.join("heddle.db")).unwrap();
    raw.execute(
        "UPDATE facts SET value = ?1 WHERE key = 'links_named_waits_ms'",
        [i64::MAX.to_string()],
    )
    .unwrap();
    let upgraded = editor.app.runtime_at_rest().await;
    assert!(upgraded.waiting(&old, "").await.unwrap().is_some());
    raw.execute(
        "UPDATE facts SET value = ?1 WHERE key = 'links_named_waits_ms'",
        [now_ms().to_string()],
    )
    .unwrap();
    assert_eq!(editor.app.call("POST", &link(&editor, &execution).await).send().await.status, 200);
    waits_at(&editor, &execution, "Second").await;
    let upgraded = editor.app.runtime_at_rest().await;
    assert!(upgraded.waiting(&old, "").await.is_err(), "it has gone on since");
}

fn now_ms() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64
}
