//! Reads the body of a call the way its content type says, within limits.

mod fields;
mod packed;
mod parts;
mod text;

pub(crate) use fields::{flat_fields, nested_fields};

use crate::error::ApiError;
use crate::gate::{self, BodyStopped};
use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use model::{Binary, Code, Str, Value};
use node_api::NodeError;
use node_api::trigger::BodyAs;
use std::sync::Arc;

/// What a body may hold at most.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    pub bytes: usize,
    /// Parts of a form.
    pub parts: usize,
    /// Fields of a form or a query.
    pub fields: usize,
    /// How many times larger a body may become when it is unpacked, once it is past a megabyte.
    pub ratio: usize,
}

/// Up to this size a body may be packed as well as it can be.
pub(crate) const FREE_BYTES: usize = 1 << 20;

impl Default for BodyLimits {
    fn default() -> Self {
        Self { bytes: 16 << 20, parts: 1000, fields: 1000, ratio: 200 }
    }
}

/// Reads XML; wired in by whoever has the reader that workflows use.
pub type ReadXml = fn(&str) -> Result<Value, NodeError>;

/// How a body is to be read.
#[derive(Clone)]
pub(crate) struct Reading {
    pub(crate) limits: BodyLimits,
    pub(crate) xml: ReadXml,
    pub(crate) body: BodyAs,
    /// The field for a file, and the start of the names of several; empty for the usual names.
    pub(crate) binary_field: Str,
}

/// A body that was read: what goes into the item's JSON, and its files.
pub(crate) struct Read {
    pub(crate) json: Value,
    pub(crate) files: Vec<(Str, Binary)>,
    /// How long the body was.
    pub(crate) length: usize,
}

impl Read {
    fn json(json: Value) -> Self {
        Self { json, files: Vec::new(), length: 0 }
    }
}

pub(crate) async fn read(body: Body, headers: &HeaderMap, how: &Reading) -> Result<Read, ApiError> {
    let header = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content_type = header(header::CONTENT_TYPE);
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let limits = how.limits;
    let packing = packed::Packing::of(header(header::CONTENT_ENCODING))?;
    let is_parts = kind == "multipart/form-data" && how.body != BodyAs::File;
    if is_parts && packing.is_none() {
        return parts::read(body, content_type, how).await;
    }
    let bytes = axum::body::to_bytes(body, limits.bytes).await.map_err(|error| unread(&error, limits))?;
    let length = bytes.len();
    let bytes = match packing {
        // Unpacking takes time; others go on meanwhile.
        Some(packing) => tokio::task::spawn_blocking(move || packing.unpack(&bytes, limits))
            .await
            .map_err(|_| ApiError::new(Code::REQUEST_BODY, "The body cannot be unpacked"))??,
        None => bytes,
    };
    if is_parts {
        return parts::read(Body::from(bytes), content_type, how).await;
    }
    let disposition = header(header::CONTENT_DISPOSITION);
    let read = compute::for_size(bytes.len(), || read_bytes(&bytes, &kind, content_type, disposition, how));
    let mut read = read.map_err(|busy| ApiError::new(Code::OVERLOAD, busy.to_string()))??;
    read.length = length.max(bytes.len());
    Ok(read)
}

fn read_bytes(bytes: &Bytes, kind: &str, content_type: &str, disposition: &str, how: &Reading) -> Result<Read, ApiError> {
    let as_file = |kept: Value| {
        let mime = if kind.is_empty() { "application/octet-stream" } else { kind };
        let file = Binary::new(bytes.clone(), mime, parts::file_name_in(disposition));
        let field: Str = if how.binary_field.is_empty() { "data".into() } else { how.binary_field.clone() };
        Read { json: kept, files: vec![(field, file)], length: 0 }
    };
    if bytes.is_empty() {
        return Ok(Read::json(Value::empty_object()));
    }
    if how.body == BodyAs::File {
        return Ok(as_file(Value::empty_object()));
    }
    let json = match json_of(bytes, kind, content_type, how)? {
        Some(json) => json,
        None => return Ok(as_file(Value::empty_object())),
    };
    match how.body {
        BodyAs::ReadAndKept => {
            let mut read = as_file(json);
            // n8n keeps the bytes under this name whatever the field for files is.
            read.files.iter_mut().for_each(|(name, _)| *name = "data".into());
            Ok(read)
        }
        BodyAs::Read | BodyAs::File => Ok(Read::json(json)),
    }
}

