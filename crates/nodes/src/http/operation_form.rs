//! The parameters of HTTP Request that make the call of an API's operation.

mod expressions;
#[cfg(test)]
mod tests;

use expressions::{expression_of, from_model, js_text, open_value};
use formats::openapi::{
    ApiKeyPlace, Call, CallBody, CallField, CallPart, CallValue, PathPart, SecurityKind,
    SecurityScheme, ValueSource,
};
use model::json::Spellings;
use model::{Object, Str, Value, json};
use node_api::credential::{CredentialAuth, CredentialRegistry, CredentialSpec};
use node_api::hosts::{HostAllowlist, HostPattern};

/// The binary field of an item that is sent where an API wants a file.
const FILE_FIELD: &str = "data";
const JSON_TYPE: &str = "application/json";
const FORM_TYPE: &str = "application/x-www-form-urlencoded";

/// Writes a call down as the parameters of the newest HTTP Request. What a document says is data: it
/// never becomes an expression. `credential` is the type that the node has been using so far.
pub fn http_request_parameters(
    call: &Call,
    credentials: &CredentialRegistry,
    credential: Option<&str>,
    source: ValueSource,
) -> Object {
    let writer = FormWriter { source };
    let mut form = Object::new();
    form.insert("method", call.method.clone());
    form.insert("url", writer.url(call));
    authentication(&mut form, call, credentials, credential);
    if !call.query.is_empty() {
        form.insert("sendQuery", true);
        form.insert("queryParameters", writer.rows(&call.query));
        if call.repeats_names {
            form.insert("options", json!({ "queryParameterArrays": "repeat" }));
        }
    }
    let mut headers = call.headers.clone();
    if let Some(body) = &call.body {
        form.insert("sendBody", true);
        writer.body(&mut form, &mut headers, body);
    }
    if !headers.is_empty() {
        form.insert("sendHeaders", true);
        form.insert("headerParameters", writer.rows(&headers));
    }
    form
}

struct FormWriter {
    source: ValueSource,
}

impl FormWriter {
    /// A plain URL, or an expression in which every value is escaped, so that it stays in its
    /// segment.
    fn url(&self, call: &Call) -> String {
        // Two braces in a row would begin an expression.
        let base = match call.base_url.contains("{{") {
            true => call.base_url.replace('{', "%7B").replace('}', "%7D"),
            false => call.base_url.clone(),
        };
        let is_plain = call.path.iter().all(|part| match part {
            PathPart::Text(_) => true,
            PathPart::Value(field) => plain_text(&field.value).is_some(),
        });
        let mut url = if is_plain { base } else { format!("={base}") };
        for part in &call.path {
            match part {
                PathPart::Text(text) => url.push_str(text),
                PathPart::Value(field) => match plain_text(&field.value) {
                    Some(text) => url.push_str(&super::query::escape(&text)),
                    None => {
                        let value = self.expression(field);
                        url.push_str(&format!("{{{{ encodeURIComponent({value}) }}}}"));
                    }
                },
            }
        }
        url
    }

    fn rows(&self, fields: &[CallField]) -> Value {
        let rows = fields
            .iter()
            .map(|field| json!({ "name": (text_value(&field.name)), "value": (self.text(field)) }));
        json!({ "parameters": (Value::array(rows.collect())) })
    }

    /// A value as it stands in a field of the form.
    fn text(&self, field: &CallField) -> String {
        match &field.value {
            CallValue::Known(Value::String(text)) => text.to_string(),
            CallValue::Known(value) => value.to_js_string().into(),
            CallValue::Given(_) if !self.is_for_model(field) => {
                text_value(&plain_text(&field.value).unwrap_or_default())
            }
            CallValue::Given(_) | CallValue::Open(_) => {
                format!("={{{{ {} }}}}", self.expression(field))
            }
        }
    }

