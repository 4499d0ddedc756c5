//! The Redis node against a real Redis.

use heddle_nodes::integrations::Redis;
use model::{Code, OnError, Value, json};
use node_api::{Node as _, NodeError};
use node_testing::{TestHost, items, run_on, to_json};
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::sync::Arc;
use testkit::services;
use testkit::services::{PASSWORD, Service};

fn host_for(server: &Service, params: Value, allow: &str) -> TestHost {
    let mut host = TestHost::new(&Redis::spec(), 1.0, &params);
    host.connections = Arc::new(GuardedConnections::new(EgressPolicy::parse(allow).unwrap()));
    host.credentials.insert(
        "redis",
        json!({ "host": "127.0.0.1", "port": server.port, "password": PASSWORD, "database": 2 }),
    );
    host
}

async fn try_run(server: &Service, params: Value) -> Result<Value, NodeError> {
    let host = host_for(server, params, "127.0.0.1");
    let outputs =
        run_on::<Redis>(&host, 1.0, vec![items(&json!([{ "was": "here" }]))], OnError::Stop)
            .await?;
    Ok(to_json(&outputs[0]))
}

async fn run(server: &Service, params: Value) -> Value {
    try_run(server, params).await.unwrap()
}

async fn get(server: &Service, key: &str, kind: &str) -> Value {
    let made = run(
        server,
        json!({ "operation": "get", "key": key, "keyType": kind, "propertyName": "a.b" }),
    )
    .await;
    made.get_path("[0].a.b").cloned().unwrap()
}

#[tokio::test]
async fn every_kind_of_value_is_set_and_read() {
    let server = services::redis();
    let passed = json!([{ "was": "here" }]);
    assert_eq!(
        run(
            &server,
            json!({ "operation": "set", "key": "s", "value": "words", "keyType": "string" })
        )
        .await,
        passed
    );
    assert_eq!(get(&server, "s", "automatic").await, json!("words"));
    run(&server, json!({ "operation": "set", "key": "h", "value": "{\"a\": 1, \"b\": \"two\"}", "keyType": "hash" })).await;
    assert_eq!(get(&server, "h", "automatic").await, json!({ "a": "1", "b": "two" }));
    run(&server, json!({ "operation": "set", "key": "h2", "value": "x 1 y 2", "keyType": "hash", "valueIsJSON": false })).await;
    assert_eq!(get(&server, "h2", "hash").await, json!({ "x": "1", "y": "2" }));
    run(
        &server,
        json!({ "operation": "set", "key": "l", "value": ["a", 2], "keyType": "automatic" }),
    )
    .await;
    assert_eq!(get(&server, "l", "list").await, json!(["a", "2"]));
    run(
        &server,
        json!({ "operation": "set", "key": "u", "value": "[\"x\", \"x\"]", "keyType": "sets" }),
    )
    .await;
    assert_eq!(get(&server, "u", "automatic").await, json!(["x"]));
    assert_eq!(get(&server, "nothing", "automatic").await, json!(null));
    assert_eq!(run(&server, json!({ "operation": "delete", "key": "s" })).await, passed);
    assert_eq!(get(&server, "s", "automatic").await, json!(null));
}

#[tokio::test]
async fn counters_and_times_to_live() {
    let server = services::redis();
    let count = json!({ "operation": "incr", "key": "n", "expire": true, "ttl": 100 });
    assert_eq!(run(&server, count.clone()).await, json!([{ "n": 1 }]));
    assert_eq!(run(&server, count).await, json!([{ "n": 2 }]));
    let error =
        try_run(&server, json!({ "operation": "incr", "key": "n", "expire": true, "ttl": "0.5" }))
            .await
            .unwrap_err();
    assert_eq!(error.code(), Code::NODE_PARAMETER);
    run(
        &server,
        json!({ "operation": "set", "key": "gone", "value": "x", "expire": true, "ttl": 1 }),
    )
    .await;
    assert_eq!(get(&server, "gone", "automatic").await, json!("x"));
    tokio::time::sleep(std::time::Duration::from_millis(1100)).await;
    assert_eq!(get(&server, "gone", "automatic").await, json!(null));
}

#[tokio::test]
async fn lists_keys_messages_and_information() {
    let server = services::redis();
    run(&server, json!({ "operation": "push", "list": "q", "messageData": "first" })).await;
    run(&server, json!({ "operation": "push", "list": "q", "messageData": "{\"last\": true}", "tail": true })).await;
    assert_eq!(
        run(&server, json!({ "operation": "llen", "list": "q" })).await,
        json!([{ "q": 2 }])
    );
    let pop = json!({ "operation": "pop", "list": "q", "tail": true, "propertyName": "got" });
    assert_eq!(run(&server, pop).await, json!([{ "got": { "last": true } }]));
    run(&server, json!({ "operation": "set", "key": "find:a", "value": "1" })).await;
    run(&server, json!({ "operation": "set", "key": "find:b", "value": "2" })).await;
    assert_eq!(
        run(&server, json!({ "operation": "keys", "keyPattern": "find:*" })).await,
        json!([{ "find:a": "1", "find:b": "2" }])
    );
    let names = json!({ "operation": "keys", "keyPattern": "find:*", "getValues": false });
    assert_eq!(run(&server, names).await, json!([{ "keys": ["find:a", "find:b"] }]));
    run(&server, json!({ "operation": "publish", "channel": "c", "messageData": "hello" })).await;
    let info = run(&server, json!({ "operation": "info" })).await;
    assert_eq!(info.get_path("[0].redis_mode"), Some(&json!("standalone")));
}

#[tokio::test]
async fn refusals_are_told_without_secrets() {
    let server = services::redis();
    let get = json!({ "operation": "get", "key": "k" });
    let closed = host_for(&server, get.clone(), "");
    let error =
        run_on::<Redis>(&closed, 1.0, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert_eq!(error.code(), Code::EGRESS_BLOCKED, "{error}");
    let mut wrong = host_for(&server, get, "127.0.0.1");
    wrong.credentials.get_mut("redis").unwrap().make_object().insert("password", "another-s3cret");
    let error =
        run_on::<Redis>(&wrong, 1.0, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert_eq!(error.code(), Code::NODE_CREDENTIAL, "{error}");
    assert!(!format!("{:?}", error.to_run_error("x")).contains("s3cret"), "{error}");
    run(&server, json!({ "operation": "set", "key": "text", "value": "x" })).await;
    let error = try_run(&server, json!({ "operation": "get", "key": "text", "keyType": "list" }))
        .await
        .unwrap_err();
    assert!(
        error.code() == Code::UPSTREAM_STATUS && error.message().contains("WRONGTYPE"),
        "{error}"
    );
}
