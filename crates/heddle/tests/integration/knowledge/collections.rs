//! Collections that Heddle keeps: the real binary, its API, its command line, and an agent that
//! looks into them.

use super::harness::{KnowledgeHarness, chat_model, embeddings, node};
use crate::support::pdf::pdf;
use crate::support::{Server, TempFolder, heddle, request};
use serde_json::{Value, json};
use std::process::Command;
use testkit::{MockModels, ScriptedReply, WireFormat};

const POLICY: &str =
    "# Shop\n\n## Refund policy\n\nrefund policy : money back within thirty days\n";

/// A data folder with a credential that leads to mock models.
struct Shop {
    folder: TempFolder,
    models: MockModels,
}

impl Shop {
    fn new(name: &str) -> Self {
        let (folder, models) = (TempFolder::new(name), MockModels::start([]).unwrap());
        let credentials = json!([{ "id": "cred1", "name": "Mock", "type": "openAiApi", "data": { "apiKey": "sk-canary", "url": models.v1() } }]);
        let file = folder.0.join("credentials.json");
        std::fs::write(&file, credentials.to_string()).unwrap();
        heddle(&folder.0, &["credentials", "import", file.to_str().unwrap()]);
        Self { folder, models }
    }

    fn server(&self) -> Server {
        Server::start(&self.folder.0, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1")])
    }

    fn heddle(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command
            .args(arguments)
            .env("HEDDLE_DATA", &self.folder.0)
            .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1");
        let output = command.output().unwrap();
        let told = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(told).unwrap())
    }
}

fn upload(server: &Server, id: &str, name: &str, mime_type: &str, body: &[u8]) -> (u16, Value) {
    let headers = [("content-type", mime_type), ("x-n8n-api-key", server.key())];
    let path = format!("/api/v1/collections/{id}/files?source={name}");
    let reply = request(&server.address, "POST", &path, &headers, body).unwrap();
    (reply.status, reply.json())
}

/// A workflow whose agent is asked for the refund policy, with a tool.
fn shop_workflow(mut tool: Value) -> Value {
    let part = |name: &str, kind: &str, parameters: Value| node(name, kind, 1.0, parameters);
    let credential = json!({ "openAiApi": { "id": "cred1", "name": "Mock" } });
    let mut model = part("Model", "openai-model", json!({ "model": "gpt-4o-mini" }));
    model["credentials"] = credential.clone();
    tool["credentials"] = credential;
    json!({
        "id": "w", "name": "Shop",
        "nodes": [
            part("Hook", "n8n-nodes-base.webhook", json!({ "path": "ask", "responseMode": "lastNode" })),
            part("Agent", "ai-agent", json!({ "userMessage": "What is your refund policy?" })), model, tool,
        ],
        "connections": {
            "Hook": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
            "Model": { "ai_languageModel": [[{ "node": "Agent", "type": "ai_languageModel", "index": 0 }]] },
            "Knowledge": { "ai_tool": [[{ "node": "Agent", "type": "ai_tool", "index": 0 }]] },
        },
        "settings": { "executionOrder": "v1" },
    })
}

