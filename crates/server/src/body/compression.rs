//! Bodies that are packed: unpacked only as far as the limits allow.

use super::{BodyLimits, FREE_BYTES, too_large};
use crate::error::ApiError;
use bytes::Bytes;
use model::Code;
use std::io::Read;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentCoding {
    Gzip,
    Deflate,
    Brotli,
}

/// What is unpacked between two looks at the limits.
const CHUNK_BYTES: usize = 64 << 10;

impl ContentCoding {
    /// From the header `Content-Encoding`.
    pub(super) fn of(header: &str) -> Result<Option<Self>, ApiError> {
        match header.trim().to_ascii_lowercase().as_str() {
            "" | "identity" => Ok(None),
            "gzip" | "x-gzip" => Ok(Some(Self::Gzip)),
            "deflate" => Ok(Some(Self::Deflate)),
            "br" => Ok(Some(Self::Brotli)),
            other => {
                let other: String = other.chars().take(50).collect();
                Err(ApiError::new(
                    Code::REQUEST_ENCODING,
                    format!("The content encoding '{other}' is not supported"),
                )
                .hint("Send the body uncompressed, or compressed once with gzip, deflate or br."))
            }
        }
    }

    pub(super) fn decompress(self, packed: &[u8], limits: BodyLimits) -> Result<Bytes, ApiError> {
        if packed.is_empty() {
            return Ok(Bytes::new());
        }
        match self {
            Self::Gzip => {
                read_within_limits(flate2::read::MultiGzDecoder::new(packed), packed.len(), limits)
            }
            // Most say `deflate` and mean zlib; some mean the bare stream.
            Self::Deflate => match packed {
                [first, second, ..]
                    if first & 0x0f == 8
                        && (u32::from(*first) * 256 + u32::from(*second)).is_multiple_of(31) =>
                {
                    read_within_limits(flate2::read::ZlibDecoder::new(packed), packed.len(), limits)
                }
                _ => read_within_limits(
                    flate2::read::DeflateDecoder::new(packed),
                    packed.len(),
                    limits,
                ),
            },
            Self::Brotli => read_within_limits(
                brotli_decompressor::Decompressor::new(packed, CHUNK_BYTES),
                packed.len(),
                limits,
            ),
        }
    }
}

fn read_within_limits(
    mut unpacking: impl Read,
    packed: usize,
    limits: BodyLimits,
) -> Result<Bytes, ApiError> {
    let mut all = Vec::new();
    loop {
        let read =
            unpacking.by_ref().take(CHUNK_BYTES as u64).read_to_end(&mut all).map_err(|error| {
                ApiError::new(
                    Code::REQUEST_BODY,
                    format!("The body cannot be decompressed: {error}"),
                )
            })?;
        if read == 0 {
            return Ok(all.into());
        }
        if all.len() > limits.bytes {
            return Err(too_large(limits));
        }
        if all.len() > FREE_BYTES && all.len() / packed > limits.ratio {
            let message =
                format!("The body decompresses to more than {} times its size", limits.ratio);
            return Err(
                ApiError::new(Code::REQUEST_TOO_LARGE, message).hint("Send it uncompressed.")
            );
        }
    }
}
