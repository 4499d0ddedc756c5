//! n8n's older HTTP Request tool: parts of the request are `{placeholders}` that the model fills
//! in.

use super::super::auth::AuthSession;
use super::super::draft::{DraftBody, RequestDraft, text_of};
use super::super::failure::RequestFailure;
use super::super::request::response::body_text;
use super::super::request::v3::credentials;
use super::optimize_response::ResponseOptimizer;
use super::placeholders::{fill, fill_json, names_in};
use crate::ai::tools::fn_tool::{ToolInvocation, effect_of, supply_tool, tool_spec};
use crate::field_type::parse_loose_json;
use node_api::ai::{DataFlow, EgressTarget, Supply, ToolDefinition};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};

pub(crate) struct ToolHttpRequest;

impl Supplier for ToolHttpRequest {
    fn spec() -> Spec {
        let methods = [
            ("DELETE", "DELETE"),
            ("GET", "GET"),
            ("PATCH", "PATCH"),
            ("POST", "POST"),
            ("PUT", "PUT"),
        ];
        let kinds = [
            ("none", "None"),
            ("predefinedCredentialType", "Predefined credential type"),
            ("genericCredentialType", "Generic credential type"),
        ];
        let definition = [
            Param::text("name", "Placeholder name", "").help("Name of the placeholder in braces."),
            Param::text("description", "Description", "")
                .help("Description of the value for the model."),
            Param::choice(
                "type",
                "Type",
                &[
                    ("not specified", "Not specified (default)"),
                    ("string", "String"),
                    ("number", "Number"),
                    ("boolean", "Boolean"),
                    ("json", "JSON"),
                ],
            )
            .help("Type of the value."),
        ];
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolHttpRequest",
            &[1.0, 1.1],
            "HTTP Request Tool",
            "Let an agent call a service",
        )
        .legacy()
        .icon("globe")
        .subtitle(&["{method?GET} {url:url}"])
        .params([
            Param::long_text("toolDescription", "Description", "")
                .help("Tells the model when to call the tool and what it returns."),
            Param::choice("method", "Method", &methods)
                .preset("GET")
                .help("HTTP method of the request."),
            Param::text("url", "URL", "")
                .required()
                .help("URL of the request. The model fills in the `{placeholders}`."),
            Param::choice("authentication", "Authentication", &kinds)
                .raw()
                .help("Credential for the request."),
            Param::credential_kind("nodeCredentialType", "Credential type")
                .show("authentication", &["predefinedCredentialType"])
                .help("Type of authentication."),
            Param::credential_kind("genericAuthType", "Generic auth type")
                .show("authentication", &["genericCredentialType"])
                .help("Type of credential."),
        ])
        .params(PARTS.iter().flat_map(RequestPart::params))
        .param(
            Param::repeated(
                "placeholderDefinitions",
                "Placeholder definitions",
                [FieldGroup::new("values", "Values", definition)],
            )
            .help("Descriptions of the placeholders for the model."),
        )
        .params(ResponseOptimizer::params())
        .repeatable_when("method", &["GET"])
        .hint("Only in older workflows; use HTTP Request as a tool in new ones.")
        .alias(&["api", "rest", "web"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let form = RequestTemplate::read(&ctx)?;
        let definition = ToolDefinition {
            name: tool_name_of(ctx.node()),
            description: ctx.ctx().text("toolDescription", ctx.item())?,
            parameters: form.schema(),
            effect: effect_of(&Self::spec(), &ctx),
            flow: DataFlow {
                untrusted: true,
                private: ctx.ctx().text("authentication", ctx.item())? != "none",
                // A host without placeholders is kept to when they are filled in.
                sends: if names_in(host_of(&form.url)).is_empty() {
                    EgressTarget::Declared
                } else {
                    EgressTarget::ModelChosen
                },
            },
        };
        let form = std::sync::Arc::new(form);
        Ok(supply_tool(ctx, definition, move |call| request(call, form.clone())))
    }
}

/// A part of the request, and what its parameters are called.
struct RequestPart {
    send: &'static str,
    specify: &'static str,
    pairs: &'static str,
    json: &'static str,
    /// What the model calls it when it gives all of it.
    whole: &'static str,
    label: &'static str,
}

const PARTS: [RequestPart; 3] = [
    RequestPart {
        send: "sendQuery",
        specify: "specifyQuery",
        pairs: "parametersQuery",
        json: "jsonQuery",
        whole: "qs",
        label: "query parameters",
    },
    RequestPart {
        send: "sendHeaders",
        specify: "specifyHeaders",
        pairs: "parametersHeaders",
        json: "jsonHeaders",
        whole: "headers",
        label: "headers",
    },
    RequestPart {
        send: "sendBody",
        specify: "specifyBody",
        pairs: "parametersBody",
        json: "jsonBody",
        whole: "body",
        label: "body",
    },
];

impl RequestPart {
    fn params(&self) -> Vec<Param> {
        let ways = [
            ("keypair", "Using fields below"),
            ("json", "Using JSON below"),
            ("model", "Let model specify all"),
        ];
        let providers = [
            ("modelRequired", "By model (and is required)"),
            ("modelOptional", "By model (but is optional)"),
            ("fieldValue", "Using field below"),
        ];
        let entry = [
            Param::text("name", "Name", "").help("The name of the value."),
            Param::choice("valueProvider", "Value provided", &providers)
                .help("Who provides the value."),
            Param::text("value", "Value", "")
                .show("valueProvider", &["fieldValue"])
                .help("The value. `{placeholders}` are filled in."),
        ];
        let label = self.label;
        vec![
            Param::flag(self.send, &format!("Send {label}"), false)
                .raw()
                .help(&format!("Whether to send {label}.")),
            Param::choice(self.specify, &format!("Specify {label}"), &ways)
                .show(self.send, &[true])
                .help("Who defines what is sent, and how."),
            Param::repeated(self.pairs, label, [FieldGroup::new("values", "Values", entry)])
                .show(self.send, &[true])
                .show(self.specify, &["keypair"])
                .help("The values one by one."),
            Param::json(self.json, "JSON", "")
                .show(self.send, &[true])
                .show(self.specify, &["json"])
                .help("A JSON object. The model fills in the `{placeholders}`."),
        ]
    }
}

/// What the form says about one part.
enum PartInput {
    Nothing,
    /// The model gives an object.
    ByModel,
    /// JSON with placeholders.
    Json(String),
    /// Texts with placeholders, and names that the model gives values for.
    Pairs {
        fixed: Vec<(Str, String)>,
        by_model: Vec<(Str, bool)>,
    },
}

/// The form for one item, before the model has filled anything in.
struct RequestTemplate {
    method: Str,
    url: String,
    parts: [PartInput; 3],
    definitions: Vec<Value>,
}

impl RequestTemplate {
    fn read(ctx: &SupplyCtx) -> Result<Self, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let url = inner.text("url", item)?.to_string();
        if inner.text("authentication", item)? != "none" && !names_in(host_of(&url)).is_empty() {
            return Err(NodeError::parameter(
                "url",
                "Can't use a placeholder for the domain when using authentication",
            )
            .describe("The model would choose where the credential is sent."));
        }
        let read = |part: &RequestPart| read_part(&inner, part, item);
        let parts = [read(&PARTS[0])?, read(&PARTS[1])?, read(&PARTS[2])?];
        let definitions = inner
            .param("placeholderDefinitions.values", item)?
            .as_array()
            .unwrap_or_default()
            .to_vec();
        let form = Self { method: inner.text("method", item)?, url, parts, definitions };
        let asked: Vec<Str> = form.model_arguments().into_iter().map(|(name, _)| name).collect();
        match form.definitions.iter().map(name_of).find(|name| !asked.contains(name)) {
            Some(name) => Err(NodeError::parameter(
                "placeholderDefinitions",
                format!("Misconfigured placeholder '{name}'"),
            )
            .describe("The placeholder is defined, but not used in the request.")),
            None => Ok(form),
        }
    }

