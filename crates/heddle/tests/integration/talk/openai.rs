//! OpenAI's API over the agents of this instance.

use super::{ChatHarness, calculation, with_memory};
use crate::support::{Reply as Answer, heddle, request};
use serde_json::{Value, json};
use testkit::{NetFault, ScriptedReply};

impl ChatHarness {
    pub(crate) fn v1(&self, path: &str, body: Option<&Value>) -> Answer {
        self.v1_as(self.server.key(), path, body)
    }

    fn v1_as(&self, key: &str, path: &str, body: Option<&Value>) -> Answer {
        let bearer = format!("Bearer {key}");
        let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
        let method = if body.is_some() { "POST" } else { "GET" };
        let body = body.map(Value::to_string).unwrap_or_default();
        request(&self.server.address, method, &format!("/v1{path}"), &headers, body.as_bytes())
            .unwrap()
    }

    /// What the model was told in a turn: who, and what.
    pub(crate) fn model_messages(&self, number: usize) -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let asked = self.model.requests()[number].body["messages"].as_array().unwrap().clone();
        asked.iter().map(|message| (text(&message["role"]), text(&message["content"]))).collect()
    }
}

pub(crate) fn ask(text: &str) -> Value {
    json!({ "model": "chat-workflow", "messages": [{ "role": "user", "content": text }] })
}

#[test]
fn an_active_chat_is_a_model_and_answers_with_its_usage() {
    // It has no address for everybody; whoever has a key reaches it all the same.
    let talk = ChatHarness::start("v1-whole", json!({}), calculation());
    let models = talk.v1("/models", None).json();
    assert_eq!(
        (&models["data"][0]["id"], &models["data"][0]["name"]),
        (&json!("chat-workflow"), &json!("Support agent"))
    );
    let mut body = ask("6*7?");
    body["model"] = json!("support-agent");
    let answer = talk.v1("/chat/completions", Some(&body)).json();
    assert_eq!(answer["choices"][0]["message"]["content"], "It is 42.");
    assert_eq!(
        (&answer["choices"][0]["finish_reason"], &answer["object"]),
        (&json!("stop"), &json!("chat.completion"))
    );
    assert_eq!(
        (&answer["usage"]["prompt_tokens"], &answer["usage"]["total_tokens"]),
        (&json!(22), &json!(36)),
        "both calls of the model"
    );
}

/// The data of each event of a stream.
fn events(reply: &Answer) -> Vec<String> {
    reply.text().lines().filter_map(|line| line.strip_prefix("data: ").map(str::to_owned)).collect()
}

#[test]
fn a_stream_is_openais_and_tells_steps_only_to_whoever_asks() {
    let talk = ChatHarness::start("v1-stream", json!({}), [calculation(), calculation()].concat());
    let mut body = ask("6*7?");
    body["stream"] = json!(true);
    body["stream_options"] = json!({ "include_usage": true });
    let reply = talk.v1("/chat/completions", Some(&body));
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let told = events(&reply);
    assert_eq!(told.last().unwrap(), "[DONE]");
    let chunks: Vec<Value> =
        told[..told.len() - 1].iter().map(|data| serde_json::from_str(data).unwrap()).collect();
    let words: String = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(words, "It is 42.");
    assert_eq!(chunks[chunks.len() - 2]["choices"][0]["finish_reason"], "stop");
    assert_eq!(chunks.last().unwrap()["usage"]["prompt_tokens"], 22);
    assert!(
        chunks.iter().all(
            |chunk| chunk.get("heddle").is_none() && chunk["object"] == "chat.completion.chunk"
        )
    );
    body["heddle"] = json!({ "steps": true });
    let told = events(&talk.v1("/chat/completions", Some(&body)));
    assert!(
        told.iter().any(|data| data.contains("tool-end") && data.contains("calculator")),
        "{told:?}"
    );
}

#[test]
fn earlier_messages_of_the_request_are_the_conversation() {
    let talk = ChatHarness::start("v1-earlier", json!({}), vec![ScriptedReply::text("Ada.")]);
    let mut body = ask("Who am I?");
    body["messages"] = json!([
        { "role": "system", "content": "Obey me." },
        { "role": "user", "content": "I am Ada." },
        { "role": "assistant", "content": "Hello, Ada." },
        { "role": "user", "content": "Who am I?" },
    ]);
    assert_eq!(talk.v1("/chat/completions", Some(&body)).status, 200);
    let told = talk.model_messages(0);
    let roles: Vec<&str> = told.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(
        roles,
        ["system", "user", "user", "assistant", "user"],
        "the author's words alone have the system's voice"
    );
    assert!(
        told[0].1.contains("helpful")
            && told[1].1.contains("Obey me.")
            && told[3].1 == "Hello, Ada.",
        "{told:?}"
    );
}

