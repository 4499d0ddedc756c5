//! What one person may have computed while they write a workflow: checks and expressions, so many
//! at once, so often and so large.

use crate::admission::RateLimiter;
use crate::error::ApiError;
use model::{Code, Str};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The largest request, which holds the whole workflow.
const MAX_BYTES: usize = 4 << 20;
/// Computations at once, of everybody and of one person.
const MAX_CONCURRENT: usize = 8;
const MAX_PER_USER: usize = 2;
/// How often one person may ask: 20 times a second, and 120 times in a row.
const INTERVAL: Duration = Duration::from_millis(50);
const BURST: Duration = Duration::from_secs(6);
/// How long somebody waits for their turn, and for the result.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);
const WORK_TIMEOUT: Duration = Duration::from_secs(10);
/// People that are remembered; those who have nothing computed are forgotten first.
const MAX_USERS: usize = 10_000;

/// Who has asked for how much.
pub(crate) struct Previews {
    permits: Arc<Semaphore>,
    rates: RateLimiter,
    /// The turns of each person.
    per_user: Mutex<HashMap<Str, Arc<Semaphore>>>,
    queue_timeout: Duration,
}

/// Somebody's turn, which lasts as long as the work does, whether or not they still wait for it.
pub(crate) struct PreviewPermit {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Default for Previews {
    fn default() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT)),
            rates: RateLimiter::with_interval(INTERVAL, BURST),
            per_user: Mutex::default(),
            queue_timeout: QUEUE_TIMEOUT,
        }
    }
}

impl Previews {
    /// Lets somebody have something computed, once it is their turn.
    pub(crate) async fn admit(
        &self,
        user_id: &str,
        request_bytes: usize,
    ) -> Result<PreviewPermit, ApiError> {
        if request_bytes > MAX_BYTES {
            return Err(ApiError::new(
                Code::REQUEST_TOO_LARGE,
                format!("The workflow is larger than {MAX_BYTES} bytes"),
            ));
        }
        let own = self.user_permits(user_id)?;
        let turn = async {
            let own = own.acquire_owned().await.ok()?;
            Some(PreviewPermit {
                _own: own,
                _all: self.permits.clone().acquire_owned().await.ok()?,
            })
        };
        let turn = tokio::time::timeout(self.queue_timeout, turn).await.ok().flatten();
        turn.ok_or_else(|| {
            ApiError::new(Code::OVERLOAD, "Too many expressions and checks are being evaluated")
                .hint("Try again in a moment.")
        })
    }

    /// The turns of somebody who has not asked too often.
    fn user_permits(&self, user_id: &str) -> Result<Arc<Semaphore>, ApiError> {
        self.rates.take_for(user_id).map_err(|seconds| {
            let message = "You have too many expressions and checks being evaluated at once";
            ApiError::new(Code::RATE_LIMIT, message).retry_after(seconds)
        })?;
        let mut people = self.per_user.lock().unwrap_or_else(PoisonError::into_inner);
        if people.len() >= MAX_USERS && !people.contains_key(user_id) {
            // Whoever has a turn, or waits for one, shares in theirs.
            people.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        Ok(people
            .entry(user_id.into())
            .or_insert_with(|| Arc::new(Semaphore::new(MAX_PER_USER)))
            .clone())
    }
}

impl PreviewPermit {
    /// Does the work of this turn. Whoever waits too long for it is told so; the turn is theirs
    /// until it is done.
    pub(crate) async fn run<T: Send + 'static>(
        self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, ApiError> {
        let done = tokio::spawn(async move {
            let done = work.await;
            drop(self);
            done
        });
        let stopped = || {
            ApiError::new(
                Code::OVERLOAD,
                format!("The evaluation timed out after {} seconds", WORK_TIMEOUT.as_secs()),
            )
        };
        tokio::time::timeout(WORK_TIMEOUT, done)
            .await
            .map_err(|_| stopped())?
            .map_err(|_| stopped())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_14_00_one_person_has_so_many_computed_and_others_are_not_held_up() {
        let previews = Previews::default();
        let in_a_row = (BURST.as_millis() / INTERVAL.as_millis()) as usize;
        let asked: Vec<_> = (0..2 * in_a_row).map(|_| previews.user_permits("ada")).collect();
        let taken = asked.iter().filter(|turns| turns.is_ok()).count();
        assert!((in_a_row..2 * in_a_row).contains(&taken), "{taken}");
        let refused = asked.into_iter().find_map(Result::err).unwrap();
        assert_eq!((refused.code, refused.retry_after), (Code::RATE_LIMIT, Some(1)));
        assert!(previews.user_permits("bob").is_ok());
    }

    #[tokio::test]
    async fn issue_14_00_a_turn_lasts_as_long_as_the_work() {
        let previews = Previews { queue_timeout: Duration::from_millis(50), ..Previews::default() };
        for _ in 0..MAX_PER_USER {
            let permit = previews.admit("ada", 0).await.unwrap();
            let waiting = tokio::time::timeout(
                Duration::from_millis(10),
                permit.run(std::future::pending::<()>()),
            );
            assert!(waiting.await.is_err(), "she has gone");
        }
        assert_eq!(
            previews.admit("ada", 0).await.err().map(|error| error.code),
            Some(Code::OVERLOAD)
        );
        assert!(previews.admit("bob", 0).await.is_ok());
        assert_eq!(
            previews.admit("bob", MAX_BYTES + 1).await.err().map(|error| error.code),
            Some(Code::REQUEST_TOO_LARGE)
        );
    }
}
