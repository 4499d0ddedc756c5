//! Declarative requests: an address, a query, headers and a body with places for arguments.

use super::fields::{Fields, Read};
use super::located::{Located, Tree};
use model::{Object, Str, Value, json};
use ports::tools::{
    HttpTool, HttpToolBody, PathSegment, RequestPiece, TextPiece, ToolCredential, ToolResponse,
};

const METHODS: [&str; 7] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
/// The largest answer that a manifest may ask for.
const MAX_RESPONSE_BYTES: f64 = (16 << 20) as f64;
/// Segments of a path, fields of a query, headers.
const MAX_PARTS: usize = 100;

/// Headers that the connection decides, or that would say that the request is for another host.
const OTHER_HEADERS: [&str; 11] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "upgrade",
    "te",
    "trailer",
    "keep-alive",
    "expect",
    "forwarded",
    "x-forwarded-host",
];

/// The request of an entry, and the schema of its arguments.
pub(super) fn request(entry: &Fields<'_>, input: Option<Value>) -> Read<(HttpTool, Value)> {
    let Some(http) = entry.fields("http")? else { return Err(entry.wrong("'http' is missing")) };
    http.check_keys(&[
        "method",
        "url",
        "query",
        "headers",
        "body",
        "credential",
        "idempotency_header",
        "response",
    ])?;
    let method = http.text("method")?.unwrap_or("GET").to_ascii_uppercase();
    if !METHODS.contains(&method.as_str()) {
        return Err(http.wrong_in("method", &format!("must be one of {}", METHODS.join(", "))));
    }
    let url = http.required("url")?;
    let (origin, path) = address(url).map_err(|problem| http.wrong_in("url", &problem))?;
    let body = match http.fields("body")? {
        None => None,
        Some(_) if matches!(method.as_str(), "GET" | "HEAD") => {
            return Err(http.wrong_in("body", "is not sent with this method"));
        }
        Some(body) => Some(self::body(&body)?),
    };
    let tool = HttpTool {
        method: method.into(),
        origin,
        path,
        query: parts(&http, "query", |_| Ok(()))?,
        repeats_names: true,
        headers: parts(&http, "headers", check_header)?,
        body,
        credential: credential(&http)?,
        idempotency_header: idempotency_header(&http)?,
        response: response(&http)?,
    };
    let input = match input {
        Some(input) => {
            check_arguments(&http, &tool, &input)?;
            input
        }
        None => made_input(&tool),
    };
    Ok((tool, input))
}

pub(super) fn idempotency_header(fields: &Fields<'_>) -> Read<Option<Str>> {
    let Some(name) = fields.text("idempotency_header")? else { return Ok(None) };
    check_header(name).map_err(|problem| fields.wrong_in("idempotency_header", &problem))?;
    Ok(Some(name.into()))
}

pub(super) fn credential(fields: &Fields<'_>) -> Read<Option<ToolCredential>> {
    let Some(credential) = fields.fields("credential")? else { return Ok(None) };
    credential.check_keys(&["type", "id"])?;
    Ok(Some(ToolCredential {
        kind: credential.required("type")?.into(),
        id: credential.required("id")?.into(),
    }))
}

fn response(http: &Fields<'_>) -> Read<ToolResponse> {
    let Some(response) = http.fields("response")? else { return Ok(ToolResponse::default()) };
    response.check_keys(&["select", "max_bytes"])?;
    let max_bytes = response.number("max_bytes", 1.0, MAX_RESPONSE_BYTES)?;
    Ok(ToolResponse {
        select: response.text("select")?.filter(|path| !path.is_empty()).map(Str::from),
        max_bytes: max_bytes.map(|bytes| bytes as usize),
    })
}

