//! Makes a tool of a definition and a function.

use futures::future::BoxFuture;
use node_api::ai::{
    Effect, Supply, Tool, ToolAnswer, ToolCallContext, ToolDefinition, ToolFailure,
};
use node_api::prelude::*;
use node_api::{SupplyCtx, tool_name, tool_name_of};
use std::future::Future;
use std::sync::Arc;

/// What a call is: the node as it is seen during the call, what the model gave, and which call it
/// is.
pub(crate) struct Call {
    pub(crate) ctx: SupplyCtx,
    pub(crate) arguments: Object,
    pub(crate) context: ToolCallContext,
}

impl Call {
    /// An argument as text; nothing if it is not there.
    pub(crate) fn text(&self, name: &str) -> Str {
        match self.arguments.get(name) {
            None | Some(Value::Undefined | Value::Null) => Str::new(),
            Some(value) => ToolAnswer::new(value.clone()).to_text(),
        }
    }
}

type Work = Box<dyn Fn(Call) -> BoxFuture<'static, Result<Value, NodeError>> + Send + Sync>;

struct Made {
    ctx: SupplyCtx,
    definition: ToolDefinition,
    work: Work,
}

/// The supply of a node that is one tool.
pub(crate) fn tool<F, Answer>(ctx: SupplyCtx, definition: ToolDefinition, work: F) -> Supply
where
    F: Fn(Call) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Value, NodeError>> + Send + 'static,
{
    let work: Work = Box::new(move |call| Box::pin(work(call)));
    Supply::Tools(vec![Arc::new(Made { ctx, definition, work })])
}

#[async_trait::async_trait]
impl Tool for Made {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolAnswer, ToolFailure> {
        let ctx =
            self.ctx.for_call(&arguments, context).map_err(|error| ToolFailure::of(&error))?;
        let call = Call { ctx, arguments, context: context.clone() };
        (self.work)(call).await.map(ToolAnswer::new).map_err(|error| ToolFailure::of(&error))
    }
}

/// The description of a node that is a tool: no input, one output to the agent.
pub(crate) fn tool_spec(id: &str, versions: &[f64], name: &str, summary: &str) -> Spec {
    Spec::new(id, versions, name, summary)
        .group(Group::Tool)
        .inputs([])
        .outputs([Port::of(model::Kind::AiTool, "")])
}

/// The name that a parameter gives the tool, or the node's.
pub(crate) fn name_of(ctx: &SupplyCtx, parameter: &str) -> Result<Str, NodeError> {
    let given = ctx.ctx().text(parameter, ctx.item())?;
    let name = tool_name(given.trim());
    Ok(if name.is_empty() { tool_name_of(ctx.node()) } else { name })
}

/// What the description of the node says about repeating it says whether the tool changes
/// something.
pub(crate) fn effect_of(spec: &Spec, ctx: &SupplyCtx) -> Effect {
    let params = ctx.host().raw_parameter("").unwrap_or_default();
    if spec.may_repeat(&params) { Effect::None } else { Effect::Changes }
}

/// The arguments of a tool that takes one text, as n8n's older tools do.
pub(crate) fn one_text(description: &str, required: bool) -> Value {
    let mut schema = json!({ "type": "object", "properties": { "input": { "type": "string", "description": description } } });
    if required {
        schema.make_object().insert("required", json!(["input"]));
    }
    schema
}
