//! The official servers, which `cargo xtask mcp-servers` installs.

use super::{File, servers};
use model::{Object, Value, json};
use node_api::mcp::{
    McpConnection, McpContent, McpEndpoint, McpListKind, McpServers as _, McpTarget, McpToolResult,
    McpTransport, NoMcpPins,
};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use testkit::TempFolder;

/// A program of an npm package, run by Node.js.
fn npm(package: &str, arguments: &[&str]) -> Option<Value> {
    let script = testkit::mcp_server(&format!(
        "npm/node_modules/@modelcontextprotocol/{package}/dist/index.js"
    ))?;
    let path = script.to_str().unwrap().to_owned();
    let mut args = vec![Value::from(path)];
    args.extend(arguments.iter().map(|argument| Value::from(*argument)));
    Some(Object::from_iter([("command", Value::from("node")), ("args", Value::array(args))]).into())
}

fn python(program: &str, arguments: &[&str]) -> Option<Value> {
    // The database server needs the first line of the SDK.
    let folder = if program == "mcp-server-sqlite" { "python-mcp1" } else { "python" };
    let path = testkit::mcp_server(&format!("{folder}/bin/{program}"))?;
    let args = arguments.iter().map(|argument| Value::from(*argument)).collect();
    let command = path.to_str().unwrap().to_owned();
    Some(
        Object::from_iter([("command", Value::from(command)), ("args", Value::array(args))]).into(),
    )
}

async fn connected(entry: Value) -> Arc<dyn McpConnection> {
    super::connected(entry).await
}

async fn call(connection: &Arc<dyn McpConnection>, tool: &str, arguments: Value) -> McpToolResult {
    let arguments = arguments.as_object().unwrap().clone();
    let result = connection.call_tool(tool, &arguments, None).await.unwrap();
    assert!(!result.is_error, "{tool}: {result:?}");
    result
}

fn text(result: &McpToolResult) -> &str {
    match &result.content[0] {
        McpContent::Text(text) => text,
        other => panic!("no text: {other:?}"),
    }
}

/// Everything that server-everything offers, whatever the transport.
async fn uses_everything(connection: Arc<dyn McpConnection>) {
    let tools = connection.tools().await.unwrap();
    assert!(tools.len() > 5, "{}", tools.len());
    let echo = call(&connection, "echo", json!({ "message": "hello" })).await;
    assert!(text(&echo).contains("hello"));
    let sum = call(&connection, "get-sum", json!({ "a": 2, "b": 40 })).await;
    assert!(text(&sum).contains("42"), "{sum:?}");
    let image = call(&connection, "get-tiny-image", json!({})).await;
    assert!(
        image
            .content
            .iter()
            .any(|part| matches!(part, McpContent::Image(file) if !file.bytes.is_empty()))
    );
    let weather =
        call(&connection, "get-structured-content", json!({ "location": "New York" })).await;
    assert!(weather.structured.is_some_and(|value| value.get("temperature").is_some()));
    let resources = connection.list(McpListKind::Resources).await.unwrap();
    let uri = resources[0].get("uri").and_then(Value::as_str).unwrap().to_owned();
    assert_eq!(connection.read_resource(&uri).await.unwrap()[0].uri, uri.as_str());
    assert!(!connection.list(McpListKind::ResourceTemplates).await.unwrap().is_empty());
    let prompts = connection.list(McpListKind::Prompts).await.unwrap();
    let name = prompts[0].get("name").and_then(Value::as_str).unwrap();
    let prompt = connection.prompt(name, &Object::new()).await.unwrap();
    assert!(!prompt.get("messages").and_then(Value::as_array).unwrap().is_empty());
}

#[tokio::test]
async fn everything_is_used_over_standard_input_and_output() {
    let Some(entry) = npm("server-everything", &["stdio"]) else { return };
    uses_everything(connected(entry).await).await;
}

/// The server in one of its HTTP modes, killed when it is dropped.
struct Served(Child, String);

