//! The descriptions of all node and credential types as they are sent. Kept compressed: they are
//! large, and nearly every client takes them so.

use crate::error::ApiError;
use crate::http_cache;
use aws_lc_rs::digest::{SHA256, digest};
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use model::{Code, Value};
use std::io::{Read as _, Write as _};
use std::sync::OnceLock;

/// What clients read once and keep.
#[derive(Default)]
pub(crate) struct Catalogue {
    pub(crate) nodes: CachedDescriptions,
    pub(crate) credentials: CachedDescriptions,
}

/// Descriptions that are made when the first client asks for them.
#[derive(Default)]
pub(crate) struct CachedDescriptions(OnceLock<CompressedJson>);

struct CompressedJson {
    bytes: Bytes,
    tag: HeaderValue,
}

impl CachedDescriptions {
    /// The descriptions, or that the client has them already.
    pub(crate) fn respond(
        &self,
        headers: &HeaderMap,
        describe: impl FnOnce() -> Result<Value, ApiError>,
    ) -> Result<Response, ApiError> {
        let cached = match self.0.get() {
            Some(made) => made,
            None => {
                let made = CompressedJson::new(&describe()?)?;
                self.0.get_or_init(|| made)
            }
        };
        let mut response = Response::new(Body::empty());
        let set = response.headers_mut();
        set.insert(header::ETAG, cached.tag.clone());
        set.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        set.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
        if cached.tag.to_str().is_ok_and(|tag| http_cache::is_known(headers, tag)) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            return Ok(response);
        }
        let json = HeaderValue::from_static("application/json; charset=utf-8");
        set.insert(header::CONTENT_TYPE, json);
        *response.body_mut() = if http_cache::takes(headers, "gzip") {
            set.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Body::from(cached.bytes.clone())
        } else {
            Body::from(cached.decompress()?)
        };
        Ok(response)
    }
}

impl CompressedJson {
    fn new(value: &Value) -> Result<Self, ApiError> {
        let text = model::json::to_string(value);
        let sum = hex::encode(&digest(&SHA256, text.as_bytes()).as_ref()[..12]);
        let tag = HeaderValue::from_str(&format!("\"{sum}\"")).map_err(|error| failed(&error))?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
        Ok(Self { bytes: encoder.finish().map_err(|error| failed(&error))?.into(), tag })
    }

    fn decompress(&self) -> Result<Vec<u8>, ApiError> {
        let mut text = Vec::new();
        GzDecoder::new(&self.bytes[..]).read_to_end(&mut text).map_err(|error| failed(&error))?;
        Ok(text)
    }
}

fn failed(cause: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(Code::STORE_CORRUPT, format!("The descriptions could not be serialized: {cause}"))
}
