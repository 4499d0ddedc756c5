//! What workflows spend on models is counted, and ends where somebody has said so.

use crate::support;
use crate::support::workflow::{node, row};
use crate::support::{Reply as Answer, Server, TempFolder, heddle};
use serde_json::{Value, json};
use std::time::Duration;
use testkit::{MockModels, RequestRetention, ScriptedReply};

/// Answers of 30 tokens each.
fn models(answers: usize) -> MockModels {
    MockModels::start(
        (0..answers)
            .map(|number| ScriptedReply::text(&format!("answer {number}")).with_usage(20, 10)),
    )
    .unwrap()
}

/// A webhook that asks one agent after the other, and answers with the last.
fn workflow(name: &str, models: &MockModels, agents: &[&str], budget: Value) -> Value {
    let webhook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "path": name, "httpMethod": "POST", "responseMode": "lastNode" }),
    );
    let agent = |name: &&str| json!({ "id": name, "name": name, "type": "ai-agent", "typeVersion": 1, "position": [0, 0], "parameters": { "userMessage": "go" } });
    let mut document = row(name, &[vec![webhook], agents.iter().map(agent).collect()].concat());
    let model = json!({ "id": "m", "name": "Model", "type": "openai-compatible-model", "typeVersion": 1, "position": [0, 0],
                        "parameters": { "baseUrl": models.v1(), "model": "mock" } });
    document["nodes"].as_array_mut().unwrap().push(model);
    let targets: Vec<Value> = agents
        .iter()
        .map(|name| json!({ "node": name, "type": "ai_languageModel", "index": 0 }))
        .collect();
    document["connections"]["Model"] = json!({ "ai_languageModel": [targets] });
    document["settings"]["budget"] = budget;
    document
}

fn start(folder: &TempFolder, documents: &[Value], settings: &[(&str, &str)]) -> Server {
    let data = folder.0.join("data");
    for (number, document) in documents.iter().enumerate() {
        let file = folder.write_json(&format!("workflow-{number}"), document);
        heddle(&data, &["import", "--activate", file.to_str().unwrap()]);
    }
    let settings =
        [settings, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1"), ("HEDDLE_LOG", "off")]].concat();
    Server::start(&data, &settings)
}

fn call(server: &Server, path: &str) -> Answer {
    server.call("POST", &format!("/webhook/{path}"), Some(&json!({})))
}

/// The error of the newest execution.
fn error(server: &Server) -> Value {
    server.executions()[0]["data"]["resultData"]["error"].clone()
}

#[test]
fn a_run_asks_no_model_once_its_budget_is_used_up() {
    let models = models(5);
    let folder = TempFolder::new("budget-run");
    let server = start(
        &folder,
        &[workflow("two", &models, &["First", "Second"], json!({ "run": { "tokens": 30 } }))],
        &[],
    );
    assert_eq!(call(&server, "two").status, 500);
    assert_eq!(models.requests().len(), 1);
    let error = error(&server);
    assert_eq!(
        (error["code"].as_str(), error["node"]["name"].as_str().or(error["node"].as_str())),
        (Some("BUDGET_REACHED"), Some("Second"))
    );
    assert_eq!(error["message"], "The budget of this run is used up: 30 of 30 tokens used");
    server.stop();
}

#[test]
fn the_budget_of_a_workflow_for_a_day_holds_over_a_restart() {
    let models = models(5);
    let folder = TempFolder::new("budget-day");
    let documents = [
        workflow("limited", &models, &["Agent"], json!({ "day": { "tokens": 50 } })),
        workflow("free", &models, &["Agent"], json!({})),
    ];
    let server = start(&folder, &documents, &[]);
    assert_eq!(
        [
            call(&server, "limited").status,
            call(&server, "limited").status,
            call(&server, "limited").status
        ],
        [200, 200, 500]
    );
    assert_eq!(
        error(&server)["message"],
        "The budget of this workflow today is used up: 60 of 50 tokens used"
    );
    assert_eq!(call(&server, "free").status, 200, "another workflow has its own");
    server.stop();
    let server = start(&folder, &[], &[]);
    assert_eq!((call(&server, "limited").status, call(&server, "free").status), (500, 200));
    let asked = models.requests().len();
    assert_eq!(asked, 4);
    let spending = server.api("GET", "/spending", None).json();
    let tokens: f64 = spending["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["inputTokens"].as_f64().unwrap())
        .sum();
    assert_eq!((spending["data"].as_array().unwrap().len(), tokens), (2, 80.0), "{spending}");
    server.stop();
}

/// The budget is hit in the middle of parallel calls. Each takes 30 tokens.
#[test]
fn of_twenty_runs_at_once_a_budget_for_five_calls_pays_for_five() {
    let replies = (0..20).map(|_| ScriptedReply::text("fine").with_usage(20, 10));
    let models = MockModels::slow(
        ([127, 0, 0, 1], 0).into(),
        replies,
        RequestRetention::Everything,
        Duration::from_millis(50),
    )
    .unwrap();
    let folder = TempFolder::new("budget-parallel");
    let server = start(
        &folder,
        &[workflow("many", &models, &["Agent"], json!({ "day": { "tokens": 150 } }))],
        &[],
    );
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20).map(|_| scope.spawn(|| call(&server, "many").status)).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 5, "{statuses:?}");
    assert_eq!(models.requests().len(), 5);
    let spending = server.api("GET", "/spending", None).json();
    assert_eq!(spending["data"][0]["inputTokens"], 100, "{spending}");
    server.stop();
}