/// The fixed beginning of an address and its path. No argument is part of the beginning.
pub(super) fn address(text: &str) -> Result<(String, Vec<PathSegment>), String> {
    let scheme = ["https://", "http://"].into_iter().find(|scheme| text.starts_with(scheme));
    let Some(scheme) = scheme else {
        return Err("must begin with https:// or http://".to_owned());
    };
    let rest = &text[scheme.len()..];
    let (host, path) = match rest.find(['/', '?', '#']) {
        Some(end) => rest.split_at(end),
        None => (rest, ""),
    };
    let is_plain = |letter: char| letter.is_alphanumeric() || ".-:[]_".contains(letter);
    if host.is_empty() || !host.chars().all(is_plain) {
        return Err("must name its host itself, without arguments, user or password".to_owned());
    }
    let parsed = url::Url::parse(&format!("{scheme}{host}/"))
        .map_err(|error| format!("is not a valid URL: {error}"))?;
    let origin = parsed.origin().ascii_serialization();
    let Some(path) = path.strip_prefix('/').or_else(|| path.is_empty().then_some("")) else {
        return Err("has a query or fragment; put it into 'query'".to_owned());
    };
    if path.contains(['?', '#']) {
        return Err("has a query or fragment; put it into 'query'".to_owned());
    }
    if path.is_empty() {
        return Ok((origin, Vec::new()));
    }
    let segments: Result<Vec<PathSegment>, String> = path.split('/').map(segment).collect();
    let segments = segments?;
    if segments.len() > MAX_PARTS {
        return Err(format!("has more than {MAX_PARTS} segments"));
    }
    Ok((origin, segments))
}

fn segment(text: &str) -> Result<PathSegment, String> {
    let pieces = pieces(text)?;
    for piece in &pieces {
        if let TextPiece::Fixed(fixed) = piece
            && !is_path_text(fixed)
        {
            return Err(format!("has letters in '{fixed}' that must be percent-encoded"));
        }
    }
    let plain = text.to_ascii_lowercase().replace("%2e", ".");
    match plain.as_str() {
        "." | ".." => Err("has a segment '.' or '..'".to_owned()),
        _ => Ok(PathSegment(pieces)),
    }
}

/// What may stand in a segment as it is.
fn is_path_text(text: &str) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let is_fine = match byte {
            b'%' => {
                let escape = [bytes.next(), bytes.next()];
                escape.into_iter().all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit()))
            }
            byte => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// Text with `{argument}` places; `{{` and `}}` are braces.
pub(super) fn pieces(text: &str) -> Result<Vec<TextPiece>, String> {
    let (mut pieces, mut fixed) = (Vec::new(), String::new());
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        fixed.push_str(&rest[..at]);
        let tail = &rest[at..];
        if let Some(after) = tail.strip_prefix("{{") {
            fixed.push('{');
            rest = after;
        } else if let Some(after) = tail.strip_prefix("}}") {
            fixed.push('}');
            rest = after;
        } else {
            let name = tail.strip_prefix('{').and_then(|tail| tail.split_once('}'));
            let Some((name, after)) = name.filter(|(name, _)| is_argument(name)) else {
                return Err(
                    "has a brace that names no argument, such as {id}; write {{ or }} for a brace"
                        .to_owned(),
                );
            };
            if !fixed.is_empty() {
                pieces.push(TextPiece::Fixed(std::mem::take(&mut fixed)));
            }
            pieces.push(TextPiece::Argument(name.into()));
            rest = after;
        }
    }
    fixed.push_str(rest);
    if !fixed.is_empty() {
        pieces.push(TextPiece::Fixed(fixed));
    }
    Ok(pieces)
}

fn is_argument(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter))
}

/// The fields of a query or of the headers.
fn parts(
    http: &Fields<'_>,
    name: &str,
    check: impl Fn(&str) -> Result<(), String>,
) -> Read<Vec<(Str, RequestPiece)>> {
    let Some(fields) = http.fields(name)? else { return Ok(Vec::new()) };
    if fields.all().len() > MAX_PARTS {
        return Err(http.wrong_in(name, &format!("has more than {MAX_PARTS} fields")));
    }
    let mut parts = Vec::new();
    for (key, value) in fields.all() {
        check(key).map_err(|problem| http.wrong_in(name, &problem))?;
        parts.push((key.clone(), piece(value).map_err(|problem| http.wrong_in(name, &problem))?));
    }
    Ok(parts)
}

