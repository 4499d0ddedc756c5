//! What n8n's chat widget sends and expects, at the address of a chat.

use super::{ChatHarness, calculation, message, with_memory};
use crate::support::request;
use serde_json::{Value, json};
use testkit::ScriptedReply;

fn public(options: Value) -> Value {
    json!({ "public": true, "options": options })
}

#[test]
fn a_message_starts_a_run_and_the_last_node_answers() {
    let talk =
        ChatHarness::start("chat-last", public(json!({})), vec![ScriptedReply::text("Hello!")]);
    let reply = talk.send_message(&message("Hi", "s-1"));
    assert_eq!((reply.status, &reply.json()["response"]), (200, &json!("Hello!")));
    let executions = talk.server.executions();
    let item =
        &executions[0]["data"]["resultData"]["runData"]["Chat"][0]["data"]["main"][0][0]["json"];
    assert_eq!(*item, json!({ "action": "sendMessage", "sessionId": "s-1", "chatInput": "Hi" }));
    assert_eq!(executions[0]["mode"], "webhook");
}

#[test]
fn an_answer_streams_as_n8n_writes_it_and_tells_which_tools_are_used() {
    let talk = ChatHarness::start(
        "chat-stream",
        public(json!({ "responseMode": "streaming" })),
        calculation(),
    );
    let lines = talk.lines(&message("6*7?", "s-1"));
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!((kinds[0], *kinds.last().unwrap()), ("begin", "end"), "{kinds:?}");
    let words: String = lines
        .iter()
        .filter(|line| line["type"] == "item")
        .map(|line| line["content"].as_str().unwrap())
        .collect();
    assert_eq!(words, "It is 42.");
    let started = lines.iter().find(|line| line["type"] == "tool-start").unwrap();
    assert_eq!(started["content"], json!({ "id": "call_1", "name": "calculator" }));
    let ended = &lines.iter().find(|line| line["type"] == "tool-end").unwrap()["content"];
    assert_eq!(
        (&ended["name"], &ended["isError"], &ended["result"]),
        (&json!("calculator"), &json!(false), &Value::Null)
    );
    for line in &lines {
        assert_eq!(
            (&line["metadata"]["nodeName"], &line["metadata"]["nodeId"]),
            (&json!("Agent"), &json!("Agent")),
            "{line}"
        );
    }
}

#[test]
fn the_author_decides_how_much_is_told_of_tools() {
    let kinds = |detail: &str| {
        let options = json!({ "responseMode": "streaming", "eventDetail": detail });
        let talk =
            ChatHarness::start(&format!("chat-detail-{detail}"), public(options), calculation());
        talk.lines(&message("6*7?", "s-1"))
    };
    assert!(
        kinds("answer")
            .iter()
            .all(|line| ["begin", "item", "end"].contains(&line["type"].as_str().unwrap()))
    );
    let everything = kinds("everything");
    let found = |kind: &str| {
        everything.iter().find(|line| line["type"] == kind).unwrap_or_else(|| panic!("no {kind}"))["content"].clone()
    };
    assert_eq!(
        (&found("tool-start")["arguments"], &found("tool-end")["result"]),
        (&json!({ "expression": "6*7" }), &json!("42"))
    );
    assert_eq!(
        (&found("usage")["inputTokens"], &found("done")["finishReason"]),
        (&json!(11), &json!("completed"))
    );
}

#[test]
fn a_conversation_that_is_opened_again_comes_from_the_memory() {
    let options = public(json!({ "loadPreviousSession": "memory" }));
    let replies = vec![
        ScriptedReply::call("calculator", json!({ "expression": "6*7" })),
        ScriptedReply::text("It is 42."),
        ScriptedReply::text("Bye."),
    ];
    let talk = ChatHarness::start_with("chat-previous", options, replies, with_memory);
    talk.send_message(&message("6*7?", "s-1"));
    talk.send_message(&message("Thanks", "s-2"));
    let previous = |session: &str| {
        talk.send_message(&json!({ "action": "loadPreviousSession", "sessionId": session })).json()
    };
    let said = previous("s-1");
    let said: Vec<(&str, &str)> = said["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            (message["id"][2].as_str().unwrap(), message["kwargs"]["content"].as_str().unwrap())
        })
        .collect();
    assert_eq!(said, [("HumanMessage", "6*7?"), ("AIMessage", "It is 42.")]);
    assert_eq!(previous("s-3"), json!({ "data": [] }));
    assert_eq!(previous("default"), json!({ "data": [] }), "everybody's conversation is nobody's");
    assert_eq!(talk.server.executions().len(), 2, "looking back is no run");
}

