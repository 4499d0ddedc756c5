//! The database tool against real servers: what a model writes is run, and without leave nothing
//! that it writes changes anything.

mod mariadb;
mod postgres;
#[path = "../../../../../fuzz/src/read_only_sql.rs"]
mod property;

use heddle_nodes::integrations::DatabaseTool;
use model::{Object, Value, json};
use node_api::ai::{Supply, Tool, ToolCallContext, ToolEffect};
use node_api::connect::{Connections as _, Dialect, ReadLimits, SqlServer};
use node_api::{NodeInfo, Supplier, SupplyCtx};
use node_testing::TestHost;
use providers::connect::GuardedConnections;
use providers::http::EgressPolicy;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::services::PASSWORD;

const LIMITS: ReadLimits = ReadLimits { rows: 100, bytes: 1 << 20, time_ms: 10_000 };

#[derive(Clone, Copy)]
enum DatabaseKind {
    Postgres,
    MariaDb,
}

impl DatabaseKind {
    /// The most powerful user of the server: what does not help against that one is no help.
    fn server(self, port: u16) -> SqlServer {
        match self {
            DatabaseKind::Postgres => property::server(
                Dialect::Postgres,
                "127.0.0.1",
                port,
                "postgres",
                PASSWORD,
                "postgres",
            ),
            DatabaseKind::MariaDb => {
                property::server(Dialect::MySql, "127.0.0.1", port, "admin", PASSWORD, "test")
            }
        }
    }
}

fn connections() -> Arc<GuardedConnections> {
    Arc::new(GuardedConnections::new(EgressPolicy::parse("127.0.0.1").unwrap()))
}

async fn tool(kind: DatabaseKind, port: u16, access: &str) -> Arc<dyn Tool> {
    let server = kind.server(port);
    let name = if matches!(kind, DatabaseKind::Postgres) { "postgres" } else { "mySql" };
    let mut host = TestHost::new(
        &DatabaseTool::spec(),
        1.0,
        &json!({ "server": name, "access": access, "maxRows": 2 }),
    );
    host.connections = connections();
    let credential = json!({ "host": "127.0.0.1", "port": port, "database": server.database, "user": server.server.user, "password": PASSWORD });
    host.credentials.insert(name, credential);
    let supply =
        DatabaseTool::supply(SupplyCtx::new(NodeInfo::default(), Arc::new(host), Vec::new(), 0, 0))
            .await
            .unwrap();
    let Supply::Tools(tools) = supply else { panic!("no tool") };
    tools[0].clone()
}

async fn ask(tool: &Arc<dyn Tool>, query: &str, parameters: Value) -> Result<Value, String> {
    let arguments = Object::from_iter([("query", Value::from(query)), ("parameters", parameters)]);
    tool.call(arguments, &ToolCallContext::default())
        .await
        .map(|answer| answer.content)
        .map_err(|failure| failure.to_string())
}

async fn a_reader_reads_and_no_more(kind: DatabaseKind, port: u16, placeholder: &str) {
    let (writer, reader) =
        (tool(kind, port, "readWrite").await, tool(kind, port, "readOnly").await);
    let none = || json!([]);
    ask(&writer, "drop table if exists tool_t", none()).await.unwrap();
    ask(&writer, "create table tool_t (n int)", none()).await.unwrap();
    let inserted = ask(&writer, "insert into tool_t values (1), (2), (3)", none()).await.unwrap();
    assert_eq!(inserted.get("affected"), Some(&json!(3)));
    let found = ask(
        &reader,
        &format!("select n from tool_t where n > {placeholder} order by n"),
        json!([0]),
    )
    .await
    .unwrap();
    assert_eq!(found, json!({ "rows": [{ "n": 1 }, { "n": 2 }], "rowCount": 2, "hasMore": true }));
    let told = ask(&reader, "delete from tool_t", none()).await.unwrap_err();
    assert!(
        told.starts_with("Only a single statement that returns rows is allowed here")
            || told.contains("READ ONLY transaction"),
        "{told}"
    );
    assert!(ask(&reader, "select nothing from nowhere", none()).await.is_err());
    for statement in [
        "select count(*) as c from tool_t;",
        "/* all */ select 1 -- one",
        "explain select * from tool_t",
        "with a as (select 1) select * from a",
    ] {
        assert!(ask(&reader, statement, none()).await.is_ok(), "{statement}");
    }
}

