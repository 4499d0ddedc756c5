//! Reads the body of a call the way its content type says.

use crate::error::ApiError;
use axum::body::Body;
use bytes::Bytes;
use futures::TryStreamExt;
use model::{Binary, Code, Object, Str, Value};
use node_api::trigger::WebhookRoute;

/// What a body may hold at most.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    pub bytes: usize,
    /// Parts of a form.
    pub parts: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self { bytes: 16 << 20, parts: 1000 }
    }
}

/// A body that was read: what goes into the item's JSON, and its files.
pub(crate) struct Read {
    pub(crate) json: Value,
    pub(crate) files: Vec<(Str, Binary)>,
}

pub(crate) async fn read(body: Body, content_type: &str, route: &WebhookRoute, limits: BodyLimits) -> Result<Read, ApiError> {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    if kind == "multipart/form-data" && !route.raw_body {
        return read_parts(body, content_type, &route.binary_field, limits).await;
    }
    let bytes = axum::body::to_bytes(body, limits.bytes).await.map_err(|_| too_large(limits))?;
    if route.raw_body {
        let mime = if kind.is_empty() { "application/octet-stream" } else { &kind };
        let file = Binary::new(bytes.clone(), mime, None);
        let json = if kind.contains("json") { json_body(&bytes)? } else { Value::empty_object() };
        return Ok(Read { json, files: vec![(route.binary_field.clone(), file)] });
    }
    let text = || String::from_utf8_lossy(&bytes).into_owned();
    let json = match kind.as_str() {
        _ if bytes.is_empty() => Value::empty_object(),
        "" => json_body(&bytes).unwrap_or_else(|_| text().into()),
        "application/x-www-form-urlencoded" => form_fields(&bytes).into(),
        kind if kind == "application/json" || kind.ends_with("+json") => json_body(&bytes)?,
        kind if kind.starts_with("text/") || kind.contains("xml") => text().into(),
        mime => {
            let file = Binary::new(bytes.clone(), mime, None);
            return Ok(Read { json: Value::empty_object(), files: vec![(route.binary_field.clone(), file)] });
        }
    };
    Ok(Read { json, files: Vec::new() })
}

fn json_body(bytes: &Bytes) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApiError::new(Code::REQUEST_BODY, "The body is not UTF-8"))?;
    model::json::parse(text).map_err(|error| ApiError::new(Code::REQUEST_BODY, format!("The body is not JSON: {error}")))
}

/// Fields of a form; one that comes several times is a list.
pub(crate) fn form_fields(bytes: &[u8]) -> Object {
    let mut fields = Object::new();
    for (name, value) in form_urlencoded::parse(bytes) {
        add_field(&mut fields, name.into_owned().into(), value.into_owned().into());
    }
    fields
}

fn add_field(fields: &mut Object, name: Str, value: Value) {
    let name = Str::from(name.strip_suffix("[]").unwrap_or(&name));
    match fields.get_mut(&name) {
        Some(Value::Array(_)) => fields.entry(&name).make_array().push(value),
        Some(before) => {
            let first = std::mem::take(before);
            *before = Value::array(vec![first, value]);
        }
        None => {
            fields.insert(name, value);
        }
    }
}

async fn read_parts(body: Body, content_type: &str, binary_field: &str, limits: BodyLimits) -> Result<Read, ApiError> {
    let bad = |error: multer::Error| match error {
        multer::Error::StreamSizeExceeded { .. } | multer::Error::FieldSizeExceeded { .. } => too_large(limits),
        error => ApiError::new(Code::REQUEST_BODY, format!("The form cannot be read: {error}")),
    };
    let boundary = multer::parse_boundary(content_type).map_err(bad)?;
    let sizes = multer::SizeLimit::new().whole_stream(limits.bytes as u64);
    let stream = body.into_data_stream().map_err(std::io::Error::other);
    let mut parts = multer::Multipart::with_constraints(stream, boundary, multer::Constraints::new().size_limit(sizes));
    let mut fields = Object::new();
    let mut files: Vec<(Str, Binary)> = Vec::new();
    let mut count = 0;
    while let Some(part) = parts.next_field().await.map_err(bad)? {
        count += 1;
        if count > limits.parts {
            return Err(ApiError::new(Code::REQUEST_TOO_LARGE, format!("The form has more than {} parts", limits.parts)));
        }
        let name: Str = part.name().unwrap_or(binary_field).into();
        let file_name = part.file_name().map(clean_file_name);
        let mime = part.content_type().map_or_else(|| "application/octet-stream".to_owned(), ToString::to_string);
        let data = part.bytes().await.map_err(bad)?;
        match file_name {
            Some(file_name) => {
                let same = files.iter().filter(|(known, _)| known.trim_end_matches(|letter: char| letter.is_ascii_digit()) == name).count();
                let key = if same == 0 { name } else { format!("{name}{same}").into() };
                files.push((key, Binary::new(data, mime, Some(file_name))));
            }
            None => add_field(&mut fields, name, String::from_utf8_lossy(&data).into_owned().into()),
        }
    }
    Ok(Read { json: fields.into(), files })
}

/// The last part of a name that a caller gave, without what could lead elsewhere.
fn clean_file_name(name: &str) -> Str {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last.chars().filter(|letter| !letter.is_control()).take(200).collect();
    let kept = kept.trim().trim_start_matches('.');
    if kept.is_empty() { "file".into() } else { kept.into() }
}

fn too_large(limits: BodyLimits) -> ApiError {
    ApiError::new(Code::REQUEST_TOO_LARGE, format!("The body is larger than {} bytes", limits.bytes))
        .hint("Raise HEDDLE_MAX_BODY, or send less.")
}
