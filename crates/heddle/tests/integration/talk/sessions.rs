//! Conversations of OpenAI's API stay with those who hold them, whatever a workflow makes of the
//! name of a session.

use super::openai::ask;
use super::{ChatHarness, message, with_memory};
use crate::support::{Reply as Answer, heddle};
use serde_json::{Value, json};
use testkit::ScriptedReply;

/// Agrees with everything.
fn yes(times: usize) -> Vec<ScriptedReply> {
    (0..times).map(|_| ScriptedReply::text("Yes.")).collect()
}

/// Lets the memory name sessions by an expression.
fn with_key(document: &mut Value, expression: &str) {
    with_memory(document);
    let nodes = document["nodes"].as_array_mut().unwrap();
    let memory = nodes.iter_mut().find(|node| node["name"] == "Memory").unwrap();
    memory["parameters"]["sessionId"] = json!(expression);
}

/// The names by which somebody could try to open the session that the last execution had: as it was
/// shown there, plain, and signed by themselves.
struct SessionNames {
    shown: String,
    plain: String,
    forged: String,
}

fn names(talk: &ChatHarness) -> SessionNames {
    let executions =
        talk.server.api("GET", "/executions?includeData=true", None).json().to_string();
    let shown = executions
        .split("\"sessionId\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap()
        .to_owned();
    let plain = shown.splitn(3, '.').nth(2).unwrap().to_owned();
    assert!(shown.starts_with("signed.") && plain.ends_with(":ada"), "{shown}");
    let forged = format!("signed.{}.{plain}", "0".repeat(32));
    SessionNames { shown, plain, forged }
}

/// Ada tells a secret through OpenAI's API; others try to hear of it, and then she goes on.
fn check(talk: &ChatHarness, attempts: impl FnOnce(&SessionNames) -> Vec<Answer>) {
    let mut body = ask("The secret is 42.");
    body["user"] = json!("ada");
    let told = talk.v1("/chat/completions", Some(&body));
    assert_eq!(told.status, 200, "{}", told.text());
    let answers = attempts(&names(talk));
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer.status, 200, "{}", answer.text());
        let heard = talk.model_messages(1 + number);
        assert!(!heard.iter().any(|(_, words)| words.contains("42")), "{number}: {heard:?}");
    }
    body["messages"][0]["content"] = json!("And now?");
    assert_eq!(talk.v1("/chat/completions", Some(&body)).status, 200);
    let heard = talk.model_messages(1 + answers.len());
    assert!(
        heard.len() == 4 && heard[1].1.contains("The secret is 42."),
        "she goes on with what she said: {heard:?}"
    );
}

const WORDS: &str = "What is the secret?";

#[test]
fn issue_14_11_a_session_key_of_the_workflows_own_keeps_conversations_apart() {
    for (name, key) in [
        ("key-before", "={{ 'support-' + $json.sessionId }}"),
        ("key-replaced", "={{ $json.sessionId.replaceAll(':', '-') }}"),
        ("key-plain", "={{ $json.sessionId }}"),
    ] {
        let chat = json!({ "public": true, "options": { "loadPreviousSession": "memory" } });
        let talk = ChatHarness::start_with(name, chat, yes(6), |document| with_key(document, key));
        check(&talk, |names| {
            let tried = [&names.shown, &names.plain, &names.forged, &names.plain.replace(':', "-")];
            for session in tried {
                let previous = talk.send_message(
                    &json!({ "action": "loadPreviousSession", "sessionId": session }),
                );
                assert!(
                    previous.status == 200 && !previous.text().contains("42"),
                    "{key} {session}: {}",
                    previous.text()
                );
            }
            tried.map(|session| talk.send_message(&message(WORDS, session))).into()
        });
    }
}

#[test]
fn issue_14_11_a_called_workflow_keeps_conversations_apart() {
    let part = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let mut called = Value::Null;
    let talk = ChatHarness::start_with(
        "session-called",
        json!({ "public": true, "options": {} }),
        yes(5),
        |document| {
            with_memory(document);
            called = document.clone();
            called["id"] = json!("called");
            called["nodes"][0] = part("Chat", "executeWorkflowTrigger", 1.0, json!({}));
            called["connections"]["Memory"] =
                json!({ "ai_memory": [[{ "node": "Agent", "type": "ai_memory", "index": 0 }]] });
            let field = |name: &str| json!({ "id": name, "name": name, "value": format!("={{{{ $json.{name} }}}}"), "type": "string" });
            let fields = json!({ "assignments": { "assignments": [field("sessionId"), field("chatInput")] }, "options": {} });
            let target = json!({ "source": "database", "workflowId": { "__rl": true, "mode": "id", "value": "called" }, "options": {} });
            let trigger = document["nodes"][0].clone();
            document["nodes"] = json!([
                trigger,
                part("Pick", "set", 3.4, fields),
                part("Call", "executeWorkflow", 1.2, target)
            ]);
            let to =
                |node: &str| json!({ "main": [[{ "node": node, "type": "main", "index": 0 }]] });
            document["connections"] = json!({ "Chat": to("Pick"), "Pick": to("Call") });
        },
    );
    let file = talk.folder.write_json("called", &called);
    heddle(&talk.folder.0, &["import", file.to_str().unwrap()]);
    check(&talk, |names| {
        [&names.shown, &names.plain, &names.forged]
            .map(|session| talk.send_message(&message(WORDS, session)))
            .into()
    });
}

#[test]
fn issue_14_11_a_webhook_opens_no_conversation_of_openais_api() {
    for (name, key) in [
        ("hook-before", "={{ 'support-' + ($json.sessionId ?? $json.body.sessionId) }}"),
        ("hook-plain", "={{ $json.sessionId ?? $json.body.sessionId }}"),
    ] {
        let talk = ChatHarness::start_with(
            name,
            json!({ "public": true, "options": {} }),
            yes(4),
            |document| {
                with_key(document, key);
                document["nodes"][1]["parameters"]["userMessage"] =
                    json!("={{ $json.chatInput ?? $json.body.chatInput }}");
                let hook = json!({ "httpMethod": "POST", "path": "anybody", "responseMode": "lastNode", "options": {} });
                let hook = json!({ "id": "hook", "name": "Hook", "type": "n8n-nodes-base.webhook", "typeVersion": 2, "position": [0, 0], "webhookId": "hook", "parameters": hook });
                document["nodes"].as_array_mut().unwrap().push(hook);
                document["connections"]["Hook"] = document["connections"]["Chat"].clone();
            },
        );
        check(&talk, |names| {
            let say = |session: &String| {
                talk.server.call("POST", "/webhook/anybody", Some(&message(WORDS, session)))
            };
            [&names.plain, &names.forged].map(say).into()
        });
    }
}
