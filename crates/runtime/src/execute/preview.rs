//! Expressions evaluated while they are written, with the variables and settings that runs have.

use crate::Runtime;
use engine::{ConnectedTools, Preview, RunOptions};
use model::{Code, Str, TaskData, Value, Workflow};
use node_api::NodeError;
use std::sync::Arc;

/// What nodes put out, by name and in order.
pub type NodeRecords = Vec<(Str, Vec<Arc<TaskData>>)>;

/// An expression in a workflow as it is drawn.
pub struct PreviewRequest {
    pub workflow: Workflow,
    /// The project whose variables it sees.
    pub project: Option<Str>,
    pub node: Str,
    pub expression: Str,
    pub item: usize,
    pub run: usize,
    /// The execution with whose data it is evaluated.
    pub execution: Option<PreviewExecution>,
}

/// An execution that expressions are evaluated with.
#[derive(Default)]
pub struct PreviewExecution {
    pub id: Str,
    pub records: NodeRecords,
    /// The wait that it is at, for whoever may wake it; others see no address that does.
    pub wait: Option<usize>,
}

impl Runtime {
    /// The tools that are connected to a node of a workflow as it is drawn.
    pub async fn connected_tools(
        &self,
        workflow: Workflow,
        project: Option<&Str>,
        node: &str,
    ) -> Result<Vec<ConnectedTools>, NodeError> {
        let engine = self.engine.clone();
        let planned = compute::interruptible(move || engine.plan(&workflow));
        let busy = |busy: compute::Overloaded| NodeError::new(Code::OVERLOAD, busy.to_string());
        let plan = Arc::new(planned.map_err(busy)?);
        let index = plan.index_of(node).ok_or_else(no_such_node)?;
        let options = RunOptions {
            run_id: Str::new(),
            variables: project.map(|project| self.runner.variables_of(project)).unwrap_or_default(),
            mode: "manual".into(),
            ..self.runner.options().clone()
        };
        Ok(self.engine.connected_tools(plan, index, options).await)
    }

    /// What the expression gives. Takes no longer than the sandbox lets an expression take.
    pub async fn preview(&self, request: PreviewRequest) -> Result<Value, NodeError> {
        let engine = self.engine.clone();
        let PreviewExecution { id: run_id, records: run_data, wait } =
            request.execution.unwrap_or_default();
        let variables = request
            .project
            .as_ref()
            .map(|project| self.runner.variables_of(project))
            .unwrap_or_default();
        let options = RunOptions {
            run_id,
            variables,
            mode: "manual".into(),
            ..self.runner.options().clone()
        };
        let mut vars = options.vars(&engine.ports.random);
        // Whoever previews sends no request, and may name any node.
        vars.execution.request_keys = engine::RequestKeys::default();
        match wait {
            Some(wait) => vars.execution.wait = wait,
            None => vars.execution.addresses = None,
        }
        let evaluated = compute::interruptible(move || {
            let plan = engine.plan(&request.workflow);
            let node = plan.index_of(&request.node).ok_or_else(no_such_node)?;
            engine::preview(&Preview {
                plan: &plan,
                run_data: &run_data,
                node,
                expression: &request.expression,
                item: request.item,
                run: request.run,
                vars: &vars,
                now_ms: engine.ports.clock.now_ms(),
            })
        });
        evaluated.unwrap_or_else(|busy| Err(NodeError::new(Code::OVERLOAD, busy.to_string())))
    }
}

fn no_such_node() -> NodeError {
    NodeError::new(Code::REQUEST_INVALID, "'node' is not a node of the workflow")
}
