//! The Postgres node against a real PostgreSQL.

use heddle_nodes::integrations::{Postgres, PostgresV1};
use model::{Code, OnError, Value, json};
use node_api::Node;
use node_api::NodeError;
use node_testing::{TestHost, items, run_on, to_json};
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::sync::Arc;
use testkit::services;
use testkit::services::{PASSWORD, Service};

fn host_for<N: Node>(server: &Service, version: f64, params: Value, allow: &str) -> TestHost {
    let mut host = TestHost::new(&N::spec(), version, &params);
    host.connections = Arc::new(GuardedConnections::new(EgressPolicy::parse(allow).unwrap()));
    let credential = json!({ "host": "127.0.0.1", "port": server.port, "database": "postgres", "user": "postgres", "password": PASSWORD });
    host.credentials.insert("postgres", credential);
    host
}

async fn run_with<N: Node>(
    server: &Service,
    version: f64,
    params: Value,
    input: Value,
    on_error: OnError,
) -> Result<Value, NodeError> {
    let host = host_for::<N>(server, version, params, "127.0.0.1");
    let outputs = run_on::<N>(&host, version, vec![items(&input)], on_error).await?;
    Ok(to_json(&outputs[0]))
}

async fn run(server: &Service, params: Value, input: Value) -> Value {
    run_with::<Postgres>(server, 2.6, params, input, OnError::Stop).await.unwrap()
}

async fn query(server: &Service, text: &str) -> Value {
    run(server, json!({ "operation": "executeQuery", "query": text }), json!([{}])).await
}

fn on(table: &str, operation: &str, more: Value) -> Value {
    let mut params = json!({ "operation": operation, "table": { "mode": "name", "value": table }, "schema": { "mode": "list", "value": "public" } });
    for (key, value) in more.as_object().unwrap().iter() {
        params.make_object().insert(key.clone(), value.clone());
    }
    params
}

#[tokio::test]
async fn values_come_back_as_the_json_of_their_types() {
    let server = services::postgres();
    let found = query(
        &server,
        "select 1::int2 a, 9007199254740993::int8 b, 1.50::numeric c, true d, '{\"x\":[1]}'::jsonb e, array[1,null,3] f, \
         '2024-02-29 10:00+02'::timestamptz g, '2024-02-29'::date h, interval '1 day 02:00' i, '\\xff'::bytea j, null k, \
         array['a \"b\"','c']::text[] l, 'u'::char(3) m, '11111111-2222-3333-4444-555555555555'::uuid n, int4range(1,5) o, 1.5::float8 p",
    )
    .await;
    let expected = json!([{
        "a": 1, "b": "9007199254740993", "c": "1.50", "d": true, "e": { "x": [1] }, "f": [1, null, 3], "g": "2024-02-29T08:00:00.000Z",
        "h": "2024-02-29T00:00:00.000Z", "i": { "days": 1, "hours": 2 }, "j": { "type": "Buffer", "data": [255] }, "k": null,
        "l": ["a \"b\"", "c"], "m": "u  ", "n": "11111111-2222-3333-4444-555555555555", "o": "[1,5)", "p": 1.5
    }]);
    assert_eq!(found, expected);
    let numbers = json!({ "operation": "executeQuery", "query": "select 12::int8 a, 1.5::numeric b", "options": { "largeNumbersOutput": "numbers" } });
    assert_eq!(run(&server, numbers, json!([{}])).await, json!([{ "a": 12, "b": 1.5 }]));
    let days = json!({ "operation": "executeQuery", "query": "select '2024-02-29'::date a, array['2024-02-29'::date] b, '2024-02-29 10:00'::timestamp c" });
    let found = run_with::<Postgres>(&server, 2.7, days, json!([{}]), OnError::Stop).await.unwrap();
    assert_eq!(
        found,
        json!([{ "a": "2024-02-29", "b": ["2024-02-29"], "c": "2024-02-29T10:00:00.000Z" }])
    );
}

