//! Counts what the replies of a server take while they come. A few letters of the protocol, such as
//! `*1`, become a list of their own, so what counts is what they become and not what was sent.

use compute::MemoryReservation;
use node_api::http::HttpError;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// What a value takes besides its letters: as the client of the protocol holds it, and as JSON.
const VALUE_BYTES: usize = 128;

/// The count of one session.
#[derive(Debug, Default)]
pub(super) struct ReplyCounter {
    state: Mutex<ReplyCounterState>,
}

#[derive(Debug, Default)]
struct ReplyCounterState {
    used: usize,
    /// What comes next belongs to another reply.
    is_next: bool,
    stopped: Option<HttpError>,
}

impl ReplyCounter {
    /// A command is about to be sent: its reply counts by itself.
    pub(super) fn begin(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_next = true;
    }

    /// What the last reply takes.
    pub(super) fn used(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).used
    }

    /// Why no more is read, if that is so.
    pub(super) fn stopped(&self) -> Option<HttpError> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).stopped.clone()
    }
}

/// A connection whose replies are counted.
pub(super) struct CountedStream<S> {
    stream: S,
    tally: Arc<ReplyCounter>,
    frames: FrameState,
    limit: usize,
    reservation: Option<MemoryReservation>,
    /// Somebody else has the room that the next bytes need.
    waiting: Option<PendingReservation>,
}

type PendingReservation =
    Pin<Box<dyn Future<Output = Result<MemoryReservation, HttpError>> + Send + Sync>>;

impl<S> CountedStream<S> {
    pub(super) fn new(stream: S, tally: Arc<ReplyCounter>, limit: usize) -> Self {
        Self {
            stream,
            tally,
            frames: FrameState::default(),
            limit,
            reservation: None,
            waiting: None,
        }
    }

    fn stop(&self, error: HttpError) -> io::Error {
        let mut state = self.tally.state.lock().unwrap_or_else(PoisonError::into_inner);
        io::Error::other(state.stopped.insert(error).to_string())
    }

    /// Counts what has come. Gives back what there has to be room for before more is read.
    fn count(&mut self, bytes: &[u8]) -> Result<usize, HttpError> {
        let mut state = self.tally.state.lock().unwrap_or_else(PoisonError::into_inner);
        if std::mem::take(&mut state.is_next) {
            state.used = 0;
            self.reservation = None;
        }
        state.used = state
            .used
            .saturating_add(bytes.len())
            .saturating_add(self.frames.values_in(bytes).saturating_mul(VALUE_BYTES));
        if state.used > self.limit {
            Err(HttpError::TooLarge { limit: self.limit })
        } else {
            Ok(state.used)
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for CountedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if let Some(waiting) = &mut this.waiting {
            let room = ready!(waiting.as_mut().poll(context));
            this.waiting = None;
            this.reservation = Some(room.map_err(|error| this.stop(error))?);
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        let used = match this.count(&buffer.filled()[before..]) {
            Ok(used) => used,
            Err(error) => {
                buffer.set_filled(before);
                return Poll::Ready(Err(this.stop(error)));
            }
        };
        let mut held = this.reservation.take().unwrap_or_default();
        if held.try_grow_to(used) {
            this.reservation = Some(held);
        } else {
            this.waiting =
                Some(Box::pin(async move { Ok(held.grow_to(used).await.map(|()| held)?) }));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for CountedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Where the next byte stands in the protocol: each value has a letter for its kind, and a line.
/// The line of a text is its length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FrameState {
    #[default]
    Kind,
    Line,
    Length {
        length: usize,
    },
    Text {
        left: usize,
    },
}

impl FrameState {
    /// The values that begin in these bytes.
    fn values_in(&mut self, mut bytes: &[u8]) -> usize {
        let mut values = 0;
        while let Some((byte, rest)) = bytes.split_first() {
            if let FrameState::Text { left } = self {
                let taken = (*left).min(bytes.len());
                bytes = &bytes[taken..];
                *self = if taken < *left {
                    FrameState::Text { left: *left - taken }
                } else {
                    FrameState::Kind
                };
                continue;
            }
            bytes = rest;
            *self = match (*self, byte) {
                (FrameState::Kind, kind) => {
                    values += 1;
                    if matches!(kind, b'$' | b'=' | b'!') {
                        FrameState::Length { length: 0 }
                    } else {
                        FrameState::Line
                    }
                }
                (FrameState::Length { length }, b'0'..=b'9') => FrameState::Length {
                    length: length.saturating_mul(10).saturating_add(usize::from(byte - b'0')),
                },
                // Its text, and the line end behind it.
                (FrameState::Length { length }, b'\n') => {
                    FrameState::Text { left: length.saturating_add(2) }
                }
                // A text that is not there has a length below zero.
                (FrameState::Length { .. }, b'-') => FrameState::Line,
                (_, b'\n') => FrameState::Kind,
                (state, _) => state,
            };
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;

    fn values(pieces: &[&[u8]]) -> usize {
        let mut frames = FrameState::default();
        pieces.iter().map(|piece| frames.values_in(piece)).sum()
    }

    #[test]
    fn issue_14_09_every_value_of_a_reply_is_counted_however_it_is_cut() {
        let reply = b"*5\r\n:0\r\n$5\r\n*1\r\n:\r\n$-1\r\n+OK\r\n*1\r\n$0\r\n\r\n";
        assert_eq!(values(&[reply]), 7);
        for size in 1..reply.len() {
            assert_eq!(values(&reply.chunks(size).collect::<Vec<_>>()), 7, "{size}");
        }
    }

    async fn read(reply: &[u8], limit: usize) -> (io::Result<usize>, Option<HttpError>) {
        let tally = Arc::new(ReplyCounter::default());
        let mut all = Vec::new();
        let read = CountedStream::new(reply, tally.clone(), limit).read_to_end(&mut all).await;
        (read, tally.stopped())
    }

    #[tokio::test]
    async fn issue_14_09_a_reply_that_would_take_too_much_memory_is_not_read_to_its_end() {
        let limit = 1 << 20;
        for reply in [
            b"*1\r\n".repeat(20_000),
            b":0\r\n".repeat(20_000),
            [b"$2000000\r\n".to_vec(), vec![b'x'; 2_000_000]].concat(),
        ] {
            let (read, stopped) = read(&reply, limit).await;
            assert!(read.is_err());
            assert!(matches!(stopped, Some(HttpError::TooLarge { limit: told }) if told == limit));
        }
        let (read, stopped) = read(
            &[b"$900000\r\n".to_vec(), vec![b'\n'; 900_000], b"\r\n".to_vec()].concat(),
            limit,
        )
        .await;
        assert!(read.is_ok() && stopped.is_none());
    }

    #[tokio::test]
    async fn issue_14_09_each_reply_counts_by_itself() {
        let tally = Arc::new(ReplyCounter::default());
        let reply = b":0\r\n".repeat(100);
        let mut counted = CountedStream::new(&reply[..], tally.clone(), 100 * VALUE_BYTES);
        for _ in 0..10 {
            tally.begin();
            let mut part = [0; 40];
            counted.read_exact(&mut part).await.unwrap();
            assert_eq!(tally.state.lock().unwrap().used, 40 + 10 * VALUE_BYTES);
        }
    }
}