/// Rows that never end are not all read, rows that are too large are not read at all, and nobody
/// sleeps for ever.
async fn little_is_read(
    kind: DatabaseKind,
    port: u16,
    endless: &[&str],
    large: &[&str],
    sleeping: &str,
) {
    let reader = tool(kind, port, "readOnly").await;
    for statement in endless {
        let began = Instant::now();
        let found = ask(&reader, statement, json!([]))
            .await
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
        assert_eq!(
            (found.get("rowCount"), found.get("hasMore")),
            (Some(&json!(2)), Some(&json!(true))),
            "{statement}"
        );
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "{statement} took {:?}",
            began.elapsed()
        );
    }
    for statement in large {
        let Err(told) = ask(&reader, statement, json!([])).await else {
            panic!("{statement} was read")
        };
        assert!(told.contains("exceeds the limit of"), "{statement}: {told}");
    }
    let (connections, server) = (connections(), kind.server(port));
    let short = ReadLimits { time_ms: 500, ..LIMITS };
    let began = Instant::now();
    let _ = connections.read_sql(&server, sleeping, &[], short).await;
    assert!(began.elapsed() < Duration::from_secs(60), "{sleeping} took {:?}", began.elapsed());
    // What all rows hold together counts, too, also where every single one is small.
    let few_bytes = ReadLimits { rows: 1_000_000, bytes: 1 << 20, time_ms: 20_000 };
    for statement in endless {
        let told = connections.read_sql(&server, statement, &[], few_bytes).await;
        assert!(
            matches!(told, Err(node_api::connect::ConnectError::TooLarge { limit }) if limit == 1 << 20),
            "{statement}: {told:?}"
        );
    }
}

/// Runs statements that want to change something, and looks after each whether one did.
async fn nothing_is_changed(
    kind: DatabaseKind,
    port: u16,
    setup: &[&str],
    state: &str,
    hostile: &[&str],
) {
    assert!(hostile.len() >= 40, "{}", hostile.len());
    let connections = connections();
    let server = kind.server(port);
    let mut session = connections.sql(&server).await.unwrap();
    for statement in setup {
        session.run(statement, &[]).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
    let rows = |results: Vec<node_api::connect::SqlResult>| {
        results.into_iter().flat_map(|result| result.rows).collect::<Vec<_>>()
    };
    let before = rows(session.run(state, &[]).await.unwrap());
    assert!(!before.is_empty());
    let reader = tool(kind, port, "readOnly").await;
    for statement in hostile {
        let told = ask(&reader, statement, json!([])).await;
        let after = rows(session.run(state, &[]).await.unwrap());
        assert_eq!(after, before, "{statement:?} changed something: {told:?}");
        // With a value bound it goes another way in some clients.
        let _ = ask(&reader, statement, json!([1])).await;
        assert_eq!(
            rows(session.run(state, &[]).await.unwrap()),
            before,
            "{statement:?} with a value changed something"
        );
    }
    // A session that another call has left cannot reach the next one.
    let read = connections
        .read_sql(&server, "SELECT amount FROM ledger ORDER BY id", &[], LIMITS)
        .await
        .unwrap();
    assert_eq!(read.rows.len(), 2);
}

#[tokio::test]
async fn issue_14_04_a_tool_that_reads_counts_as_one_that_may_change_something() {
    for access in ["readOnly", "readWrite"] {
        assert_eq!(
            tool(DatabaseKind::Postgres, 1, access).await.definition().effect,
            ToolEffect::Changes
        );
    }
}

/// The property of the fuzz target on texts of its kind.
async fn random_statements_change_nothing(kind: DatabaseKind, port: u16) {
    let connections = connections();
    let server = kind.server(port);
    let words = [
        "SELECT 1",
        ";",
        "DELETE FROM ledger",
        "COMMIT",
        "'",
        "\"",
        "--",
        "\n",
        "\r",
        "/*",
        "*/",
        "$$",
        "E'\\'",
        "BEGIN",
        "DO",
        "CALL wipe()",
        "SET",
        "ROLLBACK",
        "#",
        "`",
        "UPDATE ledger SET amount = 0",
        "/*!",
        "\u{a0}",
        "(",
        ")",
        "WITH x AS",
        "RETURNING id",
        "EXPLAIN ANALYZE",
    ];
    let mut seed = 14_u64;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % most
    };
    for _ in 0..60 {
        let text: Vec<&str> = (0..=next(8)).map(|_| words[next(words.len())]).collect();
        property::holds(
            connections.as_ref(),
            &server,
            &text.join(if next(2) == 0 { " " } else { "" }),
        )
        .await;
    }
}