/// The body as JSON; `None` if its type is one that is kept as a file.
fn json_of(bytes: &Bytes, kind: &str, content_type: &str, how: &Reading) -> Result<Option<Value>, ApiError> {
    Ok(Some(match kind {
        "" => match text::strict(bytes, content_type).and_then(|text| json(&text)) {
            Ok(value) => value,
            Err(_) => text::lossy(bytes, content_type)?.into_owned().into(),
        },
        "application/x-www-form-urlencoded" => flat_fields(text::lossy(bytes, content_type)?.as_bytes(), how.limits).into(),
        "text/plain" => text::lossy(bytes, content_type)?.into_owned().into(),
        kind if kind == "application/json" || kind.ends_with("+json") => json(&text::strict(bytes, content_type)?)?,
        kind if kind.ends_with("/xml") || kind.ends_with("+xml") => {
            let text = text::strict(bytes, content_type)?;
            (how.xml)(&text).map_err(|error| match error.code() {
                Code::INPUT_BOMB => ApiError::new(Code::REQUEST_TOO_LARGE, error.message().clone()),
                _ => ApiError::new(Code::REQUEST_BODY, format!("The body is not XML: {}", error.message())),
            })?
        }
        _ => return Ok(None),
    }))
}

fn json(text: &str) -> Result<Value, ApiError> {
    model::json::parse(text).map_err(|error| ApiError::new(Code::REQUEST_BODY, format!("The body is not JSON: {error}")))
}

/// Why a body could not be read to its end.
fn unread(error: &(dyn std::error::Error + 'static), limits: BodyLimits) -> ApiError {
    match gate::stopped(error) {
        Some(BodyStopped::TooSlow) => {
            ApiError::new(Code::REQUEST_TIMEOUT, "The body came too slowly").hint("Send it faster, or raise HEDDLE_BODY_TIME.")
        }
        Some(BodyStopped::NoRoom) => ApiError::new(Code::OVERLOAD, "Too many large requests are under way").hint("Try again in a moment."),
        Some(BodyStopped::Broken) => ApiError::new(Code::REQUEST_BODY, "The body broke off"),
        None => too_large(limits),
    }
}

fn too_large(limits: BodyLimits) -> ApiError {
    ApiError::new(Code::REQUEST_TOO_LARGE, format!("The body is larger than {} bytes", limits.bytes))
        .hint("Raise HEDDLE_MAX_BODY, or send less.")
}

/// Reads bytes as the body of a call, for the fuzzer: what an item would hold, or the name of the error.
#[doc(hidden)]
pub async fn probe(content_type: &str, content_encoding: &str, bytes: Vec<u8>, limits: BodyLimits) -> Result<Probed, &'static str> {
    let mut headers = HeaderMap::new();
    for (name, value) in [(header::CONTENT_TYPE, content_type), (header::CONTENT_ENCODING, content_encoding)] {
        if let Ok(value) = value.parse() {
            headers.insert(name, value);
        }
    }
    let xml: ReadXml = |text| Ok(Value::from(text));
    let how = Reading { limits, xml, body: BodyAs::Read, binary_field: Str::new() };
    match read(Body::from(bytes), &headers, &how).await {
        Ok(read) => Ok(Probed { json: read.json, files: Arc::new(read.files) }),
        Err(error) => Err(error.code.name()),
    }
}

#[doc(hidden)]
pub struct Probed {
    pub json: Value,
    pub files: Arc<Vec<(Str, Binary)>>,
}

#[cfg(test)]
mod tests;
