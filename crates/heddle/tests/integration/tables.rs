//! Data tables as workflows meet them: the real binary, a data folder, HTTP.

use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A webhook, a list of items from its body, a node, and everything that comes out of it as the
/// answer.
fn over_items(path: &str, node_under_test: Value) -> Value {
    let webhook = json!({ "httpMethod": "POST", "path": path, "responseMode": "responseNode", "options": {} });
    row(
        path,
        &[
            node("Webhook", "webhook", 2.1, webhook),
            node(
                "Split Out",
                "splitOut",
                1.0,
                json!({ "fieldToSplitOut": "body.items", "options": {} }),
            ),
            node_under_test,
            node(
                "Respond",
                "respondToWebhook",
                1.4,
                json!({ "respondWith": "allIncomingItems", "options": {} }),
            ),
        ],
    )
}

fn import(data: &TempFolder, name: &str, document: &Value) {
    let file = data.write_json(name, document);
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
}

fn benchmark_columns() -> Value {
    let columns = [
        ("firstName", "string"),
        ("age", "number"),
        ("birthDate", "date"),
        ("isActive", "boolean"),
        ("empty", "string"),
    ];
    Value::Array(columns.iter().map(|(name, kind)| json!({ "name": name, "type": kind })).collect())
}

/// The table behind an expression, as in a workflow that is told by its caller where to write.
fn told_table() -> Value {
    json!({ "__rl": true, "mode": "list", "value": "={{ $('Webhook').item.json.body.dataTableId }}" })
}

fn insert_node() -> Value {
    let value = json!({ "isActive": "={{ $json.isActive }}", "firstName": "={{ $json.firstName }}", "birthDate": "={{ $json.birthDate }}",
                        "age": "={{ $json.age }}" });
    let columns = json!({ "mappingMode": "defineBelow", "value": value, "matchingColumns": [], "attemptToConvertTypes": false });
    node(
        "Insert row",
        "dataTable",
        1.0,
        json!({ "dataTableId": told_table(), "columns": columns, "options": {} }),
    )
}

fn condition(name: &str, condition: &str, value: Value) -> Value {
    json!({ "conditions": [{ "keyName": name, "condition": condition, "keyValue": value }] })
}

struct TableHarness {
    data: TempFolder,
    server: Server,
    table: String,
}

impl TableHarness {
    fn new(name: &str, workflows: &[(&str, Value)]) -> Self {
        let data = TempFolder::new(name);
        for (path, document) in workflows {
            import(&data, path, document);
        }
        let server = Server::start(&data.0, &[]);
        let made = server.api(
            "POST",
            "/data-tables",
            Some(&json!({ "name": "people", "columns": benchmark_columns() })),
        );
        assert_eq!(made.status, 201, "{}", made.text());
        let table = made.json()["id"].as_str().unwrap().to_owned();
        Self { data, server, table }
    }

    fn call(&self, path: &str, items: Value) -> Value {
        let reply = self.server.call(
            "POST",
            &format!("/webhook/{path}"),
            Some(&json!({ "dataTableId": self.table, "items": items })),
        );
        assert_eq!(
            reply.status,
            200,
            "{path}: {} {:?}",
            reply.text(),
            self.server.executions().first().map(|run| run["data"].to_string())
        );
        reply.json()
    }

    fn rows(&self) -> Vec<Value> {
        self.server.api("GET", &format!("/data-tables/{}/rows", self.table), None).json()["data"]
            .as_array()
            .unwrap()
            .clone()
    }
}

fn people(count: usize) -> Value {
    let person = |number: usize| json!({ "firstName": format!("p{number}"), "age": number, "birthDate": "1990-05-06T07:08:09.000Z", "isActive": number.is_multiple_of(2) });
    Value::Array((0..count).map(person).collect())
}

