//! The MySQL node against a real MariaDB.

use heddle_nodes::integrations::{MySql, MySqlV1};
use model::{Code, OnError, Value, json};
use node_api::{Node, NodeError};
use node_testing::{TestHost, items, run_on, to_json};
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::sync::Arc;
use testkit::services;
use testkit::services::{PASSWORD, Service};

fn host_for<N: Node>(server: &Service, version: f64, params: Value) -> TestHost {
    let mut host = TestHost::new(&N::spec(), version, &params);
    host.connections =
        Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.1, localhost").unwrap()));
    let credential = json!({ "host": "127.0.0.1", "port": server.port, "database": "test", "user": "heddle", "password": PASSWORD });
    host.credentials.insert("mySql", credential);
    host
}

async fn run_with<N: Node>(
    server: &Service,
    version: f64,
    params: Value,
    input: Value,
    on_error: OnError,
) -> Result<Value, NodeError> {
    let host = host_for::<N>(server, version, params);
    let outputs = run_on::<N>(&host, version, vec![items(&input)], on_error).await?;
    Ok(to_json(&outputs[0]))
}

async fn run(server: &Service, params: Value, input: Value) -> Value {
    run_with::<MySql>(server, 2.4, params, input, OnError::Stop).await.unwrap()
}

async fn query(server: &Service, text: &str) -> Value {
    run(server, json!({ "operation": "executeQuery", "query": text }), json!([{}])).await
}

fn on(table: &str, operation: &str, more: Value) -> Value {
    let mut params = json!({ "operation": operation, "table": { "mode": "name", "value": table } });
    for (key, value) in more.as_object().unwrap().iter() {
        params.make_object().insert(key.clone(), value.clone());
    }
    params
}

const VALUES: &str = "select 1 a, 9007199254740993 b, cast(1.50 as decimal(5,2)) c, 1.5e0 d, 'text' e, cast('2024-02-29' as date) f, \
    cast('2024-02-29 10:11:12' as datetime) g, null h, x'ff00' i, cast('-01:02:03' as time) j";

#[tokio::test]
async fn values_come_back_as_the_json_of_their_types() {
    let server = services::mariadb();
    let expected = json!([{
        "a": 1, "b": "9007199254740993", "c": "1.50", "d": 1.5, "e": "text", "f": "2024-02-29", "g": "2024-02-29 10:11:12", "h": null,
        "i": { "type": "Buffer", "data": [255, 0] }, "j": "-01:02:03"
    }]);
    assert_eq!(query(&server, VALUES).await, expected, "as text");
    let bound = json!({ "operation": "executeQuery", "query": format!("{VALUES} where 1 = $1"), "options": { "queryReplacement": [1] } });
    assert_eq!(run(&server, bound, json!([{}])).await, expected, "with values bound");
    let numbers = json!({ "operation": "executeQuery", "query": "select cast(1.50 as decimal(5,2)) c", "options": { "decimalNumbers": true } });
    assert_eq!(run(&server, numbers, json!([{}])).await, json!([{ "c": 1.5 }]));
    let older = json!({ "operation": "executeQuery", "query": "select cast('2024-02-29 10:11:12' as datetime) g" });
    let made = run_with::<MySql>(&server, 2.0, older, json!([{}]), OnError::Stop).await.unwrap();
    assert_eq!(made, json!([{ "g": "2024-02-29T10:11:12.000Z" }]));
}

#[tokio::test]
async fn parameters_are_bound_and_never_spliced() {
    let server = services::mariadb();
    query(&server, "create table bound (id int primary key, name text, data json)").await;
    let insert = json!({
        "operation": "executeQuery",
        "query": "insert into bound values ($1, $2, $3); select id, name, data from $4:name where name = $2 and id in ($5:csv)",
        "options": { "queryReplacement": [7, "x'); drop table bound; -- ", { "k": 1 }, "bound", [7, 8]] }
    });
    let expected = json!([{ "id": 7, "name": "x'); drop table bound; -- ", "data": "{\"k\":1}" }]);
    assert_eq!(run(&server, insert, json!([{}])).await, expected);
    assert_eq!(query(&server, "select count(*) n from bound").await, json!([{ "n": 1 }]));
}

