//! How much memory a body takes once it is read. A few letters of JSON, such as `[]`, become many
//! bytes; what would be too much is refused before it is read, and large bodies are read at the
//! same time only as far as there is room.

use super::{BodyFormat, ParsedBody};
use crate::admission::LARGE_BODY_BYTES;
use crate::error::ApiError;
use model::{Code, Value};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// A body may take this many times as much memory as its length may be at most.
const MAX_EXPANSION: usize = 16;

/// What bodies that are being read may take together. Whoever needs more than this reads alone.
const READ_BYTES: usize = 128 << 20;

/// Bodies up to this length never wait: there is not much that they could become.
const FREE_BYTES: usize = 4 << 10;

/// The room is counted in pieces of this size.
const UNIT: usize = 64 << 10;

/// Whoever waits for memory looks again after this time.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long a body waits for its turn before its sender is told to come again.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// Packed bodies at the same time: nobody knows how large they become.
const MAX_DECOMPRESSING: usize = 8;

static DECOMPRESS_PERMITS: Semaphore = Semaphore::const_new(MAX_DECOMPRESSING);
static READ_PERMITS: Semaphore = Semaphore::const_new(READ_BYTES / UNIT);

/// Bodies that become no larger than this have a room of their own, so that they do not wait behind
/// large ones.
const SMALL_BYTES: usize = 1 << 20;
const SMALL_READ_BYTES: usize = 32 << 20;

static SMALL_READ_PERMITS: Semaphore = Semaphore::const_new(SMALL_READ_BYTES / UNIT);

/// Waits until there is memory to read a body with this length limit. It is reserved until the permit
/// is dropped.
pub(crate) async fn reserve_memory(
    text: &str,
    format: BodyFormat,
    limit: usize,
) -> Result<Option<SemaphorePermit<'static>>, ApiError> {
    if text.len() <= FREE_BYTES {
        return Ok(None);
    }
    let estimate = compute::for_size(text.len(), || estimate(text, format))?;
    if estimate > max_memory(limit) {
        return Err(memory_exceeded(limit));
    }
    let units = estimate.div_ceil(UNIT).clamp(1, READ_BYTES / UNIT) as u32;
    acquire(if estimate <= SMALL_BYTES { &SMALL_READ_PERMITS } else { &READ_PERMITS }, units).await
}

/// What a body may take whose length may be so much. For a short one there is room in any case.
fn max_memory(limit: usize) -> usize {
    limit.saturating_mul(MAX_EXPANSION).max(SMALL_BYTES)
}

fn memory_exceeded(limit: usize) -> ApiError {
    let message = format!(
        "The body contains more values than fit into {} bytes of memory",
        max_memory(limit)
    );
    ApiError::new(Code::REQUEST_TOO_LARGE, message)
        .hint("Send it in several requests, or raise HEDDLE_MAX_BODY.")
}

/// Reads a body whose length may be so much at most.
pub(crate) fn json(text: &str, limit: usize) -> Result<Value, ApiError> {
    model::json::parse_within(text, max_memory(limit)).map_err(|error| match error.is_too_large() {
        true => memory_exceeded(limit),
        false => ApiError::new(Code::REQUEST_BODY, format!("The body is not JSON: {error}")),
    })
}

/// Waits for a place to unpack a body of this length, and to read it.
pub(super) async fn decompress_permit(
    length: usize,
) -> Result<Option<SemaphorePermit<'static>>, ApiError> {
    if length <= FREE_BYTES { Ok(None) } else { acquire(&DECOMPRESS_PERMITS, 1).await }
}

/// Waits until there is memory for what is made of a body of this length.
pub(super) async fn wait_for_memory(length: usize) -> Result<(), ApiError> {
    if length <= LARGE_BODY_BYTES || !compute::is_memory_short() {
        return Ok(());
    }
    let wait = async {
        while compute::is_memory_short() {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    };
    tokio::time::timeout(ACQUIRE_TIMEOUT, wait).await.map_err(|_| overload())
}

async fn acquire(
    permits: &'static Semaphore,
    units: u32,
) -> Result<Option<SemaphorePermit<'static>>, ApiError> {
    let permit = tokio::time::timeout(ACQUIRE_TIMEOUT, permits.acquire_many(units)).await;
    permit.ok().and_then(Result::ok).map(Some).ok_or_else(overload)
}

pub(super) fn overload() -> ApiError {
    ApiError::new(Code::OVERLOAD, "Too many large requests are in progress")
        .hint("Try again in a moment.")
        .retry_after(1)
}

