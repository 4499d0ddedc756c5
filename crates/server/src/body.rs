//! Reads the body of a call the way its content type says, within limits.

mod fields;
mod packed;
mod parts;
mod text;
mod weight;

pub(crate) use fields::{flat_fields, nested_fields};
pub(crate) use weight::{json, room_for};

use crate::error::ApiError;
use crate::gate::{self, BodyStopped, Received};
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Request, header};
use bytes::Bytes;
use http_body::Body as _;
use model::{Binary, Code, Str, Value};
use node_api::NodeError;
use node_api::trigger::BodyAs;
use std::sync::Arc;
use text::Decoded;

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

/// What a body of a type is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON if it is some, else a text: nothing is said about it.
    Guessed,
    Json,
    Xml,
    Form,
    Plain,
    File,
}

impl Format {
    fn of(kind: &str) -> Self {
        match kind {
            "" => Self::Guessed,
            "application/x-www-form-urlencoded" => Self::Form,
            "text/plain" => Self::Plain,
            kind if kind == "application/json" || kind.ends_with("+json") => Self::Json,
            kind if kind.ends_with("/xml") || kind.ends_with("+xml") => Self::Xml,
            _ => Self::File,
        }
    }
}

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
    /// How much memory all of it takes, about.
    pub(crate) length: usize,
}

impl Read {
    fn json(json: Value) -> Self {
        Self { json, files: Vec::new(), length: 0 }
    }
}

pub(crate) async fn read(body: Body, head: &Parts, how: &Reading) -> Result<Read, ApiError> {
    let header =
        |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content_type = header(header::CONTENT_TYPE);
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let limits = how.limits;
    let packing = packed::Packing::of(header(header::CONTENT_ENCODING))?;
    let is_parts = kind == "multipart/form-data" && how.body != BodyAs::File;
    // Before it is here, if its length is known, and again for what came in pieces or was packed.
    weight::memory_for(usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX)).await?;
    if is_parts && packing.is_none() {
        return parts::read(body, content_type, how).await;
    }
    let bytes =
        axum::body::to_bytes(body, limits.bytes).await.map_err(|error| unread(&error, limits))?;
    let length = bytes.len();
    let (bytes, _kept) = match packing {
        Some(packing) => {
            let kept = (
                weight::place_to_unpack(length).await?,
                head.extensions.get::<Received>().cloned(),
            );
            let (unpacked, kept) = keeping(kept, move || packing.unpack(&bytes, limits)).await?;
            (unpacked?, Some(kept))
        }
        None => (bytes, None),
    };
    if is_parts {
        return parts::read(Body::from(bytes), content_type, how).await;
    }
    weight::memory_for(bytes.len()).await?;
    let disposition = header(header::CONTENT_DISPOSITION);
    let format =
        if how.body == BodyAs::File || bytes.is_empty() { Format::File } else { Format::of(&kind) };
    let text = match format {
        Format::File => None,
        _ => Some(compute::for_size(bytes.len(), || text::decoded(&bytes, content_type))??),
    };
    let _room = match &text {
        Some(text) => room_for(text.lossy(), format, limits.bytes).await?,
        None => None,
    };
    compute::for_size(bytes.len(), || {
        let mut read = read_bytes(&bytes, text, format, &kind, disposition, how)?;
        read.length = length.max(bytes.len()).max(weight::of(&read, bytes.len()));
        Ok::<_, ApiError>(read)
    })?
}

/// Does work on another thread, which takes time in which others go on. What is kept for it is kept
/// until it is done, also if nobody waits for it any more.
async fn keeping<K: Send + 'static, T: Send + 'static>(
    kept: K,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<(T, K), ApiError> {
    let done = tokio::task::spawn_blocking(move || (work(), kept)).await;
    done.map_err(|_| ApiError::new(Code::REQUEST_BODY, "The body cannot be unpacked"))
}

/// A body of which there is no text is a file.
fn read_bytes(
    bytes: &Bytes,
    text: Option<Decoded<'_>>,
    format: Format,
    kind: &str,
    disposition: &str,
    how: &Reading,
) -> Result<Read, ApiError> {
    let as_file = |kept: Value| {
        let mime = if kind.is_empty() { "application/octet-stream" } else { kind };
        let file = Binary::new(bytes.clone(), mime, parts::file_name_in(disposition));
        let field: Str =
            if how.binary_field.is_empty() { "data".into() } else { how.binary_field.clone() };
        Read { json: kept, files: vec![(field, file)], length: 0 }
    };
    if bytes.is_empty() {
        return Ok(Read::json(Value::empty_object()));
    }
    let Some(text) = text else { return Ok(as_file(Value::empty_object())) };
    let json = value_of(text, format, how)?;
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

fn value_of(text: Decoded<'_>, format: Format, how: &Reading) -> Result<Value, ApiError> {
    Ok(match format {
        Format::Guessed => {
            let found = text.strict().and_then(|text| json(text, how.limits.bytes));
            found.unwrap_or_else(|_| text.into_owned().into())
        }
        Format::Json => json(text.strict()?, how.limits.bytes)?,
        Format::Xml => (how.xml)(text.strict()?).map_err(|error| match error.code() {
            Code::INPUT_BOMB => ApiError::new(Code::REQUEST_TOO_LARGE, error.message().clone()),
            _ => ApiError::new(
                Code::REQUEST_BODY,
                format!("The body is not XML: {}", error.message()),
            ),
        })?,
        Format::Form => flat_fields(text.lossy().as_bytes(), how.limits).into(),
        Format::Plain | Format::File => text.into_owned().into(),
    })
}

/// Why a body could not be read to its end.
fn unread(error: &(dyn std::error::Error + 'static), limits: BodyLimits) -> ApiError {
    stopped(error).unwrap_or_else(|| too_large(limits))
}

/// What is told of a body that did not come to its end; `None` if it was too large.
pub(crate) fn stopped(error: &(dyn std::error::Error + 'static)) -> Option<ApiError> {
    Some(match gate::stopped(error)? {
        BodyStopped::TooSlow => ApiError::new(Code::REQUEST_TIMEOUT, "The body came too slowly")
            .hint("Send it faster, or raise HEDDLE_BODY_TIME."),
        BodyStopped::NoRoom => weight::overload(),
        BodyStopped::Broken => ApiError::new(Code::REQUEST_BODY, "The body broke off"),
    })
}

fn too_large(limits: BodyLimits) -> ApiError {
    ApiError::new(
        Code::REQUEST_TOO_LARGE,
        format!("The body is larger than {} bytes", limits.bytes),
    )
    .hint("Raise HEDDLE_MAX_BODY, or send less.")
}

/// Reads bytes as the body of a call, for the fuzzer: what an item would hold, or the name of the
/// error.
#[doc(hidden)]
pub async fn probe(
    content_type: &str,
    content_encoding: &str,
    bytes: Vec<u8>,
    limits: BodyLimits,
) -> Result<Probed, &'static str> {
    let (mut head, ()) = Request::new(()).into_parts();
    for (name, value) in
        [(header::CONTENT_TYPE, content_type), (header::CONTENT_ENCODING, content_encoding)]
    {
        if let Ok(value) = value.parse() {
            head.headers.insert(name, value);
        }
    }
    let xml: ReadXml = |text| Ok(Value::from(text));
    let how = Reading { limits, xml, body: BodyAs::Read, binary_field: Str::new() };
    match read(Body::from(bytes), &head, &how).await {
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
