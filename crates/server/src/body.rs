//! Reads the body of a call the way its content type says, within limits.

mod compression;
mod fields;
mod memory_budget;
mod multipart;
mod text;

pub(crate) use fields::{flat_fields, nested_fields};
pub(crate) use memory_budget::{json, reserve_memory};

use crate::admission::{self, BodyError, BodyReservation};
use crate::error::ApiError;
use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Request, header};
use bytes::Bytes;
use http_body::Body as _;
use model::{Binary, Code, Str, Value};
use node_api::NodeError;
use node_api::trigger::BodyMode;
use std::sync::Arc;
use text::DecodedText;

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
pub type XmlReader = fn(&str) -> Result<Value, NodeError>;

/// What a body of a type is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    /// JSON if it is some, else a text: nothing is said about it.
    Guessed,
    Json,
    Xml,
    Form,
    Plain,
    File,
}

impl BodyFormat {
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
pub(crate) struct BodyOptions {
    pub(crate) limits: BodyLimits,
    pub(crate) xml: XmlReader,
    pub(crate) body: BodyMode,
    /// The field for a file, and the start of the names of several; empty for the usual names.
    pub(crate) binary_field: Str,
}

/// A body that was read: what goes into the item's JSON, and its files.
pub(crate) struct ParsedBody {
    pub(crate) json: Value,
    pub(crate) files: Vec<(Str, Binary)>,
    /// How much memory all of it takes, about.
    pub(crate) estimated_bytes: usize,
}

impl ParsedBody {
    fn json(json: Value) -> Self {
        Self { json, files: Vec::new(), estimated_bytes: 0 }
    }
}

pub(crate) async fn read(
    body: Body,
    head: &Parts,
    how: &BodyOptions,
) -> Result<ParsedBody, ApiError> {
    let header =
        |name| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content_type = header(header::CONTENT_TYPE);
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let limits = how.limits;
    let packing = compression::ContentCoding::of(header(header::CONTENT_ENCODING))?;
    let is_parts = kind == "multipart/form-data" && how.body != BodyMode::File;
    // Before it is here, if its length is known, and again for what came in pieces or was packed.
    memory_budget::wait_for_memory(usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX))
        .await?;
    if is_parts && packing.is_none() {
        return multipart::read(body, content_type, how).await;
    }
    let bytes = axum::body::to_bytes(body, limits.bytes)
        .await
        .map_err(|error| read_error(&error, limits))?;
    let length = bytes.len();
    let (bytes, _kept) = match packing {
        Some(packing) => {
            let kept = (
                memory_budget::decompress_permit(length).await?,
                head.extensions.get::<BodyReservation>().cloned(),
            );
            let (unpacked, kept) =
                run_blocking_with(kept, move || packing.decompress(&bytes, limits)).await?;
            (unpacked?, Some(kept))
        }
        None => (bytes, None),
    };
    if is_parts {
        return multipart::read(Body::from(bytes), content_type, how).await;
    }
    memory_budget::wait_for_memory(bytes.len()).await?;
    let disposition = header(header::CONTENT_DISPOSITION);
    let format = if how.body == BodyMode::File || bytes.is_empty() {
        BodyFormat::File
    } else {
        BodyFormat::of(&kind)
    };
    let text = match format {
        BodyFormat::File => None,
        _ => Some(compute::for_size(bytes.len(), || text::decode(&bytes, content_type))??),
    };
    let _room = match &text {
        Some(text) => reserve_memory(text.lossy(), format, limits.bytes).await?,
        None => None,
    };
    compute::for_size(bytes.len(), || {
        let mut read = read_bytes(&bytes, text, format, &kind, disposition, how)?;
        read.estimated_bytes =
            length.max(bytes.len()).max(memory_budget::estimate_parsed(&read, bytes.len()));
        Ok::<_, ApiError>(read)
    })?
}

