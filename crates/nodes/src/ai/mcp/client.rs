//! MCP Client: calls one tool of an MCP server as a step.

use super::results;
use super::target::{
    self, authentication_param, endpoint_param, server_param, timeout_param, transport_param,
    with_credentials,
};
use node_api::prelude::*;

pub(crate) struct McpClient;

impl Node for McpClient {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.mcpClient",
            &[1.0, 1.1],
            "MCP Client",
            "Call a tool of an MCP server",
        )
        .icon("wrench")
        .subtitle(&["{tool}"]);
        with_credentials(spec)
            .untrusted()
            .private()
            .sends_to("endpointUrl")
            .params([
                server_param(),
                endpoint_param(),
                transport_param(),
                authentication_param(),
                Param::locator("tool", "Tool", &["list", "id"])
                    .required()
                    .help("The tool to call, by its name."),
                Param::choice("inputMode", "Input mode", &[("manual", "Manual"), ("json", "JSON")])
                    .help("How the arguments of the tool are given."),
                Param::mapper("parameters", "Parameters")
                    .show("inputMode", &["manual"])
                    .help("Arguments of the tool."),
                Param::json("jsonInput", "JSON", "{}")
                    .show("inputMode", &["json"])
                    .help("Arguments of the tool, as a JSON object."),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("convertToBinary", "Convert to binary", true)
                            .help("Output images and audio as files instead of Base64."),
                        timeout_param(),
                    ],
                )
                .help("Call options."),
            ])
            .hint("Use it to run one known tool of an MCP server. Agents use MCP Client Tool.")
            .alias(&["mcp", "model context protocol", "tool"])
            .note(
                "The tool's definition is recorded on first use. If it changes later, the step \
                 fails with `MCP_TOOL_CHANGED` until somebody approves the change.",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for index in 0..items.len() {
            match call(ctx, index).await {
                Ok(item) => output.push(item.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error.on_item(index))?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn call(ctx: &Ctx<'_>, index: usize) -> Result<Item, NodeError> {
    let tool = ctx.param("tool", index)?;
    let tool = match tool.get("value") {
        Some(value) if !value.is_nullish() => value.to_js_string(),
        _ if tool.is_object() || tool.is_nullish() => Str::new(),
        _ => tool.to_js_string(),
    };
    if tool.trim().is_empty() {
        return Err(NodeError::parameter("tool", "No tool is chosen")
            .hint("Enter the name of a tool of the server."));
    }
    let param = match &*ctx.text("inputMode", index)? {
        "json" => "jsonInput",
        _ => "parameters.value",
    };
    let arguments = arguments(ctx.param(param, index)?, param)?;
    let connected = target::connect(ctx, index).await?;
    let result = connected.connection.call_tool(tool.trim(), &arguments, None).await?;
    if result.is_error {
        let message = format!("The tool '{}' failed", tool.trim());
        return Err(NodeError::new(model::Code::MCP_PROTOCOL, message)
            .describe(results::failure_text(&result)));
    }
    Ok(results::item(result, ctx.flag("options.convertToBinary", index)?))
}

/// Arguments as an object, or as the JSON text of one.
pub(super) fn arguments(value: Value, param: &str) -> Result<Object, NodeError> {
    let value = match value {
        Value::String(text) if text.trim().is_empty() => Value::Null,
        Value::String(text) => model::json::parse(&text).map_err(|error| {
            NodeError::parameter(param, format!("The arguments are not valid JSON: {error}"))
        })?,
        other => other,
    };
    match value {
        Value::Undefined | Value::Null => Ok(Object::new()),
        Value::Object(object) => {
            // A field that is left empty in the form is not sent.
            Ok(object
                .iter()
                .filter(|(_, value)| !value.is_nullish())
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect())
        }
        other => Err(NodeError::parameter(
            param,
            format!("The arguments are not an object but {}", other.kind_name()),
        )),
    }
}
