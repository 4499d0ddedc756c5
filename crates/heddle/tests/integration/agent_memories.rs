//! Agents that remember, as their users meet them: the real binary, webhooks, restarts, a real
//! Redis and a real Postgres.

use crate::support::{Server, TempFolder, heddle, model_server};
use serde_json::{Value, json};
use std::net::TcpListener;
use testkit::services::{self, PASSWORD};
use testkit::{FakeHttp, FakeResponse};

/// A model that answers with everything that it was told in the user's name.
fn start_model() -> FakeHttp {
    FakeHttp::unrecorded(|request| respond(&request.json()))
}

fn respond(request: &Value) -> FakeResponse {
    let messages = request["messages"].as_array().unwrap();
    let text = |message: &Value| {
        message["content"].as_str().map_or_else(|| message["content"].to_string(), str::to_owned)
    };
    let of = |role: &str| {
        messages.iter().filter(|message| message["role"] == role).map(text).collect::<Vec<_>>()
    };
    let content = match of("system").iter().any(|words| words.contains("record of a conversation"))
    {
        true => format!("summarized: {}", of("user").join("|").replace('\n', " ")),
        false => format!("heard: {}", of("user").join("|")),
    };
    model_server::respond(&json!({ "content": content }))
}

/// A memory as a workflow has it.
#[derive(Clone)]
struct MemoryCase {
    kind: &'static str,
    version: f64,
    parameters: Value,
    credential: Option<&'static str>,
    lasts: bool,
}

fn memories() -> Vec<MemoryCase> {
    let memory = |kind, version, parameters, credential, lasts| MemoryCase {
        kind,
        version,
        parameters,
        credential,
        lasts,
    };
    let ours = || json!({ "sessionId": "={{ $json.body.user }}" });
    let n8n = || json!({ "sessionIdType": "customKey", "sessionKey": "={{ $json.body.user }}", "contextWindowLength": 20 });
    vec![
        memory("buffer-memory", 1.0, ours(), None, false),
        memory("window-memory", 1.0, ours(), None, false),
        memory("sqlite-memory", 1.0, ours(), None, true),
        memory("redis-memory", 1.0, ours(), Some("redis"), true),
        memory(
            "summary-memory",
            1.0,
            json!({ "sessionId": "={{ $json.body.user }}", "recentTurns": 1 }),
            None,
            true,
        ),
        memory("@n8n/n8n-nodes-langchain.memoryBufferWindow", 1.3, n8n(), None, false),
        memory("@n8n/n8n-nodes-langchain.memoryBufferWindow", 1.4, n8n(), None, true),
        memory("@n8n/n8n-nodes-langchain.memoryRedisChat", 1.5, n8n(), Some("redis"), true),
        memory("@n8n/n8n-nodes-langchain.memoryPostgresChat", 1.3, n8n(), Some("postgres"), true),
    ]
}

impl MemoryCase {
    fn path(&self) -> String {
        format!("{}-{}", self.kind.rsplit('.').next().unwrap(), self.version)
    }

    fn node(&self) -> Value {
        let mut node = json!({ "id": format!("m-{}", self.path()), "name": "Memory", "type": self.kind, "typeVersion": self.version,
                               "position": [0, 0], "parameters": self.parameters });
        if let Some(kind) = self.credential {
            node["credentials"] = json!({ kind: { "id": kind, "name": kind } });
        }
        node
    }
}

