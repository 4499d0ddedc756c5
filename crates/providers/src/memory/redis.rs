//! Conversations in Redis: a list of turns and the set of their keys for each, changed by scripts,
//! so that nothing is lost between a look and a write.

use super::{hashed, unusable};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Str, Value};
use node_api::ai::{
    ConversationId, ConversationStore, Lifetime, MemoryError, RecallLimit, RewriteOutcome, Sealer,
    StoredTurn, TurnKey,
};
use node_api::connect::RedisServer;
use node_api::host::Host;
use std::sync::Arc;

/// Letters of a turn's hashed key before its text.
const KEY_LENGTH: usize = 32;

/// KEYS: turns, keys of turns. ARGV: hashed key, turn, seconds.
const APPEND: &str = "
if redis.call('SADD', KEYS[2], ARGV[1]) == 1 then redis.call('RPUSH', KEYS[1], ARGV[1] .. ARGV[2]) end
if tonumber(ARGV[3]) > 0 then for i = 1, 2 do redis.call('EXPIRE', KEYS[i], ARGV[3]) end
else for i = 1, 2 do redis.call('PERSIST', KEYS[i]) end end
return 1";

/// ARGV: turns, bytes, seconds. Gives the newest first.
const NEWEST: &str = "
local most, room, found, at = tonumber(ARGV[1]), tonumber(ARGV[2]), {}, -1
while #found < most do
  local some = redis.call('LRANGE', KEYS[1], at - 63, at)
  if #some == 0 then break end
  local full = false
  for i = #some, 1, -1 do
    room = room - #some[i]
    if #found >= most or (room < 0 and #found > 0) then full = true break end
    found[#found + 1] = some[i]
  end
  if full or #some < 64 then break end
  at = at - 64
end
if tonumber(ARGV[3]) > 0 then for i = 1, 2 do redis.call('EXPIRE', KEYS[i], ARGV[3]) end end
return found";

/// ARGV: seconds, how many were seen, their hashed keys, then the turns with theirs.
const REWRITE: &str = "
local seen = tonumber(ARGV[2])
if seen > 0 then
  local old = redis.call('LRANGE', KEYS[1], 0, seen - 1)
  if #old ~= seen then return 0 end
  for i = 1, seen do
    if string.sub(old[i], 1, 32) ~= ARGV[2 + i] then return 0 end
  end
  redis.call('LTRIM', KEYS[1], seen, -1)
end
for i = #ARGV, seen + 3, -1 do
  redis.call('LPUSH', KEYS[1], ARGV[i])
  redis.call('SADD', KEYS[2], string.sub(ARGV[i], 1, 32))
end
if tonumber(ARGV[1]) > 0 then for i = 1, 2 do redis.call('EXPIRE', KEYS[i], ARGV[1]) end end
return 1";

/// How turns lie in Redis. Those of the other kind are read all the same.
#[derive(Clone)]
pub enum Protection {
    Sealed(Arc<dyn Sealer>),
    /// Anybody with access to the Redis can read them.
    Open(Arc<dyn Sealer>),
}

pub struct RedisConversations {
    pub host: Arc<dyn Host>,
    pub server: RedisServer,
    pub prefix: Str,
    pub protection: Protection,
}

impl RedisConversations {
    async fn run(
        &self,
        which: &ConversationId,
        script: &str,
        words: &[&str],
    ) -> Result<Value, MemoryError> {
        let [turns, keys] = self.keys(which);
        let mut command = vec!["EVAL", script, "2", &turns, &keys];
        command.extend_from_slice(words);
        let mut session = self.host.connections().redis(&self.server).await.map_err(unusable)?;
        session.command(&command).await.map_err(unusable)
    }

    /// The session is in them only as a part of a hash; braces keep both on one machine of a
    /// cluster.
    fn keys(&self, which: &ConversationId) -> [String; 2] {
        let hash = hashed(&which.identity());
        [format!("{}{{{hash}}}", self.prefix), format!("{}{{{hash}}}:keys", self.prefix)]
    }

    /// The name of something else that belongs to a conversation.
    pub(super) fn mark(&self, which: &ConversationId, what: &str) -> String {
        format!("{}{{{}}}:{what}", self.prefix, hashed(&which.identity()))
    }

    /// A turn with its hashed key in front.
    async fn encode(
        &self,
        which: &ConversationId,
        turn: &StoredTurn,
    ) -> Result<String, MemoryError> {
        let text = turn.to_text();
        let body = match &self.protection {
            Protection::Open(_) => format!("open:{text}"),
            Protection::Sealed(sealer) => {
                let sealed = sealer.seal(&sealed_name(which), text.as_bytes()).await?;
                format!("sealed:{}", STANDARD.encode(sealed))
            }
        };
        Ok(body)
    }

    async fn read(&self, which: &ConversationId, entry: &str) -> Result<StoredTurn, MemoryError> {
        let damaged = || MemoryError::new("A turn of the conversation in Redis is damaged");
        let body = entry.get(KEY_LENGTH..).ok_or_else(damaged)?;
        if let Some(text) = body.strip_prefix("open:") {
            return StoredTurn::from_text(text);
        }
        let sealed = body
            .strip_prefix("sealed:")
            .and_then(|body| STANDARD.decode(body).ok())
            .ok_or_else(damaged)?;
        let (Protection::Sealed(sealer) | Protection::Open(sealer)) = &self.protection;
        let plain = sealer.open(&sealed_name(which), &sealed).await?;
        StoredTurn::from_text(&String::from_utf8(plain).map_err(|_| damaged())?)
    }
}

#[async_trait::async_trait]
impl ConversationStore for RedisConversations {
    async fn newest(
        &self,
        which: &ConversationId,
        most: RecallLimit,
        lifetime: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        // Numbers in scripts are exact up to here.
        let number = |number: usize| number.min(1 << 52).to_string();
        let found = self
            .run(which, NEWEST, &[&number(most.turns), &number(most.bytes), &seconds(lifetime)])
            .await?;
        let mut turns = Vec::new();
        for entry in found.as_array().unwrap_or_default().iter().rev() {
            turns.push(self.read(which, entry.as_str().unwrap_or_default()).await?);
        }
        Ok(turns)
    }

    async fn append(
        &self,
        which: &ConversationId,
        turn: StoredTurn,
        lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        let body = self.encode(which, &turn).await?;
        self.run(which, APPEND, &[&hashed_key(&turn.key), &body, &seconds(lifetime)]).await?;
        Ok(())
    }

    async fn rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
        lifetime: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError> {
        let mut words = vec![seconds(lifetime), seen.len().to_string()];
        words.extend(seen.iter().map(hashed_key));
        for turn in &turns {
            words.push(format!("{}{}", hashed_key(&turn.key), self.encode(which, turn).await?));
        }
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let done = self.run(which, REWRITE, &words).await?;
        Ok(if done.as_f64() == Some(1.0) { RewriteOutcome::Done } else { RewriteOutcome::Stale })
    }

    async fn clear(&self, which: &ConversationId) -> Result<(), MemoryError> {
        let [turns, keys] = self.keys(which);
        let mut session = self.host.connections().redis(&self.server).await.map_err(unusable)?;
        session.command(&["DEL", &turns, &keys]).await.map_err(unusable)?;
        Ok(())
    }
}

/// What a turn is sealed under: it opens in its own conversation only.
fn sealed_name(which: &ConversationId) -> String {
    format!("conversation {}", hashed(&which.identity()))
}

fn hashed_key(key: &TurnKey) -> String {
    let mut hash = hashed(key.0.as_bytes());
    hash.truncate(KEY_LENGTH);
    hash
}

fn seconds(lifetime: Lifetime) -> String {
    match lifetime {
        Lifetime::Endless => "0".to_owned(),
        // Redis counts in milliseconds of 64 bits.
        Lifetime::Seconds(seconds) => seconds.min(1 << 40).to_string(),
    }
}
