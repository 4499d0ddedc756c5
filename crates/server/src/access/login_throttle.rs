//! Slows down guessing: past the first few attempts from one place, each has to wait twice as long
//! as the one before.
//!
//! Invariant: nothing is counted by account alone. Attempts are counted by account and network
//! together, or by a device that has signed in to the account before, so a stranger elsewhere keeps
//! nobody from signing in. Tokens of links cannot be guessed, so wrong ones are only limited in
//! rate.
//!
//! What is left: whoever shares an address with the one who guesses shares the waits on the account
//! that is guessed at. Where that may be everybody, because a proxy was not named or the address is
//! a private one, waits are short and other accounts are not touched; but a flood of guesses can
//! still take every turn of one account there. Known devices get past it, and naming the proxy ends
//! it.

use crate::admission::{ClientAddr, RateLimiter, networks};
use crate::error::ApiError;
use model::Code;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Attempts without a wait, on one account and on all of them.
const FREE_PER_ACCOUNT: u32 = 5;
const FREE_PER_NETWORK: u32 = 20;
/// How long the first attempt after those waits.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const MAX_WAIT: Duration = Duration::from_secs(2 * 60);
/// Where a proxy that nobody has named may stand for everybody.
const MAX_SHARED_WAIT: Duration = Duration::from_secs(5);
/// After so long without an attempt the count starts anew.
const RESET_AFTER: Duration = Duration::from_secs(15 * 60);
/// Places that are remembered at most, and how many of the oldest are forgotten when there are
/// more.
const MAX_ENTRIES: usize = 10_000;
const EVICTION_BATCH: usize = 1_000;
/// Tokens of invitations and of the set-up that one address may try in a second, twice that at
/// once.
const TOKENS_PER_SECOND: u32 = 10;
/// How often somebody can sign in in the long run, and for how long they can do it faster: each
/// check takes a turn from others.
const SIGN_IN_INTERVAL: Duration = Duration::from_secs(1);
const SIGN_IN_BURST: Duration = Duration::from_secs(10);

/// Where an attempt to sign in comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AttemptSource {
    /// A browser that has signed in to the account before.
    Device(String),
    Address(ClientAddr),
}

/// Attempts to sign in.
pub(crate) struct LoginThrottle {
    attempts: Mutex<HashMap<ThrottleKey, AttemptCount>>,
    tokens: RateLimiter,
    /// Right passwords, by person.
    successes: RateLimiter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum ThrottleKey {
    /// An account as somebody wrote it, and a network.
    Account(String, u128),
    Network(u128),
    Device(String),
}

#[derive(Clone, Copy)]
struct AttemptCount {
    count: u32,
    last: Instant,
}

impl Default for LoginThrottle {
    fn default() -> Self {
        let right = RateLimiter::with_interval(SIGN_IN_INTERVAL, SIGN_IN_BURST);
        Self {
            attempts: Mutex::default(),
            tokens: RateLimiter::new(TOKENS_PER_SECOND),
            successes: right,
        }
    }
}

impl LoginThrottle {
    /// Counts an attempt before it is looked at, so that many at once do not slip through together.
    pub(crate) fn record_attempt(
        &self,
        account: &str,
        source: &AttemptSource,
    ) -> Result<(), ApiError> {
        self.record_attempt_at(account, source, Instant::now())
    }

    fn record_attempt_at(
        &self,
        account: &str,
        source: &AttemptSource,
        now: Instant,
    ) -> Result<(), ApiError> {
        let mut seen = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        let keys = throttle_keys(account, source);
        let longest = match source {
            AttemptSource::Address(client) if client.is_shared() => MAX_SHARED_WAIT,
            _ => MAX_WAIT,
        };
        for (key, free) in &keys {
            let wait = seen.get(key).map_or(Duration::ZERO, |seen| {
                backoff(seen.count, *free)
                    .min(longest)
                    .saturating_sub(now.saturating_duration_since(seen.last))
            });
            if !wait.is_zero() {
                let seconds = wait.as_secs() + 1;
                let message = format!("Too many sign-in attempts; try again in {seconds} seconds");
                return Err(ApiError::new(Code::ACCESS_ATTEMPTS, message).retry_after(seconds));
            }
        }
        if seen.len() + keys.len() > MAX_ENTRIES {
            evict(&mut seen, now);
        }
        for (key, _) in keys {
            let known = seen.entry(key).or_insert(AttemptCount { count: 0, last: now });
            if now.saturating_duration_since(known.last) >= RESET_AFTER {
                known.count = 0;
            }
            *known = AttemptCount { count: known.count.saturating_add(1), last: now };
        }
        Ok(())
    }

