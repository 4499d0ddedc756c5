//! Published workflows that ask models, run against mock models. What is not about models is
//! pinned: it puts out one item.

use crate::support::in_process::{credential, run_from};
use model::Code;
use serde_json::{Map, Value as Json, json as js};
use std::path::PathBuf;
use testkit::MockModels;

const AI: &str = "@n8n/n8n-nodes-langchain.";

/// What a pinned node puts out: fields that published workflows often look at.
fn pinned_item() -> Json {
    let text = "The quarterly report is late. Please call Ada about it.";
    let file = js!({ "data": "aGVsbG8=", "mimeType": "image/png", "fileName": "a.png" });
    js!({ "binary": { "data": file, "data.jsonl": file, "Voice_memo": file }, "pairedItem": { "item": 0 }, "json": {
        "chatInput": text, "text": text, "content": text, "input": text, "query": text, "message": { "text": text, "content": text, "chat": { "id": 1 } },
        "body": { "text": text, "message": text }, "output": text, "data": text, "subject": text, "title": text, "sessionId": "s", "id": "1", "name": "Ada"
    } })
}

/// Of these codes is what an author's expressions and data can bring about when the data is not
/// what they wrote for.
const OF_DATA: [Code; 4] =
    [Code::NODE_INPUT, Code::NODE_PARAMETER, Code::EXPRESSION_FAILED, Code::EXPRESSION_SYNTAX];

fn templates() -> Option<Vec<PathBuf>> {
    let folder = testkit::corpus("templates")?;
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}

fn type_of(node: &Json) -> &str {
    node["type"].as_str().unwrap_or_default()
}

/// A node that asks models or serves one that does, as every node can as a tool.
fn is_about_models(workflow: &Json, node: &Json) -> bool {
    let connections =
        workflow["connections"][node["name"].as_str().unwrap_or_default()].as_object();
    let serves = connections.is_some_and(|kinds| kinds.keys().any(|kind| kind.starts_with("ai_")));
    serves || (type_of(node).starts_with(AI) && !type_of(node).ends_with("Trigger"))
}

fn is_known(registry: &node_api::Registry, node: &Json) -> bool {
    registry.find(type_of(node), node["typeVersion"].as_f64().unwrap_or(1.0)).is_some()
}

/// A store of vectors or tools on a server that the template's author has.
fn is_a_server(node: &Json) -> bool {
    let is_a_store = type_of(node).starts_with(&format!("{AI}vectorStore"))
        && !type_of(node).ends_with("InMemory");
    is_a_store || type_of(node).starts_with(&format!("{AI}mcpClient"))
}

/// The workflow with pins, and the names of the nodes that a run can start from.
fn prepared(mut workflow: Json) -> (Json, Vec<String>) {
    let nodes = workflow["nodes"].as_array().cloned().unwrap_or_default();
    let name = |node: &Json| node["name"].as_str().unwrap_or_default().to_owned();
    // A loop comes to its end only if the node that makes it counts.
    let is_pinned = |node: &&Json| {
        !is_about_models(&workflow, node) && type_of(node) != "n8n-nodes-base.splitInBatches"
    };
    let pins: Map<String, Json> =
        nodes.iter().filter(is_pinned).map(|node| (name(node), js!([pinned_item()]))).collect();
    let reached: Vec<String> = workflow["connections"]
        .as_object()
        .into_iter()
        .flat_map(|from| from.values())
        .flat_map(targets)
        .collect();
    let starts = |node: &&Json| {
        !workflow["connections"][name(node)]["main"].is_null()
            && !reached.contains(&name(node))
            && !is_about_models(&workflow, node)
    };
    let starts = nodes.iter().filter(starts).map(name).collect();
    workflow["pinData"] = pins.into();
    (workflow, starts)
}

fn targets(connections: &Json) -> Vec<String> {
    let ends =
        connections["main"].as_array().into_iter().flatten().filter_map(Json::as_array).flatten();
    ends.filter_map(|end| end["node"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn published_workflows_ask_their_models_without_a_failure_of_ours() {
    let Some(files) = templates() else { return };
    let registry = nodes::registry();
    let (mut n_templates, mut n_runs, mut n_asked, mut of_data) = (0, 0, 0, Vec::new());
    for file in files {
        let document: Json =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let document =
            if document["workflow"].is_object() { document["workflow"].clone() } else { document };
        let about_models: Vec<Json> = document["nodes"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|node| is_about_models(&document, node))
            .cloned()
            .collect();
        if about_models.is_empty()
            || about_models.iter().any(|node| !is_known(&registry, node) || is_a_server(node))
        {
            continue;
        }
        n_templates += 1;
        let (workflow, starts) = prepared(document);
        for start in starts {
            let mock = MockModels::start([]).unwrap();
            let outcome = run_from(credential(&mock, mock.v1()), &workflow, &start).await;
            n_runs += 1;
            n_asked += mock.requests().len();
            if let Some(error) = outcome.error {
                let place = format!(
                    "{} from '{start}': {:?} {} {:?}",
                    file.display(),
                    error.node,
                    error.message,
                    error.description
                );
                assert!(OF_DATA.contains(&error.code), "{place} ({:?})", error.code);
                of_data.push(place);
            }
        }
    }
    println!(
        "{n_templates} templates, {n_runs} runs, {n_asked} requests to models; {} ended because of their data:",
        of_data.len()
    );
    of_data.iter().for_each(|place| println!("  {place}"));
    assert!(
        n_templates >= 100 && n_asked >= n_templates,
        "{n_templates} templates made {n_asked} requests"
    );
    assert!(of_data.len() * 10 <= n_runs, "too many runs ended early");
}
