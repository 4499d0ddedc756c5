//! The body of an answer: piece by piece as it comes, or as a whole, never past its limit.

use super::client::{MAX_HEADER_BYTES, connection_error};
use super::decode::BodyCollector;
use super::policy::Destination;
use bytes::Bytes;
use futures::{Stream, StreamExt as _, stream};
use node_api::http::{HttpError, HttpResponse, HttpStream};
use reqwest::header::HeaderValue;
use url::Url;

/// The head of an answer, with its body still to come.
pub(super) fn open(response: reqwest::Response, limit: usize, url: &Url, destination: Destination) -> Result<HttpStream, HttpError> {
    let status = response.status();
    let header_bytes: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if header_bytes > MAX_HEADER_BYTES {
        return Err(HttpError::TooLarge { limit: MAX_HEADER_BYTES });
    }
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(HttpError::TooLarge { limit });
    }
    let coding = response.headers().get("content-encoding").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let collector = BodyCollector::new(coding.as_deref(), limit);
    let unpacks = collector.unpacks();
    let text = |value: &HeaderValue| value.to_str().map_or_else(|_| latin1(value.as_bytes()), str::to_owned);
    let headers = response.headers().iter().filter(|(name, _)| !(unpacks && *name == "content-encoding"));
    let headers = headers.map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let pieces = response.bytes_stream().map(move |piece| piece.map_err(|error| connection_error(&error, &destination)));
    let status_text = status.canonical_reason().unwrap_or_default().into();
    // What was packed can be trusted only as a whole, so it comes as one piece.
    let body = if unpacks { stream::once(unpacked(pieces, collector)).boxed() } else { counted(pieces, limit).boxed() };
    Ok(HttpStream { status: status.as_u16(), status_text, headers, url: url.to_string(), body })
}

/// The answer as a whole.
pub(super) async fn collect(answer: HttpStream) -> Result<HttpResponse, HttpError> {
    let HttpStream { status, status_text, headers, url, mut body } = answer;
    let mut whole = Vec::new();
    let mut only = None;
    while let Some(piece) = body.next().await {
        let piece = piece?;
        match (&only, whole.is_empty()) {
            (None, true) => only = Some(piece),
            (Some(first), true) => {
                whole.extend_from_slice(first);
                whole.extend_from_slice(&piece);
            }
            _ => whole.extend_from_slice(&piece),
        }
    }
    let body = if whole.is_empty() { only.unwrap_or_default() } else { Bytes::from(whole) };
    compute::aside(body.len()).await;
    Ok(HttpResponse { status, status_text, headers, body, url })
}

type Piece = Result<Bytes, HttpError>;

async fn unpacked(pieces: impl Stream<Item = Piece>, mut collector: BodyCollector) -> Piece {
    let mut pieces = std::pin::pin!(pieces);
    while let Some(piece) = pieces.next().await {
        collector.push(&piece?)?;
        compute::aside(collector.len()).await;
    }
    collector.finish()
}

fn counted(pieces: impl Stream<Item = Piece>, limit: usize) -> impl Stream<Item = Piece> {
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
