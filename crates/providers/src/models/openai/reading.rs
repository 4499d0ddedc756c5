//! Reads the body of an answer as what it is, a stream of events or one JSON text, whatever its headers say.

use super::error;
use crate::models::ask::{Decoder, Flow};
use crate::models::failure::Failure;
use crate::models::secret::Secret;
use crate::models::sse::{SseDecoder, SseEvent};
use crate::models::wire::WireError;
use model::Value;
use node_api::ai::{ChatEvent, Turn};

/// What the events of a format mean. Pure: no bytes, no network.
pub trait Reader: Send {
    /// Takes one event of a stream.
    fn event(&mut self, event: &Value, events: &mut Vec<ChatEvent>) -> Result<Flow, Failure>;
    /// Takes an answer that came whole.
    fn whole(&mut self, answer: &Value, events: &mut Vec<ChatEvent>) -> Result<(), Failure>;
    /// The server says that there is nothing more.
    fn done(&mut self);
    /// The turn, if the answer is complete.
    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<Turn, Failure>;
}

/// Feeds a reader with bytes.
pub struct Reading<R> {
    reader: R,
    form: Form,
    line_bytes: usize,
    secrets: Vec<Secret>,
}

enum Form {
    /// Nothing but white space has come.
    Unknown,
    Events(SseDecoder),
    Json(Vec<u8>),
}

impl<R: Reader> Reading<R> {
    pub fn new(reader: R, line_bytes: usize, secrets: Vec<Secret>) -> Self {
        Self { reader, form: Form::Unknown, line_bytes, secrets }
    }

    fn take(&mut self, sse: Vec<SseEvent>, events: &mut Vec<ChatEvent>) -> Result<Flow, Failure> {
        for data in sse.iter().flat_map(|event| texts(&event.data)) {
            if data == "[DONE]" {
                self.reader.done();
                return Ok(Flow::Complete);
            }
            let event = parse(data)?;
            let inner = event.get("response").and_then(|response| error::inside(response, &self.secrets));
            if let Some(failure) = inner.or_else(|| error::inside(&event, &self.secrets)) {
                return Err(failure);
            }
            if self.reader.event(&event, events)? == Flow::Complete {
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
        let sse = match &mut self.form {
            Form::Unknown => return Ok(Flow::More),
            Form::Json(text) => {
                text.extend_from_slice(bytes);
                return Ok(Flow::More);
            }
            Form::Events(decoder) => decoder.feed(bytes).map_err(WireError::Line)?,
        };
        self.take(sse, events)
    }

    fn finish(&mut self, events: &mut Vec<ChatEvent>) -> Result<Turn, Failure> {
        match std::mem::replace(&mut self.form, Form::Unknown) {
            Form::Unknown => return Err(error::empty()),
            Form::Events(mut decoder) => {
                let sse = decoder.finish().map_err(WireError::Line)?;
                self.take(sse, events)?;
            }
            Form::Json(text) => {
                let answer = parse(&String::from_utf8_lossy(&text))?;
                if let Some(failure) = error::inside(&answer, &self.secrets) {
                    return Err(failure);
                }
                self.reader.whole(&answer, events)?;
            }
        }
        self.reader.finish(events)
    }
}

/// The JSON texts in the data of an event. Servers that forget the blank line between events send several, one a line.
fn texts(data: &str) -> impl Iterator<Item = &str> {
    let is_one = !data.contains('\n') || model::json::parse(data).is_ok();
    let (whole, lines) = if is_one { (Some(data), "") } else { (None, data) };
    whole.into_iter().chain(lines.lines()).map(str::trim).filter(|text| !text.is_empty())
}

/// The turn that the bytes of an answer make, in any cut.
#[cfg(test)]
pub(super) fn read<R: Reader>(reader: R, pieces: &[&[u8]]) -> (Vec<ChatEvent>, Result<Turn, Failure>) {
    let mut reading = Reading::new(reader, 10 << 20, Vec::new());
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
    model::json::parse(text).map_err(|error| Failure::unreadable(format!("The answer of the model is no JSON: {error}")))
}
