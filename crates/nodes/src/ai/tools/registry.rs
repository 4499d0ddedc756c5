//! Registered tools: what manifests declare, for an agent.

use super::fn_tool::tool_spec;
use crate::http::tools::registered;
use agent::SchemaCheck;
use futures::future::{Either, select};
use node_api::ai::{
    EgressTarget, Supply, Tool, ToolCallContext, ToolDefinition, ToolEffect, ToolFailure,
    ToolOutput,
};
use node_api::policy::{Pattern, Patterns, SideEffect, ToolSource, words};
use node_api::prelude::*;
use node_api::tools::{McpAddress, McpCall, NodeCall, RegisteredTool, ToolAction};
use node_api::{Supplier, SupplyCtx, tool_name};
use std::pin::pin;
use std::sync::Arc;

/// Registered tools that one node gives an agent.
const MAX_TOOLS: usize = 128;
/// Problems of an answer that a model is told.
const MAX_SHOWN_PROBLEMS: usize = 5;

/// The type of the node.
pub const TOOL_REGISTRY: &str = "tool-registry";
const MCP_NODE: &str = "@n8n/n8n-nodes-langchain.mcpClientTool";
const MCP_NODE_VERSION: f64 = 1.2;

pub(crate) struct ToolRegistryNode;

impl Supplier for ToolRegistryNode {
    fn spec() -> Spec {
        tool_spec(
            TOOL_REGISTRY,
            &[1.0],
            "Registered tools",
            "Let an agent use the tools that a manifest declares",
        )
        .icon("wrench")
        .subtitle(&["{tools}"])
        .params([Param::text("tools", "Tools", "").required().help(
            "Names of registered tools, separated by commas. `*` stands for any letters, such as \
             `tickets.*`.",
        )])
        .hint("Use it for tools that several workflows share. `heddle tools list` shows them.")
        .alias(&["manifest", "openapi", "registry", "api", "mcp"])
        .note(
            "What a tool does, and who may use it, is declared in its manifest. A change of the \
             manifest takes effect with the next execution of the agent.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let chosen = patterns(&ctx.ctx().text("tools", ctx.item())?)?;
        let access = ctx.host().tool_registry();
        let all = access.registry.tools_of_workflow(&access.workflow).await?;
        let tools: Vec<_> = all.into_iter().filter(|tool| chosen.allow(&tool.name)).collect();
        for pattern in &chosen.0 {
            if !tools.iter().any(|tool| pattern.matches(&tool.name)) {
                let words = format!(
                    "No registered tool that this workflow may use is called '{}'",
                    pattern.as_str()
                );
                ctx.host().warn(words.into());
            }
        }
        if tools.len() > MAX_TOOLS {
            let message = format!(
                "{} registered tools are chosen; an agent gets at most {MAX_TOOLS} (MAX_TOOLS)",
                tools.len()
            );
            return Err(NodeError::parameter("tools", message).hint("Choose fewer tools."));
        }
        let mut supplied: Vec<Arc<dyn Tool>> = Vec::new();
        for tool in tools {
            match governed(&ctx, &tool).await {
                Ok(Some(governed)) => supplied.push(Arc::new(governed)),
                Ok(None) => {}
                // One that does not work leaves the others to the agent.
                Err(error) => {
                    let words = format!("'{}' is left out: {}", tool.name, error.message());
                    ctx.host().warn(words.into());
                }
            }
        }
        Ok(Supply::Tools(supplied))
    }
}

/// Why a JSON Schema cannot be used for arguments or answers, if it cannot.
pub fn schema_problem(schema: &Value) -> Option<String> {
    SchemaCheck::new(schema).err()
}

fn patterns(text: &str) -> Result<Patterns, NodeError> {
    let names = text.split([',', '\n']).map(str::trim).filter(|name| !name.is_empty());
    let patterns: Result<Vec<Pattern>, _> = names.map(Pattern::new).collect();
    let patterns = patterns.map_err(|error| NodeError::parameter("tools", error.to_string()))?;
    match patterns.is_empty() {
        true => Err(NodeError::parameter("tools", "No tools are chosen")
            .hint("Enter names of registered tools; `*` chooses all.")),
        false => Ok(Patterns(patterns)),
    }
}

/// The tool as an agent may call it; `None` if its server does not offer it.
async fn governed(
    ctx: &SupplyCtx,
    tool: &Arc<RegisteredTool>,
) -> Result<Option<GovernedTool>, NodeError> {
    let (supply, node_type) = match &tool.action {
        ToolAction::Http(http) => {
            let mut node = document(tool, TOOL_REGISTRY, 1.0, Object::new());
            let chosen = http.credential.iter().map(|chosen| (&chosen.kind, &chosen.id));
            node.insert("credentials", credentials(chosen));
            if let Some(header) = &http.idempotency_header {
                node.insert("idempotencyHeader", header.clone());
            }
            let seen = ctx
                .embedded(&node)
                .ok_or_else(|| NodeError::failed("Registered tools are not available here"))?;
            (registered::supply(seen, tool, http), Str::new())
        }
        ToolAction::Node(call) => {
            let node = node_document(tool, call);
            (ctx.host().embedded_supply(&node, ctx.item()).await?, call.type_name.clone())
        }
        ToolAction::Mcp(call) => {
            let node = mcp_document(tool, call);
            (ctx.host().embedded_supply(&node, ctx.item()).await?, MCP_NODE.into())
        }
    };
    let Supply::Tools(tools) = supply else {
        return Err(NodeError::failed("The node is no tool"));
    };
    let Some(inner) = tools.into_iter().next() else { return Ok(None) };
    GovernedTool::new(ctx, tool.clone(), inner, node_type).map(Some)
}

/// A node as a document has it. Its name tells its calls from those of others.
fn document(tool: &RegisteredTool, type_name: &str, version: f64, parameters: Object) -> Object {
    Object::from_iter([
        ("id", Value::from(tool.name.clone())),
        ("name", tool.name.clone().into()),
        ("type", type_name.into()),
        ("typeVersion", version.into()),
        ("parameters", parameters.into()),
    ])
}

fn credentials<'c>(chosen: impl Iterator<Item = (&'c Str, &'c Str)>) -> Object {
    chosen.map(|(kind, id)| (kind.clone(), json!({ "id": (id.as_str()) }))).collect()
}

