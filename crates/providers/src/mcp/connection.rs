//! A connection as nodes have it: lists and calls, and the pinned definitions between them.

use super::convert;
use super::definition::definitions;
use super::limits::{LIST_TIMEOUT, MAX_LISTED, MAX_PAGES, MAX_TOOLS};
use super::session::Session;
use model::{Object, Str, Value};
use node_api::mcp::{
    McpConnection, McpError, McpListKind, McpPinState, McpPins, McpProgressSink, McpResource,
    McpServerInfo, McpTool, McpToolResult,
};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequest,
    GetPromptRequestParams, JsonObject, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, ListToolsRequest, PaginatedRequestParams, ReadResourceRequest,
    ReadResourceRequestParams, ServerResult, Tool,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

pub(super) struct Connection {
    pub(super) session: Arc<Session>,
    pub(super) info: McpServerInfo,
    pub(super) pins: Arc<dyn McpPins>,
    pub(super) call_timeout: Duration,
    pub(super) allowed_tools: Option<Vec<Str>>,
    pub(super) known: Mutex<Option<KnownTools>>,
}

/// The list as it was after so many changes.
pub(super) struct KnownTools {
    changes: u64,
    tools: Arc<Vec<McpTool>>,
}

impl Connection {
    /// All pages of a list. Every server has its own idea of how long one is.
    async fn pages<T>(
        &self,
        what: &'static str,
        limit: usize,
        request: impl Fn(Option<PaginatedRequestParams>) -> ClientRequest,
        page: impl Fn(ServerResult) -> Option<(Vec<T>, Option<String>)>,
    ) -> Result<Vec<T>, McpError> {
        let mut listed = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let params = cursor
                .take()
                .map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
            let answer = self.session.ask(what, request(params), LIST_TIMEOUT, None).await?;
            let Some((items, next)) = page(answer) else {
                let reason = format!("its answer to '{what}' is no list").into();
                return Err(McpError::Protocol { server: self.server(), reason });
            };
            listed.extend(items);
            if listed.len() > limit {
                return Err(McpError::Limit { server: self.server(), what, limit });
            }
            match next.filter(|next| !next.is_empty()) {
                Some(next) => cursor = Some(next),
                None => return Ok(listed),
            }
        }
        Err(McpError::Limit { server: self.server(), what: "pages of a list", limit: MAX_PAGES })
    }

    async fn list_tools(&self) -> Result<Vec<McpTool>, McpError> {
        if self.session.capabilities().tools.is_none() {
            return Ok(Vec::new());
        }
        let listed: Vec<Tool> = self
            .pages(
                "tools",
                MAX_TOOLS,
                |params| {
                    ClientRequest::ListToolsRequest(ListToolsRequest {
                        method: Default::default(),
                        params,
                        extensions: Default::default(),
                    })
                },
                |result| match result {
                    ServerResult::ListToolsResult(list) => Some((list.tools, list.next_cursor)),
                    _ => None,
                },
            )
            .await?;
        let definitions = definitions(&self.server(), &listed)?;
        let states = self.pins.compare(&self.info.key, definitions).await?;
        Ok(listed.iter().zip(states).map(|(tool, state)| convert::tool(tool, state)).collect())
    }

    fn server(&self) -> Str {
        self.session.server().clone()
    }

    /// The tool, if it may be called.
    async fn callable(&self, name: &str) -> Result<(), McpError> {
        let (server, tool) = (self.server(), Str::from(name));
        if self.allowed_tools.as_ref().is_some_and(|allowed| !allowed.contains(&tool)) {
            return Err(McpError::ToolNotAllowed { server, tool });
        }
        let tools = self.tools().await?;
        let Some(found) = tools.iter().find(|known| known.name == name) else {
            return Err(McpError::UnknownTool { server, tool });
        };
        match found.pin {
            McpPinState::Approved => Ok(()),
            McpPinState::Changed => Err(McpError::ToolChanged { server, tool }),
            McpPinState::New | McpPinState::Rejected => {
                Err(McpError::ToolUnapproved { server, tool })
            }
        }
    }
}

#[async_trait::async_trait]
impl McpConnection for Connection {
    fn server(&self) -> &McpServerInfo {
        &self.info
    }

