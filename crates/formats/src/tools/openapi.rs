//! Operations of an API description as tools, each a declared request.

use super::entry::{Common, check_retry, is_name, name_in};
use super::fields::{Fields, Read};
use super::{MAX_TOOL_DESCRIPTION, ManifestContext, ManifestFinding, http};
use crate::openapi::{
    self, ApiDocument, Operation, Parameter, ParameterPlace, ParameterStyle, ResponseForm,
};
use model::{Object, Str, Value, json};
use ports::policy::{Patterns, SideEffect};
use ports::tools::{
    HttpTool, HttpToolBody, PathSegment, RegisteredTool, RequestPiece, TextPiece, ToolAction,
    ToolCredential, ToolResponse,
};

/// The argument that is the body of a request.
const BODY: &str = "body";
/// Headers that are never arguments: what authenticates, and what the body decides.
const OTHER_HEADERS: [&str; 4] = ["accept", "content-type", "authorization", "host"];

/// What an entry says about its document.
struct Import<'e> {
    entry: Fields<'e>,
    base_url: Option<&'e str>,
    credential: Option<ToolCredential>,
    idempotency_header: Option<Str>,
    effects: Vec<(Patterns, SideEffect)>,
    validates_output: bool,
}

pub(super) fn tools(
    entry: &Fields<'_>,
    namespace: &str,
    common: &Common,
    context: &ManifestContext<'_>,
    findings: &mut Vec<ManifestFinding>,
) -> Read<Vec<RegisteredTool>> {
    let Some(fields) = entry.fields("openapi")? else {
        return Err(entry.wrong("'openapi' is missing"));
    };
    fields.check_keys(&[
        "file",
        "document",
        "base_url",
        "include",
        "exclude",
        "tags",
        "credential",
        "idempotency_header",
        "effects",
        "validate_output",
    ])?;
    let document = document(&fields, context)?;
    let (include, exclude) = (fields.patterns("include")?, fields.patterns("exclude")?);
    let tags = fields.texts("tags")?;
    let import = Import {
        entry: *entry,
        base_url: fields.text("base_url")?,
        credential: http::credential(&fields)?,
        idempotency_header: http::idempotency_header(&fields)?,
        effects: effects(&fields)?,
        validates_output: fields.flag("validate_output")?,
    };
    let chosen = document.operations.iter().filter(|operation| {
        let is_tagged = tags.is_empty() || operation.tags.iter().any(|tag| tags.contains(tag));
        let is_excluded = !exclude.is_empty() && exclude.allow(&operation.id);
        is_tagged && include.allow(&operation.id) && !is_excluded
    });
    let mut tools = Vec::new();
    for summary in chosen.take(super::MAX_MANIFEST_TOOLS + 1) {
        let Some(operation) = document.operation(&summary.id) else { continue };
        match import.tool(namespace, &operation, common, context) {
            Ok(tool) => tools.push(tool),
            Err(finding) => findings.push(*finding),
        }
    }
    if tools.is_empty() && findings.is_empty() {
        return Err(fields.wrong("no operation of the document is chosen"));
    }
    Ok(tools)
}

fn document(fields: &Fields<'_>, context: &ManifestContext<'_>) -> Read<ApiDocument> {
    let read = match (fields.text("file")?, fields.get("document")) {
        (Some(file), None) => {
            let text = (context.load)(file).map_err(|problem| fields.wrong_in("file", &problem))?;
            compute::for_size(text.len(), || openapi::read(&text))
                .map_err(|busy| fields.wrong(busy.to_string()))?
        }
        (None, Some(document)) => openapi::from_value(document.to_value()),
        _ => return Err(fields.wrong("it needs either 'file' or 'document'")),
    };
    let name = if fields.get("file").is_some() { "file" } else { "document" };
    read.map_err(|error| fields.wrong_in(name, &format!("cannot be read: {error}")))
}

fn effects(fields: &Fields<'_>) -> Read<Vec<(Patterns, SideEffect)>> {
    let Some(effects) = fields.fields("effects")? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (pattern, _) in effects.all() {
        let Some(effect) = effects.effect(pattern)? else { continue };
        let pattern = ports::policy::Pattern::new(pattern)
            .map_err(|error| effects.wrong_in(pattern, &format!("is wrong: {error}")))?;
        found.push((Patterns(vec![pattern]), effect));
    }
    Ok(found)
}

