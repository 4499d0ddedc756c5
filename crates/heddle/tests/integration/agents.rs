//! Agents in workflows, with a server that speaks OpenAI's format in the place of a model.

use crate::support::TempFolder;
use crate::support::model_server::{Model, calls};
use serde_json::{Value, json};
use std::process::Command;

fn workflow(model: &Model, agent: Value) -> Value {
    let part = |name: &str, kind: &str, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    json!({
        "name": "Agent",
        "nodes": [
            part("Start", "n8n-nodes-base.manualTrigger", json!({})),
            agent,
            part("Model", "openai-compatible-model", json!({ "baseUrl": format!("http://{}/v1", model.address), "model": "mock" })),
            part("Calculator", "calculator-tool", json!({})),
        ],
        "connections": {
            "Start": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Model": to_agent("ai_languageModel"),
            "Calculator": to_agent("ai_tool"),
        },
        "settings": { "executionOrder": "v1" }
    })
}

fn agent(kind: &str, parameters: Value) -> Value {
    json!({ "id": "a", "name": "Agent", "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters })
}

/// What `heddle run` prints, or its error.
fn run(folder: &TempFolder, document: &Value) -> Result<Value, String> {
    let file = folder.write_json("agent", document);
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output = command
        .args(["run", "--json"])
        .arg(file)
        .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1")
        .output()
        .unwrap();
    let execution: Value = serde_json::from_slice(&output.stdout).unwrap();
    match output.status.success() {
        true => {
            Ok(execution["data"]["resultData"]["runData"]["Agent"][0]["data"]["main"][0][0]["json"]
                .clone())
        }
        false => Err(execution["data"]["resultData"]["error"].to_string()),
    }
}

#[test]
fn an_agent_calls_its_calculator_and_answers() {
    let model = Model::start(vec![
        calls("calculator", &json!({ "expression": "2+2" })),
        json!({ "content": "It is 4." }),
    ]);
    let folder = TempFolder::new("agent");
    let parameters =
        json!({ "userMessage": "What is 2+2?", "options": { "outputFormat": "full" } });
    let answer = run(&folder, &workflow(&model, agent("ai-agent", parameters))).unwrap();
    let answer = answer.to_string();
    assert!(
        answer.contains("\"response\":\"It is 4.\"")
            && answer.contains("\"toolName\":\"calculator\"")
            && answer.contains("\"result\":\"4\""),
        "{answer}"
    );
    let second = model.request(1);
    let messages = second["messages"].as_array().unwrap();
    let roles: Vec<&str> =
        messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool"]);
    assert_eq!(messages[3]["content"], "4");
    assert_eq!(messages[3]["tool_call_id"], "call_1");
    assert_eq!(model.request(0)["tools"][0]["function"]["name"], "calculator");
}

#[test]
fn a_strict_agent_puts_out_its_envelope_or_says_which_rule_was_broken() {
    let tool = json!({ "content": "{ \"action\": \"tool\", \"tool\": \"calculator\", \"input\": { \"expression\": \"6*7\" }, \"confidence\": 0.5 }" });
    let last =
        json!({ "content": "{ \"action\": \"final\", \"message\": \"42\", \"confidence\": 1 }" });
    let folder = TempFolder::new("react");
    let model = Model::start(vec![tool, last]);
    let answer =
        run(&folder, &workflow(&model, agent("agent-core-react", json!({})))).unwrap().to_string();
    assert!(
        answer.contains("\"completed\":true") && answer.contains("\"data\":\"42\""),
        "{answer}"
    );
    let model = Model::start(vec![json!({ "content": "It is 42." })]);
    let error = run(&folder, &workflow(&model, agent("agent-core-react", json!({})))).unwrap_err();
    assert!(error.contains("AGENT_REPLY") && error.contains("not JSON"), "{error}");
}

#[test]
fn an_agent_without_a_model_says_so() {
    let model = Model::start(Vec::new());
    let mut document = workflow(&model, agent("ai-agent", json!({ "userMessage": "hi" })));
    document["connections"].as_object_mut().unwrap().remove("Model");
    let error = run(&TempFolder::new("no-model"), &document).unwrap_err();
    assert!(error.contains("A model is not connected"), "{error}");
}
