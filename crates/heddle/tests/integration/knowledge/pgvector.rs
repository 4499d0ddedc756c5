//! The vector store in a real Postgres with pgvector.

use super::harness::{KnowledgeHarness, embeddings, langchain};
use model::Value as Field;
use serde_json::{Value, json};
use testkit::services;

fn world(name: &str) -> (KnowledgeHarness, std::sync::Arc<services::Service>) {
    let server = services::pgvector();
    let fields = [
        ("host", Field::from("127.0.0.1")),
        ("port", Field::from(f64::from(server.port))),
        ("database", "postgres".into()),
        ("user", "postgres".into()),
        ("password", services::PASSWORD.into()),
        ("ssl", "disable".into()),
    ];
    (KnowledgeHarness::new(name, &fields), server)
}

fn store(table: &str, parameters: Value) -> Value {
    let mut all = json!({ "tableName": table });
    all.as_object_mut()
        .into_iter()
        .for_each(|all| all.extend(parameters.as_object().cloned().unwrap_or_default()));
    langchain("Store", "vectorStorePGVector", 1.3, all)
}

const INSERT: &[(&str, &str, &str)] = &[
    ("Start", "main", "Store"),
    ("Embeddings", "ai_embedding", "Store"),
    ("Loader", "ai_document", "Store"),
];

async fn insert(world: &KnowledgeHarness, table: &str, options: Value) {
    let loader = langchain(
        "Loader",
        "documentDefaultDataLoader",
        1.1,
        json!({ "jsonMode": "expressionData", "jsonData": "={{ $json.text }}",
        "options": { "metadata": { "metadataValues": [{ "name": "topic", "value": "={{ $json.topic }}" }] } } }),
    );
    let items = json!([{ "text": "refund policy : thirty days\u{0}'\";--", "topic": "money" }, { "text": "parcels travel by train", "topic": "post" }]);
    let nodes =
        vec![store(table, json!({ "mode": "insert", "options": options })), embeddings(), loader];
    assert_eq!(world.items(nodes, INSERT, items).await.as_array().map(Vec::len), Some(2));
}

async fn load(world: &KnowledgeHarness, table: &str, options: Value) -> Value {
    let nodes = vec![
        store(
            table,
            json!({ "mode": "load", "prompt": "refund policy", "topK": 5, "options": options }),
        ),
        embeddings(),
    ];
    world.items(nodes, &INSERT[..2], json!([{}])).await
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_made_in_langchains_form_and_told_by_their_distance() {
    let (world, _server) = world("pg-rows");
    insert(&world, "public.docs", json!({})).await;
    let found = load(&world, "public.docs", json!({})).await;
    let first = &found[0];
    assert!(
        first["document"]["pageContent"]
            .as_str()
            .is_some_and(|text| text.starts_with("refund policy")),
        "{found}"
    );
    assert_eq!(first["document"]["metadata"]["topic"], "money");
    let distances: Vec<f64> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|found| found["score"].as_f64())
        .collect();
    assert!(
        distances.len() == 2 && distances[0] < distances[1] && distances[0] < 0.6,
        "{distances:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_distances_columns_and_collections_are_the_nodes_options() {
    let (world, _server) = world("pg-options");
    let columns = json!({ "values": { "idColumnName": "Key", "vectorColumnName": "v\"x", "contentColumnName": "words", "metadataColumnName": "about" } });
    let part = |name: &str| json!({ "values": { "useCollection": true, "collectionName": name, "collectionTableName": "parts" } });
    insert(&world, "odd\"table", json!({ "columnNames": columns, "collection": part("one") }))
        .await;
    let found =
        load(&world, "odd\"table", json!({ "columnNames": columns, "collection": part("one"), "distanceStrategy": "euclidean" })).await;
    assert_eq!(found.as_array().map(Vec::len), Some(2));
    assert_eq!(
        load(&world, "odd\"table", json!({ "columnNames": columns, "collection": part("two") }))
            .await,
        json!([])
    );
    let filter = json!({ "metadataValues": [{ "name": "topic", "value": "post" }] });
    let found = load(
        &world,
        "odd\"table",
        json!({ "columnNames": columns, "metadata": filter, "distanceStrategy": "innerProduct" }),
    )
    .await;
    assert_eq!(found[0]["document"]["pageContent"], "parcels travel by train");
    assert_eq!(found.as_array().map(Vec::len), Some(1));
}
