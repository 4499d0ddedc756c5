//! One call of a registered tool, outside of any workflow.

use engine::{Engine, RunOptions};
use model::{Code, Object, Value, Workflow, json};
use node_api::NodeError;
use node_api::policy::RateExceeded;
use node_api::tools::{RegisteredTool, ToolOrigin, ToolRegistry};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Calls a tool, as far as the engine's policy lets it. `supplier` is the type of the node that gives
/// registered tools to agents.
pub async fn call(
    engine: Engine,
    supplier: &str,
    name: &str,
    arguments: Object,
    options: RunOptions,
) -> Result<Value, NodeError> {
    let unknown =
        || NodeError::new(Code::TOOL_NOT_FOUND, format!("There is no registered tool '{name}'"));
    // Only a whole name: a pattern could stand for another one tomorrow.
    if name.is_empty() || name.contains(['*', ',', '\n', '=']) {
        return Err(unknown());
    }
    let known = engine.ports.tools.tools_of_workflow(&options.acting_workflow).await?;
    if !known.iter().any(|tool| tool.name == name) {
        return Err(unknown());
    }
    let document = json!({
        "name": "Tool call",
        "nodes": [{
            "id": "tool",
            "name": "Tool call",
            "type": supplier,
            "typeVersion": 1,
            "position": [0, 0],
            "parameters": { "tools": name }
        }],
        "connections": {}
    });
    let workflow = Workflow::from_value(&document).ok_or_else(unknown)?;
    let plan = Arc::new(engine.plan(&workflow).stored());
    let called = engine.call_tool(plan, 0, arguments, options, CancellationToken::new()).await?;
    called.ok_or_else(unknown)
}

/// The tools of a project, whichever workflow asks.
pub struct ProjectTools {
    pub registry: Arc<dyn ToolRegistry>,
    pub tools: Vec<Arc<RegisteredTool>>,
}

#[async_trait::async_trait]
impl ToolRegistry for ProjectTools {
    async fn tools_of_workflow(&self, _: &str) -> Result<Vec<Arc<RegisteredTool>>, NodeError> {
        Ok(self.tools.clone())
    }

    fn count(&self, tool: &RegisteredTool, caller: &str, now_ms: i64) -> Result<(), RateExceeded> {
        self.registry.count(tool, caller, now_ms)
    }
}

impl super::ToolManifests {
    /// The tools that a workflow of a project may use; without a workflow, those that some may.
    pub fn tools_of_project(
        &self,
        project: &str,
        workflow: Option<&str>,
    ) -> Vec<Arc<RegisteredTool>> {
        let loaded = self.current();
        let tools = loaded.tools.iter().filter(|tool| match (workflow, &tool.origin) {
            (Some(workflow), _) => tool.allows(project, workflow),
            (None, ToolOrigin::File(_)) => tool.allow.projects.allow(project),
            (None, ToolOrigin::Project { project: own, .. }) => own == project,
        });
        tools.cloned().collect()
    }
}
