//! Puts an answer on the wire, or what its fault makes of it.

use crate::fault::Fault;
use crate::http::{answer, open_head};
use crate::reply::Reply;
use crate::wire::{Event, Format, Part};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Long enough for bytes to be read before the connection breaks.
const A_MOMENT: Duration = Duration::from_millis(20);

/// Whether the connection goes on.
pub(crate) async fn reply(
    stream: &mut TcpStream,
    format: Format,
    reply: &Reply,
    streams: bool,
) -> bool {
    let kind = format.content_type(streams);
    let Some(fault) =
        reply.fault.filter(|fault| !matches!(fault, Fault::UsageMissing | Fault::UsageNegative))
    else {
        return stream
            .write_all(&answer(200, kind, "", &body(format, reply, streams)))
            .await
            .is_ok();
    };
    if let Some(status) = fault.status() {
        let headers = match fault {
            Fault::TooMany(pause) => format!("retry-after: {}\r\n", pause.header()),
            _ => String::new(),
        };
        let words = format.error(status, "the mock says no").to_string();
        return stream
            .write_all(&answer(status, "application/json", &headers, &words))
            .await
            .is_ok();
    }
    if fault != Fault::NoReply {
        let _ = stream.write_all(&open_head(kind)).await;
    }
    play(stream, format, reply, streams, fault).await;
    false
}

fn body(format: Format, reply: &Reply, streams: bool) -> String {
    match streams {
        true => joined(format, &format.events(reply)),
        false => format.whole(reply).to_string(),
    }
}

fn joined(format: Format, events: &[Event]) -> String {
    events.iter().map(|event| format.frame(event)).collect()
}

async fn play(stream: &mut TcpStream, format: Format, reply: &Reply, streams: bool, fault: Fault) {
    let mut events = if streams { format.events(reply) } else { Vec::new() };
    let text = body(format, reply, streams);
    match fault {
        Fault::NoReply => gone(stream).await,
        Fault::ByteEvery(pause) => {
            for byte in text.bytes() {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(pause)).await;
            }
        }
        Fault::ResetAfterHeaders => reset(stream, "").await,
        Fault::ResetMidToken => {
            let first = events.iter().position(|event| event.part == Part::Word).unwrap_or(0);
            let before = joined(format, events.get(..first).unwrap_or_default());
            let word = events.get(first).map_or_else(|| text.clone(), |event| format.frame(event));
            let middle =
                (0..=word.len() / 2).rev().find(|at| word.is_char_boundary(*at)).unwrap_or(0);
            reset(stream, &format!("{before}{}", &word[..middle])).await;
        }
        Fault::ResetBeforeEnd => {
            events.retain(|event| !matches!(event.part, Part::End | Part::Done));
            reset(stream, &joined(format, &events)).await;
        }
        Fault::SplitUtf8 => {
            for byte in text.bytes() {
                if stream.write_all(&[byte]).await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
        }
        Fault::MixedLineEnds => write(stream, &mixed_line_ends(&text, format)).await,
        Fault::NoBlankLine => write(stream, &text.replace("\n\n", "\n")).await,
        Fault::CommentsOnly => {
            write(
                stream,
                if format == Format::Ollama { "\n\n\n" } else { ": ping\n\n: ping\n\n: ping\n\n" },
            )
            .await
        }
        Fault::LongLine(length) => {
            write(stream, if format == Format::Ollama { "{\"x\":\"" } else { "data: {\"x\":\"" })
                .await;
            write(stream, &"x".repeat(length)).await;
        }
        Fault::JoinedEvents => {
            let middle =
                (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            write(stream, &text[..middle]).await;
            tokio::time::sleep(A_MOMENT).await;
            write(stream, &text[middle..]).await;
        }
        Fault::DoneMissing => {
            events.retain(|event| event.part != Part::Done);
            write(stream, &joined(format, &events)).await;
        }
        Fault::DoneEarly => {
            move_end_forward(&mut events);
            write(stream, &joined(format, &events)).await;
        }
        Fault::ErrorInside200 => {
            let first =
                events.iter().position(|event| event.part == Part::Word).map_or(0, |at| at + 1);
            events.truncate(first);
            let data = format.error(503, "the mock broke off").to_string();
            let name = (format == Format::Anthropic).then_some("error");
            events.push(Event { name, data, part: Part::End });
            write(stream, &joined(format, &events)).await;
        }
        // The answer itself is made otherwise; the way is as usual.
        Fault::ArgumentsByByte
        | Fault::DuplicatedIndex
        | Fault::OutOfOrderBlocks
        | Fault::UsageMissing
        | Fault::UsageNegative => {
            write(stream, &text).await;
        }
        Fault::TooMany(_) | Fault::Unauthorized | Fault::ServerError | Fault::ModelGone => {}
    }
    let _ = stream.shutdown().await;
}

/// The mark of the end, or where there is none what ends the answer, right behind the first word.
fn move_end_forward(events: &mut Vec<Event>) {
    let end = events
        .iter()
        .position(|event| event.part == Part::Done)
        .or_else(|| events.iter().position(|event| event.part == Part::End));
    let first = events.iter().position(|event| matches!(event.part, Part::Word | Part::Call));
    if let (Some(end), Some(first)) = (end, first) {
        let event = events.remove(end);
        events.insert((first + 1).min(events.len()), event);
    }
}

/// Every kind of line end that the format allows, in turn.
fn mixed_line_ends(text: &str, format: Format) -> String {
    let ends: &[&str] =
        if format == Format::Ollama { &["\r\n", "\n"] } else { &["\r\n", "\n", "\r"] };
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
    tokio::time::sleep(A_MOMENT).await;
    let _ = stream.set_zero_linger();
}

/// Waits until the client has had enough.
async fn gone(stream: &mut TcpStream) {
    let mut nothing = [0; 64];
    while stream.read(&mut nothing).await.is_ok_and(|n_read| n_read > 0) {}
}
