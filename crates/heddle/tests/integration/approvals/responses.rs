//! What whoever waits for an answer, or watches, is told of a run that asks a person.

use super::{ApprovalHarness, node, option, send, to};
use crate::support::{request, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use testkit::ScriptedReply;

fn answers(document: &mut Value, mode: &str) {
    document["nodes"][0]["parameters"]["responseMode"] = json!(mode);
}

#[test]
fn a_caller_who_waits_for_the_answer_is_told_that_a_person_is_asked() {
    for mode in ["lastNode", "responseNode"] {
        let scene = ApprovalHarness::start_with(
            &format!("told-{mode}"),
            vec![send("ada"), ScriptedReply::text("done")],
            |document| answers(document, mode),
        );
        let reply = scene.call();
        assert_eq!(
            (reply.status, reply.json()),
            (202, json!({ "message": "Waiting for approval", "executionId": "1" })),
            "{mode}"
        );
        assert_eq!(scene.pending_approvals().len(), 1, "{mode}");
    }
}

#[test]
fn a_stream_ends_honestly_and_shows_no_arguments_to_strangers() {
    let scene = ApprovalHarness::start_with(
        "told-stream",
        vec![send("ada"), ScriptedReply::text("done")],
        |document| answers(document, "streaming"),
    );
    let reply = scene.call();
    let lines: Vec<Value> =
        reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["begin", "approval", "item", "done", "end"], "{lines:?}");
    let asked = lines[1]["content"].as_object().unwrap();
    assert_eq!(
        asked.keys().collect::<Vec<_>>(),
        ["id", "name", "untilMs"],
        "what a tool is given is not for strangers"
    );
    assert!(lines[2]["content"].as_str().unwrap().contains("Waiting for approval"));
    assert_eq!(lines[3]["content"], json!({ "finishReason": "approval" }));
    assert!(!reply.text().contains("\"ada\""));
}

#[test]
fn a_chat_says_that_it_waits_and_the_next_message_begins_anew() {
    let scene = ApprovalHarness::start_with(
        "told-chat",
        vec![send("ada"), ScriptedReply::text("Hello.")],
        |document| {
            let chat = json!({ "public": true, "options": { "responseMode": "lastNode" } });
            document["nodes"][0] =
                node("Webhook", "@n8n/n8n-nodes-langchain.chatTrigger", 1.4, chat);
            document["nodes"][0]["webhookId"] = json!("the-chat");
            document["nodes"][1]["parameters"]["userMessage"] = json!("={{ $json.chatInput }}");
        },
    );
    let say = |text: &str| {
        let body = json!({ "action": "sendMessage", "sessionId": "s-1", "chatInput": text });
        scene.server.call("POST", "/webhook/the-chat/chat", Some(&body)).json()
    };
    assert!(say("send it")["output"].as_str().unwrap().starts_with("Waiting for approval"));
    assert_eq!(
        say("approved")["response"],
        "Hello.",
        "words in the chat decide nothing; they begin a run of their own"
    );
    assert_eq!((scene.pending_approvals().len(), scene.sent("ada")), (1, 0));
    let headers = [("x-n8n-api-key", scene.server.key()), ("content-type", "application/json")];
    scene.models.script([send("bob")]);
    let body =
        json!({ "model": "asks", "messages": [{ "role": "user", "content": "go" }] }).to_string();
    let answer =
        request(&scene.server.address, "POST", "/v1/chat/completions", &headers, body.as_bytes())
            .unwrap();
    let words = answer.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned();
    assert!(answer.status == 200 && words.contains("Waiting for approval"), "{}", answer.text());
}

/// The events of a stream up to one of this kind.
fn events(scene: &ApprovalHarness, path: &str, until: &str) -> Vec<(String, Value)> {
    let mut stream = TcpStream::connect(&scene.server.address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    write!(
        stream,
        "GET /api/v1{path} HTTP/1.1\r\nhost: {}\r\nx-n8n-api-key: {}\r\n\r\n",
        scene.server.address,
        scene.server.key()
    )
    .unwrap();
    let (mut kind, mut heard) = (String::new(), Vec::new());
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        if let Some(told) = line.strip_prefix("event: ") {
            told.clone_into(&mut kind);
        } else if let Some(data) = line.strip_prefix("data: ") {
            heard.push((kind.clone(), serde_json::from_str(data).unwrap()));
            if kind == until {
                break;
            }
        }
    }
    heard
}

