//! How much memory the readers of executions may take together, and each of them: whoever asks for
//! more than is left waits for a turn.

use crate::error::ApiError;
use model::{Code, Str};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What all readers may take at the same time.
const READ_BYTES: usize = 256 << 20;

/// What one person may take of it. Whatever needs more counts as this much.
const SHARE_BYTES: usize = READ_BYTES / 2;

/// Whoever needs no more than this does not wait: most executions are small.
const FREE_BYTES: usize = 256 << 10;

/// The budget is counted in pieces of this size.
const UNIT: usize = 64 << 10;

/// How long a reader waits for its turn before it is told to come again.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// After how many seconds to come again.
const RETRY_AFTER: u64 = 5;

pub(crate) struct ReadBudget {
    all: Arc<Semaphore>,
    /// The shares of those who hold some of it, or wait for it.
    per_user: Mutex<HashMap<Str, Arc<Semaphore>>>,
}

impl Default for ReadBudget {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(READ_BYTES / UNIT)), per_user: Mutex::default() }
    }
}

/// Memory that a reader holds until this is dropped: of their share, and of what there is for all.
/// Small readers hold none.
#[derive(Debug, Default)]
pub(crate) struct ReadReservation(Vec<OwnedSemaphorePermit>);

impl ReadReservation {
    /// Gives back what is held beyond so many bytes.
    pub(crate) fn shrink_to(&mut self, bytes: usize) {
        for permit in &mut self.0 {
            drop(permit.split(permit.num_permits().saturating_sub(units(bytes))));
        }
    }
}

impl ReadBudget {
    /// Reads for somebody once so many bytes are free. They are taken until the read has ended,
    /// even if nobody waits for it any more, and then until the room is dropped that comes with the
    /// result.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        user_id: &str,
        bytes: usize,
        read: impl Future<Output = T> + Send + 'static,
    ) -> Result<(T, ReadReservation), ApiError> {
        let room = self.reserve(user_id, bytes).await?;
        let reading = tokio::spawn(async move { (read.await, room) });
        reading.await.map_err(|_| store::Error::Stopped.into())
    }

    /// The share comes first: whoever has used up theirs waits where nobody else does.
    async fn reserve(&self, user_id: &str, bytes: usize) -> Result<ReadReservation, ApiError> {
        if bytes <= FREE_BYTES {
            return Ok(ReadReservation::default());
        }
        let (own, units) = (self.user_share(user_id), units(bytes.min(SHARE_BYTES)) as u32);
        let turn = async {
            let own = own.acquire_many_owned(units).await.ok()?;
            let all = self.all.clone().acquire_many_owned(units).await.ok()?;
            Some(ReadReservation(vec![own, all]))
        };
        let turn = tokio::time::timeout(ACQUIRE_TIMEOUT, turn).await.ok().flatten();
        turn.ok_or_else(|| {
            ApiError::new(Code::OVERLOAD, "Too many large executions are being read")
                .hint("Try again in a moment.")
                .retry_after(RETRY_AFTER)
        })
    }

    fn user_share(&self, user_id: &str) -> Arc<Semaphore> {
        let mut people = self.per_user.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever holds some of their share, or waits for it, has a handle to it.
        people.retain(|_, share| Arc::strong_count(share) > 1);
        people
            .entry(user_id.into())
            .or_insert_with(|| Arc::new(Semaphore::new(SHARE_BYTES / UNIT)))
            .clone()
    }
}

fn units(bytes: usize) -> usize {
    bytes.div_ceil(UNIT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test(start_paused = true)]
    async fn issue_14_09_readers_of_large_executions_take_turns_and_small_ones_fit_beside_them() {
        let budget = ReadBudget::default();
        let large = budget.reserve("ada", SHARE_BYTES).await.unwrap();
        let small = budget.reserve("bob", 1 << 20).await.unwrap();
        let refused = budget.reserve("cleo", usize::MAX).await.unwrap_err();
        assert_eq!((refused.code, refused.retry_after), (Code::OVERLOAD, Some(RETRY_AFTER)));
        drop((large, small));
        let _others = (
            budget.reserve("ada", usize::MAX).await.unwrap(),
            budget.reserve("bob", usize::MAX).await.unwrap(),
        );
        assert!(budget.reserve("cleo", 1 << 20).await.is_err());
        assert!(budget.reserve("cleo", FREE_BYTES).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn issue_14_09_nobody_holds_more_than_half_or_makes_others_wait() {
        let budget = ReadBudget::default();
        let mut held = budget.reserve("ada", usize::MAX).await.unwrap();
        let (more, other) =
            tokio::join!(budget.reserve("ada", 1 << 20), budget.reserve("bob", usize::MAX));
        assert_eq!(more.unwrap_err().code, Code::OVERLOAD);
        drop(other.unwrap());
        held.shrink_to(SHARE_BYTES - (1 << 20));
        assert!(budget.reserve("ada", 1 << 20).await.is_ok());
        drop(held);
        drop(budget.user_share("cleo"));
        assert_eq!(budget.per_user.lock().unwrap().len(), 1, "whoever holds nothing is forgotten");
    }

    #[tokio::test(start_paused = true)]
    async fn issue_14_09_room_is_held_until_the_read_has_ended_whoever_is_listening() {
        let budget = ReadBudget::default();
        let (end, ended) = oneshot::channel::<()>();
        let reading =
            tokio::time::timeout(Duration::from_secs(1), budget.read("ada", SHARE_BYTES, ended));
        assert!(reading.await.is_err(), "she has gone");
        assert!(budget.reserve("ada", 1 << 20).await.is_err());
        end.send(()).unwrap();
        let (read, room) = budget.read("ada", SHARE_BYTES, async { 7 }).await.unwrap();
        assert_eq!(read, 7);
        assert!(budget.reserve("ada", 1 << 20).await.is_err(), "what was read is still there");
        drop(room);
        assert!(budget.reserve("ada", SHARE_BYTES).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn issue_14_09_room_shrinks_in_place_and_never_grows() {
        let budget = ReadBudget::default();
        let mut room = budget.reserve("ada", 10 << 20).await.unwrap();
        let taken = |budget: &ReadBudget| READ_BYTES - budget.all.available_permits() * UNIT;
        room.shrink_to(20 << 20);
        assert_eq!(taken(&budget), 10 << 20);
        room.shrink_to(1 << 20);
        assert_eq!(taken(&budget), 1 << 20);
        room.shrink_to(0);
        assert_eq!(taken(&budget), 0);
        ReadReservation::default().shrink_to(1 << 20);
    }
}
