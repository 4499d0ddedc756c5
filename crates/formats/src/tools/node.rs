//! Nodes with fixed parameters, one tool for each operation, and tools of MCP servers.

use super::entry::{Common, description, name_in};
use super::fields::{Fields, Read};
use super::{ManifestContext, ManifestFinding, http};
use model::{Object, Str};
use ports::tools::{McpAddress, McpCall, NodeCall, RegisteredTool, ToolAction, ToolCredential};

const MAX_CREDENTIALS: usize = 5;

/// The operations of a node.
pub(super) fn tools(
    entry: &Fields<'_>,
    namespace: &str,
    common: &Common,
    context: &ManifestContext<'_>,
    findings: &mut Vec<ManifestFinding>,
) -> Read<Vec<RegisteredTool>> {
    let Some(node) = entry.fields("node")? else { return Err(entry.wrong("'node' is missing")) };
    node.check_keys(&["type", "version", "parameters", "credential", "credentials", "operations"])?;
    let type_name = node.required("type")?;
    let version = node.number("version", 0.0, 1_000.0)?;
    let version = (context.node_version)(type_name, version)
        .map_err(|problem| node.wrong_in("type", &problem))?;
    let shared = node.object("parameters")?;
    let credentials = credentials(&node)?;
    let Some(operations) = node.fields("operations")? else {
        return Err(node.wrong_in("operations", "is missing: it names the tools"));
    };
    if common.retry.is_some() && common.effect != Some(ports::policy::SideEffect::Read) {
        let problem = "would repeat a call that may change something; declare 'effect: read'";
        return Err(entry.wrong_in("retry", problem));
    }
    let mut tools = Vec::new();
    for (name, at) in operations.all() {
        let tool = name_in(&operations, namespace, name).and_then(|full| {
            let operation = Fields::of(at, &full)?;
            operation.check_keys(&["description", "parameters", "input", "output", "effect"])?;
            let Some(description) = description(&operation)? else {
                let problem = "is missing: it tells the model when to call the tool";
                return Err(operation.wrong_in("description", problem));
            };
            let mut parameters = shared.clone();
            let own: Object = operation.object("parameters")?;
            parameters.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
            let call = NodeCall {
                type_name: type_name.into(),
                version,
                parameters,
                credentials: credentials.clone(),
            };
            let input = operation.schema("input", true, context)?;
            let output = operation.schema("output", false, context)?;
            let effect = operation.effect("effect")?.or(common.effect);
            let common = Common { effect, ..common.clone() };
            let action = ToolAction::Node(Box::new(call));
            Ok(common.tool(full.clone(), description, input, output, action, context))
        });
        match tool {
            Ok(tool) => tools.push(tool),
            Err(finding) => findings.push(*finding),
        }
    }
    Ok(tools)
}

/// One credential, or one for each of several types.
fn credentials(node: &Fields<'_>) -> Read<Vec<ToolCredential>> {
    let mut chosen: Vec<ToolCredential> = http::credential(node)?.into_iter().collect();
    if let Some(more) = node.fields("credentials")? {
        for (kind, _) in more.all() {
            chosen.push(ToolCredential { kind: kind.clone(), id: more.required(kind)?.into() });
        }
    }
    match chosen.len() > MAX_CREDENTIALS {
        true => Err(node.wrong(format!("more than {MAX_CREDENTIALS} credentials"))),
        false => Ok(chosen),
    }
}

/// The listed tools of an MCP server.
pub(super) fn mcp_tools(
    entry: &Fields<'_>,
    namespace: &str,
    common: &Common,
    context: &ManifestContext<'_>,
    findings: &mut Vec<ManifestFinding>,
) -> Read<Vec<RegisteredTool>> {
    let Some(mcp) = entry.fields("mcp")? else { return Err(entry.wrong("'mcp' is missing")) };
    mcp.check_keys(&["server", "url", "credential", "tools"])?;
    if common.retry.is_some() {
        return Err(entry.wrong_in("retry", "is not available for tools of MCP servers"));
    }
    let server = match (mcp.text("server")?, mcp.text("url")?) {
        (Some(name), None) if mcp.get("credential").is_none() => {
            McpAddress::Configured(name.into())
        }
        (None, Some(url)) => {
            http::address(url).map_err(|problem| mcp.wrong_in("url", &problem))?;
            if url.contains('{') {
                return Err(mcp.wrong_in("url", "has no places for arguments"));
            }
            McpAddress::Remote { url: url.into(), credential: http::credential(&mcp)? }
        }
        (Some(_), None) => {
            return Err(mcp.wrong_in("credential", "of a configured server is in mcp.json"));
        }
        _ => return Err(mcp.wrong("it needs either 'server' (of mcp.json) or 'url'")),
    };
    let Some(listed) = mcp.fields("tools")? else {
        return Err(mcp.wrong_in("tools", "is missing: it lists the tools that may be used"));
    };
    let mut tools = Vec::new();
    for (name, at) in listed.all() {
        let tool = Fields::of(at, namespace).and_then(|options| {
            options.check_keys(&["as", "description", "effect"])?;
            let alias = options.text("as")?.unwrap_or(name);
            let full: Str = name_in(&options, namespace, alias)?;
            let effect = options.effect("effect")?.or(common.effect);
            let common = Common { effect, ..common.clone() };
            let call = McpCall { server: server.clone(), tool: name.clone() };
            let action = ToolAction::Mcp(Box::new(call));
            let description = description(&options)?.unwrap_or_default();
            Ok(common.tool(full, description, None, None, action, context))
        });
        match tool {
            Ok(tool) => tools.push(tool),
            Err(finding) => findings.push(*finding),
        }
    }
    Ok(tools)
}
