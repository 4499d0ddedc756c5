//! Passwords: what is kept of them, and whether one is right.

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Semaphore;

/// Letters of a password at least; bytes at most.
pub const MIN_LENGTH: usize = 8;
pub const MAX_BYTES: usize = 200;

/// Checks that wait for their turn in one lane; further ones are refused.
const MAX_WAITING: usize = 64;

/// Who a password is hashed for. Each hash takes 19 MB and a core, so only so many are computed at
/// a time; known devices and people with a valid link have a lane of their own, which strangers
/// cannot fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    Known,
    Anonymous,
}

struct HashQueue {
    permits: Semaphore,
    waiting: AtomicUsize,
}

static KNOWN_QUEUE: HashQueue =
    HashQueue { permits: Semaphore::const_new(1), waiting: AtomicUsize::new(0) };
static ANONYMOUS_QUEUE: HashQueue =
    HashQueue { permits: Semaphore::const_new(2), waiting: AtomicUsize::new(0) };

/// There are more passwords to check than this instance takes on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct QueueFull;

/// What is checked when there is no such person, so that it takes as long.
static DUMMY_HASH: LazyLock<String> =
    LazyLock::new(|| hash_blocking("no user has this password").unwrap_or_default());

/// What is kept of a password. Nothing if there is no memory for it.
pub async fn hash(password: String) -> Option<String> {
    KNOWN_QUEUE.run(move || hash_blocking(&password)).await.ok().flatten()
}

/// Whether a password is the one that was hashed. Takes the same time when there is none to compare
/// with.
pub(crate) async fn verify(
    password: String,
    hash: Option<String>,
    lane: Lane,
) -> Result<bool, QueueFull> {
    let check = move || {
        // Made in either case, so that the first call does not tell the two apart.
        let nobody = LazyLock::force(&DUMMY_HASH);
        let kept = hash.as_deref().unwrap_or(nobody);
        let fits = Argon2::default().verify_password(password.as_bytes(), kept).is_ok();
        fits && hash.is_some()
    };
    let turns = match lane {
        Lane::Known => &KNOWN_QUEUE,
        Lane::Anonymous => &ANONYMOUS_QUEUE,
    };
    turns.run(check).await
}

impl HashQueue {
    /// Runs heavy work on a thread that serves nobody, when it is its turn. Whoever goes away
    /// meanwhile gives up the place.
    async fn run<T: Send + 'static>(
        &'static self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, QueueFull> {
        let waiting = QueueSlot::new(&self.waiting).ok_or(QueueFull)?;
        let turn = self.permits.acquire().await.map_err(|_| QueueFull)?;
        drop(waiting);
        // The turn goes along: work that nobody waits for any more still takes its core.
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(turn);
            done
        });
        done.await.map_err(|_| QueueFull)
    }
}

struct QueueSlot(&'static AtomicUsize);

impl QueueSlot {
    fn new(count: &'static AtomicUsize) -> Option<Self> {
        let place = Self(count);
        (count.fetch_add(1, Ordering::Relaxed) < MAX_WAITING).then_some(place)
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn hash_blocking(password: &str) -> Option<String> {
    Some(Argon2::default().hash_password(password.as_bytes()).ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let kept = hash("correct horse".to_owned()).await.unwrap();
        assert!(kept.starts_with("$argon2id$") && !kept.contains("horse"));
        assert_eq!(
            verify("correct horse".to_owned(), Some(kept.clone()), Lane::Known).await,
            Ok(true)
        );
        assert_eq!(verify("correct house".to_owned(), Some(kept), Lane::Known).await, Ok(false));
    }

    #[tokio::test]
    async fn nobody_has_no_password() {
        assert_eq!(
            verify("no user has this password".to_owned(), None, Lane::Known).await,
            Ok(false)
        );
        assert_eq!(verify(String::new(), Some(String::new()), Lane::Known).await, Ok(false));
    }

    #[tokio::test]
    async fn issue_14_14_strangers_do_not_take_the_turns_of_known_devices() {
        let kept = hash("correct horse".to_owned()).await.unwrap();
        let flood = (0..MAX_WAITING * 2)
            .map(|_| verify("wrong".to_owned(), Some(kept.clone()), Lane::Anonymous));
        let flood = tokio::spawn(futures::future::join_all(flood));
        tokio::task::yield_now().await;
        assert_eq!(
            verify("correct horse".to_owned(), Some(kept.clone()), Lane::Known).await,
            Ok(true)
        );
        assert!(!flood.is_finished(), "the known device waited for all strangers");
        let ended = flood.await.unwrap();
        assert!(
            ended.contains(&Err(QueueFull)) && ended.contains(&Ok(false)),
            "a flood is bounded, not locked out"
        );
        assert_eq!(verify("correct horse".to_owned(), Some(kept), Lane::Anonymous).await, Ok(true));
    }
}
