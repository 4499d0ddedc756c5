//! The body of an answer: piece by piece as it comes, or as a whole, never past its limit and never
//! more than there is room for.

use super::client::{MAX_HEADER_BYTES, connection_error};
use super::decode::BodyCollector;
use super::policy::CheckedDestination;
use bytes::Bytes;
use compute::MemoryReservation;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt as _, stream};
use model::Str;
use node_api::http::{HttpError, HttpRequest, HttpResponse, HttpStream};
use reqwest::header::HeaderValue;
use std::sync::Arc;

type BodyChunk = Result<Bytes, HttpError>;

/// Of a packed answer so much is unpacked before there is another look at the room for it.
const PACKED_BYTES: usize = 1 << 10;
/// Most answers unpack to no more than this many times their size; for these there is room before
/// they are.
const USUAL_RATIO: usize = 64;

/// So much of an answer that nobody wants is read to keep its connection.
const UNWANTED_BYTES: usize = 64 << 10;

/// The head of an answer, with its body still to come.
pub(super) struct OpenResponse {
    pub(super) status: u16,
    status_text: Str,
    headers: Vec<(String, String)>,
    url: String,
    pieces: BoxStream<'static, BodyChunk>,
    limit: usize,
    /// For a body that is packed.
    collector: Option<BodyCollector>,
}

pub(super) fn open(
    response: reqwest::Response,
    request: &HttpRequest,
    destination: Arc<CheckedDestination>,
) -> Result<OpenResponse, HttpError> {
    let status = response.status();
    let content_type = response
        .headers()
        .get("content-type")
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let limit = request.max_bytes(content_type);
    let header_bytes: usize =
        response.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if header_bytes > MAX_HEADER_BYTES {
        return Err(HttpError::TooLarge { limit: MAX_HEADER_BYTES });
    }
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(HttpError::TooLarge { limit });
    }
    let coding = response
        .headers()
        .get("content-encoding")
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let collector =
        Some(BodyCollector::new(coding.as_deref(), limit)).filter(BodyCollector::unpacks);
    let text = |value: &HeaderValue| {
        value.to_str().map_or_else(|_| latin1(value.as_bytes()), str::to_owned)
    };
    let headers = response
        .headers()
        .iter()
        .filter(|(name, _)| !(collector.is_some() && *name == "content-encoding"));
    let headers = headers.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let url = response.url().to_string();
    let pieces = response
        .bytes_stream()
        .map(move |piece| piece.map_err(|error| connection_error(&error, &destination)));
    let status_text = status.canonical_reason().unwrap_or_default().into();
    Ok(OpenResponse {
        status: status.as_u16(),
        status_text,
        headers,
        url,
        pieces: pieces.boxed(),
        limit,
        collector,
    })
}

impl OpenResponse {
    pub(super) fn location(&self) -> Option<&str> {
        self.headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("location"))
            .map(|(_, value)| value.as_str())
    }

    /// The answer while its body comes. Whoever keeps pieces sees to it that there is room for
    /// them.
    pub(super) fn stream(self) -> HttpStream {
        let Self { status, status_text, headers, url, pieces, limit, collector } = self;
        let body = match collector {
            // What was packed can be trusted only as a whole, so it comes as one piece.
            Some(collector) => {
                stream::once(async { Ok(decompress(pieces, collector).await?.0) }).boxed()
            }
            None => count_bytes(pieces, limit).boxed(),
        };
        HttpStream { status, status_text, headers, url, body }
    }

    /// Reads what nobody wants, as long as it is little.
    pub(super) async fn drain(mut self) {
        let mut left = UNWANTED_BYTES;
        while let Some(Ok(piece)) = self.pieces.next().await {
            match left.checked_sub(piece.len()) {
                Some(less) => left = less,
                None => return,
            }
        }
    }

    /// The answer as a whole.
    pub(super) async fn collect(self) -> Result<HttpResponse, HttpError> {
        let Self { status, status_text, headers, url, pieces, limit, collector } = self;
        let (body, held) = match collector {
            Some(collector) => decompress(pieces, collector).await?,
            None => collect_chunks(count_bytes(pieces, limit)).await?,
        };
        compute::request_offload(body.len()).await;
        Ok(HttpResponse { status, status_text, headers, body, url, reservation: held })
    }
}

async fn collect_chunks(
    pieces: impl Stream<Item = BodyChunk>,
) -> Result<(Bytes, MemoryReservation), HttpError> {
    let mut pieces = std::pin::pin!(pieces);
    let mut held = MemoryReservation::default();
    let mut whole = Vec::new();
    let mut only = Bytes::new();
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        held.grow_to(only.len() + whole.len() + piece.len()).await?;
        if whole.is_empty() && only.is_empty() {
            only = piece;
            continue;
        }
        whole.extend_from_slice(&std::mem::take(&mut only));
        whole.extend_from_slice(&piece);
    }
    Ok((if whole.is_empty() { only } else { Bytes::from(whole) }, held))
}

async fn decompress(
    mut pieces: BoxStream<'_, BodyChunk>,
    mut collector: BodyCollector,
) -> Result<(Bytes, MemoryReservation), HttpError> {
    while let Some(piece) = pieces.next().await {
        for part in piece?.chunks(PACKED_BYTES) {
            collector.reserve(part.len() * USUAL_RATIO).await?;
            collector.push(part)?;
        }
        compute::request_offload(collector.len()).await;
    }
    collector.finish()
}

fn count_bytes(
    pieces: impl Stream<Item = BodyChunk> + Send,
    limit: usize,
) -> impl Stream<Item = BodyChunk> + Send {
    pieces.scan(0_usize, move |received, piece| {
        let counted = piece.and_then(|piece| {
            *received = received.saturating_add(piece.len());
            if *received > limit { Err(HttpError::TooLarge { limit }) } else { Ok(piece) }
        });
        std::future::ready(Some(counted))
    })
}

/// Header values that are not ASCII are read byte by byte, as browsers and Node.js do it.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