/// The same within one run: twenty items that an agent works on at the same time.
#[test]
fn of_twenty_items_at_once_the_budget_of_a_run_for_five_calls_pays_for_five() {
    let replies = (0..20).map(|_| ScriptedReply::text("fine").with_usage(20, 10));
    let models = MockModels::slow(
        ([127, 0, 0, 1], 0).into(),
        replies,
        RequestRetention::Everything,
        Duration::from_millis(50),
    )
    .unwrap();
    let folder = TempFolder::new("budget-items");
    let mut document = workflow("items", &models, &["Agent"], json!({ "run": { "tokens": 140 } }));
    let split = node("Split", "splitOut", 1.0, json!({ "fieldToSplitOut": "body.list" }));
    document["nodes"].as_array_mut().unwrap().push(split);
    document["connections"]["Split"] = document["connections"]["Webhook"].clone();
    document["connections"]["Webhook"]["main"][0][0]["node"] = json!("Split");
    document["nodes"][1] = json!({ "id": "a", "name": "Agent", "type": "@n8n/n8n-nodes-langchain.agent", "typeVersion": 2.2, "position": [0, 0],
        "onError": "continueRegularOutput",
        "parameters": { "promptType": "define", "text": "go", "options": { "batching": { "batchSize": 20 } } } });
    let server = start(&folder, &[document], &[]);
    let list: Vec<Value> = (0..20).map(|number| json!({ "number": number })).collect();
    server.call("POST", "/webhook/items", Some(&json!({ "list": list })));
    assert_eq!(models.requests().len(), 5, "the fifth call passes the budget, and no other one");
    let execution = server.executions()[0].clone();
    let asked = execution["data"]["resultData"]["runData"]["Model"].as_array().unwrap();
    let refused = asked.iter().filter(|asked| {
        asked["error"]["message"] == "The budget of this run is used up: 150 of 140 tokens used"
    });
    assert_eq!((asked.len(), refused.count()), (20, 15), "{execution}");
    server.stop();
}

#[test]
fn the_budget_of_the_instance_is_for_all_workflows_together() {
    let models = models(5);
    let folder = TempFolder::new("budget-instance");
    let documents = ["a", "b"].map(|name| workflow(name, &models, &["Agent"], json!({})));
    let server = start(&folder, &documents, &[("HEDDLE_TOKENS_PER_DAY", "60")]);
    assert_eq!(
        [call(&server, "a").status, call(&server, "b").status, call(&server, "a").status],
        [200, 200, 500]
    );
    assert_eq!(
        error(&server)["message"],
        "The budget of this instance today is used up: 60 of 60 tokens used"
    );
    let metrics = server.metrics();
    assert!(metrics.contains("heddle_model_tokens_total{direction=\"in\"} 40"), "{metrics}");
    server.stop();
}

/// A workflow that others call: an agent answers.
fn called(models: &MockModels) -> Value {
    let mut document = workflow("called", models, &["Agent"], json!({}));
    document["nodes"][0] = node("Webhook", "executeWorkflowTrigger", 1.0, json!({}));
    document["id"] = json!("called");
    document
}

fn call_it(name: &str) -> Value {
    node(
        name,
        "executeWorkflow",
        1.0,
        json!({ "source": "database", "workflowId": "called", "options": {} }),
    )
}

#[test]
fn issue_15_12_what_called_runs_have_spent_counts_after_a_sleep_and_a_crash() {
    let models = models(5);
    let folder = TempFolder::new("budget-called");
    let wait = node(
        "Wait",
        "wait",
        1.1,
        json!({ "resume": "webhook", "httpMethod": "POST", "options": {} }),
    );
    let webhook =
        node("Webhook", "webhook", 2.0, json!({ "path": "caller", "httpMethod": "POST" }));
    let tell = node(
        "Tell",
        "code",
        2.0,
        json!({ "jsCode": "return [{ json: { url: $execution.resumeUrl } }]" }),
    );
    let mut caller = row(
        "caller",
        &[webhook, call_it("First"), tell, wait, call_it("Second"), call_it("Third")],
    );
    caller["settings"]["budget"] = json!({ "run": { "tokens": 60 } });
    let server = start(&folder, &[called(&models), caller], &[]);
    assert_eq!(call(&server, "caller").status, 200);
    let caller_of = |server: &Server| {
        server.executions().into_iter().find(|run| run["workflowId"] != "called").unwrap()
    };
    support::wait_until("it sleeps", || caller_of(&server)["status"] == "waiting");
    server.kill();
    let server = start(&folder, &[], &[]);
    let url = caller_of(&server)["data"]["resultData"]["runData"]["Tell"][0]["data"]["main"][0][0]
        ["json"]["url"]
        .clone();
    let address = format!("/{}", url.as_str().unwrap().splitn(4, '/').nth(3).unwrap());
    assert_eq!(server.call("POST", &address, Some(&json!({}))).status, 200);
    support::wait_until("it is over", || caller_of(&server)["status"] == "error");
    assert_eq!(models.requests().len(), 2, "30 tokens before the crash, 30 after it, and no more");
    let told = caller_of(&server)["data"]["resultData"]["error"]["message"].clone();
    assert_eq!(told, "The budget of this run is used up: 60 of 60 tokens used");
    server.stop();
}