/// Webhook → agent, with a model and a memory.
fn workflow(model: &FakeHttp, path: &str, memory: Value) -> Value {
    let part = |name: &str, kind: &str, version: f64, parameters: Value| {
        json!({ "id": format!("{name}-{path}"), "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters,
                "webhookId": format!("{name}-{path}") })
    };
    let to =
        |node: &str, kind: &str| json!({ kind: [[{ "node": node, "type": kind, "index": 0 }]] });
    let called =
        json!({ "httpMethod": "POST", "path": path, "responseMode": "lastNode", "options": {} });
    let asked = json!({ "baseUrl": model.url("/v1"), "model": "mock" });
    json!({
        "name": path,
        "nodes": [
            part("Webhook", "n8n-nodes-base.webhook", 2.0, called),
            part("Agent", "ai-agent", 1.0, json!({ "userMessage": "={{ $json.body.text }}" })),
            part("Model", "openai-compatible-model", 1.0, asked.clone()),
            memory,
        ],
        "connections": {
            "Webhook": to("Agent", "main"),
            "Model": { "ai_languageModel": [[{ "node": "Agent", "type": "ai_languageModel", "index": 0 },
                                             { "node": "Memory", "type": "ai_languageModel", "index": 0 }]] },
            "Memory": to("Agent", "ai_memory"),
        },
        "settings": { "executionOrder": "v1" }
    })
}

fn import(data: &TempFolder, name: &str, document: &Value) -> String {
    let file = data.write_json(name, document);
    let told = heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
    told.split_whitespace().next().unwrap().to_owned()
}

fn import_credentials(data: &TempFolder, redis_port: u16, postgres_port: u16) {
    let redis = json!({ "host": "127.0.0.1", "port": redis_port, "password": PASSWORD });
    let postgres = json!({ "host": "127.0.0.1", "port": postgres_port, "user": "postgres", "password": PASSWORD, "database": "postgres" });
    let file = data.write_json(
        "credentials",
        &json!([{ "id": "redis", "name": "redis", "type": "redis", "data": redis },
                { "id": "postgres", "name": "postgres", "type": "postgres", "data": postgres }]),
    );
    heddle(&data.0, &["credentials", "import", file.to_str().unwrap()]);
}

const SETTINGS: [(&str, &str); 1] = [("HEDDLE_EGRESS_ALLOW", "127.0.0.1")];

fn ask(server: &Server, path: &str, user: &str, text: &str) -> String {
    let reply = server.call(
        "POST",
        &format!("/webhook/{path}"),
        Some(&json!({ "user": user, "text": text })),
    );
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()["response"].as_str().unwrap().to_owned()
}

#[test]
fn every_memory_remembers_the_next_call_and_those_that_last_a_restart() {
    let (redis, postgres) = (services::redis(), services::postgres());
    let (data, model) = (TempFolder::new("memories"), start_model());
    import_credentials(&data, redis.port, postgres.port);
    for memory in memories() {
        import(&data, &memory.path(), &workflow(&model, &memory.path(), memory.node()));
    }
    let server = Server::start(&data.0, &SETTINGS);
    for memory in memories() {
        let path = memory.path();
        assert_eq!(ask(&server, &path, "ada", "I am Ada"), "heard: I am Ada", "{path}");
        assert_eq!(ask(&server, &path, "ada", "who am I?"), "heard: I am Ada|who am I?", "{path}");
        assert_eq!(ask(&server, &path, "bob", "and I?"), "heard: and I?", "{path}: somebody else");
    }
    server.stop();
    let server = Server::start(&data.0, &SETTINGS);
    for memory in memories() {
        let (path, heard) = (memory.path(), ask(&server, &memory.path(), "ada", "and now?"));
        assert_eq!(heard.contains("I am Ada"), memory.lasts, "{path}: {heard}");
        if memory.kind == "summary-memory" {
            assert!(
                heard.contains("A summary of the conversation") && heard.contains("summarized"),
                "{heard}"
            );
        }
    }
    let executions = server.executions();
    assert!(executions.iter().all(|execution| execution["status"] == "success"));
    assert!(
        executions
            .iter()
            .all(|execution| execution["data"]["resultData"]["runData"]["Agent"][0]["hints"]
                == json!([]))
    );
}

