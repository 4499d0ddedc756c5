//! The community node `n8n-nodes-mcp`: every operation of an MCP server as a step, and as a tool.

use super::client::arguments;
use super::target::{self, AddressSource, Connected, server_param};
use super::{headers, results};
use node_api::mcp::{McpEndpoint, McpListKind, McpTarget, McpTransport};
use node_api::prelude::*;
use node_api::tool_name;

pub(crate) struct CommunityMcpClient;

impl Node for CommunityMcpClient {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-mcp.mcpClient", &[1.0], "MCP Client (community)", "Use an MCP server")
            .icon("wrench")
            .subtitle(&["{operation}"])
            .untrusted()
            .private()
            .credential("mcpClientApi", false)
            .credential("mcpClientSseApi", false)
            .credential("mcpClientHttpApi", false)
            .params([
                server_param(),
                Param::choice(
                    "connectionType",
                    "Connection type",
                    &[
                        ("cmd", "Command line (stdio)"),
                        ("sse", "Server-sent events (deprecated)"),
                        ("http", "HTTP streamable"),
                    ],
                )
                .help("How the server is reached."),
                Param::choice(
                    "operation",
                    "Operation",
                    &[
                        ("listTools", "List tools"),
                        ("executeTool", "Execute tool"),
                        ("listResources", "List resources"),
                        ("listResourceTemplates", "List resource templates"),
                        ("readResource", "Read resource"),
                        ("listPrompts", "List prompts"),
                        ("getPrompt", "Get prompt"),
                    ],
                )
                .help("What to do."),
                Param::text("toolName", "Tool name", "")
                    .required()
                    .show("operation", &["executeTool"])
                    .help("Name of the tool to execute."),
                Param::json("toolParameters", "Tool parameters", "{}")
                    .show("operation", &["executeTool"])
                    .help("Arguments of the tool, as a JSON object."),
                Param::text("resourceUri", "Resource URI", "")
                    .required()
                    .show("operation", &["readResource"])
                    .help("URI of the resource to read."),
                Param::text("promptName", "Prompt name", "")
                    .required()
                    .show("operation", &["getPrompt"])
                    .help("Name of the prompt."),
                Param::json("promptParameters", "Prompt parameters", "{}")
                    .show("operation", &["getPrompt"])
                    .help("Arguments of the prompt, as a JSON object of texts."),
            ])
            .repeatable_when(
                "operation",
                &[
                    "listTools",
                    "listResources",
                    "listResourceTemplates",
                    "readResource",
                    "listPrompts",
                    "getPrompt",
                ],
            )
            .hint("For imported workflows. New ones use MCP Client or MCP Client Tool.")
            .alias(&["mcp", "model context protocol"])
            .differs(
                "Commands of credentials are never started. The operator adds the server to \
                 `mcp.json`, and the node uses it by name.",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for index in 0..items.len() {
            match operate(ctx, index).await {
                Ok(item) => output.push(item.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error.on_item(index))?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn operate(ctx: &Ctx<'_>, index: usize) -> Result<Item, NodeError> {
    let connection = connect(ctx, index).await?.connection;
    let list = async |kind: McpListKind, field: &'static str| -> Result<Item, NodeError> {
        Ok(json_item(field, Value::array(connection.list(kind).await?)))
    };
    match &*ctx.text("operation", index)? {
        "listTools" => {
            let tools = connection.tools().await?;
            let tools = tools.iter().map(|tool| {
                Object::from_iter([
                    ("name", Value::from(tool.name.clone())),
                    ("description", tool.description.clone().into()),
                    ("schema", tool.input_schema.clone()),
                ])
                .into()
            });
            Ok(json_item("tools", Value::array(tools.collect())))
        }
        "executeTool" => {
            let name = ctx.text("toolName", index)?;
            let given = arguments(ctx.param("toolParameters", index)?, "toolParameters")?;
            let result = connection.call_tool(name.trim(), &given, None).await?;
            if result.is_error {
                let message = format!("The tool '{}' failed", name.trim());
                return Err(NodeError::new(model::Code::MCP_PROTOCOL, message)
                    .describe(results::failure_text(&result)));
            }
            let called = results::item(result, false);
            Ok(json_item("result", called.json.clone()))
        }
        "listResources" => list(McpListKind::Resources, "resources").await,
        "listResourceTemplates" => list(McpListKind::ResourceTemplates, "resourceTemplates").await,
        "readResource" => {
            let found = connection.read_resource(ctx.text("resourceUri", index)?.trim()).await?;
            let contents = Value::array(found.iter().map(results::resource).collect());
            Ok(json_item("resource", Object::from_iter([("contents", contents)]).into()))
        }
        "listPrompts" => list(McpListKind::Prompts, "prompts").await,
        "getPrompt" => {
            let name = ctx.text("promptName", index)?;
            let given = arguments(ctx.param("promptParameters", index)?, "promptParameters")?;
            Ok(json_item("prompt", connection.prompt(name.trim(), &given).await?))
        }
        other => {
            Err(NodeError::parameter("operation", format!("The operation '{other}' is not known")))
        }
    }
}

fn json_item(field: &str, value: Value) -> Item {
    Item { json: Object::from_iter([(Str::from(field), value)]).into(), ..Item::default() }
}

async fn connect(ctx: &Ctx<'_>, index: usize) -> Result<Connected, NodeError> {
    let named = ctx.text("server", index)?;
    if !named.trim().is_empty() {
        let address = AddressSource::of(ctx, "server");
        return target::connect_named(ctx, named.trim(), address, index).await;
    }
    let (kind, url_field, timeout_field, transport) = match &*ctx.text("connectionType", index)? {
        "http" => ("mcpClientHttpApi", "httpStreamUrl", "httpTimeout", McpTransport::Http),
        "sse" => ("mcpClientSseApi", "sseUrl", "sseTimeout", McpTransport::Sse),
        _ => return connect_command(ctx, index).await,
    };
    let credential = ctx.host().credential(kind, index)?;
    let text = |name: &str| credential.get(name).and_then(Value::as_str).unwrap_or_default();
    if text(url_field).trim().is_empty() {
        return Err(NodeError::credential("The credential has no URL"));
    }
    let timeout = credential.get(timeout_field).and_then(Value::as_f64);
    let endpoint = McpEndpoint {
        transport,
        url: target::with_scheme(text(url_field).trim()),
        headers: headers::pairs(text("headers")),
        bound: Some(credential.binding()),
        http: target::shared_http(ctx)?,
        timeout_ms: timeout.filter(|given| *given >= 1.0).map(|given| given as u64),
    };
    let connection = ctx.host().mcp().connect(McpTarget::Remote(Box::new(endpoint))).await?;
    Ok(Connected { connection, address: AddressSource::Fixed, has_credential: true })
}

/// A command of a credential is not started. A server of the operator's with the node's name takes
/// its place, or the error says what to add to the file.
async fn connect_command(ctx: &Ctx<'_>, index: usize) -> Result<Connected, NodeError> {
    let name = tool_name(&ctx.node().name).to_lowercase().trim_matches('_').replace("__", "_");
    let configured = ctx.host().mcp().configured().await;
    if configured.iter().any(|server| server.name == name.as_str()) {
        return target::connect_named(ctx, &name, AddressSource::Fixed, index).await;
    }
    let entry = match ctx.host().has_credential("mcpClientApi") {
        true => entry(&*ctx.host().credential("mcpClientApi", index)?),
        false => r#"{ "command": "…", "args": [] }"#.to_owned(),
    };
    let add = format!(r#"{{ "mcpServers": {{ "{name}": {entry} }} }}"#);
    Err(NodeError::disallowed("Workflows cannot start commands of MCP servers").hint(format!(
        "Ask the operator to add this to mcp.json in the data folder, with the values of the \
         variables: {add}. The node then uses it. To use another server, enter its name in \
         \"Server\"."
    )))
}

/// The command of a credential as an entry of the file. The values of its variables stay secret.
fn entry(credential: &Object) -> String {
    let text = |name: &str| credential.get(name).and_then(Value::as_str).unwrap_or_default();
    let args: Vec<Value> = text("args").split_whitespace().map(Value::from).collect();
    let names =
        text("environments").split([',', '\n', ' ']).filter_map(|pair| pair.split_once('='));
    let env: Object = names.map(|(name, _)| (Str::from(name.trim()), Value::from("…"))).collect();
    let mut entry = Object::from_iter([
        ("command", Value::from(text("command"))),
        ("args", Value::array(args)),
    ]);
    if !env.is_empty() {
        entry.insert("env", Value::from(env));
    }
    model::json::to_string(&entry.into())
}
