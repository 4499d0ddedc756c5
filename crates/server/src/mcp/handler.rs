//! Answers the messages of the protocol: to each caller those of the server that they call.

use super::instance::InstanceTools;
use super::results::protocol_error;
use super::transport::{McpCaller, MessageBytes};
use super::trigger;
use crate::App;
use crate::observe::RequestOrigin;
use crate::routes::ApiCaller;
use axum::http::request::Parts;
use model::Str;
use rmcp::ErrorData;
use rmcp::RoleServer;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestMethod, CompleteRequestParams,
    CompleteResult, DiscoverResult, Implementation, InitializeRequestParams, InitializeResult,
    ListPromptsRequestMethod, ListPromptsResult, ListResourceTemplatesRequestMethod,
    ListResourceTemplatesResult, ListResourcesRequestMethod, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use std::sync::Arc;

/// What an assistant is told about the server of the instance.
const INSTRUCTIONS: &str = "Heddle runs n8n-compatible workflows. Tools that begin with \
    `workflow_` each run one workflow. To build a workflow: find nodes with search_nodes, read \
    their parameters with get_node, check the draft with validate_workflow, save it with \
    create_workflow, try it with run_workflow. If a run fails, ask explain_execution.";

#[derive(Clone)]
pub(super) struct McpHandler {
    app: App,
    instance: Arc<InstanceTools>,
}

/// What a handler needs to know of a request.
pub(super) struct McpRequest {
    pub(super) caller: McpCaller,
    pub(super) request_id: Str,
    /// In bytes.
    pub(super) length: usize,
    pub(super) context: RequestContext<RoleServer>,
}

impl McpHandler {
    pub(super) fn new(app: App, api: ApiCaller) -> Self {
        Self { instance: Arc::new(InstanceTools::new(app.clone(), api)), app }
    }

    fn info(&self, caller: &McpCaller) -> ServerConfig {
        let (name, instructions): (Str, Option<&str>) = match caller {
            McpCaller::Instance(_) => ("heddle".into(), Some(INSTRUCTIONS)),
            McpCaller::Trigger { endpoint, .. } => (endpoint.node.clone(), None),
        };
        let server = Implementation::new(name.to_string(), env!("CARGO_PKG_VERSION"));
        let config = ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server);
        match instructions {
            Some(instructions) => config.with_instructions(instructions),
            None => config,
        }
    }
}

fn caller_of(context: &RequestContext<RoleServer>) -> Result<McpCaller, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    parts
        .and_then(|parts| parts.extensions.get::<McpCaller>())
        .cloned()
        .ok_or_else(|| protocol_error("The request has no caller"))
}

impl McpRequest {
    fn new(context: RequestContext<RoleServer>) -> Result<Self, ErrorData> {
        let caller = caller_of(&context)?;
        let parts = context.extensions.get::<Parts>();
        let origin = parts.and_then(|parts| parts.extensions.get::<RequestOrigin>());
        let length = parts.and_then(|parts| parts.extensions.get::<MessageBytes>());
        Ok(Self {
            caller,
            request_id: origin
                .and_then(|origin| origin.request_id.to_str().ok())
                .unwrap_or_default()
                .into(),
            length: length.map_or(0, |length| length.0),
            context,
        })
    }
}

impl ServerHandler for McpHandler {
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let caller = caller_of(&context)?;
        let agreed = self.negotiate_initialize(&request)?;
        Ok(self.info(&caller).with_protocol_version(agreed.protocol_version))
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let caller = caller_of(&context)?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.info(&caller)))
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        match caller_of(&context)? {
            McpCaller::Instance(who) => {
                let after = page.and_then(|page| page.cursor);
                self.instance.list(&who, after.as_deref()).await
            }
            McpCaller::Trigger { endpoint, .. } => trigger::list(&self.app, &endpoint).await,
        }
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = McpRequest::new(context)?;
        let result = match request.caller.clone() {
            McpCaller::Instance(who) => self.instance.call(&who, call, &request).await,
            McpCaller::Trigger { endpoint, .. } => {
                trigger::call(&self.app, &endpoint, call, &request).await
            }
        };
        result.map(Into::into)
    }

    // What is not offered is not answered with an empty list, as the crate would.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListPromptsRequestMethod>())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourcesRequestMethod>())
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(ErrorData::method_not_found::<ListResourceTemplatesRequestMethod>())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(ErrorData::method_not_found::<CompleteRequestMethod>())
    }

    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("heddle", env!("CARGO_PKG_VERSION")))
    }
}
