//! An answer whose words are the moments at which they are sent, in microseconds since 1970:
//! whoever reads one knows how long it was under way.

use crate::http::open_head;
use crate::reply::ScriptedReply;
use crate::wire::{EventPart, WireEvent, WireFormat};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

/// How many words, and how long between them.
#[derive(Clone, Copy, Debug)]
pub struct TimestampStream {
    pub words: usize,
    pub pause: Duration,
}

/// Tells the time, over and over; the connection ends with it.
pub(crate) async fn stream_timestamps(
    stream: &mut TcpStream,
    format: WireFormat,
    clock: TimestampStream,
) -> bool {
    let events = format.events(&ScriptedReply::text("now"));
    let is_word = |event: &WireEvent| event.part == EventPart::Word;
    let first = events.iter().position(is_word).unwrap_or(0);
    let joined =
        |events: &[WireEvent]| events.iter().map(|event| format.frame(event)).collect::<String>();
    let rest = joined(events.get(first + 1..).unwrap_or_default());
    let _ = stream.write_all(&open_head(format.content_type(true))).await;
    let _ = stream.write_all(joined(events.get(..first).unwrap_or_default()).as_bytes()).await;
    for _ in 0..clock.words {
        tokio::time::sleep(clock.pause).await;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_micros());
        let word = format.events(&ScriptedReply::text(&now.to_string())).into_iter().find(is_word);
        let sent = word.map(|word| format.frame(&word)).unwrap_or_default();
        if stream.write_all(sent.as_bytes()).await.is_err() {
            return false;
        }
    }
    let _ = stream.write_all(rest.as_bytes()).await;
    let _ = stream.shutdown().await;
    false
}
