//! Slows down whoever guesses passwords: every attempt past the first few has to wait twice as long as the one before.

use crate::error::ApiError;
use model::Code;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Attempts without a wait.
const FREE_PER_ACCOUNT: u32 = 5;
const FREE_PER_ADDRESS: u32 = 20;
/// How long the first attempt after those waits.
const FIRST_WAIT: Duration = Duration::from_secs(10);
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
/// Names that are remembered at most; the oldest are forgotten first.
const MOST: usize = 10_000;

/// Attempts to sign in, by account and by address.
#[derive(Default)]
pub(crate) struct Attempts {
    seen: Mutex<HashMap<String, Seen>>,
}

#[derive(Clone, Copy)]
struct Seen {
    count: u32,
    last: Instant,
}

impl Attempts {
    /// Counts an attempt before it is looked at, so that many at once do not slip through together.
    pub(crate) fn begin(&self, account: &str, address: Option<IpAddr>) -> Result<(), ApiError> {
        self.begin_at(account, address, Instant::now())
    }

    fn begin_at(&self, account: &str, address: Option<IpAddr>, now: Instant) -> Result<(), ApiError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let names = [(account_name(account), FREE_PER_ACCOUNT), (address_name(address), FREE_PER_ADDRESS)];
        for (name, free) in &names {
            let wait = seen.get(name).map_or(Duration::ZERO, |seen| wait(seen.count, *free).saturating_sub(now.duration_since(seen.last)));
            if !wait.is_zero() {
                let seconds = wait.as_secs() + 1;
                let message = format!("Too many attempts to sign in; try again in {seconds} seconds");
                return Err(ApiError::new(Code::ACCESS_ATTEMPTS, message).retry_after(seconds));
            }
        }
        if seen.len() + names.len() > MOST {
            seen.retain(|_, seen| now.duration_since(seen.last) < LONGEST_WAIT);
        }
        while seen.len() + names.len() > MOST {
            let Some(oldest) = seen.iter().min_by_key(|(_, seen)| seen.last).map(|(name, _)| name.clone()) else { break };
            seen.remove(&oldest);
        }
        for (name, _) in names {
            let known = seen.entry(name).or_insert(Seen { count: 0, last: now });
            if now.duration_since(known.last) >= LONGEST_WAIT {
                known.count = 0;
            }
            *known = Seen { count: known.count.saturating_add(1), last: now };
        }
        Ok(())
    }

    /// It was the right password after all.
    pub(crate) fn succeeded(&self, account: &str, address: Option<IpAddr>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.remove(&account_name(account));
        if let Some(known) = seen.get_mut(&address_name(address)) {
            known.count = known.count.saturating_sub(1);
        }
    }
}

fn wait(count: u32, free: u32) -> Duration {
    match count.checked_sub(free) {
        None => Duration::ZERO,
        Some(over) => (FIRST_WAIT * (1 << over.min(10))).min(LONGEST_WAIT),
    }
}

fn account_name(account: &str) -> String {
    format!("account {}", account.to_lowercase().chars().take(320).collect::<String>())
}

fn address_name(address: Option<IpAddr>) -> String {
    match address.map(|address| address.to_canonical()) {
        // Whoever has one address of the newer kind has the whole network.
        Some(IpAddr::V6(address)) => format!("network {:x?}", &address.segments()[..4]),
        Some(IpAddr::V4(address)) => format!("address {address}"),
        None => "address unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    #[test]
    fn waits_grow_and_end() {
        let attempts = Attempts::default();
        let start = Instant::now();
        for _ in 0..FREE_PER_ACCOUNT {
            attempts.begin_at("a@b.c", HERE, start).unwrap();
        }
        assert_eq!(attempts.begin_at("A@B.C", HERE, start).unwrap_err().retry_after, Some(11));
        attempts.begin_at("other@b.c", HERE, start).unwrap();
        let later = start + FIRST_WAIT;
        attempts.begin_at("a@b.c", HERE, later).unwrap();
        assert_eq!(attempts.begin_at("a@b.c", HERE, later).unwrap_err().retry_after, Some(21));
        attempts.begin_at("a@b.c", HERE, later + LONGEST_WAIT).unwrap();
        attempts.begin_at("a@b.c", HERE, later + LONGEST_WAIT).unwrap();
    }

    #[test]
    fn an_address_that_tries_many_accounts_is_slowed_down() {
        let attempts = Attempts::default();
        let start = Instant::now();
        for index in 0..FREE_PER_ADDRESS {
            attempts.begin_at(&format!("{index}@b.c"), HERE, start).unwrap();
        }
        assert!(attempts.begin_at("new@b.c", HERE, start).is_err());
    }

    #[test]
    fn success_clears_the_account() {
        let attempts = Attempts::default();
        for _ in 0..50 {
            attempts.begin("a@b.c", HERE).unwrap();
            attempts.succeeded("a@b.c", HERE);
        }
    }

    #[test]
    fn memory_is_bounded() {
        let attempts = Attempts::default();
        let start = Instant::now();
        for index in 0..MOST as u32 + 500 {
            let address = Some(IpAddr::V4(index.into()));
            attempts.begin_at("a", address, start + LONGEST_WAIT * index).unwrap();
        }
        assert!(attempts.seen.lock().unwrap().len() <= MOST);
    }
}