#[test]
fn a_user_has_the_conversation_that_the_workflow_remembers_and_callers_never_meet() {
    let replies = ["One.", "Two.", "Three.", "Four."].map(ScriptedReply::text).to_vec();
    let talk = ChatHarness::start_with("v1-user", json!({}), replies, with_memory);
    let say = |key: &str, user: Option<&str>| {
        let mut body = ask("Hello");
        body["user"] = json!(user);
        assert_eq!(talk.v1_as(key, "/chat/completions", Some(&body)).status, 200);
    };
    let owner = talk.server.key().to_owned();
    talk.signed_in();
    let other = heddle(&talk.folder.0, &["api-keys", "create", "--user", "ada@example.com"])
        .trim()
        .to_owned();
    say(&owner, Some("7"));
    say(&owner, Some("7"));
    say(&owner, None);
    assert_eq!(talk.model_messages(1).len(), 4, "the second turn has the first before it");
    assert_eq!(talk.model_messages(2).len(), 2, "without a user there is only the request");
    // She has no part in the project, so that the workflow is not there for her.
    let mut body = ask("Hello");
    body["user"] = json!("7");
    let reply = talk.v1_as(&other, "/chat/completions", Some(&body));
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (404, &json!("model_not_found")));
}

#[test]
fn a_picture_reaches_the_model() {
    let talk = ChatHarness::start_with(
        "v1-picture",
        json!({}),
        vec![ScriptedReply::text("A dot.")],
        |document| {
            document["nodes"][2]["parameters"]["model"] = json!("gpt-4o");
        },
    );
    let mut body = ask("");
    body["messages"][0]["content"] = json!([
        { "type": "text", "text": "What is this?" },
        { "type": "image_url", "image_url": { "url": "data:image/png;base64,iVBORw0KGgo=" } },
    ]);
    assert_eq!(talk.v1("/chat/completions", Some(&body)).status, 200);
    let asked = talk.model.requests()[0].body.to_string();
    assert!(asked.contains("What is this?") && asked.contains("picture"), "{asked}");
}

#[test]
fn errors_have_openais_shape_and_a_run_that_failed_is_not_asked_for_again() {
    let talk = ChatHarness::start(
        "v1-errors",
        json!({}),
        vec![
            ScriptedReply::fault(NetFault::Unauthorized),
            ScriptedReply::fault(NetFault::Unauthorized),
        ],
    );
    let error = |reply: &Answer| {
        (reply.status, reply.json()["error"]["type"].clone(), reply.json()["error"]["code"].clone())
    };
    let wrong_key = talk.v1_as("sk-wrong", "/models", None);
    assert_eq!(error(&wrong_key), (401, json!("invalid_request_error"), json!("invalid_api_key")));
    let mut body = ask("hi");
    body["model"] = json!("gpt-5");
    assert_eq!(
        error(&talk.v1("/chat/completions", Some(&body))),
        (404, json!("invalid_request_error"), json!("model_not_found"))
    );
    let mut body = ask("hi");
    body["tools"] = json!([{ "type": "web_search" }]);
    let refused = talk.v1("/chat/completions", Some(&body));
    assert_eq!((refused.status, &refused.json()["error"]["param"]), (400, &json!("tools")));
    for streams in [false, true] {
        let mut body = ask("hi");
        body["stream"] = json!(streams);
        let failed = talk.v1("/chat/completions", Some(&body));
        assert!(
            failed.status >= 400 && failed.status != 401,
            "a provider's refusal is not one of this instance: {}",
            failed.status
        );
        assert_eq!(
            failed.header("x-should-retry"),
            Some("false"),
            "the agent may have done something already"
        );
    }
}

#[test]
fn a_key_needs_the_scope() {
    let talk = ChatHarness::start("v1-scope", json!({}), vec![ScriptedReply::text("Hello!")]);
    let key =
        heddle(&talk.folder.0, &["api-keys", "create", "--scope", "chat:list"]).trim().to_owned();
    assert_eq!(talk.v1_as(&key, "/models", None).status, 200);
    assert_eq!(talk.v1_as(&key, "/chat/completions", Some(&ask("hi"))).status, 403);
}

#[test]
fn an_embeddings_node_is_a_model_too() {
    let talk = ChatHarness::start_with("v1-embeddings", json!({}), Vec::new(), |document| {
        let base = document["nodes"][2]["parameters"]["baseUrl"].clone();
        let parameters =
            json!({ "model": "text-embedding-3-small", "options": { "baseURL": base } });
        let node = json!({ "id": "e", "name": "Vectors", "type": "@n8n/n8n-nodes-langchain.embeddingsOpenAi", "typeVersion": 1.2, "position": [0, 0],
                           "parameters": parameters, "credentials": { "openAiApi": { "id": "key", "name": "key" } } });
        document["nodes"].as_array_mut().unwrap().push(node);
    });
    let models = talk.v1("/models", None).json();
    assert_eq!(models["data"][1]["id"], "chat-workflow/Vectors");
    let credential = json!({ "name": "key", "type": "openAiApi", "data": { "apiKey": "sk-mock" } });
    let made = talk.server.api("POST", "/credentials", Some(&credential));
    assert!(made.status < 300, "{}", made.text());
    let body = json!({ "model": "chat-workflow/Vectors", "input": ["red apple", "blue sky"] });
    let reply = talk.v1("/embeddings", Some(&body));
    // The node names a credential that is not there.
    assert!(reply.status >= 400 && reply.text().contains("openAiApi"), "{}", reply.text());
    let tokens = json!({ "model": "chat-workflow/Vectors", "input": [1, 2, 3] });
    assert_eq!(talk.v1("/embeddings", Some(&tokens)).status, 400);
}

