//! An ordinary node as a tool: a model fills in its `$fromAI` parameters, the node runs once, its
//! items are the answer.

use super::host::NodeHost;
use crate::plan::PlanNode;
use model::{Code, Items, Object, Value};
use node_api::ai::{
    DataFlow, EgressTarget, Tool, ToolCallContext, ToolDefinition, ToolEffect, ToolFailure,
    ToolOutput,
};
use node_api::host::Host as _;
use node_api::{Ctx, NodeError, NodeType, ParamKind, tool_name_of};
use std::sync::Arc;

pub(super) struct NodeTool {
    host: Arc<NodeHost>,
    node_type: Arc<NodeType>,
    definition: ToolDefinition,
}

impl NodeTool {
    /// A node seen from the place of the agent that may call it, for one of the agent's items.
    pub(super) fn new(
        host: Arc<NodeHost>,
        node_type: Arc<NodeType>,
        item: usize,
    ) -> Result<Self, NodeError> {
        let node = host.plan_node();
        let said = match node.raw_params.get("descriptionType").and_then(Value::as_str) {
            Some("auto") => Value::Undefined,
            _ => host.parameter("toolDescription", item)?,
        };
        let description = match said.as_str().filter(|said| !said.trim().is_empty()) {
            Some(said) => said.into(),
            None => made_description(&node_type, node).into(),
        };
        let effect = match (node.calls_workflows(), node.is_harmless()) {
            (true, _) => ToolEffect::Resumes,
            (false, _) if node_type.spec.runs_code => ToolEffect::Dynamic,
            (false, true) => ToolEffect::None,
            (false, false) => ToolEffect::Changes,
        };
        let parameters = host.ai_input_schema()?;
        let flow = flow_of(&host, effect);
        let definition = ToolDefinition {
            name: tool_name_of(&node.info),
            description,
            parameters,
            effect,
            flow,
        };
        Ok(Self { host, node_type, definition })
    }

    async fn run(
        &self,
        arguments: &Object,
        context: &ToolCallContext,
    ) -> Result<Vec<Items>, NodeError> {
        // An ordinary node is held on to until it is done.
        let host = self.host.called(arguments, context)?.without_suspend();
        let items = host.called_items();
        let inputs = [Some(items.clone())];
        let ctx = Ctx::new(&self.host.plan_node().info, &inputs, self.host.run_index(), &host);
        let outputs = self.node_type.run(&ctx, items).await?;
        match host.take_pause() {
            Some(_) => Err(NodeError::failed("A node cannot wait while it is called as a tool")
                .hint("Let the tool call a workflow, which can wait.")),
            None => Ok(outputs),
        }
    }
}

#[async_trait::async_trait]
impl Tool for NodeTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// A place that comes out of arguments no model has chosen is the author's, whatever the
    /// expression looks like.
    fn sends(&self, arguments: &Object, context: &ToolCallContext) -> EgressTarget {
        if self.definition.flow.sends != EgressTarget::ModelChosen {
            return self.definition.flow.sends;
        }
        let Ok(host) = self.host.called(arguments, context) else {
            return EgressTarget::ModelChosen;
        };
        match host
            .plan_node()
            .destinations()
            .iter()
            .any(|destination| host.is_models_choice(destination, context.item))
        {
            true => EgressTarget::ModelChosen,
            false => EgressTarget::Declared,
        }
    }

    async fn call(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let retry = self.host.plan_node().retry;
        let mut attempt = 1;
        loop {
            match self.run(&arguments, context).await {
                Ok(outputs) => return answer(&outputs),
                // What may have happened is not to happen again.
                Err(error) if matches!(error.code(), Code::RUN_UNCERTAIN | Code::AGENT_OUTWARD) => {
                    return Err(ToolFailure::of(&error));
                }
                Err(error)
                    if attempt < retry.map_or(1, |retry| retry.tries)
                        && !self.host.is_cancelled() =>
                {
                    attempt += 1;
                    let wait_ms = retry.map_or(0, |retry| retry.wait_ms);
                    if self.host.sleep(wait_ms).await.is_err() {
                        return Err(ToolFailure::of(&error));
                    }
                }
                Err(error) => return Err(ToolFailure::of(&error)),
            }
        }
    }
}

/// The JSON of the items: of one the object itself, of several a list.
fn answer(outputs: &[Items]) -> Result<ToolOutput, ToolFailure> {
    let items: Vec<_> = outputs.iter().flat_map(Items::to_vec).collect();
    let is_empty = |json: &Value| json.as_object().is_none_or(Object::is_empty);
    if !items.is_empty() && items.iter().all(|item| is_empty(&item.json) && item.binary.is_some()) {
        return Err(ToolFailure::new("It returned only files, which cannot be shown to a model"));
    }
    let mut values: Vec<Value> = items.into_iter().map(|item| item.json).collect();
    Ok(ToolOutput::new(match values.len() {
        1 => values.remove(0),
        _ => Value::array(values),
    }))
}

/// Where the data of the node comes from and goes to when a model calls it. What an expression says
/// about the destination is known only with each call ([`Tool::sends`]).
fn flow_of(host: &NodeHost, effect: ToolEffect) -> DataFlow {
    let exposes = host.plan_node().exposes();
    let destinations = host.plan_node().destinations();
    let sends = match effect {
        _ if destinations.iter().any(|destination| host.has_expression(&destination.param)) => {
            EgressTarget::ModelChosen
        }
        _ if !destinations.is_empty() => EgressTarget::Declared,
        ToolEffect::None | ToolEffect::Resumes => EgressTarget::Nowhere,
        // Where JavaScript goes shows when it goes there.
        ToolEffect::Changes | ToolEffect::Dynamic => EgressTarget::Declared,
    };
    DataFlow { untrusted: exposes.untrusted, private: exposes.private, sends }
}

/// In words of the node's description: what it does with the operation that is chosen.
fn made_description(node_type: &NodeType, node: &PlanNode) -> String {
    let spec = &node_type.spec;
    let chosen = |name: &str| {
        let value = node.raw_params.get(name)?;
        let label = spec.params.iter().filter(|param| param.name == name).find_map(|param| {
            match &param.kind {
                ParamKind::Choice { options } => options
                    .iter()
                    .find(|option| option.value == *value)
                    .map(|option| option.label.clone()),
                _ => None,
            }
        });
        label.or_else(|| {
            value.as_str().filter(|text| !text.is_empty() && !text.starts_with('=')).map(Into::into)
        })
    };
    match (chosen("operation"), chosen("resource")) {
        (Some(operation), Some(resource)) => {
            format!("{}: {operation} ({resource}). {}.", spec.name, spec.summary)
        }
        (Some(operation), None) => format!("{}: {operation}. {}.", spec.name, spec.summary),
        _ => format!("{}: {}.", spec.name, spec.summary),
    }
}