/// S0-33 in each wire format: 'refund policy' leads to knowledge_base_search.
#[test]
fn issue_17_01_the_refund_policy_is_found_in_every_wire_format() {
    let shop = Shop::new("refund-formats");
    let (v1, root) = (shop.models.v1(), shop.models.url());
    let formats = [
        ("openai-model", "openAiApi", json!({ "apiKey": "k", "url": v1 }), WireFormat::OpenAiChat),
        (
            "anthropic-model",
            "anthropicApi",
            json!({ "apiKey": "k", "url": root }),
            WireFormat::Anthropic,
        ),
        (
            "gemini-model",
            "googlePalmApi",
            json!({ "apiKey": "k", "host": root }),
            WireFormat::Gemini,
        ),
        ("ollama-model", "ollamaApi", json!({ "baseUrl": root }), WireFormat::Ollama),
    ];
    let credentials: Vec<Value> = formats
        .iter()
        .map(|(kind, of, data, _)| json!({ "id": kind, "name": kind, "type": of, "data": data }))
        .collect();
    let file = shop.folder.0.join("formats.json");
    std::fs::write(&file, Value::from(credentials).to_string()).unwrap();
    assert!(shop.heddle(&["credentials", "import", file.to_str().unwrap()]).0);
    for (kind, of, ..) in &formats {
        let tool = node("Knowledge", "knowledge-base-tool", 1.0, json!({ "collection": "shop" }));
        let mut workflow = shop_workflow(tool);
        workflow["id"] = json!(kind);
        workflow["name"] = json!(kind);
        workflow["nodes"][0]["parameters"]["path"] = json!(kind);
        workflow["nodes"][2] = node("Model", kind, 1.0, json!({ "model": "mock" }));
        workflow["nodes"][2]["credentials"] = json!({ *of: { "id": kind, "name": kind } });
        let file = shop.folder.write_json(kind, &workflow);
        let (done, said) = shop.heddle(&["import", "--activate", file.to_str().unwrap()]);
        assert!(done, "{said}");
    }
    let server = shop.server();
    let made = server
        .api("POST", "/collections", Some(&json!({ "name": "shop", "credentialId": "cred1" })))
        .json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(upload(&server, id, "policy.md", "text/markdown", POLICY.as_bytes()).0, 200);
    for (kind, _, _, format) in formats {
        shop.models.script([
            ScriptedReply::call("knowledge_base_search", json!({ "query": "refund policy" })),
            ScriptedReply::text("You have thirty days."),
        ]);
        let answer = server.call("GET", &format!("/webhook/{kind}"), None);
        assert_eq!(answer.json()["response"], "You have thirty days.", "{kind}: {}", answer.text());
        let asked = shop.models.requests();
        let last = asked.last().unwrap();
        assert_eq!(last.format, Some(format), "{kind}");
        assert!(
            last.body.to_string().contains("money back within thirty days"),
            "{kind}: {}",
            last.body
        );
    }
}

/// S0-33: 'refund policy' leads to knowledge_base_search.
#[test]
fn an_agent_finds_the_refund_policy_in_files_that_came_over_the_api() {
    let shop = Shop::new("refund");
    let server = shop.server();
    let made = server
        .api("POST", "/collections", Some(&json!({ "name": "shop", "credentialId": "cred1" })))
        .json();
    let id = made["id"].as_str().unwrap();
    assert_eq!(
        upload(&server, id, "policy.md", "text/markdown", POLICY.as_bytes()),
        (200, json!({ "source": "policy.md", "chunks": 1 }))
    );
    let csv = "name,price\nBall,3\nRope,9\n";
    assert_eq!(upload(&server, id, "prices.csv", "text/csv", csv.as_bytes()).1["chunks"], 2);
    server.stop();

    shop.models.script([
        ScriptedReply::call("knowledge_base_search", json!({ "query": "refund policy" })),
        ScriptedReply::text("You have thirty days."),
    ]);
    let tool = node(
        "Knowledge",
        "knowledge-base-tool",
        1.0,
        json!({ "collection": "shop", "options": { "minScore": 0.6 } }),
    );
    let file = shop.folder.write_json("shop", &shop_workflow(tool));
    heddle(&shop.folder.0, &["import", "--activate", file.to_str().unwrap()]);
    let server = shop.server();
    let answer = server.call("GET", "/webhook/ask", None);
    assert_eq!(
        (answer.status, &answer.json()["response"]),
        (200, &json!("You have thirty days.")),
        "{}",
        answer.text()
    );
    let asked = shop.models.requests();
    let chats: Vec<_> =
        asked.iter().filter(|asked| asked.path.ends_with("/chat/completions")).collect();
    assert_eq!(chats[0].body["tools"][0]["function"]["parameters"]["required"], json!(["query"]));
    let told = chats[1].body["messages"].as_array().unwrap().last().unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    let results: Value = serde_json::from_str(&told).unwrap();
    let results = results["results"].as_array().unwrap();
    assert_eq!(results.len(), 1, "what is farther than the minimum score is not there: {told}");
    assert!(
        results[0]["content"].as_str().unwrap().contains("thirty days")
            && results[0]["metadata"]["source"] == "policy.md"
    );
    assert!(results[0]["score"].as_f64().unwrap() >= 0.6);
}

