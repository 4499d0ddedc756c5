//! Data tables over HTTP: the shapes of n8n's API, and what hostile callers get.

use crate::app::{Reply, TestApp};
use model::{Value, json};

async fn send(app: &TestApp, key: &str, method: &str, path: &str, body: Value) -> Reply {
    let body = if body.is_null() { String::new() } else { model::json::to_string(&body) };
    app.call(method, &format!("/api/v1/data-tables{path}")).key(key).json(&body).send().await
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// A table of people with four rows, and its path.
async fn people(app: &TestApp, key: &str) -> String {
    let columns = json!([
        { "name": "name", "type": "string" }, { "name": "age", "type": "number" },
        { "name": "active", "type": "boolean" }, { "name": "born", "type": "date" },
    ]);
    let made = send(app, key, "POST", "", json!({ "name": "people", "columns": columns })).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let path = format!("/{}", made.text("id"));
    let rows = json!([{ "name": "Ann", "age": 30, "active": true }, { "name": "Bob", "age": 40 }, { "name": "Cid" }, { "age": 7 }]);
    let inserted = send(
        app,
        key,
        "POST",
        &format!("{path}/rows"),
        json!({ "data": rows, "returnType": "id" }),
    )
    .await;
    assert_eq!((inserted.status, inserted.body.as_str()), (200, "[1,2,3,4]"));
    path
}

fn one(column: &str, condition: &str, value: Value) -> Value {
    json!({ "type": "and", "filters": [{ "columnName": column, "condition": condition, "value": value }] })
}

async fn rows(app: &TestApp, key: &str, path: &str, query: &str) -> Vec<i64> {
    let reply = send(app, key, "GET", &format!("{path}/rows?{query}"), Value::Null).await;
    assert_eq!(reply.status, 200, "{query}: {}", reply.body);
    reply.rows().iter().map(|row| row.get("id").unwrap().as_f64().unwrap() as i64).collect()
}

#[tokio::test]
async fn tables_are_made_listed_renamed_and_removed() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let path = people(&app, &key).await;
    let shown = send(&app, &key, "GET", &path, Value::Null).await.json();
    assert_eq!(
        (shown.get("projectId"), shown.get("rowCount")),
        (Some(&json!("personal")), Some(&json!(4)))
    );
    assert_eq!(shown.get_path("columns[3].type"), Some(&json!("date")));
    for name in ["alpha", "Beta", "gamma"] {
        assert_eq!(
            send(&app, &key, "POST", "", json!({ "name": name, "columns": [] })).await.status,
            201
        );
    }
    let names = |reply: &Reply| {
        reply
            .rows()
            .iter()
            .map(|row| row.get("name").unwrap().as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let first = send(&app, &key, "GET", "?limit=3&sortBy=name:desc", Value::Null).await;
    assert_eq!(names(&first), ["people", "gamma", "Beta"]);
    let rest = send(
        &app,
        &key,
        "GET",
        &format!("?limit=3&sortBy=name:desc&cursor={}", first.text("nextCursor")),
        Value::Null,
    )
    .await;
    assert_eq!(
        (names(&rest), rest.json().get("nextCursor")),
        (vec!["alpha".to_owned()], Some(&Value::Null))
    );
    let found =
        send(&app, &key, "GET", &format!("?filter={}", encoded(r#"{"name":"BET"}"#)), Value::Null)
            .await;
    assert_eq!(names(&found), ["Beta"]);
    assert_eq!(send(&app, &key, "PATCH", &path, json!({ "name": "gamma" })).await.status, 409);
    assert_eq!(
        send(&app, &key, "PATCH", &path, json!({ "name": "persons" })).await.text("name"),
        "persons"
    );
    assert_eq!(send(&app, &key, "DELETE", &path, Value::Null).await.status, 204);
    for (method, below) in
        [("GET", ""), ("GET", "/rows"), ("GET", "/columns"), ("DELETE", ""), ("GET", "/rows/csv")]
    {
        assert_eq!(
            send(&app, &key, method, &format!("{path}{below}"), Value::Null).await.text("code"),
            "TABLE_NOT_FOUND",
            "{below}"
        );
    }
    let nowhere =
        send(&app, &key, "POST", "", json!({ "name": "x", "columns": [], "projectId": "nope" }))
            .await;
    assert_eq!(nowhere.status, 404);
}

#[tokio::test]
async fn columns_are_added_renamed_moved_and_removed() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let path = people(&app, &key).await;
    let columns = format!("{path}/columns");
    let added =
        send(&app, &key, "POST", &columns, json!({ "name": "note", "type": "string", "index": 0 }))
            .await;
    assert_eq!((added.status, added.json().get("index")), (201, Some(&json!(0))));
    let place = format!("{columns}/{}", added.text("id"));
    let moved =
        send(&app, &key, "PATCH", &place, json!({ "name": "remark", "index": 2 })).await.json();
    assert_eq!((moved.get("name"), moved.get("index")), (Some(&json!("remark")), Some(&json!(2))));
    let listed = send(&app, &key, "GET", &columns, Value::Null).await.json();
    let names: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column.get("name").unwrap().as_str().unwrap())
        .collect();
    assert_eq!(names, ["name", "age", "remark", "active", "born"]);
    for (body, status) in [
        (json!({ "name": "age" }), 409),
        (json!({ "name": "a b" }), 400),
        (json!({ "index": 5 }), 400),
        (json!({ "index": -1 }), 400),
        (json!({}), 400),
        (json!({ "type": "number" }), 400),
    ] {
        assert_eq!(
            send(&app, &key, "PATCH", &place, body.clone()).await.status,
            status,
            "{body:?}"
        );
    }
    assert_eq!(send(&app, &key, "DELETE", &place, Value::Null).await.status, 204);
    assert_eq!(send(&app, &key, "DELETE", &place, Value::Null).await.status, 404);
    assert_eq!(rows(&app, &key, &path, "").await, [1, 2, 3, 4]);
}

#[tokio::test]
async fn rows_are_listed_filtered_sorted_searched_and_paged() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let path = people(&app, &key).await;
    let filter = |value: Value| format!("filter={}", encoded(&model::json::to_string(&value)));
    assert_eq!(rows(&app, &key, &path, &filter(one("age", "gte", json!(30)))).await, [1, 2]);
    assert_eq!(rows(&app, &key, &path, &filter(one("name", "eq", Value::Null))).await, [4]);
    assert_eq!(rows(&app, &key, &path, "search=B").await, [2]);
    assert_eq!(rows(&app, &key, &path, "sortBy=age:desc").await, [2, 1, 4, 3]);
    for sort in ["", "&sortBy=age:desc"] {
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page =
                send(&app, &key, "GET", &format!("{path}/rows?limit=1{sort}{cursor}"), Value::Null)
                    .await;
            seen.extend(
                page.rows().iter().map(|row| row.get("id").unwrap().as_f64().unwrap() as i64),
            );
            match page.json().get("nextCursor").and_then(Value::as_str) {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        seen.sort_unstable();
        assert_eq!(seen, [1, 2, 3, 4], "{sort}");
    }
}

#[tokio::test]
async fn rows_are_changed_previewed_and_removed() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let path = people(&app, &key).await;
    let at = |name: &str| format!("{path}/rows/{name}");
    let change = |extra: Value| {
        let mut body = json!({ "filter": one("name", "eq", json!("Ann")), "data": { "age": 31 } });
        body.make_object().extend(
            extra.as_object().unwrap().iter().map(|(key, value)| (key.clone(), value.clone())),
        );
        body
    };
    let preview =
        send(&app, &key, "PATCH", &at("update"), change(json!({ "dryRun": true }))).await.json();
    assert_eq!(preview.at(0).and_then(|row| row.get("age")), Some(&json!(30)));
    assert_eq!(preview.at(1).and_then(|row| row.get("dryRunState")), Some(&json!("after")));
    assert_eq!(send(&app, &key, "PATCH", &at("update"), change(json!({}))).await.body, "true");
    let upserted =
        send(&app, &key, "POST", &at("upsert"), change(json!({ "returnData": true }))).await.json();
    assert_eq!(upserted.at(0).and_then(|row| row.get("id")), Some(&json!(1)));
    let new = json!({ "filter": one("name", "eq", json!("Eve")), "data": { "name": "Eve" }, "returnData": true });
    assert_eq!(
        send(&app, &key, "POST", &at("upsert"), new)
            .await
            .json()
            .at(0)
            .and_then(|row| row.get("id")),
        Some(&json!(5))
    );
    let filter = encoded(&model::json::to_string(&one("id", "gt", json!(3))));
    let removed = send(
        &app,
        &key,
        "DELETE",
        &format!("{}?filter={filter}&returnData=true", at("delete")),
        Value::Null,
    )
    .await
    .json();
    assert_eq!(removed.as_array().unwrap().len(), 2);
    let inserted =
        send(&app, &key, "POST", &format!("{path}/rows"), json!({ "data": [{ "name": "Flo" }] }))
            .await;
    assert_eq!(inserted.body, r#"{"count":1}"#);
    let csv = send(&app, &key, "GET", &at("csv"), Value::Null).await;
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    assert!(
        csv.body.starts_with("id,name,age,active,born,createdAt,updatedAt\r\n1,Ann,31,true,,2"),
        "{}",
        csv.body
    );
    assert_eq!(csv.body.lines().count(), 5);
    assert_eq!(
        send(&app, &key, "DELETE", &at("clear"), Value::Null).await.body,
        r#"{"deletedCount":4}"#
    );
}

#[tokio::test]
async fn hostile_names_filters_and_values_are_refused_and_nothing_is_lost() {
    let app = TestApp::start().await;
    let key = app.owner_key().await;
    let path = people(&app, &key).await;
    let evil = [
        "x\"; DROP TABLE data_tables; --",
        "c1",
        "rowid",
        "created_ms",
        "1=1 OR name",
        "__proto__",
        "age--",
        "sqlite_master.name",
    ];
    for name in evil {
        let filter = encoded(&model::json::to_string(&one(name, "eq", json!(1))));
        let reply =
            send(&app, &key, "GET", &format!("{path}/rows?filter={filter}"), Value::Null).await;
        assert_eq!(
            (reply.status, reply.text("code").as_str()),
            (400, "TABLE_COLUMN"),
            "{name}: {}",
            reply.body
        );
        let sorted = send(
            &app,
            &key,
            "GET",
            &format!("{path}/rows?sortBy={}:asc", encoded(name)),
            Value::Null,
        )
        .await;
        assert_eq!(sorted.status, 400, "{name}");
        let inserted =
            send(&app, &key, "POST", &format!("{path}/rows"), json!({ "data": [{ name: 1 }] }))
                .await;
        assert_eq!(inserted.status, 400, "{name}");
    }
    for name in
        ["x\"; DROP TABLE data_tables; --", "a b", "", "1a", "id", "createdAt", "a\u{0}b", "ä"]
    {
        let made = send(
            &app,
            &key,
            "POST",
            "",
            json!({ "name": "t", "columns": [{ "name": name, "type": "string" }] }),
        )
        .await;
        assert_eq!(made.status, 400, "{name}: {}", made.body);
    }
    for kind in ["json", "TEXT); DROP TABLE x; --", "String"] {
        let made = send(
            &app,
            &key,
            "POST",
            "",
            json!({ "name": "t", "columns": [{ "name": "a", "type": kind }] }),
        )
        .await;
        assert_eq!(made.status, 400, "{kind}");
    }
    let twice = json!({ "name": "t", "columns": [{ "name": "a", "type": "string" }, { "name": "a", "type": "number" }] });
    assert_eq!(send(&app, &key, "POST", "", twice).await.status, 409);
    for filter in [
        "{",
        "[]",
        "1",
        "{}",
        r#"{"filters":"x"}"#,
        r#"{"type":"xor","filters":[]}"#,
        r#"{"filters":[{"columnName":"age"}]}"#,
        r#"{"filters":[{"columnName":"age","condition":"; DROP","value":1}]}"#,
        r#"{"filters":[{"columnName":"age","condition":"like","value":"3"}]}"#,
        r#"{"filters":[{"columnName":"age","condition":"gt","value":null}]}"#,
        r#"{"filters":[{"columnName":"age","condition":"eq","value":{"$gt":0}}]}"#,
    ] {
        let query = encoded(filter);
        let reply =
            send(&app, &key, "GET", &format!("{path}/rows?filter={query}"), Value::Null).await;
        assert_eq!(reply.status, 400, "{filter}: {}", reply.body);
        let reply =
            send(&app, &key, "DELETE", &format!("{path}/rows/delete?filter={query}"), Value::Null)
                .await;
        assert_eq!(reply.status, 400, "{filter}: {}", reply.body);
    }
    for query in ["", "?filter=", &format!("?filter={}", encoded(r#"{"filters":[]}"#))] {
        assert_eq!(
            send(&app, &key, "DELETE", &format!("{path}/rows/delete{query}"), Value::Null)
                .await
                .status,
            400,
            "{query}"
        );
    }
    for query in [
        "cursor=zzz",
        "cursor=LTE1eA",
        "sortBy=age",
        "sortBy=age:up",
        "limit=0",
        "limit=251",
        "skip=1",
    ] {
        assert_eq!(
            send(&app, &key, "GET", &format!("{path}/rows?{query}"), Value::Null).await.status,
            400,
            "{query}"
        );
    }
    let many: Vec<Value> = (0..101)
        .map(|number| json!({ "columnName": "id", "condition": "eq", "value": number }))
        .collect();
    let body = json!({ "filter": { "type": "or", "filters": many }, "data": { "age": 1 } });
    assert_eq!(
        send(&app, &key, "PATCH", &format!("{path}/rows/update"), body).await.text("code"),
        "TABLE_LIMIT"
    );
    let too_many = json!({ "data": vec![json!({}); 10_001] });
    assert_eq!(send(&app, &key, "POST", &format!("{path}/rows"), too_many).await.status, 413);
    for body in [
        json!({ "data": [] }),
        json!({ "data": [1] }),
        json!({ "data": {} }),
        json!({ "data": [{}], "returnType": "everything" }),
    ] {
        assert_eq!(
            send(&app, &key, "POST", &format!("{path}/rows"), body.clone()).await.status,
            400,
            "{body:?}"
        );
    }
    // A text that looks like SQL is a text.
    let text = "'); DELETE FROM data_1; --";
    send(&app, &key, "POST", &format!("{path}/rows"), json!({ "data": [{ "name": text }] })).await;
    let filter = encoded(&model::json::to_string(&one("name", "eq", json!(text))));
    assert_eq!(rows(&app, &key, &path, &format!("filter={filter}")).await, [5]);
    assert_eq!(rows(&app, &key, &path, "").await, [1, 2, 3, 4, 5]);
}
