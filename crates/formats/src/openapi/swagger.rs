//! What Swagger 2.0 says in another way than OpenAPI 3.

use super::document::ApiDocument;
use super::operation::{MediaType, ParameterPlace, ParameterStyle, RequestBody};
use super::references::{Reader, clipped, flag, text_field};
use super::servers::Server;
use model::{Object, Str, Value, json};

const MAX_TYPES: usize = 20;
const MAX_NAME: usize = 200;

pub(super) fn servers(fields: &Object) -> Vec<Server> {
    let (host, path) = (text_field(fields, "host", 500), text_field(fields, "basePath", 1_000));
    let schemes = fields.get("schemes").and_then(Value::as_array).unwrap_or_default();
    let web = schemes.iter().filter_map(Value::as_str).filter(|scheme| scheme.starts_with("http"));
    let mut schemes: Vec<&str> = web.take(2).collect();
    // The safe one first.
    schemes.sort_unstable_by(|one, other| other.cmp(one));
    if schemes.is_empty() {
        schemes.push("https");
    }
    let server = |url: String| Server { url: url.into(), ..Server::default() };
    match host.as_str() {
        "" if path.is_empty() => Vec::new(),
        "" => vec![server(path.to_string())],
        host => schemes.iter().map(|scheme| server(format!("{scheme}://{host}{path}"))).collect(),
    }
}

/// The type, limits and default are beside the name of a parameter.
pub(super) fn parameter_schema<'a>(reader: &mut Reader<'a>, fields: &'a Object) -> Value {
    const NOT_SCHEMA: [&str; 8] = [
        "name",
        "in",
        "required",
        "collectionFormat",
        "allowEmptyValue",
        "example",
        "examples",
        "schema",
    ];
    let mut schema = Object::new();
    for (key, value) in fields.iter() {
        if NOT_SCHEMA.contains(&key.as_str()) || key.starts_with("x-") {
            continue;
        }
        let value = if key == "items" { reader.schema(value) } else { value.clone() };
        schema.insert(key.clone(), value);
    }
    if schema.get("type").and_then(Value::as_str) == Some("file") {
        schema.insert("type", "string");
        schema.insert("format", "binary");
    }
    Value::object(schema)
}

pub(super) fn style(fields: &Object, place: ParameterPlace) -> (ParameterStyle, bool) {
    match (text_field(fields, "collectionFormat", 20).as_str(), place) {
        ("multi", _) => (ParameterStyle::Form, true),
        ("ssv", _) => (ParameterStyle::SpaceDelimited, false),
        ("tsv", _) => (ParameterStyle::TabDelimited, false),
        ("pipes", _) => (ParameterStyle::PipeDelimited, false),
        (_, ParameterPlace::Path | ParameterPlace::Header) => (ParameterStyle::Simple, false),
        _ => (ParameterStyle::Form, false),
    }
}

/// Takes the parameters that are a body out of the others.
pub(super) fn take_body<'a>(
    reader: &mut Reader<'a>,
    parameters: &mut Vec<&'a Object>,
    operation: &'a Object,
    document: &'a ApiDocument,
) -> Option<RequestBody> {
    let place = |fields: &Object| text_field(fields, "in", 20);
    let of_body: Vec<&'a Object> = parameters
        .iter()
        .filter(|fields| matches!(place(fields).as_str(), "body" | "formData"))
        .copied()
        .collect();
    parameters.retain(|fields| !matches!(place(fields).as_str(), "body" | "formData"));
    let consumes = types(operation, document, "consumes");
    if let Some(body) = of_body.iter().find(|fields| place(fields) == "body") {
        let schema = body.get("schema");
        let schema = schema.map_or_else(Value::empty_object, |schema| reader.schema(schema));
        let example = body.get("x-example").cloned();
        let content = consumes.into_iter().map(|name| MediaType {
            name,
            schema: schema.clone(),
            example: example.clone(),
        });
        return Some(RequestBody {
            description: text_field(body, "description", 2_000),
            required: flag(body, "required"),
            content: content.collect(),
        });
    }
    if of_body.is_empty() {
        return None;
    }
    let is_file = |fields: &&Object| fields.get("type").and_then(Value::as_str) == Some("file");
    let is_multipart = of_body.iter().any(is_file)
        || consumes.first().is_some_and(|kind| kind.starts_with("multipart/"));
    let name =
        if is_multipart { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
    let required = of_body.iter().filter(|fields| flag(fields, "required"));
    let required: Vec<Value> =
        required.map(|fields| Value::String(text_field(fields, "name", MAX_NAME))).collect();
    let is_required = !required.is_empty();
    let properties: Object = of_body
        .iter()
        .map(|fields| (text_field(fields, "name", MAX_NAME), parameter_schema(reader, fields)))
        .collect();
    let schema = json!({ "type": "object", "required": (Value::array(required)), "properties": (Value::object(properties)) });
    Some(RequestBody {
        description: Str::new(),
        required: is_required,
        content: vec![MediaType { name: name.into(), schema, example: None }],
    })
}

pub(super) fn response_content<'a>(
    reader: &mut Reader<'a>,
    response: &'a Object,
    operation: &'a Object,
    document: &'a ApiDocument,
) -> Vec<MediaType> {
    let Some(schema) = response.get("schema") else { return Vec::new() };
    let schema = reader.schema(schema);
    let examples = response.get("examples");
    let content = types(operation, document, "produces").into_iter().map(|name| {
        let example = examples.and_then(|examples| examples.get(&name)).cloned();
        MediaType { name, schema: schema.clone(), example }
    });
    content.collect()
}

/// The media types of an operation, or of the document, or JSON.
fn types(operation: &Object, document: &ApiDocument, key: &str) -> Vec<Str> {
    let listed = operation.get(key).or_else(|| document.root.get(key)).and_then(Value::as_array);
    let names = listed.unwrap_or_default().iter().filter_map(Value::as_str).take(MAX_TYPES);
    let names: Vec<Str> = names.map(|name| clipped(name, MAX_NAME)).collect();
    if names.is_empty() { vec!["application/json".into()] } else { names }
}