impl Served {
    fn start(mode: &str, path: &str) -> Option<Self> {
        let package = "npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
        let script: PathBuf = testkit::mcp_server(package)?;
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut child = Command::new("node")
            .arg(script)
            .arg(mode)
            .env("PORT", port.to_string())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // It says on standard error when it listens.
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(&port.to_string())));
        std::thread::spawn(move || lines.for_each(drop));
        Some(Self(child, format!("http://127.0.0.1:{port}{path}")))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn everything_is_used_over_http_and_over_server_sent_events() {
    for (mode, path, transport) in
        [("streamableHttp", "/mcp", McpTransport::Http), ("sse", "/sse", McpTransport::Sse)]
    {
        let Some(server) = Served::start(mode, path) else { return };
        let endpoint = McpEndpoint { transport, ..super::http::endpoint(&server.1, "127.0.0.1") };
        let servers = servers(&File::default(), Arc::new(NoMcpPins));
        let connection = servers.connect(McpTarget::Remote(Box::new(endpoint))).await.unwrap();
        uses_everything(connection).await;
    }
}

#[tokio::test]
async fn files_are_read_and_written() {
    let folder = TempFolder::new("mcp-files");
    let root = folder.0.to_str().unwrap();
    let Some(entry) = npm("server-filesystem", &[root]) else { return };
    let connection = connected(entry).await;
    let path = format!("{root}/note.txt");
    call(&connection, "write_file", json!({ "path": (path.clone()), "content": "hi" })).await;
    let read = call(&connection, "read_text_file", json!({ "path": (path.clone()) })).await;
    assert_eq!(text(&read), "hi");
    let outside = json!({ "path": "/etc/passwd" });
    let arguments = outside.as_object().unwrap().clone();
    assert!(connection.call_tool("read_text_file", &arguments, None).await.unwrap().is_error);
}

#[tokio::test]
async fn a_knowledge_graph_is_remembered() {
    let folder = TempFolder::new("mcp-memory");
    let Some(mut entry) = npm("server-memory", &[]) else { return };
    let file = folder.0.join("memory.jsonl");
    entry.set_path("env.MEMORY_FILE_PATH", file.to_str().unwrap());
    let connection = connected(entry).await;
    let entity = json!({ "entities": [{ "name": "Ada", "entityType": "person", "observations": ["likes tea"] }] });
    call(&connection, "create_entities", entity).await;
    let found = call(&connection, "search_nodes", json!({ "query": "tea" })).await;
    assert!(text(&found).contains("Ada"));
}

#[tokio::test]
async fn the_time_is_converted() {
    let Some(entry) = python("mcp-server-time", &["--local-timezone", "UTC"]) else { return };
    let connection = connected(entry).await;
    let question =
        json!({ "source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo" });
    let answer = call(&connection, "convert_time", question).await;
    assert!(text(&answer).contains("21:00"), "{answer:?}");
}

#[tokio::test]
async fn a_database_is_queried() {
    let folder = TempFolder::new("mcp-sqlite");
    let path = folder.0.join("test.db");
    let Some(entry) = python("mcp-server-sqlite", &["--db-path", path.to_str().unwrap()]) else {
        return;
    };
    let connection = connected(entry).await;
    call(&connection, "create_table", json!({ "query": "CREATE TABLE words (word TEXT)" })).await;
    call(&connection, "write_query", json!({ "query": "INSERT INTO words VALUES ('hello')" }))
        .await;
    let rows = call(&connection, "read_query", json!({ "query": "SELECT * FROM words" })).await;
    assert!(text(&rows).contains("hello"));
}

#[tokio::test]
async fn a_page_is_fetched_from_this_machine() {
    let page = testkit::FakeHttp::fixed(testkit::FakeResponse::text("a page of words"));
    let Some(entry) = python("mcp-server-fetch", &["--ignore-robots-txt", "--allow-private-ips"])
    else {
        return;
    };
    let connection = connected(entry).await;
    let fetched = call(&connection, "fetch", json!({ "url": (page.url("/")) })).await;
    assert!(text(&fetched).contains("a page of words"), "{fetched:?}");
}
