//! One entry of a manifest: what all kinds of tools have in common.

use super::fields::{Fields, Read};
use super::located::Located;
use super::{
    MAX_TOOL_DESCRIPTION, MAX_TOOL_NAME, MAX_TOOL_SECONDS, ManifestContext, ManifestFinding, http,
    node, openapi,
};
use model::{Str, Value};
use ports::policy::SideEffect;
use ports::tools::{RegisteredTool, ToolAccess, ToolAction, ToolRateLimit, ToolRetry};

const KINDS: [&str; 4] = ["http", "openapi", "node", "mcp"];
pub(super) const COMMON: [&str; 6] =
    ["effect", "timeout", "retry", "rate_limit", "allow", "description"];
const MAX_ATTEMPTS: f64 = 10.0;
const MAX_WAIT_SECONDS: f64 = 300.0;
const MAX_CALLS: f64 = 1_000_000.0;
const MAX_WINDOW_SECONDS: f64 = 31.0 * 24.0 * 3600.0;

/// What the tools of an entry share.
#[derive(Clone)]
pub(super) struct Common {
    pub(super) effect: Option<SideEffect>,
    pub(super) timeout_ms: Option<u64>,
    pub(super) retry: Option<ToolRetry>,
    pub(super) limit: Option<ToolRateLimit>,
    pub(super) allow: ToolAccess,
}

/// The tools of an entry, and what is wrong with it.
pub(super) fn read(
    at: &Located,
    place: &str,
    context: &ManifestContext<'_>,
) -> (Vec<RegisteredTool>, Vec<ManifestFinding>) {
    let mut findings = Vec::new();
    let tools = tools(at, place, context, &mut findings).unwrap_or_else(|finding| {
        findings.push(*finding);
        Vec::new()
    });
    (tools, findings)
}

fn tools(
    at: &Located,
    place: &str,
    context: &ManifestContext<'_>,
    findings: &mut Vec<ManifestFinding>,
) -> Read<Vec<RegisteredTool>> {
    let entry = Fields::of(at, place)?;
    let given: Vec<&str> = KINDS.into_iter().filter(|kind| entry.get(kind).is_some()).collect();
    let [kind] = given.as_slice() else {
        return Err(entry.wrong("it needs exactly one of http, openapi, node and mcp"));
    };
    let own: &[&str] = match *kind {
        "http" => &["name", "http", "input", "output"],
        "openapi" => &["namespace", "openapi"],
        "node" => &["namespace", "node"],
        _ => &["namespace", "mcp"],
    };
    entry.check_keys(&[own, &COMMON[..]].concat())?;
    let key = if *kind == "http" { "name" } else { "namespace" };
    let name = entry.required(key)?;
    check_name(&entry, key, name)?;
    let entry = entry.at_place(name);
    let common = common(&entry)?;
    match *kind {
        "http" => Ok(vec![http_tool(&entry, name, common, context)?]),
        "openapi" => openapi::tools(&entry, name, &common, context, findings),
        "node" => node::tools(&entry, name, &common, context, findings),
        _ => node::mcp_tools(&entry, name, &common, context, findings),
    }
}

fn http_tool(
    entry: &Fields<'_>,
    name: &str,
    common: Common,
    context: &ManifestContext<'_>,
) -> Read<RegisteredTool> {
    let description = description(entry)?.ok_or_else(|| {
        entry.wrong_in("description", "is missing: it tells the model when to call the tool")
    })?;
    let input = entry.schema("input", true, context)?;
    let (request, input) = http::request(entry, input)?;
    check_retry(entry, &common, &request)?;
    let output = entry.schema("output", false, context)?;
    let action = ToolAction::Http(Box::new(request));
    Ok(common.tool(name.into(), description, Some(input), output, action, context))
}

/// A request that changes something is sent again only under a key that the service knows.
pub(super) fn check_retry(
    entry: &Fields<'_>,
    common: &Common,
    request: &ports::tools::HttpTool,
) -> Read<()> {
    let reads = common.effect.map_or_else(
        || matches!(request.method.as_str(), "GET" | "HEAD" | "OPTIONS"),
        |effect| effect == SideEffect::Read,
    );
    if common.retry.is_some() && !reads && request.idempotency_header.is_none() {
        let problem = "would repeat a call that changes something; declare 'effect: read', or name \
                       the 'idempotency_header' by which the service knows a repeated request";
        return Err(entry.wrong_in("retry", problem));
    }
    Ok(())
}

