//! Who is let in: how many connections and requests at once, how many a second from one address, and how slow they may be.

mod body;
mod client;
mod connection;
mod rate;

pub(crate) use body::{BodyStopped, stopped};
pub(crate) use connection::serve;

use crate::error::ApiError;
use axum::http::HeaderMap;
use ipnet::IpNet;
use model::Code;
use rate::Rates;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What connections, requests and callers may take of this server.
#[derive(Clone, Debug)]
pub struct GateLimits {
    /// Connections at once; a further one is told to come again.
    pub connections: usize,
    /// Requests under way at once.
    pub requests: usize,
    /// Requests a second from one address, in the long run; 0 for any number.
    pub per_second: u32,
    /// The request line and the headers together.
    pub header_bytes: usize,
    pub headers: usize,
    /// How long the headers may take, and how long a connection is kept without a request.
    pub header_time: Duration,
    /// How long a body may take, besides a second for each 16 KB that have come.
    pub body_time: Duration,
    /// How long a caller may take nothing of its answer.
    pub stall_time: Duration,
    /// Bodies that are being read, together.
    pub body_memory: usize,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
}

/// The slowest line on which a body of any allowed size still gets through.
pub(crate) const BYTES_A_SECOND: u64 = 16 << 10;

impl Default for GateLimits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            requests: 5_000,
            per_second: 1_000,
            header_bytes: 32 << 10,
            headers: connection::USUAL_HEADERS,
            header_time: Duration::from_secs(20),
            body_time: Duration::from_secs(30),
            stall_time: Duration::from_secs(60),
            body_memory: 512 << 20,
            trusted_proxies: Vec::new(),
        }
    }
}

/// The counts that all connections share.
pub(crate) struct Gate {
    limits: GateLimits,
    rates: Rates,
    requests: AtomicUsize,
    /// Bytes of bodies that are being read.
    reading: AtomicUsize,
}

impl Gate {
    pub(crate) fn new(limits: GateLimits) -> Arc<Self> {
        let rates = Rates::new(limits.per_second);
        Arc::new(Self { limits, rates, requests: AtomicUsize::new(0), reading: AtomicUsize::new(0) })
    }

    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        match self.limits.trusted_proxies.is_empty() {
            true => peer.to_canonical(),
            false => client::behind_proxies(peer, headers, &self.limits.trusted_proxies),
        }
    }

    /// Lets a request in; it counts as under way until the place is dropped.
    fn enter(self: &Arc<Self>, client: IpAddr) -> Result<Place, ApiError> {
        // A proxy of ours on this machine that nobody has named would make one caller of all.
        if !client.is_loopback()
            && let Err(seconds) = self.rates.take(client)
        {
            return Err(ApiError::new(Code::RATE_LIMIT, "Too many requests came from this address")
                .hint("Wait as long as Retry-After says.")
                .retry_after(seconds));
        }
        let place = Place(self.clone());
        match self.requests.fetch_add(1, Ordering::Relaxed) < self.limits.requests {
            true => Ok(place),
            false => Err(ApiError::new(Code::OVERLOAD, "Too many requests are under way").hint("Try again in a moment.")),
        }
    }
}

/// A request that is under way.
struct Place(Arc<Gate>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back_whether_or_not_it_was_let_in() {
        let gate = Gate::new(GateLimits { requests: 1, ..GateLimits::default() });
        let client: IpAddr = "203.0.113.7".parse().unwrap();
        let first = gate.enter(client).unwrap();
        assert_eq!(gate.enter(client).err().unwrap().code, Code::OVERLOAD);
        drop(first);
        assert!(gate.enter(client).is_ok());
    }

    #[test]
    fn callers_on_this_machine_are_not_counted_by_the_second() {
        let gate = Gate::new(GateLimits { per_second: 1, ..GateLimits::default() });
        let tried = |text: &str| (0..50).filter(|_| gate.enter(text.parse().unwrap()).is_err()).count();
        assert_eq!(tried("127.0.0.1"), 0);
        assert!(tried("203.0.113.7") > 0);
    }
}
