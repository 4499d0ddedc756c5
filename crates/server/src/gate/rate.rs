//! How many requests a second come from one address, on average.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Locks that callers are spread over.
const SHARDS: usize = 64;

/// Addresses that one shard remembers. What comes beyond them shares one count, so that memory stays bounded.
const REMEMBERED: usize = 2_048;

/// Requests that may come at once, as seconds of the rate.
const BURST_SECONDS: u64 = 2;

const SECOND: u64 = 1_000_000_000;

/// For each caller the moment at which what it has sent would be due at the allowed rate; nothing else needs to be kept.
pub(super) struct Rates {
    shards: Vec<Mutex<HashMap<u128, u64>>>,
    hasher: RandomState,
    began: Instant,
    /// Nanoseconds between two requests at the allowed rate; 0 for no limit.
    interval: u64,
    burst: u64,
}

/// Stands for all callers that are too many to remember.
const THE_OTHERS: u128 = 0;

impl Rates {
    pub(super) fn new(per_second: u32) -> Self {
        let interval = if per_second == 0 { 0 } else { SECOND / u64::from(per_second) };
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            hasher: RandomState::new(),
            began: Instant::now(),
            interval,
            burst: BURST_SECONDS * SECOND,
        }
    }

    /// Counts a request; refused with the seconds after which another one is taken.
    pub(super) fn take(&self, client: IpAddr) -> Result<(), u64> {
        match self.interval {
            0 => Ok(()),
            _ => self.take_at(client, self.began.elapsed().as_nanos() as u64),
        }
    }

    fn take_at(&self, client: IpAddr, now: u64) -> Result<(), u64> {
        let key = key(client);
        let place = self.hasher.hash_one(key) as usize % SHARDS;
        let Some(shard) = self.shards.get(place) else { return Ok(()) };
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !shard.contains_key(&key);
        if is_new && shard.len() >= REMEMBERED {
            shard.retain(|_, due| *due > now);
        }
        let key = if is_new && shard.len() >= REMEMBERED { THE_OTHERS } else { key };
        let due = shard.entry(key).or_insert(now);
        let from = (*due).max(now);
        if from + self.interval > now + self.burst {
            return Err((from + self.interval - now - self.burst).div_ceil(SECOND).max(1));
        }
        *due = from + self.interval;
        Ok(())
    }
}

/// Whoever has one IPv6 address has the network around it.
fn key(client: IpAddr) -> u128 {
    match client.to_canonical() {
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
        IpAddr::V6(address) => ((address.to_bits() >> 64) << 64) | 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_burst_is_taken_and_then_as_many_as_the_rate_allows() {
        let rates = Rates::new(10);
        let taken = |now: u64| (0..100).filter(|_| rates.take_at(address("192.0.2.1"), now).is_ok()).count();
        assert_eq!(taken(0), 20);
        assert_eq!(taken(0), 0);
        assert_eq!(taken(SECOND), 10);
        assert_eq!(rates.take_at(address("192.0.2.1"), SECOND), Err(1));
        assert!(rates.take_at(address("192.0.2.2"), SECOND).is_ok(), "another address has its own count");
        assert_eq!(taken(100 * SECOND), 20, "what was not used is not saved up");
    }

    #[test]
    fn addresses_of_one_network_count_as_one() {
        let rates = Rates::new(1);
        assert!(rates.take_at(address("2001:db8::1"), 0).is_ok());
        assert!(rates.take_at(address("2001:db8::2"), 0).is_ok());
        assert!(rates.take_at(address("2001:db8::3"), 0).is_err());
        assert!(rates.take_at(address("2001:db8:0:1::1"), 0).is_ok());
        assert_eq!(key(address("::ffff:192.0.2.1")), key(address("192.0.2.1")));
    }

    #[test]
    fn a_flood_of_addresses_is_remembered_only_so_far() {
        let rates = Rates::new(100);
        for number in 0..400_000_u32 {
            let _ = rates.take_at(IpAddr::from(number.to_be_bytes()), 0);
        }
        let held: usize = rates.shards.iter().map(|shard| shard.lock().unwrap().len()).sum();
        assert!(held <= SHARDS * (REMEMBERED + 1), "{held}");
        assert!(rates.take_at(address("203.0.113.9"), 60 * SECOND).is_ok(), "old ones are forgotten when room is needed");
    }

    #[test]
    fn zero_is_no_limit() {
        let rates = Rates::new(0);
        assert!((0..10_000).all(|_| rates.take(address("192.0.2.1")).is_ok()));
    }
}
