//! Agents with the models of every provider: the same scenario in each wire format, through the node that a workflow names.

#![expect(clippy::unwrap_used, reason = "helpers of tests stop the test")]

use engine::{Clock, Credentials, Engine, NoJournal, NoWorkflows, Outcome, Ports, Random, RunOptions, Start};
use model::{Item, Items, Kind, Object, Value, Workflow, json};
use node_api::ai::Supply;
use node_api::{Ctx, Entry, Node, NodeError, Outputs, Port, Registry, Spec};
use providers::connect::GuardedConnections;
use providers::http::{GuardedHttp, Policy};
use serde_json::{Value as Json, json as js};
use std::sync::Arc;
use testkit::{Fault, Format, MockModels, Reply};
use tokio_util::sync::CancellationToken;

const KEY: &str = "sk-canary-0123456789";

/// A clock that stands still, and one credential for every kind.
struct World(Object);

impl Credentials for World {
    fn get(&self, _stands_for: &str, _kind: &str, _id: Option<&str>) -> Result<Object, NodeError> {
        Ok(self.0.clone())
    }
}

#[async_trait::async_trait]
impl Clock for World {
    fn now_ms(&self) -> i64 {
        1_700_000_000_000
    }

    async fn sleep(&self, milliseconds: u64) {
        tokio::time::sleep(std::time::Duration::from_millis(milliseconds)).await;
    }
}

impl Random for World {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// Every field that a kind of credential may have, each leading to the mock.
fn credential(mock: &MockModels, url: String) -> Object {
    Object::from_iter([
        ("apiKey", Value::from(KEY)),
        ("url", url.into()),
        ("host", mock.url().into()),
        ("baseUrl", mock.url().into()),
        ("endpoint", mock.url().into()),
        ("apiVersion", "2024-10-21".into()),
    ])
}

fn node(name: &str, kind: &str, version: f64, parameters: Json) -> Json {
    js!({ "id": name, "name": name, "type": kind, "typeVersion": version, "position": [0, 0], "parameters": parameters })
}

/// A trigger, an agent with a calculator, and these models, of which the last is the agent's.
fn workflow(models: &[Json]) -> Json {
    let agent = js!({ "userMessage": "={{ $json.question }}", "options": { "outputFormat": "full" } });
    let mut nodes = vec![
        node("Start", "n8n-nodes-base.manualTrigger", 1.0, js!({})),
        node("Agent", "ai-agent", 1.0, agent),
        node("Calculator", "calculator-tool", 1.0, js!({})),
    ];
    nodes.extend(models.iter().cloned());
    let to = |name: &str, kind: &str, input: usize| js!({ kind: [[{ "node": name, "type": kind, "index": input }]] });
    let mut connections = js!({
        "Start": { "main": [[{ "node": "Agent", "type": "main", "index": 0 }]] },
        "Calculator": to("Agent", "ai_tool", 0),
    });
    let (last, others) = models.split_last().unwrap();
    connections[last["name"].as_str().unwrap()] = to("Agent", "ai_languageModel", 0);
    for (input, other) in others.iter().enumerate() {
        connections[other["name"].as_str().unwrap()] = to(last["name"].as_str().unwrap(), "ai_languageModel", input);
    }
    js!({ "name": "Agent", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } })
}

async fn run(credential: Object, models: &[Json], questions: &[&str]) -> Outcome {
    let items: Json = questions.iter().map(|question| js!({ "question": question })).collect();
    run_document(credential, &workflow(models), items).await
}

