//! A request's body as it comes in: not forever, and not more at once than there is room for.

use super::{AdmissionControl, ClientAddr, MIN_BYTES_PER_SECOND};
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
pub(crate) enum BodyError {
    #[error("the body was sent too slowly")]
    TooSlow,
    #[error("too many request bodies are being read")]
    NoCapacity,
    #[error("the connection was interrupted")]
    Disconnected,
}

/// Why reading a body failed, if it was the line and not what was read.
pub(crate) fn find_body_error(error: &(dyn std::error::Error + 'static)) -> Option<BodyError> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(stopped) = error.downcast_ref::<BodyError>() {
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
pub(crate) const LARGE_BODY_BYTES: usize = 256 << 10;

/// What a request has sent. It counts until nobody holds this any more: whoever has gathered the
/// body still has to read it.
#[derive(Clone)]
pub(crate) struct BodyReservation(Arc<ReservedBytes>);

struct ReservedBytes {
    gate: Arc<AdmissionControl>,
    client: ClientAddr,
    bytes: AtomicUsize,
    /// Those of the bytes that count for the client's network.
    of_network: AtomicUsize,
}

impl BodyReservation {
    pub(super) fn new(gate: Arc<AdmissionControl>, client: ClientAddr) -> Self {
        Self(Arc::new(ReservedBytes {
            gate,
            client,
            bytes: AtomicUsize::new(0),
            of_network: AtomicUsize::new(0),
        }))
    }

    /// Counts what has come; whether there is room for it.
    fn add(&self, length: usize) -> bool {
        let ReservedBytes { gate, client, bytes, of_network } = &*self.0;
        let before = bytes.fetch_add(length, Ordering::Relaxed);
        let after = before + length;
        let open_to_it = |room: usize| {
            if after > LARGE_BODY_BYTES + FREE_BYTES { room - room / 8 } else { room }
        };
        let is_room = gate.body_bytes.fetch_add(length, Ordering::Relaxed) + length
            <= open_to_it(gate.limits.body_memory);
        if after <= FREE_BYTES {
            return true;
        }
        let own = after - FREE_BYTES;
        let more = own - of_network.load(Ordering::Relaxed);
        let (share, most) = gate.body_share(*client);
        // A network that sends a single body may send a large one.
        let limit = |times: usize| open_to_it(share.saturating_mul(times).min(most)).max(own);
        if !is_room || !gate.network_body_bytes.add(client.address, more, limit) {
            return false;
        }
        of_network.store(own, Ordering::Relaxed);
        true
    }
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        self.gate.body_bytes.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
        match *self.of_network.get_mut() {
            0 => {}
            counted => self.gate.network_body_bytes.remove(self.client.address, counted),
        }
    }
}

pub(super) struct LimitedBody {
    inner: Incoming,
    gate: Arc<AdmissionControl>,
    reservation: BodyReservation,
    /// Set when we have to wait for the first time; most bodies are there with their headers.
    deadline: Option<BodyDeadline>,
}

struct BodyDeadline {
    /// When something came last.
    last: Instant,
    /// When all of the body is due, unless more of it comes.
    due: Instant,
    timer: Pin<Box<Sleep>>,
}

impl LimitedBody {
    pub(super) fn new(
        inner: Incoming,
        gate: Arc<AdmissionControl>,
        count: BodyReservation,
    ) -> Self {
        Self { inner, gate, reservation: count, deadline: None }
    }

    fn is_expired(&mut self, cx: &mut Context<'_>) -> bool {
        let (time, gap) = (self.gate.limits.body_time, self.gate.limits.body_gap);
        let waiting = self.deadline.get_or_insert_with(|| {
            let now = Instant::now();
            BodyDeadline {
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

    fn record_received(&mut self, length: usize) {
        let Some(waiting) = &mut self.deadline else { return };
        waiting.last = Instant::now();
        let earned = Duration::from_micros(length as u64 * 1_000_000 / MIN_BYTES_PER_SECOND);
        // Whoever has sent much at once is not waited for the longer.
        waiting.due = (waiting.due + earned).min(waiting.last + self.gate.limits.body_time);
    }
}

impl Body for LimitedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let length = frame.data_ref().map_or(0, Bytes::len);
                self.record_received(length);
                match self.reservation.add(length) {
                    true => Poll::Ready(Some(Ok(frame))),
                    false => Poll::Ready(Some(Err(BodyError::NoCapacity))),
                }
            }
            Poll::Ready(Some(Err(_))) => Poll::Ready(Some(Err(BodyError::Disconnected))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending if self.is_expired(cx) => Poll::Ready(Some(Err(BodyError::TooSlow))),
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
    use crate::admission::AdmissionLimits;

    const KB: usize = 1 << 10;

    fn gate() -> Arc<AdmissionControl> {
        AdmissionControl::new(AdmissionLimits {
            body_memory: 1024 * KB,
            ..AdmissionLimits::default()
        })
    }

    fn received(gate: &Arc<AdmissionControl>, address: &str) -> BodyReservation {
        BodyReservation::new(gate.clone(), ClientAddr::peer(address.parse().unwrap()))
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
        assert_eq!(gate.body_bytes.load(Ordering::Relaxed), FREE_BYTES + 1);
        let alone = received(&gate, "198.51.100.1");
        assert!(alone.add(400 * KB) && alone.add(400 * KB), "a single body may be large");
    }

    #[test]
    fn issue_14_00_bodies_of_addresses_that_many_share_have_half_of_the_room() {
        for address in ["10.0.0.5", "127.0.0.1", "2001:db8:1:1::1"] {
            let gate = gate();
            let all: Vec<BodyReservation> = (1..10)
                .map(|host| received(&gate, &address.replace(":1::", &format!(":{host}::"))))
                .collect();
            let taken = all.iter().filter(|one| one.add(128 * KB + FREE_BYTES)).count();
            assert_eq!(taken, 4, "{address}");
        }
    }

    #[test]
    fn issue_14_06_large_bodies_leave_room_for_others() {
        let gate = AdmissionControl::new(AdmissionLimits {
            body_memory: 16 * 1024 * KB,
            ..AdmissionLimits::default()
        });
        let taken = |length: usize| -> Vec<BodyReservation> {
            (0..20).map(|_| received(&gate, "127.0.0.1")).filter(|one| one.add(length)).collect()
        };
        let (large, modest) = (taken(1024 * KB), taken(256 * KB));
        assert_eq!((large.len(), modest.len()), (7, 4));
    }

    #[test]
    fn issue_14_00_the_first_bytes_of_a_body_are_taken_without_room() {
        let gate =
            AdmissionControl::new(AdmissionLimits { body_memory: 0, ..AdmissionLimits::default() });
        let body = received(&gate, "203.0.113.7");
        assert!(body.add(FREE_BYTES - 1) && body.add(1));
        assert!(!body.add(1));
    }
}
