//! One operation in full: its parameters, bodies and responses, with every reference followed.

use super::document::{ApiDocument, ApiFormat, OperationSummary};
use super::references::{Reader, clipped, flag, text_field};
use super::security::{self, SecurityRequirement};
use super::servers::{self, Server};
use super::{Finding, MAX_PARAMETERS, example, swagger};
use model::{Object, Str, Value};

const MAX_NAME: usize = 200;
const MAX_TEXT: usize = 2_000;
const MAX_MEDIA_TYPES: usize = 20;
const MAX_RESPONSES: usize = 50;

#[derive(Clone, Debug)]
pub struct Operation {
    pub summary: OperationSummary,
    /// Its own, or those of its path or of the document.
    pub servers: Vec<Server>,
    /// Ways to authenticate, of which one is enough.
    pub security: Vec<SecurityRequirement>,
    pub parameters: Vec<Parameter>,
    pub body: Option<RequestBody>,
    pub responses: Vec<ResponseForm>,
    pub findings: Vec<Finding>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: Str,
    pub place: ParameterPlace,
    pub description: Str,
    pub required: bool,
    pub deprecated: bool,
    /// JSON Schema without references.
    pub schema: Value,
    pub default: Option<Value>,
    /// One that the document gives.
    pub example: Option<Value>,
    pub style: ParameterStyle,
    pub explode: bool,
    /// The type of the text that its value is, such as JSON, in place of a style.
    pub content_type: Option<Str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterPlace {
    Path,
    Query,
    Header,
    Cookie,
}

/// How lists and objects are spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterStyle {
    Simple,
    Form,
    Label,
    Matrix,
    SpaceDelimited,
    PipeDelimited,
    TabDelimited,
    DeepObject,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RequestBody {
    pub description: Str,
    pub required: bool,
    pub content: Vec<MediaType>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct MediaType {
    /// Such as `application/json`.
    pub name: Str,
    /// JSON Schema without references.
    pub schema: Value,
    /// One that the document gives.
    pub example: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ResponseForm {
    /// `200`, `4XX` or `default`.
    pub status: Str,
    pub description: Str,
    pub content: Vec<MediaType>,
}

pub(super) fn read(document: &ApiDocument, summary: &OperationSummary) -> Option<Operation> {
    let mut reader = Reader::new(&document.root);
    reader.place = clipped(&format!("{} {}", summary.method, summary.path), MAX_NAME);
    let item = document.root.get("paths")?.get(&summary.path)?;
    let item = reader.object(item, "The path")?;
    let fields = reader.object(item.get(&summary.method.to_lowercase())?, "The operation")?;
    let is_swagger = document.format == ApiFormat::Swagger2;
    let mut raw = raw_parameters(&mut reader, item, fields);
    let body = if is_swagger {
        swagger::take_body(&mut reader, &mut raw, fields, document)
    } else {
        fields.get("requestBody").and_then(|body| request_body(&mut reader, body))
    };
    let mut parameters: Vec<Parameter> =
        raw.into_iter().filter_map(|raw| parameter(&mut reader, raw, is_swagger)).collect();
    add_undeclared(&mut reader, &summary.path, &mut parameters);
    let responses = responses(&mut reader, fields, is_swagger, document);
    let security = security::read_requirements(fields.get("security"))
        .unwrap_or_else(|| document.security.clone());
    let own = [fields, item].into_iter().find_map(|at| at.get("servers")).filter(|_| !is_swagger);
    let servers = match own {
        Some(own) => servers::read(&mut reader, Some(own)),
        None => document.servers.clone(),
    };
    Some(Operation {
        summary: summary.clone(),
        servers,
        security,
        parameters,
        body,
        responses,
        findings: reader.findings,
    })
}

/// Those of the path and of the operation, which come in the place of those with the same name.
fn raw_parameters<'a>(
    reader: &mut Reader<'a>,
    item: &'a Object,
    operation: &'a Object,
) -> Vec<&'a Object> {
    let mut found: Vec<&Object> = Vec::new();
    let lists = [item, operation].into_iter().filter_map(|at| at.get("parameters"));
    for value in lists.filter_map(Value::as_array).flatten() {
        let Some(fields) = reader.object(value, "A parameter") else { continue };
        let same = |other: &&mut &Object| {
            ["name", "in"].iter().all(|key| other.get(key) == fields.get(key))
        };
        if let Some(place) = found.iter_mut().find(same) {
            *place = fields;
        } else if found.len() == MAX_PARAMETERS {
            reader.report(format!("Only the first {MAX_PARAMETERS} parameters are read"));
            break;
        } else {
            found.push(fields);
        }
    }
    found
}

fn parameter<'a>(
    reader: &mut Reader<'a>,
    fields: &'a Object,
    is_swagger: bool,
) -> Option<Parameter> {
    let name = text_field(fields, "name", MAX_NAME);
    let place = match text_field(fields, "in", 20).as_str() {
        "path" => ParameterPlace::Path,
        "query" => ParameterPlace::Query,
        "header" => ParameterPlace::Header,
        "cookie" => ParameterPlace::Cookie,
        _ => {
            reader.report(format!("The parameter '{name}' does not say where it goes"));
            return None;
        }
    };
    if name.is_empty() {
        reader.report("A parameter has no name");
        return None;
    }
    let content = fields.get("content").and_then(Value::as_object);
    let content = content.and_then(|content| content.iter().next());
    let (schema, style, explode) = if is_swagger {
        let (style, explode) = swagger::style(fields, place);
        (swagger::parameter_schema(reader, fields), style, explode)
    } else {
        let schema = match content {
            Some((_, media)) => media.get("schema"),
            None => fields.get("schema"),
        };
        let style = style(fields, place);
        let explode = fields.get("explode").and_then(Value::as_bool);
        (
            schema.map_or_else(Value::empty_object, |schema| reader.schema(schema)),
            style,
            explode.unwrap_or(style == ParameterStyle::Form),
        )
    };
    let own = content.map_or(Some(fields), |(_, media)| media.as_object());
    let given =
        own.and_then(|own| given_example(reader, own)).or_else(|| given_example(reader, fields));
    Some(Parameter {
        place,
        description: text_field(fields, "description", MAX_TEXT),
        required: flag(fields, "required") || place == ParameterPlace::Path,
        deprecated: flag(fields, "deprecated"),
        default: schema.get("default").cloned(),
        example: given.or_else(|| example::given(&schema)),
        style,
        explode,
        content_type: content.map(|(kind, _)| clipped(kind, MAX_NAME)),
        schema,
        name,
    })
}

