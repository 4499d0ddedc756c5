//! Agents that ask a person before their tools run, with a real server, a scripted model and a
//! service that counts. The table of cases is in `docs/approvals.md`.

mod commands;
mod decisions;
mod nested;
mod people;
mod policy;
mod registered;
mod responses;
mod retries;

use crate::support::request_counter::RequestCounter;
use crate::support::{Reply, Server, TempFolder, heddle, new_key, wait_until};
use serde_json::{Value, json};
use testkit::MockModels;

/// A server with one active workflow: a webhook, an agent that asks before it sends something, a
/// scripted model, and the service that it sends to.
struct ApprovalHarness {
    server: Server,
    models: MockModels,
    ledger: RequestCounter,
    folder: TempFolder,
    key: String,
}

impl ApprovalHarness {
    fn start(name: &str, replies: Vec<testkit::ScriptedReply>) -> Self {
        Self::start_with(name, replies, |_| {})
    }

    /// The same after a change of the workflow.
    fn start_with(
        name: &str,
        replies: Vec<testkit::ScriptedReply>,
        change: impl FnOnce(&mut Value),
    ) -> Self {
        let (folder, ledger, models) =
            (TempFolder::new(name), RequestCounter::start(), MockModels::start(replies).unwrap());
        let mut document = workflow(&models.v1(), &ledger.address);
        change(&mut document);
        let file = folder.write_json("agent", &document);
        heddle(&folder.0, &["import", "--activate", file.to_str().unwrap()]);
        let key = new_key(&folder.0);
        let server = start_server(&folder, &key);
        Self { server, models, ledger, folder, key }
    }

    /// Ends the server the hard way and starts it again.
    fn restart(&mut self) {
        let _ = self.server.process.kill();
        self.server.wait();
        self.server = start_server(&self.folder, &self.key);
    }

    fn call(&self) -> Reply {
        self.server.call("POST", "/webhook/ask", Some(&json!({ "question": "go" })))
    }

    /// Starts a run and waits until it asks about so many calls; gives its id.
    fn ask(&self, n_calls: usize) -> String {
        assert_eq!(self.call().status, 200);
        self.wait_for_questions(n_calls);
        self.pending_approvals()[0]["executionId"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn wait_for_questions(&self, n_calls: usize) {
        wait_until("the agent asks", || self.pending_approvals().len() == n_calls);
    }

    /// What waits for a person, the newest first.
    fn pending_approvals(&self) -> Vec<Value> {
        let reply = self.server.api("GET", "/approvals", None);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()["data"].as_array().unwrap().clone()
    }

    /// The open approval of a call to somebody.
    fn open_approval(&self, to: &str) -> Value {
        self.pending_approvals().into_iter().find(|asked| asked["arguments"]["to"] == to).unwrap()
    }

    fn decide(&self, asked: &Value, decision: &str) -> Reply {
        self.decide_with(
            asked,
            json!({ "call": asked["call"], "digest": asked["digest"], "decision": decision }),
        )
    }

    fn decide_with(&self, asked: &Value, body: Value) -> Reply {
        self.server.api(
            "POST",
            &format!("/executions/{}/approve", asked["executionId"].as_str().unwrap()),
            Some(&body),
        )
    }

    fn execution(&self, id: &str) -> Value {
        self.server.api("GET", &format!("/executions/{id}"), None).json()
    }

    #[track_caller]
    fn wait_for(&self, id: &str, status: &str) {
        wait_until(status, || self.execution(id)["status"] == status);
    }

    /// How often something was sent to somebody.
    fn sent(&self, to: &str) -> usize {
        self.ledger.all().get(&format!("/send/{to}")).copied().unwrap_or(0)
    }

    /// What a request to the model says that its tools gave.
    fn results(&self, request: usize) -> Vec<String> {
        let asked = self.models.requests();
        let messages = asked[request].body["messages"].as_array().unwrap().clone();
        let results = messages.iter().filter(|message| message["role"] == "tool");
        results.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
    }

    fn answer(&self, id: &str) -> Value {
        let shown =
            self.server.api("GET", &format!("/executions/{id}?includeData=true"), None).json();
        shown["data"]["resultData"]["runData"]["Agent"][0]["data"]["main"][0][0]["json"]["response"]
            .clone()
    }
}

fn start_server(folder: &TempFolder, key: &str) -> Server {
    Server::start_with_key(
        &folder.0,
        &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1"), ("HEDDLE_LOG", "off")],
        key,
    )
    .unwrap()
}

fn node(name: &str, kind: &str, version: f64, parameters: Value) -> Value {
    json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

fn to(above: &str, kind: &str) -> Value {
    json!({ kind: [[{ "node": above, "type": kind, "index": 0 }]] })
}

fn workflow(models: &str, ledger: &str) -> Value {
    let send = format!("=http://{ledger}/send/{{{{ $fromAI('to', 'to whom', 'string') }}}}");
    let look = format!("=http://{ledger}/look/{{{{ $fromAI('at', 'at what', 'string') }}}}");
    json!({
        "id": "asks", "name": "Asks first",
        "nodes": [
            node("Webhook", "n8n-nodes-base.webhook", 2.0, json!({ "httpMethod": "POST", "path": "ask", "options": {} })),
            node("Agent", "ai-agent", 1.0, json!({ "userMessage": "={{ $json.body.question }}", "options": { "askBefore": "changes" } })),
            node("Model", "openai-compatible-model", 1.0, json!({ "baseUrl": models, "model": "mock" })),
            node("Send", "n8n-nodes-base.httpRequestTool", 4.2, json!({ "method": "POST", "url": send, "options": {} })),
            node("Look", "n8n-nodes-base.httpRequestTool", 4.2, json!({ "method": "GET", "url": look, "options": {} })),
        ],
        "connections": {
            "Webhook": to("Agent", "main"),
            "Model": to("Agent", "ai_languageModel"), "Send": to("Agent", "ai_tool"), "Look": to("Agent", "ai_tool"),
        },
        "settings": { "executionOrder": "v1" }
    })
}

/// Sets an option of the agent.
fn option(document: &mut Value, name: &str, value: Value) {
    document["nodes"][1]["parameters"]["options"][name] = value;
}

/// A model that wants to send something to somebody.
fn send(to: &str) -> testkit::ScriptedReply {
    testkit::ScriptedReply::call("Send", json!({ "to": to }))
}