    /// It was the right password after all. Somebody who signs in again and again is refused; their
    /// attempts then count like wrong ones, so that the next is refused before it takes a turn.
    /// Only whoever knows the password gets there.
    pub(crate) fn record_success(
        &self,
        account: &str,
        user_id: &str,
        source: &AttemptSource,
    ) -> Result<(), ApiError> {
        self.successes.take_for(user_id).map_err(|seconds| {
            ApiError::new(Code::ACCESS_ATTEMPTS, "This user has signed in too often")
                .retry_after(seconds)
        })?;
        let mut seen = self.attempts.lock().unwrap_or_else(PoisonError::into_inner);
        for (key, _) in throttle_keys(account, source) {
            match seen.get_mut(&key) {
                Some(known) if matches!(key, ThrottleKey::Network(_)) => {
                    known.count = known.count.saturating_sub(1)
                }
                _ => drop(seen.remove(&key)),
            }
        }
        Ok(())
    }

    /// Counts a try of a token that nobody can guess.
    pub(crate) fn throttle_token(&self, client: ClientAddr) -> Result<(), ApiError> {
        if client.is_shared() {
            return Ok(());
        }
        self.tokens.take(client.address).map_err(|seconds| {
            ApiError::new(Code::ACCESS_ATTEMPTS, "Too many links were tried from this address")
                .retry_after(seconds)
        })
    }
}

/// What an attempt counts against, each with how many are free.
fn throttle_keys(account: &str, source: &AttemptSource) -> Vec<(ThrottleKey, u32)> {
    match source {
        AttemptSource::Device(device) => {
            vec![(ThrottleKey::Device(device.clone()), FREE_PER_ACCOUNT)]
        }
        AttemptSource::Address(client) => {
            let account: String = account.to_lowercase().chars().take(320).collect();
            let of_account = |(network, times): (u128, u32)| {
                (ThrottleKey::Account(account.clone(), network), FREE_PER_ACCOUNT * times)
            };
            let of_network = |(network, times): (u128, u32)| {
                (ThrottleKey::Network(network), FREE_PER_NETWORK * times)
            };
            let all_accounts =
                networks(client.address).map(of_network).filter(|_| !client.is_shared());
            networks(client.address).map(of_account).chain(all_accounts).collect()
        }
    }
}

fn backoff(count: u32, free: u32) -> Duration {
    match count.checked_sub(free) {
        None => Duration::ZERO,
        Some(over) => FIRST_WAIT * (1 << over.min(10)),
    }
}

/// Makes room: first what does not count any more, then the oldest.
fn evict(seen: &mut HashMap<ThrottleKey, AttemptCount>, now: Instant) {
    seen.retain(|_, seen| now.saturating_duration_since(seen.last) < RESET_AFTER);
    if seen.len() + EVICTION_BATCH > MAX_ENTRIES {
        let mut moments: Vec<Instant> = seen.values().map(|seen| seen.last).collect();
        let (_, oldest, _) = moments.select_nth_unstable(EVICTION_BATCH.min(seen.len() - 1));
        let oldest = *oldest;
        seen.retain(|_, seen| seen.last > oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(text: &str) -> AttemptSource {
        AttemptSource::Address(ClientAddr::peer(text.parse().unwrap()))
    }

    #[test]
    fn waits_grow_and_end() {
        let attempts = LoginThrottle::default();
        let (start, there) = (Instant::now(), from("203.0.113.7"));
        for _ in 0..FREE_PER_ACCOUNT {
            attempts.record_attempt_at("a@b.c", &there, start).unwrap();
        }
        assert_eq!(
            attempts.record_attempt_at("A@B.C", &there, start).unwrap_err().retry_after,
            Some(2)
        );
        attempts.record_attempt_at("other@b.c", &there, start).unwrap();
        let mut later = start;
        for seconds in [1, 2, 4, 8, 16, 32, 64, 120, 120] {
            later += Duration::from_secs(seconds);
            attempts.record_attempt_at("a@b.c", &there, later).unwrap();
            assert!(attempts.record_attempt_at("a@b.c", &there, later).is_err());
        }
        attempts.record_attempt_at("a@b.c", &there, later + RESET_AFTER).unwrap();
        attempts.record_attempt_at("a@b.c", &there, later + RESET_AFTER).unwrap();
    }

    #[test]
    fn issue_14_14_a_stranger_locks_nobody_else_out() {
        let attempts = LoginThrottle::default();
        let start = Instant::now();
        for _ in 0..1000 {
            let _ = attempts.record_attempt_at("a@b.c", &from("203.0.113.7"), start);
        }
        assert!(attempts.record_attempt_at("a@b.c", &from("203.0.113.7"), start).is_err());
        attempts.record_attempt_at("a@b.c", &from("203.0.113.8"), start).unwrap();
        attempts
            .record_attempt_at("a@b.c", &AttemptSource::Device("known".to_owned()), start)
            .unwrap();
        assert!(
            attempts.record_attempt_at("a@b.c", &from("::ffff:203.0.113.7"), start).is_err(),
            "the same address written otherwise"
        );
    }

    #[test]
    fn a_network_of_the_newer_kind_counts_as_one() {
        let attempts = LoginThrottle::default();
        let start = Instant::now();
        for host in 1..=FREE_PER_ACCOUNT {
            attempts
                .record_attempt_at("a@b.c", &from(&format!("2001:db8::{host}")), start)
                .unwrap();
        }
        assert!(attempts.record_attempt_at("a@b.c", &from("2001:db8::ffff"), start).is_err());
        attempts.record_attempt_at("a@b.c", &from("2001:db8:0:1::1"), start).unwrap();
    }

    #[test]
    fn waits_are_short_where_a_proxy_may_stand_for_everybody() {
        let attempts = LoginThrottle::default();
        let mut now = Instant::now();
        for _ in 0..50 {
            attempts.record_attempt_at("a@b.c", &from("127.0.0.1"), now).unwrap();
            now += MAX_SHARED_WAIT;
        }
    }

    #[test]
    fn issue_14_14_a_stranger_behind_a_shared_address_keeps_no_other_account_out() {
        for shared in ["172.18.0.2", "10.0.0.5", "192.168.1.1", "100.64.0.7", "fd00::1", "fe80::1"]
        {
            let attempts = LoginThrottle::default();
            let start = Instant::now();
            for number in 0..1000 {
                let _ = attempts.record_attempt_at(
                    &format!("{}@b.c", number % 50),
                    &from(shared),
                    start,
                );
            }
            attempts.record_attempt_at("owner@b.c", &from(shared), start).unwrap();
            assert!(
                attempts.record_attempt_at("7@b.c", &from(shared), start).is_err(),
                "an account that is guessed at waits"
            );
            attempts.record_attempt_at("7@b.c", &from(shared), start + MAX_SHARED_WAIT).unwrap();
            for _ in 0..1000 {
                attempts.throttle_token(ClientAddr::peer(shared.parse().unwrap())).unwrap();
            }
        }
    }

    #[test]
    fn issue_14_00_guesses_from_all_networks_of_a_large_one_count_together() {
        let attempts = LoginThrottle::default();
        let start = Instant::now();
        let guess = |network: u32| {
            attempts.record_attempt_at("a@b.c", &from(&format!("2001:db8:1:{network:x}::1")), start)
        };
        assert_eq!(
            (0..1000).filter(|network| guess(*network).is_ok()).count(),
            8 * FREE_PER_ACCOUNT as usize
        );
        attempts.record_attempt_at("a@b.c", &from("2001:db8:2::1"), start).unwrap();
    }

    #[test]
    fn issue_14_14_whoever_signs_in_again_and_again_is_slowed_down() {
        let attempts = LoginThrottle::default();
        let source = AttemptSource::Device("known".to_owned());
        let sign_in = || {
            attempts
                .record_attempt("a@b.c", &source)
                .and_then(|()| attempts.record_success("a@b.c", "u1", &source))
        };
        let taken = (0..1000).filter(|_| sign_in().is_ok()).count();
        assert!((10..=20).contains(&taken), "{taken}");
        assert!(
            attempts.record_attempt("a@b.c", &source).is_err(),
            "the next is refused before it is looked at"
        );
        let other = AttemptSource::Device("other".to_owned());
        attempts.record_attempt("b@b.c", &other).unwrap();
        attempts.record_success("b@b.c", "u2", &other).unwrap();
    }

    #[test]
    fn an_address_that_tries_many_accounts_is_slowed_down() {
        let attempts = LoginThrottle::default();
        let start = Instant::now();
        for index in 0..FREE_PER_NETWORK {
            attempts
                .record_attempt_at(&format!("{index}@b.c"), &from("203.0.113.7"), start)
                .unwrap();
        }
        assert!(attempts.record_attempt_at("new@b.c", &from("203.0.113.7"), start).is_err());
    }

    #[test]
    fn success_clears_the_account() {
        let attempts = LoginThrottle::default();
        for source in [from("203.0.113.7"), AttemptSource::Device("known".to_owned())] {
            for number in 0..50 {
                attempts.record_attempt("a@b.c", &source).unwrap();
                attempts.record_success("a@b.c", &format!("u{}", number / 5), &source).unwrap();
            }
        }
    }

    #[test]
    fn issue_14_14_tokens_are_limited_in_rate_for_each_address_alone() {
        let attempts = LoginThrottle::default();
        let tried = |text: &str| {
            (0..1000)
                .filter(|_| {
                    attempts.throttle_token(ClientAddr::peer(text.parse().unwrap())).is_err()
                })
                .count()
        };
        assert!(tried("203.0.113.7") > 900);
        attempts.throttle_token(ClientAddr::peer("203.0.113.8".parse().unwrap())).unwrap();
    }

    #[test]
    fn memory_is_bounded() {
        let attempts = LoginThrottle::default();
        let start = Instant::now();
        for index in 0..MAX_ENTRIES as u32 * 2 {
            let _ = attempts.record_attempt_at(
                "a",
                &AttemptSource::Address(ClientAddr::peer(std::net::IpAddr::V4(index.into()))),
                start,
            );
        }
        let held = attempts.attempts.lock().unwrap().len();
        assert!(held > 0 && held <= MAX_ENTRIES, "{held}");
    }
}
