//! Messages of a chat whose end comes when the run that waited for them is somewhere else. They
//! name a conversation and no wait: a run of it that still waits gets them, and if none does they
//! begin a new one. Nobody's words are lost, and no run comes back to life.

use super::late_calls::{ALL, Meanwhile, OpenCall, delete, stop};
use super::resume_links::waits_at;
use super::{Desk, row, text};
use crate::api::disconnects::runs_of;
use model::json;

const PATH: &str = "/webhook/the-chat/chat";
const LATE: &str = r#"{"action":"sendMessage","sessionId":"s","chatInput":"late"}"#;

/// A chat that asks twice, and answers with the reply to its second question.
async fn listening(desk: &Desk) -> String {
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
    let id = desk.post("/workflows", &document).await.text("id");
    assert_eq!(desk.post(&format!("/workflows/{id}/activate"), &json!({})).await.status, 200);
    id
}

async fn say(desk: &Desk, words: &str) -> String {
    let body = json!({ "action": "sendMessage", "sessionId": "s", "chatInput": (words) });
    let reply = desk.app.call("POST", PATH).json(&model::json::to_string(&body)).send().await;
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.body
}

async fn status(desk: &Desk, execution: &str) -> String {
    text(&desk.outline(execution).await, "status").to_owned()
}

#[tokio::test]
async fn issue_15_01_a_message_that_ends_late_goes_to_whoever_waits_then_and_to_nobody_else() {
    for meanwhile in ALL {
        let desk = Desk::new().await;
        let workflow = listening(&desk).await;
        assert!(say(&desk, "hi").await.contains("First?"));
        let execution = runs_of(&desk.app, &workflow).await[0].id.to_string();
        waits_at(&desk, &execution, "First").await;
        let held = OpenCall::begin(&desk, PATH, "application/json", LATE).await;
        match meanwhile {
            Meanwhile::Stopped => stop(&desk, &execution).await,
            Meanwhile::Deleted => delete(&desk, &execution).await,
            Meanwhile::Resumed | Meanwhile::Finished => {
                assert!(say(&desk, "one").await.contains("Second?"));
                waits_at(&desk, &execution, "Second").await;
            }
        }
        if matches!(meanwhile, Meanwhile::Finished) {
            assert!(say(&desk, "two").await.contains("two"));
            assert_eq!(status(&desk, &execution).await, "success");
        }
        let late = held.end().await;
        assert_eq!(late.status, 200, "{meanwhile:?} {}", late.body);
        let runs = runs_of(&desk.app, &workflow).await;
        let ids: Vec<String> = runs.iter().map(|run| run.id.to_string()).collect();
        match meanwhile {
            // The conversation goes on.
            Meanwhile::Resumed => {
                assert!(late.body.contains("late"), "{}", late.body);
                assert_eq!(
                    (ids, status(&desk, &execution).await),
                    (vec![execution.clone()], "success".to_owned())
                );
            }
            Meanwhile::Stopped => {
                assert!(late.body.contains("First?") && ids.len() == 2, "{}", late.body);
                assert_eq!(status(&desk, &execution).await, "canceled");
            }
            Meanwhile::Finished => {
                assert!(late.body.contains("First?") && ids.len() == 2, "{}", late.body);
                assert_eq!(status(&desk, &execution).await, "success");
            }
            Meanwhile::Deleted => assert!(
                late.body.contains("First?") && ids.len() == 1 && ids[0] != execution,
                "{ids:?}"
            ),
        }
    }
}