#[test]
fn a_workflow_inserts_what_it_is_sent() {
    let world =
        TableHarness::new("table-insert", &[("insert", over_items("insert", insert_node()))]);
    let made = world.call("insert", people(3));
    assert_eq!(made.as_array().unwrap().len(), 3);
    assert_eq!(
        (&made[1]["id"], &made[1]["firstName"], &made[1]["age"]),
        (&json!(2), &json!("p1"), &json!(1))
    );
    assert_eq!(
        (&made[1]["birthDate"], &made[1]["isActive"]),
        (&json!("1990-05-06T07:08:09.000Z"), &json!(false))
    );
    assert_eq!(made[1]["empty"], Value::Null);
    assert_eq!(world.rows(), *made.as_array().unwrap(), "what the node gave is what is kept");
    let refused = world.server.call(
        "POST",
        "/webhook/insert",
        Some(&json!({ "dataTableId": world.table, "items": [{ "firstName": "ok" }, { "age": "many" }] })),
    );
    assert_eq!(refused.status, 500);
    assert_eq!(world.rows().len(), 3, "all rows of a step or none");
    let failed =
        world.server.executions().into_iter().find(|run| run["status"] == "error").unwrap();
    let error = failed["data"]["resultData"]["error"].to_string();
    assert!(error.contains("TABLE_VALUE") && error.contains("'age'"), "{error}");
}

#[test]
fn a_node_that_continues_on_fail_keeps_the_good_items_and_tells_of_the_bad() {
    let mut node_under_test = insert_node();
    node_under_test["onError"] = json!("continueRegularOutput");
    let data = TempFolder::new("table-continue");
    import(&data, "insert", &over_items("insert", node_under_test));
    let server = Server::start(&data.0, &[("HEDDLE_TABLE_BYTES", "1KB")]);
    let made = server
        .api(
            "POST",
            "/data-tables",
            Some(&json!({ "name": "people", "columns": benchmark_columns() })),
        )
        .json();
    let call = |items: Value| {
        let reply = server.call(
            "POST",
            "/webhook/insert",
            Some(&json!({ "dataTableId": made["id"], "items": items })),
        );
        assert_eq!(reply.status, 200, "{}", reply.text());
        reply.json()
    };
    let mixed = call(json!([{ "firstName": "a" }, { "age": "many" }, { "firstName": "c" }]));
    assert_eq!((&mixed[0]["id"], &mixed[2]["id"]), (&json!(1), &json!(2)));
    assert!(mixed[1]["error"].as_str().unwrap().contains("'age'"), "{mixed}");
    // Together they are too large; one by one the small ones fit.
    let large = call(
        json!([{ "firstName": "d" }, { "firstName": "x".repeat(5000) }, { "firstName": "f" }]),
    );
    assert_eq!((&large[0]["firstName"], &large[2]["firstName"]), (&json!("d"), &json!("f")));
    assert!(large[1]["error"].as_str().unwrap().contains("1024"), "{large}");
}