#[tokio::test]
async fn parameters_are_bound_and_never_spliced() {
    let server = services::postgres();
    query(&server, "create table bound (id int primary key, name text, tags text[], data jsonb)")
        .await;
    let insert = json!({
        "operation": "executeQuery",
        "query": "insert into bound values ($1, $2, $3, $4) returning *; select count(*)::int as n from bound where name = $2",
        "options": { "queryReplacement": [7, "x'); drop table bound; --", ["a", "b, \"c\""], { "k": [1] }] }
    });
    let expected = json!([
        { "id": 7, "name": "x'); drop table bound; --", "tags": ["a", "b, \"c\""], "data": { "k": [1] } },
        { "n": 1 }
    ]);
    assert_eq!(run(&server, insert, json!([{}])).await, expected);
    let by_name = json!({
        "operation": "executeQuery", "query": "select $1:name from $2:name where id in ($3:csv) and name <> '$1'",
        "options": { "queryReplacement": [["id"], "bound", [7, 8]] }
    });
    assert_eq!(run(&server, by_name, json!([{}])).await, json!([{ "id": 7 }]));
    let text = json!({ "operation": "executeQuery", "query": "select id from bound where id = $1 and $2 = 'b'", "options": { "queryReplacement": "7, b" } });
    assert_eq!(run(&server, text, json!([{}])).await, json!([{ "id": 7 }]));
    let missing = json!({ "operation": "executeQuery", "query": "select $2", "options": { "queryReplacement": [1] } });
    let error =
        run_with::<Postgres>(&server, 2.6, missing, json!([{}]), OnError::Stop).await.unwrap_err();
    assert_eq!(error.code(), Code::NODE_PARAMETER);
}

#[tokio::test]
async fn rows_are_written_changed_found_and_deleted() {
    let server = services::postgres();
    query(&server, "create table rows (id serial primary key, name text unique, age int, extra jsonb, tags text[])").await;
    let input = json!([{ "name": "Ada", "age": 36, "extra": [1, { "a": 2 }], "tags": ["x", "y"] }, { "name": "Bo", "age": "40" }]);
    let auto = json!({ "columns": { "mappingMode": "autoMapInputData", "value": null } });
    let expected = json!([
        { "id": 1, "name": "Ada", "age": 36, "extra": [1, { "a": 2 }], "tags": ["x", "y"] },
        { "id": 2, "name": "Bo", "age": 40, "extra": null, "tags": null }
    ]);
    assert_eq!(run(&server, on("rows", "insert", auto.clone()), input.clone()).await, expected);

    let skip = json!({ "columns": { "mappingMode": "autoMapInputData" }, "options": { "skipOnConflict": true } });
    assert_eq!(
        run(&server, on("rows", "insert", skip), json!([{ "name": "Ada" }])).await,
        json!([{ "success": true }])
    );

    let upsert = json!({
        "columns": { "mappingMode": "defineBelow", "value": { "name": "Bo", "age": 41 }, "matchingColumns": ["name"] },
        "options": { "outputColumns": ["name", "age"] }
    });
    assert_eq!(
        run(&server, on("rows", "upsert", upsert), json!([{}])).await,
        json!([{ "name": "Bo", "age": 41 }])
    );

    let update = json!({
        "columns": { "mappingMode": "defineBelow", "value": { "id": 1, "name": "" }, "matchingColumns": ["id"] },
        "options": { "outputColumns": ["id", "name"], "replaceEmptyStrings": true }
    });
    assert_eq!(
        run(&server, on("rows", "update", update), json!([{}])).await,
        json!([{ "id": 1, "name": null }])
    );

    let select = json!({
        "where": { "values": [{ "column": "age", "condition": ">", "value": 30 }, { "column": "name", "condition": "IS NULL" }] },
        "combineConditions": "OR", "sort": { "values": [{ "column": "age", "direction": "DESC" }] }, "limit": 1,
        "options": { "outputColumns": ["age"] }
    });
    assert_eq!(
        run(&server, on("rows", "select", select), json!([{}])).await,
        json!([{ "age": 41 }])
    );
    let all = json!({ "returnAll": true, "where": { "values": [{ "column": "age", "value": "36" }] }, "options": { "outputColumns": ["id"] } });
    assert_eq!(run(&server, on("rows", "select", all), json!([{}])).await, json!([{ "id": 1 }]));
    let none = json!({ "where": { "values": [{ "column": "age", "value": 1 }] } });
    assert_eq!(run(&server, on("rows", "select", none), json!([{}])).await, json!([]));

    let delete = json!({ "deleteCommand": "delete", "where": { "values": [{ "column": "id", "condition": "<=", "value": 1 }] } });
    assert_eq!(
        run(&server, on("rows", "deleteTable", delete), json!([{}])).await,
        json!([{ "success": true }])
    );
    assert_eq!(query(&server, "select name from rows").await, json!([{ "name": "Bo" }]));
    let truncate = json!({ "deleteCommand": "truncate", "restartSequences": true });
    run(&server, on("rows", "deleteTable", truncate), json!([{}])).await;
    assert_eq!(
        query(&server, "insert into rows (name) values ('C') returning id").await,
        json!([{ "id": 1 }])
    );
    run(
        &server,
        on(
            "rows",
            "deleteTable",
            json!({ "deleteCommand": "drop", "options": { "cascade": true } }),
        ),
        json!([{}]),
    )
    .await;
    assert_eq!(query(&server, "select to_regclass('rows')::text t").await, json!([{ "t": null }]));
}

