//! What whoever watches an execution hears of its agent.

use super::{ChatHarness, message};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use testkit::{NetFault, ScriptedReply};

/// Begins to listen; the server has heard of it when this returns.
fn listen(address: &str, path: &str, key: &str) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {address}\r\nx-n8n-api-key: {key}\r\n\r\n")
        .unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    assert!(line.contains(" 200 "), "{path}: {line}");
    while line != "\r\n" {
        line.clear();
        reader.read_line(&mut line).unwrap();
    }
    reader
}

/// The events up to one of this kind: kind, id and data.
fn heard_until(reader: BufReader<TcpStream>, until: &str) -> Vec<(String, Option<String>, Value)> {
    let (mut kind, mut id, mut heard) = (String::new(), None, Vec::new());
    for line in reader.lines() {
        let line = line.unwrap();
        if let Some(told) = line.strip_prefix("event: ") {
            told.clone_into(&mut kind);
        } else if let Some(told) = line.strip_prefix("id: ") {
            id = Some(told.to_owned());
        } else if let Some(data) = line.strip_prefix("data: ") {
            heard.push((kind.clone(), id.take(), serde_json::from_str(data).unwrap()));
            if kind == until {
                break;
            }
        }
    }
    heard
}

#[test]
fn whoever_watches_hears_words_as_they_come_and_steps_with_their_place() {
    // The second answer is slow, so that somebody can come to watch it.
    let slow = ScriptedReply::text("It is forty-two.").with_fault(NetFault::ByteEvery(2));
    let replies = vec![
        ScriptedReply::call("calculator", json!({ "expression": "6*7" }))
            .with_fault(NetFault::ByteEvery(1)),
        slow,
    ];
    let talk = ChatHarness::start("watched", json!({ "public": true }), replies);
    let (address, key) = (talk.server.address.clone(), talk.server.key().to_owned());
    let all = listen(&address, "/api/v1/events", &key);
    let watching = std::thread::spawn(move || {
        let started = heard_until(all, "executionStarted");
        let id = started.last().unwrap().2["executionId"].as_str().unwrap().to_owned();
        heard_until(
            listen(&address, &format!("/api/v1/executions/{id}/events"), &key),
            "executionFinished",
        )
    });
    assert_eq!(talk.send_message(&message("6*7?", "s-1")).json()["response"], "It is forty-two.");
    let heard = watching.join().unwrap();
    let pieces: Vec<&Value> =
        heard.iter().filter(|(kind, ..)| kind == "agent").map(|(_, _, data)| data).collect();
    let words: String = pieces
        .iter()
        .filter(|piece| piece["type"] == "item")
        .map(|piece| piece["content"].as_str().unwrap())
        .collect();
    assert_eq!(words, "It is forty-two.");
    let ended = pieces.iter().find(|piece| piece["type"] == "tool-end").unwrap();
    assert_eq!(
        ended["content"]["result"], "42",
        "whoever may see the execution may see what its tools said"
    );
    assert!(
        heard.iter().all(|(kind, id, _)| (kind == "agent") == id.is_none()),
        "what is not kept has no place to come back to"
    );
    let kept: Vec<&str> = heard
        .iter()
        .filter(|(kind, ..)| kind == "nodeStep")
        .map(|(_, _, data)| data["step"].as_str().unwrap())
        .collect();
    assert!(kept.contains(&"item 0: tool 1.1"), "{kept:?}");
}

/// The agent of the chat as the strict one, whose model speaks in JSON.
fn strict(document: &mut Value) {
    document["nodes"][1]["type"] = json!("agent-core-react");
    document["nodes"][1]["parameters"] = json!({});
}

fn strictly(words: &str) -> Vec<ScriptedReply> {
    let call = json!({ "action": "tool", "tool": "calculator", "input": { "expression": "6*7" }, "confidence": 0.9 });
    let end = json!({ "action": "final", "message": words, "confidence": 1 });
    vec![ScriptedReply::text(&call.to_string()), ScriptedReply::text(&end.to_string())]
}

#[test]
fn a_strict_agent_is_heard_as_any_other() {
    let options = json!({ "public": true, "options": { "responseMode": "streaming", "eventDetail": "everything" } });
    let talk = ChatHarness::start_with(
        "strict-stream",
        options,
        [strictly("It is 42."), strictly("Still 42.")].concat(),
        strict,
    );
    let lines = talk.lines(&message("6*7?", "s-1"));
    let kinds: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["begin", "usage", "tool-start", "tool-end", "usage", "item", "done", "end"],
        "{lines:?}"
    );
    assert_eq!(
        (&lines[3]["content"]["result"], &lines[5]["content"]),
        (&json!("42"), &json!("It is 42."))
    );
    let body = json!({ "model": "chat-workflow", "messages": [{ "role": "user", "content": "And now?" }] });
    let answer = talk.v1("/chat/completions", Some(&body)).json();
    assert_eq!(answer["choices"][0]["message"]["content"], "Still 42.");
    assert!(answer["usage"]["total_tokens"].as_u64().unwrap() > 0, "{answer}");
}
