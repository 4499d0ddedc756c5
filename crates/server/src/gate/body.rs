//! A request's body as it comes in: not forever, and not more at once than there is room for.

use super::{BYTES_A_SECOND, Client, Gate};
use axum::body::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
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

/// So much of a body is taken whether or not there is room, so that people can sign in and small
/// calls get through while others send much. The number of requests bounds it.
const FREE_BYTES: usize = 16 << 10;

/// Bodies larger than this leave an eighth of the room to the others, and wait while memory is
/// short.
pub(crate) const MODEST_BYTES: usize = 256 << 10;

/// What a request has sent. It counts until nobody holds this any more: whoever has gathered the
/// body still has to read it.
#[derive(Clone)]
pub(crate) struct Received(Arc<Count>);

struct Count {
    gate: Arc<Gate>,
    client: Client,
    bytes: AtomicUsize,
    /// Those of the bytes that count for the client's network.
    of_network: AtomicUsize,
}

impl Received {
    pub(super) fn new(gate: Arc<Gate>, client: Client) -> Self {
        Self(Arc::new(Count {
            gate,
            client,
            bytes: AtomicUsize::new(0),
            of_network: AtomicUsize::new(0),
        }))
    }

    /// Counts what has come; whether there is room for it.
    fn add(&self, length: usize) -> bool {
        let Count { gate, client, bytes, of_network } = &*self.0;
        let before = bytes.fetch_add(length, Ordering::Relaxed);
        let after = before + length;
        let open_to_it =
            |room: usize| if after > MODEST_BYTES + FREE_BYTES { room - room / 8 } else { room };
        let is_room = gate.reading.fetch_add(length, Ordering::Relaxed) + length
            <= open_to_it(gate.limits.body_memory);
        if after <= FREE_BYTES {
            return true;
        }
        let own = after - FREE_BYTES;
        let more = own - of_network.load(Ordering::Relaxed);
        let (share, most) = gate.body_share(*client);
        // A network that sends a single body may send a large one.
        let limit = |times: usize| open_to_it(share.saturating_mul(times).min(most)).max(own);
        if !is_room || !gate.reading_of.add(client.address, more, limit) {
            return false;
        }
        of_network.store(own, Ordering::Relaxed);
        true
    }
}

impl Drop for Count {
    fn drop(&mut self) {
        self.gate.reading.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
        match *self.of_network.get_mut() {
            0 => {}
            counted => self.gate.reading_of.remove(self.client.address, counted),
        }
    }
}

pub(super) struct Watched {
    inner: Incoming,
    gate: Arc<Gate>,
    count: Received,
    /// Set when we have to wait for the first time; most bodies are there with their headers.
    waiting: Option<Waiting>,
}

struct Waiting {
    /// When something came last.
    last: Instant,
    /// When all of the body is due, unless more of it comes.
    due: Instant,
    timer: Pin<Box<Sleep>>,
}

impl Watched {
    pub(super) fn new(inner: Incoming, gate: Arc<Gate>, count: Received) -> Self {
        Self { inner, gate, count, waiting: None }
    }

    fn time_is_up(&mut self, cx: &mut Context<'_>) -> bool {
        let (time, gap) = (self.gate.limits.body_time, self.gate.limits.body_gap);
        let waiting = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            Waiting {
                last: now,
                due: now + time,
                timer: Box::pin(tokio::time::sleep_until(now + time.min(gap))),
            }
        });
        let deadline = waiting.due.min(waiting.last + gap);
        if waiting.timer.deadline() != deadline {
            waiting.timer.as_mut().reset(deadline);
        }
        waiting.timer.as_mut().poll(cx).is_ready()
    }

    fn has_come(&mut self, length: usize) {
        let Some(waiting) = &mut self.waiting else { return };
        waiting.last = Instant::now();
        let earned = Duration::from_micros(length as u64 * 1_000_000 / BYTES_A_SECOND);
        // Whoever has sent much at once is not waited for the longer.
        waiting.due = (waiting.due + earned).min(waiting.last + self.gate.limits.body_time);
    }
}

impl Body for Watched {
    type Data = Bytes;
    type Error = BodyStopped;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyStopped>>> {
        match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let length = frame.data_ref().map_or(0, Bytes::len);
                self.has_come(length);
                match self.count.add(length) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::GateLimits;

    const KB: usize = 1 << 10;

    fn gate() -> Arc<Gate> {
        Gate::new(GateLimits { body_memory: 1024 * KB, ..GateLimits::default() })
    }

    fn received(gate: &Arc<Gate>, address: &str) -> Received {
        Received::new(gate.clone(), Client::peer(address.parse().unwrap()))
    }

    #[test]
    fn issue_14_00_bodies_of_one_network_have_a_quarter_of_the_room() {
        let gate = gate();
        let (large, small) = (received(&gate, "203.0.113.7"), received(&gate, "203.0.113.7"));
        assert!(large.add(256 * KB + FREE_BYTES) && small.add(FREE_BYTES));
        assert!(!small.add(1), "the quarter is full");
        assert!(received(&gate, "203.0.113.8").add(300 * KB), "others have room");
        drop(large);
        assert!(received(&gate, "203.0.113.7").add(200 * KB), "it is given back");
        assert_eq!(gate.reading.load(Ordering::Relaxed), FREE_BYTES + 1);
        let alone = received(&gate, "198.51.100.1");
        assert!(alone.add(400 * KB) && alone.add(400 * KB), "a single body may be large");
    }

    #[test]
    fn issue_14_00_bodies_of_addresses_that_many_share_have_half_of_the_room() {
        for address in ["10.0.0.5", "127.0.0.1", "2001:db8:1:1::1"] {
            let gate = gate();
            let all: Vec<Received> = (1..10)
                .map(|host| received(&gate, &address.replace(":1::", &format!(":{host}::"))))
                .collect();
            let taken = all.iter().filter(|one| one.add(128 * KB + FREE_BYTES)).count();
            assert_eq!(taken, 4, "{address}");
        }
    }

    #[test]
    fn issue_14_06_large_bodies_leave_room_for_others() {
        let gate = Gate::new(GateLimits { body_memory: 16 * 1024 * KB, ..GateLimits::default() });
        let taken = |length: usize| -> Vec<Received> {
            (0..20).map(|_| received(&gate, "127.0.0.1")).filter(|one| one.add(length)).collect()
        };
        let (large, modest) = (taken(1024 * KB), taken(256 * KB));
        assert_eq!((large.len(), modest.len()), (7, 4));
    }

    #[test]
    fn issue_14_00_the_first_bytes_of_a_body_are_taken_without_room() {
        let gate = Gate::new(GateLimits { body_memory: 0, ..GateLimits::default() });
        let body = received(&gate, "203.0.113.7");
        assert!(body.add(FREE_BYTES - 1) && body.add(1));
        assert!(!body.add(1));
    }
}
