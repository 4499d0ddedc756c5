//! Passwords: what is kept of them, and whether one is right.

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use std::sync::LazyLock;
use tokio::sync::Semaphore;

/// Letters of a password at least; bytes at most.
pub const SHORTEST: usize = 8;
pub const LONGEST: usize = 200;

/// Each hash takes 19 MB and a core, so only so many are computed at a time.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// What is checked when there is no such person, so that it takes as long.
static NOBODY: LazyLock<String> = LazyLock::new(|| hash_now("nobody has this password").unwrap_or_default());

/// What is kept of a password. Nothing if there is no memory for it.
pub async fn hash(password: String) -> Option<String> {
    let _turn = AT_ONCE.acquire().await.ok()?;
    tokio::task::spawn_blocking(move || hash_now(&password)).await.ok()?
}

/// Whether a password is the one that was hashed. Takes the same time when there is none to compare with.
pub(crate) async fn is_right(password: String, hash: Option<String>) -> bool {
    let Ok(_turn) = AT_ONCE.acquire().await else { return false };
    let check = move || {
        // Made in either case, so that the first call does not tell the two apart.
        let nobody = LazyLock::force(&NOBODY);
        let kept = hash.as_deref().unwrap_or(nobody);
        let fits = Argon2::default().verify_password(password.as_bytes(), kept).is_ok();
        fits && hash.is_some()
    };
    tokio::task::spawn_blocking(check).await.unwrap_or(false)
}

fn hash_now(password: &str) -> Option<String> {
    Some(Argon2::default().hash_password(password.as_bytes()).ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_password_fits_its_own_hash_only() {
        let kept = hash("correct horse".to_owned()).await.unwrap();
        assert!(kept.starts_with("$argon2id$") && !kept.contains("horse"));
        assert!(is_right("correct horse".to_owned(), Some(kept.clone())).await);
        assert!(!is_right("correct house".to_owned(), Some(kept)).await);
    }

    #[tokio::test]
    async fn nobody_has_no_password() {
        assert!(!is_right("nobody has this password".to_owned(), None).await);
        assert!(!is_right(String::new(), Some(String::new())).await);
    }
}
