//! Conversations that n8n has begun in Redis: they are taken over when they are first asked for,
//! and go on as our own.

use super::langchain::from_stored;
use super::redis::RedisConversations;
use super::unusable;
use model::Value;
use node_api::ai::{
    ChatRole, ConversationId, ConversationStore, Lifetime, MemoryError, Message, RecallLimit,
    RewriteOutcome, StoredTurn, TurnKey,
};

/// Messages of a list that are taken over, the newest.
const MAX_IMPORTED: usize = 1000;

/// Conversations in Redis, with those that n8n has there under their bare sessions. n8n's lists
/// stay as they are.
pub struct N8nConversations(pub RedisConversations);

impl N8nConversations {
    /// Copies what n8n has of a conversation, unless that was done before: what was forgotten here
    /// does not come back.
    async fn import(
        &self,
        which: &ConversationId,
        lifetime: Lifetime,
    ) -> Result<bool, MemoryError> {
        let session = which.session.as_str();
        let mark = self.0.mark(which, "carried");
        let ask = async |words: &[&str]| -> Result<Value, MemoryError> {
            let mut connection =
                self.0.host.connections().redis(&self.0.server).await.map_err(unusable)?;
            connection.command(words).await.map_err(unusable)
        };
        if ask(&["TYPE", session]).await?.as_str() != Some("list")
            || ask(&["EXISTS", &mark]).await?.as_f64() != Some(0.0)
        {
            return Ok(false);
        }
        let found = ask(&["LRANGE", session, "0", &(MAX_IMPORTED - 1).to_string()]).await?;
        let turns = turns(found.as_array().unwrap_or_default());
        let is_something = !turns.is_empty();
        for (number, messages) in turns.into_iter().enumerate() {
            let key = TurnKey(format!("n8n/{number}").into());
            self.0.append(which, StoredTurn::new(key, messages), lifetime).await?;
        }
        match lifetime {
            Lifetime::Endless => ask(&["SET", &mark, "1"]).await?,
            Lifetime::Seconds(seconds) => {
                ask(&["SET", &mark, "1", "EX", &seconds.clamp(1, 1 << 40).to_string()]).await?
            }
        };
        Ok(is_something)
    }
}

/// The entries of a list, newest first, as turns, oldest first. A turn begins with every message of
/// the user.
fn turns(newest_first: &[Value]) -> Vec<Vec<Message>> {
    let rows: Vec<Value> = newest_first
        .iter()
        .rev()
        .filter_map(|entry| model::json::parse(entry.as_str()?).ok())
        .collect();
    let mut turns: Vec<Vec<Message>> = Vec::new();
    for message in from_stored(&rows) {
        match turns.last_mut() {
            Some(turn) if message.role != ChatRole::User => turn.push(message),
            _ => turns.push(vec![message]),
        }
    }
    turns
}

#[async_trait::async_trait]
impl ConversationStore for N8nConversations {
    async fn newest(
        &self,
        which: &ConversationId,
        most: RecallLimit,
        lifetime: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        let found = self.0.newest(which, most, lifetime).await?;
        match found.is_empty() && self.import(which, lifetime).await? {
            true => self.0.newest(which, most, lifetime).await,
            false => Ok(found),
        }
    }

    async fn append(
        &self,
        which: &ConversationId,
        turn: StoredTurn,
        lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        self.0.append(which, turn, lifetime).await
    }

    async fn rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
        lifetime: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError> {
        self.0.rewrite(which, seen, turns, lifetime).await
    }

    async fn clear(&self, which: &ConversationId) -> Result<(), MemoryError> {
        self.0.clear(which).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_langchain_is_read_from_its_end_and_what_is_no_message_is_left_out() {
        let entries = [
            r#"{"type":"ai","data":{"content":"Four","tool_calls":[]}}"#,
            r#"{"type":"human","data":{"content":"2+2?"}}"#,
            "not JSON",
            r#"{"type":"ai","data":{"content":"Hello Ada"}}"#,
            r#"{"type":"human","data":{"content":"I am Ada"}}"#,
        ];
        let found = turns(&entries.map(Value::from));
        let texts: Vec<Vec<String>> = found
            .iter()
            .map(|turn| turn.iter().map(|message| message.text().to_string()).collect())
            .collect();
        assert_eq!(texts, [["I am Ada", "Hello Ada"], ["2+2?", "Four"]]);
    }
}