impl Import<'_> {
    fn tool(
        &self,
        namespace: &str,
        operation: &Operation,
        common: &Common,
        context: &ManifestContext<'_>,
    ) -> Read<RegisteredTool> {
        let summary = &operation.summary;
        let name = name_in(&self.entry, namespace, &word(&summary.id))?;
        let entry = self.entry.at_place(&name);
        let effects = self.effects.iter().filter(|(names, _)| names.allow(&summary.id));
        let effect = effects.map(|(_, effect)| *effect).max().or(common.effect);
        let common = Common { effect, ..common.clone() };
        let (request, input) = self.request(&entry, operation)?;
        // What the whole document says about repeating holds for those that may be repeated.
        let retry = common.retry.filter(|_| check_retry(&entry, &common, &request).is_ok());
        entry.check_schema("openapi", &input, context)?;
        let output = output(&operation.responses).filter(|_| self.validates_output);
        let words = [&summary.summary, &summary.description];
        let mut words: Vec<&str> =
            words.into_iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect();
        words.dedup();
        let description = match words.is_empty() {
            true => format!("{} {}", summary.method, summary.path),
            false => words.join("\n"),
        };
        let description: String = description.chars().take(MAX_TOOL_DESCRIPTION).collect();
        let action = ToolAction::Http(Box::new(request));
        let common = Common { retry, ..common };
        Ok(common.tool(name.clone(), description.into(), Some(input), output, action, context))
    }

    fn request(&self, entry: &Fields<'_>, operation: &Operation) -> Read<(HttpTool, Value)> {
        let base = match (self.base_url, operation.servers.first()) {
            (Some(base), _) => base.to_owned(),
            (None, Some(server)) => server.address(None),
            (None, None) => String::new(),
        };
        let (origin, mut path) = http::address(base.trim_end_matches('/')).map_err(|problem| {
            entry.wrong(format!("the address of the API {problem}; set 'base_url'"))
        })?;
        let mut arguments = Arguments::default();
        let own = operation.summary.path.trim_start_matches('/');
        for segment in own.split('/').filter(|_| !own.is_empty()) {
            path.push(arguments.segment(segment, operation).map_err(|text| entry.wrong(text))?);
        }
        let (mut query, mut headers) = (Vec::new(), Vec::new());
        for parameter in &operation.parameters {
            match parameter.place {
                ParameterPlace::Path | ParameterPlace::Cookie => {}
                ParameterPlace::Query => {
                    let name = arguments.add(parameter);
                    query.push((parameter.name.clone(), query_piece(parameter, name)));
                }
                ParameterPlace::Header => {
                    let lower = parameter.name.to_ascii_lowercase();
                    if !OTHER_HEADERS.contains(&lower.as_str()) {
                        let name = arguments.add(parameter);
                        headers.push((parameter.name.clone(), RequestPiece::Joined(name, ",")));
                    }
                }
            }
        }
        let body = body(operation, &mut arguments).map_err(|text| entry.wrong(text))?;
        let request = HttpTool {
            method: operation.summary.method.clone(),
            origin,
            path,
            query,
            repeats_names: true,
            headers,
            body,
            credential: self.credential.clone(),
            idempotency_header: self.idempotency_header.clone(),
            response: ToolResponse::default(),
        };
        Ok((request, arguments.into_schema()))
    }
}

/// The arguments of one operation.
#[derive(Default)]
struct Arguments {
    properties: Object,
    required: Vec<Value>,
}

impl Arguments {
    /// Adds a parameter under a name that models can give.
    fn add(&mut self, parameter: &Parameter) -> Str {
        let mut schema = parameter.schema.clone();
        if !schema.is_object() {
            schema = Value::empty_object();
        }
        if !parameter.description.is_empty() && schema.get("description").is_none() {
            schema.make_object().insert("description", parameter.description.clone());
        }
        self.insert(&word(&parameter.name), schema, parameter.required)
    }

    fn insert(&mut self, wanted: &str, schema: Value, required: bool) -> Str {
        let (mut name, mut number) = (Str::from(wanted), 1);
        while self.properties.contains_key(&name) {
            number += 1;
            name = format!("{wanted}_{number}").into();
        }
        self.properties.insert(name.clone(), schema);
        if required {
            self.required.push(name.clone().into());
        }
        name
    }

