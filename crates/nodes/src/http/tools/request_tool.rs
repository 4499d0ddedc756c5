//! A tool with which a model makes requests of its own, within what the node allows.

use super::super::auth::{AuthSession, HttpCredentials};
use super::super::draft::{DraftBody, RequestDraft, text_of};
use super::super::failure::RequestFailure;
use super::super::request::response::{body_text, headers};
use crate::ai::tools::fn_tool::{ToolInvocation, name_from_param, supply_tool, tool_spec};
use node_api::ai::{DataFlow, EgressTarget, Supply, ToolDefinition, ToolEffect};
use node_api::hosts::HostAllowlist;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

const METHODS: [(&str, &str); 4] =
    [("GET", "GET"), ("POST", "POST"), ("PUT", "PUT"), ("DELETE", "DELETE")];

pub(crate) struct HttpRequestTool;

impl Supplier for HttpRequestTool {
    fn spec() -> Spec {
        let kinds = [
            ("none", "None"),
            ("httpBasicAuth", "Basic auth"),
            ("httpHeaderAuth", "Header, such as an API key"),
            ("httpBearerAuth", "Bearer token"),
            ("httpQueryAuth", "Query, such as an API key"),
        ];
        let options = [
            Param::number("timeout", "Timeout", 30_000)
                .at_least(1.0)
                .help("Request timeout in milliseconds."),
            Param::flag("followRedirects", "Follow redirects", true)
                .help("Whether to follow redirects."),
            Param::number("maxRedirects", "Max redirects", 5)
                .at_least(0.0)
                .help("Maximum number of redirects to follow."),
            Param::number("maxResponseBytes", "Largest answer", 1_000_000)
                .at_least(1.0)
                .help("Maximum response size in bytes. Larger responses fail."),
        ];
        let spec = tool_spec(
            "http-request-tool",
            &[1.0],
            "HTTP Request (any URL)",
            "Let an agent choose the URL and method of its requests",
        )
        .icon("globe")
        .initial(json!({ "methods": ["GET"] }))
        .subtitle(&["{method?GET} {url:url}"])
        .params([
            Param::text("name", "Name", "http_request").help("Name of the tool for the model."),
            Param::long_text(
                "description",
                "Description",
                "Makes an HTTP request and returns its status, headers and body.",
            )
            .help("Description of the tool for the model."),
            Param::multi_choice("methods", "Methods", &METHODS)
                .preset(json!(["GET", "POST", "PUT", "DELETE"]))
                .help("Methods the model may use. With GET alone, the tool counts as read-only."),
            Param::text("allowedHosts", "Allowed hosts", "").help(
                "Comma-separated hosts that may be called. `*.` at the start matches \
                         subdomains. If empty, all hosts are allowed.",
            ),
            Param::choice("authentication", "Authentication", &kinds).help(
                "Credential added to every request. It requires allowed hosts, because the \
                         model chooses the URL.",
            ),
            Param::collection("options", "Options", options).help("Request options."),
        ])
        .hint(
            "For research, when the URL is not known in advance. For a specific API, use HTTP \
                 Request as a tool. If the model reads untrusted text, restrict the tool to \
                 specific hosts.",
        )
        .alias(&["api", "rest", "web", "fetch"])
        .note("Private networks are blocked unless allowed with HEDDLE_EGRESS_ALLOW.");
        kinds.iter().skip(1).fold(spec, |spec, (kind, _)| spec.credential(kind, false))
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let methods = inner.param("methods", item)?;
        let methods: Vec<Value> = methods.as_array().unwrap_or_default().to_vec();
        let hosts = hosts(&inner.text("allowedHosts", item)?);
        if hosts.is_any() && inner.text("authentication", item)? != "none" {
            return Err(NodeError::parameter(
                "allowedHosts",
                "A credential is set, but no allowed hosts",
            )
            .hint(
                "Enter the hosts that the credential is for, because the model chooses the URL.",
            ));
        }
        let changes = methods.iter().any(|method| method.as_str() != Some("GET"));
        let parameters = json!({
            "type": "object",
            "properties": {
                "url": { "type": "string", "description": "The full URL, starting with https://" },
                "method": { "type": "string", "enum": (Value::array(methods)) },
                "headers": { "type": "object", "additionalProperties": { "type": "string" }, "description": "Headers by name" },
                "body": { "description": "The body: text is sent as is, anything else as JSON" }
            },
            "required": ["url", "method"],
            "additionalProperties": false
        });
        let definition = ToolDefinition {
            name: name_from_param(&ctx, "name")?,
            description: inner.text("description", item)?,
            parameters,
            effect: if changes { ToolEffect::Changes } else { ToolEffect::None },
            flow: DataFlow {
                untrusted: true,
                private: inner.text("authentication", item)? != "none",
                sends: if hosts.is_any() {
                    EgressTarget::ModelChosen
                } else {
                    EgressTarget::Declared
                },
            },
        };
        Ok(supply_tool(ctx, definition, move |call| request(call, hosts.clone())))
    }
}