#[test]
fn events_and_the_timeline_tell_what_was_asked_and_decided() {
    let scene = ApprovalHarness::start_with(
        "told-events",
        vec![send("ada"), send("bob"), ScriptedReply::text("done")],
        |document| {
            option(document, "approvalHours", json!(1));
        },
    );
    let id = scene.ask(1);
    scene.wait_for(&id, "waiting");
    let timeline =
        || scene.server.api("GET", &format!("/executions/{id}/agent?node=Agent"), None).json();
    let open = timeline();
    assert_eq!(open["finishReason"], "approval", "{open}");
    let call = &open["iterations"][0]["toolCalls"][0];
    assert!(
        call["approval"]["decision"].is_null()
            && call["approval"]["waitedMs"].is_null()
            && call.get("result").is_none(),
        "{call}"
    );
    assert_eq!(open["approvals"][0]["arguments"], json!({ "to": "ada" }));
    let asked = scene.open_approval("ada");
    assert_eq!(scene.decide(&asked, "approve").status, 200);
    scene.wait_for_questions(1);
    wait_until("it asks about the next", || {
        scene.pending_approvals()[0]["arguments"]["to"] == "bob"
    });
    let second = scene.open_approval("bob");
    let body = json!({ "call": second["call"], "digest": second["digest"], "decision": "reject", "reason": "No" });
    assert_eq!(scene.decide_with(&second, body).status, 200);
    scene.wait_for(&id, "success");

    let over = timeline();
    let told = |iteration: usize| over["iterations"][iteration]["toolCalls"][0]["approval"].clone();
    for (approval, decision, reason) in
        [(told(0), "approved", Value::Null), (told(1), "rejected", json!("No"))]
    {
        assert_eq!(
            (&approval["decision"], &approval["reason"], &approval["by"]),
            (&json!(decision), &reason, &json!("owner@localhost"))
        );
        let waited =
            approval["decidedMs"].as_i64().unwrap() - approval["askedMs"].as_i64().unwrap();
        assert_eq!(approval["waitedMs"].as_i64(), Some(waited));
    }
    assert_eq!(
        (over["approvals"].as_array().unwrap().len(), &over["finishReason"]),
        (2, &json!("completed"))
    );

    let heard = events(&scene, &format!("/executions/{id}/events"), "executionFinished");
    let waiting = heard.iter().find(|(kind, _)| kind == "executionWaiting").unwrap();
    assert_eq!((&waiting.1["asks"], waiting.1["untilMs"].is_number()), (&json!(true), true));
    // The stream of one run ends where it stands still; all of it is in the journal behind the last
    // event that was heard.
    let approvals: Vec<&Value> =
        heard.iter().filter(|(kind, _)| kind == "approval").map(|(_, data)| data).collect();
    assert_eq!(approvals[0]["arguments"], json!({ "to": "ada" }));
    assert_eq!(
        (&approvals[0]["call"], &approvals[0]["digest"], &approvals[0]["decision"]),
        (&asked["call"], &asked["digest"], &Value::Null)
    );
    assert!(
        !heard.iter().any(|(kind, data)| kind == "nodeStep"
            && data["step"].as_str().unwrap().ends_with(" approval"))
    );
}

/// A node after the agent runs only when all is decided, and a workflow without the option is as it
/// was.
#[test]
fn without_the_option_nobody_is_asked() {
    let scene = ApprovalHarness::start_with(
        "told-never",
        vec![send("ada"), ScriptedReply::text("done")],
        |document| {
            option(document, "askBefore", json!("never"));
            document["nodes"].as_array_mut().unwrap().push(node(
                "After",
                "n8n-nodes-base.noOp",
                1.0,
                json!({}),
            ));
            document["connections"]["Agent"] = to("After", "main");
            answers(document, "lastNode");
        },
    );
    let reply = scene.call();
    assert_eq!((reply.status, &reply.json()["response"]), (200, &json!("done")));
    assert_eq!((scene.sent("ada"), scene.pending_approvals().len()), (1, 0));
}