/// What was read from a body of this length takes about this much; nobody counts what is short.
pub(super) fn estimate_parsed(read: &ParsedBody, length: usize) -> usize {
    if length <= FREE_BYTES {
        return length;
    }
    read.json.estimated_bytes() + read.files.iter().map(|(_, file)| file.data.len()).sum::<usize>()
}

/// What a body will take, by the marks between its values. It counts the letters that are read
/// later, not the bytes that came: in some character sets a byte of a letter looks like a mark.
fn estimate(text: &str, format: BodyFormat) -> usize {
    match format {
        BodyFormat::Guessed | BodyFormat::Json => {
            let at_most = model::memory_estimate::json_upper_bound(text);
            if at_most <= UNIT { at_most } else { model::memory_estimate::estimate_json(text) }
        }
        BodyFormat::Xml => model::memory_estimate::estimate_xml(text),
        BodyFormat::Form | BodyFormat::Plain | BodyFormat::File => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn issue_14_06_a_small_body_does_not_wait_behind_large_ones() {
        let large = format!("[{}]", "[],".repeat(100_000));
        let read =
            |text: String| async move { reserve_memory(&text, BodyFormat::Json, 16 << 20).await };
        let all = READ_PERMITS.acquire_many((READ_BYTES / UNIT) as u32).await.unwrap();
        let waiting = tokio::spawn(read(large));
        tokio::task::yield_now().await;
        assert!(read(format!("[{}1]", "1,".repeat(10_000))).await.unwrap().is_some());
        assert!(!waiting.is_finished());
        drop(all);
        assert!(waiting.await.unwrap().unwrap().is_some());
    }

    fn check(text: &str, format: BodyFormat, value: &model::Value) {
        let (estimated, taken) = (estimate(text, format), value.estimated_bytes());
        assert!(
            estimated >= taken && estimated < 5 * taken,
            "{estimated} for {taken}: {}",
            &text[..20]
        );
    }

    #[test]
    fn issue_14_07_the_estimate_is_about_what_is_taken() {
        let records = r#"{"id":12,"name":"somebody","is_open":true,"price":12.5},"#.repeat(1000);
        for text in [
            format!("[{}[]]", "[],".repeat(10_000)),
            format!("[{}{{}}]", "{},".repeat(10_000)),
            format!("[{}1]", "1,".repeat(10_000)),
            format!("[{records}0]"),
            format!("{}{}", "[".repeat(60), "]".repeat(60)),
            format!("[\"{}\"]", "[,{\\\"".repeat(10_000)),
        ] {
            check(&text, BodyFormat::Json, &model::json::parse(&text).unwrap());
        }
    }

    #[test]
    fn issue_14_00_the_estimate_counts_the_attributes_of_xml() {
        let attributes: String = (0..2_000).map(|number| format!(" a{number}=\"\"")).collect();
        for text in [
            format!("<r>{}</r>", "<a b=\"\"/>".repeat(10_000)),
            format!("<r>{}</r>", "<a b='>' c = ''></a>".repeat(10_000)),
            format!("<r><a{attributes}/></r>"),
        ] {
            check(&text, BodyFormat::Xml, &nodes::text::read_xml_request(&text).unwrap());
        }
    }

    #[tokio::test]
    async fn issue_14_07_a_body_that_would_take_all_memory_is_refused_before_it_is_read() {
        let refused = async |format: BodyFormat, text: String| {
            reserve_memory(&text, format, 1 << 20).await.err().map(|error| error.code)
        };
        let lists = format!("[{}[]]", "[],".repeat(300_000));
        assert_eq!(refused(BodyFormat::Json, lists.clone()).await, Some(Code::REQUEST_TOO_LARGE));
        assert_eq!(
            refused(BodyFormat::Guessed, lists.clone()).await,
            Some(Code::REQUEST_TOO_LARGE)
        );
        assert_eq!(refused(BodyFormat::Plain, lists).await, None);
        assert_eq!(
            refused(BodyFormat::Xml, "<a/>".repeat(250_000)).await,
            Some(Code::REQUEST_TOO_LARGE)
        );
        assert_eq!(
            refused(BodyFormat::Xml, "<a b=\"\"/>".repeat(100_000)).await,
            Some(Code::REQUEST_TOO_LARGE)
        );
        let honest = r#"{"id":12,"name":"somebody","is_open":true,"price":12.5},"#.repeat(18_000);
        assert_eq!(refused(BodyFormat::Json, format!("[{honest}0]")).await, None);
        assert_eq!(refused(BodyFormat::Json, format!("[{}1]", "1,".repeat(500_000))).await, None);
    }
}
