//! Offers the connected tools to clients of the Model Context Protocol, and makes their calls.

use super::agent_host::NodeAgentHost;
use super::agent_limits::{guarded, limited};
use super::{approval_options, sub_nodes};
use crate::triggers::node_params::NodeParams;
use crate::triggers::webhook::path::path_of;
use crate::triggers::webhook::route::unknown_auth;
use agent::{AgentError, AgentOptions, ToolUse, call_tool};
use model::Kind;
use node_api::ai::{ToolArguments, ToolCall};
use node_api::prelude::*;
use node_api::trigger::{
    MCP_ARGUMENTS_FIELD, MCP_METHOD, MCP_TOOL_FIELD, McpToolReply, Trigger, TriggerListener,
    TriggerSetup, WebhookAuth, WebhookRoute,
};

pub(crate) struct McpTrigger;

impl Node for McpTrigger {
    fn spec() -> Spec {
        let ways = [("none", "None"), ("bearerAuth", "Bearer auth"), ("headerAuth", "Header auth")];
        Spec::trigger(
            "@n8n/n8n-nodes-langchain.mcpTrigger",
            &[1.0, 1.1, 2.0],
            "MCP Server Trigger",
            "Offer tools to AI assistants over the Model Context Protocol (MCP)",
        )
        .icon("plug")
        .subtitle(&["/mcp/{path:name}"])
        .triggered_by(TriggerKind::Mcp)
        .initial(json!({ "path": "{id}" }))
        .inputs([Port::of(Kind::AiTool, "Tool")])
        .outputs([])
        .credential("httpBearerAuth", false)
        .credential("httpHeaderAuth", false)
        .params([
            Param::choice("authentication", "Authentication", &ways)
                .preset("none")
                .raw()
                .help("How clients authenticate."),
            Param::text("path", "Path", "").help("Last part of the MCP URL."),
            Param::collection("options", "Options", approval_options::params())
                .help("Approval of tool calls."),
        ])
        .hint(
            "Connect tools to it. A client that connects to its URL lists them and calls them; each \
             call is a run of the workflow.",
        )
        .alias(&["mcp", "model context protocol", "tools", "server", "claude", "assistant"])
        .records_steps()
        .note(
            "Clients connect with streamable HTTP. The older SSE transport of n8n's version 1 is \
             not offered; its URL with `/sse` takes streamable HTTP too.",
        )
        .note("The approval options are specific to Heddle; n8n ignores them.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let Some(call) = items.first().as_ref().and_then(call_of) else {
            return Ok(vec![Items::default()]);
        };
        let tools = sub_nodes::tools(ctx, 0).await?;
        let mut options = AgentOptions::default();
        approval_options::read(ctx, 0, &tools, &mut options)?;
        let guard = guarded(ctx, 0, tools)?;
        let world = NodeAgentHost::silent(ctx, 0);
        let used = match call_tool(&guard, &limited(ctx, options), &world, &call).await {
            Ok(used) => used,
            Err(AgentError::Approval { until_ms }) => {
                return Err(ctx.host().wait_for_person(until_ms).await);
            }
            Err(error) => return Err(error.into_node_error()),
        };
        Ok(vec![respond(ctx, used)])
    }
}

impl Trigger for McpTrigger {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        let given = NodeParams::new(setup.params);
        let path = path_of(setup, "path", &given.text("path"))?;
        let auth = match given.text("authentication").as_str() {
            "none" => WebhookAuth::None,
            "bearerAuth" => WebhookAuth::Bearer,
            "headerAuth" => WebhookAuth::Header,
            other => {
                let known = "'none', 'bearerAuth' or 'headerAuth'";
                return Err(unknown_auth("authentication", other, known));
            }
        };
        Ok(vec![TriggerListener::Mcp(WebhookRoute { auth, ..WebhookRoute::new(MCP_METHOD, path) })])
    }
}

/// The call that a run began with.
fn call_of(item: &Item) -> Option<ToolCall> {
    let name = item.json.get(MCP_TOOL_FIELD).and_then(Value::as_str)?.into();
    let arguments =
        item.json.get(MCP_ARGUMENTS_FIELD).and_then(Value::as_object).cloned().unwrap_or_default();
    Some(ToolCall {
        id: "call".into(),
        name,
        arguments: ToolArguments::Parsed(arguments),
        opaque: None,
    })
}

/// Answers whoever called, and puts out the same.
fn respond(ctx: &Ctx<'_>, used: ToolUse) -> Items {
    let reply = McpToolReply { content: used.content, is_error: used.is_error };
    let mut shown = Object::from_iter([(MCP_TOOL_FIELD, Value::from(used.name))]);
    shown.extend(reply.to_object());
    ctx.host().respond(reply.into_response());
    Items::one(Item::new(shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::NodeInfo;

    fn route(version: f64, params: Value) -> Result<WebhookRoute, NodeError> {
        let params = McpTrigger::spec().complete(version, params.as_object().unwrap());
        let node = NodeInfo { id: "n-1".into(), version, ..NodeInfo::default() };
        let setup = TriggerSetup {
            node: &node,
            params: &params,
            webhook_id: Some("u-1"),
            workflow_id: "w1",
            now_ms: 0,
            timezone: "UTC",
        };
        match McpTrigger::listeners(&setup)?.remove(0) {
            TriggerListener::Mcp(route) => Ok(route),
            _ => panic!("an MCP trigger listens for tool calls"),
        }
    }

    #[test]
    fn the_path_is_the_parameter_or_the_webhook_id() {
        for version in [1.0, 1.1, 2.0] {
            assert_eq!(route(version, json!({ "path": "/tickets/" })).unwrap().path, "tickets");
            assert_eq!(route(version, json!({})).unwrap().path, "u-1");
        }
    }

    #[test]
    fn an_unknown_authentication_does_not_open_the_server() {
        for (given, auth) in [
            ("none", WebhookAuth::None),
            ("bearerAuth", WebhookAuth::Bearer),
            ("headerAuth", WebhookAuth::Header),
        ] {
            assert_eq!(route(2.0, json!({ "authentication": given })).unwrap().auth, auth);
        }
        for given in [json!("oauth"), json!(""), json!("={{ 'none' }}"), Value::Null] {
            let error = route(2.0, json!({ "authentication": given })).unwrap_err();
            assert_eq!(error.code(), Code::NODE_PARAMETER);
        }
    }
}
