//! Long-term memory in SQLite: whose entries are is hashed, what they say is sealed; what finds them
//! is in memory only.

mod copies;
mod entries;
mod index;
mod keywords;
mod quantized;
mod search;
mod spaces;
#[cfg(test)]
mod tests;
mod turns;

pub(super) use copies::forget_expired_keys;
pub(super) use index::MemoryIndexes;

use super::conversations::hashed;
use super::{Sqlite, now_ms};
use crate::Error;
use entries::EntrySealer;
use model::Str;
use node_api::ai::{
    AddedEntry, Consolidated, ConsolidationOutcome, EntryChange, EntryQuery, FoundEntry,
    LongTermError, LongTermMemory, MemoryEntry, MemoryLimits, MemoryQuery, MemorySpace, NewEntry,
    PendingGroup, PendingTurn, SpaceName, clean_text,
};
use rusqlite::params;
use spaces::{SpaceRef, SpaceRow};
use std::sync::Arc;

/// Rows that are removed in one go, so that writers do not wait long.
const STEP: usize = 1000;

#[async_trait::async_trait]
impl LongTermMemory for Sqlite {
    fn memory_limits(&self) -> MemoryLimits {
        self.memory_limits
    }

    fn memory_of_workflow(&self, workflow_id: &str) -> Option<Arc<dyn LongTermMemory>> {
        Some(Arc::new(Self { seen_by_workflow: Some(workflow_id.into()), ..self.clone() }))
    }

    async fn spaces(&self) -> Result<Vec<MemorySpace>, LongTermError> {
        self.write_memory_counts().await?;
        let seen_by = self.seen_by_workflow.clone();
        let found = self.read(move |connection| SpaceRow::all(connection, seen_by.as_deref()));
        Ok(found.await?.into_iter().map(|row| row.space).collect())
    }

    async fn space(&self, which: &SpaceName) -> Result<MemorySpace, LongTermError> {
        self.write_memory_counts().await?;
        let which = SpaceRef { name: which.clone(), seen_by: self.seen_by_workflow.clone() };
        let found = self
            .read(move |connection| SpaceRow::find(connection, &which)?.with_pending(connection));
        Ok(found.await?.space)
    }

    async fn open_space(&self, name: &str) -> Result<MemorySpace, LongTermError> {
        let name = Str::from(clean_text(name));
        let which = SpaceRef {
            name: SpaceName::Name(name.clone()),
            seen_by: self.seen_by_workflow.clone(),
        };
        let looked = which.clone();
        let found = self.read(move |connection| SpaceRow::find_if_there(connection, &looked));
        if let Some(row) = found.await? {
            return Ok(row.space);
        }
        let limits = self.memory_limits;
        Ok(self
            .write(move |connection| match SpaceRow::find_if_there(connection, &which)? {
                Some(row) => Ok(row.space),
                None => spaces::create(connection, name, which.seen_by.as_deref(), &limits),
            })
            .await?)
    }

