//! Sends a GraphQL query to an endpoint and gives back the answer.

use super::auth::{AuthSession, HttpCredentials};
use super::draft::{DraftBody, RequestDraft, text_of};
use super::failure::RequestFailure;
use super::secrets::Secrets;
use node_api::ErrorClass;
use node_api::prelude::*;
use node_api::untrusted::read_json;

pub(crate) struct GraphQl;

const AUTHENTICATIONS: &[(&str, &str)] = &[
    ("none", "None"),
    ("basicAuth", "Basic Auth"),
    ("customAuth", "Custom Auth"),
    ("digestAuth", "Digest Auth"),
    ("headerAuth", "Header Auth"),
    ("oAuth1", "OAuth1"),
    ("oAuth2", "OAuth2"),
    ("queryAuth", "Query Auth"),
];

impl Node for GraphQl {
    fn spec() -> Spec {
        let formats = [("graphql", "GraphQL (Raw)"), ("json", "JSON")];
        let mut spec = Spec::new(
            "n8n-nodes-base.graphql",
            &[1.0, 1.1],
            "GraphQL",
            "Send a GraphQL query to an endpoint",
        )
        .icon("waypoints")
        .subtitle(&["{requestMethod?GET} {endpoint:url}"])
        .untrusted()
        .sends_to("endpoint")
        .group(NodeGroup::Integration)
        .param(
            Param::choice("authentication", "Authentication", AUTHENTICATIONS)
                .help("How to authenticate the request."),
        )
        .param(
            Param::choice(
                "requestMethod",
                "HTTP request method",
                &[("GET", "GET"), ("POST", "POST")],
            )
            .preset("POST")
            .help("HTTP method that the endpoint expects."),
        )
        .param(
            Param::text("endpoint", "Endpoint", "")
                .required()
                .help("The URL of the GraphQL endpoint."),
        )
        .param(
            Param::flag("allowUnauthorizedCerts", "Ignore SSL issues", false)
                .help("Accept certificates that cannot be verified."),
        )
        .param(
            Param::choice("requestFormat", "Request format", &formats)
                .versions(&[1.0])
                .show("requestMethod", &["POST"])
                .help("Whether to send the query as is, or as JSON with its variables."),
        )
        .param(
            Param::choice("requestFormat", "Request format", &formats)
                .preset("json")
                .since(1.1)
                .show("requestMethod", &["POST"])
                .help("Whether to send the query as is, or as JSON with its variables."),
        )
        .param(
            Param::long_text("query", "Query", "")
                .required()
                .help("The GraphQL query or mutation."),
        )
        .param(
            Param::json("variables", "Variables", "")
                .show("requestFormat", &["json"])
                .help("The variables of the query, as JSON."),
        )
        .param(
            Param::text("operationName", "Operation name", "")
                .show("requestFormat", &["json"])
                .help("Which operation to run when the query holds several."),
        )
        .param(
            Param::choice(
                "responseFormat",
                "Response format",
                &[("json", "JSON"), ("string", "String")],
            )
            .help("Whether to parse the response as JSON or return it as text."),
        )
        .param(
            Param::text("dataPropertyName", "Response data property name", "data")
                .show("responseFormat", &["string"])
                .help("Field for the response text."),
        )
        .param(
            Param::repeated(
                "headerParametersUi",
                "Headers",
                [FieldGroup::new(
                    "parameter",
                    "Parameter",
                    [
                        Param::text("name", "Name", "").help("The name of the header."),
                        Param::text("value", "Value", "").help("The value of the header."),
                    ],
                )],
            )
            .help("Headers to send."),
        )
        .hint(
            "Use it for services with a GraphQL API, such as GitHub, Shopify or Hasura. Put \
                 values in variables instead of the query text.",
        );
        for (_, kind) in KINDS {
            spec = spec.credential(kind, false);
        }
        spec
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let session = AuthSession::default();
        let mut output = ctx.builder();
        for index in 0..items.len() {
            match run_item(ctx, &session, index).await {
                Ok(item) => output.push(item.paired_with(index)),
                // This node tells only the message of a failed item.
                Err((failure, secrets)) => {
                    output.push(ctx.failed_item(index, failure.into_error(&secrets))?)
                }
            }
        }
        Ok(vec![output.finish()])
    }
}

const KINDS: &[(&str, &str)] = &[
    ("basicAuth", "httpBasicAuth"),
    ("customAuth", "httpCustomAuth"),
    ("digestAuth", "httpDigestAuth"),
    ("headerAuth", "httpHeaderAuth"),
    ("oAuth1", "oAuth1Api"),
    ("oAuth2", "oAuth2Api"),
    ("queryAuth", "httpQueryAuth"),
];