fn check_header(name: &str) -> Result<(), String> {
    let is_token =
        |letter: char| letter.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(letter);
    if name.is_empty() || !name.chars().all(is_token) {
        let shown: String = name.chars().take(60).collect();
        return Err(format!("has '{}', which is no name of a header", shown.escape_debug()));
    }
    let lower = name.to_ascii_lowercase();
    match OTHER_HEADERS.contains(&lower.as_str()) || lower.starts_with("proxy-") {
        true => Err(format!("may not set the header '{name}'")),
        false => Ok(()),
    }
}

fn body(body: &Fields<'_>) -> Read<HttpToolBody> {
    body.check_keys(&["json", "form", "text", "content_type"])?;
    let piece_of =
        |name: &str, at: &Located| piece(at).map_err(|problem| body.wrong_in(name, &problem));
    match (body.get("json"), body.get("form"), body.get("text")) {
        (Some(json), None, None) => Ok(HttpToolBody::Json(piece_of("json", json)?)),
        (None, Some(form), None) if matches!(form.tree, Tree::Fields(_)) => {
            Ok(HttpToolBody::Form(piece_of("form", form)?))
        }
        (None, None, Some(text)) => {
            let content_type = body.text("content_type")?.unwrap_or("text/plain; charset=utf-8");
            if content_type.chars().any(char::is_control) {
                return Err(body.wrong_in("content_type", "has control characters"));
            }
            let text = piece_of("text", text)?;
            Ok(HttpToolBody::Text { content_type: content_type.into(), text })
        }
        _ => Err(body.wrong("a body is one of json, form (with fields) and text")),
    }
}

/// A value with places for arguments. A text that is one place only is the argument as it is.
fn piece(at: &Located) -> Result<RequestPiece, String> {
    Ok(match &at.tree {
        Tree::Scalar(Value::String(text)) => {
            let pieces = pieces(text)?;
            match pieces.as_slice() {
                [] => RequestPiece::Fixed("".into()),
                [TextPiece::Fixed(text)] => RequestPiece::Fixed(text.as_str().into()),
                [TextPiece::Argument(name)] => RequestPiece::Argument(name.clone()),
                _ => RequestPiece::Text(pieces),
            }
        }
        Tree::Scalar(value) => RequestPiece::Fixed(value.clone()),
        Tree::List(values) => {
            RequestPiece::List(values.iter().map(piece).collect::<Result<_, _>>()?)
        }
        Tree::Fields(fields) => {
            let fields = fields.iter().map(|(name, value)| Ok((name.clone(), piece(value)?)));
            RequestPiece::Fields(fields.collect::<Result<_, String>>()?)
        }
    })
}

/// Every place of the request is an argument of the schema, and those of the path are required.
fn check_arguments(http: &Fields<'_>, tool: &HttpTool, input: &Value) -> Read<()> {
    let properties = input.get("properties").and_then(Value::as_object);
    let is_known = |name: &Str| properties.is_some_and(|known| known.contains_key(name));
    if let Some(name) = tool.arguments().into_iter().find(|name| !is_known(name)) {
        let problem = format!("the request uses {{{name}}}, which 'input' does not have");
        return Err(http.wrong(problem));
    }
    let required = input.get("required").and_then(Value::as_array).unwrap_or_default();
    let is_required = |name: &Str| required.iter().any(|other| other.as_str() == Some(name));
    let mut of_path = tool.path.iter().flat_map(PathSegment::arguments);
    match of_path.find(|name| !is_required(name)) {
        None => Ok(()),
        Some(name) => {
            Err(http
                .wrong_in("url", &format!("uses {{{name}}}, which must be 'required' in 'input'")))
        }
    }
}

/// The schema of the arguments of a request that declares none.
fn made_input(tool: &HttpTool) -> Value {
    let mut properties = Object::new();
    for name in tool.arguments() {
        properties.insert(name.clone(), json!({ "type": "string" }));
    }
    let mut required: Vec<Value> = Vec::new();
    for name in tool.path.iter().flat_map(PathSegment::arguments) {
        if !required.iter().any(|known| known.as_str() == Some(name)) {
            required.push(name.clone().into());
        }
    }
    json!({
        "type": "object",
        "properties": (Value::object(properties)),
        "required": (Value::array(required)),
        "additionalProperties": false
    })
}