    async fn tools(&self) -> Result<Arc<Vec<McpTool>>, McpError> {
        let mut known = self.known.lock().await;
        let changes = self.session.handler().tool_changes();
        if let Some(known) = known.as_ref().filter(|known| known.changes == changes) {
            return Ok(known.tools.clone());
        }
        let mut tools = self.list_tools().await?;
        if let Some(allowed) = &self.allowed_tools {
            tools.retain(|tool| allowed.contains(&tool.name));
        }
        let tools = Arc::new(tools);
        *known = Some(KnownTools { changes, tools: tools.clone() });
        Ok(tools)
    }

    async fn list(&self, kind: McpListKind) -> Result<Vec<Value>, McpError> {
        let capabilities = self.session.capabilities();
        let offers = match kind {
            McpListKind::Prompts => capabilities.prompts.is_some(),
            McpListKind::Resources | McpListKind::ResourceTemplates => {
                capabilities.resources.is_some()
            }
        };
        if !offers {
            return Ok(Vec::new());
        }
        let request = |params| match kind {
            McpListKind::Resources => ClientRequest::ListResourcesRequest(ListResourcesRequest {
                method: Default::default(),
                params,
                extensions: Default::default(),
            }),
            McpListKind::ResourceTemplates => {
                ClientRequest::ListResourceTemplatesRequest(ListResourceTemplatesRequest {
                    method: Default::default(),
                    params,
                    extensions: Default::default(),
                })
            }
            McpListKind::Prompts => ClientRequest::ListPromptsRequest(ListPromptsRequest {
                method: Default::default(),
                params,
                extensions: Default::default(),
            }),
        };
        self.pages(kind.name(), MAX_LISTED, request, |result| match result {
            ServerResult::ListResourcesResult(list) => {
                Some((values(&list.resources), list.next_cursor))
            }
            ServerResult::ListResourceTemplatesResult(list) => {
                Some((values(&list.resource_templates), list.next_cursor))
            }
            ServerResult::ListPromptsResult(list) => {
                Some((values(&list.prompts), list.next_cursor))
            }
            _ => None,
        })
        .await
    }

    async fn call_tool(
        &self,
        name: &str,
        arguments: &Object,
        progress: Option<McpProgressSink>,
    ) -> Result<McpToolResult, McpError> {
        self.callable(name).await?;
        let params = CallToolRequestParams::new(name.to_owned()).with_arguments(json(arguments));
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        match self.session.ask(name, request, self.call_timeout, progress).await? {
            ServerResult::CallToolResult(result) => convert::result(&self.server(), result),
            other => Err(self.unexpected(name, &other)),
        }
    }

    async fn read_resource(&self, uri: &str) -> Result<Vec<McpResource>, McpError> {
        let params = ReadResourceRequestParams::new(uri);
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
        let what = "resources/read";
        match self.session.ask(what, request, self.call_timeout, None).await? {
            ServerResult::ReadResourceResult(result) => {
                let server = self.server();
                result
                    .contents
                    .into_iter()
                    .map(|contents| convert::resource(&server, contents))
                    .collect()
            }
            other => Err(self.unexpected(what, &other)),
        }
    }

    async fn prompt(&self, name: &str, arguments: &Object) -> Result<Value, McpError> {
        let mut params = GetPromptRequestParams::new(name);
        if !arguments.is_empty() {
            params = params.with_arguments(json(arguments));
        }
        let request = ClientRequest::GetPromptRequest(GetPromptRequest::new(params));
        let what = "prompts/get";
        match self.session.ask(what, request, self.call_timeout, None).await? {
            ServerResult::GetPromptResult(result) => Ok(Value::from(Object::from_iter([
                ("description", result.description.map_or(Value::Null, Value::from)),
                ("messages", Value::array(values(&result.messages))),
            ]))),
            other => Err(self.unexpected(what, &other)),
        }
    }
}

impl Connection {
    fn unexpected(&self, what: &str, result: &ServerResult) -> McpError {
        let server = self.server();
        match result {
            ServerResult::InputRequiredResult(_) => {
                McpError::Unsupported { server, what: "input from a person (elicitation)" }
            }
            ServerResult::CreateTaskResult(_) => {
                McpError::Unsupported { server, what: "a long-running task" }
            }
            _ => {
                let reason = format!("its answer to '{what}' is not of the expected kind").into();
                McpError::Protocol { server, reason }
            }
        }
    }
}

fn values<T: serde::Serialize>(items: &[T]) -> Vec<Value> {
    items.iter().filter_map(|item| model::to_value(item).ok()).collect()
}

fn json(arguments: &Object) -> JsonObject {
    match serde_json::to_value(arguments) {
        Ok(serde_json::Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}
