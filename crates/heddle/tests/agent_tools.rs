//! What agents may use as tools, in workflows as n8n writes them, with a scripted server in the place of the model.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stop the test")]

mod support;

use serde_json::{Value, json};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::Folder;
use support::model_server::{Model, Service, calls};

/// An agent with a model and these nodes as its tools.
fn workflow(model: &Model, prompt: &str, tools: &[Value]) -> Value {
    let part = |name: &str, kind: &str, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let mut nodes = vec![
        part("Start", "n8n-nodes-base.manualTrigger", json!({})),
        part("Agent", "ai-agent", json!({ "userMessage": prompt, "options": { "outputFormat": "full" } })),
        part("Model", "openai-compatible-model", json!({ "baseUrl": format!("http://{}/v1", model.address), "model": "mock" })),
    ];
    let mut connections = json!({
        "Start": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
        "Model": to_agent("ai_languageModel"),
    });
    for tool in tools {
        connections[tool["name"].as_str().unwrap()] = to_agent("ai_tool");
        nodes.push(tool.clone());
    }
    json!({ "name": "Agent with tools", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

fn tool(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

/// The run data that `heddle run` prints, and the error it ended with.
fn run(document: &Value, input: &Value) -> (Value, Value) {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let folder = Folder::new(&format!("agent-tools-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    let file = folder.workflow("workflow", document);
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(["run", "--json", "--input", &input.to_string()]).arg(file);
    let output = command.env("HEDDLE_EGRESS_ALLOW", "127.0.0.1").output().unwrap();
    let execution: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let result = &execution["data"]["resultData"];
    (result["runData"].clone(), result["error"].clone())
}

fn answer(run_data: &Value) -> &Value {
    &run_data["Agent"][0]["data"]["main"][0][0]["json"]["response"]
}

#[test]
fn an_http_request_tool_is_filled_in_by_the_model_and_sees_the_item_of_the_agent() {
    let service = Service::start("application/json", r#"{ "temperature": 21 }"#);
    let model = Model::start(vec![calls("Get_weather_", &json!({ "city": "Lyon" })), json!({ "content": "It is 21 degrees." })]);
    let weather = tool(
        "Get weather!",
        "n8n-nodes-base.httpRequestTool",
        4.2,
        json!({
            "toolDescription": "The weather of a city",
            "url": format!("=http://{}/weather/{{{{ $fromAI('city', `The city's name`, 'string') }}}}", service.address),
            "sendQuery": true,
            "queryParameters": { "parameters": [
                { "name": "units", "value": "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('units', ``, 'string', 'metric') }}" },
                { "name": "user", "value": "={{ $json.user }}" }
            ] },
            "options": {}
        }),
    );
    let (run_data, error) = run(&workflow(&model, "Weather in Lyon?", &[weather]), &json!([{ "user": "ada" }]));
    assert_eq!(answer(&run_data), "It is 21 degrees.", "{error}");
    assert_eq!(service.asked(0), "GET /weather/Lyon?units=metric&user=ada");
    assert_eq!(model.last_result(1), r#"{"temperature":21}"#);
    let offered = &model.asked(0)["tools"][0]["function"];
    assert_eq!((offered["name"].as_str(), offered["description"].as_str()), (Some("Get_weather_"), Some("The weather of a city")));
    let schema = json!({
        "type": "object",
        "properties": {
            "city": { "type": "string", "description": "The city's name" },
            "units": { "type": "string", "default": "metric" }
        },
        "required": ["city"],
        "additionalProperties": false
    });
    assert_eq!(offered["parameters"], schema);
}

#[test]
fn what_served_the_agent_stands_in_the_run_data_under_its_own_name() {
    let service = Service::start("application/json", r#"[{ "n": 1 }, { "n": 2 }]"#);
    let model =
        Model::start(vec![calls("Numbers", &json!({})), calls("calculator", &json!({ "expression": "1+" })), json!({ "content": "3" })]);
    let tools = [
        tool("Numbers", "n8n-nodes-base.httpRequest", 4.2, json!({ "url": format!("http://{}/n", service.address), "options": {} })),
        tool("Sum", "calculator-tool", 1.0, json!({})),
    ];
    let (run_data, error) = run(&workflow(&model, "Add them", &tools), &json!([{}]));
    assert_eq!(run_data["Model"].as_array().unwrap().len(), 3, "{error}");
    let asked = &run_data["Model"][0];
    assert_eq!(asked["source"], json!([{ "previousNode": "Agent" }]));
    assert_eq!(asked["data"]["ai_languageModel"][0][0]["json"]["tokenUsage"]["totalTokens"], 18);
    assert_eq!(asked["inputOverride"]["ai_languageModel"][0][0]["json"]["messages"][1], "Human: Add them");
    let numbers = &run_data["Numbers"][0];
    assert_eq!(numbers["data"]["ai_tool"][0][1]["json"], json!({ "n": 2 }));
    assert_eq!(numbers["executionStatus"], "success");
    assert_eq!(model.last_result(1), r#"[{"n":1},{"n":2}]"#);
    let sum = &run_data["Sum"][0];
    assert_eq!(sum["inputOverride"]["ai_tool"][0][0]["json"], json!({ "expression": "1+" }));
    assert_eq!((sum["executionStatus"].as_str(), sum["data"]["ai_tool"].clone()), (Some("error"), json!([])));
    assert_eq!(sum["error"]["message"], "Invalid expression: a number was expected, not the end");
}