    async fn delete_space(&self, id: &str) -> Result<(), LongTermError> {
        loop {
            let which = self.memory_space(id);
            let step = self.write(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                entries::delete(connection, "space = ?1", params![row.number], STEP)
            });
            if step.await? < STEP {
                break;
            }
        }
        let which = self.memory_space(id);
        let deleted = self.write(move |connection| {
            let row = SpaceRow::find(connection, &which)?;
            connection.execute("DELETE FROM memory_spaces WHERE number = ?1", [row.number])?;
            Ok(row.number)
        });
        self.shared.memories.forget(deleted.await?);
        Ok(())
    }

    async fn add_entries(
        &self,
        space: &str,
        new: Vec<NewEntry>,
    ) -> Result<Vec<AddedEntry>, LongTermError> {
        let (which, limits, key) =
            (self.memory_space(space), self.memory_limits, self.conversation_key().await?);
        let new = entries::checked(new, &limits)?;
        Ok(self
            .write(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                entries::insert(connection, &row, &EntrySealer(&key), &new, &limits)
            })
            .await?)
    }

    async fn change_entry(
        &self,
        space: &str,
        id: &str,
        change: EntryChange,
    ) -> Result<MemoryEntry, LongTermError> {
        let (which, limits, key) =
            (self.memory_space(space), self.memory_limits, self.conversation_key().await?);
        let id = Str::from(id);
        let change = entries::checked_change(change, &limits)?;
        Ok(self
            .write(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                entries::change(connection, &row, &EntrySealer(&key), &id, change, &limits)
            })
            .await?)
    }

    async fn delete_entry(&self, space: &str, id: &str) -> Result<(), LongTermError> {
        let (which, id) = (self.memory_space(space), Str::from(id));
        let deleted = self.write(move |connection| {
            let row = SpaceRow::find(connection, &which)?;
            let asked = params![row.number, id.as_str()];
            match entries::delete(connection, "space = ?1 AND id = ?2", asked, 1)? {
                0 => Err(entries::no_entry(&id).into()),
                _ => Ok(row.number),
            }
        });
        let space = deleted.await?;
        self.follow_removals(vec![space]).await;
        Ok(())
    }

    async fn delete_subject(
        &self,
        space: Option<&str>,
        subject: &str,
    ) -> Result<usize, LongTermError> {
        let of_one = space.map(|space| self.memory_space(space));
        let seen_by = self.seen_by_workflow.clone();
        let chosen = self.read(move |connection| match of_one {
            Some(which) => Ok(vec![SpaceRow::find(connection, &which)?.number]),
            None => Ok(SpaceRow::all(connection, seen_by.as_deref())?
                .into_iter()
                .map(|row| row.number)
                .collect()),
        });
        let spaces: Vec<i64> = chosen.await?;
        let hash = subject_hash(subject);
        let mut n_deleted = 0;
        for space in &spaces {
            loop {
                let (space, hash) = (*space, hash.clone());
                let step = self.write(move |connection| {
                    let asked = params![space, hash];
                    let n_entries =
                        entries::delete(connection, "space = ?1 AND subject = ?2", asked, STEP)?;
                    if n_entries == STEP {
                        return Ok((n_entries, false));
                    }
                    let n_turns = turns::delete_subject(connection, space, &hash)?;
                    copies::destroy(connection, space, &hash)?;
                    Ok((n_entries + n_turns, true))
                });
                let (n_gone, is_last) = step.await?;
                n_deleted += n_gone;
                if is_last {
                    break;
                }
            }
        }
        self.follow_removals(spaces).await;
        Ok(n_deleted)
    }

    async fn entry(&self, space: &str, id: &str) -> Result<MemoryEntry, LongTermError> {
        let (which, id, key) =
            (self.memory_space(space), Str::from(id), self.conversation_key().await?);
        Ok(self
            .read(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                entries::find(connection, &row, &EntrySealer(&key), &id)
            })
            .await?)
    }

    async fn entries(
        &self,
        space: &str,
        query: EntryQuery,
    ) -> Result<Vec<MemoryEntry>, LongTermError> {
        let (which, key) = (self.memory_space(space), self.conversation_key().await?);
        Ok(self
            .read(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                entries::list(connection, &row, &EntrySealer(&key), &query)
            })
            .await?)
    }

    async fn search_entries(
        &self,
        space: &str,
        query: MemoryQuery,
    ) -> Result<Vec<FoundEntry>, LongTermError> {
        let (which, limits, key) =
            (self.memory_space(space), self.memory_limits, self.conversation_key().await?);
        let shared = self.shared.clone();
        let found = self.read(move |connection| {
            // What is read is of one moment, although it takes several statements.
            let moment = connection.unchecked_transaction()?;
            let row = SpaceRow::find(&moment, &which)?;
            let sealer = EntrySealer(&key);
            let found = search::search(&moment, &row, &sealer, &query, &shared.memories, &limits)?;
            shared.memories.count_read(row.number, !found.is_empty());
            Ok(found)
        });
        Ok(found.await?)
    }

    async fn add_turn(&self, space: &str, turn: PendingTurn) -> Result<(), LongTermError> {
        let (which, limits, key) =
            (self.memory_space(space), self.memory_limits, self.conversation_key().await?);
        Ok(self
            .write(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                turns::add(connection, &row, &key, &turn, &limits)
            })
            .await?)
    }

    async fn pending_turns(
        &self,
        space: &str,
        subject: &str,
        limit: usize,
    ) -> Result<Vec<PendingTurn>, LongTermError> {
        let (which, key) = (self.memory_space(space), self.conversation_key().await?);
        let subject = Str::from(subject);
        Ok(self
            .read(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                turns::oldest(connection, &row, &key, &subject, limit)
            })
            .await?)
    }

    async fn pending_subjects(
        &self,
        space: &str,
        limit: usize,
    ) -> Result<Vec<PendingGroup>, LongTermError> {
        let (which, key) = (self.memory_space(space), self.conversation_key().await?);
        Ok(self
            .read(move |connection| {
                let row = SpaceRow::find(connection, &which)?;
                turns::groups(connection, &row, &key, limit)
            })
            .await?)
    }

    async fn consolidate(
        &self,
        space: &str,
        made: Consolidated,
    ) -> Result<ConsolidationOutcome, LongTermError> {
        let (which, limits, key) =
            (self.memory_space(space), self.memory_limits, self.conversation_key().await?);
        let facts = entries::checked(made.facts, &limits)?;
        let (subject, turns) = (made.subject, made.turns);
        let done = self.write(move |connection| {
            let row = SpaceRow::find(connection, &which)?;
            if !turns::take(connection, &row, &subject, &turns)? {
                // Nothing of this write may stay.
                return Err(LongTermError::Stale { id: subject, found: 0, seen: 0 }.into());
            }
            entries::insert(connection, &row, &EntrySealer(&key), &facts, &limits)
        });
        match done.await {
            Ok(_) => Ok(ConsolidationOutcome::Done),
            Err(Error::LongTerm(LongTermError::Stale { .. } | LongTermError::NoEntry { .. })) => {
                Ok(ConsolidationOutcome::Stale)
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn seal_entries(
        &self,
        space: &str,
        subject: &str,
        plain: &[u8],
    ) -> Result<Vec<u8>, LongTermError> {
        Ok(self.seal_subject_copy(self.memory_space(space), subject, plain).await?)
    }

    async fn open_entries(
        &self,
        space: &str,
        subject: &str,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, LongTermError> {
        Ok(self.open_subject_copy(self.memory_space(space), subject, sealed).await?)
    }
}

impl Sqlite {
    fn memory_space(&self, id: &str) -> SpaceRef {
        SpaceRef { name: SpaceName::Id(id.into()), seen_by: self.seen_by_workflow.clone() }
    }

    /// Takes what was removed out of the indexes at once, not at the next search.
    async fn follow_removals(&self, spaces: Vec<i64>) {
        let shared = self.shared.clone();
        let followed = self.read(move |connection| {
            for space in spaces {
                shared.memories.follow_removals(connection, space)?;
            }
            Ok(())
        });
        if let Err(error) = followed.await {
            tracing::warn!(%error, "Could not update a memory index; it follows at the next search.");
        }
    }

    /// Writes down how often spaces were read since the last time.
    pub(super) async fn write_memory_counts(&self) -> Result<(), Error> {
        let counts = self.shared.memories.take_counts();
        if counts.is_empty() {
            return Ok(());
        }
        self.write(move |connection| spaces::add_counts(connection, &counts)).await
    }

    /// Removes entries that have expired, some at a time, and keys of turns that were consolidated
    /// long ago; tells how many entries that were.
    pub(super) async fn delete_expired_entries(&self) -> Result<usize, Error> {
        self.write_memory_counts().await?;
        self.write(|connection| {
            turns::forget_done(connection, now_ms(), STEP)?;
            entries::delete(connection, "expires_ms <= ?1", params![now_ms()], STEP)
        })
        .await
    }
}

/// Whose something is, as the database shows it.
fn subject_hash(subject: &str) -> Vec<u8> {
    hashed(&[b"memory subject\0", subject.as_bytes()].concat())
}