    /// Whether a model gives the value; an example of a document is nothing to always send then.
    fn is_for_model(&self, field: &CallField) -> bool {
        let is_scalar = |value: &Value| !value.is_array() && !value.is_object();
        self.source == ValueSource::Model
            && matches!(&field.value, CallValue::Given(value) if is_scalar(value))
    }

    /// A value as JavaScript.
    fn expression(&self, field: &CallField) -> String {
        let kind = |value: &Value| match value {
            Value::Number(_) => "number",
            Value::Bool(_) => "boolean",
            _ => "string",
        };
        match (&field.value, self.source) {
            (CallValue::Known(value), _) => expression_of(value),
            (CallValue::Given(value), ValueSource::Model) if self.is_for_model(field) => {
                from_model(&field.name, &field.description, kind(value))
            }
            (CallValue::Given(value), _) => expressions::js_literal(value),
            (CallValue::Open(name), ValueSource::Item) => open_value(name),
            (CallValue::Open(name), ValueSource::Model) => {
                from_model(name, &field.description, "string")
            }
        }
    }

    fn body(&self, form: &mut Object, headers: &mut Vec<CallField>, body: &CallBody) {
        match body {
            CallBody::Json { content_type, value, known } => {
                form.insert("contentType", "json");
                form.insert("specifyBody", "json");
                form.insert("jsonBody", self.json(value, known));
                if !content_type.eq_ignore_ascii_case(JSON_TYPE) {
                    headers.push(CallField {
                        name: "Content-Type".into(),
                        description: Str::new(),
                        value: CallValue::Given(Value::String(content_type.clone())),
                    });
                }
            }
            CallBody::Form(fields) if repeats_a_name(fields) => {
                // Rows of one name would be written as a list with indices.
                let pairs = fields.iter().map(|field| {
                    let name = js_text(&format!("{}=", super::query::escape(&field.name)));
                    format!("{name} + encodeURIComponent({})", self.expression(field))
                });
                let text = pairs.collect::<Vec<_>>().join(" + \"&\" + ");
                raw(form, FORM_TYPE, format!("={{{{ {text} }}}}"));
            }
            CallBody::Form(fields) => {
                form.insert("contentType", "form-urlencoded");
                form.insert("specifyBody", "keypair");
                form.insert("bodyParameters", self.rows(fields));
            }
            CallBody::Multipart(parts) => {
                form.insert("contentType", "multipart-form-data");
                let rows = parts.iter().map(|part| match part {
                    CallPart::Field(field) => json!({
                        "parameterType": "formData",
                        "name": (text_value(&field.name)),
                        "value": (self.text(field))
                    }),
                    CallPart::File(name) => json!({
                        "parameterType": "formBinaryData",
                        "name": (text_value(name)),
                        "inputDataFieldName": (FILE_FIELD)
                    }),
                });
                form.insert(
                    "bodyParameters",
                    json!({ "parameters": (Value::array(rows.collect())) }),
                );
            }
            CallBody::Binary { .. } => {
                form.insert("contentType", "binaryData");
                form.insert("inputDataFieldName", FILE_FIELD);
            }
            CallBody::Text { content_type, text } => raw(form, content_type, text_value(text)),
        }
    }

    /// JSON text, or an object in JavaScript if some of its fields are computed.
    fn json(&self, value: &Value, known: &[(Str, Value)]) -> String {
        let is_known = |name: &Str| known.iter().any(|(other, _)| other == name);
        let is_computed = known.iter().any(|(_, value)| is_expression(value));
        let fields = match value.as_object() {
            Some(fields) if is_computed || self.source == ValueSource::Model => fields,
            _ => return text_value(&model::json::to_pretty_string(value, &Spellings::default())),
        };
        let each = fields.iter().map(|(name, value)| {
            let value = match value {
                value if is_known(name) => expression_of(value),
                value => self.expression(&CallField {
                    name: name.clone(),
                    description: Str::new(),
                    value: CallValue::Given(value.clone()),
                }),
            };
            format!("  {}: {value}", js_text(name))
        });
        format!("={{{{ {{\n{}\n}} }}}}", each.collect::<Vec<_>>().join(",\n"))
    }
}

