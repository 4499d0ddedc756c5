//! Conversations in the memory of this process: bounded in size, the longest unused go first, and
//! all go with the process.

use model::Str;
use node_api::ai::{
    ConversationId, ConversationStore, Lifetime, MemoryError, RecallLimit, RewriteOutcome,
    StoredTurn, TurnKey,
};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Copy, Debug)]
pub struct ProcessLimits {
    /// What all conversations may take together, in bytes.
    pub bytes: usize,
    /// A conversation that nobody has used for so long is forgotten, in milliseconds.
    pub idle_ms: i64,
}

impl Default for ProcessLimits {
    fn default() -> Self {
        Self { bytes: 128 << 20, idle_ms: 24 * 60 * 60 * 1000 }
    }
}

/// Tells the time in milliseconds.
type Now = Arc<dyn Fn() -> i64 + Send + Sync>;

pub struct ProcessConversations {
    limits: ProcessLimits,
    now: Now,
    cache: Mutex<ConversationCache>,
}

#[derive(Default)]
struct ConversationCache {
    conversations: HashMap<ConversationId, CachedConversation>,
    /// By when they were last used; the number keeps two of one moment apart.
    by_age: BTreeMap<LastUsed, ConversationId>,
    bytes: usize,
    n_uses: u64,
}

type LastUsed = (i64, u64);

#[derive(Default)]
struct CachedConversation {
    turns: VecDeque<StoredTurn>,
    keys: HashSet<Str>,
    bytes: usize,
    used: LastUsed,
    lifetime: Lifetime,
}

impl ProcessConversations {
    pub fn new(limits: ProcessLimits, now: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self { limits, now: Arc::new(now), cache: Mutex::default() }
    }

    /// What there is, without what has outlived its time.
    fn lock_cache(&self) -> (MutexGuard<'_, ConversationCache>, i64) {
        let now = (self.now)();
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((used, which)) =
            kept.by_age.first_key_value().map(|(used, which)| (*used, which.clone()))
        {
            if now - used.0 < self.limits.idle_ms {
                break;
            }
            kept.forget(&which);
        }
        (kept, now)
    }
}

impl ConversationCache {
    fn forget(&mut self, which: &ConversationId) {
        if let Some(entry) = self.conversations.remove(which) {
            self.bytes -= entry.bytes;
            self.by_age.remove(&entry.used);
        }
    }

    /// The conversation as it was, used now.
    fn touch(&mut self, which: &ConversationId, now: i64) -> Option<&mut CachedConversation> {
        let entry = self.conversations.get(which)?;
        if let Lifetime::Seconds(seconds) = entry.lifetime
            && now - entry.used.0 >= i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1000)
        {
            self.forget(which);
            return None;
        }
        self.n_uses += 1;
        let (before, used) = (entry.used, (now, self.n_uses));
        self.by_age.remove(&before);
        self.by_age.insert(used, which.clone());
        let entry = self.conversations.get_mut(which)?;
        entry.used = used;
        Some(entry)
    }

    fn touch_or_make(
        &mut self,
        which: &ConversationId,
        now: i64,
        lifetime: Lifetime,
    ) -> &mut CachedConversation {
        if self.touch(which, now).is_none() {
            self.n_uses += 1;
            self.by_age.insert((now, self.n_uses), which.clone());
            let made =
                CachedConversation { used: (now, self.n_uses), ..CachedConversation::default() };
            self.conversations.insert(which.clone(), made);
        }
        let entry = self.conversations.entry(which.clone()).or_default();
        entry.lifetime = lifetime;
        entry
    }

    /// Makes room: other conversations go before turns of this one.
    fn fit(&mut self, limit: usize, which: &ConversationId) {
        while self.bytes > limit {
            match self.by_age.first_key_value().map(|(_, oldest)| oldest.clone()) {
                Some(oldest) if oldest != *which => self.forget(&oldest),
                _ => break,
            }
        }
        let Some(entry) = self.conversations.get_mut(which) else { return };
        while self.bytes > limit && entry.turns.len() > 1 {
            let Some(dropped) = entry.turns.pop_front() else { break };
            let bytes = dropped.bytes();
            entry.bytes -= bytes;
            self.bytes -= bytes;
        }
    }
}

#[async_trait::async_trait]
impl ConversationStore for ProcessConversations {
    async fn newest(
        &self,
        which: &ConversationId,
        most: RecallLimit,
        _lifetime: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        let (mut kept, now) = self.lock_cache();
        let Some(entry) = kept.touch(which, now) else { return Ok(Vec::new()) };
        let n_fitting = most.count_fitting(entry.turns.iter().rev().map(StoredTurn::bytes));
        Ok(entry.turns.range(entry.turns.len() - n_fitting..).cloned().collect())
    }

