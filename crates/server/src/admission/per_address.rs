//! How much one address has of something: connections that are open, bytes of bodies that are being
//! read.

use super::rate::networks;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

/// Amounts by network. Two entries for each connection or request at most, so the limits on those
/// bound it.
#[derive(Default)]
pub(super) struct PerAddress {
    counts: Mutex<HashMap<u128, usize>>,
}

impl PerAddress {
    /// Counts a connection of an address that may have so many; `None` if that is one too many.
    pub(super) fn take(
        self: &Arc<Self>,
        address: IpAddr,
        limit: usize,
    ) -> Option<ConnectionPermit> {
        let is_counted = self.add(address, 1, |times| limit.saturating_mul(times));
        is_counted.then(|| ConnectionPermit(Some((self.clone(), address))))
    }

    /// Counts an amount unless that is too much for a network of the address. The limit is told how
    /// many times the usual allowance the network has.
    pub(super) fn add(
        &self,
        address: IpAddr,
        amount: usize,
        limit: impl Fn(usize) -> usize,
    ) -> bool {
        let mut amounts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let is_over = |(network, times): (u128, u32)| {
            let before = amounts.get(&network).copied().unwrap_or_default();
            before.saturating_add(amount) > limit(times as usize)
        };
        if networks(address).any(is_over) {
            return false;
        }
        for (network, _) in networks(address) {
            *amounts.entry(network).or_insert(0) += amount;
        }
        true
    }

    /// Takes back what was counted.
    pub(super) fn remove(&self, address: IpAddr, amount: usize) {
        let mut amounts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (network, _) in networks(address) {
            if let Some(count) = amounts.get_mut(&network) {
                *count = count.saturating_sub(amount);
                if *count == 0 {
                    amounts.remove(&network);
                }
            }
        }
    }
}

/// A connection that is counted until this is dropped.
pub(super) struct ConnectionPermit(Option<(Arc<PerAddress>, IpAddr)>);

impl ConnectionPermit {
    /// A connection that nobody counts.
    pub(super) fn exempt() -> Self {
        Self(None)
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        if let Some((all, address)) = &self.0 {
            all.remove(*address, 1);
        }
    }
}
