//! How many requests come from one address or person in a time, on average.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Locks that callers are spread over.
const SHARDS: usize = 64;

/// Addresses that one shard remembers. What comes beyond them shares one count, so that memory
/// stays bounded.
const MAX_ENTRIES: usize = 2_048;

/// Requests that may come at once, as seconds of the rate.
const BURST_SECONDS: u64 = 2;

const SECOND: u64 = 1_000_000_000;

/// For each caller the moment at which what it has sent would be due at the allowed rate; nothing
/// else needs to be kept.
pub(crate) struct RateLimiter {
    shards: Vec<Mutex<HashMap<u128, u64>>>,
    hasher: RandomState,
    started: Instant,
    /// Nanoseconds between two requests at the allowed rate; 0 for no limit.
    interval: u64,
    burst: u64,
}

/// Stands for all callers that are too many to remember.
const OVERFLOW_KEY: u128 = 0;

/// Ends the keys of callers that are known by something else; no address ends so.
const NON_ADDRESS_SUFFIX: u128 = 2;

impl RateLimiter {
    pub(crate) fn new(per_second: u32) -> Self {
        let interval = if per_second == 0 { 0 } else { SECOND / u64::from(per_second) };
        Self::with_interval(Duration::from_nanos(interval), Duration::from_secs(BURST_SECONDS))
    }

    /// One in each interval, and as many at once as would be due within the burst.
    pub(crate) fn with_interval(interval: Duration, burst: Duration) -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            started: Instant::now(),
            interval: interval.as_nanos() as u64,
            burst: burst.as_nanos() as u64,
        }
    }

    /// Counts a request; refused with the seconds after which another one is taken.
    pub(crate) fn take(&self, client: IpAddr) -> Result<(), u64> {
        match self.interval {
            0 => Ok(()),
            _ => networks(client)
                .try_for_each(|(network, times)| self.take_at(network, times, self.now())),
        }
    }

    /// The same for callers that are known by something else than their address.
    pub(crate) fn take_for(&self, caller: &(impl Hash + ?Sized)) -> Result<(), u64> {
        let key = (u128::from(self.hasher.hash_one(caller)) << 64) | NON_ADDRESS_SUFFIX;
        self.take_at(key, 1, self.now())
    }

    fn now(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// `times` is how many times the usual rate is allowed.
    fn take_at(&self, key: u128, times: u32, now: u64) -> Result<(), u64> {
        let interval = self.interval / u64::from(times);
        let place = self.hasher.hash_one(key) as usize % SHARDS;
        let Some(shard) = self.shards.get(place) else { return Ok(()) };
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !shard.contains_key(&key);
        if is_new && shard.len() >= MAX_ENTRIES {
            shard.retain(|_, due| *due > now);
        }
        let key = if is_new && shard.len() >= MAX_ENTRIES { OVERFLOW_KEY } else { key };
        let due = shard.entry(key).or_insert(now);
        let from = (*due).max(now);
        if from + interval > now + self.burst {
            return Err((from + interval - now - self.burst).div_ceil(SECOND).max(1));
        }
        *due = from + interval;
        Ok(())
    }
}

/// Ends the keys of large networks.
const LARGE_NETWORK_SUFFIX: u128 = 3;

/// How many times the allowance of one network a large one has.
const LARGE_NETWORK_TIMES: u32 = 8;

/// What an address is counted by, each with how many times the usual allowance it has. Whoever has
/// one IPv6 address has the network around it (/64), and many have 65,536 of those (/48).
pub(crate) fn networks(client: IpAddr) -> impl Iterator<Item = (u128, u32)> {
    let (own, large) = match client.to_canonical() {
        IpAddr::V4(address) => (address.to_ipv6_mapped().to_bits(), None),
        IpAddr::V6(address) => {
            let bits = address.to_bits();
            (((bits >> 64) << 64) | 1, Some(((bits >> 80) << 80) | LARGE_NETWORK_SUFFIX))
        }
    };
    std::iter::once((own, 1)).chain(large.map(|large| (large, LARGE_NETWORK_TIMES)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn address(text: &str) -> u128 {
        networks(ip(text)).next().unwrap().0
    }

    #[test]
    fn a_burst_is_taken_and_then_as_many_as_the_rate_allows() {
        let rates = RateLimiter::new(10);
        let taken = |now: u64| {
            (0..100).filter(|_| rates.take_at(address("192.0.2.1"), 1, now).is_ok()).count()
        };
        assert_eq!(taken(0), 20);
        assert_eq!(taken(0), 0);
        assert_eq!(taken(SECOND), 10);
        assert_eq!(rates.take_at(address("192.0.2.1"), 1, SECOND), Err(1));
        assert!(
            rates.take_at(address("192.0.2.2"), 1, SECOND).is_ok(),
            "another address has its own count"
        );
        assert_eq!(taken(100 * SECOND), 20, "what was not used is not saved up");
    }

    #[test]
    fn addresses_of_one_network_count_as_one() {
        let rates = RateLimiter::new(1);
        assert!(rates.take_at(address("2001:db8::1"), 1, 0).is_ok());
        assert!(rates.take_at(address("2001:db8::2"), 1, 0).is_ok());
        assert!(rates.take_at(address("2001:db8::3"), 1, 0).is_err());
        assert!(rates.take_at(address("2001:db8:0:1::1"), 1, 0).is_ok());
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
    }

    #[test]
    fn issue_14_00_networks_of_one_large_network_count_together_too() {
        let rates = RateLimiter::new(1);
        let taken = |site: &str| {
            (0..100_u32)
                .filter(|host| rates.take(ip(&format!("2001:db8:{site}:{host:x}::1"))).is_ok())
                .count()
        };
        let of_one = taken("1");
        assert!((16..=20).contains(&of_one), "{of_one}");
        assert!(rates.take(ip("2001:db8:2:1::1")).is_ok(), "another site has its own count");
        assert_eq!(networks(ip("192.0.2.1")).count(), 1);
    }

    #[test]
    fn a_flood_of_addresses_is_remembered_only_so_far() {
        let rates = RateLimiter::new(100);
        for number in 0..400_000_u32 {
            let _ = rates.take(IpAddr::from(number.to_be_bytes()));
        }
        let held: usize = rates.shards.iter().map(|shard| shard.lock().unwrap().len()).sum();
        assert!(held <= SHARDS * (MAX_ENTRIES + 1), "{held}");
        assert!(
            rates.take_at(address("203.0.113.9"), 1, 60 * SECOND).is_ok(),
            "old ones are forgotten when room is needed"
        );
    }

    #[test]
    fn zero_is_no_limit() {
        let rates = RateLimiter::new(0);
        assert!((0..10_000).all(|_| rates.take(ip("192.0.2.1")).is_ok()));
    }

    #[test]
    fn callers_known_by_a_name_have_counts_of_their_own() {
        let rates = RateLimiter::with_interval(Duration::from_secs(60), Duration::from_secs(180));
        assert_eq!((0..10).filter(|_| rates.take_for("ada").is_ok()).count(), 3);
        assert!(rates.take_for("ada").is_err_and(|seconds| (1..=60).contains(&seconds)));
        assert!(rates.take_for("bob").is_ok());
    }
}
