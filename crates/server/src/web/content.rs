//! The content of the editor's files as it is embedded, and in the codings that clients take.

use crate::error::ApiError;
use crate::http_cache;
use axum::http::HeaderMap;
use brotli_decompressor::Decompressor;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use model::Code;
use std::io::{Read as _, Write as _};
use std::sync::OnceLock;

const BUFFER_BYTES: usize = 16 << 10;
/// How much larger scripts are than what Brotli makes of them.
const EXPANSION: usize = 4;

/// What is in a file. One that gets smaller by compression is embedded only so, which saves three
/// megabytes of the binary.
#[derive(Debug)]
pub enum WebContent {
    Plain(&'static [u8]),
    Compressed {
        brotli: &'static [u8],
        /// Browsers take Brotli only over HTTPS and from this machine. Made for the first of the
        /// others.
        gzip: OnceLock<Bytes>,
        /// For the rare client that takes neither, and the page that gets a nonce.
        plain: OnceLock<Bytes>,
    },
}

impl WebContent {
    pub const fn compressed(brotli: &'static [u8]) -> Self {
        Self::Compressed { brotli, gzip: OnceLock::new(), plain: OnceLock::new() }
    }

    pub(super) fn plain(&self) -> Result<Bytes, ApiError> {
        match self {
            Self::Plain(bytes) => Ok(Bytes::from_static(bytes)),
            Self::Compressed { brotli, plain, .. } => {
                cached(plain, brotli.len(), || decompress(brotli))
            }
        }
    }

    /// What a client that sends these headers takes, and its content coding.
    pub(super) fn negotiate(
        &self,
        headers: &HeaderMap,
    ) -> Result<(Option<&'static str>, Bytes), ApiError> {
        match self {
            Self::Compressed { brotli, .. } if http_cache::takes(headers, "br") => {
                Ok((Some("br"), Bytes::from_static(brotli)))
            }
            Self::Compressed { brotli, gzip, .. } if http_cache::takes(headers, "gzip") => {
                let bytes = cached(gzip, brotli.len(), || compress(&decompress(brotli)?))?;
                Ok((Some("gzip"), bytes))
            }
            _ => Ok((None, self.plain()?)),
        }
    }
}

fn cached(
    place: &OnceLock<Bytes>,
    compressed: usize,
    make: impl FnOnce() -> std::io::Result<Vec<u8>>,
) -> Result<Bytes, ApiError> {
    if let Some(bytes) = place.get() {
        return Ok(bytes.clone());
    }
    let made = compute::for_size(compressed * EXPANSION, make)?.map_err(|error| {
        let words = format!("A file of the editor cannot be decompressed: {error}");
        ApiError::new(Code::STORE_CORRUPT, words)
    })?;
    Ok(place.get_or_init(|| made.into()).clone())
}

fn decompress(brotli: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Decompressor::new(brotli, BUFFER_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn compress(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}