    /// What the model gives, and whether it must.
    fn model_arguments(&self) -> Vec<(Str, bool)> {
        let must =
            |text: &str| names_in(text).into_iter().map(|name| (name, true)).collect::<Vec<_>>();
        let mut asked = must(&self.url);
        for (part, filled) in PARTS.iter().zip(&self.parts) {
            match filled {
                PartInput::Nothing => {}
                PartInput::ByModel => asked.push((part.whole.into(), true)),
                PartInput::Json(text) => asked.extend(must(text)),
                PartInput::Pairs { fixed, by_model } => {
                    asked.extend(fixed.iter().flat_map(|(_, text)| must(text)));
                    asked.extend(by_model.iter().cloned());
                }
            }
        }
        asked
    }

    fn schema(&self) -> Value {
        let (mut properties, mut required) = (Object::new(), Vec::new());
        for (name, is_required) in self.model_arguments() {
            let defined = self.definitions.iter().find(|definition| name_of(definition) == name);
            let by_model = PARTS
                .iter()
                .zip(&self.parts)
                .find(|(part, filled)| part.whole == name && matches!(filled, PartInput::ByModel));
            let kind =
                match defined.and_then(|definition| definition.get("type")).and_then(Value::as_str)
                {
                    _ if by_model.is_some() => "object",
                    Some("number") => "number",
                    Some("boolean") => "boolean",
                    Some("json") => "object",
                    _ => "string",
                };
            let mut property = Object::from_iter([("type", kind)]);
            let description = defined
                .and_then(|definition| definition.get("description"))
                .and_then(Value::as_str)
                .map(str::to_owned);
            let description = description
                .or_else(|| by_model.map(|(part, _)| format!("The {} by name", part.label)));
            if let Some(description) = description.filter(|description| !description.is_empty()) {
                property.insert("description", description);
            }
            if properties.insert(name.clone(), property).is_none() && is_required {
                required.push(Value::from(name));
            }
        }
        let mut schema =
            Object::from_iter([("type", Value::from("object")), ("properties", properties.into())]);
        if !required.is_empty() {
            schema.insert("required", Value::array(required));
        }
        schema.into()
    }