impl Common {
    pub(super) fn tool(
        self,
        name: Str,
        description: Str,
        input: Option<Value>,
        output: Option<Value>,
        action: ToolAction,
        context: &ManifestContext<'_>,
    ) -> RegisteredTool {
        RegisteredTool {
            name,
            description,
            input,
            output,
            effect: self.effect,
            timeout_ms: self.timeout_ms,
            retry: self.retry,
            limit: self.limit,
            allow: self.allow,
            action,
            origin: context.origin.clone(),
        }
    }
}

fn common(entry: &Fields<'_>) -> Read<Common> {
    let retry = match entry.fields("retry")? {
        None => None,
        Some(retry) => {
            retry.check_keys(&["attempts", "wait"])?;
            let attempts = retry.number("attempts", 1.0, MAX_ATTEMPTS)?.unwrap_or(3.0) as u32;
            let wait = retry.number("wait", 0.0, MAX_WAIT_SECONDS)?.unwrap_or(1.0);
            Some(ToolRetry { attempts, wait_ms: (wait * 1000.0) as u64 })
        }
    };
    let limit = match entry.fields("rate_limit")? {
        None => None,
        Some(limit) => {
            limit.check_keys(&["calls", "seconds", "per"])?;
            let missing = |name| limit.wrong_in(name, "is missing");
            let calls = limit.number("calls", 1.0, MAX_CALLS)?.ok_or_else(|| missing("calls"))?;
            let seconds = limit
                .number("seconds", 1.0, MAX_WINDOW_SECONDS)?
                .ok_or_else(|| missing("seconds"))?;
            let per_workflow = match limit.text("per")? {
                None | Some("instance") => false,
                Some("workflow") => true,
                Some(_) => return Err(limit.wrong_in("per", "must be instance or workflow")),
            };
            let window_ms = (seconds * 1000.0) as i64;
            Some(ToolRateLimit { calls: calls as u32, window_ms, per_workflow })
        }
    };
    let allow = match entry.fields("allow")? {
        None => ToolAccess::default(),
        Some(allow) => {
            allow.check_keys(&["projects", "workflows", "roles"])?;
            ToolAccess {
                projects: allow.patterns("projects")?,
                workflows: allow.patterns("workflows")?,
                roles: allow.patterns("roles")?,
            }
        }
    };
    let timeout = entry.number("timeout", 0.1, MAX_TOOL_SECONDS)?;
    Ok(Common {
        effect: entry.effect("effect")?,
        timeout_ms: timeout.map(|seconds| (seconds * 1000.0) as u64),
        retry,
        limit,
        allow,
    })
}

pub(super) fn description(entry: &Fields<'_>) -> Read<Option<Str>> {
    let text = entry.text("description")?.filter(|text| !text.trim().is_empty());
    if text.is_some_and(|text| text.chars().count() > MAX_TOOL_DESCRIPTION) {
        let problem =
            format!("has more than {MAX_TOOL_DESCRIPTION} characters (MAX_TOOL_DESCRIPTION)");
        return Err(entry.wrong_in("description", &problem));
    }
    Ok(text.map(Str::from))
}

/// Words of letters, digits, `_` and `-` with dots between them.
pub(super) fn is_name(name: &str) -> bool {
    let is_word = |word: &str| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
    };
    name.len() <= MAX_TOOL_NAME && name.split('.').all(is_word)
}

fn check_name(entry: &Fields<'_>, key: &str, name: &str) -> Read<()> {
    match is_name(name) {
        true => Ok(()),
        false => {
            let problem = format!(
                "must be words of letters, digits, _ and - with dots between them, such as \
                 tickets.search, at most {MAX_TOOL_NAME} characters (MAX_TOOL_NAME)"
            );
            Err(entry.wrong_in(key, &problem))
        }
    }
}

/// The name of a tool in a namespace; a finding if it is none.
pub(super) fn name_in(entry: &Fields<'_>, namespace: &str, name: &str) -> Read<Str> {
    let full = format!("{namespace}.{name}");
    match is_name(&full) {
        true => Ok(full.into()),
        false => {
            let shown: String = full.chars().take(100).collect();
            let problem = format!(
                "'{shown}' is no name for a tool: words of letters, digits, _ and - with dots \
                 between them, at most {MAX_TOOL_NAME} characters (MAX_TOOL_NAME)"
            );
            Err(entry.wrong(problem))
        }
    }
}
