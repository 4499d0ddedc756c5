//! n8n's vector store nodes in all their modes, with what is connected to them.

use super::harness::{KnowledgeHarness, chat_model, embeddings, langchain, node};
use serde_json::{Value, json};
use testkit::ScriptedReply;

const REFUNDS: &str = "refund policy : thirty days";
const SHIPPING: &str = "parcels travel by train";

fn loader() -> Value {
    langchain(
        "Loader",
        "documentDefaultDataLoader",
        1.1,
        json!({ "jsonMode": "expressionData", "jsonData": "={{ $json.text }}",
        "options": { "metadata": { "metadataValues": [{ "name": "topic", "value": "={{ $json.topic }}" }] } } }),
    )
}

fn store(name: &str, version: f64, key: &str, parameters: Value) -> Value {
    let mut all = json!({ "memoryKey": { "__rl": true, "mode": "id", "value": key } });
    if version < 1.2 {
        all = json!({ "memoryKey": key });
    }
    all.as_object_mut()
        .into_iter()
        .for_each(|all| all.extend(parameters.as_object().cloned().unwrap_or_default()));
    langchain(name, "vectorStoreInMemory", version, all)
}

fn texts() -> Value {
    json!([{ "text": REFUNDS, "topic": "money" }, { "text": SHIPPING, "topic": "post" }])
}

const INSERT: &[(&str, &str, &str)] = &[
    ("Start", "main", "Store"),
    ("Embeddings", "ai_embedding", "Store"),
    ("Loader", "ai_document", "Store"),
];

async fn filled(world: &KnowledgeHarness, version: f64, key: &str) -> Value {
    world
        .items(
            vec![store("Store", version, key, json!({ "mode": "insert" })), embeddings(), loader()],
            INSERT,
            texts(),
        )
        .await
}

#[tokio::test]
async fn documents_are_inserted_and_shown_as_n8n_shows_them() {
    let world = KnowledgeHarness::new("insert", &[]);
    for version in [1.0, 1.1, 1.2, 1.3] {
        let shown = filled(&world, version, &format!("insert {version}")).await;
        let metadata = json!({ "source": "blob", "blobType": "text/plain", "loc": { "lines": { "from": 1, "to": 1 } }, "topic": "money" });
        assert_eq!(shown[0], json!({ "metadata": metadata, "pageContent": REFUNDS }));
        assert_eq!(shown[1]["pageContent"], SHIPPING);
    }
}

#[tokio::test]
async fn the_nearest_documents_are_loaded_with_their_score() {
    let world = KnowledgeHarness::new("load", &[]);
    filled(&world, 1.3, "load").await;
    let wires = [("Start", "main", "Store"), ("Embeddings", "ai_embedding", "Store")];
    let load = |more: Value| {
        let mut parameters = json!({ "mode": "load", "prompt": "={{ $json.q }}", "topK": 1 });
        parameters
            .as_object_mut()
            .into_iter()
            .for_each(|all| all.extend(more.as_object().cloned().unwrap_or_default()));
        vec![store("Store", 1.3, "load", parameters), embeddings()]
    };
    let questions = json!([{ "q": "refund policy" }, { "q": "parcels by train" }]);
    let found = world.items(load(json!({})), &wires, questions.clone()).await;
    assert_eq!(
        (&found[0]["document"]["pageContent"], &found[1]["document"]["pageContent"]),
        (&json!(REFUNDS), &json!(SHIPPING))
    );
    assert!(
        found[0]["score"].as_f64().is_some_and(|score| score > 0.5 && score <= 1.0)
            && found[0]["document"]["metadata"]["topic"] == "money"
    );
    let bare =
        world.items(load(json!({ "includeDocumentMetadata": false })), &wires, questions).await;
    assert_eq!(bare[0]["document"], json!({ "pageContent": REFUNDS }));
}

#[tokio::test]
async fn a_store_that_is_cleared_holds_only_what_came_after() {
    let world = KnowledgeHarness::new("clear", &[]);
    filled(&world, 1.3, "clear").await;
    let nodes = vec![
        store(
            "Store",
            1.3,
            "clear",
            json!({ "mode": "insert", "clearStore": true, "embeddingBatchSize": 1 }),
        ),
        embeddings(),
        loader(),
    ];
    world.items(nodes, INSERT, json!([{ "text": "a" }, { "text": "b" }])).await;
    let wires = [("Start", "main", "Store"), ("Embeddings", "ai_embedding", "Store")];
    let nodes = vec![
        store("Store", 1.3, "clear", json!({ "mode": "load", "prompt": "x", "topK": 10 })),
        embeddings(),
    ];
    let found = world.items(nodes, &wires, json!([{}])).await;
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
}