    /// The request with what the model gave in its places.
    fn draft(&self, arguments: &Object) -> Result<RequestDraft, NodeError> {
        let url = fill(&self.url, &without_quotes(arguments));
        let neutral: Object =
            arguments.keys().map(|name| (name.clone(), Value::from("x"))).collect();
        let bare = fill(&self.url, &neutral);
        if names_in(host_of(&self.url)).is_empty() && host(&url) != host(&bare) {
            return Err(NodeError::parameter(
                "url",
                "The values from the model would change the host of the request",
            ));
        }
        let mut draft = RequestDraft::new(&self.method, &url);
        let [query, headers, body] =
            [self.part(0, arguments)?, self.part(1, arguments)?, self.part(2, arguments)?];
        draft.query = query.unwrap_or_default();
        for (name, value) in headers.iter().flat_map(Object::iter) {
            draft.set_header(name, text_of(value));
        }
        let authors =
            self.part(1, &neutral).ok().flatten().and_then(|headers| host_header(&headers));
        if draft.header("host").map(str::to_owned) != authors {
            return Err(NodeError::new(
                Code::EGRESS_URL,
                "A model cannot set the Host header of a request",
            ));
        }
        draft.body = body
            .filter(|fields| !fields.is_empty())
            .map_or(DraftBody::None, |fields| DraftBody::Json(fields.into()));
        Ok(draft)
    }

    fn part(&self, at: usize, arguments: &Object) -> Result<Option<Object>, NodeError> {
        let (Some(part), Some(filled)) = (PARTS.get(at), self.parts.get(at)) else {
            return Ok(None);
        };
        Ok(match filled {
            PartInput::Nothing => None,
            PartInput::ByModel => arguments.get(part.whole).and_then(Value::as_object).cloned(),
            PartInput::Json(text) => {
                let text = fill_json(text, arguments);
                let read = model::json::parse(&text).ok().or_else(|| parse_loose_json(&text));
                let read = read.ok_or_else(|| {
                    NodeError::parameter(
                        part.json,
                        format!("Could not replace placeholders in {}", part.whole),
                    )
                })?;
                read.as_object().cloned()
            }
            PartInput::Pairs { fixed, by_model } => {
                let mut fields: Object = fixed
                    .iter()
                    .map(|(name, text)| (name.clone(), Value::from(fill(text, arguments))))
                    .collect();
                for (name, _) in by_model {
                    if let Some(value) = arguments.get(name) {
                        fields.insert(name.clone(), value.clone());
                    }
                }
                Some(fields)
            }
        })
    }
}