#[test]
fn collections_are_filled_looked_at_searched_and_removed_over_the_api() {
    let shop = Shop::new("knowledge-api");
    let server = shop.server();
    let body =
        json!({ "name": "docs", "description": "d", "embeddingModel": "text-embedding-3-small" });
    let made = server.api("POST", "/collections", Some(&body));
    assert_eq!(
        (made.status, &made.json()["embeddingModel"]),
        (201, &json!("text-embedding-3-small"))
    );
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/collections/{id}{rest}");
    assert_eq!(server.api("POST", "/collections", Some(&body)).status, 409);
    let refused = server.api("POST", &path("/texts"), Some(&json!({ "text": "x" })));
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (400, &json!("COLLECTION_VALUE")),
        "no credential is chosen yet"
    );
    assert_eq!(
        server.api("PATCH", &path(""), Some(&json!({ "credentialId": "nope" }))).status,
        404
    );
    assert_eq!(
        server.api("PATCH", &path(""), Some(&json!({ "credentialId": "cred1" }))).json()["credentialId"],
        "cred1"
    );

    let text = json!({ "text": "refund policy of thirty days", "source": "a", "metadata": { "lang": "en" } });
    assert_eq!(
        server.api("POST", &path("/texts"), Some(&text)).json(),
        json!({ "source": "a", "chunks": 1 })
    );
    assert_eq!(server.api("POST", &path("/texts"), Some(&text)).json()["chunks"], 1);
    let page = "<html><body><h1>Hours</h1><p>open until nine</p></body></html>";
    assert_eq!(upload(&server, &id, "hours.html", "text/html", page.as_bytes()).0, 200);
    let file = pdf("BT /F1 12 Tf 10 100 Td (warranty for two years) Tj ET");
    assert_eq!(
        upload(&server, &id, "warranty.pdf", "application/pdf", &file),
        (200, json!({ "source": "warranty.pdf", "chunks": 1 }))
    );
    let chunk =
        server.api("GET", &path("/chunks?source=warranty.pdf"), None).json()["data"][0].clone();
    assert_eq!(
        (&chunk["content"], &chunk["metadata"]["loc"]["pageNumber"]),
        (&json!("warranty for two years"), &json!(1))
    );
    let (status, _) =
        upload(&server, &id, "broken.pdf", "application/pdf", &file[..file.len() / 2]);
    assert_eq!(status, 422);
    server.api("DELETE", &path("/sources?source=warranty.pdf"), None);
    let (status, refused) = upload(&server, &id, "a.bin", "application/octet-stream", b"\x00\x01");
    assert_eq!((status, &refused["code"]), (422, &json!("NODE_INPUT")), "{refused}");

    let sources = server.api("GET", &path("/sources"), None).json();
    let names: Vec<&str> = sources["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| source["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a", "hours.html"], "a source that comes again takes its own place");
    let first = server.api("GET", &path("/chunks?limit=1"), None).json();
    let next = server
        .api(
            "GET",
            &path(&format!("/chunks?limit=1&cursor={}", first["nextCursor"].as_str().unwrap())),
            None,
        )
        .json();
    assert_eq!(
        (&first["data"][0]["metadata"]["lang"], &next["data"][0]["source"]),
        (&json!("en"), &json!("hours.html"))
    );
    assert_eq!(next["nextCursor"], Value::Null);

    let search = |body: Value| server.api("POST", &path("/search"), Some(&body)).json();
    assert_eq!(
        search(json!({ "query": "refund policy", "limit": 1 }))["results"][0]["metadata"]["source"],
        "a"
    );
    assert_eq!(
        search(json!({ "query": "open until nine", "hybrid": true }))["results"][0]["metadata"]["source"],
        "hours.html"
    );
    assert_eq!(
        search(json!({ "query": "open", "metadata": { "lang": "en" } }))["results"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(search(json!({ "query": "x", "limit": 1000 }))["code"], "REQUEST_INVALID");
    assert_eq!(
        server.api("DELETE", &path("/sources?source=a"), None).json(),
        json!({ "deletedCount": 1 })
    );
    assert_eq!(server.api("GET", &path(""), None).json()["chunkCount"], 1);
    assert_eq!(server.api("DELETE", &path(""), None).status, 204);
    assert_eq!(server.api("GET", &path(""), None).json()["code"], "COLLECTION_NOT_FOUND");
    assert!(
        shop.models
            .requests()
            .iter()
            .all(|asked| asked.header("authorization") == Some("Bearer sk-canary"))
    );
}

#[test]
fn the_command_line_fills_and_searches_collections() {
    let shop = Shop::new("knowledge-cli");
    let file = shop.folder.0.join("policy.md");
    std::fs::write(&file, POLICY).unwrap();
    let (_, told) = shop.heddle(&["knowledge", "list"]);
    assert!(told.contains("No collections"), "{told}");
    let (is_ok, told) = shop.heddle(&["knowledge", "add", "docs", file.to_str().unwrap()]);
    assert!(!is_ok && told.contains("--credential"), "{told}");
    let (is_ok, told) =
        shop.heddle(&["knowledge", "add", "docs", file.to_str().unwrap(), "--credential", "Mock"]);
    assert!(is_ok && told.contains("policy.md: 1 chunks"), "{told}");
    let (_, told) = shop.heddle(&["knowledge", "list"]);
    assert!(told.contains("docs  1 chunks  text-embedding-3-small"), "{told}");
    let (_, told) = shop.heddle(&["knowledge", "list", "docs"]);
    assert_eq!(told.trim(), "policy.md  1 chunks");
    let (is_ok, told) = shop.heddle(&["knowledge", "search", "docs", "refund policy", "--json"]);
    let found: Value = serde_json::from_str(told.trim()).unwrap();
    assert!(is_ok && found["content"].as_str().unwrap().contains("thirty days"), "{told}");
    let of = |source: &str| {
        shop.heddle(&["knowledge", "search", "docs", "refund policy", "--where", source]).1
    };
    assert!(
        of("source=policy.md").contains("thirty days")
            && of("source=other.md").contains("No results")
    );
    assert!(of("source").contains("FIELD=VALUE"));
    let (is_ok, told) = shop.heddle(&["knowledge", "search", "nothing", "x"]);
    assert!(!is_ok && told.contains("collection 'nothing' does not exist"), "{told}");
}

#[test]
fn the_author_and_then_the_agent_narrow_down_what_is_found() {
    let shop = Shop::new("narrow");
    let server = shop.server();
    let id = server
        .api("POST", "/collections", Some(&json!({ "name": "shop", "credentialId": "cred1" })))
        .json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for (source, language, place) in
        [("a", "en", "shop"), ("b", "de", "shop"), ("c", "en", "vault")]
    {
        let text = json!({ "text": "refund policy", "source": source, "metadata": { "language": language, "place": place } });
        assert_eq!(
            server.api("POST", &format!("/collections/{id}/texts"), Some(&text)).status,
            200
        );
    }
    server.stop();
    // The second call asks for what the author does not allow.
    let filters = [json!({ "language": "en" }), json!({ "language": "en", "place": "vault" })];
    let calls = filters.map(|filter| {
        ScriptedReply::call(
            "knowledge_base_search",
            json!({ "query": "refund policy", "filter": filter }),
        )
    });
    shop.models.script(calls.into_iter().chain([ScriptedReply::text("Done.")]));
    let demanded = json!({ "metadataValues": [{ "name": "place", "value": "shop" }] });
    let options = json!({ "minScore": 0, "metadata": demanded, "filterFields": "language" });
    let tool = node(
        "Knowledge",
        "knowledge-base-tool",
        1.0,
        json!({ "collection": "shop", "options": options }),
    );
    let file = shop.folder.write_json("shop", &shop_workflow(tool));
    heddle(&shop.folder.0, &["import", "--activate", file.to_str().unwrap()]);
    let server = shop.server();
    assert_eq!(server.call("GET", "/webhook/ask", None).json()["response"], "Done.");
    let asked = shop.models.requests();
    let told: Vec<String> = asked
        .iter()
        .filter(|asked| asked.path.ends_with("/chat/completions"))
        .skip(1)
        .map(|asked| {
            asked.body["messages"].as_array().unwrap().last().unwrap()["content"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let found: Value = serde_json::from_str(&told[0]).unwrap();
    let sources: Vec<&Value> = found["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| &result["metadata"]["source"])
        .collect();
    assert_eq!(sources, ["a"], "{found}");
    assert!(
        serde_json::from_str::<Value>(&told[1]).is_err(),
        "a field that is not offered is refused in words: {}",
        told[1]
    );
}

#[test]
fn limits_of_collections_are_settings() {
    let shop = Shop::new("knowledge-limits");
    let server = Server::start(
        &shop.folder.0,
        &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1"), ("HEDDLE_COLLECTIONS", "1")],
    );
    assert_eq!(server.api("POST", "/collections", Some(&json!({ "name": "one" }))).status, 201);
    let refused = server.api("POST", "/collections", Some(&json!({ "name": "two" })));
    assert!(refused.status >= 400 && refused.status < 500, "{}", refused.text());
}

const ONE: &[(&str, &str, &str)] =
    &[("Start", "main", "Base"), ("Embeddings", "ai_embedding", "Base")];

fn base(parameters: Value) -> Vec<Value> {
    vec![node("Base", "knowledge-base", 1.0, parameters), embeddings()]
}

#[tokio::test]
async fn a_workflow_inserts_searches_and_deletes() {
    let world = KnowledgeHarness::new("base", &[]);
    let insert = json!({ "operation": "insert", "collection": "docs", "text": "={{ $json.text }}", "source": "={{ $json.name }}",
        "options": { "metadata": { "metadataValues": [{ "name": "lang", "value": "en" }] } } });
    let texts = json!([{ "text": "refund policy of thirty days", "name": "a" }, { "text": "parcels travel by train", "name": "b" }]);
    let made = world.items(base(insert.clone()), ONE, texts.clone()).await;
    assert_eq!(
        (&made[0]["collection"], &made[0]["source"], &made[1]["chunks"]),
        (&json!("docs"), &json!("a"), &json!(1))
    );
    world.items(base(insert), ONE, texts).await;
    let search = json!({ "operation": "search", "collection": "docs", "query": "refund policy", "options": { "topK": 9 } });
    let found = world.items(base(search), ONE, json!([{}])).await;
    assert_eq!(
        found.as_array().unwrap().len(),
        2,
        "a source that comes again takes its own place: {found}"
    );
    assert_eq!(
        (&found[0]["metadata"]["source"], &found[0]["metadata"]["lang"]),
        (&json!("a"), &json!("en"))
    );
    let delete = json!({ "operation": "delete", "collection": "docs", "which": "source", "deleteSource": "a" });
    assert_eq!(
        world.items(base(delete), &ONE[..1], json!([{}])).await,
        json!([{ "collection": "docs", "deleted": 1 }])
    );
}

#[tokio::test]
async fn files_of_items_are_read_and_what_cannot_be_read_fails_alone() {
    let world = KnowledgeHarness::new("base-files", &[]);
    let file = |name: &str, mime_type: &str, data: &[u8]| {
        use base64::Engine as _;
        let data = base64::engine::general_purpose::STANDARD.encode(data);
        json!({ "json": {}, "binary": { "data": { "data": data, "mimeType": mime_type, "fileName": name } } })
    };
    let insert = json!({ "operation": "insert", "collection": "docs", "data": "file" });
    let mut nodes = base(insert);
    nodes[0]["onError"] = json!("continueRegularOutput");
    let items = json!([
        file("policy.md", "text/markdown", POLICY.as_bytes()),
        file("x.png", "image/png", b"\x89PNG")
    ]);
    let made = world.items(nodes, ONE, items).await;
    assert_eq!((&made[0]["source"], &made[0]["chunks"]), (&json!("policy.md"), &json!(1)));
    assert!(made[1]["error"].as_str().unwrap().contains("image/png"), "{made}");
}

#[tokio::test]
async fn another_embedding_model_is_refused_in_words() {
    let world = KnowledgeHarness::new("base-model", &[]);
    let insert = json!({ "operation": "insert", "collection": "docs", "text": "a" });
    world.items(base(insert.clone()), ONE, json!([{}])).await;
    let mut nodes = base(insert);
    nodes[1]["parameters"] = json!({ "model": "text-embedding-3-large" });
    let error = world.run(nodes, ONE, json!([{}])).await.error.unwrap();
    assert_eq!(error.code, model::Code::COLLECTION_MODEL);
    assert!(
        error.message.contains("'text-embedding-3-small'")
            && error.message.contains("'text-embedding-3-large'"),
        "{}",
        error.message
    );
    let nothing = json!({ "operation": "search", "collection": "none", "query": "a" });
    let error = world.run(base(nothing), ONE, json!([{}])).await.error.unwrap();
    assert_eq!(
        (error.code, error.message.as_str()),
        (model::Code::COLLECTION_NOT_FOUND, "Collection named 'none' does not exist")
    );
}

#[tokio::test]
async fn a_collection_serves_a_chain_as_its_vector_store() {
    let world = KnowledgeHarness::new("base-store", &[]);
    let insert = json!({ "operation": "insert", "collection": "docs", "text": "refund policy of thirty days" });
    world.items(base(insert), ONE, json!([{}])).await;
    world.says([ScriptedReply::text("Thirty days.")]);
    let wires = [
        ("Start", "main", "Chain"),
        ("Model", "ai_languageModel", "Chain"),
        ("Retriever", "ai_retriever", "Chain"),
        ("Base", "ai_vectorStore", "Retriever"),
        ("Embeddings", "ai_embedding", "Base"),
    ];
    let mut nodes = base(json!({ "collection": "docs" }));
    nodes.extend([
        chat_model(),
        super::harness::langchain("Chain", "chainRetrievalQa", 1.7, json!({})),
        super::harness::langchain("Retriever", "retrieverVectorStore", 1.0, json!({})),
    ]);
    let answer = world.items(nodes, &wires, json!([{ "chatInput": "refund policy" }])).await;
    assert_eq!(answer, json!([{ "response": "Thirty days." }]));
}

/// The same name in another project is another collection, or none.
#[test]
fn workflows_reach_only_the_collections_of_their_project() {
    let shop = Shop::new("knowledge-projects");
    let server = shop.server();
    server.api("POST", "/collections", Some(&json!({ "name": "shop", "credentialId": "cred1" })));
    let team = server.api("POST", "/projects", Some(&json!({ "name": "Team" }))).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let flow = |name: &str, project: Option<&str>| {
        let delete = json!({ "operation": "delete", "collection": "shop", "which": "all" });
        let hook = json!({ "path": name, "responseMode": "lastNode" });
        let mut flow = json!({
            "name": name,
            "nodes": [node("Hook", "n8n-nodes-base.webhook", 1.0, hook), node("Base", "knowledge-base", 1.0, delete)],
            "connections": { "Hook": { "main": [[{ "node": "Base", "type": "main", "index": 0 }]] } },
            "settings": { "executionOrder": "v1" },
        });
        if let Some(project) = project {
            flow["projectId"] = json!(project);
        }
        let made = server.api("POST", "/workflows", Some(&flow));
        assert_eq!(made.status, 200, "{}", made.text());
        let id = made.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(server.api("POST", &format!("/workflows/{id}/activate"), None).status, 200);
        server.call("GET", &format!("/webhook/{name}"), None)
    };
    assert_eq!(flow("mine", None).json(), json!({ "collection": "shop", "deleted": 0 }));
    assert_eq!(flow("theirs", Some(&team)).status, 500);
    let failed =
        server.executions().into_iter().find(|execution| execution["status"] == "error").unwrap();
    assert!(failed["data"].to_string().contains("Collection named 'shop' does not exist"));
}