#[test]
fn rows_are_found_changed_and_removed_by_conditions() {
    let by_name = json!({ "__rl": true, "mode": "name", "value": "People" });
    let age = |test: &str| condition("age", test, json!("={{ $json.age }}"));
    let mapped =
        json!({ "mappingMode": "defineBelow", "value": { "empty": "={{ 'was ' + $json.age }}" } });
    let auto = json!({ "mappingMode": "autoMapInputData", "value": null });
    let with = |operation: &str, filters: Value, more: Value| {
        let mut parameters = json!({ "operation": operation, "dataTableId": by_name, "filters": filters, "matchType": "allConditions" });
        parameters.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        over_items(operation, node("Table", "dataTable", 1.1, parameters))
    };
    let sorted = json!({ "returnAll": true, "orderBy": true, "orderByColumn": "age", "orderByDirection": "DESC" });
    let world = TableHarness::new(
        "table-change",
        &[
            ("insert", over_items("insert", insert_node())),
            ("get", with("get", age("gte"), sorted)),
            ("rowExists", with("rowExists", age("eq"), json!({}))),
            ("rowNotExists", with("rowNotExists", age("eq"), json!({}))),
            ("update", with("update", age("lt"), json!({ "columns": mapped, "options": {} }))),
            ("upsert", with("upsert", age("eq"), json!({ "columns": auto, "options": {} }))),
            (
                "deleteRows",
                with("deleteRows", age("gt"), json!({ "options": { "dryRun": false } })),
            ),
        ],
    );
    world.call("insert", people(5));
    let ages = |rows: &Value| {
        rows.as_array().unwrap().iter().map(|row| row["age"].as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ages(&world.call("get", json!([{ "age": 3 }]))), [4, 3]);
    assert_eq!(ages(&world.call("rowExists", json!([{ "age": 3 }, { "age": 9 }]))), [3]);
    assert_eq!(ages(&world.call("rowNotExists", json!([{ "age": 3 }, { "age": 9 }]))), [9]);
    let updated = world.call("update", json!([{ "age": 2 }]));
    assert_eq!((ages(&updated), &updated[1]["empty"]), (vec![0, 1], &json!("was 2")));
    let upserted =
        world.call("upsert", json!([{ "age": 4, "firstName": "four" }, { "age": 9, "firstName": "nine", "id": 77 }, { "age": 9 }]));
    assert_eq!(
        (ages(&upserted), &upserted[1]["id"], &upserted[2]["id"]),
        (vec![4, 9, 9], &json!(6), &json!(6))
    );
    assert_eq!(ages(&world.call("deleteRows", json!([{ "age": 3 }]))), [4, 9]);
    assert_eq!(world.rows().len(), 4);
}

#[test]
fn many_items_go_in_together_and_come_back_all() {
    let bulk = json!({ "dataTableId": told_table(), "options": { "optimizeBulk": true }, "columns": { "mappingMode": "autoMapInputData" } });
    let all = json!({ "operation": "get", "dataTableId": told_table(), "returnAll": true });
    let world = TableHarness::new(
        "table-bulk",
        &[
            ("bulk", over_items("bulk", node("Table", "dataTable", 1.1, bulk))),
            ("all", over_items("all", node("Table", "dataTable", 1.1, all))),
        ],
    );
    assert_eq!(
        world.call("bulk", people(2500)),
        json!([{ "success": true, "insertedRows": 2500 }])
    );
    let found = world.call("all", json!([{}]));
    assert_eq!(found.as_array().unwrap().len(), 2500);
    assert_eq!((&found[0]["id"], &found[2499]["id"]), (&json!(1), &json!(2500)));
}

#[test]
fn workflows_make_and_remove_tables() {
    let table = |operation: &str, parameters: Value| {
        let mut all = json!({ "resource": "table", "operation": operation });
        all.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        (operation.to_owned(), over_items(operation, node("Table", "dataTable", 1.1, all)))
    };
    let columns = json!({ "column": [{ "name": "a" }, { "name": "b", "type": "number" }] });
    let named = json!({ "mode": "name", "value": "={{ $json.name }}" });
    let flows = [
        table(
            "create",
            json!({ "tableName": "={{ $json.name }}", "columns": columns, "options": { "createIfNotExists": true } }),
        ),
        table("list", json!({ "options": { "filterName": "={{ $json.name }}" } })),
        table("update", json!({ "dataTableId": named, "newName": "={{ $json.to }}" })),
        table("clear", json!({ "dataTableId": named })),
        table("delete", json!({ "dataTableId": named })),
    ];
    let flows: Vec<(&str, Value)> =
        flows.iter().map(|(name, flow)| (name.as_str(), flow.clone())).collect();
    let world = TableHarness::new("table-tables", &flows);
    let made = world.call("create", json!([{ "name": "made" }]));
    assert_eq!(
        (&made[0]["columns"][0]["type"], &made[0]["columns"][1]["type"]),
        (&json!("string"), &json!("number"))
    );
    assert_eq!(world.call("create", json!([{ "name": "made" }]))[0]["id"], made[0]["id"]);
    assert_eq!(world.call("list", json!([{ "name": "MAD" }]))[0]["name"], "made");
    assert_eq!(
        world.call("update", json!([{ "name": "made", "to": "renamed" }])),
        json!([{ "success": true, "name": "renamed" }])
    );
    assert_eq!(
        world.call("clear", json!([{ "name": "renamed" }])),
        json!([{ "success": true, "deletedCount": 0 }])
    );
    assert_eq!(
        world.call("delete", json!([{ "name": "renamed" }]))[0]["deletedTableId"],
        made[0]["id"]
    );
    assert_eq!(
        world.server.api("GET", "/data-tables", None).json()["data"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn the_command_line_uses_the_tables_of_the_data_folder() {
    let world = TableHarness::new("table-run", &[]);
    // An id of another instance: the name that it was shown under tells which table is meant.
    let foreign = json!({ "__rl": true, "mode": "list", "value": "JUMxTSmCj7f9d2eb", "cachedResultName": "people" });
    let columns = json!({ "mappingMode": "defineBelow", "value": { "firstName": "by hand" } });
    let insert =
        node("Insert", "dataTable", 1.0, json!({ "dataTableId": foreign, "columns": columns }));
    let flow = row("hand", &[node("Start", "manualTrigger", 1.0, json!({})), insert]);
    let file = world.data.write_json("hand", &flow);
    let told = heddle(&world.data.0, &["run", file.to_str().unwrap()]);
    assert!(told.contains("by hand"), "{told}");
    assert_eq!(world.rows()[0]["firstName"], "by hand", "the server sees it at once");
    let nowhere = TempFolder::new("table-nowhere");
    let empty = nowhere.0.join("none");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_heddle"));
    let output =
        command.args(["run", file.to_str().unwrap()]).env("HEDDLE_DATA", &empty).output().unwrap();
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("TABLE_NOT_FOUND"),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!empty.exists(), "a run makes no data folder");
}

#[test]
fn a_table_that_is_full_says_so_with_its_limit() {
    let data = TempFolder::new("table-full");
    import(&data, "insert", &over_items("insert", insert_node()));
    let server = Server::start(&data.0, &[("HEDDLE_TABLE_BYTES", "1KB")]);
    let made = server
        .api(
            "POST",
            "/data-tables",
            Some(&json!({ "name": "people", "columns": benchmark_columns() })),
        )
        .json();
    let body = json!({ "dataTableId": made["id"], "items": people(100) });
    assert_eq!(server.call("POST", "/webhook/insert", Some(&body)).status, 500);
    let error = server.executions()[0]["data"]["resultData"]["error"].to_string();
    assert!(error.contains("TABLE_LIMIT") && error.contains("1024"), "{error}");
}

#[test]
fn the_n8n_node_manages_the_instance_it_runs_on() {
    let data = TempFolder::new("n8n-node");
    let with = |path: &str, parameters: Value| {
        let mut under_test = node("n8n", "n8n", 1.0, parameters);
        under_test["credentials"] = json!({ "n8nApi": { "id": "own", "name": "n8n" } });
        (path.to_owned(), over_items(path, under_test))
    };
    // Workflows keep only credentials that are there before them.
    let keep = |fields: Value| {
        let file = data.0.join("credential.json");
        std::fs::write(
            &file,
            json!([{ "id": "own", "name": "n8n", "type": "n8nApi", "data": fields }]).to_string(),
        )
        .unwrap();
        heddle(&data.0, &["credentials", "import", file.to_str().unwrap()]);
    };
    keep(json!({}));
    let id = json!({ "mode": "id", "value": "={{ $json.id }}" });
    let document = "={{ JSON.stringify({ name: $json.name, nodes: [], connections: {}, settings: {}, active: true }) }}";
    for (path, document) in [
        with("list", json!({ "filters": {} })),
        with("create", json!({ "operation": "create", "workflowObject": document })),
        with("get", json!({ "operation": "get", "workflowId": id })),
        with("delete", json!({ "operation": "delete", "workflowId": id })),
        with(
            "runs",
            json!({ "resource": "execution", "operation": "getAll", "limit": 1, "filters": { "status": "success" } }),
        ),
        with(
            "schema",
            json!({ "resource": "credential", "operation": "getSchema", "credentialTypeName": "httpBearerAuth" }),
        ),
        with("audit", json!({ "resource": "audit", "operation": "generate" })),
    ] {
        import(&data, &path, &document);
    }
    let call = |server: &Server, path: &str, items: Value| {
        let reply =
            server.call("POST", &format!("/webhook/{path}"), Some(&json!({ "items": items })));
        (reply.status, reply.text())
    };
    let key = heddle(&data.0, &["api-keys", "create"]).trim().to_owned();
    let open = |server: &Server| {
        keep(json!({ "apiKey": key, "baseUrl": format!("http://{}/api/v1", server.address) }));
    };
    let closed = Server::start(&data.0, &[]);
    open(&closed);
    assert_eq!(call(&closed, "list", json!([{}])).0, 500);
    let error = closed.executions()[0]["data"]["resultData"]["error"].to_string();
    assert!(error.contains("EGRESS_BLOCKED") && error.contains("HEDDLE_EGRESS_ALLOW"), "{error}");
    closed.stop();
    let server = Server::start(&data.0, &[("HEDDLE_EGRESS_ALLOW", "127.0.0.1")]);
    open(&server);
    let json_of = |path: &str, items: Value| -> Value {
        let (status, text) = call(&server, path, items);
        assert_eq!(status, 200, "{path}: {text}");
        serde_json::from_str(&text).unwrap()
    };
    assert_eq!(json_of("list", json!([{}])).as_array().unwrap().len(), 7);
    let made = json_of("create", json!([{ "name": "made by a node" }]));
    assert_eq!((&made[0]["name"], &made[0]["active"]), (&json!("made by a node"), &json!(false)));
    assert_eq!(json_of("get", json!([{ "id": made[0]["id"] }]))[0]["name"], "made by a node");
    json_of("delete", json!([{ "id": made[0]["id"] }]));
    assert_eq!(call(&server, "get", json!([{ "id": made[0]["id"] }])).0, 500);
    assert_eq!(json_of("runs", json!([{}])).as_array().unwrap().len(), 1);
    assert!(json_of("schema", json!([{}]))[0]["properties"]["token"].is_object());
    assert!(json_of("audit", json!([{}]))[0].is_object());
    let seen = server.executions().iter().map(Value::to_string).collect::<String>();
    assert!(!seen.contains(&key), "the key is in no record");
}

/// Calls an address with numbers, as fast as they are answered, and writes down those that were
/// accepted.
fn insist(
    address: Arc<Mutex<String>>,
    next: Arc<AtomicU64>,
    accepted: Arc<Mutex<Vec<u64>>>,
    stop: Arc<AtomicBool>,
) {
    while !stop.load(Ordering::Relaxed) {
        let id = next.fetch_add(1, Ordering::Relaxed);
        let server = address.lock().unwrap().clone();
        let body = json!({ "id": id }).to_string();
        match request(
            &server,
            "POST",
            "/webhook/note",
            &[("content-type", "application/json")],
            body.as_bytes(),
        ) {
            Ok(reply) if reply.status == 200 => accepted.lock().unwrap().push(id),
            Ok(_) | Err(_) => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

#[test]
fn a_row_is_inserted_once_or_somebody_is_asked() {
    const CRASHES: usize = 5;
    let data = TempFolder::new("table-crash");
    let columns =
        json!({ "mappingMode": "defineBelow", "value": { "age": "={{ $json.body.id }}" } });
    let insert =
        json!({ "dataTableId": { "mode": "name", "value": "people" }, "columns": columns });
    let webhook = json!({ "httpMethod": "POST", "path": "note", "options": {} });
    let flow = row(
        "note",
        &[node("Webhook", "webhook", 2.0, webhook), node("Insert", "dataTable", 1.1, insert)],
    );
    import(&data, "note", &flow);
    let quiet = [("HEDDLE_LOG", "off")];
    let mut server = Server::start(&data.0, &quiet);
    let table = server
        .api(
            "POST",
            "/data-tables",
            Some(&json!({ "name": "people", "columns": benchmark_columns() })),
        )
        .json();
    let address = Arc::new(Mutex::new(server.address.clone()));
    let (next, stop) = (Arc::new(AtomicU64::new(1)), Arc::new(AtomicBool::new(false)));
    let accepted = Arc::<Mutex<Vec<u64>>>::default();
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (address, next, accepted, stop) =
                (address.clone(), next.clone(), accepted.clone(), stop.clone());
            std::thread::spawn(move || insist(address, next, accepted, stop))
        })
        .collect();
    for crash in 0..CRASHES {
        std::thread::sleep(Duration::from_millis(60 + 37 * crash as u64));
        server.kill();
        server = Server::start(&data.0, &quiet);
        *address.lock().unwrap() = server.address.clone();
    }
    wait_until("there is some load", || accepted.lock().unwrap().len() > 20);
    stop.store(true, Ordering::Relaxed);
    callers.into_iter().for_each(|caller| caller.join().unwrap());
    let is_settled =
        |run: &Value| !matches!(run["status"].as_str(), Some("running" | "new" | "waiting"));
    wait_until("every run is over", || server.executions().iter().all(is_settled));
    let uncertain = server.executions().iter().filter(|run| run["status"] == "uncertain").count();
    let path = format!("/data-tables/{}/rows/csv", table["id"].as_str().unwrap());
    let csv = server.api("GET", &path, None).text();
    let mut rows: Vec<u64> =
        csv.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().parse().unwrap()).collect();
    let count = rows.len();
    rows.sort_unstable();
    rows.dedup();
    assert_eq!(rows.len(), count, "a row was inserted twice");
    let lost = accepted.lock().unwrap().iter().filter(|id| rows.binary_search(id).is_err()).count();
    assert!(
        lost <= uncertain,
        "{lost} rows are missing, and only {uncertain} executions say that they are uncertain"
    );
}
