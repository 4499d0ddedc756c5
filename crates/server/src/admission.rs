//! Who is let in: how many connections and requests at once, how many a second from one address,
//! and how slow they may be.

mod body;
mod client;
mod connection;
mod hosts;
mod per_address;
mod rate;

pub(crate) use body::{BodyError, BodyReservation, LARGE_BODY_BYTES, find_body_error};
pub(crate) use client::ClientAddr;
pub(crate) use connection::serve;
#[cfg(test)]
pub(crate) use hosts::WORKFLOW_PATHS;
pub use hosts::{AllowedHosts, AllowedHostsError};
pub(crate) use hosts::{HostDecision, endpoint_prefix};
pub(crate) use rate::{RateLimiter, networks};

use crate::error::ApiError;
use axum::http::HeaderMap;
use ipnet::IpNet;
use model::Code;
use per_address::{ConnectionPermit, PerAddress};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What connections, requests and callers may take of this server.
#[derive(Clone, Debug)]
pub struct AdmissionLimits {
    /// Connections at once; a further one is told to come again.
    pub connections: usize,
    /// Connections at once from one address; 0 for any number. Callers on this machine and trusted
    /// proxies are not counted; addresses that many may share have up to half of all.
    pub per_address: usize,
    /// Requests under way at once.
    pub requests: usize,
    /// Requests a second from one address, in the long run; 0 for any number.
    pub per_second: u32,
    /// The request line and the headers together.
    pub header_bytes: usize,
    pub headers: usize,
    /// How long the headers may take, and how long a connection is kept without a request.
    pub header_time: Duration,
    /// How long a body may take, besides a second for each 16 KB that have come. Time that a fast
    /// sender does not need is not saved up.
    pub body_time: Duration,
    /// How long nothing of a body may come.
    pub body_gap: Duration,
    /// How long a caller may take nothing of its answer.
    pub stall_time: Duration,
    /// Bodies that are being read, together. Those of one network have a quarter of it, and half if
    /// many may share its address.
    pub body_memory: usize,
    /// Whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
}

/// The slowest line on which a body of any allowed size still gets through.
pub(crate) const MIN_BYTES_PER_SECOND: u64 = 16 << 10;

impl Default for AdmissionLimits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            per_address: 256,
            requests: 5_000,
            per_second: 1_000,
            header_bytes: 32 << 10,
            headers: connection::DEFAULT_MAX_HEADERS,
            header_time: Duration::from_secs(20),
            body_time: Duration::from_secs(30),
            body_gap: Duration::from_secs(10),
            stall_time: Duration::from_secs(60),
            body_memory: 128 << 20,
            trusted_proxies: Vec::new(),
        }
    }
}

/// The counts that all connections share.
pub(crate) struct AdmissionControl {
    limits: AdmissionLimits,
    rates: RateLimiter,
    connected: Arc<PerAddress>,
    /// Connections that there is room for.
    capacity: usize,
    requests: AtomicUsize,
    /// Bytes of bodies that are being read, of all and by network.
    body_bytes: AtomicUsize,
    network_body_bytes: PerAddress,
}

impl AdmissionControl {
    pub(crate) fn new(limits: AdmissionLimits) -> Arc<Self> {
        let rates = RateLimiter::new(limits.per_second);
        let connected = Arc::new(PerAddress::default());
        let room = limits.connections.min(connection::room_for_connections());
        let (requests, reading) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self {
            limits,
            rates,
            connected,
            capacity: room,
            requests,
            body_bytes: reading,
            network_body_bytes: PerAddress::default(),
        })
    }

    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> ClientAddr {
        client::behind_proxies(peer, headers, &self.limits.trusted_proxies)
    }

    /// Counts a connection until what it gives is dropped; `None` if its address has too many of
    /// them.
    fn connect(&self, peer: IpAddr) -> Option<ConnectionPermit> {
        let peer = ClientAddr::peer(peer);
        let is_trusted = self.limits.trusted_proxies.iter().any(|net| net.contains(&peer.address));
        match self.limits.per_address {
            0 => Some(ConnectionPermit::exempt()),
            _ if peer.is_local() || is_trusted => Some(ConnectionPermit::exempt()),
            // A proxy that nobody has named stands for all its callers; half of the connections are
            // left to others.
            limit if peer.is_shared() => {
                self.connected.take(peer.address, limit.max(self.capacity / 2))
            }
            limit => self.connected.take(peer.address, limit),
        }
    }

    /// Counts a request against the rate of its address.
    fn count(&self, client: ClientAddr) -> Result<(), ApiError> {
        // A proxy of ours on this machine that nobody has named would make one caller of all.
        if client.is_local() {
            return Ok(());
        }
        self.rates.take(client.address).map_err(|seconds| {
            ApiError::new(Code::RATE_LIMIT, "Too many requests from this address")
                .hint("Wait as long as Retry-After says.")
                .retry_after(seconds)
        })
    }

    /// What the bodies of one network may hold at once, and those of the large network around it.
    fn body_share(&self, client: ClientAddr) -> (usize, usize) {
        let half = self.limits.body_memory / 2;
        (if client.is_shared() { half } else { half / 2 }, half)
    }

    /// Lets a request in; it counts as under way until the place is dropped. Health checks are let
    /// in beyond the limit of requests, so that a busy instance does not seem dead.
    fn enter(
        self: &Arc<Self>,
        client: ClientAddr,
        path: &str,
    ) -> Result<Option<InFlight>, ApiError> {
        self.count(client)?;
        if hosts::is_health(path) {
            return Ok(None);
        }
        let place = InFlight(self.clone());
        match self.requests.fetch_add(1, Ordering::Relaxed) < self.limits.requests {
            true => Ok(Some(place)),
            false => Err(ApiError::new(Code::OVERLOAD, "Too many requests are under way")
                .hint("Try again in a moment.")),
        }
    }
}