    async fn append(
        &self,
        which: &ConversationId,
        turn: StoredTurn,
        lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        let (mut kept, now) = self.lock_cache();
        let entry = kept.touch_or_make(which, now, lifetime);
        if !entry.keys.insert(turn.key.0.clone()) {
            return Ok(());
        }
        let bytes = turn.bytes();
        entry.turns.push_back(turn);
        entry.bytes += bytes;
        kept.bytes += bytes;
        kept.fit(self.limits.bytes, which);
        Ok(())
    }

    async fn rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
        lifetime: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError> {
        let (mut kept, now) = self.lock_cache();
        let entry = kept.touch_or_make(which, now, lifetime);
        if entry.turns.len() < seen.len()
            || entry.turns.iter().zip(seen).any(|(turn, key)| turn.key != *key)
        {
            return Ok(RewriteOutcome::Stale);
        }
        let before = entry.bytes;
        let rest = entry.turns.split_off(seen.len());
        entry.keys.extend(turns.iter().map(|turn| turn.key.0.clone()));
        entry.turns = turns.into_iter().chain(rest).collect();
        entry.bytes = entry.turns.iter().map(StoredTurn::bytes).sum();
        let after = entry.bytes;
        kept.bytes = kept.bytes - before + after;
        kept.fit(self.limits.bytes, which);
        Ok(RewriteOutcome::Done)
    }

    async fn clear(&self, which: &ConversationId) -> Result<(), MemoryError> {
        self.lock_cache().0.forget(which);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::ai::{Message, SessionId};
    use std::sync::atomic::{AtomicI64, Ordering};

    fn conversation(session: &str) -> ConversationId {
        ConversationId {
            owner: "w".into(),
            scope: "".into(),
            session: SessionId::new(session).unwrap(),
        }
    }

    fn turn(key: &str, length: usize) -> StoredTurn {
        StoredTurn::new(TurnKey(key.into()), vec![Message::user("x".repeat(length))])
    }

    async fn length(kept: &ProcessConversations, session: &str) -> usize {
        kept.newest(&conversation(session), RecallLimit::ALL, Lifetime::Endless)
            .await
            .unwrap()
            .len()
    }

    #[tokio::test]
    async fn the_longest_unused_conversation_goes_first() {
        let kept = ProcessConversations::new(
            ProcessLimits { bytes: 3_500, ..ProcessLimits::default() },
            || 0,
        );
        for session in ["a", "b", "c"] {
            kept.append(&conversation(session), turn("1", 1_000), Lifetime::Endless).await.unwrap();
        }
        assert_eq!(length(&kept, "a").await, 1, "used again");
        kept.append(&conversation("d"), turn("1", 1_000), Lifetime::Endless).await.unwrap();
        assert_eq!(
            (length(&kept, "a").await, length(&kept, "b").await, length(&kept, "c").await),
            (1, 0, 1)
        );
    }

    #[tokio::test]
    async fn a_conversation_that_outgrows_everything_loses_its_oldest_turns() {
        let kept = ProcessConversations::new(
            ProcessLimits { bytes: 3_500, ..ProcessLimits::default() },
            || 0,
        );
        for number in 0..10 {
            kept.append(&conversation("a"), turn(&number.to_string(), 1_000), Lifetime::Endless)
                .await
                .unwrap();
        }
        let left =
            kept.newest(&conversation("a"), RecallLimit::ALL, Lifetime::Endless).await.unwrap();
        let keys: Vec<&str> = left.iter().map(|turn| turn.key.0.as_str()).collect();
        assert_eq!(keys, ["7", "8", "9"]);
    }

    #[tokio::test]
    async fn what_nobody_uses_is_forgotten_and_use_keeps_it() {
        let clock = Arc::new(AtomicI64::new(0));
        let time = clock.clone();
        let kept = ProcessConversations::new(
            ProcessLimits { idle_ms: 1_000, ..ProcessLimits::default() },
            move || time.load(Ordering::Relaxed),
        );
        kept.append(&conversation("used"), turn("1", 10), Lifetime::Endless).await.unwrap();
        kept.append(&conversation("idle"), turn("1", 10), Lifetime::Endless).await.unwrap();
        for now in [600, 1_200, 1_800] {
            clock.store(now, Ordering::Relaxed);
            assert_eq!(length(&kept, "used").await, 1);
        }
        assert_eq!(length(&kept, "idle").await, 0);
        let kept = kept.lock_cache().0;
        assert_eq!((kept.conversations.len(), kept.by_age.len()), (1, 1));
        assert_eq!(kept.bytes, kept.conversations.values().map(|entry| entry.bytes).sum::<usize>());
    }
}
