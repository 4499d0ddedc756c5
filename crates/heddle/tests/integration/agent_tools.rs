//! What agents may use as tools, in workflows as n8n writes them, with a scripted server in the
//! place of the model.

use crate::support::model_server::{Model, calls};
use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::{FakeHttp, FakeResponse};

/// An agent with a model and these nodes as its tools.
fn workflow(model: &Model, prompt: &str, tools: &[Value]) -> Value {
    let part = |name: &str, kind: &str, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters });
    let to_agent = |kind: &str| json!({ kind: [[{ "node": "Agent", "type": kind, "index": 0 }]] });
    let mut nodes = vec![
        part("Start", "n8n-nodes-base.manualTrigger", json!({})),
        part(
            "Agent",
            "ai-agent",
            json!({ "userMessage": prompt, "options": { "outputFormat": "full" } }),
        ),
        part(
            "Model",
            "openai-compatible-model",
            json!({ "baseUrl": format!("http://{}/v1", model.address), "model": "mock" }),
        ),
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
    let folder = TempFolder::new(&format!("agent-tools-{}", RUNS.fetch_add(1, Ordering::Relaxed)));
    let file = folder.write_json("workflow", document);
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(["run", "--json", "--input", &input.to_string()]).arg(file);
    let files = folder.0.join("files");
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("note.txt"), "Buy tea").unwrap();
    std::os::unix::fs::symlink(folder.0.join("workflow.json"), files.join("way-out.txt")).unwrap();
    let settings =
        [("HEDDLE_EGRESS_ALLOW", "127.0.0.1".as_ref()), ("HEDDLE_FILES_ROOT", files.as_os_str())];
    let output = command.envs(settings).output().unwrap();
    let execution: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let result = &execution["data"]["resultData"];
    (result["runData"].clone(), result["error"].clone())
}

fn answer(run_data: &Value) -> &Value {
    &run_data["Agent"][0]["data"]["main"][0][0]["json"]["response"]
}

