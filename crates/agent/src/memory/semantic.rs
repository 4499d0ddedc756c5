//! A memory of what has to do with the question: turns are found by their meaning, beside the
//! newest ones if wanted.

use super::transcript::{as_message, render_turns};
use super::{MemoryStore, MemoryWindow, messages_of};
use model::Str;
use ports::ai::{
    Embedder, Embedding, Memory, MemoryError, Message, RecallLimit, RecalledMessages,
    RewriteOutcome, SessionId, StoredTurn, TurnKey, cosine_similarity,
};
use std::sync::Arc;

/// What an embedder sees of one turn, in characters.
const MAX_EMBEDDED_CHARS: usize = 8_000;

pub struct SemanticMemory {
    pub store: MemoryStore,
    pub embedder: Arc<dyn Embedder>,
    /// How many turns are found at most.
    pub top: usize,
    /// How near they must be, from 0 to 1.
    pub min_score: f64,
    /// The newest turns, which are seen as they are.
    pub window: MemoryWindow,
}

impl SemanticMemory {
    async fn embed(&self, text: &str) -> Result<Embedding, MemoryError> {
        let text: Str = text.chars().take(MAX_EMBEDDED_CHARS).collect::<String>().into();
        let vectors = self
            .embedder
            .embed(&[text])
            .await
            .map_err(|error| MemoryError::new(error.message().clone()))?;
        let vector = vectors
            .into_iter()
            .next()
            .ok_or_else(|| MemoryError::new("the embedding model returned no vector"))?;
        Ok(Embedding { model: self.embedder.model().into(), vector })
    }

    /// The nearest of these turns, in the order in which they were said.
    async fn nearest<'t>(
        &self,
        turns: &'t [StoredTurn],
        about: &str,
    ) -> Result<Vec<&'t StoredTurn>, MemoryError> {
        let question = self.embed(about).await?;
        let mut scored: Vec<(f64, usize)> = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let Some(embedding) =
                turn.embedding.as_ref().filter(|embedding| embedding.model == question.model)
            else {
                continue;
            };
            let score = cosine_similarity(&question.vector, &embedding.vector);
            if score >= self.min_score {
                scored.push((score, at));
            }
        }
        scored.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
        let mut places: Vec<usize> = scored.into_iter().take(self.top).map(|(_, at)| at).collect();
        places.sort_unstable();
        Ok(places.into_iter().map(|at| &turns[at]).collect())
    }
}

#[async_trait::async_trait]
impl Memory for SemanticMemory {
    async fn load(
        &self,
        session: &SessionId,
        about: &str,
    ) -> Result<RecalledMessages, MemoryError> {
        let mut older = self.store.newest(session, RecallLimit::turns(usize::MAX)).await?;
        let newest = older.split_off(self.window.count_dropped(&older));
        let mut recalled = RecalledMessages::default();
        if !older.is_empty() && !about.trim().is_empty() {
            match self.nearest(&older, about).await {
                Ok(found) if !found.is_empty() => {
                    let heading =
                        "Earlier parts of this conversation that may be relevant to the question.";
                    recalled.messages.push(as_message("earlier", heading, &render_turns(found)));
                }
                Ok(_) => {}
                Err(error) => recalled
                    .warnings
                    .push(format!("The memory could not be searched: {error}").into()),
            }
        }
        recalled.messages.extend(messages_of(newest));
        Ok(recalled)
    }

    async fn append(
        &self,
        session: &SessionId,
        key: &TurnKey,
        turn: &[Message],
    ) -> Result<Vec<Str>, MemoryError> {
        let mut kept = StoredTurn::new(key.clone(), turn.to_vec());
        let mut warnings = Vec::new();
        match self.embed(&render_turns([&kept])).await {
            Ok(embedding) => kept.embedding = Some(embedding),
            Err(error) => warnings.push(
                format!("The turn was stored, but semantic search cannot find it: {error}").into(),
            ),
        }
        self.store.append(session, kept).await?;
        Ok(warnings)
    }

    async fn clear(&self, session: &SessionId) -> Result<(), MemoryError> {
        self.store.clear(session).await
    }

    async fn turns(&self, session: &SessionId) -> Result<Vec<StoredTurn>, MemoryError> {
        self.store.newest(session, RecallLimit::ALL).await
    }

    async fn rewrite(
        &self,
        session: &SessionId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
    ) -> Result<RewriteOutcome, MemoryError> {
        self.store.rewrite(session, seen, turns).await
    }

    async fn seal_copy(
        &self,
        session: &SessionId,
        plain: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.store.seal_copy(session, plain).await
    }

    async fn open_copy(
        &self,
        session: &SessionId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, MemoryError> {
        self.store.open_copy(session, sealed).await
    }
}
