//! The node that says something in a chat and waits for the reply: in the hosted chat, through
//! OpenAI's API and in the terminal.

use super::terminal::{heddle, text};
use super::{ChatHarness, message, with_memory};
use crate::support::TempFolder;
use serde_json::{Value, json};
use testkit::{MockModels, ScriptedReply};

/// Puts a question before the agent, which then gets the reply.
fn asks_first(document: &mut Value) {
    asks(
        document,
        json!({ "message": "=How may I call you, {{ $json.chatInput }}?", "operation": "sendAndWait", "options": {} }),
    );
}

fn asks(document: &mut Value, parameters: Value) {
    let ask = json!({ "id": "ask", "name": "Ask", "type": "@n8n/n8n-nodes-langchain.chat", "typeVersion": 1.2, "position": [0, 0], "parameters": parameters });
    document["nodes"].as_array_mut().unwrap().push(ask);
    document["connections"]["Chat"] =
        json!({ "main": [[{ "node": "Ask", "type": "main", "index": 0 }]] });
    document["connections"]["Ask"] =
        json!({ "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] });
}

fn chat(mode: &str) -> Value {
    json!({ "public": true, "options": { "responseMode": mode } })
}

fn words(lines: &[Value]) -> String {
    lines
        .iter()
        .filter(|line| line["type"] == "item")
        .map(|line| line["content"].as_str().unwrap())
        .collect()
}

#[test]
fn the_next_message_of_the_conversation_goes_to_the_run_that_waits_for_it_also_after_a_restart() {
    let mut talk = ChatHarness::start_with(
        "reply-stream",
        chat("responseNodes"),
        vec![ScriptedReply::text("Hello, Ada.")],
        asks_first,
    );
    assert_eq!(words(&talk.lines(&message("friend", "s-1"))), "How may I call you, friend?");
    assert_eq!(
        words(&talk.lines(&message("stranger", "s-2"))),
        "How may I call you, stranger?",
        "another conversation has a run of its own"
    );
    talk.restart();
    let lines = talk.lines(&message("Ada", "s-1"));
    assert_eq!(words(&lines), "Hello, Ada.", "{lines:?}");
    assert_eq!(talk.model.requests()[0].body["messages"][1]["content"], "Ada");
    // The last words leave before the end of the run is written. The newest comes first.
    crate::support::wait_until("the first run is over and the second waits", || {
        let executions = talk.server.executions();
        executions
            .iter()
            .map(|execution| execution["status"].as_str().unwrap())
            .eq(["waiting", "success"])
    });
    assert_eq!(
        words(&talk.lines(&message("again", "s-1"))),
        "How may I call you, again?",
        "a run that is over hears no more"
    );
}

#[test]
fn a_chat_that_does_not_stream_is_answered_with_the_question_and_then_with_the_end() {
    let talk = ChatHarness::start_with(
        "reply-last",
        chat("lastNode"),
        vec![ScriptedReply::text("Hello, Ada.")],
        asks_first,
    );
    assert_eq!(
        talk.send_message(&message("friend", "s-1")).json(),
        json!({ "output": "How may I call you, friend?" })
    );
    assert_eq!(talk.send_message(&message("Ada", "s-1")).json()["response"], "Hello, Ada.");
}

#[test]
fn an_approval_is_given_by_the_link_or_by_its_label() {
    let approval = json!({ "message": "Send it?", "operation": "sendAndWait", "responseType": "approval", "blockUserInput": true,
        "approvalOptions": { "values": { "approvalType": "double", "approveLabel": "Send", "disapproveLabel": "Keep" } }, "options": {} });
    let asks_approval = |document: &mut Value| {
        asks(document, approval.clone());
        document["nodes"][1]["parameters"]["userMessage"] = json!("={{ $json.data.approved }}");
    };
    let talk = ChatHarness::start_with(
        "reply-approval",
        chat("responseNodes"),
        vec![ScriptedReply::text("One."), ScriptedReply::text("Two.")],
        asks_approval,
    );
    let asked = words(&talk.lines(&message("hi", "s-1")));
    let link = asked.split("](").nth(1).and_then(|rest| rest.split(')').next()).unwrap();
    let path = format!("/{}", link.splitn(4, '/').nth(3).unwrap());
    assert!(
        asked.starts_with("Send it?\n\n[Send](") && path.ends_with("?approved=true"),
        "{asked}"
    );
    let refused = talk.send_message(&message("maybe", "s-1"));
    assert!(
        refused.status >= 400 && refused.status < 500,
        "other words decide nothing: {}",
        refused.text()
    );
    assert_eq!(talk.get(&path, &[("user-agent", "Mozilla/5.0")]).status, 200);
    crate::support::wait_until("the run goes on", || talk.model.requests().len() == 1);
    assert_eq!(talk.model.requests()[0].body["messages"][1]["content"], "true");
    talk.lines(&message("hi", "s-1"));
    assert_eq!(words(&talk.lines(&message("keep", "s-1"))), "Two.");
    assert_eq!(talk.model.requests()[1].body["messages"][1]["content"], "false");
}

#[test]
fn question_and_reply_stand_in_the_memory_that_is_connected() {
    let remembers = |document: &mut Value| {
        asks(
            document,
            json!({ "message": "Your name?", "operation": "sendAndWait", "options": { "memoryConnection": true } }),
        );
        with_memory(document);
        document["connections"]["Memory"]["ai_memory"][0]
            .as_array_mut()
            .unwrap()
            .push(json!({ "node": "Ask", "type": "ai_memory", "index": 0 }));
    };
    let options = json!({ "public": true, "options": { "responseMode": "responseNodes", "loadPreviousSession": "memory" } });
    let talk = ChatHarness::start_with(
        "reply-memory",
        options,
        vec![ScriptedReply::text("Hello!")],
        remembers,
    );
    talk.lines(&message("hi", "s-1"));
    talk.lines(&message("Ada", "s-1"));
    let previous =
        talk.send_message(&json!({ "action": "loadPreviousSession", "sessionId": "s-1" })).json();
    let said: Vec<&str> = previous["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["kwargs"]["content"].as_str().unwrap())
        .collect();
    assert_eq!(
        said,
        ["Your name?", "Ada", "Ada", "Hello!"],
        "the reply, and the turn of the agent that was asked with it"
    );
}

#[test]
fn through_openais_api_the_question_is_an_answer_and_the_same_user_replies() {
    let talk = ChatHarness::start_with(
        "reply-v1",
        chat("responseNodes"),
        vec![ScriptedReply::text("Hello, Ada.")],
        asks_first,
    );
    let say = |text: &str| {
        let body = json!({ "model": "chat-workflow", "user": "7", "messages": [{ "role": "user", "content": text }] });
        let answer = talk.v1("/chat/completions", Some(&body));
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(say("friend"), "How may I call you, friend?");
    assert_eq!(say("Ada"), "Hello, Ada.");
}

#[test]
fn in_the_terminal_the_next_line_is_the_reply() {
    let model = MockModels::start([ScriptedReply::text("Hello, Ada.")]).unwrap();
    let folder = TempFolder::new("reply-terminal");
    let mut document = super::workflow(&model, json!({}));
    asks_first(&mut document);
    let file = folder.write_json("chat", &document);
    let output = heddle(&folder, &["chat", file.to_str().unwrap()], &[], "friend\nAda\n");
    assert_eq!(
        text(&output.stdout),
        "How may I call you, friend?\nHello, Ada.\n",
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn issue_14_11_a_run_that_waits_for_a_reply_at_openais_api_is_not_woken_from_the_chat() {
    let talk = ChatHarness::start_with(
        "reply-apart",
        chat("lastNode"),
        vec![ScriptedReply::text("Hello, Ada.")],
        asks_first,
    );
    let say = |text: &str| {
        talk.v1(
            "/chat/completions",
            Some(&json!({ "model": "chat-workflow", "user": "ada", "messages": [{ "role": "user", "content": text }] })),
        )
    };
    assert!(say("friend").text().contains("How may I call you"), "it asks");
    let executions =
        talk.server.api("GET", "/executions?includeData=true", None).json().to_string();
    let session = executions
        .split("\"sessionId\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap()
        .to_owned();
    let answer = talk.send_message(&message("Mallory", &session));
    assert!(
        answer.text().contains("How may I call you, Mallory?"),
        "it is a conversation of its own: {}",
        answer.text()
    );
    assert!(talk.model.requests().is_empty());
    assert!(say("Ada").text().contains("Hello, Ada."), "whoever was asked replies");
}

/// Two questions in a row. Whose conversation the memory of the first is takes a while to find out.
fn asks_twice(document: &mut Value) {
    asks(
        document,
        json!({ "message": "First?", "operation": "sendAndWait", "options": { "memoryConnection": true } }),
    );
    let mut then = document["nodes"].as_array().unwrap().last().unwrap().clone();
    (then["id"], then["name"]) = (json!("then"), json!("Then"));
    then["parameters"] = json!({ "message": "Second?", "operation": "sendAndWait", "options": {} });
    let session = "={{ (() => { let n = 0; for (let i = 0; i < 6e6; i++) n += i; return $json.sessionId })() }}";
    let memory = json!({ "id": "m", "name": "Memory", "type": "sqlite-memory", "typeVersion": 1, "position": [0, 0], "parameters": { "sessionId": session } });
    document["nodes"].as_array_mut().unwrap().extend([then, memory]);
    document["connections"]["Then"] = document["connections"]["Ask"].clone();
    document["connections"]["Ask"] =
        json!({ "main": [[{ "node": "Then", "type": "main", "index": 0 }]] });
    document["connections"]["Memory"] =
        json!({ "ai_memory": [[{ "node": "Ask", "type": "ai_memory", "index": 0 }]] });
}

/// Says something, and does something else while the words are being put into the memory: by then
/// the run is found that waits for them.
fn say_while<T>(talk: &ChatHarness, meanwhile: impl FnOnce() -> T) -> (u16, T) {
    let address = talk.server.address.clone();
    let saying = std::thread::spawn(move || {
        let headers = [("content-type", "application/json")];
        let body = message("one", "s-1").to_string();
        crate::support::request(
            &address,
            "POST",
            "/webhook/the-chat/chat",
            &headers,
            body.as_bytes(),
        )
        .unwrap()
        .status
    });
    std::thread::sleep(std::time::Duration::from_millis(400));
    let done = meanwhile();
    (saying.join().unwrap(), done)
}

#[test]
fn issue_14_00_a_message_for_one_question_does_not_answer_the_next() {
    let talk = ChatHarness::start_with(
        "reply-late",
        chat("lastNode"),
        vec![ScriptedReply::text("Hello.")],
        asks_twice,
    );
    assert_eq!(talk.send_message(&message("hi", "s-1")).json(), json!({ "output": "First?" }));
    let (one, other) = say_while(&talk, || talk.send_message(&message("other", "s-1")).status);
    assert_eq!(
        (one.min(other), one.max(other)),
        (200, 409),
        "one is the answer, and the other is none to what is asked by then"
    );
    assert!(talk.model.requests().is_empty());
    assert_eq!(talk.server.executions()[0]["status"], "waiting");
    assert_eq!(talk.send_message(&message("second", "s-1")).json()["response"], "Hello.");
}

#[test]
fn issue_14_00_a_message_for_a_run_that_is_over_or_was_stopped_is_refused() {
    let asks_once = |document: &mut Value| {
        asks_twice(document);
        document["connections"]["Ask"] = document["connections"]["Then"].clone();
    };
    let talk = ChatHarness::start_with(
        "reply-over",
        chat("lastNode"),
        vec![ScriptedReply::text("Hello.")],
        asks_once,
    );
    talk.send_message(&message("hi", "s-1"));
    let (one, other) = say_while(&talk, || talk.send_message(&message("other", "s-1")).status);
    assert_eq!((one.min(other), one.max(other), talk.model.requests().len()), (200, 409, 1));
    talk.send_message(&message("hi", "s-1"));
    let id = talk.server.executions()[0]["id"].as_str().unwrap().to_owned();
    let (late, stopped) = say_while(&talk, || {
        // On a slow machine the words take longer than a stop waits for them.
        let tries = std::iter::repeat_with(|| {
            talk.server.api("POST", &format!("/executions/{id}/stop"), None).status
        });
        tries.take(20).find(|status| *status != 503).unwrap_or(503)
    });
    // Whoever comes first has it: the run goes on with the message and is stopped then, or over
    // before it can be.
    let stands = talk.server.executions()[0]["status"].as_str().unwrap().to_owned();
    assert!(
        matches!(
            (late, stopped, stands.as_str()),
            (409 | 500, 200, "canceled") | (200, 409, "success")
        ),
        "the message {late}, the stop {stopped}, and the run is {stands}"
    );
}
