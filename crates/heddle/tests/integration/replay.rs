//! Executions of agents are done again from their journal, and go other ways from any of their
//! steps.

use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, heddle};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use testkit::{MockModels, ScriptedReply};

/// A webhook, an agent with a calculator, and a field made of its answer.
fn workflow(models: &MockModels) -> Value {
    let webhook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "path": "ask", "httpMethod": "POST", "responseMode": "lastNode" }),
    );
    let part = |name: &str, kind: &str, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters });
    let agent = part("Agent", "ai-agent", json!({ "userMessage": "={{ $json.body.question }}" }));
    let shout = node(
        "Shout",
        "set",
        3.4,
        json!({ "assignments": { "assignments": [
        { "id": "1", "name": "loud", "type": "string", "value": "={{ $json.response.toUpperCase() }}" }] } }),
    );
    let mut document = row("ask", &[webhook, agent, shout]);
    let nodes = document["nodes"].as_array_mut().unwrap();
    nodes.push(part(
        "Model",
        "openai-compatible-model",
        json!({ "baseUrl": models.v1(), "model": "first" }),
    ));
    nodes.push(part("Sum", "calculator-tool", json!({})));
    document["connections"]["Model"] = json!({ "ai_languageModel": [[{ "node": "Agent", "type": "ai_languageModel", "index": 0 }]] });
    document["connections"]["Sum"] =
        json!({ "ai_tool": [[{ "node": "Agent", "type": "ai_tool", "index": 0 }]] });
    document
}

/// The data folder after one call was answered, with no server on it any more.
fn after_one_call(folder: &TempFolder) -> (std::path::PathBuf, MockModels, Server) {
    let models = MockModels::start([
        ScriptedReply::call("calculator", json!({ "expression": "2+2" })),
        ScriptedReply::text("It is four."),
    ])
    .unwrap();
    let data = folder.0.join("data");
    let file = folder.write_json("workflow", &workflow(&models));
    heddle(&data, &["import", "--activate", file.to_str().unwrap()]);
    let server =
        Server::start(&data, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1"), ("HEDDLE_LOG", "off")]);
    let answer = server.call("POST", "/webhook/ask", Some(&json!({ "question": "What is 2+2?" })));
    assert_eq!(answer.json(), json!({ "loud": "IT IS FOUR." }));
    (data, models, server)
}

fn replay(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command
        .arg("replay")
        .args(arguments)
        .env("HEDDLE_DATA", data)
        .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1")
        .env("HEDDLE_LOG", "off");
    command.output().unwrap()
}

fn outputs(server: &Server, index: usize, node: &str) -> Value {
    server.executions()[index]["data"]["resultData"]["runData"][node][0]["data"]["main"][0][0]["json"].clone()
}

#[test]
fn an_execution_is_done_again_without_asking_anybody() {
    let folder = TempFolder::new("replay");
    let (data, models, server) = after_one_call(&folder);
    let before = server.executions().len();
    // The server may go on meanwhile.
    let output = replay(&data, &["1"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for line in ["Webhook", "Agent", "model 1", "tool 1.1", "model 2", "It is four.", "Shout"] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
    assert_eq!(
        (models.requests().len(), server.executions().len()),
        (2, before),
        "nobody was asked and nothing was written"
    );
    server.stop();
}

#[test]
fn an_execution_goes_another_way_from_a_step_with_another_model() {
    let folder = TempFolder::new("fork");
    let (data, models, server) = after_one_call(&folder);
    models.script([ScriptedReply::text("Four, I say.")]);
    let output = replay(&data, &["1", "--from", "Agent/model 2", "--model", "second"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let asked = models.requests();
    assert_eq!(asked.len(), 3, "only the second answer is asked for again");
    assert_eq!(asked[2].body["model"], "second");
    assert!(
        asked[2].body["messages"].to_string().contains("\"4\""),
        "what the calculator gave is still known"
    );
    assert_eq!(outputs(&server, 0, "Shout"), json!({ "loud": "FOUR, I SAY." }));
    assert_eq!(
        outputs(&server, 1, "Shout"),
        json!({ "loud": "IT IS FOUR." }),
        "the first execution stays as it was"
    );
    server.stop();
    // Without a server it is done here.
    models.script([ScriptedReply::text("Once more.")]);
    let output = replay(&data, &["1", "--from", "Agent/model 2"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(models.requests()[3].body["model"], "first");
    // A fork can be replayed like any other.
    let output = replay(&data, &["3"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn a_step_that_is_not_there_is_told_with_those_that_are() {
    let folder = TempFolder::new("fork-nowhere");
    let (data, _models, server) = after_one_call(&folder);
    let output = replay(&data, &["1", "--from", "Agent/model 7"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success()
            && said.contains("EXECUTION_STEP")
            && said.contains("item 0: model 2"),
        "{said}"
    );
    server.stop();
}
