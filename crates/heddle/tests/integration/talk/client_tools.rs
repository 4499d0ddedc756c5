//! Tools of a request at `/v1`: the agent calls them by handing the turn over, and goes on with
//! what they gave.

use super::ChatHarness;
use serde_json::{Value, json};
use testkit::ScriptedReply;

fn look_up() -> Value {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    json!([{ "type": "function", "function": { "name": "look_up", "description": "Looks up a city", "parameters": parameters } }])
}

fn body(messages: Value) -> Value {
    json!({ "model": "chat-workflow", "messages": messages, "tools": look_up() })
}

fn user() -> Value {
    json!({ "role": "user", "content": "How warm is it in Oslo, times 6*7?" })
}

/// The agent's own tool and the caller's in one turn, then the answer.
fn both() -> Vec<ScriptedReply> {
    let turn = ScriptedReply::call("calculator", json!({ "expression": "6*7" }))
        .and_call("look_up", json!({ "city": "Oslo" }));
    vec![turn, ScriptedReply::text("84.")]
}

fn result(id: &Value, words: &str) -> Value {
    json!({ "role": "tool", "tool_call_id": id, "content": words })
}

#[test]
fn a_call_of_the_callers_tool_ends_the_answer_and_its_result_goes_on_with_the_turn() {
    let talk = ChatHarness::start("v1-tools", json!({}), both());
    let answer = talk.v1("/chat/completions", Some(&body(json!([user()])))).json();
    let choice = &answer["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls", "{answer}");
    let calls = choice["message"]["tool_calls"].as_array().unwrap();
    assert_eq!(
        (calls.len(), &calls[0]["function"]),
        (1, &json!({ "name": "look_up", "arguments": "{\"city\":\"Oslo\"}" }))
    );
    let offered: Vec<String> = talk.model.requests()[0].body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].to_string())
        .collect();
    assert_eq!(offered, ["\"calculator\"", "\"look_up\""]);
    let messages = json!([user(), choice["message"], result(&calls[0]["id"], "2 degrees")]);
    let answer = talk.v1("/chat/completions", Some(&body(messages))).json();
    assert_eq!(
        (&answer["choices"][0]["message"]["content"], &answer["choices"][0]["finish_reason"]),
        (&json!("84."), &json!("stop")),
        "{answer}"
    );
    let told = talk.model.requests()[1].body["messages"].clone();
    let told: Vec<(&str, &str)> = told
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            (message["role"].as_str().unwrap(), message["content"].as_str().unwrap_or_default())
        })
        .collect();
    assert_eq!(
        told.iter().map(|(role, _)| *role).collect::<Vec<_>>(),
        ["system", "user", "assistant", "tool", "tool"],
        "{told:?}"
    );
    assert_eq!(
        (told[3].1, told[4].1),
        ("42", "2 degrees"),
        "what the agent's own tool gave is not asked for again"
    );
}

#[test]
fn calls_stream_as_openai_has_them() {
    let talk = ChatHarness::start("v1-tools-stream", json!({}), both());
    let mut asked = body(json!([user()]));
    asked["stream"] = json!(true);
    let reply = talk.v1("/chat/completions", Some(&asked));
    let chunks: Vec<Value> = reply
        .text()
        .lines()
        .filter_map(|line| line.strip_prefix("data: {"))
        .map(|rest| serde_json::from_str(&format!("{{{rest}")).unwrap())
        .collect();
    let calls: Vec<&Value> = chunks
        .iter()
        .flat_map(|chunk| chunk["choices"][0]["delta"]["tool_calls"].as_array())
        .flatten()
        .collect();
    assert_eq!(
        (calls.len(), &calls[0]["index"], &calls[0]["function"]["name"]),
        (1, &json!(0), &json!("look_up")),
        "{chunks:?}"
    );
    assert_eq!(chunks.last().unwrap()["choices"][0]["finish_reason"], "tool_calls");
}

#[test]
fn a_turn_that_nobody_has_kept_goes_on_with_what_the_caller_tells() {
    let talk =
        ChatHarness::start("v1-tools-foreign", json!({}), vec![ScriptedReply::text("Cold.")]);
    let call = json!({ "id": "call_x", "type": "function", "function": { "name": "look_up", "arguments": "{\"city\":\"Oslo\"}" } });
    let messages = json!([user(), { "role": "assistant", "content": null, "tool_calls": [call] }, result(&json!("call_x"), "2 degrees")]);
    let answer = talk.v1("/chat/completions", Some(&body(messages))).json();
    assert_eq!(answer["choices"][0]["message"]["content"], "Cold.", "{answer}");
    let told = &talk.model.requests()[0].body["messages"];
    assert_eq!(
        (&told[2]["tool_calls"][0]["id"], &told[3]["content"]),
        (&json!("call_x"), &json!("2 degrees"))
    );
}

#[test]
fn arguments_that_do_not_fit_go_back_to_the_model_and_never_reach_the_caller() {
    let calls = |arguments: Value| ScriptedReply::call("look_up", arguments);
    let talk = ChatHarness::start(
        "v1-tools-wrong",
        json!({}),
        vec![calls(json!({ "town": "Oslo" })), calls(json!({ "city": "Oslo" }))],
    );
    let answer = talk.v1("/chat/completions", Some(&body(json!([user()])))).json();
    assert_eq!(
        answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"],
        "{\"city\":\"Oslo\"}"
    );
    assert!(
        talk.model.requests()[1].body["messages"].to_string().contains("city"),
        "the model is told what was wrong"
    );
}
