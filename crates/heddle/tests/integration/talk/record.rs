//! What is shown of an agent after it has worked: its iterations, its memory, and what served it.

use super::{ChatHarness, calculation, message, with_memory, workflow};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{NetFault, ScriptedReply};

fn get(talk: &ChatHarness, path: &str) -> Value {
    let reply = talk.server.api("GET", path, None);
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()
}

#[test]
fn an_agents_iterations_are_shown_with_their_tools_and_tokens() {
    let talk =
        ChatHarness::start_with("record", json!({ "public": true }), calculation(), with_memory);
    assert_eq!(talk.send_message(&message("6*7?", "s-1")).status, 200);
    let agent = get(&talk, "/executions/1/agent?node=Agent");
    let [first, second] = agent["iterations"].as_array().unwrap().as_slice() else {
        panic!("{agent}")
    };
    assert_eq!(
        (&first["index"], &first["action"], &second["action"]),
        (&json!(1), &json!("tool"), &json!("final"))
    );
    let call = &first["toolCalls"][0];
    assert_eq!(
        (&call["name"], &call["arguments"], &call["result"]),
        (&json!("calculator"), &json!({ "expression": "6*7" }), &json!("42"))
    );
    assert_eq!(second["message"], "It is 42.");
    assert!(
        first["tokens"]["input"].as_f64().unwrap() > 0.0
            && first["startedMs"].as_f64() <= second["startedMs"].as_f64(),
        "{agent}"
    );
    let ops: Vec<&str> =
        agent["memory"].as_array().unwrap().iter().map(|one| one["op"].as_str().unwrap()).collect();
    assert_eq!(
        (ops, &agent["finishReason"], &agent["errors"]),
        (vec!["load", "save"], &json!("completed"), &json!([]))
    );

    let outline = get(&talk, "/executions/1/outline");
    assert_eq!(outline["nodes"]["Model"].as_array().unwrap().len(), 2, "{outline}");
    assert_eq!(
        outline["nodes"]["Calculator"][0]["served"],
        json!({ "kind": "ai_tool", "node": "Agent", "run": 0 })
    );
    assert!(outline["nodes"]["Agent"][0]["steps"].as_u64().unwrap() >= 3);
    assert_eq!(
        (&outline["models"][0]["node"], &outline["models"][0]["calls"]),
        (&json!("Model"), &json!(2))
    );
    let asked = get(&talk, "/executions/1/items?node=Model&run=1&direction=input");
    assert!(asked["items"][0]["json"]["messages"].is_array(), "{asked}");
    let said = get(&talk, "/executions/1/items?node=Model&run=1");
    assert!(said.to_string().contains("It is 42."), "{said}");
}

#[test]
fn an_agent_that_failed_shows_why() {
    let talk = ChatHarness::start(
        "record-failed",
        json!({ "public": true }),
        vec![ScriptedReply::fault(NetFault::ModelGone)],
    );
    let _ = talk.send_message(&message("6*7?", "s-1"));
    let agent = get(&talk, "/executions/1/agent?node=Agent");
    assert_eq!(agent["finishReason"], "error");
    assert!(!agent["errors"].as_array().unwrap().is_empty(), "{agent}");
    let missing = talk.server.api("GET", "/executions/1/agent?node=Nobody", None);
    assert_eq!(missing.status, 404);
}

#[test]
fn an_agent_whose_answer_holds_is_not_asked_again() {
    let talk = ChatHarness::start("record-reuse", json!({ "public": true }), calculation());
    assert_eq!(talk.send_message(&message("6*7?", "s-1")).status, 200);
    let asked = talk.model.requests().len();
    let mut document = workflow(&talk.model, json!({ "public": true }));
    let after = json!({ "id": "e", "name": "End", "type": "n8n-nodes-base.noOp", "typeVersion": 1, "position": [9, 0], "parameters": {} });
    document["nodes"].as_array_mut().unwrap().push(after);
    document["connections"]["Agent"] =
        json!({ "main": [[{ "node": "End", "type": "main", "index": 0 }]] });
    let body = json!({ "workflow": { "nodes": document["nodes"], "connections": document["connections"], "settings": document["settings"] },
                       "until": "End", "reuse": "1" });
    let begun = talk.server.api("POST", "/workflows/chat-workflow/run", Some(&body));
    assert_eq!(begun.status, 200, "{}", begun.text());
    let id = begun.json()["executionId"].as_str().unwrap().to_owned();
    let path = format!("/executions/{id}/outline");
    crate::support::wait_until("the end of the run", || get(&talk, &path)["status"] != "running");
    let outline = get(&talk, &path);
    assert_eq!(
        (&outline["status"], &outline["nodes"]["Agent"][0]["reused"]),
        (&json!("success"), &json!("1")),
        "{outline}"
    );
    assert_eq!(outline["nodes"]["Model"][0]["reused"], "1", "what served it is shown with it");
    assert_eq!(talk.model.requests().len(), asked, "nobody was asked");
}

/// Its second model call never ends; the stop ends the run, and the model is not asked again.
#[test]
fn issue_17_01_an_agent_is_stopped_in_the_middle_of_its_loop() {
    let [first, _] = <[ScriptedReply; 2]>::try_from(calculation()).unwrap();
    let replies = vec![first, ScriptedReply::fault(NetFault::NoReply)];
    let talk =
        ChatHarness::start_with("stop-loop", json!({ "public": true }), replies, with_memory);
    std::thread::scope(|scope| {
        let said = scope.spawn(|| talk.send_message(&message("6*7?", "s-1")).status);
        while talk.model.requests().len() < 2 {
            std::thread::sleep(Duration::from_millis(20));
        }
        let id = talk.server.executions()[0]["id"].as_str().unwrap().to_owned();
        assert_eq!(talk.server.api("POST", &format!("/executions/{id}/stop"), None).status, 200);
        assert!(said.join().unwrap() >= 400);
    });
    let execution = &talk.server.executions()[0];
    assert_eq!((&execution["status"], talk.model.requests().len()), (&json!("canceled"), 2));
    let agent = get(&talk, "/executions/1/agent?node=Agent");
    assert_eq!(agent["iterations"][0]["toolCalls"][0]["result"], "42", "{agent}");
    talk.model.script([ScriptedReply::text("Hello.")]);
    assert_eq!(talk.send_message(&message("hi", "s-1")).json()["response"], "Hello.");
    let asked = talk.model.requests().pop().unwrap().body;
    assert!(!asked.to_string().contains("6*7"), "what was not answered is not remembered: {asked}");
}
