//! A request's body as it comes in: not forever, and not more at once than there is room for.

use super::{BYTES_A_SECOND, Gate};
use axum::body::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

/// Why a body was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BodyStopped {
    #[error("the body came too slowly")]
    TooSlow,
    #[error("too many bodies are being read")]
    NoRoom,
    #[error("the connection broke off")]
    Broken,
}

/// Why reading a body failed, if it was the line and not what was read.
pub(crate) fn stopped(error: &(dyn std::error::Error + 'static)) -> Option<BodyStopped> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(stopped) = error.downcast_ref::<BodyStopped>() {
            return Some(*stopped);
        }
        cause = error.source();
    }
    None
}

pub(super) struct Watched {
    inner: Incoming,
    gate: Arc<Gate>,
    received: usize,
    /// Set when we have to wait for the first time; most bodies are there with their headers.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Watched {
    pub(super) fn new(inner: Incoming, gate: Arc<Gate>) -> Self {
        Self { inner, gate, received: 0, waiting: None }
    }

    fn time_is_up(&mut self, cx: &mut Context<'_>) -> bool {
        let allowed = self.gate.limits.body_time + Duration::from_secs(self.received as u64 / BYTES_A_SECOND);
        let (began, sleep) = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(tokio::time::sleep_until(now + allowed)))
        });
        let deadline = *began + allowed;
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        sleep.as_mut().poll(cx).is_ready()
    }
}

impl Body for Watched {
    type Data = Bytes;
    type Error = BodyStopped;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyStopped>>> {
        match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let length = frame.data_ref().map_or(0, Bytes::len);
                self.received += length;
                let before = self.gate.reading.fetch_add(length, Ordering::Relaxed);
                match before + length <= self.gate.limits.body_memory {
                    true => Poll::Ready(Some(Ok(frame))),
                    false => Poll::Ready(Some(Err(BodyStopped::NoRoom))),
                }
            }
            Poll::Ready(Some(Err(_))) => Poll::Ready(Some(Err(BodyStopped::Broken))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending if self.time_is_up(cx) => Poll::Ready(Some(Err(BodyStopped::TooSlow))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.gate.reading.fetch_sub(self.received, Ordering::Relaxed);
    }
}
