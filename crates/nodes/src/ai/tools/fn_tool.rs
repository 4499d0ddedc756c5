//! Makes a tool of a definition and a function.

use futures::future::BoxFuture;
use node_api::ai::{
    Supply, Tool, ToolCallContext, ToolDefinition, ToolEffect, ToolFailure, ToolOutput,
};
use node_api::prelude::*;
use node_api::{SupplyCtx, tool_name, tool_name_of};
use std::future::Future;
use std::sync::Arc;

/// What a call is: the node as it is seen during the call, what the model gave, and which call it
/// is.
pub(crate) struct ToolInvocation {
    pub(crate) ctx: SupplyCtx,
    pub(crate) arguments: Object,
    pub(crate) context: ToolCallContext,
}

impl ToolInvocation {
    /// An argument as text; nothing if it is not there.
    pub(crate) fn text(&self, name: &str) -> Str {
        match self.arguments.get(name) {
            None | Some(Value::Undefined | Value::Null) => Str::new(),
            Some(value) => ToolOutput::new(value.clone()).to_text(),
        }
    }
}

type ToolFn =
    Box<dyn Fn(ToolInvocation) -> BoxFuture<'static, Result<ToolOutput, NodeError>> + Send + Sync>;

struct FnTool {
    ctx: SupplyCtx,
    definition: ToolDefinition,
    run: ToolFn,
}

/// The supply of a node that is one tool.
pub(crate) fn supply_tool<F, Answer, Output>(
    ctx: SupplyCtx,
    definition: ToolDefinition,
    run: F,
) -> Supply
where
    F: Fn(ToolInvocation) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Output, NodeError>> + Send + 'static,
    Output: Into<ToolOutput>,
{
    let run: ToolFn = Box::new(move |call| {
        let answer = run(call);
        Box::pin(async move { answer.await.map(Into::into) })
    });
    Supply::Tools(vec![Arc::new(FnTool { ctx, definition, run })])
}

#[async_trait::async_trait]
impl Tool for FnTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let ctx =
            self.ctx.for_call(&arguments, context).map_err(|error| ToolFailure::of(&error))?;
        let call = ToolInvocation { ctx, arguments, context: context.clone() };
        (self.run)(call).await.map_err(|error| ToolFailure::of(&error))
    }
}

/// The description of a node that is a tool: no input, one output to the agent.
pub(crate) fn tool_spec(id: &str, versions: &[f64], name: &str, summary: &str) -> Spec {
    Spec::new(id, versions, name, summary)
        .group(NodeGroup::Tool)
        .inputs([])
        .icon("wrench")
        .outputs([Port::of(model::Kind::AiTool, "")])
}

/// The name that a parameter gives the tool, or the node's.
pub(crate) fn name_from_param(ctx: &SupplyCtx, parameter: &str) -> Result<Str, NodeError> {
    let given = ctx.ctx().text(parameter, ctx.item())?;
    let name = tool_name(given.trim());
    Ok(if name.is_empty() { tool_name_of(ctx.node()) } else { name })
}

/// What the description of the node says about repeating it says whether the tool changes
/// something.
pub(crate) fn effect_of(spec: &Spec, ctx: &SupplyCtx) -> ToolEffect {
    let params = ctx.host().raw_parameter("").unwrap_or_default();
    if spec.may_repeat(&params) { ToolEffect::None } else { ToolEffect::Changes }
}

/// The arguments of a tool that takes one text, as n8n's older tools do.
pub(crate) fn text_schema(description: &str, required: bool) -> Value {
    let mut schema = json!({ "type": "object", "properties": { "input": { "type": "string", "description": description } } });
    if required {
        schema.make_object().insert("required", json!(["input"]));
    }
    schema
}
