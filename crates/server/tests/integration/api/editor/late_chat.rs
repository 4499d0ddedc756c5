//! Messages of a chat whose end comes when the run that waited for them is somewhere else. They
//! name a conversation and no wait: a run of it that still waits gets them, and if none does they
//! begin a new one. Nobody's words are lost, and no run comes back to life.

use super::late_calls::{ALL, Interference, OpenCall, delete, stop};
use super::resume_links::waits_at;
use super::{EditorHarness, row, text};
use crate::api::disconnects::runs_of;
use model::json;

const PATH: &str = "/webhook/the-chat/chat";
const LATE: &str = r#"{"action":"sendMessage","sessionId":"s","chatInput":"late"}"#;

/// A chat that asks twice, and answers with the reply to its second question.
async fn listening(editor: &EditorHarness) -> String {
    let asks =
        |words: &str| json!({ "message": (words), "operation": "sendAndWait", "options": {} });
    let mut document = row(&[
        (
            "Chat",
            "@n8n/n8n-nodes-langchain.chatTrigger@1.4",
            json!({ "public": true, "options": { "responseMode": "lastNode" } }),
        ),
        ("First", "@n8n/n8n-nodes-langchain.chat@1.2", asks("First?")),
        ("Second", "@n8n/n8n-nodes-langchain.chat@1.2", asks("Second?")),
        ("After", "noOp", json!({})),
    ]);
    let nodes = document.make_object().entry("nodes").make_array();
    nodes[0].make_object().insert("webhookId", "the-chat");
    let id = editor.post("/workflows", &document).await.text("id");
    assert_eq!(editor.post(&format!("/workflows/{id}/activate"), &json!({})).await.status, 200);
    id
}

async fn send_message(editor: &EditorHarness, words: &str) -> String {
    let body = json!({ "action": "sendMessage", "sessionId": "s", "chatInput": (words) });
    let reply = editor.app.call("POST", PATH).json(&model::json::to_string(&body)).send().await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

async fn status(editor: &EditorHarness, execution: &str) -> String {
    text(&editor.outline(execution).await, "status").to_owned()
}

#[tokio::test]
async fn issue_15_01_a_message_that_ends_late_goes_to_whoever_waits_then_and_to_nobody_else() {
    for interference in ALL {
        let editor = EditorHarness::new().await;
        let workflow = listening(&editor).await;
        assert!(send_message(&editor, "hi").await.contains("First?"));
        let execution = runs_of(&editor.app, &workflow).await[0].id.to_string();
        waits_at(&editor, &execution, "First").await;
        let held = OpenCall::begin(&editor, PATH, "application/json", LATE).await;
        match interference {
            Interference::Stopped => stop(&editor, &execution).await,
            Interference::Deleted => delete(&editor, &execution).await,
            Interference::Resumed | Interference::Finished => {
                assert!(send_message(&editor, "one").await.contains("Second?"));
                waits_at(&editor, &execution, "Second").await;
            }
        }
        if matches!(interference, Interference::Finished) {
            assert!(send_message(&editor, "two").await.contains("two"));
            assert_eq!(status(&editor, &execution).await, "success");
        }
        let late = held.end().await;
        assert_eq!(late.status, 200, "{interference:?} {}", late.body);
        let runs = runs_of(&editor.app, &workflow).await;
        let ids: Vec<String> = runs.iter().map(|run| run.id.to_string()).collect();
        match interference {
            // The conversation goes on.
            Interference::Resumed => {
                assert!(late.body.contains("late"), "{}", late.body);
                assert_eq!(
                    (ids, status(&editor, &execution).await),
                    (vec![execution.clone()], "success".to_owned())
                );
            }
            Interference::Stopped => {
                assert!(late.body.contains("First?") && ids.len() == 2, "{}", late.body);
                assert_eq!(status(&editor, &execution).await, "canceled");
            }
            Interference::Finished => {
                assert!(late.body.contains("First?") && ids.len() == 2, "{}", late.body);
                assert_eq!(status(&editor, &execution).await, "success");
            }
            Interference::Deleted => assert!(
                late.body.contains("First?") && ids.len() == 1 && ids[0] != execution,
                "{ids:?}"
            ),
        }
    }
}
