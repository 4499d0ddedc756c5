//! The database tool against real servers: what a model writes is run, and without leave nothing that it writes changes anything.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may stop it")]

mod servers;

use heddle_nodes::integrations::DatabaseTool;
use model::{Object, Value, json};
use node_api::ai::{Effect, Supply, Tool, ToolCallContext};
use node_api::testing::TestHost;
use node_api::{NodeInfo, Supplier, SupplyCtx};
use providers::connect::GuardedConnections;
use providers::http::Policy;
use servers::PASSWORD;
use std::sync::Arc;

#[derive(Clone, Copy)]
enum Kind {
    Postgres,
    MariaDb,
}

async fn tool(kind: Kind, port: u16, access: &str) -> Arc<dyn Tool> {
    let (server, credential) = match kind {
        Kind::Postgres => ("postgres", json!({ "host": "127.0.0.1", "database": "postgres", "user": "postgres", "password": PASSWORD })),
        Kind::MariaDb => ("mySql", json!({ "host": "127.0.0.1", "database": "test", "user": "heddle", "password": PASSWORD })),
    };
    let mut host = TestHost::new(&DatabaseTool::spec(), 1.0, &json!({ "server": server, "access": access, "maxRows": 2 }));
    host.connections = Arc::new(GuardedConnections::new(Policy::parse("127.0.0.1").unwrap()));
    let mut credential = credential;
    credential.make_object().insert("port", port);
    host.credentials.insert(server, credential);
    let supply = DatabaseTool::supply(SupplyCtx::new(NodeInfo::default(), Arc::new(host), Vec::new(), 0, 0)).await.unwrap();
    let Supply::Tools(tools) = supply else { panic!("no tool") };
    tools[0].clone()
}

async fn ask(tool: &Arc<dyn Tool>, query: &str, parameters: Value) -> Result<Value, String> {
    let arguments = Object::from_iter([("query", Value::from(query)), ("parameters", parameters)]);
    tool.call(arguments, &ToolCallContext::default()).await.map(|answer| answer.content).map_err(|failure| failure.to_string())
}

async fn a_reader_reads_and_no_more(kind: Kind, port: u16, placeholder: &str) {
    let (writer, reader) = (tool(kind, port, "readWrite").await, tool(kind, port, "readOnly").await);
    assert_eq!((writer.definition().effect, reader.definition().effect), (Effect::Changes, Effect::None));
    let none = || json!([]);
    ask(&writer, "drop table if exists tool_t", none()).await.unwrap();
    ask(&writer, "create table tool_t (n int)", none()).await.unwrap();
    let inserted = ask(&writer, "insert into tool_t values (1), (2), (3)", none()).await.unwrap();
    assert_eq!(inserted.get("affected"), Some(&json!(3)));
    let found = ask(&reader, &format!("select n from tool_t where n > {placeholder} order by n"), json!([0])).await.unwrap();
    assert_eq!(found, json!({ "rows": [{ "n": 1 }, { "n": 2 }], "rowCount": 3, "notShown": 1 }));
    for statement in ["delete from tool_t", "select 1; delete from tool_t", "with x as (delete from tool_t returning n) select * from x"] {
        let told = ask(&reader, statement, none()).await.unwrap_err();
        assert!(told.starts_with("Only one statement that reads may be run here"), "{told}");
    }
    assert!(ask(&reader, "select nothing from nowhere", none()).await.is_err());
    assert_eq!(ask(&reader, "select count(*) as c from tool_t", none()).await.unwrap().get_path("rowCount"), Some(&json!(1)));
}

#[tokio::test]
async fn postgres_is_only_read() {
    let server = servers::postgres();
    a_reader_reads_and_no_more(Kind::Postgres, server.port, "$1").await;
    // A function is nothing that a look at the statement finds; the transaction holds it.
    let (writer, reader) = (tool(Kind::Postgres, server.port, "readWrite").await, tool(Kind::Postgres, server.port, "readOnly").await);
    let function = "create or replace function tool_wipe() returns int language sql as 'delete from tool_t; select 1'";
    ask(&writer, function, json!([])).await.unwrap();
    let told = ask(&reader, "select tool_wipe()", json!([])).await.unwrap_err();
    assert!(told.contains("read-only transaction"), "{told}");
}

#[tokio::test]
async fn mariadb_is_only_read() {
    let server = servers::mariadb();
    a_reader_reads_and_no_more(Kind::MariaDb, server.port, "?").await;
}