#[tokio::test]
async fn rows_are_written_changed_found_and_deleted() {
    let server = services::mariadb();
    query(&server, "create table rows_ (id int auto_increment primary key, name varchar(50) unique, age int, ok tinyint)").await;
    let input = json!([{ "name": "Ada", "age": 36, "ok": true }, { "name": "Bo", "age": "40" }]);
    assert_eq!(
        run(&server, on("rows_", "insert", json!({})), input).await,
        json!([{ "success": true }])
    );
    let details = json!({
        "dataMode": "defineBelow", "valuesToSend": { "values": [{ "column": "name", "value": "Cy" }] }, "options": { "detailedOutput": true }
    });
    let made = run(&server, on("rows_", "insert", details), json!([{}])).await;
    assert_eq!(
        (made.get_path("[0].affectedRows"), made.get_path("[0].insertId")),
        (Some(&json!(1)), Some(&json!(3)))
    );
    let skip = json!({ "options": { "skipOnConflict": true } });
    assert_eq!(
        run(&server, on("rows_", "insert", skip), json!([{ "name": "Ada" }])).await,
        json!([{ "success": true }])
    );
    run(
        &server,
        on("rows_", "upsert", json!({ "columnToMatchOn": "name" })),
        json!([{ "name": "Bo", "age": 41 }, { "name": "Di", "age": 5 }]),
    )
    .await;
    let update = json!({
        "dataMode": "defineBelow", "columnToMatchOn": "name", "valueToMatchOn": "Cy", "valuesToSend": { "values": [{ "column": "age", "value": 9 }] }
    });
    run(&server, on("rows_", "update", update), json!([{}])).await;
    let select = json!({
        "where": { "values": [{ "column": "age", "condition": "<=", "value": 41 }, { "column": "name", "condition": "LIKE", "value": "%o" }] },
        "combineConditions": "OR", "sort": { "values": [{ "column": "age", "direction": "DESC" }] }, "limit": 3, "options": { "outputColumns": ["name", "age"] }
    });
    let found = run(&server, on("rows_", "select", select), json!([{}])).await;
    assert_eq!(
        found,
        json!([{ "name": "Bo", "age": 41 }, { "name": "Ada", "age": 36 }, { "name": "Cy", "age": 9 }])
    );
    let delete = json!({ "deleteCommand": "delete", "where": { "values": [{ "column": "age", "condition": ">", "value": 6 }] } });
    run(&server, on("rows_", "deleteTable", delete), json!([{}])).await;
    assert_eq!(query(&server, "select name from rows_").await, json!([{ "name": "Di" }]));
    run(&server, on("rows_", "deleteTable", json!({ "deleteCommand": "truncate" })), json!([{}]))
        .await;
    assert_eq!(query(&server, "select name from rows_").await, json!([]));
    run(&server, on("rows_", "deleteTable", json!({ "deleteCommand": "drop" })), json!([{}])).await;
    assert_eq!(query(&server, "show tables like 'rows\\_'").await, json!([{ "success": true }]));
}

#[tokio::test]
async fn a_failure_undoes_all_but_what_runs_independently() {
    let server = services::mariadb();
    query(&server, "create table batches (id int primary key)").await;
    let batch =
        |mode: &str| on("batches", "insert", json!({ "options": { "queryBatching": mode } }));
    let input = json!([{ "id": 1 }, { "id": 1 }, { "id": 2 }]);
    for mode in ["single", "transaction"] {
        let error = run_with::<MySql>(&server, 2.4, batch(mode), input.clone(), OnError::Stop)
            .await
            .unwrap_err();
        assert_eq!((error.code(), error.item()), (Code::UPSTREAM_STATUS, Some(1)), "{error}");
        assert_eq!(query(&server, "select * from batches").await, json!([]), "{mode}");
    }
    run_with::<MySql>(&server, 2.4, batch("independently"), input, OnError::ContinueRegular)
        .await
        .unwrap();
    assert_eq!(query(&server, "select * from batches").await, json!([{ "id": 1 }, { "id": 2 }]));
}