#[test]
fn without_the_option_nothing_is_told_of_earlier_conversations() {
    let talk = ChatHarness::start_with(
        "chat-off",
        public(json!({})),
        vec![ScriptedReply::text("Hello!")],
        with_memory,
    );
    talk.send_message(&message("Hi", "s-1"));
    assert_eq!(
        talk.send_message(&json!({ "action": "loadPreviousSession", "sessionId": "s-1" })).json(),
        json!({ "data": [] })
    );
}

fn form(parts: &[(&str, Option<&str>, &str)]) -> Vec<u8> {
    let mut body = String::new();
    for (name, file, content) in parts {
        let file = file
            .map(|file| format!("; filename=\"{file}\"\r\ncontent-type: image/png"))
            .unwrap_or_default();
        body.push_str(&format!(
            "--edge\r\ncontent-disposition: form-data; name=\"{name}\"{file}\r\n\r\n{content}\r\n"
        ));
    }
    (body + "--edge--\r\n").into_bytes()
}

#[test]
fn files_come_with_a_message_where_they_are_taken() {
    let body = form(&[
        ("action", None, "sendMessage"),
        ("sessionId", None, "s-1"),
        ("chatInput", None, "What is this?"),
        ("files", Some("a.png"), "one"),
        ("files", Some("b.png"), "two"),
    ]);
    let send = |name: &str, options: Value| {
        let talk =
            ChatHarness::start(name, public(options), vec![ScriptedReply::text("Two pictures.")]);
        let headers = [("content-type", "multipart/form-data; boundary=edge")];
        let reply =
            request(&talk.server.address, "POST", "/webhook/the-chat/chat", &headers, &body)
                .unwrap();
        (reply.status, talk.server.executions())
    };
    let (status, executions) =
        send("chat-files", json!({ "allowFileUploads": true, "allowedFilesMimeTypes": "image/*" }));
    assert_eq!(status, 200);
    let item = &executions[0]["data"]["resultData"]["runData"]["Chat"][0]["data"]["main"][0][0];
    assert_eq!(
        (&item["json"]["chatInput"], &item["json"]["files"][1]["binaryKey"]),
        (&json!("What is this?"), &json!("data1"))
    );
    assert_eq!(
        (&item["json"]["files"][0]["fileName"], &item["binary"]["data0"]["mimeType"]),
        (&json!("a.png"), &json!("image/png"))
    );
    for (name, options) in [
        ("chat-no-files", json!({})),
        (
            "chat-pdf-only",
            json!({ "allowFileUploads": true, "allowedFilesMimeTypes": "application/pdf" }),
        ),
    ] {
        let (status, executions) = send(name, options);
        assert_eq!((status, executions.len()), (400, 0), "{name}");
    }
}

#[test]
fn a_chat_that_is_not_public_has_no_address() {
    let talk = ChatHarness::start("chat-closed", json!({}), vec![ScriptedReply::text("Hello!")]);
    assert_eq!(talk.send_message(&message("Hi", "s-1")).status, 404);
    assert_eq!(talk.get("/webhook/the-chat/chat", &[]).status, 404);
}

#[test]
fn the_page_of_a_chat_loads_nothing_and_runs_only_its_own_scripts() {
    let options =
        json!({ "title": "</script><script>alert(1)</script>", "responseMode": "streaming" });
    let talk = ChatHarness::start("chat-page", public(options), Vec::new());
    let page = talk.get("/webhook/the-chat/chat", &[]);
    let (policy, text) = (page.header("content-security-policy").unwrap().to_owned(), page.text());
    assert_eq!(page.status, 200);
    assert!(
        policy.contains("default-src 'none'")
            && policy.contains("script-src 'sha256-")
            && policy.contains("connect-src 'self'"),
        "{policy}"
    );
    assert!(!text.contains("<script>alert(1)") && !text.contains("https://"), "{text}");
}

#[test]
fn a_chat_for_people_of_this_instance_refuses_everybody_else() {
    let chat = json!({ "public": true, "authentication": "n8nUserAuth" });
    let talk =
        ChatHarness::start("chat-user", chat, vec![ScriptedReply::text("Hello, colleague.")]);
    assert_eq!(talk.send_message(&message("Hi", "s-1")).status, 401);
    let page = talk.get("/webhook/the-chat/chat", &[]);
    assert!(page.status == 401 && page.text().contains("Sign in first"), "{}", page.text());
    let cookie = talk.signed_in();
    assert_eq!(talk.get("/webhook/the-chat/chat", &[("cookie", &cookie)]).status, 200);
    let send = |origin: &str| {
        let headers =
            [("cookie", cookie.as_str()), ("origin", origin), ("content-type", "application/json")];
        let body = message("Hi", "s-1").to_string();
        request(&talk.server.address, "POST", "/webhook/the-chat/chat", &headers, body.as_bytes())
            .unwrap()
            .status
    };
    assert_eq!(send(&format!("http://{}", talk.server.address)), 200);
    assert_eq!(
        send("https://evil.example"),
        401,
        "a page of another site cannot speak for somebody"
    );
}
