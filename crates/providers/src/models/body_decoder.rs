//! Reads the body of an answer as what it is, a stream of events or one JSON text, whatever its
//! headers say.

use super::failure::ModelFailure;
use super::lines::LineSplitter;
use super::requester::{DecodeProgress, ReplyDecoder};
use super::sse::{SseDecoder, SseEvent};
use super::wire::WireError;
use model::{Code, Value};
use node_api::ai::{ChatEvent, MessagePart, ModelError, ModelReply};

/// What the events of a format mean. Pure: no bytes, no network.
pub trait EventReader: Send {
    /// Takes one event of a stream, and its name where the format has names.
    fn event(
        &mut self,
        name: &str,
        event: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure>;
    /// Takes an answer that came whole.
    fn whole(&mut self, answer: &Value, events: &mut Vec<ChatEvent>) -> Result<(), ModelFailure>;
    /// The server says that there is nothing more.
    fn done(&mut self) {}
    /// The turn, if the answer is complete.
    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure>;
}

/// A decoder that tells the turn as the last of its events.
pub(super) trait EventDecoder: Send {
    fn piece(&mut self, name: &str, piece: &Value) -> Result<Vec<ChatEvent>, ModelFailure>;
    /// The bytes are at their end.
    fn end(&mut self) -> Result<Vec<ChatEvent>, ModelFailure>;
    fn whole(&self, answer: &Value) -> Result<ModelReply, ModelFailure>;
}

/// Such a decoder as a reader.
pub(super) struct DecoderAdapter<P> {
    pieces: P,
    turn: Option<ModelReply>,
}

impl<P> DecoderAdapter<P> {
    pub(super) fn new(pieces: P) -> Self {
        Self { pieces, turn: None }
    }

    fn take(&mut self, told: Vec<ChatEvent>, events: &mut Vec<ChatEvent>) -> DecodeProgress {
        for event in told {
            match event {
                ChatEvent::Done(turn) => {
                    self.turn = Some(*turn);
                    return DecodeProgress::Complete;
                }
                other => events.push(other),
            }
        }
        DecodeProgress::More
    }
}

impl<P: EventDecoder> EventReader for DecoderAdapter<P> {
    fn event(
        &mut self,
        name: &str,
        event: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        let told = self.pieces.piece(name, event)?;
        Ok(self.take(told, events))
    }

    fn whole(&mut self, answer: &Value, events: &mut Vec<ChatEvent>) -> Result<(), ModelFailure> {
        let turn = self.pieces.whole(answer)?;
        let mut n_calls = 0;
        for part in &turn.message.parts {
            match part {
                MessagePart::Text(text) => events.push(ChatEvent::Text(text.clone())),
                MessagePart::Thinking { text, .. } if !text.is_empty() => {
                    events.push(ChatEvent::Thinking(text.clone()))
                }
                MessagePart::ToolCall(call) => {
                    events.push(ChatEvent::CallBegins { index: n_calls, name: call.name.clone() });
                    n_calls += 1;
                }
                _ => {}
            }
        }
        self.turn = Some(turn);
        Ok(())
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure> {
        if self.turn.is_none() {
            let told = self.pieces.end()?;
            self.take(told, events);
        }
        self.turn.take().ok_or_else(nothing)
    }
}

/// An answer that came whole and says nothing.
pub(super) fn nothing() -> ModelFailure {
    ModelFailure::transient(ModelError::new(Code::MODEL_ERROR, "The model's response is empty"))
}

/// Feeds a reader with bytes.
pub struct BodyDecoder<R> {
    reader: R,
    form: BodyState,
    line_bytes: usize,
}

enum BodyState {
    /// Nothing but white space has come.
    Unknown,
    Events(SseDecoder),
    /// One JSON text a line.
    Lines(LineSplitter),
    Json(Vec<u8>),
    /// The last event was there; what comes after it is not looked at.
    Over,
}

impl<R: EventReader> BodyDecoder<R> {
    /// For an answer that is a stream of events or one JSON text.
    pub fn new(reader: R, line_bytes: usize) -> Self {
        Self { reader, form: BodyState::Unknown, line_bytes }
    }

    /// For an answer whose lines are JSON texts.
    pub fn of_lines(reader: R, line_bytes: usize) -> Self {
        Self { reader, form: BodyState::Lines(LineSplitter::new(line_bytes)), line_bytes }
    }