fn raw(form: &mut Object, content_type: &str, body: String) {
    form.insert("contentType", "raw");
    form.insert("rawContentType", text_value(content_type));
    form.insert("body", body);
}

fn repeats_a_name(fields: &[CallField]) -> bool {
    let mut names = std::collections::HashSet::new();
    fields.iter().any(|field| !names.insert(&field.name))
}

fn is_expression(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with('='))
}

/// What is the same for every item, as text.
fn plain_text(value: &CallValue) -> Option<String> {
    match value {
        CallValue::Open(_) => None,
        CallValue::Known(value) if is_expression(value) => None,
        CallValue::Given(value) | CallValue::Known(value) => Some(super::draft::text_of(value)),
    }
}

/// A text of the document in a field, where an equals sign would make it an expression.
fn text_value(text: &str) -> String {
    if text.starts_with('=') { format!("={{{{ {} }}}}", js_text(text)) } else { text.to_owned() }
}

/// The type of credential: of the service if there is one for its host, or else one that fits any.
fn authentication(
    form: &mut Object,
    call: &Call,
    credentials: &CredentialRegistry,
    used: Option<&str>,
) {
    if let Some(kind) = service_credential(call, credentials, used) {
        form.insert("authentication", "predefinedCredentialType");
        form.insert("nodeCredentialType", kind);
    } else if let Some(kind) = generic_credential(&call.security) {
        form.insert("authentication", "genericCredentialType");
        form.insert("genericAuthType", kind);
    }
}

fn service_credential(
    call: &Call,
    credentials: &CredentialRegistry,
    used: Option<&str>,
) -> Option<Str> {
    let url = url::Url::parse(&call.base_url).ok()?;
    let wants_oauth2 = call.security.iter().any(|scheme| is_oauth2(&scheme.kind));
    let is_of_service = |spec: &CredentialSpec| {
        let fixed = spec.hosts.iter().filter(|host| !host.contains('{'));
        let hosts =
            HostAllowlist::Only(fixed.filter_map(|host| HostPattern::of_service(host)).collect());
        hosts.allow(&url) && !matches!(spec.auth, CredentialAuth::None)
    };
    let all = credentials.all().iter().filter(|spec| is_of_service(spec));
    // The one in use, then one that authenticates as the document says.
    let rank = |spec: &&std::sync::Arc<CredentialSpec>| {
        let is_used = used == Some(spec.id.as_str());
        let fits = matches!(spec.auth, CredentialAuth::OAuth2(_)) == wants_oauth2;
        (!is_used, !fits)
    };
    all.min_by_key(rank).map(|spec| spec.id.clone())
}

fn is_oauth2(kind: &SecurityKind) -> bool {
    matches!(kind, SecurityKind::OAuth2 { .. } | SecurityKind::OpenIdConnect { .. })
}

fn generic_credential(schemes: &[SecurityScheme]) -> Option<&'static str> {
    match schemes {
        [] => None,
        [scheme] => Some(match &scheme.kind {
            SecurityKind::ApiKey { place: ApiKeyPlace::Query, .. } => "httpQueryAuth",
            SecurityKind::ApiKey { .. } => "httpHeaderAuth",
            SecurityKind::Basic => "httpBasicAuth",
            SecurityKind::Digest => "httpDigestAuth",
            SecurityKind::Bearer => "httpBearerAuth",
            SecurityKind::OAuth2 { .. } | SecurityKind::OpenIdConnect { .. } => "oAuth2Api",
            SecurityKind::MutualTls | SecurityKind::Other(_) => return None,
        }),
        // Several keys at once.
        _ => Some("httpCustomAuth"),
    }
}
