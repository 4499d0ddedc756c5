//! Puts an answer on the wire, or what its fault makes of it.

use crate::fault::NetFault;
use crate::http::{open_head, response};
use crate::reply::ScriptedReply;
use crate::wire::{EventPart, WireEvent, WireFormat};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Long enough for bytes to be read before the connection breaks.
const SHORT_DELAY: Duration = Duration::from_millis(20);

/// Whether the connection goes on.
pub(crate) async fn reply(
    stream: &mut TcpStream,
    format: WireFormat,
    reply: &ScriptedReply,
    streams: bool,
) -> bool {
    let kind = format.content_type(streams);
    let Some(fault) = reply
        .fault
        .filter(|fault| !matches!(fault, NetFault::UsageMissing | NetFault::UsageNegative))
    else {
        return stream
            .write_all(&response(200, kind, "", &body(format, reply, streams)))
            .await
            .is_ok();
    };
    if let Some(status) = fault.status() {
        let headers = match fault {
            NetFault::TooMany(pause) => format!("retry-after: {}\r\n", pause.header()),
            _ => String::new(),
        };
        let words = format.error(status, "the mock says no").to_string();
        return stream
            .write_all(&response(status, "application/json", &headers, &words))
            .await
            .is_ok();
    }
    if fault != NetFault::NoReply {
        let _ = stream.write_all(&open_head(kind)).await;
    }
    write_reply(stream, format, reply, streams, fault).await;
    false
}

fn body(format: WireFormat, reply: &ScriptedReply, streams: bool) -> String {
    match streams {
        true => joined(format, &format.events(reply)),
        false => format.whole(reply).to_string(),
    }
}

fn joined(format: WireFormat, events: &[WireEvent]) -> String {
    events.iter().map(|event| format.frame(event)).collect()
}

async fn write_reply(
    stream: &mut TcpStream,
    format: WireFormat,
    reply: &ScriptedReply,
    streams: bool,
    fault: NetFault,
) {
    let mut events = if streams { format.events(reply) } else { Vec::new() };
    let text = body(format, reply, streams);
    match fault {
        NetFault::NoReply => wait_for_close(stream).await,
        NetFault::ByteEvery(pause) => {
            for byte in text.bytes() {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
        NetFault::ResetAfterHeaders => reset(stream, "").await,
        NetFault::ResetMidToken => {
            let first = events.iter().position(|event| event.part == EventPart::Word).unwrap_or(0);
            let before = joined(format, events.get(..first).unwrap_or_default());
            let word = events.get(first).map_or_else(|| text.clone(), |event| format.frame(event));
            let middle =
                (0..=word.len() / 2).rev().find(|at| word.is_char_boundary(*at)).unwrap_or(0);
            reset(stream, &format!("{before}{}", &word[..middle])).await;
        }
        NetFault::ResetBeforeEnd => {
            events.retain(|event| !matches!(event.part, EventPart::End | EventPart::Done));
            reset(stream, &joined(format, &events)).await;
        }
        NetFault::SplitUtf8 => {
            for byte in text.bytes() {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
        }
        NetFault::MixedLineEnds => write(stream, &mixed_line_ends(&text, format)).await,
        NetFault::NoBlankLine => write(stream, &text.replace("\n\n", "\n")).await,
        NetFault::CommentsOnly => {
            write(
                stream,
                if format == WireFormat::Ollama {
                    "\n\n\n"
                } else {
                    ": ping\n\n: ping\n\n: ping\n\n"
                },
            )
            .await
        }
        NetFault::LongLine(length) => {
            write(
                stream,
                if format == WireFormat::Ollama { "{\"x\":\"" } else { "data: {\"x\":\"" },
            )
            .await;
            write(stream, &"x".repeat(length)).await;
        }
        NetFault::JoinedEvents => {
            let middle =
                (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            write(stream, &text[..middle]).await;
            tokio::time::sleep(SHORT_DELAY).await;
            write(stream, &text[middle..]).await;
        }
        NetFault::DoneMissing => {
            events.retain(|event| event.part != EventPart::Done);
            write(stream, &joined(format, &events)).await;
        }
        NetFault::DoneEarly => {
            move_end_forward(&mut events);
            write(stream, &joined(format, &events)).await;
        }
        NetFault::ErrorInside200 => {
            let first = events
                .iter()
                .position(|event| event.part == EventPart::Word)
                .map_or(0, |at| at + 1);
            events.truncate(first);
            let data = format.error(503, "the mock broke off").to_string();
            let name = (format == WireFormat::Anthropic).then_some("error");
            events.push(WireEvent { name, data, part: EventPart::End });
            write(stream, &joined(format, &events)).await;
        }
        // The answer itself is made otherwise; the way is as usual.
        NetFault::ArgumentsByByte
        | NetFault::DuplicatedIndex
        | NetFault::OutOfOrderBlocks
        | NetFault::UsageMissing
        | NetFault::UsageNegative => {
            write(stream, &text).await;
        }
        NetFault::TooMany(_)
        | NetFault::Unauthorized
        | NetFault::ServerError
        | NetFault::ModelGone => {}
    }
    let _ = stream.shutdown().await;
}

/// The mark of the end, or where there is none what ends the answer, right behind the first word.
fn move_end_forward(events: &mut Vec<WireEvent>) {
    let end = events
        .iter()
        .position(|event| event.part == EventPart::Done)
        .or_else(|| events.iter().position(|event| event.part == EventPart::End));
    let first =
        events.iter().position(|event| matches!(event.part, EventPart::Word | EventPart::Call));
    if let (Some(end), Some(first)) = (end, first) {
        let event = events.remove(end);
        events.insert((first + 1).min(events.len()), event);
    }
}

/// Every kind of line end that the format allows, in turn.
fn mixed_line_ends(text: &str, format: WireFormat) -> String {
    let ends: &[&str] =
        if format == WireFormat::Ollama { &["\r\n", "\n"] } else { &["\r\n", "\n", "\r"] };
    let mut mixed = String::new();
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            mixed.push_str(ends[number % ends.len()]);
        }
        mixed.push_str(line);
    }
    mixed
}

async fn write(stream: &mut TcpStream, text: &str) {
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.flush().await;
}

/// Sends what there is and breaks the connection off the hard way.
async fn reset(stream: &mut TcpStream, text: &str) {
    write(stream, text).await;
    tokio::time::sleep(SHORT_DELAY).await;
    let _ = stream.set_zero_linger();
}

/// Waits until the client has had enough.
async fn wait_for_close(stream: &mut TcpStream) {
    let mut nothing = [0; 64];
    while stream.read(&mut nothing).await.is_ok_and(|n_read| n_read > 0) {}
}