    fn feed_form(
        &mut self,
        bytes: &[u8],
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        let sse = match &mut self.form {
            BodyState::Over => return Ok(DecodeProgress::Complete),
            BodyState::Unknown => return Ok(DecodeProgress::More),
            BodyState::Json(text) => {
                text.extend_from_slice(bytes);
                return Ok(DecodeProgress::More);
            }
            BodyState::Lines(lines) => {
                let lines = lines.feed(bytes).map_err(WireError::Line)?;
                return self.take_lines(lines, events);
            }
            BodyState::Events(decoder) => decoder.feed(bytes).map_err(WireError::Line)?,
        };
        self.take(sse, events)
    }

    fn take(
        &mut self,
        sse: Vec<SseEvent>,
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        for (name, data) in
            sse.iter().flat_map(|event| texts(&event.data).map(|text| (event.name.as_str(), text)))
        {
            if data == "[DONE]" {
                self.reader.done();
                return Ok(DecodeProgress::Complete);
            }
            if self.reader.event(name, &parse(data)?, events)? == DecodeProgress::Complete {
                return Ok(DecodeProgress::Complete);
            }
        }
        Ok(DecodeProgress::More)
    }

    fn take_lines(
        &mut self,
        lines: impl IntoIterator<Item = Vec<u8>>,
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        for line in lines {
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty()
                && self.reader.event("", &parse(&line)?, events)? == DecodeProgress::Complete
            {
                return Ok(DecodeProgress::Complete);
            }
        }
        Ok(DecodeProgress::More)
    }
}

impl<R: EventReader> ReplyDecoder for BodyDecoder<R> {
    fn feed(
        &mut self,
        mut bytes: &[u8],
        events: &mut Vec<ChatEvent>,
    ) -> Result<DecodeProgress, ModelFailure> {
        if matches!(self.form, BodyState::Unknown) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return Ok(DecodeProgress::More),
                // No event begins like this.
                Some(b'{' | b'[') => self.form = BodyState::Json(Vec::new()),
                Some(_) => self.form = BodyState::Events(SseDecoder::new(self.line_bytes)),
            }
        }
        let fed = self.feed_form(bytes, events);
        if let Ok(DecodeProgress::Complete) = fed {
            self.form = BodyState::Over;
        }
        fed
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<ModelReply, ModelFailure> {
        match std::mem::replace(&mut self.form, BodyState::Unknown) {
            BodyState::Over => {}
            BodyState::Unknown => return Err(nothing()),
            BodyState::Lines(mut lines) => drop(self.take_lines(lines.finish(), events)?),
            BodyState::Events(mut decoder) => {
                let sse = decoder.finish().map_err(WireError::Line)?;
                self.take(sse, events)?;
            }
            BodyState::Json(text) => {
                let answer = parse(&String::from_utf8_lossy(&text))?;
                self.reader.whole(&answer, events)?;
            }
        }
        self.reader.finish(events)
    }
}

/// The JSON texts in the data of an event. Servers that forget the blank line between events send
/// several, one a line.
fn texts(data: &str) -> impl Iterator<Item = &str> {
    let is_one = !data.contains('\n') || model::json::parse(data).is_ok();
    let (whole, lines) = if is_one { (Some(data), "") } else { (None, data) };
    whole.into_iter().chain(lines.lines()).map(str::trim).filter(|text| !text.is_empty())
}

/// The turn that the bytes of an answer make, in any cut.
#[cfg(test)]
pub(super) fn read<R: EventReader>(
    reader: R,
    pieces: &[&[u8]],
) -> (Vec<ChatEvent>, Result<ModelReply, ModelFailure>) {
    let mut reading = BodyDecoder::new(reader, 10 << 20);
    let mut events = Vec::new();
    for piece in pieces {
        match reading.feed(piece, &mut events) {
            Ok(DecodeProgress::More) => {}
            Ok(DecodeProgress::Complete) => break,
            Err(failure) => return (events, Err(failure)),
        }
    }
    let turn = reading.finish(&mut events);
    (events, turn)
}

fn parse(text: &str) -> Result<Value, ModelFailure> {
    model::json::parse(text).map_err(|error| {
        ModelFailure::unreadable(format!("The model's response is not JSON: {error}"))
    })
}