fn node_document(tool: &RegisteredTool, call: &NodeCall) -> Object {
    let mut node = document(tool, &call.type_name, call.version, call.parameters.clone());
    let chosen = call.credentials.iter().map(|chosen| (&chosen.kind, &chosen.id));
    node.insert("credentials", credentials(chosen));
    if let Some(retry) = tool.retry {
        node.insert("retryOnFail", true);
        node.insert("maxTries", retry.attempts);
        node.insert("waitBetweenTries", retry.wait_ms as f64);
    }
    node
}

fn mcp_document(tool: &RegisteredTool, call: &McpCall) -> Object {
    let mut parameters = Object::from_iter([
        ("include", Value::from("selected")),
        ("includeTools", Value::array(vec![call.tool.clone().into()])),
    ]);
    let mut chosen = None;
    match &call.server {
        McpAddress::Configured(name) => {
            parameters.insert("server", name.clone());
        }
        McpAddress::Remote { url, credential } => {
            parameters.insert("endpointUrl", url.clone());
            parameters.insert("serverTransport", "httpStreamable");
            if let Some(credential) = credential {
                let authentication = match credential.kind.as_str() {
                    "httpBearerAuth" => "bearerAuth",
                    "httpHeaderAuth" => "headerAuth",
                    "httpMultipleHeadersAuth" => "multipleHeadersAuth",
                    other => other,
                };
                parameters.insert("authentication", authentication);
            }
            chosen = credential.as_ref();
        }
    }
    if let Some(timeout_ms) = tool.timeout_ms {
        parameters.insert("options", json!({ "timeout": (timeout_ms as f64) }));
    }
    let mut node = document(tool, MCP_NODE, MCP_NODE_VERSION, parameters);
    let chosen = chosen.into_iter().map(|chosen| (&chosen.kind, &chosen.id));
    node.insert("credentials", credentials(chosen));
    node
}

/// A tool within what its manifest says about it.
struct GovernedTool {
    ctx: SupplyCtx,
    tool: Arc<RegisteredTool>,
    inner: Arc<dyn Tool>,
    definition: ToolDefinition,
    source: ToolSource,
    output: Option<SchemaCheck>,
}