/// Makes a credential of OpenAI's for the mock models.
fn openai_key(server: &Server, models: &MockModels) -> Value {
    let data = json!({ "apiKey": "sk-mock", "url": models.v1() });
    let body = json!({ "name": "Key", "type": "openAiApi", "data": data });
    let made = server.api("POST", "/credentials", Some(&body)).json();
    json!({ "openAiApi": { "id": made["id"], "name": "Key" } })
}

fn activate(server: &Server, document: &Value) {
    let body = json!({ "name": document["name"], "nodes": document["nodes"],
                       "connections": document["connections"], "settings": document["settings"] });
    let made = server.api("POST", "/workflows", Some(&body)).json();
    let path = format!("/workflows/{}/activate", made["id"].as_str().unwrap());
    assert_eq!(server.api("POST", &path, None).status, 200, "{made}");
}

#[test]
fn issue_17_01_a_node_that_names_its_model_itself_pays_from_the_same_budgets() {
    let models = models(5);
    let folder = TempFolder::new("budget-vendor");
    let server = start(&folder, &[], &[]);
    let credentials = openai_key(&server, &models);
    let vendor = |name: &str| {
        json!({ "id": name, "name": name, "type": "@n8n/n8n-nodes-langchain.openAi", "typeVersion": 1.8,
                "position": [0, 0], "credentials": credentials, "parameters": {
                    "modelId": { "__rl": true, "mode": "list", "value": "gpt-4o-mini" },
                    "messages": { "values": [{ "content": "go" }] } } })
    };
    let webhook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "path": "vendor", "httpMethod": "POST", "responseMode": "lastNode" }),
    );
    let mut document = row("vendor", &[webhook, vendor("First"), vendor("Second")]);
    document["settings"]["budget"] = json!({ "run": { "tokens": 30 } });
    activate(&server, &document);
    assert_eq!(call(&server, "vendor").status, 500);
    assert_eq!(models.requests().len(), 1);
    let error = error(&server);
    assert_eq!(error["code"], "BUDGET_REACHED", "{error}");
    assert_eq!(error["message"], "The budget of this run is used up: 30 of 30 tokens used");
    let spending = server.api("GET", "/spending", None).json();
    let row = &spending["data"][0];
    assert_eq!((&row["model"], &row["inputTokens"]), (&json!("gpt-4o-mini"), &json!(20)));
    assert!(row["dollars"].as_f64().is_some_and(|dollars| dollars > 0.0), "{spending}");
    let metrics = server.metrics();
    assert!(metrics.contains("heddle_model_tokens_total{direction=\"in\"} 20"), "{metrics}");
    server.stop();
}

#[test]
fn issue_17_01_embeddings_are_paid_for() {
    let models = models(0);
    let folder = TempFolder::new("budget-embeddings");
    let server = start(&folder, &[], &[]);
    let webhook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "path": "embed", "httpMethod": "POST", "responseMode": "lastNode" }),
    );
    let embed = json!({ "id": "e", "name": "Embed", "type": "embed-texts", "typeVersion": 1,
                        "position": [0, 0], "parameters": { "text": "apple pie" } });
    let mut document = row("embed", &[webhook, embed]);
    let model = json!({ "id": "m", "name": "Vectors", "type": "@n8n/n8n-nodes-langchain.embeddingsOpenAi", "typeVersion": 1.2,
                        "position": [0, 0], "parameters": { "model": "text-embedding-3-small" }, "credentials": openai_key(&server, &models) });
    document["nodes"].as_array_mut().unwrap().push(model);
    document["connections"]["Vectors"] =
        json!({ "ai_embedding": [[{ "node": "Embed", "type": "ai_embedding", "index": 0 }]] });
    document["settings"]["budget"] = json!({ "day": { "tokens": 1 } });
    activate(&server, &document);
    assert_eq!([call(&server, "embed").status, call(&server, "embed").status], [200, 500]);
    assert_eq!(error(&server)["code"], "BUDGET_REACHED");
    assert_eq!(models.requests().len(), 1);
    let spending = server.api("GET", "/spending", None).json();
    let row = &spending["data"][0];
    assert_eq!(row["model"], "text-embedding-3-small", "{spending}");
    assert!(row["inputTokens"].as_u64().is_some_and(|tokens| tokens > 0), "{spending}");
    server.stop();
}