/// A request that is under way.
struct InFlight(Arc<AdmissionControl>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_given_back_whether_or_not_it_was_let_in() {
        let gate =
            AdmissionControl::new(AdmissionLimits { requests: 1, ..AdmissionLimits::default() });
        let client = ClientAddr::peer("203.0.113.7".parse().unwrap());
        let first = gate.enter(client, "/").unwrap();
        assert_eq!(gate.enter(client, "/").err().unwrap().code, Code::OVERLOAD);
        assert!(gate.enter(client, "/healthz").is_ok(), "a busy instance is alive");
        drop(first);
        assert!(gate.enter(client, "/").is_ok());
    }

    #[test]
    fn callers_on_this_machine_are_not_counted_by_the_second() {
        let gate =
            AdmissionControl::new(AdmissionLimits { per_second: 1, ..AdmissionLimits::default() });
        let tried = |text: &str| {
            (0..50)
                .filter(|_| gate.enter(ClientAddr::peer(text.parse().unwrap()), "/").is_err())
                .count()
        };
        assert_eq!(tried("127.0.0.1"), 0);
        assert!(tried("203.0.113.7") > 0);
    }

    #[test]
    fn issue_14_00_a_header_that_names_this_machine_spares_nobody_the_limit() {
        let trusted_proxies = vec!["10.0.0.0/8".parse().unwrap()];
        let gate = AdmissionControl::new(AdmissionLimits {
            per_second: 1,
            trusted_proxies,
            ..AdmissionLimits::default()
        });
        let headers = HeaderMap::from_iter([(
            "x-forwarded-for".parse().unwrap(),
            "127.0.0.1".parse().unwrap(),
        )]);
        let client = || gate.client("10.0.0.5".parse().unwrap(), &headers);
        assert!((0..50).filter(|_| gate.enter(client(), "/").is_err()).count() > 0);
    }

    #[test]
    fn issue_14_14_an_address_that_many_may_share_has_half_of_all_connections() {
        let gate = AdmissionControl::new(AdmissionLimits {
            connections: 20,
            per_address: 2,
            ..AdmissionLimits::default()
        });
        let connect = |text: &str| gate.connect(text.parse().unwrap());
        let shared: Vec<_> = (0..20).map_while(|_| connect("10.0.0.5")).collect();
        assert_eq!(shared.len(), 10);
        let _own: Vec<_> = (0..2).map(|_| connect("203.0.113.7").unwrap()).collect();
        assert!(connect("203.0.113.7").is_none());
        drop(shared);
        assert!(connect("10.0.0.5").is_some());
    }

    #[test]
    fn issue_14_00_networks_of_one_large_network_have_only_so_many_connections_together() {
        let gate =
            AdmissionControl::new(AdmissionLimits { per_address: 2, ..AdmissionLimits::default() });
        let connect = |host: u32| gate.connect(format!("2001:db8:1:{host:x}::1").parse().unwrap());
        let all: Vec<_> = (0..100).map_while(connect).collect();
        assert_eq!(all.len(), 16);
        drop(all);
        assert!(connect(99).is_some());
    }

    #[test]
    fn issue_14_00_health_checks_count_against_the_rate_of_their_address() {
        let gate =
            AdmissionControl::new(AdmissionLimits { per_second: 1, ..AdmissionLimits::default() });
        let refused = (0..50)
            .filter(|_| {
                gate.enter(ClientAddr::peer("203.0.113.7".parse().unwrap()), "/healthz").is_err()
            })
            .count();
        assert!(refused > 0);
    }

    #[test]
    fn issue_14_00_one_address_has_only_so_many_connections() {
        let trusted_proxies = vec!["198.51.100.0/24".parse().unwrap()];
        let gate = AdmissionControl::new(AdmissionLimits {
            per_address: 2,
            trusted_proxies,
            ..AdmissionLimits::default()
        });
        let connect = |text: &str| gate.connect(text.parse().unwrap());
        let (first, _second) =
            (connect("203.0.113.7").unwrap(), connect("::ffff:203.0.113.7").unwrap());
        assert!(connect("203.0.113.7").is_none());
        assert!(connect("203.0.113.8").is_some(), "another address has its own count");
        drop(first);
        let _third = connect("203.0.113.7").unwrap();
        assert!(connect("203.0.113.7").is_none());
        for exempt in ["127.0.0.1", "::1", "198.51.100.9"] {
            let all: Vec<_> = (0..10).map(|_| connect(exempt)).collect();
            assert!(all.iter().all(Option::is_some), "{exempt}");
        }
        let _network: Vec<_> =
            ["2001:db8::1", "2001:db8::2"].map(|text| connect(text).unwrap()).into();
        assert!(
            connect("2001:db8::3").is_none(),
            "whoever has one IPv6 address has the network around it"
        );
    }
}