fn read_part(ctx: &Ctx<'_>, part: &RequestPart, item: usize) -> Result<PartInput, NodeError> {
    if !ctx.flag(part.send, item)? {
        return Ok(PartInput::Nothing);
    }
    Ok(match ctx.text(part.specify, item)?.as_str() {
        "model" => PartInput::ByModel,
        "json" => PartInput::Json(ctx.text(part.json, item)?.to_string()),
        _ => {
            let (mut fixed, mut by_model) = (Vec::new(), Vec::new());
            for entry in
                ctx.param(&format!("{}.values", part.pairs), item)?.as_array().unwrap_or_default()
            {
                let name = entry.get("name").map(Value::to_js_string).unwrap_or_default();
                match entry.get("valueProvider").and_then(Value::as_str) {
                    _ if name.is_empty() => {}
                    Some("fieldValue") => {
                        fixed.push((name, entry.get("value").map(text_of).unwrap_or_default()))
                    }
                    provider => by_model.push((name, provider != Some("modelOptional"))),
                }
            }
            PartInput::Pairs { fixed, by_model }
        }
    })
}

async fn request(
    call: ToolInvocation,
    form: std::sync::Arc<RequestTemplate>,
) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let draft = form.draft(&call.arguments)?.pin_to_host(&ctx);
    let credentials = credentials(&ctx, item)?;
    let session = AuthSession::default();
    let sent = credentials.send(&ctx, &session, draft).await;
    let secrets = credentials.secrets(&session).await;
    let response = match sent {
        Ok(response) if response.is_success() => response,
        Ok(response) => return Err(RequestFailure::Status(response).into_error(&secrets)),
        Err(failure) => return Err(failure.into_error(&secrets)),
    };
    let body = secrets.hide(&body_text(&response)?);
    match ResponseOptimizer::read(&ctx, item)? {
        Some(shortened) => shortened.answer(&body),
        None => Ok(body.into()),
    }
}

fn name_of(definition: &Value) -> Str {
    let name = definition.get("name").map(Value::to_js_string).unwrap_or_default();
    name.trim_start_matches('{').trim_end_matches('}').into()
}

/// The part of an address that says where it leads, placeholders and all.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

fn host_header(headers: &Object) -> Option<String> {
    headers
        .iter()
        .rfind(|(name, _)| name.trim().eq_ignore_ascii_case("host"))
        .map(|(_, value)| text_of(value))
}

fn host(url: &str) -> Option<String> {
    let parsed = url::Url::parse(url).ok()?;
    Some(format!("{}:{:?}", parsed.host_str()?, parsed.port()))
}