impl GovernedTool {
    fn new(
        ctx: &SupplyCtx,
        tool: Arc<RegisteredTool>,
        inner: Arc<dyn Tool>,
        node_type: Str,
    ) -> Result<Self, NodeError> {
        let known = inner.definition();
        let (parameters, description) = (&tool.input, &tool.description);
        let mut definition = ToolDefinition {
            name: tool_name(&tool.name),
            description: match description.is_empty() {
                true => known.description.clone(),
                false => description.clone(),
            },
            parameters: parameters.clone().unwrap_or_else(|| known.parameters.clone()),
            ..known.clone()
        };
        let derived = SideEffect::of(known, known.flow.sends);
        definition.effect = match (known.effect, tool.class(tool.effect, derived)) {
            // These know better than a manifest what becomes of a call that was cut off.
            (ToolEffect::Resumes | ToolEffect::Dynamic, _) => known.effect,
            (_, SideEffect::Read) => ToolEffect::None,
            (_, SideEffect::Write | SideEffect::Send | SideEffect::Spend) => ToolEffect::Changes,
        };
        let output = tool.output.as_ref().map(SchemaCheck::new).transpose().map_err(|problem| {
            NodeError::failed(format!("Its output schema cannot be used: {problem}"))
        })?;
        let server = inner.source().server.clone();
        let source = ToolSource { node_type, server };
        Ok(Self { ctx: ctx.clone(), tool, inner, definition, source, output })
    }

    async fn call_in_time(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let answer = self.inner.call(arguments, context);
        let Some(timeout_ms) = self.tool.timeout_ms else { return answer.await };
        // What finds its call again is not cut off: nobody would ask for the result.
        if self.definition.effect == ToolEffect::Resumes {
            return answer.await;
        }
        let time = async {
            // A run that is cancelled ends the call itself.
            if self.ctx.host().sleep(timeout_ms).await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        match select(pin!(answer), pin!(time)).await {
            Either::Left((answer, _)) => answer,
            Either::Right(((), _)) => {
                let effect = match self.definition.effect {
                    ToolEffect::None => "",
                    _ => " It may have taken effect.",
                };
                let seconds = timeout_ms as f64 / 1000.0;
                let message = format!("'{}' timed out after {seconds} s.{effect}", self.tool.name);
                Err(ToolFailure::new(message).with_cause(Code::UPSTREAM_TIMEOUT.name()))
            }
        }
    }

    fn check(&self, answer: &ToolOutput) -> Result<(), ToolFailure> {
        let problems = match &self.output {
            None => return Ok(()),
            Some(schema) => schema.problems(&answer.content),
        };
        if problems.is_empty() {
            return Ok(());
        }
        let effect = match self.definition.effect {
            ToolEffect::None => "",
            _ => " The call itself was made.",
        };
        let shown: Vec<String> = problems.into_iter().take(MAX_SHOWN_PROBLEMS).collect();
        let message = format!(
            "The answer of '{}' does not match its output schema ({}): {}.{effect}",
            self.tool.name,
            Code::TOOL_OUTPUT.name(),
            shown.join("; ")
        );
        Err(ToolFailure::new(message).with_cause(Code::TOOL_OUTPUT.name()))
    }
}

fn check_arguments(definition: &ToolDefinition, arguments: &Object) -> Result<(), ToolFailure> {
    let refused = |problem: &str| {
        let message = format!("The arguments of '{}' are wrong: {problem}", definition.name);
        ToolFailure::new(message).with_cause(Code::TOOL_ARGUMENT.name())
    };
    let schema = SchemaCheck::new(&definition.parameters).map_err(|problem| refused(&problem))?;
    let problems = schema.problems(&Value::from(arguments.clone()));
    match problems.is_empty() {
        true => Ok(()),
        false => {
            let shown: Vec<String> = problems.into_iter().take(MAX_SHOWN_PROBLEMS).collect();
            Err(refused(&shown.join("; ")))
        }
    }
}

#[async_trait::async_trait]
impl Tool for GovernedTool {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    fn sends(&self, arguments: &Object, context: &ToolCallContext) -> EgressTarget {
        self.inner.sends(arguments, context)
    }

    fn side_effect(&self) -> Option<SideEffect> {
        let declared = self.tool.effect?;
        let known = self.inner.definition();
        Some(self.tool.class(Some(declared), SideEffect::of(known, known.flow.sends)))
    }

    fn source(&self) -> &ToolSource {
        &self.source
    }

    async fn call(
        &self,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let access = self.ctx.host().tool_registry();
        let now_ms = self.ctx.host().now_ms();
        // An agent has compared the arguments with the definition; anybody else has not.
        if !context.is_authorized {
            check_arguments(&self.definition, &arguments)?;
        }
        if let Err(exceeded) = access.registry.count(&self.tool, &access.workflow, now_ms) {
            let failure = ToolFailure::new(words::tool_too_often(&self.tool.name, &exceeded));
            return Err(failure.with_cause(Code::RATE_LIMIT.name()));
        }
        let answer = self.call_in_time(arguments, context).await?;
        self.check(&answer)?;
        Ok(answer)
    }
}
