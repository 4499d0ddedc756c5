//! Any bytes as a model's answer: no reader stops the process, and no cut of the bytes changes what
//! is read.

use node_api::ai::{ChatEvent, ModelReply};
use providers::models::body_decoder::{BodyDecoder, EventReader};
use providers::models::catalog::Catalog;
use providers::models::failure::ModelFailure;
use providers::models::lines::LineSplitter;
use providers::models::openai::{ChatReader, ResponsesReader, read_vectors};
use providers::models::requester::{DecodeProgress, ReplyDecoder as _};
use providers::models::{anthropic, gemini, ollama};

const LONGEST_LINE: usize = 1 << 20;

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(bytes: &[u8]) {
    let size = bytes.first().map_or(1, |first| usize::from(first % 16) + 1);
    assert_eq!(
        read(ChatReader::new("m"), bytes, size),
        read(ChatReader::new("m"), bytes, bytes.len())
    );
    assert_eq!(
        read(ResponsesReader::new("m"), bytes, size),
        read(ResponsesReader::new("m"), bytes, bytes.len())
    );
    let info = Catalog::shipped().find("p", "m").info;
    assert_eq!(
        read(anthropic::reader(&info), bytes, size),
        read(anthropic::reader(&info), bytes, bytes.len())
    );
    assert_eq!(
        read(gemini::reader(&info), bytes, size),
        read(gemini::reader(&info), bytes, bytes.len())
    );
    assert_eq!(
        read_lines(ollama::reader(&info), bytes, size),
        read_lines(ollama::reader(&info), bytes, bytes.len())
    );
    assert_eq!(lines(bytes, size), lines(bytes, bytes.len()));
    let _ = read_vectors(bytes, size);
}

fn read(
    reader: impl EventReader,
    bytes: &[u8],
    size: usize,
) -> (Vec<ChatEvent>, Result<ModelReply, ModelFailure>) {
    decode(BodyDecoder::new(reader, LONGEST_LINE), bytes, size)
}

fn read_lines(
    reader: impl EventReader,
    bytes: &[u8],
    size: usize,
) -> (Vec<ChatEvent>, Result<ModelReply, ModelFailure>) {
    decode(BodyDecoder::of_lines(reader, LONGEST_LINE), bytes, size)
}

fn decode(
    mut reading: BodyDecoder<impl EventReader>,
    bytes: &[u8],
    size: usize,
) -> (Vec<ChatEvent>, Result<ModelReply, ModelFailure>) {
    let mut events = Vec::new();
    for piece in bytes.chunks(size.max(1)) {
        match reading.feed(piece, &mut events) {
            Ok(DecodeProgress::More) => {}
            Ok(DecodeProgress::Complete) => break,
            Err(failure) => return (events, Err(failure)),
        }
    }
    let turn = reading.finish(&mut events);
    (events, turn)
}

fn lines(bytes: &[u8], size: usize) -> Vec<Vec<u8>> {
    let mut cutter = LineSplitter::new(LONGEST_LINE);
    let mut found = Vec::new();
    for piece in bytes.chunks(size.max(1)) {
        found.extend(cutter.feed(piece).unwrap_or_default());
    }
    found.extend(cutter.finish());
    found
}