async fn run_item(
    ctx: &Ctx<'_>,
    session: &AuthSession,
    index: usize,
) -> Result<Item, (RequestFailure, Secrets)> {
    let credentials =
        credentials(ctx, index).map_err(|error| (error.into(), Secrets::default()))?;
    let made = async {
        let draft = draft(ctx, index)?;
        let mut response = credentials.send(ctx, session, draft).await?;
        if !response.is_success() {
            return Err(RequestFailure::Status(response));
        }
        let secrets = credentials.secrets(session).await;
        let body = response.body.clone();
        let text = String::from_utf8_lossy(&body);
        if ctx.text("responseFormat", index)? == "string" {
            let property = ctx.text("dataPropertyName", index)?;
            let property = if property.is_empty() { "data".into() } else { property };
            let value = secrets.hide_in(Value::from(text.as_ref()));
            return Ok(Item::new(Object::from_iter([(property, value)])));
        }
        let answer = read_json(&text, &mut response.reservation).await.map_err(|error| {
            let not_json = || {
                NodeError::failed(
                    "Response body is not valid JSON. Change \"Response Format\" to \"String\"",
                )
            };
            error.to_node_error("The answer", Code::UPSTREAM_TOO_LARGE).unwrap_or_else(not_json)
        })?;
        let answer = secrets.hide_in(answer);
        if let Some(errors) = answer.get("errors").filter(|errors| errors.is_truthy()) {
            return Err(errors_in(errors, response.status).into());
        }
        Ok(Item::new(answer))
    };
    match made.await {
        Ok(item) => Ok(item),
        Err(failure) => Err((failure, credentials.secrets(session).await)),
    }
}

/// The error for an answer that carries a list of them.
fn errors_in(errors: &Value, status: u16) -> NodeError {
    let messages: Vec<String> = match errors {
        Value::Array(errors) => {
            errors.iter().filter_map(|error| error.get("message")).map(text_of).collect()
        }
        one => one.get("message").map(text_of).into_iter().collect(),
    };
    let message =
        if messages.is_empty() { "Unexpected error".to_owned() } else { messages.join(", ") };
    NodeError::new(Code::UPSTREAM_STATUS, message)
        .class(ErrorClass::Api)
        .with("errors", errors.clone())
        .with("httpCode", status.to_string())
}

fn credentials(ctx: &Ctx<'_>, index: usize) -> Result<HttpCredentials, NodeError> {
    let chosen = ctx.text("authentication", index)?;
    match KINDS.iter().find(|(name, _)| *name == chosen) {
        Some((_, kind)) => HttpCredentials::generic(ctx, kind, index),
        None => Ok(HttpCredentials::default()),
    }
}

fn draft(ctx: &Ctx<'_>, index: usize) -> Result<RequestDraft, NodeError> {
    let method = ctx.text("requestMethod", index)?.to_uppercase();
    let is_get = method == "GET";
    let endpoint = ctx.text("endpoint", index)?;
    let mut draft = RequestDraft::new(if is_get { "GET" } else { "POST" }, endpoint.trim())
        .chosen_in(ctx, "endpoint", index);
    let format = ctx.text("requestFormat", index)?;
    draft.allow_invalid_certificates = ctx.flag("allowUnauthorizedCerts", index)?;
    if !is_get {
        draft.set_header(
            "content-type",
            if format == "json" { "application/json" } else { "application/graphql" },
        );
    }
    draft.set_header("accept", "application/json");
    for (name, value) in headers(&ctx.param("headerParametersUi.parameter", index)?) {
        draft.set_header(&name, value);
    }
    draft.check_host_header(ctx, "headerParametersUi.parameter", index, headers)?;
    let query = ctx.text("query", index)?;
    if is_get {
        draft.query.insert("query", query);
    } else if format == "json" {
        let name = ctx.text("operationName", index)?;
        let body = Object::from_iter([
            ("query", Value::from(query)),
            ("variables", variables(ctx, index)?),
            ("operationName", if name.is_empty() { Value::Null } else { name.into() }),
        ]);
        draft.body = DraftBody::Json(Value::object(body));
    } else {
        draft.body = DraftBody::Raw { data: query.to_string().into(), content_type: None };
    }
    Ok(draft.pin_to_host(ctx))
}

fn headers(entries: &Value) -> Vec<(String, String)> {
    let pair = |entry: &Value| {
        let field = |name: &str| entry.get(name).map(text_of).unwrap_or_default();
        (field("name"), field("value"))
    };
    entries
        .as_array()
        .unwrap_or_default()
        .iter()
        .map(pair)
        .filter(|(name, _)| !name.is_empty())
        .collect()
}

fn variables(ctx: &Ctx<'_>, index: usize) -> Result<Value, NodeError> {
    match ctx.param("variables", index)? {
        Value::String(text) if text.trim().is_empty() => Ok(Value::empty_object()),
        Value::Undefined | Value::Null => Ok(Value::empty_object()),
        Value::String(text) => model::json::parse(&text).map_err(|problem| {
            NodeError::parameter(
                "variables",
                format!("Using variables failed:\n{text}\n\nWith error message:\n{problem}"),
            )
            .on_item(index)
        }),
        value => Ok(value),
    }
}