#[tokio::test]
async fn the_first_version_tells_what_was_changed() {
    let server = services::mariadb();
    query(&server, "create table first_ (id int primary key, name text)").await;
    let insert = json!({ "operation": "insert", "table": "first_", "columns": "id,name" });
    let made =
        run_with::<MySqlV1>(&server, 1.0, insert, json!([{ "id": 1, "name": "A" }]), OnError::Stop)
            .await
            .unwrap();
    assert_eq!(made.get_path("[0].affectedRows"), Some(&json!(1)));
    let update =
        json!({ "operation": "update", "table": "first_", "columns": "name", "updateKey": "id" });
    run_with::<MySqlV1>(&server, 1.0, update, json!([{ "id": 1, "name": "B" }]), OnError::Stop)
        .await
        .unwrap();
    let select = json!({ "operation": "executeQuery", "query": "select * from first_" });
    let made = run_with::<MySqlV1>(&server, 1.0, select, json!([{}]), OnError::Stop).await.unwrap();
    assert_eq!(made, json!([{ "id": 1, "name": "B" }]));
}

#[tokio::test]
async fn encryption_is_verified_with_the_credentials_own_authority() {
    let server = services::mariadb();
    let mut host = host_for::<MySql>(
        &server,
        2.4,
        json!({ "operation": "executeQuery", "query": "show status like 'Ssl_cipher'" }),
    );
    let credential = host.credentials.get_mut("mySql").unwrap().make_object();
    credential.insert("user", "secure");
    credential.insert("host", "localhost");
    let error =
        run_on::<MySql>(&host, 2.4, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert_eq!(error.code(), Code::NODE_CREDENTIAL, "the user may only come encrypted: {error}");
    let credential = host.credentials.get_mut("mySql").unwrap().make_object();
    credential.insert("ssl", true);
    let error =
        run_on::<MySql>(&host, 2.4, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert_eq!(
        error.code(),
        Code::UPSTREAM_UNREACHABLE,
        "nobody vouches for the certificate: {error}"
    );
    assert!(
        error
            .message()
            .starts_with(&format!("The certificate of localhost:{} is not trusted", server.port)),
        "{error}"
    );
    let credential = host.credentials.get_mut("mySql").unwrap().make_object();
    credential
        .insert("caCertificate", std::fs::read_to_string(server.folder.join("ca.pem")).unwrap());
    let outputs =
        run_on::<MySql>(&host, 2.4, vec![items(&json!([{}]))], OnError::Stop).await.unwrap();
    assert_ne!(to_json(&outputs[0]).get_path("[0].Value"), Some(&json!("")));
    let other = services::SignedCertificate::generate().authority;
    host.credentials.get_mut("mySql").unwrap().make_object().insert("caCertificate", other);
    let error =
        run_on::<MySql>(&host, 2.4, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert!(
        error.message().contains("is not trusted"),
        "another authority does not vouch for it: {error}"
    );
}

#[tokio::test]
async fn a_wrong_password_is_told_without_it() {
    let server = services::mariadb();
    let mut host = host_for::<MySql>(
        &server,
        2.4,
        json!({ "operation": "executeQuery", "query": "select 1" }),
    );
    host.credentials.get_mut("mySql").unwrap().make_object().insert("password", "another-s3cret");
    let error =
        run_on::<MySql>(&host, 2.4, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert_eq!(error.code(), Code::NODE_CREDENTIAL, "{error}");
    assert!(!format!("{:?}", error.to_run_error("x")).contains("s3cret"), "{error}");
}