fn style(fields: &Object, place: ParameterPlace) -> ParameterStyle {
    match (text_field(fields, "style", 30).as_str(), place) {
        ("label", ParameterPlace::Path) => ParameterStyle::Label,
        ("matrix", ParameterPlace::Path) => ParameterStyle::Matrix,
        (_, ParameterPlace::Path | ParameterPlace::Header) => ParameterStyle::Simple,
        ("spaceDelimited", _) => ParameterStyle::SpaceDelimited,
        ("pipeDelimited", _) => ParameterStyle::PipeDelimited,
        ("deepObject", _) => ParameterStyle::DeepObject,
        _ => ParameterStyle::Form,
    }
}

/// `example`, or the first of `examples`.
fn given_example<'a>(reader: &mut Reader<'a>, fields: &'a Object) -> Option<Value> {
    if let Some(example) = fields.get("example") {
        return Some(example.clone());
    }
    let (_, first) = fields.get("examples")?.as_object()?.iter().next()?;
    reader.follow(first)?.get("value").cloned()
}

/// A path names what it needs, even if nothing declares it.
fn add_undeclared(reader: &mut Reader<'_>, path: &str, parameters: &mut Vec<Parameter>) {
    for name in path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)) {
        let is_declared = |parameter: &Parameter| {
            parameter.place == ParameterPlace::Path && parameter.name == name
        };
        if name.is_empty()
            || parameters.iter().any(is_declared)
            || parameters.len() >= MAX_PARAMETERS
        {
            continue;
        }
        reader.report(format!("The path parameter '{name}' is not declared"));
        parameters.push(Parameter {
            name: clipped(name, MAX_NAME),
            place: ParameterPlace::Path,
            description: Str::new(),
            required: true,
            deprecated: false,
            schema: model::json!({ "type": "string" }),
            default: None,
            example: None,
            style: ParameterStyle::Simple,
            explode: false,
            content_type: None,
        });
    }
}

fn request_body<'a>(reader: &mut Reader<'a>, body: &'a Value) -> Option<RequestBody> {
    let fields = reader.object(body, "The request body")?;
    Some(RequestBody {
        description: text_field(fields, "description", MAX_TEXT),
        required: flag(fields, "required"),
        content: media_types(reader, fields.get("content")),
    })
}

fn media_types<'a>(reader: &mut Reader<'a>, content: Option<&'a Value>) -> Vec<MediaType> {
    let listed = content.and_then(Value::as_object).into_iter().flat_map(Object::iter);
    let mut found = Vec::new();
    for (name, media) in listed.take(MAX_MEDIA_TYPES) {
        let Some(fields) = media.as_object() else {
            reader.report(format!("'{}' is not an object", clipped(name, MAX_NAME)));
            continue;
        };
        let schema = fields.get("schema");
        let schema = schema.map_or_else(Value::empty_object, |schema| reader.schema(schema));
        let example = given_example(reader, fields);
        found.push(MediaType { name: clipped(name, MAX_NAME), schema, example });
    }
    found
}

fn responses<'a>(
    reader: &mut Reader<'a>,
    operation: &'a Object,
    is_swagger: bool,
    document: &'a ApiDocument,
) -> Vec<ResponseForm> {
    let listed = operation.get("responses").and_then(Value::as_object);
    let mut found = Vec::new();
    for (status, response) in listed.into_iter().flat_map(Object::iter).take(MAX_RESPONSES) {
        if status.starts_with("x-") {
            continue;
        }
        let Some(fields) = reader.object(response, "A response") else { continue };
        let content = if is_swagger {
            swagger::response_content(reader, fields, operation, document)
        } else {
            media_types(reader, fields.get("content"))
        };
        let description = text_field(fields, "description", MAX_TEXT);
        found.push(ResponseForm { status: clipped(status, 20), description, content });
    }
    found
}
