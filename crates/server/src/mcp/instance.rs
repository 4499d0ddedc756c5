//! The tools of the instance: its workflows, and what manages them.

use super::api_tools::{API_TOOLS, ApiTool, ToolContext};
use super::handler::McpRequest;
use super::progress;
use super::results::{
    api_failure, arguments_of, failure, items_value, protocol_error, structured, text, unknown_tool,
};
use super::trigger::LIST_TTL_MS;
use super::trigger_input::{StartItem, TriggerInput};
use super::workflow_tools::{WorkflowTool, WorkflowTools};
use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::routes::ApiCaller;
use model::{Code, Object, RunStatus, Str, Value};
use node_api::trigger::ResponseBody;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, CallToolRequestParams, CallToolResult, ListToolsResult, Tool};
use runtime::mcp::{ToolCallRequest, ToolRunEnd};
use std::sync::OnceLock;

/// What a caller needs to have a workflow run.
const RUN_SCOPE: &str = "workflow:execute";

/// Tools on one page of the list.
const PAGE: usize = 200;

pub(super) struct InstanceTools {
    app: App,
    api: ApiCaller,
    workflows: WorkflowTools,
    /// The management tools as they are listed.
    listed: OnceLock<Vec<(&'static ApiTool, Tool)>>,
}

impl InstanceTools {
    pub(super) fn new(app: App, api: ApiCaller) -> Self {
        Self { app, api, workflows: WorkflowTools::default(), listed: OnceLock::new() }
    }

    fn management(&self) -> &[(&'static ApiTool, Tool)] {
        self.listed.get_or_init(|| API_TOOLS.iter().map(|tool| (tool, tool.to_wire())).collect())
    }

    /// What the caller may call, in the order of names behind a cursor: first what manages
    /// workflows, then the workflows.
    pub(super) async fn list(
        &self,
        who: &Principal,
        after: Option<&str>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = Vec::new();
        if after.is_none() {
            let allowed = self.management().iter().filter(|(tool, _)| tool.is_allowed(who));
            tools.extend(allowed.map(|(_, listed)| listed.clone()));
        }
        let mut next_cursor = None;
        if who.require(RUN_SCOPE).is_ok() {
            let all = self.workflows.all(&self.app).await;
            let all = all.map_err(|error| protocol_error(error.message.to_string()))?;
            let behind = all.iter().filter(|(name, tool)| {
                after.is_none_or(|after| name.as_str() > after)
                    && who.access.allows(&tool.project, AccessLevel::Edit)
            });
            let mut page: Vec<(&Str, &WorkflowTool)> = behind.take(PAGE + 1).collect();
            if page.len() > PAGE {
                page.truncate(PAGE);
                next_cursor = page.last().map(|(name, _)| name.to_string());
            }
            tools.extend(page.into_iter().map(|(_, tool)| tool.definition.clone()));
        }
        let mut listed = ListToolsResult::with_all_items(tools)
            .with_ttl_ms(LIST_TTL_MS)
            .with_cache_scope(CacheScope::Private);
        listed.next_cursor = next_cursor;
        Ok(listed)
    }

    pub(super) async fn call(
        &self,
        who: &Principal,
        call: CallToolRequestParams,
        request: &McpRequest,
    ) -> Result<CallToolResult, ErrorData> {
        let name = call.name.clone();
        let managed = self.management().iter().find(|(tool, _)| *tool.name == *name);
        // What a caller may not call is not there for them.
        if let Some((tool, _)) = managed {
            if !tool.is_allowed(who) {
                return Err(unknown_tool(&name));
            }
            let called = async {
                let arguments = arguments_of(call.arguments, request.length)?;
                let context = ToolContext { app: &self.app, api: &self.api, who, request };
                (tool.call)(context, arguments).await
            };
            return Ok(called.await.unwrap_or_else(|error| api_failure(&error)));
        }
        if who.require(RUN_SCOPE).is_err() {
            return Err(unknown_tool(&name));
        }
        let all = self.workflows.all(&self.app).await;
        let all = all.map_err(|error| protocol_error(error.message.to_string()))?;
        let tool = all
            .get(&*name)
            .filter(|tool| who.access.allows(&tool.project, AccessLevel::Edit))
            .ok_or_else(|| unknown_tool(&name))?;
        let run = self.run(who, tool, call.arguments, request).await;
        Ok(run.unwrap_or_else(|error| api_failure(&error)))
    }

    /// Runs a workflow, as whoever may run it by hand.
    async fn run(
        &self,
        who: &Principal,
        tool: &WorkflowTool,
        arguments: Option<rmcp::model::JsonObject>,
        request: &McpRequest,
    ) -> Result<CallToolResult, ApiError> {
        let app = &self.app;
        // It may have been moved or deleted since the list was made.
        who.workflow(app, &tool.workflow, AccessLevel::Edit).await?;
        let workflow = app.runtime.load(&tool.workflow).await?;
        let input = TriggerInput::of(&workflow, app.runtime.engine.ports.clock.now_ms());
        let input = input.ok_or_else(|| {
            ApiError::new(Code::WORKFLOW_NO_START, "The workflow has no trigger that can be called")
        })?;
        let arguments = arguments_of(arguments, request.length)?;
        let StartItem { item, mode } = input.start(app, who, arguments, request.length)?;
        let run = app.runtime.call_workflow_tool(ToolCallRequest {
            workflow,
            node: input.node,
            item,
            mode,
            request_id: request.request_id.clone(),
            length: request.length,
        })?;
        let id = run.id();
        let end = progress::wait(app, run, request).await?;
        Ok(to_result(who, id, &end))
    }
}

/// What a run gave: the answer of a node, or the items of the last one.
fn to_result(who: &Principal, id: i64, end: &ToolRunEnd) -> CallToolResult {
    let Some(outcome) = &end.outcome else {
        return failure(format!("Execution {id} was interrupted."));
    };
    if let Some(error) = &outcome.error {
        // Whoever may not see executions is not told what is in them.
        let cause = match who.require("execution:read") {
            Ok(()) => format!(": {}", error.message),
            Err(_) => String::new(),
        };
        let place = error.node.as_ref().map(|node| format!(" at '{node}'")).unwrap_or_default();
        let code = error.code.name();
        return failure(format!("Execution {id} failed{place} ({code}){cause}"));
    }
    let state = |status: &str| {
        Object::from_iter([("executionId", Value::from(id.to_string())), ("status", status.into())])
    };
    if outcome.status == RunStatus::Waiting {
        let what = if outcome.asks { "a person's approval" } else { "an event or a later time" };
        let mut told = state("waiting");
        told.insert("message", format!("The run waits for {what}; it has no result yet."));
        return structured(&told.into());
    }
    match end.answer.as_ref().map(|answer| &answer.body) {
        Some(ResponseBody::Json(value)) => {
            let mut told = state("success");
            told.insert("response", value.clone());
            return structured(&told.into());
        }
        Some(ResponseBody::Bytes(bytes)) => return text(String::from_utf8_lossy(bytes)),
        Some(ResponseBody::Empty | ResponseBody::Page(_)) | None => {}
    }
    let (items, n_items, is_cut) = items_value(outcome.last_items());
    let mut told = state("success");
    told.insert("items", items);
    if is_cut {
        let note = format!("{n_items} items; the rest is in the execution.");
        told.insert("note", note);
    }
    structured(&told.into())
}