#[test]
fn sessions_that_speak_at_the_same_time_do_not_mix() {
    let (redis, postgres) = (services::redis(), services::postgres());
    let (data, model) = (TempFolder::new("two-sessions"), start_model());
    import_credentials(&data, redis.port, postgres.port);
    for memory in memories() {
        let mut node = memory.node();
        if memory.credential == Some("postgres") {
            node["parameters"]["tableName"] = json!("public.two_sessions");
        }
        import(&data, &memory.path(), &workflow(&model, &memory.path(), node));
    }
    let server = Server::start(&data.0, &SETTINGS);
    for memory in memories() {
        let path = memory.path();
        std::thread::scope(|scope| {
            for user in ["ada", "bob", "cy"] {
                let (server, path) = (&server, &path);
                scope.spawn(move || {
                    for number in 0..4 {
                        let heard = ask(server, path, user, &format!("{user} {number}"));
                        for other in ["ada", "bob", "cy"].iter().filter(|other| **other != user) {
                            assert!(!heard.contains(&format!("{other} ")), "{path}: {heard}");
                        }
                        if number == 3
                            && memories().iter().any(|memory| {
                                memory.path() == *path && memory.kind != "summary-memory"
                            })
                        {
                            let all = (0..4)
                                .map(|number| format!("{user} {number}"))
                                .collect::<Vec<_>>()
                                .join("|");
                            assert_eq!(heard, format!("heard: {all}"), "{path}");
                        }
                    }
                });
            }
        });
    }
}

/// Back end down in mid-loop. The warning stands in the record of the agent's run, in
/// `hints`.
#[test]
fn a_memory_that_is_out_of_reach_is_done_without_and_the_execution_says_so() {
    let redis = services::redis();
    let (data, model) = (TempFolder::new("no-memory"), start_model());
    // A port that nobody listens on.
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    import_credentials(&data, closed, closed);
    let gone: Vec<MemoryCase> =
        memories().into_iter().filter(|memory| memory.credential.is_some()).collect();
    for memory in &gone {
        import(&data, &memory.path(), &workflow(&model, &memory.path(), memory.node()));
    }
    let server = Server::start(&data.0, &SETTINGS);
    for memory in &gone {
        assert_eq!(ask(&server, &memory.path(), "ada", "hi"), "heard: hi");
    }
    drop(redis);
    for execution in server.executions() {
        assert_eq!(execution["status"], "success");
        let hints = &execution["data"]["resultData"]["runData"]["Agent"][0]["hints"];
        let begins = |at: usize, words: &str| {
            hints[at]["message"].as_str().is_some_and(|message| message.starts_with(words))
        };
        assert!(
            begins(0, "The memory could not be read: ")
                && begins(1, "The memory could not be written: "),
            "{hints}"
        );
        assert!(!hints.to_string().contains(PASSWORD), "{hints}");
    }
}

/// Session 'default' across users.
#[test]
fn a_webhook_without_sessions_is_refused_and_says_what_to_do() {
    let (data, model) = (TempFolder::new("default-session"), start_model());
    let memory = json!({ "id": "m", "name": "Memory", "type": "buffer-memory", "typeVersion": 1, "position": [0, 0], "parameters": {} });
    import(&data, "default", &workflow(&model, "default", memory));
    let server = Server::start(&data.0, &SETTINGS);
    let reply =
        server.call("POST", "/webhook/default", Some(&json!({ "user": "ada", "text": "hi" })));
    assert_eq!(reply.status, 500);
    let execution = &server.executions()[0];
    let error = &execution["data"]["resultData"]["error"];
    assert_eq!(error["code"], "SESSION_SHARED", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("Set the session"), "{error}");
}

/// `{{json.user}}` is no name of a conversation, but whose it is.
#[test]
fn issue_17_01_a_session_in_the_short_form_is_that_of_each_user() {
    let (data, model) = (TempFolder::new("short-session"), start_model());
    let memory = |session: &str| json!({ "id": "m", "name": "Memory", "type": "buffer-memory", "typeVersion": 1, "position": [0, 0], "parameters": { "sessionId": session } });
    let short = "{{json.body.user}}";
    import(&data, "in-memory", &workflow(&model, "in-memory", memory(short)));
    let mut document = workflow(&model, "in-agent", memory("default"));
    document["nodes"][1]["parameters"] =
        json!({ "userMessage": "{{ json.body.text }}", "options": { "sessionId": short } });
    import(&data, "in-agent", &document);
    let server = Server::start(&data.0, &SETTINGS);
    for path in ["in-memory", "in-agent"] {
        assert_eq!(ask(&server, path, "ada", "mine"), "heard: mine", "{path}");
        assert_eq!(ask(&server, path, "bob", "his"), "heard: his", "{path}");
        assert_eq!(ask(&server, path, "ada", "more"), "heard: mine|more", "{path}");
    }
}