/// Does work on another thread, which takes time in which others go on. What is kept for it is kept
/// until it is done, also if nobody waits for it any more.
async fn run_blocking_with<K: Send + 'static, T: Send + 'static>(
    kept: K,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<(T, K), ApiError> {
    let done = tokio::task::spawn_blocking(move || (work(), kept)).await;
    done.map_err(|_| ApiError::new(Code::REQUEST_BODY, "The body cannot be decompressed"))
}

/// A body of which there is no text is a file.
fn read_bytes(
    bytes: &Bytes,
    text: Option<DecodedText<'_>>,
    format: BodyFormat,
    kind: &str,
    disposition: &str,
    how: &BodyOptions,
) -> Result<ParsedBody, ApiError> {
    let as_file = |kept: Value| {
        let mime = if kind.is_empty() { "application/octet-stream" } else { kind };
        let file = Binary::new(bytes.clone(), mime, multipart::file_name_in(disposition));
        let field: Str =
            if how.binary_field.is_empty() { "data".into() } else { how.binary_field.clone() };
        ParsedBody { json: kept, files: vec![(field, file)], estimated_bytes: 0 }
    };
    if bytes.is_empty() {
        return Ok(ParsedBody::json(Value::empty_object()));
    }
    let Some(text) = text else { return Ok(as_file(Value::empty_object())) };
    let json = parse_text(text, format, how)?;
    match how.body {
        BodyMode::ParsedAndRaw => {
            let mut read = as_file(json);
            // n8n keeps the bytes under this name whatever the field for files is.
            read.files.iter_mut().for_each(|(name, _)| *name = "data".into());
            Ok(read)
        }
        BodyMode::Parsed | BodyMode::File => Ok(ParsedBody::json(json)),
    }
}

fn parse_text(
    text: DecodedText<'_>,
    format: BodyFormat,
    how: &BodyOptions,
) -> Result<Value, ApiError> {
    Ok(match format {
        BodyFormat::Guessed => {
            let found = text.strict().and_then(|text| json(text, how.limits.bytes));
            found.unwrap_or_else(|_| text.into_owned().into())
        }
        BodyFormat::Json => json(text.strict()?, how.limits.bytes)?,
        BodyFormat::Xml => (how.xml)(text.strict()?).map_err(|error| match error.code() {
            Code::INPUT_BOMB => ApiError::new(Code::REQUEST_TOO_LARGE, error.message().clone()),
            _ => ApiError::new(
                Code::REQUEST_BODY,
                format!("The body is not XML: {}", error.message()),
            ),
        })?,
        BodyFormat::Form => flat_fields(text.lossy().as_bytes(), how.limits).into(),
        BodyFormat::Plain | BodyFormat::File => text.into_owned().into(),
    })
}

/// Why a body could not be read to its end.
fn read_error(error: &(dyn std::error::Error + 'static), limits: BodyLimits) -> ApiError {
    body_error(error).unwrap_or_else(|| too_large(limits))
}

/// What is told of a body that did not come to its end; `None` if it was too large.
pub(crate) fn body_error(error: &(dyn std::error::Error + 'static)) -> Option<ApiError> {
    Some(match admission::find_body_error(error)? {
        BodyError::TooSlow => ApiError::new(Code::REQUEST_TIMEOUT, "The body was sent too slowly")
            .hint("Send it faster, or raise HEDDLE_BODY_TIME."),
        BodyError::NoCapacity => memory_budget::overload(),
        BodyError::Disconnected => ApiError::new(Code::REQUEST_BODY, "The body was cut off"),
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
) -> Result<ProbeResult, &'static str> {
    let (mut head, ()) = Request::new(()).into_parts();
    for (name, value) in
        [(header::CONTENT_TYPE, content_type), (header::CONTENT_ENCODING, content_encoding)]
    {
        if let Ok(value) = value.parse() {
            head.headers.insert(name, value);
        }
    }
    let xml: XmlReader = |text| Ok(Value::from(text));
    let how = BodyOptions { limits, xml, body: BodyMode::Parsed, binary_field: Str::new() };
    match read(Body::from(bytes), &head, &how).await {
        Ok(read) => Ok(ProbeResult { json: read.json, files: Arc::new(read.files) }),
        Err(error) => Err(error.code.name()),
    }
}

#[doc(hidden)]
pub struct ProbeResult {
    pub json: Value,
    pub files: Arc<Vec<(Str, Binary)>>,
}

#[cfg(test)]
mod tests;