/// Models like to put texts for an address into quotes.
fn without_quotes(arguments: &Object) -> Object {
    let bare = |value: &Value| match value {
        Value::String(text) => text.trim_matches(['"', '\'']).into(),
        other => other.clone(),
    };
    arguments.iter().map(|(name, value)| (name.clone(), bare(value))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::NodeInfo;
    use node_testing::TestHost;
    use std::sync::Arc;

    fn form(parameters: Value) -> Result<RequestTemplate, NodeError> {
        let host = Arc::new(TestHost::new(&ToolHttpRequest::spec(), 1.1, &parameters));
        RequestTemplate::read(&SupplyCtx::new(
            NodeInfo { version: 1.1, ..NodeInfo::default() },
            host,
            Vec::new(),
            0,
            0,
        ))
    }

    #[test]
    fn every_part_of_the_request_is_filled_in() {
        let form = form(json!({
            "method": "POST",
            "url": "https://x.test/{city}/now",
            "sendQuery": true,
            "parametersQuery": { "values": [{ "name": "days" }, { "name": "lang", "valueProvider": "modelOptional" }, { "name": "q", "valueProvider": "fieldValue", "value": "in:{city}" }] },
            "sendHeaders": true,
            "specifyHeaders": "model",
            "sendBody": true,
            "specifyBody": "json",
            "jsonBody": "{ \"query\": \"{query}\", \"n\": {n} }",
            "placeholderDefinitions": { "values": [{ "name": "{n}", "type": "number", "description": "How many" }] }
        }))
        .unwrap();
        let schema = form.schema();
        assert_eq!(schema.get("required"), Some(&json!(["city", "days", "headers", "query", "n"])));
        assert_eq!(
            schema.get_path("properties.n"),
            Some(&json!({ "type": "number", "description": "How many" }))
        );
        let arguments = json!({ "city": "'São Paulo'", "days": "3", "headers": { "X-A": "1" }, "query": "a \"b\"", "n": 2 });
        let request = form.draft(arguments.as_object().unwrap()).unwrap().into_request();
        assert_eq!(
            url::Url::parse(&request.url).unwrap().as_str(),
            "https://x.test/S%C3%A3o%20Paulo/now?q=in%3A%27S%C3%A3o%20Paulo%27&days=3"
        );
        assert_eq!(request.header("x-a"), Some("1"));
        assert!(
            matches!(&request.body, HttpBody::Bytes(bytes) if bytes.as_ref() == br#"{"query":"a \"b\"","n":2}"#),
            "{:?}",
            request.body
        );
    }

    #[test]
    fn issue_14_12_a_model_cannot_choose_the_host_header() {
        let url = "https://x.test/";
        let by_model =
            form(json!({ "url": url, "sendHeaders": true, "specifyHeaders": "model" })).unwrap();
        for name in ["Host", "host ", "HOST"] {
            let headers = Object::from_iter([(name, "evil.test")]);
            let arguments = Object::from_iter([("headers", Value::from(headers))]);
            assert_eq!(
                by_model.draft(&arguments).err().unwrap().code(),
                Code::EGRESS_URL,
                "{name}"
            );
        }
        let values =
            json!([{ "name": "Host", "valueProvider": "fieldValue", "value": "{shop}.x.test" }]);
        let placed = form(
            json!({ "url": url, "sendHeaders": true, "parametersHeaders": { "values": values } }),
        )
        .unwrap();
        assert!(placed.draft(json!({ "shop": "evil.test/" }).as_object().unwrap()).is_err());
        let values = json!([{ "name": "Host", "valueProvider": "fieldValue", "value": "y.test" }, { "name": "X-A" }]);
        let authors = form(
            json!({ "url": url, "sendHeaders": true, "parametersHeaders": { "values": values } }),
        )
        .unwrap();
        assert_eq!(
            authors.draft(json!({ "X-A": "1" }).as_object().unwrap()).unwrap().header("host"),
            Some("y.test")
        );
    }

    #[test]
    fn a_model_cannot_send_the_request_elsewhere() {
        let kept = form(json!({ "url": "https://x.test{path}" })).unwrap();
        assert!(kept.draft(json!({ "path": "/a" }).as_object().unwrap()).is_ok());
        let elsewhere = form(json!({ "url": "https://x.test:80{path}/" })).unwrap();
        assert!(
            elsewhere.draft(json!({ "path": "@evil.test" }).as_object().unwrap()).is_ok(),
            "a placeholder in the host is the author's wish"
        );
        let with_credential = json!({ "url": "https://{host}.x.test/", "authentication": "genericCredentialType", "genericAuthType": "httpBasicAuth" });
        assert_eq!(
            form(with_credential).err().unwrap().message(),
            "Can't use a placeholder for the domain when using authentication"
        );
        let unused = json!({ "url": "https://x.test/", "placeholderDefinitions": { "values": [{ "name": "a" }] } });
        assert_eq!(form(unused).err().unwrap().message(), "Misconfigured placeholder 'a'");
    }
}
