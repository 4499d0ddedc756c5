//! Locks by key: runs that are being resumed or stopped, deliveries that are being received,
//! triggers that are polled.
//!
//! Invariant: a key is free again when its guard is dropped, wherever that was moved to. Work that
//! must come to its end although its caller has gone takes the guard along into a task of its own.

use crate::lock;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};
use tokio::sync::OwnedMutexGuard;

/// Whoever waits for a key is woken in turn, and nobody else is.
pub(crate) struct KeyLocks<K>(Arc<Shared<K>>);

/// The lock of each key that somebody has or waits for, and how many those are.
type Shared<K> = Mutex<HashMap<K, (Arc<tokio::sync::Mutex<()>>, usize)>>;

impl<K> Default for KeyLocks<K> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K: Eq + Hash + Clone> KeyLocks<K> {
    /// Locks a key; `None` if somebody has it.
    pub(crate) fn try_lock(&self, key: K) -> Option<KeyGuard<K>> {
        let (mutex, interest) = self.interest(key);
        mutex.try_lock_owned().ok().map(|held| KeyGuard { _held: held, interest })
    }

    /// Locks a key once nobody else has it.
    pub(crate) async fn lock(&self, key: K) -> KeyGuard<K> {
        let (mutex, interest) = self.interest(key);
        KeyGuard { _held: mutex.lock_owned().await, interest }
    }

    fn interest(&self, key: K) -> (Arc<tokio::sync::Mutex<()>>, Interest<K>) {
        let mut locks = lock(&self.0);
        let (mutex, users) = locks.entry(key.clone()).or_default();
        *users += 1;
        (mutex.clone(), Interest { shared: self.0.clone(), key })
    }
}

/// A key that nobody else has.
#[must_use = "the key is released when this is dropped"]
pub(crate) struct KeyGuard<K: Eq + Hash> {
    // Given back before the interest in it: the lock of a key is forgotten only when nobody has it.
    _held: OwnedMutexGuard<()>,
    interest: Interest<K>,
}

impl<K: Eq + Hash> KeyGuard<K> {
    pub(crate) fn key(&self) -> &K {
        &self.interest.key
    }
}

/// Keeps the lock of a key while somebody has it or waits for it.
struct Interest<K: Eq + Hash> {
    shared: Arc<Shared<K>>,
    key: K,
}

impl<K: Eq + Hash> Drop for Interest<K> {
    fn drop(&mut self) {
        let mut locks = lock(&self.shared);
        if let Some((_, users)) = locks.get_mut(&self.key) {
            *users -= 1;
            if *users == 0 {
                locks.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt as _;

    #[tokio::test]
    async fn a_key_is_free_again_when_its_guard_is_dropped_wherever_that_is() {
        let locks = KeyLocks::default();
        let first = locks.try_lock(7).unwrap();
        assert!(locks.try_lock(7).is_none() && locks.try_lock(8).is_some());
        let next = locks.lock(7);
        let mut next = std::pin::pin!(next);
        assert!(next.as_mut().now_or_never().is_none());
        let task = tokio::spawn(async move {
            let _guard = first;
            std::future::pending::<()>().await;
        });
        tokio::task::yield_now().await;
        task.abort();
        assert_eq!(*next.await.key(), 7);
        assert!(locks.try_lock(7).is_some());
    }

    #[tokio::test]
    async fn nothing_is_kept_of_keys_that_nobody_waits_for() {
        let locks = KeyLocks::default();
        let first = locks.lock("a").await;
        {
            let gives_up = locks.lock("a");
            assert!(gives_up.now_or_never().is_none());
        }
        assert!(locks.try_lock("a").is_none());
        assert_eq!(lock(&locks.0).len(), 1);
        drop(first);
        assert!(lock(&locks.0).is_empty());
    }
}