#[tokio::test]
async fn an_agent_uses_a_store_as_a_tool() {
    let world = KnowledgeHarness::new("tool", &[]);
    filled(&world, 1.3, "tool").await;
    world.says([
        ScriptedReply::call("Shop_Docs", json!({ "input": "refund policy" })),
        ScriptedReply::text("Thirty days."),
    ]);
    let tool = store(
        "Shop Docs",
        1.3,
        "tool",
        json!({ "mode": "retrieve-as-tool", "toolDescription": "What the shop knows", "topK": 1 }),
    );
    let agent =
        node("Agent", "ai-agent", 1.0, json!({ "userMessage": "How long can I return things?" }));
    let wires = [
        ("Start", "main", "Agent"),
        ("Model", "ai_languageModel", "Agent"),
        ("Shop Docs", "ai_tool", "Agent"),
        ("Embeddings", "ai_embedding", "Shop Docs"),
    ];
    let answer =
        world.items(vec![agent, chat_model(), tool, embeddings()], &wires, json!([{}])).await;
    assert_eq!(answer[0]["response"], "Thirty days.");
    let asked = world.models.requests();
    let chats: Vec<_> =
        asked.iter().filter(|asked| asked.path.ends_with("/chat/completions")).collect();
    let function = &chats[0].body["tools"][0]["function"];
    assert_eq!(
        (&function["name"], &function["description"]),
        (&json!("Shop_Docs"), &json!("What the shop knows"))
    );
    assert_eq!(function["parameters"]["required"], json!(["input"]));
    let told = chats[1].body["messages"]
        .as_array()
        .and_then(|messages| messages.last())
        .map(|last| last["content"].to_string());
    assert!(
        told.as_deref().is_some_and(|told| told.contains(REFUNDS) && !told.contains(SHIPPING)),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_chain_answers_from_what_its_retriever_finds() {
    let world = KnowledgeHarness::new("chain", &[]);
    filled(&world, 1.3, "chain").await;
    let wires = [
        ("Start", "main", "Chain"),
        ("Model", "ai_languageModel", "Chain"),
        ("Retriever", "ai_retriever", "Chain"),
        ("Store", "ai_vectorStore", "Retriever"),
        ("Embeddings", "ai_embedding", "Store"),
    ];
    for (version, parameters, expected) in [
        (1.0, json!({}), json!({ "text": "Thirty days." })),
        (
            1.4,
            json!({ "promptType": "define", "text": "refund policy", "options": { "systemPromptTemplate": "Only {context}!" } }),
            json!({ "text": "Thirty days." }),
        ),
        (1.7, json!({}), json!("Thirty days.")),
    ] {
        world.says([ScriptedReply::text("Thirty days.")]);
        let nodes = vec![
            langchain("Chain", "chainRetrievalQa", version, parameters),
            chat_model(),
            langchain("Retriever", "retrieverVectorStore", 1.0, json!({ "topK": 1 })),
            store("Store", 1.3, "chain", json!({})),
            embeddings(),
        ];
        let answer = world
            .items(
                nodes,
                &wires,
                json!([{ "chatInput": "refund policy", "input": "refund policy" }]),
            )
            .await;
        assert_eq!(answer, json!([{ "response": expected }]), "{version}");
        let asked = world.models.requests();
        let messages =
            &asked.last().map(|asked| asked.body["messages"].clone()).unwrap_or_default();
        let system = messages[0]["content"].to_string();
        assert!(system.contains(REFUNDS) && !system.contains(SHIPPING), "{messages}");
        assert_eq!(messages[1]["content"], "refund policy");
        assert!(version != 1.4 || system == format!("\"Only {REFUNDS}!\""), "{system}");
    }
}

#[tokio::test]
async fn other_wordings_and_a_model_that_shortens_stand_between_chain_and_store() {
    let world = KnowledgeHarness::new("wordings", &[]);
    filled(&world, 1.3, "wordings").await;
    let wires = [
        ("Start", "main", "Chain"),
        ("Model", "ai_languageModel", "Chain"),
        ("Short", "ai_retriever", "Chain"),
        ("Worded", "ai_retriever", "Short"),
        ("Retriever", "ai_retriever", "Worded"),
        ("Store", "ai_vectorStore", "Retriever"),
        ("Embeddings", "ai_embedding", "Store"),
    ];
    // The model serves three nodes.
    let mut connections = wires.to_vec();
    connections.extend([
        ("Model 2", "ai_languageModel", "Short"),
        ("Model 3", "ai_languageModel", "Worded"),
    ]);
    let model = |name: &str| {
        let mut model = chat_model();
        model["id"] = json!(name);
        model["name"] = json!(name);
        model
    };
    world.says([
        ScriptedReply::text("refund policy\nrefund policy thirty\n\nparcels by train"),
        ScriptedReply::text("thirty days"),
        ScriptedReply::text("NO_OUTPUT"),
        ScriptedReply::text("Thirty."),
    ]);
    let nodes = vec![
        langchain("Chain", "chainRetrievalQa", 1.5, json!({})),
        model("Model"),
        model("Model 2"),
        model("Model 3"),
        langchain("Short", "retrieverContextualCompression", 1.0, json!({})),
        langchain("Worded", "retrieverMultiQuery", 1.0, json!({ "options": { "queryCount": 3 } })),
        langchain("Retriever", "retrieverVectorStore", 1.0, json!({ "topK": 1 })),
        store("Store", 1.3, "wordings", json!({})),
        embeddings(),
    ];
    let answer = world.items(nodes, &connections, json!([{ "chatInput": "how long?" }])).await;
    assert_eq!(answer, json!([{ "response": "Thirty." }]));
    let asked = world.models.requests();
    let last = asked
        .last()
        .map(|asked| asked.body["messages"][0]["content"].to_string())
        .unwrap_or_default();
    assert!(
        last.contains("thirty days") && !last.contains("NO_OUTPUT") && !last.contains(SHIPPING),
        "{last}"
    );
}

#[tokio::test]
async fn a_question_answer_tool_asks_its_own_model() {
    let world = KnowledgeHarness::new("qa-tool", &[]);
    filled(&world, 1.3, "qa").await;
    world.says([
        ScriptedReply::call("shop", json!({ "input": "refund policy" })),
        ScriptedReply::text("Thirty days, says the shop."),
        ScriptedReply::text("Thirty days."),
    ]);
    let agent = node("Agent", "ai-agent", 1.0, json!({ "userMessage": "How long?" }));
    let mut inner = chat_model();
    inner["id"] = json!("Inner");
    inner["name"] = json!("Inner");
    let wires = [
        ("Start", "main", "Agent"),
        ("Model", "ai_languageModel", "Agent"),
        ("Tool", "ai_tool", "Agent"),
        ("Inner", "ai_languageModel", "Tool"),
        ("Store", "ai_vectorStore", "Tool"),
        ("Embeddings", "ai_embedding", "Store"),
    ];
    let tool = langchain(
        "Tool",
        "toolVectorStore",
        1.0,
        json!({ "name": "shop", "description": "the shop", "topK": 1 }),
    );
    let nodes = vec![
        agent,
        chat_model(),
        inner,
        tool,
        store("Store", 1.3, "qa", json!({ "mode": "retrieve" })),
        embeddings(),
    ];
    assert_eq!(world.items(nodes, &wires, json!([{}])).await[0]["response"], "Thirty days.");
}

#[tokio::test]
async fn what_is_not_connected_or_not_a_mode_is_said() {
    let world = KnowledgeHarness::new("missing", &[]);
    let message = async |nodes: Vec<Value>, wires: &[(&str, &str, &str)]| {
        world
            .run(nodes, wires, json!([{ "text": "x" }]))
            .await
            .error
            .map(|error| error.message.to_string())
            .unwrap_or_default()
    };
    let wires = [("Start", "main", "Store"), ("Embeddings", "ai_embedding", "Store")];
    let insert = || store("Store", 1.3, "missing", json!({ "mode": "insert" }));
    assert_eq!(message(vec![insert()], &wires[..1]).await, "Embeddings are not connected");
    assert_eq!(
        message(vec![insert(), embeddings()], &wires).await,
        "A document loader is not connected"
    );
    let retrieve = store("Store", 1.3, "missing", json!({ "mode": "retrieve" }));
    // A store that serves another node has no input for items, so none reach it.
    assert_eq!(message(vec![retrieve, embeddings()], &wires).await, "");
}
