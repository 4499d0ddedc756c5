//! The request that one operation asks for, with values to start from.

use super::example;
use super::operation::{MediaType, Operation, Parameter, ParameterPlace, ParameterStyle};
use super::security::{ApiKeyPlace, SecurityKind, SecurityScheme};
use super::{ApiDocument, Finding};
use model::{Object, Str, Value};

/// One request, apart from how some node or tool writes it down.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub method: Str,
    /// Where the API is, without a slash at its end; empty if the document does not say.
    pub base_url: String,
    pub path: Vec<PathPart>,
    pub query: Vec<CallField>,
    pub headers: Vec<CallField>,
    pub body: Option<CallBody>,
    /// The schemes of the first way to authenticate that can be used; none if it is not needed.
    pub security: Vec<SecurityScheme>,
    /// Whether the query repeats names, as `a=1&a=2`, for lists.
    pub repeats_names: bool,
    /// Optional parameters that are not sent.
    pub left_out: Vec<Str>,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PathPart {
    /// As it stands in the URL.
    Text(String),
    /// To be escaped, so that it stays within its segment.
    Value(CallField),
}

#[derive(Clone, Debug, PartialEq)]
pub struct CallField {
    pub name: Str,
    pub description: Str,
    pub value: CallValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallValue {
    /// Nobody knows it yet; whoever makes the request asks for it under this name.
    Open(Str),
    /// A value of the document, which is data, whatever it looks like.
    Given(Value),
    /// A value that the author of the workflow wrote, which may be an expression.
    Known(Value),
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallBody {
    Json {
        content_type: Str,
        value: Value,
        known: Vec<(Str, Value)>,
    },
    Form(Vec<CallField>),
    Multipart(Vec<CallPart>),
    /// A file.
    Binary {
        content_type: Str,
    },
    Text {
        content_type: Str,
        text: Str,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub enum CallPart {
    Field(CallField),
    File(Str),
}

/// Who gives the values that are still open, once the request is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValueSource {
    /// The item that the node works on.
    #[default]
    Item,
    /// The model that calls the node as a tool.
    Model,
}

/// What is known of the values already, such as the parameters of a node that is replaced. Names
/// are compared by their letters and digits.
#[derive(Clone, Debug, Default)]
pub struct KnownValues(Vec<(String, Value)>);

impl KnownValues {
    pub fn new(values: &Object) -> Self {
        let usable = values.iter().filter_map(|(name, value)| {
            // A resource locator holds its value inside.
            let value = match value.get("__rl") {
                Some(_) => value.get("value")?,
                None => value,
            };
            let is_plain = matches!(value, Value::Bool(_) | Value::Number(_) | Value::String(_));
            let is_filled = value.as_str() != Some("") && value.as_str() != Some("=");
            (is_plain && is_filled).then(|| (bare(name), value.clone()))
        });
        Self(usable.filter(|(name, _)| !name.is_empty()).collect())
    }

    fn get(&self, name: &str) -> Option<Value> {
        let name = bare(name);
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

/// `pet_id` and `petId` are the same.
fn bare(name: &str) -> String {
    let kept = name.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Headers that are never parameters: what authenticates, and what the body decides.
const OTHER_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

impl Call {
    pub fn of(
        document: &ApiDocument,
        operation: &Operation,
        known: &KnownValues,
        document_url: Option<&str>,
    ) -> Self {
        let server = operation.servers.first();
        let base_url = match (server, document_url) {
            (Some(server), from) => server.address(from),
            // Without servers it is where the document is.
            (None, Some(from)) => {
                super::Server { url: "/".into(), ..super::Server::default() }.address(Some(from))
            }
            (None, None) => String::new(),
        };
        let security = usable_security(document, operation);
        let mut builder = CallBuilder {
            call: Self {
                method: operation.summary.method.clone(),
                base_url: base_url.trim_end_matches('/').to_owned(),
                path: Vec::new(),
                query: Vec::new(),
                headers: Vec::new(),
                body: None,
                repeats_names: false,
                left_out: Vec::new(),
                findings: operation.findings.clone(),
                security,
            },
            known,
            place: format!("{} {}", operation.summary.method, operation.summary.path).into(),
        };
        if !builder.call.base_url.starts_with("http://")
            && !builder.call.base_url.starts_with("https://")
        {
            builder.report("The document does not say at which address the API is");
            builder.call.base_url.clear();
        }
        builder.path(operation);
        for parameter in &operation.parameters {
            match parameter.place {
                ParameterPlace::Path => {}
                ParameterPlace::Query => builder.query(parameter),
                ParameterPlace::Header => builder.header(parameter),
                ParameterPlace::Cookie => {}
            }
        }
        builder.cookies(operation);
        if let Some(body) = &operation.body {
            builder.body(&body.content);
        }
        builder.call
    }
}

/// The first way to authenticate whose schemes are all known.
fn usable_security(document: &ApiDocument, operation: &Operation) -> Vec<SecurityScheme> {
    let schemes = operation.security.iter().filter_map(|together| {
        let known = together.iter().map(|(name, _)| document.security_scheme(name).cloned());
        known.collect::<Option<Vec<_>>>()
    });
    let is_usable = |schemes: &Vec<SecurityScheme>| {
        schemes
            .iter()
            .all(|scheme| !matches!(scheme.kind, SecurityKind::Other(_) | SecurityKind::MutualTls))
    };
    let mut schemes: Vec<_> = schemes.filter(is_usable).collect();
    // Where authentication may be left out, it is still of use.
    schemes.sort_by_key(Vec::is_empty);
    schemes.into_iter().next().unwrap_or_default()
}

struct CallBuilder<'a> {
    call: Call,
    known: &'a KnownValues,
    place: Str,
}

impl CallBuilder<'_> {
    fn report(&mut self, problem: impl Into<Str>) {
        self.call.findings.push(Finding { place: self.place.clone(), problem: problem.into() });
    }

    fn path(&mut self, operation: &Operation) {
        let path = operation.summary.path.as_str();
        let mut rest = path.trim_start_matches('/');
        let mut text = String::from("/");
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((name, behind)) = behind.split_once('}') else { break };
            text.push_str(&escaped_path(before));
            let parameter = operation.parameters.iter().find(|parameter| {
                parameter.place == ParameterPlace::Path && parameter.name == name
            });
            if let Some(parameter) = parameter {
                self.path_value(parameter, &mut text);
            }
            rest = behind;
        }
        text.push_str(&escaped_path(rest));
        if !text.is_empty() {
            self.call.path.push(PathPart::Text(text));
        }
    }

    fn path_value(&mut self, parameter: &Parameter, text: &mut String) {
        match parameter.style {
            ParameterStyle::Label => text.push('.'),
            ParameterStyle::Matrix => {
                text.push_str(&format!(";{}=", escaped_path(&parameter.name)));
            }
            _ => {}
        }
        self.call.path.push(PathPart::Text(std::mem::take(text)));
        // An example of a path names a thing of somebody else, so it is not sent unasked.
        let value = match (self.known.get(&parameter.name), fixed(parameter)) {
            (Some(known), _) => CallValue::Known(known),
            (None, Some(fixed)) => CallValue::Given(fixed),
            (None, None) => CallValue::Open(parameter.name.clone()),
        };
        self.call.path.push(PathPart::Value(field(parameter, value)));
    }

    /// Whether it is sent at all, and with which value.
    fn value(&mut self, parameter: &Parameter) -> Option<CallValue> {
        if let Some(known) = self.known.get(&parameter.name) {
            return Some(CallValue::Known(known));
        }
        if !parameter.required {
            self.call.left_out.push(parameter.name.clone());
            return None;
        }
        Some(match parameter.example.clone().or_else(|| parameter.default.clone()) {
            Some(given) => CallValue::Given(given),
            None => CallValue::Open(parameter.name.clone()),
        })
    }

    fn query(&mut self, parameter: &Parameter) {
        let Some(value) = self.value(parameter) else { return };
        let CallValue::Given(given) = value else {
            self.call.query.push(field(parameter, value));
            return;
        };
        let named = |name: String, value: Value| CallField {
            name: name.into(),
            description: parameter.description.clone(),
            value: CallValue::Given(value),
        };
        let name = parameter.name.to_string();
        if parameter.content_type.is_some() {
            let text = model::json::to_string(&given);
            self.call.query.push(named(name, Value::from(text)));
            return;
        }
        match (&given, parameter.style) {
            (Value::Array(values), _) if parameter.explode => {
                self.call.repeats_names = true;
                let each = values.iter().map(|value| named(name.clone(), value.clone()));
                self.call.query.extend(each);
            }
            (Value::Array(values), style) => {
                self.call.query.push(named(name, joined(values, style)));
            }
            (Value::Object(fields), ParameterStyle::DeepObject) => {
                let each = fields
                    .iter()
                    .map(|(key, value)| named(format!("{name}[{key}]"), value.clone()));
                self.call.query.extend(each);
            }
            (Value::Object(fields), _) if parameter.explode => {
                let each = fields.iter().map(|(key, value)| named(key.to_string(), value.clone()));
                self.call.query.extend(each);
            }
            (Value::Object(fields), style) => {
                self.call.query.push(named(name, joined(&pairs(fields), style)));
            }
            _ => self.call.query.push(named(name, given.clone())),
        }
    }

    fn header(&mut self, parameter: &Parameter) {
        if OTHER_HEADERS.iter().any(|other| parameter.name.eq_ignore_ascii_case(other)) {
            return;
        }
        let Some(value) = self.value(parameter) else { return };
        let value = simple(value, parameter.explode);
        self.call.headers.push(field(parameter, value));
    }

    /// All cookies are one header.
    fn cookies(&mut self, operation: &Operation) {
        let cookies = operation.parameters.iter().filter(|one| one.place == ParameterPlace::Cookie);
        let mut parts = Vec::new();
        for parameter in cookies {
            match self.value(parameter).map(|value| simple(value, false)) {
                Some(CallValue::Given(value)) => {
                    parts.push(format!("{}={}", parameter.name, value.to_js_string()));
                }
                Some(CallValue::Open(name)) => {
                    self.report(format!("The cookie '{name}' is required and has no value yet"));
                }
                Some(CallValue::Known(_)) | None => {}
            }
        }
        if !parts.is_empty() {
            self.call.headers.push(CallField {
                name: "Cookie".into(),
                description: Str::new(),
                value: CallValue::Given(Value::from(parts.join("; "))),
            });
        }
    }

    fn body(&mut self, content: &[MediaType]) {
        let rank = |media: &&MediaType| match essence(&media.name).as_str() {
            "application/json" => 0,
            name if name.ends_with("+json") || name.ends_with("/json") => 1,
            "*/*" | "application/*" => 2,
            "application/x-www-form-urlencoded" => 3,
            "multipart/form-data" => 4,
            name if name.starts_with("text/") || name.ends_with("xml") => 5,
            _ => 6,
        };
        let Some(media) = content.iter().min_by_key(rank) else { return };
        let kind = essence(&media.name);
        let example = media.example.clone().unwrap_or_else(|| example::made(&media.schema));
        let is_json = kind.ends_with("json") || matches!(kind.as_str(), "*/*" | "application/*");
        self.call.body = Some(match kind.as_str() {
            _ if is_json => self.json_body(media, example),
            "application/x-www-form-urlencoded" => {
                let fields = self.form_fields(&example);
                self.call.repeats_names |= has_repeated(&fields);
                CallBody::Form(fields)
            }
            "multipart/form-data" => CallBody::Multipart(self.parts(&media.schema, &example)),
            name if name.starts_with("text/") || name.ends_with("xml") => CallBody::Text {
                content_type: media.name.clone(),
                text: match example {
                    Value::String(text) => text,
                    // No text can be made of a schema that describes something else.
                    _ => Str::new(),
                },
            },
            _ => CallBody::Binary { content_type: media.name.clone() },
        });
    }

    fn json_body(&self, media: &MediaType, mut value: Value) -> CallBody {
        let mut known = Vec::new();
        let names: Vec<Str> =
            value.as_object().into_iter().flat_map(Object::keys).cloned().collect();
        for name in names {
            if let Some(found) = self.known.get(&name) {
                value.make_object().insert(name.clone(), found.clone());
                known.push((name, found));
            }
        }
        let content_type = match media.name.as_str() {
            "*/*" | "application/*" => "application/json".into(),
            _ => media.name.clone(),
        };
        CallBody::Json { content_type, value, known }
    }

    fn form_fields(&self, example: &Value) -> Vec<CallField> {
        let fields = example.as_object().into_iter().flat_map(Object::iter);
        let each = fields.flat_map(|(name, value)| match value {
            Value::Array(values) => {
                values.iter().map(|value| self.form_field(name, value)).collect::<Vec<_>>()
            }
            value => vec![self.form_field(name, value)],
        });
        each.collect()
    }

    fn form_field(&self, name: &Str, value: &Value) -> CallField {
        let value = match self.known.get(name) {
            Some(known) => CallValue::Known(known),
            None => CallValue::Given(value.clone()),
        };
        CallField { name: name.clone(), description: Str::new(), value }
    }

    fn parts(&self, schema: &Value, example: &Value) -> Vec<CallPart> {
        let properties = schema.get("properties");
        let is_file = |name: &str| {
            properties.and_then(|all| all.get(name)).is_some_and(|property| {
                let entry = property.get("items").unwrap_or(property);
                entry.get("format").and_then(Value::as_str) == Some("binary")
                    || entry.get("contentMediaType").is_some()
            })
        };
        let fields = self.form_fields(example).into_iter();
        let parts = fields.map(|field| match is_file(&field.name) {
            true => CallPart::File(field.name),
            false => CallPart::Field(field),
        });
        parts.collect()
    }
}

fn has_repeated(fields: &[CallField]) -> bool {
    fields.windows(2).any(|pair| matches!(pair, [one, other] if one.name == other.name))
}

/// A value that is always the same: the only one that is allowed, or the default.
fn fixed(parameter: &Parameter) -> Option<Value> {
    let choices = parameter.schema.get("enum").and_then(Value::as_array);
    let only = choices.filter(|choices| choices.len() == 1).and_then(|choices| choices.first());
    let fixed = parameter.schema.get("const").or(only).or(parameter.default.as_ref());
    fixed.filter(|value| !matches!(value, Value::Array(_) | Value::Object(_))).cloned()
}

fn field(parameter: &Parameter, value: CallValue) -> CallField {
    CallField { name: parameter.name.clone(), description: parameter.description.clone(), value }
}

fn simple(value: CallValue, explode: bool) -> CallValue {
    let CallValue::Given(given) = value else { return value };
    CallValue::Given(match &given {
        Value::Array(values) => joined(values, ParameterStyle::Simple),
        Value::Object(fields) if explode => {
            let each = fields
                .iter()
                .map(|(name, value)| Value::from(format!("{name}={}", value.to_js_string())));
            joined(&each.collect::<Vec<_>>(), ParameterStyle::Simple)
        }
        Value::Object(fields) => joined(&pairs(fields), ParameterStyle::Simple),
        _ => given,
    })
}

/// Names and values in turn.
fn pairs(fields: &Object) -> Vec<Value> {
    let each = fields.iter().flat_map(|(name, value)| [Value::String(name.clone()), value.clone()]);
    each.collect()
}

fn joined(values: &[Value], style: ParameterStyle) -> Value {
    let between = match style {
        ParameterStyle::SpaceDelimited => " ",
        ParameterStyle::PipeDelimited => "|",
        ParameterStyle::TabDelimited => "\t",
        _ => ",",
    };
    let texts: Vec<Str> = values.iter().map(Value::to_js_string).collect();
    Value::from(texts.iter().map(Str::as_str).collect::<Vec<_>>().join(between))
}

/// The media type without what follows, in small letters.
fn essence(name: &str) -> String {
    name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What a path may hold as it is stays, the rest is escaped: braces above all, which would be an
/// expression.
fn escaped_path(text: &str) -> String {
    const KEPT: &percent_encoding::AsciiSet = &percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'\\')
        .add(b'^')
        .add(b'`')
        .add(b'{')
        .add(b'|')
        .add(b'}');
    percent_encoding::utf8_percent_encode(text, KEPT).to_string()
}

impl SecurityScheme {
    /// What to enter in a credential, in a few words.
    pub fn hint(&self) -> String {
        match &self.kind {
            SecurityKind::ApiKey { place: ApiKeyPlace::Header, name } => {
                format!("the API key in the header {name}")
            }
            SecurityKind::ApiKey { place: ApiKeyPlace::Query, name } => {
                format!("the API key in the query parameter {name}")
            }
            SecurityKind::ApiKey { place: ApiKeyPlace::Cookie, name } => {
                format!("the header Cookie with the value {name}=…")
            }
            SecurityKind::Basic => "user name and password".into(),
            SecurityKind::Bearer => "a bearer token".into(),
            SecurityKind::Digest => "user name and password (digest)".into(),
            SecurityKind::OAuth2 { .. } | SecurityKind::OpenIdConnect { .. } => "OAuth2".into(),
            SecurityKind::MutualTls => "a client certificate".into(),
            SecurityKind::Other(name) => name.to_string(),
        }
    }
}
