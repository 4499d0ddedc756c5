//! The MCP client against real servers: a process and an HTTP server that misbehave, and the
//! official ones.

mod hostile;
mod http;
mod official;

use model::{Object, Str, Value};
use node_api::mcp::{
    McpConnection, McpError, McpPinState, McpPins, McpServers as _, McpTarget, McpToolDefinition,
    NoMcpPins,
};
use providers::http::{EgressPolicy, GuardedHttp};
use providers::mcp::{ConfigSource, Servers};
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// The operator's file, which a test may change.
#[derive(Clone, Default)]
pub(super) struct File(Arc<Mutex<Option<String>>>);

impl ConfigSource for File {
    fn changed_text(&self) -> Option<String> {
        self.0.lock().unwrap().take()
    }
}

impl File {
    pub(super) fn of(servers: &Value) -> Self {
        let file = Self::default();
        file.change(servers);
        file
    }

    pub(super) fn change(&self, servers: &Value) {
        let text = model::json::to_string(&model::json!({ "mcpServers": {} }));
        let text = text.replace("{}", &model::json::to_string(servers));
        *self.0.lock().unwrap() = Some(text);
    }
}

/// Pins in memory: the first list of a server is approved.
#[derive(Default)]
pub(super) struct MemoryPins(Mutex<HashMap<Str, HashMap<Str, Str>>>);

#[async_trait::async_trait]
impl McpPins for MemoryPins {
    async fn compare(
        &self,
        server: &str,
        listed: Vec<McpToolDefinition>,
    ) -> Result<Vec<McpPinState>, McpError> {
        let mut servers = self.0.lock().unwrap();
        let is_first = !servers.contains_key(server);
        let known = servers.entry(server.into()).or_default();
        Ok(listed
            .into_iter()
            .map(|tool| match known.get(&tool.name) {
                Some(digest) if *digest == tool.digest => McpPinState::Approved,
                Some(_) => McpPinState::Changed,
                None if is_first => {
                    known.insert(tool.name, tool.digest);
                    McpPinState::Approved
                }
                None => McpPinState::New,
            })
            .collect())
    }
}

pub(super) fn servers(file: &File, pins: Arc<dyn McpPins>) -> Servers {
    let http = |_: &url::Url| -> Result<Arc<dyn node_api::http::Http>, String> {
        let policy = EgressPolicy::parse("127.0.0.1").unwrap();
        Ok(Arc::new(GuardedHttp::new(policy)))
    };
    Servers::new(Box::new(file.clone()), Box::new(http), pins)
}

/// The entry of the fixture in a mode.
pub(super) fn fixture(mode: &str, folder: &Path) -> Value {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/integration/mcp/server.py");
    Object::from_iter([
        ("command", Value::from("python3")),
        ("args", Value::array(vec![script.into(), mode.into()])),
        ("cwd", folder.to_str().unwrap().into()),
    ])
    .into()
}

pub(super) async fn connected(entry: Value) -> Arc<dyn McpConnection> {
    let file = File::of(&Object::from_iter([("fixture", entry)]).into());
    named(&servers(&file, Arc::new(NoMcpPins))).await.unwrap()
}

pub(super) async fn named(servers: &Servers) -> Result<Arc<dyn McpConnection>, McpError> {
    servers.connect(McpTarget::Named("fixture".into())).await
}

pub(super) fn numbers() -> Object {
    Object::from_iter([("a", Value::from(2)), ("b", Value::from(3))])
}