#[tokio::test]
async fn older_versions_send_columns_one_by_one() {
    let server = services::postgres();
    query(&server, "create table older (id int primary key, name text)").await;
    let insert = on(
        "older",
        "insert",
        json!({
            "dataMode": "defineBelow", "valuesToSend": { "values": [{ "column": "id", "value": "5" }, { "column": "name", "value": "A" }] }
        }),
    );
    assert_eq!(
        run_with::<Postgres>(&server, 2.1, insert, json!([{}]), OnError::Stop).await.unwrap(),
        json!([{ "id": 5, "name": "A" }])
    );
    let update = on(
        "older",
        "update",
        json!({
            "dataMode": "defineBelow", "columnToMatchOn": "id", "valueToMatchOn": 5, "valuesToSend": { "values": [{ "column": "name", "value": "B" }] }
        }),
    );
    assert_eq!(
        run_with::<Postgres>(&server, 2.0, update, json!([{}]), OnError::Stop).await.unwrap(),
        json!([{ "id": 5, "name": "B" }])
    );
    let first = json!({ "operation": "insert", "table": "older", "columns": "id:int, name", "returnFields": "id" });
    let made = run_with::<PostgresV1>(
        &server,
        1.0,
        first,
        json!([{ "id": "6", "name": "C" }]),
        OnError::Stop,
    )
    .await
    .unwrap();
    assert_eq!(made, json!([{ "id": 6 }]));
    let first =
        json!({ "operation": "update", "table": "older", "updateKey": "id", "columns": "name" });
    let made = run_with::<PostgresV1>(
        &server,
        1.0,
        first,
        json!([{ "id": 6, "name": "D" }]),
        OnError::Stop,
    )
    .await
    .unwrap();
    assert_eq!(made, json!([{ "id": 6, "name": "D" }]));
    let first = json!({ "operation": "executeQuery", "query": "select name from older where id = $1", "additionalFields": { "queryParams": "id" } });
    let made = run_with::<PostgresV1>(
        &server,
        1.0,
        first,
        json!([{ "id": 6 }, { "id": 5 }]),
        OnError::Stop,
    )
    .await
    .unwrap();
    assert_eq!(made, json!([{ "name": "D" }, { "name": "B" }]));
}

#[tokio::test]
async fn a_failure_undoes_all_but_what_runs_independently() {
    let server = services::postgres();
    query(&server, "create table batches (id int primary key)").await;
    let batch = |mode: &str| {
        on(
            "batches",
            "insert",
            json!({ "columns": { "mappingMode": "autoMapInputData" }, "options": { "queryBatching": mode } }),
        )
    };
    let input = json!([{ "id": 1 }, { "id": 1 }, { "id": 2 }]);
    for mode in ["single", "transaction"] {
        let error = run_with::<Postgres>(&server, 2.6, batch(mode), input.clone(), OnError::Stop)
            .await
            .unwrap_err();
        assert_eq!((error.code(), error.item()), (Code::UPSTREAM_STATUS, Some(1)), "{error}");
        assert!(error.message().contains("duplicate key"), "{error}");
        assert_eq!(query(&server, "select * from batches").await, json!([]), "{mode}");
    }
    let made =
        run_with::<Postgres>(&server, 2.6, batch("independently"), input, OnError::ContinueRegular)
            .await
            .unwrap();
    assert_eq!(
        (made.get_path("[0].id"), made.get_path("[2].id")),
        (Some(&json!(1)), Some(&json!(2)))
    );
    assert!(
        made.get_path("[1].error").and_then(Value::as_str).unwrap().contains("duplicate key"),
        "{made:?}"
    );
}