async fn request(call: ToolInvocation, hosts: HostAllowlist) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let url = call.text("url");
    check(&url, &hosts)?;
    let mut draft = RequestDraft::new(&call.text("method"), &url);
    draft.hosts = hosts;
    for (name, value) in
        call.arguments.get("headers").and_then(Value::as_object).into_iter().flat_map(Object::iter)
    {
        draft.set_header(name, text_of(value));
    }
    draft.body = match call.arguments.get("body") {
        None | Some(Value::Null | Value::Undefined) => DraftBody::None,
        Some(Value::String(text)) => {
            let content_type = Some("text/plain; charset=utf-8".to_owned());
            DraftBody::Raw { data: text.to_string().into(), content_type }
        }
        Some(value) => DraftBody::Json(value.clone()),
    };
    let option = |name: &str| ctx.param(&format!("options.{name}"), item);
    draft.timeout_ms = option("timeout")?.as_usize().unwrap_or(30_000) as u64;
    let most = option("maxRedirects")?.as_usize().unwrap_or(5);
    draft.redirects = (option("followRedirects")?.as_bool() != Some(false)).then_some(most);
    draft.max_response_bytes = Some(option("maxResponseBytes")?.as_usize().unwrap_or(1_000_000));
    draft = draft.pin_to_host(&ctx);
    let credentials = match ctx.text("authentication", item)?.as_str() {
        "none" => HttpCredentials::default(),
        kind => HttpCredentials::generic(&ctx, kind, item)?,
    };
    let session = AuthSession::default();
    let sent = credentials.send(&ctx, &session, draft).await;
    let secrets = credentials.secrets(&session).await;
    let response = match sent {
        Ok(response) => response,
        Err(RequestFailure::Network(
            error @ (HttpError::Blocked { .. }
            | HttpError::Url { .. }
            | HttpError::HostNotAllowed { .. }),
        )) => {
            return Err(NodeError::new(
                error.code(),
                secrets.hide(&format!("Security validation failed: {error}")),
            ));
        }
        Err(failure) => return Err(failure.into_error(&secrets)),
    };
    let body = body_text(&response)?;
    let is_json = response.header("content-type").is_some_and(|kind| kind.contains("json"));
    let body = model::json::parse(&body).ok().filter(|_| is_json).unwrap_or_else(|| body.into());
    let answer = Object::from_iter([
        ("status", Value::from(response.status)),
        ("headers", headers(&response).into()),
        ("body", body),
    ]);
    Ok(secrets.hide_in(answer.into()))
}

/// The hosts that a node allows; any if it names none.
fn hosts(text: &str) -> HostAllowlist {
    if text.trim().is_empty() { HostAllowlist::Any } else { HostAllowlist::parse_list(text) }
}

/// The address must be one of the web, at a host that the node allows. Where redirects lead is
/// compared with them by the client.
fn check(url: &str, hosts: &HostAllowlist) -> Result<(), NodeError> {
    let refused = |why: String| {
        Err(NodeError::new(Code::EGRESS_URL, format!("Security validation failed: {why}")))
    };
    let parsed = match url::Url::parse(url) {
        Ok(parsed) if matches!(parsed.scheme(), "http" | "https") => parsed,
        Ok(parsed) => return refused(format!("the scheme '{}' is not supported", parsed.scheme())),
        Err(error) => return refused(format!("the URL is not valid: {error}")),
    };
    match hosts.allow(&parsed) {
        true => Ok(()),
        false => refused(format!(
            "the host {} is not allowed; allowed hosts: {hosts}",
            parsed.host_str().unwrap_or_default()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_hosts_are_called() {
        let allowed = hosts("api.test, *.b.test");
        for url in ["https://api.test/x", "http://API.test.:8080/", "https://x.b.test"] {
            assert!(check(url, &allowed).is_ok(), "{url}");
        }
        let wrong = [
            "https://evil.test",
            "https://api.test@evil.test/",
            "https://b.test",
            "https://xb.test",
            "ftp://api.test",
            "api.test",
            "",
        ];
        for url in wrong {
            let error = check(url, &allowed).unwrap_err();
            assert!(error.message().starts_with("Security validation failed: "), "{url}: {error}");
        }
        assert!(check("https://anything.test", &HostAllowlist::Any).is_ok());
    }
}