async fn run_document(credential: Object, document: &Json, items: Json) -> Outcome {
    let world = Arc::new(World(credential));
    let policy = || Policy::parse("127.0.0.1").unwrap();
    let ports = Ports {
        clock: world.clone(),
        random: world.clone(),
        http: Arc::new(GuardedHttp::new(policy())),
        connections: Arc::new(GuardedConnections::new(policy())),
        files: Arc::new(store::Workspace::new(std::env::temp_dir())),
        tables: Arc::new(node_api::tables::NoTables),
        credentials: world,
        workflows: Arc::new(NoWorkflows),
        calls: None,
        journal: Arc::new(NoJournal),
        spill: None,
    };
    let registry = Registry::new(nodes::TABLES.iter().copied().chain([TEST_NODES]));
    let engine = Engine::new(Arc::new(registry), ports);
    let document = model::json::parse(&document.to_string()).unwrap();
    let plan = Arc::new(engine.plan(&Workflow::from_value(&document).unwrap()));
    let items = node_api::testing::items(&model::json::parse(&items.to_string()).unwrap());
    let start = Start { items: Some(items), ..Start::default() };
    engine.run(plan, start, RunOptions::default(), CancellationToken::new()).await
}

/// What the agent answered to each question.
fn answers(outcome: &Outcome) -> Vec<Value> {
    assert!(outcome.error.is_none(), "{:?}", outcome.error);
    node_api::testing::to_json(outcome.last_items().unwrap()).as_array().unwrap().to_vec()
}

fn calculates() -> [Reply; 2] {
    [Reply::call("calculator", js!({ "expression": "2+2" })), Reply::text("It is 4.")]
}

/// Puts out the vectors of three texts.
struct Vectors;

static TEST_NODES: &[Entry] = &[node_api::run::<Vectors>()];

impl Node for Vectors {
    fn spec() -> Spec {
        Spec::new("test.vectors", &[1.0], "Vectors", "").inputs([Port::main(), Port::of(Kind::AiEmbedding, "")])
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let Some(Supply::Embedder(embedder)) = ctx.host().supplies(Kind::AiEmbedding, 0).await?.pop().map(|supplied| supplied.supply)
        else {
            return Err(NodeError::failed("no embedder"));
        };
        let vectors = embedder.embed(&["apple\npie".into(), "zebra".into(), "apple\npie".into()]).await?;
        let vector = |vector: &Vec<f32>| Value::array(vector.iter().map(|number| f64::from(*number).into()).collect());
        let found =
            Object::from_iter([("model", Value::from(embedder.model())), ("vectors", Value::array(vectors.iter().map(vector).collect()))]);
        let mut output = ctx.builder();
        output.push(Item::new(found));
        Ok(vec![output.finish()])
    }
}

#[tokio::test]
async fn every_embedding_node_makes_vectors() {
    for (kind, parameters, path) in [
        ("embeddingsOpenAi", js!({ "model": "mock", "options": { "batchSize": 2 } }), "/v1/embeddings"),
        ("embeddingsAzureOpenAi", js!({ "model": "mock" }), "/openai/deployments/mock/embeddings?api-version=2024-10-21"),
        ("embeddingsMistralCloud", js!({ "model": "mock" }), "/v1/embeddings"),
        ("embeddingsGoogleGemini", js!({ "modelName": "models/mock" }), "/v1beta/models/mock:batchEmbedContents"),
        ("embeddingsOllama", js!({ "model": "mock" }), "/api/embed"),
        ("embeddingsCohere", js!({ "modelName": "mock" }), "/v2/embed"),
    ] {
        let mock = MockModels::start([]).unwrap();
        let url = if kind == "embeddingsCohere" { mock.url() } else { mock.v1() };
        let nodes = [
            node("Start", "n8n-nodes-base.manualTrigger", 1.0, js!({})),
            node("Vectors", "test.vectors", 1.0, js!({})),
            node("Embeddings", &format!("@n8n/n8n-nodes-langchain.{kind}"), 1.0, parameters),
        ];
        let connections = js!({
            "Start": { "main": [[{ "node": "Vectors", "type": "main", "index": 0 }]] },
            "Embeddings": { "ai_embedding": [[{ "node": "Vectors", "type": "ai_embedding", "index": 0 }]] },
        });
        let document = js!({ "name": "Vectors", "nodes": nodes, "connections": connections, "settings": { "executionOrder": "v1" } });
        let outcome = run_document(credential(&mock, url), &document, js!([{}])).await;
        let found = answers(&outcome)[0].clone();
        let vectors = found.get("vectors").and_then(Value::as_array).unwrap_or_default();
        assert!(vectors.len() == 3 && vectors[0] == vectors[2] && vectors[0] != vectors[1], "{kind}: {found:?}");
        assert_eq!(mock.asked()[0].path, path, "{kind}");
    }
}

