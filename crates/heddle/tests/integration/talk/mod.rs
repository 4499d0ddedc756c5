//! Talking to agents from outside: chats, OpenAI's API and the terminal, with scripted models
//! behind.

mod chat;
mod client_tools;
mod events;
mod openai;
mod record;
mod replies;
mod sessions;
mod terminal;

use crate::support;
use crate::support::{Server, TempFolder, heddle, request};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};
use testkit::{MockModels, ScriptedReply};

/// A server with one active workflow: a chat, an agent with a calculator, and a scripted model.
struct ChatHarness {
    model: MockModels,
    server: Server,
    folder: TempFolder,
}

impl ChatHarness {
    fn start(name: &str, chat: Value, replies: Vec<ScriptedReply>) -> Self {
        Self::start_with(name, chat, replies, |_| {})
    }

    /// The same after a change of the workflow.
    fn start_with(
        name: &str,
        chat: Value,
        replies: Vec<ScriptedReply>,
        change: impl FnOnce(&mut Value),
    ) -> Self {
        let model = MockModels::start(replies).unwrap();
        let folder = TempFolder::new(name);
        let mut document = workflow(&model, chat);
        change(&mut document);
        let file = folder.write_json("chat", &document);
        heddle(&folder.0, &["import", "--activate", file.to_str().unwrap()]);
        let server = Server::start(&folder.0, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1")]);
        Self { model, server, folder }
    }

    /// Ends the server the hard way and starts it again.
    fn restart(&mut self) {
        let _ = self.server.process.kill();
        self.server.wait();
        self.server = Server::start(&self.folder.0, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1")]);
    }

    fn send_message(&self, body: &Value) -> support::Reply {
        self.server.call("POST", "/webhook/the-chat/chat", Some(body))
    }

    /// The lines of an answer that streams.
    fn lines(&self, body: &Value) -> Vec<Value> {
        let reply = self.send_message(body);
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The cookie of somebody who has signed in.
    fn signed_in(&self) -> String {
        let (email, password) = ("ada@example.com", "a long pass phrase");
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command
            .args(["users", "create", email])
            .env("HEDDLE_DATA", &self.folder.0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null());
        let mut creating = command.spawn().unwrap();
        creating.stdin.take().unwrap().write_all(format!("{password}\n").as_bytes()).unwrap();
        assert!(creating.wait().unwrap().success());
        let reply = self.server.call(
            "POST",
            "/api/login",
            Some(&json!({ "email": email, "password": password })),
        );
        reply.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }

    fn get(&self, path: &str, headers: &[(&str, &str)]) -> support::Reply {
        request(&self.server.address, "GET", path, headers, b"").unwrap()
    }
}

fn workflow(model: &MockModels, chat: Value) -> Value {
    let part = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters });
    let mut trigger = part("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.4, chat);
    trigger["webhookId"] = json!("the-chat");
    let to =
        |node: &str, kind: &str| json!({ kind: [[{ "node": node, "type": kind, "index": 0 }]] });
    json!({
        "id": "chat-workflow",
        "name": "Support agent",
        "nodes": [
            trigger,
            part("Agent", "ai-agent", 1.0, json!({ "userMessage": "={{ $json.chatInput }}" })),
            part("Model", "openai-compatible-model", 1.0, json!({ "baseUrl": model.v1(), "model": "mock" })),
            part("Calculator", "calculator-tool", 1.0, json!({})),
        ],
        "connections": {
            "Chat": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Model": to("Agent", "ai_languageModel"),
            "Calculator": to("Agent", "ai_tool"),
        },
        "settings": { "executionOrder": "v1" }
    })
}

/// Adds a memory to the agent, and to the chat too.
fn with_memory(document: &mut Value) {
    let memory = json!({ "id": "m", "name": "Memory", "type": "sqlite-memory", "typeVersion": 1, "position": [0, 0], "parameters": {} });
    document["nodes"].as_array_mut().unwrap().push(memory);
    let to = |node: &str| json!({ "node": node, "type": "ai_memory", "index": 0 });
    document["connections"]["Memory"] = json!({ "ai_memory": [[to("Agent"), to("Chat")]] });
}

fn message(text: &str, session: &str) -> Value {
    json!({ "action": "sendMessage", "sessionId": session, "chatInput": text })
}

fn calculation() -> Vec<ScriptedReply> {
    vec![
        ScriptedReply::call("calculator", json!({ "expression": "6*7" })),
        ScriptedReply::text("It is 42."),
    ]
}
