//! The tools that are connected to the MCP trigger of a workflow.

use super::handler::McpRequest;
use super::progress;
use super::results::{
    api_failure, arguments_of, failure, protocol_error, text, to_json_object, unknown_tool,
};
use crate::App;
use crate::error::ApiError;
use model::{Code, RunStatus};
use node_api::ai::{ToolDefinition, ToolEffect};
use rmcp::ErrorData;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResult, ListToolsResult, Tool, ToolAnnotations,
};
use runtime::TriggerEndpoint;
use runtime::mcp::{ToolRunEnd, tool_reply};

/// How long clients may keep a list of tools.
pub(super) const LIST_TTL_MS: u64 = 5_000;

pub(super) async fn list(
    app: &App,
    endpoint: &TriggerEndpoint,
) -> Result<ListToolsResult, ErrorData> {
    let tools = tools(app, endpoint).await?;
    let tools = tools.iter().map(to_wire).collect();
    Ok(ListToolsResult::with_all_items(tools)
        .with_ttl_ms(LIST_TTL_MS)
        .with_cache_scope(CacheScope::Private))
}

async fn tools(
    app: &App,
    endpoint: &TriggerEndpoint,
) -> Result<std::sync::Arc<[ToolDefinition]>, ErrorData> {
    // The operator's log says more.
    let failed = |error| protocol_error(format!("The tools cannot be listed: {error}"));
    app.runtime.mcp_tools(endpoint).await.map_err(failed)
}

fn to_wire(tool: &ToolDefinition) -> Tool {
    let mut annotations = ToolAnnotations::new();
    annotations.read_only_hint = Some(tool.effect == ToolEffect::None);
    Tool::new(tool.name.to_string(), tool.description.to_string(), to_json_object(&tool.parameters))
        .with_annotations(annotations)
}

/// Makes a call in a run of the workflow.
pub(super) async fn call(
    app: &App,
    endpoint: &TriggerEndpoint,
    call: CallToolRequestParams,
    request: &McpRequest,
) -> Result<CallToolResult, ErrorData> {
    if !tools(app, endpoint).await?.iter().any(|tool| tool.name == *call.name) {
        return Err(unknown_tool(&call.name));
    }
    let called = async {
        let arguments = arguments_of(call.arguments, request.length)?;
        if endpoint.test_run.is_some() && !app.runtime.take_test(endpoint) {
            let message = "The test has already received its call";
            return Err(ApiError::new(Code::WEBHOOK_NOT_FOUND, message));
        }
        let call = (call.name.as_ref().into(), arguments);
        let id = request.request_id.clone();
        let run = app.runtime.call_mcp_tool(endpoint, call, id, request.length)?;
        let execution = run.id();
        Ok((execution, progress::wait(app, run, request).await?))
    };
    Ok(match called.await {
        Ok((execution, end)) => to_result(execution, &end),
        Err(error) => api_failure(&error),
    })
}

/// What a model hears. Why a run failed is for those who may see its execution.
fn to_result(execution: i64, end: &ToolRunEnd) -> CallToolResult {
    if let Some(reply) = tool_reply(end) {
        let content = reply.content.to_string();
        return if reply.is_error { failure(content) } else { text(content) };
    }
    match &end.outcome {
        Some(outcome) if outcome.status == RunStatus::Waiting => text(format!(
            "The call is waiting{} and has no result yet (execution {execution}).",
            if outcome.asks { " for a person's approval" } else { "" }
        )),
        Some(outcome) => {
            let code = outcome.error.as_ref().map_or(Code::RUN_RECORD, |error| error.code);
            failure(format!("The call failed ({}, execution {execution}).", code.name()))
        }
        None => failure(format!("The call was interrupted (execution {execution}).")),
    }
}