#[tokio::test]
async fn what_is_two_and_two_in_every_wire_format() {
    let n8n = |name: &str| format!("@n8n/n8n-nodes-langchain.{name}");
    let plain = || js!({ "model": "mock" });
    let listed = || js!({ "model": { "__rl": true, "mode": "list", "value": "mock" }, "options": {} });
    for (kind, version, parameters, format) in [
        ("openai-model".to_owned(), 1.0, plain(), Format::OpenAiChat),
        ("anthropic-model".to_owned(), 1.0, plain(), Format::Anthropic),
        ("gemini-model".to_owned(), 1.0, plain(), Format::Gemini),
        ("ollama-model".to_owned(), 1.0, plain(), Format::Ollama),
        ("azure-openai-model".to_owned(), 1.0, plain(), Format::OpenAiChat),
        (n8n("lmChatOpenAi"), 1.0, plain(), Format::OpenAiChat),
        (n8n("lmChatOpenAi"), 1.2, listed(), Format::OpenAiChat),
        (n8n("lmChatOpenAi"), 1.3, listed(), Format::OpenAiResponses),
        (n8n("lmChatAnthropic"), 1.2, plain(), Format::Anthropic),
        (n8n("lmChatAnthropic"), 1.3, listed(), Format::Anthropic),
        (n8n("lmChatGoogleGemini"), 1.0, js!({ "modelName": "models/mock", "options": {} }), Format::Gemini),
        (n8n("lmChatOpenRouter"), 1.0, js!({ "options": { "maxTokens": 50 } }), Format::OpenAiChat),
        (n8n("lmChatGroq"), 1.0, plain(), Format::OpenAiChat),
        (n8n("lmChatDeepSeek"), 1.0, plain(), Format::OpenAiChat),
        (n8n("lmChatMistralCloud"), 1.0, plain(), Format::OpenAiChat),
        (n8n("lmChatXAiGrok"), 1.0, plain(), Format::OpenAiChat),
        (n8n("lmChatAzureOpenAi"), 1.0, plain(), Format::OpenAiChat),
        (n8n("lmChatOllama"), 1.0, plain(), Format::Ollama),
        (n8n("lmOllama"), 1.0, plain(), Format::Ollama),
        (n8n("lmOpenAi"), 1.0, listed(), Format::OpenAiChat),
    ] {
        let mock = MockModels::start(calculates()).unwrap();
        let url = if format == Format::Anthropic { mock.url() } else { mock.v1() };
        let outcome = run(credential(&mock, url), &[node("Model", &kind, version, parameters)], &["What is 2+2?"]).await;
        let answer = answers(&outcome)[0].clone();
        assert_eq!(answer.get("response"), Some(&json!("It is 4.")), "{kind}");
        let used = answer.get("toolCalls").and_then(|used| used.at(0)).cloned().unwrap_or_default();
        assert_eq!((used.get("toolName"), used.get("result")), (Some(&json!("calculator")), Some(&json!("4"))), "{kind}");
        let asked = mock.asked();
        assert_eq!((asked.len(), asked[0].format), (2, Some(format)), "{kind} {version}");
        assert!(asked[0].headers.iter().any(|(_, value)| value.contains(KEY)), "{kind}");
        assert!(!format!("{:?}", outcome.run_data).contains(KEY), "{kind} shows its key");
    }
}

#[tokio::test]
async fn the_options_of_a_node_reach_the_provider() {
    let options = js!({ "temperature": 0.2, "maxTokens": 77, "topP": 0.5, "responseFormat": "json_object", "maxRetries": 0 });
    let parameters = js!({ "model": { "__rl": true, "mode": "id", "value": "gpt-4o" }, "options": options });
    let mock = MockModels::start([Reply::text("{}")]).unwrap();
    run(credential(&mock, mock.v1()), &[node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.2, parameters)], &["hi"]).await;
    let body = mock.asked()[0].body.clone();
    assert_eq!((&body["temperature"], &body["max_completion_tokens"], &body["top_p"]), (&js!(0.2), &js!(77), &js!(0.5)), "{body}");
    assert_eq!((&body["model"], &body["response_format"]["type"]), (&js!("gpt-4o"), &js!("json_object")));
}