/// What was said goes with its workflow, and with a change of the vault's key nothing is
/// lost.
#[test]
fn conversations_outlive_a_change_of_the_key_and_are_deleted_with_their_workflow() {
    let (data, model) = (TempFolder::new("deleted"), start_model());
    let memory = memories().into_iter().find(|memory| memory.kind == "sqlite-memory").unwrap();
    let kept = import(&data, "kept", &workflow(&model, "kept", memory.node()));
    let deleted = import(&data, "deleted", &workflow(&model, "deleted", memory.node()));
    let server = Server::start(&data.0, &SETTINGS);
    for path in ["kept", "deleted"] {
        assert_eq!(
            ask(&server, path, "ada", "canary-words"),
            "heard: canary-words",
            "{path} does not see the other's"
        );
    }
    heddle(&data.0, &["credentials", "rotate"]);
    assert_eq!(ask(&server, "kept", "ada", "still?"), "heard: canary-words|still?");
    server.stop();
    let server = Server::start(&data.0, &SETTINGS);
    assert_eq!(ask(&server, "kept", "ada", "now?"), "heard: canary-words|still?|now?");
    let count = |sql: &str| -> i64 {
        rusqlite::Connection::open(data.0.join("heddle.db"))
            .unwrap()
            .query_row(sql, [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count("SELECT count(*) FROM conversations"), 2);
    assert_eq!(server.api("DELETE", &format!("/workflows/{deleted}"), None).status, 200);
    assert_eq!(
        (
            count("SELECT count(*) FROM conversations"),
            count("SELECT count(DISTINCT conversation) FROM conversation_turns")
        ),
        (1, 1)
    );
    assert_eq!(server.api("DELETE", &format!("/workflows/{kept}"), None).status, 200);
    assert_eq!(
        (count("SELECT count(*) FROM conversation_turns"), count("SELECT count(*) FROM journal")),
        (0, 0)
    );
}

/// One memory node for the agent and for the node that looks after it.
#[test]
fn the_memory_manager_reads_adds_and_removes_what_an_agent_remembers() {
    let (data, model) = (TempFolder::new("manager"), start_model());
    let memory = memories().into_iter().find(|memory| memory.version == 1.4).unwrap();
    let manage = |path: &str, version: f64, parameters: Value| {
        let mut document = workflow(&model, "chat", memory.node());
        let nodes = document["nodes"].as_array_mut().unwrap();
        let called = json!({ "httpMethod": "POST", "path": path, "responseMode": "lastNode", "responseData": "allEntries", "options": {} });
        nodes
            .push(json!({ "id": format!("w-{path}"), "webhookId": format!("w-{path}"), "name": "Manage", "type": "n8n-nodes-base.webhook",
                           "typeVersion": 2, "position": [0, 0], "parameters": called }));
        nodes.push(json!({ "id": "manager", "name": "Manager", "type": "@n8n/n8n-nodes-langchain.memoryManager", "typeVersion": version,
                           "position": [0, 0], "parameters": parameters }));
        document["connections"]["Manage"] =
            json!({ "main": [[{ "node": "Manager", "type": "main", "index": 0 }]] });
        document["connections"]["Memory"]["ai_memory"][0]
            .as_array_mut()
            .unwrap()
            .push(json!({ "node": "Manager", "type": "ai_memory", "index": 0 }));
        document["id"] = json!("chat");
        document
    };
    // Each change of the workflow is another version of it, with the same conversations.
    let managed = |server: &Server, version: f64, parameters: Value| -> Value {
        let told = import(&data, "chat", &manage("manage", version, parameters));
        assert_eq!(told, "chat");
        let path = format!("/workflows/{told}/activate");
        assert_eq!(server.api("POST", &path, None).status, 200);
        let reply = server.call("POST", "/webhook/manage", Some(&json!({ "user": "ada" })));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    };
    import(&data, "chat", &manage("manage", 1.1, json!({})));
    let server = Server::start(&data.0, &SETTINGS);
    ask(&server, "chat", "ada", "one");
    ask(&server, "chat", "ada", "two");
    let shown = managed(&server, 1.1, json!({}));
    let expected =
        json!([{ "human": "one", "ai": "heard: one" }, { "human": "two", "ai": "heard: one|two" }]);
    assert_eq!(shown, json!([{ "messages": expected, "messagesCount": 2 }]));
    let shown = managed(
        &server,
        1.1,
        json!({ "simplifyOutput": false, "options": { "groupMessages": false } }),
    );
    assert_eq!(
        (shown[0]["id"][2].as_str(), shown[0]["kwargs"]["content"].as_str()),
        (Some("HumanMessage"), Some("one"))
    );
    assert_eq!(shown.as_array().unwrap().len(), 4);
    let added = json!({ "mode": "insert", "messages": { "messageValues": [{ "type": "user", "message": "three" }, { "type": "ai", "message": "yes" }] } });
    assert_eq!(managed(&server, 1.1, added), json!([{ "success": true }]));
    assert_eq!(ask(&server, "chat", "ada", "four"), "heard: one|two|three|four");
    assert_eq!(
        managed(&server, 1.1, json!({ "mode": "delete", "lastMessagesCount": 3 })),
        json!([{ "success": true }])
    );
    assert_eq!(ask(&server, "chat", "ada", "five"), "heard: one|two|three|five");
    let only = json!({ "mode": "insert", "insertMode": "override", "messages": { "messageValues": [{ "message": "Be kind." }] } });
    let shown = managed(&server, 1.0, only);
    assert_eq!(
        (shown.as_array().unwrap().len(), shown[0]["id"][2].as_str()),
        (1, Some("SystemMessage"))
    );
    let heard = ask(&server, "chat", "ada", "six");
    assert!(heard.contains("[A note that is kept with the conversation]\nBe kind.|six"), "{heard}");
    managed(&server, 1.1, json!({ "mode": "delete", "deleteMode": "all" }));
    assert_eq!(ask(&server, "chat", "ada", "seven"), "heard: seven");
}

#[test]
fn a_strict_agent_has_what_was_said_in_its_envelope() {
    let (data, model) = (TempFolder::new("strict-memory"), start_strict_model());
    let memory = memories().into_iter().find(|memory| memory.kind == "sqlite-memory").unwrap();
    let mut document = workflow(&model, "strict", memory.node());
    document["nodes"][1]["type"] = json!("agent-core-react");
    document["nodes"][1]["parameters"] = json!({ "allowedTools": "none" });
    import(&data, "strict", &document);
    let server = Server::start(&data.0, &SETTINGS);
    let call = |text: &str| {
        let reply =
            server.call("POST", "/webhook/strict", Some(&json!({ "user": "ada", "text": text })));
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    };
    assert_eq!(call("I am Ada")["memory"], json!({ "messages": [] }));
    let past = call("who am I?")["memory"]["messages"].clone();
    assert_eq!(
        (past[0]["role"].as_str(), past[1]["role"].as_str()),
        (Some("user"), Some("assistant"))
    );
    assert!(
        past[0]["content"].as_str().unwrap().contains("I am Ada") && past[1]["content"] == "fine",
        "{past}"
    );
}

/// A model that always says that it is done.
fn start_strict_model() -> FakeHttp {
    FakeHttp::unrecorded(|_| {
        let content = "{ \"action\": \"final\", \"message\": \"fine\", \"confidence\": 1 }";
        model_server::respond(&json!({ "content": content }))
    })
}
