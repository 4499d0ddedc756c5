//! `/api/v1/executions/ID/binary/REF`: the bytes of a large file that an execution shows by
//! reference.

use crate::App;
use crate::access::{AccessLevel, Principal};
use crate::error::ApiError;
use crate::response::SANDBOX;
use axum::body::{Body, Bytes};
use axum::extract::{Extension, Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use futures::stream;
use model::Code;
use node_api::trigger::MediaType;
use std::io::SeekFrom;
use std::ops::RangeInclusive;
use store::blobs::{FileHash, StoredFile};
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};

/// How much is read from the file at a time.
const CHUNK: usize = 64 << 10;

pub(super) async fn show(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path((id, reference)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let execution = who.execution(&app, &id, AccessLevel::View).await?;
    let missing = || {
        ApiError::new(
            Code::EXECUTION_NOT_FOUND,
            format!("The file does not exist in execution {}", execution.id),
        )
    };
    let sum = FileHash::parse(&reference).ok_or_else(missing)?;
    let found = app.store.file(execution.id, sum).await?.ok_or_else(missing)?;
    let tag = format!("\"{}\"", sum.to_hex());
    let wanted = headers.get(header::RANGE).and_then(|range| range.to_str().ok());
    // A part is only worth something if it is of the same file.
    let is_same =
        headers.get(header::IF_RANGE).is_none_or(|known| known.as_bytes() == tag.as_bytes());
    file_response(found, &tag, wanted.filter(|_| is_same)).await
}

async fn file_response(
    found: StoredFile,
    tag: &str,
    range: Option<&str>,
) -> Result<Response, ApiError> {
    let StoredFile { file, size, mime_type, file_name } = found;
    let part = range.and_then(|range| parse_range(range, size));
    let mut response = Response::new(Body::empty());
    let headers = response.headers_mut();
    let kind =
        MediaType::parse(&mime_type).and_then(|kind| HeaderValue::from_str(kind.as_str()).ok());
    let kind = kind.unwrap_or(HeaderValue::from_static(MediaType::FALLBACK));
    headers.insert(header::CONTENT_TYPE, kind);
    headers
        .insert(header::CONTENT_DISPOSITION, disposition(file_name.as_deref().unwrap_or("file")));
    // Whatever a workflow was given must not act in the name of this instance.
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SANDBOX));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, tag);
    }
    let (from, length) = match part {
        None => (0, size),
        Some(None) => {
            headers.insert(header::CONTENT_RANGE, number(&format!("bytes */{size}")));
            *response.status_mut() = StatusCode::RANGE_NOT_SATISFIABLE;
            return Ok(response);
        }
        Some(Some(part)) => {
            headers.insert(
                header::CONTENT_RANGE,
                number(&format!("bytes {}-{}/{size}", part.start(), part.end())),
            );
            let length = part.end() - part.start() + 1;
            let from = *part.start();
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            (from, length)
        }
    };
    response.headers_mut().insert(header::CONTENT_LENGTH, number(&length.to_string()));
    #[expect(clippy::disallowed_types, reason = "the store has opened it")]
    let mut file = tokio::fs::File::from_std(file);
    file.seek(SeekFrom::Start(from)).await.map_err(|error| {
        ApiError::new(Code::STORE_DISK, format!("The file cannot be read: {error}"))
    })?;
    *response.body_mut() =
        Body::from_stream(stream::unfold((file, length), |(mut file, left)| async move {
            if left == 0 {
                return None;
            }
            let mut chunk = vec![0; CHUNK.min(usize::try_from(left).unwrap_or(CHUNK))];
            match file.read(&mut chunk).await {
                Ok(0) => {
                    Some((Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof)), (file, 0)))
                }
                Ok(count) => {
                    chunk.truncate(count);
                    Some((Ok(Bytes::from(chunk)), (file, left - count as u64)))
                }
                Err(error) => Some((Err(error), (file, 0))),
            }
        }));
    Ok(response)
}

/// A header made of figures.
fn number(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

/// One part of the file. `None`: the whole of it is wanted, or something we do not give;
/// `Some(None)`: there is no such part.
fn parse_range(range: &str, size: u64) -> Option<Option<RangeInclusive<u64>>> {
    let (first, last) = range.trim().strip_prefix("bytes=")?.split_once('-')?;
    let (first, last) = (first.trim(), last.trim());
    let part = match (first.is_empty(), last.is_empty()) {
        (true, true) => return None,
        (true, false) => {
            let length: u64 = last.parse().ok()?;
            (length > 0 && size > 0).then(|| size.saturating_sub(length)..=size - 1)
        }
        (false, true) => {
            let first: u64 = first.parse().ok()?;
            (first < size).then(|| first..=size - 1)
        }
        (false, false) => {
            let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
            if first > last {
                return None;
            }
            (first < size).then(|| first..=last.min(size - 1))
        }
    };
    Some(part)
}

/// A file to keep, under its name. Anything in the name that is no plain letter or digit is written
/// as bytes in percent signs.
fn disposition(name: &str) -> HeaderValue {
    let mut text = String::from("attachment; filename*=UTF-8''");
    for byte in name.bytes().take(255) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => {
                text.push(char::from(byte))
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_browsers_write_them() {
        assert_eq!(parse_range("bytes=0-4", 10), Some(Some(0..=4)));
        assert_eq!(parse_range("bytes=5-", 10), Some(Some(5..=9)));
        assert_eq!(parse_range("bytes=-3", 10), Some(Some(7..=9)));
        assert_eq!(parse_range("bytes=-30", 10), Some(Some(0..=9)));
        assert_eq!(parse_range("bytes=4-400", 10), Some(Some(4..=9)));
        for beyond in ["bytes=10-", "bytes=10-12", "bytes=-0"] {
            assert_eq!(parse_range(beyond, 10), Some(None), "{beyond}");
        }
        for whole in [
            "bytes=",
            "bytes=-",
            "bytes=5-4",
            "bytes=0-1,3-4",
            "lines=1-2",
            "bytes=a-b",
            "bytes=99999999999999999999-",
        ] {
            assert_eq!(parse_range(whole, 10), None, "{whole}");
        }
    }

    #[test]
    fn a_name_cannot_leave_its_header() {
        assert_eq!(
            disposition("a b\"\r\nx: y;ü.pdf"),
            "attachment; filename*=UTF-8''a%20b%22%0D%0Ax%3A%20y%3B%C3%BC.pdf"
        );
    }
}