#[tokio::test]
async fn the_next_model_of_a_chain_is_asked_and_the_first_rests() {
    let (down, up) = (MockModels::start(vec![Reply::fault(Fault::ServerError); 3]).unwrap(), MockModels::start([]).unwrap());
    let model = |name: &str, mock: &MockModels| {
        node(name, "openai-compatible-model", 1.0, js!({ "baseUrl": mock.v1(), "model": "mock", "options": { "maxRetries": 0 } }))
    };
    let chain = [model("First", &down), model("Second", &up), node("Chain", "model-fallback", 1.0, js!({}))];
    up.script(calculates());
    let outcome = run(credential(&up, up.v1()), &chain, &["What is 2+2?"]).await;
    assert_eq!(answers(&outcome)[0].get("response"), Some(&json!("It is 4.")));
    assert_eq!((down.asked().len(), up.asked().len()), (1, 2));
    run(credential(&up, up.v1()), &chain, &["Again?"]).await;
    assert_eq!(down.asked().len(), 1, "another run of the node knows that it rests");
}

#[tokio::test]
async fn rules_choose_the_model_for_each_item() {
    let (cheap, dear) = (MockModels::start([Reply::text("cheap")]).unwrap(), MockModels::start([Reply::text("dear")]).unwrap());
    let model = |name: &str, mock: &MockModels| node(name, "openai-compatible-model", 1.0, js!({ "baseUrl": mock.v1(), "model": "mock" }));
    let rule = |index: usize, word: &str| {
        let condition =
            js!({ "leftValue": "={{ $json.question }}", "rightValue": word, "operator": { "type": "string", "operation": "contains" } });
        js!({ "modelIndex": index, "conditions": { "combinator": "and", "options": { "caseSensitive": true, "typeValidation": "strict", "version": 2 }, "conditions": [condition] } })
    };
    let selector =
        node("Choose", "@n8n/n8n-nodes-langchain.modelSelector", 1.0, js!({ "rules": { "rule": [rule(2, "hard"), rule(1, "easy")] } }));
    let models = [model("Cheap", &cheap), model("Dear", &dear), selector];
    let outcome = run(credential(&cheap, cheap.v1()), &models, &["an easy one", "a hard one"]).await;
    let said: Vec<Value> = answers(&outcome).iter().map(|answer| answer.get("response").cloned().unwrap_or_default()).collect();
    assert_eq!(said, [json!("cheap"), json!("dear")]);
    let outcome = run(credential(&cheap, cheap.v1()), &models, &["neither"]).await;
    assert!(format!("{:?}", outcome.error).contains("No matching rule found"));
}

#[tokio::test]
async fn a_model_without_tool_calls_uses_tools_in_words() {
    let action = Reply::text(r#"{"action": "calculator", "input": {"expression": "2+2"}}"#);
    let last = Reply::text(r#"{"action": "final", "message": "It is 4."}"#);
    let mock = MockModels::start([action, last]).unwrap();
    let parameters = js!({ "baseUrl": mock.v1(), "model": "mock", "supportsTools": false });
    let outcome = run(credential(&mock, mock.v1()), &[node("Model", "openai-compatible-model", 1.0, parameters)], &["What is 2+2?"]).await;
    let answer = answers(&outcome)[0].clone();
    assert_eq!(answer.get("response"), Some(&json!("It is 4.")));
    assert_eq!(answer.get("toolCalls").and_then(|used| used.at(0)?.get("result").cloned()), Some(json!("4")));
    let asked = mock.asked();
    assert!(asked[0].body.get("tools").is_none() && asked[0].body["messages"][0]["content"].as_str().unwrap().contains("calculator"));
    let told = asked[1].body["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&told["role"], &told["content"]), (&js!("user"), &js!("Result of calculator: 4")));
}
