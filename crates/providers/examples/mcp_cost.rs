//! What a call of an MCP tool costs in processor time through our client, against the bare client
//! library: the same server, process and number of calls.
//!
//! `cargo run --release --example mcp_cost [CALLS]`

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for developers")]

use model::{Object, Str, Value, json};
use node_api::mcp::{McpServers as _, McpTarget, NoMcpPins};
use providers::http::{EgressPolicy, GuardedHttp};
use providers::mcp::{ConfigSource, Servers};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use std::process::Stdio;
use std::sync::{Arc, Mutex};

extern crate heddle_providers as providers;

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema = serde_json::json!({ "type": "object" }).as_object().unwrap().clone();
        Ok(ListToolsResult::with_all_items(vec![Tool::new("echo", "Echo", Arc::new(schema))]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let words = serde_json::to_string(&call.arguments).unwrap();
        Ok(CallToolResult::success(vec![ContentBlock::text(words)]).into())
    }
}

struct File(Mutex<Option<String>>);

impl ConfigSource for File {
    fn changed_text(&self) -> Option<String> {
        self.0.lock().unwrap().take()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let argument = std::env::args().nth(1).unwrap_or_default();
    if argument == "server" {
        let pipes = rmcp::transport::stdio();
        Echo.serve(pipes).await.unwrap().waiting().await.unwrap();
        return;
    }
    let calls: usize = argument.parse().unwrap_or(5000);
    let arguments = json!({ "text": "some words for the tool", "numbers": [1, 2, 3] });
    let arguments = arguments.as_object().unwrap().clone();
    let (bare_client, our_client) = (bare().await, ours().await);
    let raw = serde_json::to_value(&arguments).unwrap().as_object().unwrap().clone();
    let (mut bare_ms, mut our_ms) = (0, 0);
    for round in 0..6 {
        let began = cpu_ms();
        for _ in 0..calls {
            let call = CallToolRequestParams::new("echo").with_arguments(raw.clone());
            bare_client.peer().call_tool_once(call).await.unwrap();
        }
        let between = cpu_ms();
        for _ in 0..calls {
            our_client.call_tool("echo", &arguments, None).await.unwrap();
        }
        // The first round warms up.
        if round > 0 {
            bare_ms += between - began;
            our_ms += cpu_ms() - between;
        }
    }
    let per_call = |total: u64| total as f64 * 1000.0 / (calls * 5) as f64;
    println!("bare rmcp: {:.1} µs CPU per call", per_call(bare_ms));
    println!("heddle:    {:.1} µs CPU per call", per_call(our_ms));
    println!("ratio:     {:.2}", our_ms as f64 / bare_ms as f64);
}

fn program() -> String {
    std::env::current_exe().unwrap().to_str().unwrap().to_owned()
}

async fn bare() -> rmcp::service::RunningService<rmcp::RoleClient, ()> {
    let mut child = tokio::process::Command::new(program())
        .arg("server")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let pipes = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    ().serve(pipes).await.unwrap()
}

async fn ours() -> Arc<dyn node_api::mcp::McpConnection> {
    let entry = Object::from_iter([
        ("command", Value::from(program())),
        ("args", Value::array(vec!["server".into()])),
    ]);
    let servers = Object::from_iter([("echo", Value::from(entry))]);
    let file = Object::from_iter([("mcpServers", Value::from(servers))]);
    let source = File(Mutex::new(Some(model::json::to_string(&file.into()))));
    let http = |_: &url::Url| -> Result<Arc<dyn node_api::http::Http>, String> {
        Ok(Arc::new(GuardedHttp::new(EgressPolicy::parse("").unwrap())))
    };
    let servers = Servers::new(Box::new(source), Box::new(http), Arc::new(NoMcpPins));
    servers.connect(McpTarget::Named(Str::from("echo"))).await.unwrap()
}

/// Processor time of this process so far.
fn cpu_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()) * 10
}