#[test]
fn an_http_request_tool_is_filled_in_by_the_model_and_sees_the_item_of_the_agent() {
    let service =
        FakeHttp::fixed(FakeResponse::new(200, "application/json", r#"{ "temperature": 21 }"#));
    let model = Model::start(vec![
        calls("Get_weather_", &json!({ "city": "Lyon" })),
        json!({ "content": "It is 21 degrees." }),
    ]);
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
    let (run_data, error) =
        run(&workflow(&model, "Weather in Lyon?", &[weather]), &json!([{ "user": "ada" }]));
    assert_eq!(answer(&run_data), "It is 21 degrees.", "{error}");
    assert_eq!(service.requests()[0].summary(), "GET /weather/Lyon?units=metric&user=ada");
    assert_eq!(model.last_result(1), r#"{"temperature":21}"#);
    let offered = &model.request(0)["tools"][0]["function"];
    assert_eq!(
        (offered["name"].as_str(), offered["description"].as_str()),
        (Some("Get_weather_"), Some("The weather of a city"))
    );
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
    let service =
        FakeHttp::fixed(FakeResponse::new(200, "application/json", r#"[{ "n": 1 }, { "n": 2 }]"#));
    let model = Model::start(vec![
        calls("Numbers", &json!({})),
        calls("calculator", &json!({ "expression": "1+" })),
        json!({ "content": "3" }),
    ]);
    let tools = [
        tool(
            "Numbers",
            "n8n-nodes-base.httpRequest",
            4.2,
            json!({ "url": format!("http://{}/n", service.address), "options": {} }),
        ),
        tool("Sum", "calculator-tool", 1.0, json!({})),
    ];
    let (run_data, error) = run(&workflow(&model, "Add them", &tools), &json!([{}]));
    assert_eq!(run_data["Model"].as_array().unwrap().len(), 3, "{error}");
    let asked = &run_data["Model"][0];
    assert_eq!(asked["source"], json!([{ "previousNode": "Agent" }]));
    assert_eq!(asked["data"]["ai_languageModel"][0][0]["json"]["tokenUsage"]["totalTokens"], 18);
    assert_eq!(
        asked["inputOverride"]["ai_languageModel"][0][0]["json"]["messages"][1],
        "Human: Add them"
    );
    let numbers = &run_data["Numbers"][0];
    assert_eq!(numbers["data"]["ai_tool"][0][1]["json"], json!({ "n": 2 }));
    assert_eq!(numbers["executionStatus"], "success");
    assert_eq!(model.last_result(1), r#"[{"n":1},{"n":2}]"#);
    let sum = &run_data["Sum"][0];
    assert_eq!(sum["inputOverride"]["ai_tool"][0][0]["json"], json!({ "expression": "1+" }));
    assert_eq!(
        (sum["executionStatus"].as_str(), sum["data"]["ai_tool"].clone()),
        (Some("error"), json!([]))
    );
    assert_eq!(sum["error"]["message"], "Invalid expression: expected a number, but found the end");
}

/// A workflow with this JavaScript between its start and its end.
fn inline_workflow(source: &str) -> String {
    let nodes = [
        node("Start", "executeWorkflowTrigger", 1.0, json!({})),
        node("Work", "code", 2.0, json!({ "jsCode": source })),
    ];
    row("Inline", &nodes).to_string()
}

#[test]
fn an_agent_uses_n8ns_code_workflow_and_request_tools_in_one_run() {
    let service = FakeHttp::fixed(FakeResponse::new(
        200,
        "application/json",
        r#"{ "rows": [{ "id": 7, "note": "long" }] }"#,
    ));
    let turns = vec![
        calls("shout", &json!({ "input": "hello" })),
        calls("Stock", &json!({ "product": "tea" })),
        calls("Find_rows", &json!({ "table": "orders", "filter": "a\"b" })),
        json!({ "content": "done" }),
    ];
    let model = Model::start(turns);
    let shout = json!({ "name": "shout", "description": "Shouts", "jsCode": "return query.toUpperCase() + '!'" });
    let stock = json!({
        "description": "How much of a product there is",
        "source": "parameter",
        "workflowJson": inline_workflow("return [{ json: { product: $json.product, left: 3, asked: $json.for } }]"),
        "workflowInputs": {
            "mappingMode": "defineBelow",
            "value": { "product": "={{ $fromAI('product', 'The product', 'string') }}", "for": "={{ $json.user }}" },
            "schema": [{ "id": "product" }, { "id": "for" }]
        }
    });
    let rows = json!({
        "toolDescription": "Finds rows",
        "method": "POST",
        "url": format!("http://{}/{{table}}", service.address),
        "sendBody": true,
        "specifyBody": "json",
        "jsonBody": "{ \"filter\": \"{filter}\", \"limit\": 5 }",
        "placeholderDefinitions": { "values": [{ "name": "filter", "description": "The search query", "type": "string" }] },
        "optimizeResponse": true,
        "dataField": "rows",
        "fieldsToInclude": "selected",
        "fields": "id"
    });
    let tools = [
        tool("Code", "@n8n/n8n-nodes-langchain.toolCode", 1.1, shout),
        tool("Stock", "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, stock),
        tool("Find rows", "@n8n/n8n-nodes-langchain.toolHttpRequest", 1.1, rows),
    ];
    let (run_data, error) = run(&workflow(&model, "go", &tools), &json!([{ "user": "ada" }]));
    assert_eq!(answer(&run_data), "done", "{error}");
    assert_eq!(model.last_result(1), "HELLO!");
    assert_eq!(model.last_result(2), r#"[{"product":"tea","left":3,"asked":"ada"}]"#);
    assert_eq!(model.last_result(3), r#"[{"id":7}]"#);
    assert_eq!(service.requests()[0].summary(), r#"POST /orders {"filter":"a\"b","limit":5}"#);
    for name in ["Code", "Stock", "Find rows"] {
        assert_eq!(run_data[name][0]["executionStatus"], "success", "{name}");
    }
}

#[test]
fn what_a_tool_refuses_or_fails_at_is_told_to_the_model() {
    let turns = vec![
        calls("Code", &json!({ "input": "x" })),
        calls("Get", &json!({ "url": "http://127.0.0.2/", "extra": 1 })),
        calls("Get", &json!({ "url": "http://169.254.169.254/" })),
        json!({ "content": "done" }),
    ];
    let model = Model::start(turns);
    let tools = [
        tool(
            "Code",
            "@n8n/n8n-nodes-langchain.toolCode",
            1.3,
            json!({ "description": "", "jsCode": "throw new Error('no such day')" }),
        ),
        tool(
            "Get",
            "n8n-nodes-base.httpRequestTool",
            4.2,
            json!({ "url": "={{ $fromAI('url') }}", "options": {} }),
        ),
    ];
    let (run_data, _) = run(&workflow(&model, "go", &tools), &json!([{}]));
    assert_eq!(answer(&run_data), "done");
    assert!(
        model.last_result(1).starts_with("Tool 'Code' failed: no such day"),
        "{}",
        model.last_result(1)
    );
    assert!(model.last_result(2).contains("('extra' was unexpected)"), "{}", model.last_result(2));
    assert!(
        model.last_result(3).starts_with("Tool 'Get' failed: ")
            && model.last_result(3).contains("blocked"),
        "{}",
        model.last_result(3)
    );
}

#[test]
fn files_and_requests_stay_within_what_their_nodes_allow() {
    let service = FakeHttp::fixed(FakeResponse::new(200, "text/plain", "plain words"));
    let url = format!("http://{}/a", service.address);
    let turns = vec![
        calls("files", &json!({ "operation": "list", "path": "*.txt" })),
        calls("files", &json!({ "operation": "read", "path": "note.txt" })),
        calls("files", &json!({ "operation": "read", "path": "way-out.txt" })),
        calls("files", &json!({ "operation": "read", "path": "../workflow.json" })),
        calls("files", &json!({ "operation": "write", "path": "new.txt", "content": "x" })),
        calls("http_request", &json!({ "url": url, "method": "GET" })),
        calls("http_request", &json!({ "url": "http://localhost/", "method": "GET" })),
        calls("http_request", &json!({ "url": url, "method": "POST" })),
        json!({ "content": "done" }),
    ];
    let model = Model::start(turns);
    let tools = [
        tool("Files", "file-tool", 1.0, json!({})),
        tool(
            "Requests",
            "http-request-tool",
            1.0,
            json!({ "methods": ["GET"], "allowedHosts": "127.0.0.1" }),
        ),
    ];
    let (run_data, error) = run(&workflow(&model, "go", &tools), &json!([{}]));
    assert_eq!(answer(&run_data), "done", "{error}");
    let told: Vec<String> = (1..=8).map(|turn| model.last_result(turn)).collect();
    assert_eq!(told[0], r#"{"files":["note.txt"]}"#);
    assert_eq!(told[1], "Buy tea");
    for refused in [&told[2], &told[3]] {
        assert!(
            refused.starts_with("Tool 'files' failed: ") && !refused.contains("nodes"),
            "{refused}"
        );
    }
    assert!(
        told[4].starts_with("The arguments of 'files' do not match its schema: /operation"),
        "{}",
        told[4]
    );
    assert!(
        told[5].contains(r#""status":200"#) && told[5].contains(r#""body":"plain words""#),
        "{}",
        told[5]
    );
    assert!(
        told[6].starts_with(
            "Tool 'http_request' failed: Security validation failed: the host localhost"
        ),
        "{}",
        told[6]
    );
    assert!(
        told[7].starts_with("The arguments of 'http_request' do not match its schema: /method"),
        "{}",
        told[7]
    );
    assert_eq!(service.n_requests(), 1);
}

/// The agent with a row of agents below it, each the tool of the one above.
fn chain(model: &Model, depth: usize) -> Value {
    let mut document = workflow(model, "go", &[]);
    for level in 1..=depth {
        let (name, above) = (
            format!("A{level}"),
            if level == 1 { "Agent".to_owned() } else { format!("A{}", level - 1) },
        );
        let parameters = json!({ "toolDescription": "Asks", "text": "={{ $fromAI('task', 'What to do', 'string') }}", "options": {} });
        document["nodes"].as_array_mut().unwrap().push(tool(
            &name,
            "@n8n/n8n-nodes-langchain.agentTool",
            3.0,
            parameters,
        ));
        document["connections"][&name] =
            json!({ "ai_tool": [[{ "node": above, "type": "ai_tool", "index": 0 }]] });
        document["connections"]["Model"]["ai_languageModel"][0]
            .as_array_mut()
            .unwrap()
            .push(json!({ "node": name, "type": "ai_languageModel", "index": 0 }));
    }
    document
}

#[test]
fn an_agent_asks_another_agent() {
    let turns = vec![
        calls("A1", &json!({ "task": "add" })),
        calls("calculator", &json!({ "expression": "20+22" })),
        json!({ "content": "It is 42." }),
        json!({ "content": "They say 42." }),
    ];
    let model = Model::start(turns);
    let mut document = chain(&model, 1);
    document["nodes"].as_array_mut().unwrap().push(tool(
        "Calculator",
        "calculator-tool",
        1.0,
        json!({}),
    ));
    document["connections"]["Calculator"] =
        json!({ "ai_tool": [[{ "node": "A1", "type": "ai_tool", "index": 0 }]] });
    let (run_data, error) = run(&document, &json!([{}]));
    assert_eq!(answer(&run_data), "They say 42.", "{error}");
    assert_eq!(model.last_result(3), "It is 42.");
    assert_eq!(model.request(1)["messages"][1]["content"], "add");
    assert_eq!(
        model.request(0)["tools"].as_array().unwrap().len(),
        1,
        "the outer agent does not see the inner one's tools"
    );
    assert_eq!(run_data["Calculator"][0]["source"][0]["previousNode"], "A1");
}

#[test]
fn a_tree_of_fifty_agents_ends_at_the_tenth() {
    let turns = (1..=10).map(|level| calls(&format!("A{level}"), &json!({ "task": "down" })));
    let model = Model::start(
        turns
            .chain([calls("A11", &json!({ "task": "down" })), json!({ "content": "enough" })])
            .collect(),
    );
    let (run_data, error) = run(&chain(&model, 50), &json!([{}]));
    assert!(answer(&run_data).is_string(), "{error}");
    assert!(
        model
            .last_result(11)
            .starts_with("Tool 'A11' failed: Agents call each other more than 10 levels deep"),
        "{}",
        model.last_result(11)
    );
    assert_eq!(run_data["A11"][0]["executionStatus"], "error");
    assert!(run_data["A12"].is_null());
}

#[test]
fn tools_whose_names_come_out_alike_are_told_apart() {
    let model = Model::start(vec![calls("Get__2", &json!({})), json!({ "content": "done" })]);
    let set = |value: &str| {
        let assignments = json!([{ "id": "1", "name": "which", "value": value, "type": "string" }]);
        json!({ "assignments": { "assignments": assignments }, "options": {} })
    };
    let tools = [
        tool("Get", "n8n-nodes-base.set", 3.4, set("first")),
        tool("Get ", "n8n-nodes-base.setTool", 3.4, set("second")),
        tool("Get?", "n8n-nodes-base.set", 3.4, set("third")),
    ];
    let (run_data, error) = run(&workflow(&model, "go", &tools), &json!([{}]));
    let offered: Vec<String> = model.request(0)["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(offered, ["Get", "Get_", "Get__2"], "{error}");
    assert_eq!(run_data["Get?"][0]["data"]["ai_tool"][0][0]["json"], json!({ "which": "third" }));
}

fn import(data: &TempFolder, id: &str, mut document: Value) {
    document["id"] = json!(id);
    let file = data.write_json(id, &document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
}

fn execution_of(server: &Server, workflow: &str) -> Value {
    server
        .executions()
        .into_iter()
        .find(|execution| execution["workflowId"] == workflow)
        .unwrap_or_default()
}

fn wait_for_statuses(server: &Server, parent: &str, child: &str) {
    let status =
        |workflow| execution_of(server, workflow)["status"].as_str().unwrap_or_default().to_owned();
    wait_until(&format!("{parent} and {child}"), || {
        status("parent") == parent && status("child") == child
    });
}

/// The model calls a workflow that waits and, in the same breath, a service that charges for each
/// call.
#[test]
fn an_agent_sleeps_with_the_workflow_it_called_and_repeats_nothing() {
    let service =
        FakeHttp::fixed(FakeResponse::new(200, "application/json", r#"{ "paid": true }"#));
    let both = json!({ "tool_calls": [
        { "index": 0, "id": "c1", "type": "function", "function": { "name": "Ask", "arguments": "{\"input\":\"may I?\"}" } },
        { "index": 1, "id": "c2", "type": "function", "function": { "name": "Pay", "arguments": "{}" } }
    ] });
    let model = Model::start(vec![both, json!({ "content": "all done" })]);
    let ask = json!({ "description": "Asks a person", "workflowId": { "__rl": true, "mode": "id", "value": "child" } });
    let pay = json!({ "method": "POST", "url": format!("http://{}/pay", service.address), "options": {} });
    let tools = [
        tool("Ask", "@n8n/n8n-nodes-langchain.toolWorkflow", 2.2, ask),
        tool("Pay", "n8n-nodes-base.httpRequestTool", 4.2, pay),
    ];
    let mut document = workflow(&model, "go", &tools);
    document["nodes"][0] =
        node("Start", "webhook", 2.0, json!({ "httpMethod": "POST", "path": "go", "options": {} }));
    let data = TempFolder::new("agent-sleeps");
    let set = |name: &str, field: &str, value: &str| {
        let assignments = json!([{ "id": "1", "name": field, "value": value, "type": "string" }]);
        node(
            name,
            "set",
            3.4,
            json!({ "assignments": { "assignments": assignments }, "options": {} }),
        )
    };
    let child = [
        node("Start", "executeWorkflowTrigger", 1.0, json!({})),
        set("Tell", "url", "={{ $execution.resumeUrl }}"),
        node(
            "Wait",
            "wait",
            1.1,
            json!({ "resume": "webhook", "httpMethod": "POST", "options": {} }),
        ),
        set("Done", "said", "={{ $json.body.word }}"),
    ];
    import(&data, "child", row("Child", &child));
    import(&data, "parent", document);
    let settings = [("HEDDLE_EGRESS_ALLOW", "127.0.0.1")];
    let server = Server::start(&data.0, &settings);
    assert_eq!(server.call("POST", "/webhook/go", Some(&json!({}))).status, 200);
    wait_for_statuses(&server, "waiting", "waiting");
    server.kill();
    let server = Server::start(&data.0, &settings);
    wait_for_statuses(&server, "waiting", "waiting");
    let told =
        execution_of(&server, "child")["data"]["resultData"]["runData"]["Tell"][0]["data"]["main"]
            [0][0]["json"]["url"]
            .clone();
    let path = format!("/{}", told.as_str().unwrap().splitn(4, '/').nth(3).unwrap());
    assert_eq!(server.call("POST", &path, Some(&json!({ "word": "yes" }))).status, 200);
    wait_for_statuses(&server, "success", "success");
    let parent = execution_of(&server, "parent");
    let run_data = &parent["data"]["resultData"]["runData"];
    assert_eq!(answer(run_data), "all done");
    assert_eq!((model.n_requests(), service.n_requests()), (2, 1));
    assert_eq!(
        server.executions().iter().filter(|execution| execution["workflowId"] == "child").count(),
        1
    );
    let asked = model.request(1);
    let results: Vec<&str> = asked["messages"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "tool")
        .map(|message| message["content"].as_str().unwrap())
        .collect();
    assert_eq!(results, [r#"[{"said":"yes"}]"#, r#"{"paid":true}"#]);
    assert_eq!(
        run_data["Pay"].as_array().unwrap().len(),
        1,
        "the record of a call survives the restart once"
    );
    server.stop();
}