#[tokio::test]
async fn a_session_forgets_what_the_last_run_has_set() {
    let server = services::postgres();
    let host = host_for::<Postgres>(
        &server,
        2.6,
        json!({ "operation": "executeQuery", "query": "set statement_timeout = 4321; create temp table mine (a int)" }),
        "127.0.0.1",
    );
    run_on::<Postgres>(&host, 2.6, vec![items(&json!([{}]))], OnError::Stop).await.unwrap();
    let mut next = host_for::<Postgres>(
        &server,
        2.6,
        json!({ "operation": "executeQuery", "query": "select current_setting('statement_timeout') t, to_regclass('mine')::text m" }),
        "127.0.0.1",
    );
    next.connections = host.connections.clone();
    let outputs =
        run_on::<Postgres>(&next, 2.6, vec![items(&json!([{}]))], OnError::Stop).await.unwrap();
    assert_eq!(to_json(&outputs[0]), json!([{ "t": "0", "m": null }]));
}

#[tokio::test]
async fn encryption_is_verified_unless_the_credential_says_otherwise() {
    let server = services::postgres();
    let params = json!({ "operation": "executeQuery", "query": "select ssl from pg_stat_ssl where pid = pg_backend_pid()" });
    let mut host = host_for::<Postgres>(&server, 2.6, params, "127.0.0.1");
    let set = |host: &mut TestHost, key: &str, value: Value| {
        drop(host.credentials.get_mut("postgres").unwrap().make_object().insert(key, value))
    };
    set(&mut host, "ssl", json!("require"));
    let error =
        run_on::<Postgres>(&host, 2.6, vec![items(&json!([{}]))], OnError::Stop).await.unwrap_err();
    assert_eq!(error.code(), Code::UPSTREAM_UNREACHABLE, "{error}");
    assert!(
        error.message().contains("The certificate of")
            && error.message().contains("is not trusted"),
        "{error}"
    );
    set(&mut host, "allowUnauthorizedCerts", json!(true));
    let outputs =
        run_on::<Postgres>(&host, 2.6, vec![items(&json!([{}]))], OnError::Stop).await.unwrap();
    assert_eq!(to_json(&outputs[0]), json!([{ "ssl": true }]));
}

#[tokio::test]
async fn closed_addresses_wrong_passwords_and_broken_sql_are_told_without_secrets() {
    let server = services::postgres();
    let params = json!({ "operation": "executeQuery", "query": "select 1" });
    let closed = host_for::<Postgres>(&server, 2.6, params.clone(), "");
    let error = run_on::<Postgres>(&closed, 2.6, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::EGRESS_BLOCKED, "{error}");
    let mut other_port = host_for::<Postgres>(&server, 2.6, params.clone(), "127.0.0.1:1");
    other_port.credentials.get_mut("postgres").unwrap().make_object().insert("host", "localhost");
    let error = run_on::<Postgres>(&other_port, 2.6, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::EGRESS_BLOCKED, "{error}");
    let mut wrong = host_for::<Postgres>(&server, 2.6, params, "127.0.0.1");
    wrong
        .credentials
        .get_mut("postgres")
        .unwrap()
        .make_object()
        .insert("password", "another-s3cret");
    let error = run_on::<Postgres>(&wrong, 2.6, vec![items(&json!([{}]))], OnError::Stop)
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::NODE_CREDENTIAL, "{error}");
    assert!(!format!("{:?}", error.to_run_error("x")).contains("s3cret"), "{error}");
    let broken = json!({ "operation": "executeQuery", "query": "selec 1" });
    let error =
        run_with::<Postgres>(&server, 2.6, broken, json!([{}]), OnError::Stop).await.unwrap_err();
    assert!(error.message().contains("syntax error"), "{error}");
    assert_eq!(error.context().get("code"), Some(&json!("42601")));
}
