//! Workflows as tools of clients of the Model Context Protocol: what a trigger offers, and the runs
//! that calls start.
//!
//! Invariant: a run whose caller has gone is stopped, unless it waits or is over.

use crate::execute::start::{AcceptedRun, Admission, RunRequest, StartContext};
use crate::listen::routes::TriggerEndpoint;
use crate::{Error, LoadedWorkflow, Runtime};
use engine::{RunOptions, RunOutcome};
use model::{Exposure, Item, Items, Object, RunRange, Str, Value};
use node_api::StartCause;
use node_api::ai::ToolDefinition;
use node_api::trigger::{
    MCP_ARGUMENTS_FIELD, MCP_TOOL_FIELD, McpToolReply, ReplyMode, WebhookResponse,
};
use std::sync::Arc;
use tokio::sync::Mutex;

/// How long a list of tools counts. It is computed once, however many ask at the same time.
const LIST_VALID_MS: i64 = 2_000;

/// What is known of a model outside of this instance: it may have read anything.
const OUTSIDE_MODEL: Exposure = Exposure { untrusted: true, private: false };

/// The tools of a trigger, and when they were listed.
#[derive(Default)]
pub(crate) struct ToolListCache(Mutex<Option<(i64, Arc<[ToolDefinition]>)>>);

/// A workflow that a model calls as a tool.
pub struct ToolCallRequest {
    pub workflow: Arc<LoadedWorkflow>,
    /// The trigger that it starts at.
    pub node: Str,
    pub item: Item,
    /// n8n's word for what started it.
    pub mode: &'static str,
    /// What the log calls the request.
    pub request_id: Str,
    /// How much memory the arguments take, about.
    pub length: usize,
}

/// A run that a model outside has called. Dropping it before its end stops the run.
pub struct ToolRun {
    run: Option<AcceptedRun>,
    runtime: Arc<Runtime>,
    id: i64,
}

/// How such a run ended.
pub struct ToolRunEnd {
    /// What a node has answered.
    pub answer: Option<WebhookResponse>,
    /// `None` if it was cut off.
    pub outcome: Option<RunOutcome>,
}

impl ToolRun {
    /// The number of the execution.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Waits until the run is over, or waits itself.
    pub async fn end(mut self) -> Result<ToolRunEnd, Error> {
        let Some(run) = &mut self.run else { return Err(Error::Panicked) };
        let outcome = (&mut run.outcome).await;
        let refusal = run.log.refusal();
        let answer = run.answer.try_recv().ok();
        // It is over, or sleeps: there is nothing to be stopped.
        self.run = None;
        match refusal {
            Some(error) => Err(error.into()),
            None => Ok(ToolRunEnd { answer, outcome }),
        }
    }
}

impl Drop for ToolRun {
    fn drop(&mut self) {
        if self.run.take().is_none() || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        let (runtime, id) = (self.runtime.clone(), self.id);
        tokio::spawn(async move {
            // One that has just ended needs no stop.
            if let Err(error) = runtime.stop_execution(id).await {
                tracing::debug!(run_id = id, %error, "A run without a caller was not stopped.");
            }
        });
    }
}

impl Runtime {
    /// The tools that are connected to a trigger, by unique names. No credential is opened for it,
    /// and what cannot be listed without one is left out.
    pub async fn mcp_tools(
        &self,
        endpoint: &TriggerEndpoint,
    ) -> Result<Arc<[ToolDefinition]>, Error> {
        let mut listed = endpoint.tools.0.lock().await;
        let now_ms = self.now_ms();
        if let Some((since_ms, tools)) = &*listed
            && (0..LIST_VALID_MS).contains(&(now_ms - since_ms))
        {
            return Ok(tools.clone());
        }
        let workflow = &endpoint.workflow;
        let index = workflow.plan.index_of(&endpoint.node).ok_or(Error::NotListening)?;
        let options = RunOptions {
            run_id: Str::new(),
            variables: self.runner.variables_of(&workflow.project_id),
            mode: "webhook".into(),
            ..self.runner.options().clone()
        };
        let found = self.engine.connected_tools(workflow.plan.clone(), index, options).await;
        let tools = found.into_iter().flat_map(|connected| {
            connected.tools.unwrap_or_else(|error| {
                tracing::debug!(
                    workflow_id = %workflow.id, node = %connected.node, error = %error.message(),
                    "A connected tool cannot be listed."
                );
                Vec::new()
            })
        });
        let tools: Arc<[ToolDefinition]> = tools.collect();
        *listed = Some((now_ms, tools.clone()));
        Ok(tools)
    }

    /// Starts a run in which a trigger calls one of its tools.
    pub fn call_mcp_tool(
        self: &Arc<Self>,
        endpoint: &TriggerEndpoint,
        (tool, arguments): (Str, Object),
        request_id: Str,
        length: usize,
    ) -> Result<ToolRun, Error> {
        let item = Item::new(Object::from_iter([
            (MCP_TOOL_FIELD, Value::from(tool)),
            (MCP_ARGUMENTS_FIELD, arguments.into()),
        ]));
        let request = RunRequest { request_id, ..RunRequest::from_call(endpoint, item) };
        self.start_tool_run(request, length)
    }

    /// Starts a run of a whole workflow.
    pub fn call_workflow_tool(self: &Arc<Self>, called: ToolCallRequest) -> Result<ToolRun, Error> {
        let ToolCallRequest { workflow, node, item, mode, request_id, length } = called;
        let request = RunRequest {
            workflow,
            cause: StartCause::Hand,
            node: Some(node),
            items: Some(Items::one(item)),
            mode,
            retry_of: None,
            extent: RunRange::default(),
            request_id,
        };
        self.start_tool_run(request, length)
    }

    fn start_tool_run(
        self: &Arc<Self>,
        request: RunRequest,
        length: usize,
    ) -> Result<ToolRun, Error> {
        let admission = Admission { bytes: length, reply: ReplyMode::Buffered };
        let context =
            StartContext { called_by_model: Some(OUTSIDE_MODEL), ..StartContext::default() };
        let run = self.runner.accept_with(request, admission, context)?;
        Ok(ToolRun { id: run.id, run: Some(run), runtime: self.clone() })
    }
}

/// What the tool of a trigger has answered, if it has.
pub fn tool_reply(end: &ToolRunEnd) -> Option<McpToolReply> {
    end.answer.as_ref().and_then(McpToolReply::from_response)
}
