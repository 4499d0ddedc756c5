//! Reads the body of an answer as what it is, a stream of events or one JSON text, whatever its
//! headers say.

use super::ask::{Decoder, Flow};
use super::failure::Failure;
use super::lines::Lines;
use super::sse::{SseDecoder, SseEvent};
use super::wire::WireError;
use model::{Code, Value};
use node_api::ai::{ChatEvent, ModelError, Part, Turn};

/// What the events of a format mean. Pure: no bytes, no network.
pub trait Reader: Send {
    /// Takes one event of a stream, and its name where the format has names.
    fn event(
        &mut self,
        name: &str,
        event: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Flow, Failure>;
    /// Takes an answer that came whole.
    fn whole(&mut self, answer: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Failure>;
    /// The server says that there is nothing more.
    fn done(&mut self) {}
    /// The turn, if the answer is complete.
    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<Turn, Failure>;
}

/// A decoder that tells the turn as the last of its events.
pub(super) trait Pieces: Send {
    fn piece(&mut self, name: &str, piece: &Value) -> Result<Vec<ChatEvent>, Failure>;
    /// The bytes are at their end.
    fn end(&mut self) -> Result<Vec<ChatEvent>, Failure>;
    fn whole(&self, answer: &Value) -> Result<Turn, Failure>;
}

/// Such a decoder as a reader.
pub(super) struct Told<P> {
    pieces: P,
    turn: Option<Turn>,
}

impl<P> Told<P> {
    pub(super) fn new(pieces: P) -> Self {
        Self { pieces, turn: None }
    }

    fn take(&mut self, told: Vec<ChatEvent>, events: &mut Vec<ChatEvent>) -> Flow {
        for event in told {
            match event {
                ChatEvent::Done(turn) => {
                    self.turn = Some(*turn);
                    return Flow::Complete;
                }
                other => events.push(other),
            }
        }
        Flow::More
    }
}

impl<P: Pieces> Reader for Told<P> {
    fn event(
        &mut self,
        name: &str,
        event: &Value,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Flow, Failure> {
        let told = self.pieces.piece(name, event)?;
        Ok(self.take(told, events))
    }

    fn whole(&mut self, answer: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Failure> {
        let turn = self.pieces.whole(answer)?;
        let mut n_calls = 0;
        for part in &turn.message.parts {
            match part {
                Part::Text(text) => events.push(ChatEvent::Text(text.clone())),
                Part::Thinking { text, .. } if !text.is_empty() => {
                    events.push(ChatEvent::Thinking(text.clone()))
                }
                Part::ToolCall(call) => {
                    events.push(ChatEvent::CallBegins { index: n_calls, name: call.name.clone() });
                    n_calls += 1;
                }
                _ => {}
            }
        }
        self.turn = Some(turn);
        Ok(())
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<Turn, Failure> {
        if self.turn.is_none() {
            let told = self.pieces.end()?;
            self.take(told, events);
        }
        self.turn.take().ok_or_else(nothing)
    }
}

/// An answer that came whole and says nothing.
pub(super) fn nothing() -> Failure {
    Failure::passing(ModelError::new(Code::MODEL_ERROR, "The model answered with nothing"))
}

/// Feeds a reader with bytes.
pub struct Reading<R> {
    reader: R,
    form: Form,
    line_bytes: usize,
}

enum Form {
    /// Nothing but white space has come.
    Unknown,
    Events(SseDecoder),
    /// One JSON text a line.
    Lines(Lines),
    Json(Vec<u8>),
    /// The last event was there; what comes after it is not looked at.
    Over,
}

impl<R: Reader> Reading<R> {
    /// For an answer that is a stream of events or one JSON text.
    pub fn new(reader: R, line_bytes: usize) -> Self {
        Self { reader, form: Form::Unknown, line_bytes }
    }

    /// For an answer whose lines are JSON texts.
    pub fn of_lines(reader: R, line_bytes: usize) -> Self {
        Self { reader, form: Form::Lines(Lines::new(line_bytes)), line_bytes }
    }

    fn feed_form(&mut self, bytes: &[u8], events: &mut Vec<ChatEvent>) -> Result<Flow, Failure> {
        let sse = match &mut self.form {
            Form::Over => return Ok(Flow::Complete),
            Form::Unknown => return Ok(Flow::More),
            Form::Json(text) => {
                text.extend_from_slice(bytes);
                return Ok(Flow::More);
            }
            Form::Lines(lines) => {
                let lines = lines.feed(bytes).map_err(WireError::Line)?;
                return self.take_lines(lines, events);
            }
            Form::Events(decoder) => decoder.feed(bytes).map_err(WireError::Line)?,
        };
        self.take(sse, events)
    }

    fn take(&mut self, sse: Vec<SseEvent>, events: &mut Vec<ChatEvent>) -> Result<Flow, Failure> {
        for (name, data) in
            sse.iter().flat_map(|event| texts(&event.data).map(|text| (event.name.as_str(), text)))
        {
            if data == "[DONE]" {
                self.reader.done();
                return Ok(Flow::Complete);
            }
            if self.reader.event(name, &parse(data)?, events)? == Flow::Complete {
                return Ok(Flow::Complete);
            }
        }
        Ok(Flow::More)
    }

    fn take_lines(
        &mut self,
        lines: impl IntoIterator<Item = Vec<u8>>,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Flow, Failure> {
        for line in lines {
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty()
                && self.reader.event("", &parse(&line)?, events)? == Flow::Complete
            {
                return Ok(Flow::Complete);
            }
        }
        Ok(Flow::More)
    }
}

impl<R: Reader> Decoder for Reading<R> {
    fn feed(&mut self, mut bytes: &[u8], events: &mut Vec<ChatEvent>) -> Result<Flow, Failure> {
        if matches!(self.form, Form::Unknown) {
            bytes = bytes.trim_ascii_start();
            match bytes.first() {
                None => return Ok(Flow::More),
                // No event begins like this.
                Some(b'{' | b'[') => self.form = Form::Json(Vec::new()),
                Some(_) => self.form = Form::Events(SseDecoder::new(self.line_bytes)),
            }
        }
        let fed = self.feed_form(bytes, events);
        if let Ok(Flow::Complete) = fed {
            self.form = Form::Over;
        }
        fed
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<Turn, Failure> {
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Over => {}
            Form::Unknown => return Err(nothing()),
            Form::Lines(mut lines) => drop(self.take_lines(lines.finish(), events)?),
            Form::Events(mut decoder) => {
                let sse = decoder.finish().map_err(WireError::Line)?;
                self.take(sse, events)?;
            }
            Form::Json(text) => {
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
pub(super) fn read<R: Reader>(
    reader: R,
    pieces: &[&[u8]],
) -> (Vec<ChatEvent>, Result<Turn, Failure>) {
    let mut reading = Reading::new(reader, 10 << 20);
    let mut events = Vec::new();
    for piece in pieces {
        match reading.feed(piece, &mut events) {
            Ok(Flow::More) => {}
            Ok(Flow::Complete) => break,
            Err(failure) => return (events, Err(failure)),
        }
    }
    let turn = reading.finish(&mut events);
    (events, turn)
}

fn parse(text: &str) -> Result<Value, Failure> {
    model::json::parse(text).map_err(|error| {
        Failure::unreadable(format!("The answer of the model is no JSON: {error}"))
    })
}
