//! The SQL mode as workflows use it.

use super::super::v3::Merge;
use node_api::prelude::*;
use node_testing::run_version;

async fn run(version: f64, query: &str, inputs: [Value; 2]) -> Result<Value, NodeError> {
    let params = json!({ "mode": "combineBySql", "query": query });
    Ok(run_version::<Merge>(version, params, &inputs).await?.remove(0))
}

#[tokio::test]
async fn values_come_out_as_they_went_in() {
    let item = json!({ "n": 1.5, "flag": true, "none": null, "list": [1, { "a": 2 }], "text": "[1]", "odd \"name\"": "x" });
    let other = json!({ "text": "plain" });
    let rows = run(3.2, "SELECT * FROM input1", [json!([item, other]), json!([])]).await.unwrap();
    assert_eq!(rows.at(0), Some(&item));
    assert_eq!(rows.at(1).unwrap().get("text"), Some(&json!("plain")));
    assert_eq!(rows.at(1).unwrap().get("n"), None, "a field that is not there stays away");
}

#[tokio::test]
async fn tables_are_joined_and_counted() {
    let inputs = || {
        [
            json!([{ "id": 1, "name": "a" }, { "id": 2, "name": "b" }]),
            json!([{ "id": 1, "age": 3 }]),
        ]
    };
    let rows = run(3.2, "SELECT * FROM input1 LEFT JOIN input2 ON input1.id = input2.id", inputs())
        .await
        .unwrap();
    assert_eq!(rows, json!([{ "id": 1, "name": "a", "age": 3 }, { "id": 2, "name": "b" }]));
    let rows = run(
        3.2,
        "SELECT COUNT(*) AS total FROM input1 OUTER JOIN input2 ON input1.id = input2.id",
        inputs(),
    )
    .await
    .unwrap();
    assert_eq!(rows, json!([{ "total": 2 }]));
}

#[tokio::test]
async fn several_statements_run_one_after_the_other() {
    let query = "CREATE TABLE kept (a); INSERT INTO kept SELECT n * 2 FROM input1; SELECT a FROM kept; -- and no more\n";
    let rows = run(3.2, query, [json!([{ "n": 1 }, { "n": 2 }]), json!([])]).await.unwrap();
    assert_eq!(rows, json!([{ "a": 2 }, { "a": 4 }]));
}

#[tokio::test]
async fn no_rows_are_a_success_in_older_versions() {
    let query = "SELECT * FROM input1 WHERE 1 = 0";
    assert_eq!(
        run(3.1, query, [json!([{ "a": 1 }]), json!([])]).await.unwrap(),
        json!([{ "success": true }])
    );
    assert_eq!(run(3.2, query, [json!([{ "a": 1 }]), json!([])]).await.unwrap(), json!([]));
}

#[tokio::test]
async fn tables_views_and_indexes_of_the_query_itself_can_be_used() {
    let query = "CREATE TEMP TABLE x AS SELECT n FROM input1; CREATE TABLE t AS SELECT n FROM x; DROP TABLE x; CREATE INDEX i ON t (n); CREATE VIEW v AS SELECT max(n) AS most FROM t; \
                 UPDATE t SET n = n + 1 WHERE n = 2; DELETE FROM t WHERE n = 1; INSERT INTO t VALUES (7); \
                 SELECT most, (SELECT count(*) FROM t) AS total FROM v; DROP VIEW v; DROP INDEX i; DROP TABLE t";
    let rows = run(3.2, query, [json!([{ "n": 1 }, { "n": 2 }]), json!([])]).await.unwrap();
    assert_eq!(rows, json!([{ "most": 7, "total": 2 }]));
}

#[tokio::test]
async fn joins_groups_windows_and_json_are_there() {
    let inputs = || {
        [
            json!([{ "id": 1, "tags": ["a", "b"] }, { "id": 2, "tags": [] }]),
            json!([{ "id": 2, "v": 4 }, { "id": 2, "v": 6 }]),
        ]
    };
    for (query, rows) in [
        ("WITH x AS (SELECT id FROM input1) SELECT count(*) AS c FROM x", json!([{ "c": 2 }])),
        (
            "SELECT input1.id, SUM(v) AS s FROM input1 JOIN input2 USING (id) GROUP BY input1.id",
            json!([{ "id": 2, "s": 10 }]),
        ),
        (
            "SELECT input1.id, value AS tag FROM input1, json_each(input1.tags)",
            json!([{ "id": 1, "tag": "a" }, { "id": 1, "tag": "b" }]),
        ),
        (
            "SELECT v, row_number() OVER (ORDER BY v DESC) AS place FROM input2 ORDER BY v",
            json!([{ "v": 4, "place": 2 }, { "v": 6, "place": 1 }]),
        ),
        (
            "SELECT UCASE('a') AS u, LEN('abc') AS l, ISNULL(NULL, 5) AS n, NVL(1, 2) AS m",
            json!([{ "u": "A", "l": 3, "n": 5, "m": 1 }]),
        ),
        (
            "SELECT id FROM input1 WHERE tags LIKE '%a%' UNION ALL SELECT 9",
            json!([{ "id": 1 }, { "id": 9 }]),
        ),
        (
            "SELECT date('2024-01-31', '+1 day') AS d, 'x' || upper('y') AS t",
            json!([{ "d": "2024-02-01", "t": "xY" }]),
        ),
        ("VALUES (1)", json!([{ "column1": 1 }])),
        (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4) SELECT sum(i) AS s FROM n",
            json!([{ "s": 10 }]),
        ),
        ("SELECT [id] FROM `input1` WHERE \"id\" = 1 -- end", json!([{ "id": 1 }])),
    ] {
        assert_eq!(run(3.2, query, inputs()).await.unwrap(), rows, "{query}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_query_is_told() {
    let told = async |query: &str| {
        let error = run(3.2, query, [json!([{}]), json!([{}])]).await.unwrap_err();
        assert_eq!(error.message(), "Issue while executing query", "{query}");
        (error.code(), error.description().unwrap().to_string())
    };
    assert!(told("SELECT x FROM nowhere").await.1.contains("nowhere"));
    assert_eq!(
        told(" -- nothing\n ;").await,
        (model::Code::NODE_PARAMETER, "The query is empty".to_owned())
    );
    assert!(told("SELECT ?").await.1.contains("has no value"));
    assert!(told("PRAGMA user_version").await.1.contains("PRAGMA user_version"));
}