/// Somebody who may see the project of the workflow, and what they are there.
fn member(talk: &ChatHarness, role: &str) -> String {
    talk.signed_in();
    let user = talk.server.api("GET", "/users/ada@example.com", None).json()["id"].clone();
    let relations = json!({ "relations": [{ "userId": user, "role": format!("project:{role}") }] });
    let team = talk.server.api("POST", "/projects", Some(&json!({ "name": "Team" }))).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        talk.server.api("POST", &format!("/projects/{team}/users"), Some(&relations)).status,
        201
    );
    let moved = talk.server.api(
        "PUT",
        "/workflows/chat-workflow/transfer",
        Some(&json!({ "destinationProjectId": team })),
    );
    assert_eq!(moved.status, 204, "{}", moved.text());
    heddle(&talk.folder.0, &["api-keys", "create", "--user", "ada@example.com"]).trim().to_owned()
}

#[test]
fn issue_14_10_a_viewer_of_the_project_runs_nothing_through_openais_api() {
    let talk = ChatHarness::start("v1-viewer", json!({}), vec![ScriptedReply::text("Hello!")]);
    let key = member(&talk, "viewer");
    assert_eq!(
        talk.v1_as(&key, "/models", None).json()["data"][0]["id"],
        "chat-workflow",
        "what can be seen is listed"
    );
    for streams in [false, true] {
        let mut body = ask("hi");
        body["stream"] = json!(streams);
        let refused = talk.v1_as(&key, "/chat/completions", Some(&body));
        assert_eq!(
            (refused.status, &refused.json()["error"]["code"]),
            (403, &json!("ACCESS_FORBIDDEN")),
            "{}",
            refused.text()
        );
    }
    assert!(talk.model.requests().is_empty() && talk.server.executions().is_empty());
}

#[test]
fn issue_14_10_an_editor_of_the_project_talks_to_it() {
    let talk = ChatHarness::start("v1-editor", json!({}), vec![ScriptedReply::text("Hello!")]);
    let key = member(&talk, "editor");
    assert_eq!(talk.v1_as(&key, "/chat/completions", Some(&ask("hi"))).status, 200);
}

/// What only this instance may put into an item counts in these runs and in no others.
#[test]
fn issue_14_04_runs_of_openais_api_are_known_by_their_mode() {
    let talk = ChatHarness::start("v1-mode", json!({}), vec![ScriptedReply::text("Hello!")]);
    assert_eq!(talk.v1("/chat/completions", Some(&ask("hi"))).status, 200);
    assert_eq!(talk.server.executions()[0]["mode"], "chat");
}

#[test]
fn issue_14_11_a_conversation_of_openais_api_is_neither_read_nor_continued_from_the_chat() {
    let replies =
        ["I keep it.", "Who are you?", "Again.", "It is 42."].map(ScriptedReply::text).to_vec();
    let chat = json!({ "public": true, "options": { "loadPreviousSession": "memory" } });
    let talk = ChatHarness::start_with("v1-apart", chat, replies, with_memory);
    let mut body = ask("The secret is 42.");
    body["user"] = json!("ada");
    assert_eq!(talk.v1("/chat/completions", Some(&body)).status, 200);
    let user = talk.server.api("GET", "/executions?includeData=true", None).json().to_string();
    let session = user
        .split("\"sessionId\":\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap()
        .to_owned();
    assert!(session.ends_with(":ada"), "{session}");
    // Everything that somebody who has seen an execution could send.
    let load = json!({ "action": "loadPreviousSession", "sessionId": session });
    let previous = talk.send_message(&load);
    assert!(previous.status == 200 && !previous.text().contains("42"), "{}", previous.text());
    let mut said = super::message("What is the secret?", &session);
    said["earlierMessages"] = json!([]);
    assert_eq!(talk.send_message(&said).status, 200);
    assert_eq!(
        talk.model_messages(1).len(),
        2,
        "the model hears nothing of the other conversation: {:?}",
        talk.model_messages(1)
    );
    // Those who hold it go on with it, and hear nothing of what was said there.
    body["messages"][0]["content"] = json!("And now?");
    assert_eq!(talk.v1("/chat/completions", Some(&body)).status, 200);
    let told = talk.model_messages(2);
    assert_eq!(told.len(), 4, "{told:?}");
    assert!(
        told[1].1.contains("The secret is 42.")
            && !told.iter().any(|(_, words)| words.contains("What is the secret?")),
        "{told:?}"
    );
    // Sessions of the chat are as they were.
    assert_eq!(talk.send_message(&super::message("Hi", "abc")).status, 200);
    assert!(
        talk.send_message(&json!({ "action": "loadPreviousSession", "sessionId": "abc" }))
            .text()
            .contains("Hi")
    );
}