    fn segment(&mut self, text: &str, operation: &Operation) -> Result<PathSegment, String> {
        let (mut pieces, mut rest) = (Vec::new(), text);
        while let Some((before, behind)) = rest.split_once('{') {
            let (name, after) = behind
                .split_once('}')
                .ok_or_else(|| format!("the path has an open brace in '{text}'"))?;
            if !before.is_empty() {
                pieces.push(TextPiece::Fixed(before.to_owned()));
            }
            let parameter = operation.parameters.iter().find(|parameter| {
                parameter.place == ParameterPlace::Path && parameter.name == name
            });
            let parameter =
                parameter.ok_or_else(|| format!("the path parameter '{name}' is not described"))?;
            let required = Parameter { required: true, ..parameter.clone() };
            pieces.push(TextPiece::Argument(self.add(&required)));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(TextPiece::Fixed(rest.to_owned()));
        }
        let is_dots = matches!(
            pieces.as_slice(),
            [TextPiece::Fixed(fixed)]
                if matches!(fixed.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
        );
        let is_plain = pieces.iter().all(|piece| match piece {
            TextPiece::Fixed(fixed) => !fixed.contains(['?', '#', '\\', ' ']),
            TextPiece::Argument(_) => true,
        });
        match is_plain && !is_dots {
            true => Ok(PathSegment(pieces)),
            false => Err(format!("the path has a segment '{text}' that cannot be sent")),
        }
    }

    fn into_schema(self) -> Value {
        json!({
            "type": "object",
            "properties": (Value::object(self.properties)),
            "required": (Value::array(self.required)),
            "additionalProperties": false
        })
    }
}

fn query_piece(parameter: &Parameter, name: Str) -> RequestPiece {
    match (parameter.explode, parameter.style) {
        (true, _) | (_, ParameterStyle::DeepObject) => RequestPiece::Argument(name),
        (false, ParameterStyle::SpaceDelimited) => RequestPiece::Joined(name, " "),
        (false, ParameterStyle::PipeDelimited) => RequestPiece::Joined(name, "|"),
        (false, ParameterStyle::TabDelimited) => RequestPiece::Joined(name, "\t"),
        (false, _) => RequestPiece::Joined(name, ","),
    }
}

/// The body as one argument: JSON before forms before text.
fn body(operation: &Operation, arguments: &mut Arguments) -> Result<Option<HttpToolBody>, String> {
    let Some(body) = &operation.body else { return Ok(None) };
    let of_kind = |fits: &dyn Fn(&str) -> bool| {
        body.content.iter().find(|media| fits(&media_type(&media.name)))
    };
    let is_json =
        |name: &str| name == "application/json" || name.ends_with("+json") || name == "*/*";
    let is_form = |name: &str| name == "application/x-www-form-urlencoded";
    let is_text = |name: &str| name.starts_with("text/");
    let found = of_kind(&is_json).or_else(|| of_kind(&is_form)).or_else(|| of_kind(&is_text));
    let Some(media) = found else {
        return match body.required {
            true => Err("needs a body of a kind that a model cannot give".to_owned()),
            false => Ok(None),
        };
    };
    let schema = match media.schema.is_object() {
        true => media.schema.clone(),
        false => Value::empty_object(),
    };
    let name = arguments.insert(BODY, schema, body.required);
    let piece = RequestPiece::Argument(name);
    let kind = media_type(&media.name);
    Ok(Some(if is_json(&kind) {
        HttpToolBody::Json(piece)
    } else if is_form(&kind) {
        HttpToolBody::Form(piece)
    } else {
        HttpToolBody::Text { content_type: media.name.clone(), text: piece }
    }))
}

/// A media type without its parameters.
fn media_type(name: &str) -> String {
    name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The schema of what an operation answers if it succeeds.
fn output(responses: &[ResponseForm]) -> Option<Value> {
    let success = responses.iter().find(|response| response.status.starts_with('2'))?;
    let json = success.content.iter().find(|media| media.name.contains("json"))?;
    json.schema.is_object().then(|| json.schema.clone())
}

/// An id as a word of a tool's name.
fn word(id: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let replaced: String =
        id.chars().map(|letter| if fits(letter) { letter } else { '_' }).collect();
    let trimmed = replaced.trim_matches('_');
    let kept: String = trimmed.chars().take(super::MAX_TOOL_NAME).collect();
    if is_name(&kept) {
        kept
    } else {
        format!("o{kept}").chars().take(super::MAX_TOOL_NAME).collect()
    }
}
