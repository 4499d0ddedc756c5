//! Conversations in a table of Postgres, in the form that n8n and LangChain keep them in: what they
//! have written is read, and they read what is written here.

use super::langchain::{from_stored, mark, ours, to_stored};
use super::{hashed, unusable};
use model::{Str, Value};
use node_api::ai::{
    ChatRole, ConversationId, ConversationStore, Lifetime, MemoryError, Message, RecallLimit,
    RewriteOutcome, StoredTurn, TurnKey,
};
use node_api::connect::{ConnectError, SqlServer, SqlSession};
use node_api::host::Host;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Rows that are read at once.
const PAGE: usize = 200;
/// Letters that fit into the column of the session.
const MAX_SESSION_CHARS: usize = 255;
/// Before the hash of a session that does not fit. Sessions that begin so are hashed too, so that
/// none can pretend to be another.
const HASHED: &str = "heddle-sha256:";

/// The table and where it is. Sessions are kept apart by their id alone, as in n8n: whoever shares
/// a table shares conversations.
pub struct PostgresConversations {
    host: Arc<dyn Host>,
    server: SqlServer,
    /// As it stands in statements.
    table: String,
    is_there: AtomicBool,
}

impl PostgresConversations {
    /// The name of the table may have its schema and a dot before it.
    pub fn new(host: Arc<dyn Host>, server: SqlServer, table: &str) -> Self {
        let quoted = |name: &str| format!("\"{}\"", name.replace('\0', "").replace('"', "\"\""));
        let table = table.split('.').map(quoted).collect::<Vec<_>>().join(".");
        Self { host, server, table, is_there: AtomicBool::new(false) }
    }

    async fn session(&self) -> Result<Box<dyn SqlSession>, ConnectError> {
        let mut session = self.host.connections().sql(&self.server).await?;
        if !self.is_there.load(Ordering::Relaxed) {
            self.make_table(session.as_mut()).await?;
            self.is_there.store(true, Ordering::Relaxed);
        }
        Ok(session)
    }

    /// Whoever has only been given the table may not be allowed to make one.
    async fn make_table(&self, session: &mut dyn SqlSession) -> Result<(), ConnectError> {
        let table = &self.table;
        let found = session
            .run("SELECT to_regclass($1) IS NOT NULL AS found", &[table.as_str().into()])
            .await?;
        if found
            .iter()
            .flat_map(|result| &result.rows)
            .any(|row| row.get("found").is_some_and(Value::is_truthy))
        {
            return Ok(());
        }
        session.run("BEGIN", &[]).await?;
        lock(session, table).await?;
        let columns = format!(
            "id SERIAL PRIMARY KEY, session_id VARCHAR({MAX_SESSION_CHARS}) NOT NULL, message JSONB NOT NULL"
        );
        session.run(&format!("CREATE TABLE IF NOT EXISTS {table} ({columns})"), &[]).await?;
        session.run(&format!("CREATE INDEX ON {table} (session_id, id)"), &[]).await?;
        session.run("COMMIT", &[]).await.map(drop)
    }

    /// A transaction that nobody else has for this conversation. It ends without a trace if it is
    /// dropped.
    async fn begin(&self, which: &ConversationId) -> Result<Box<dyn SqlSession>, ConnectError> {
        let mut session = self.session().await?;
        session.run("BEGIN", &[]).await?;
        lock(session.as_mut(), &format!("{} {}", self.table, session_of(which))).await?;
        Ok(session)
    }

    async fn read(
        &self,
        session: &mut dyn SqlSession,
        which: &ConversationId,
        most: RecallLimit,
    ) -> Result<Vec<StoredTurn>, ConnectError> {
        let mut newest_first: Vec<MessageRow> = Vec::new();
        let mut bytes = 0;
        loop {
            let page = self.page(session, which, newest_first.last().map(|row| row.id)).await?;
            let is_whole = page.len() < PAGE;
            bytes += page.iter().map(|row| row.bytes).sum::<usize>();
            newest_first.extend(page);
            // The oldest turn may go on in what was not read yet.
            if is_whole || bytes > most.bytes || turns_of(&newest_first).len() > most.turns {
                let mut turns = turns_of(&newest_first);
                if !is_whole && turns.len() > 1 {
                    turns.remove(0);
                }
                let n_fitting = most.count_fitting(turns.iter().rev().map(StoredTurn::bytes));
                return Ok(turns.split_off(turns.len() - n_fitting));
            }
        }
    }

    /// The newest rows before one, newest first.
    async fn page(
        &self,
        session: &mut dyn SqlSession,
        which: &ConversationId,
        before: Option<i64>,
    ) -> Result<Vec<MessageRow>, ConnectError> {
        let before = before.map(|id| format!("AND id < {id}")).unwrap_or_default();
        let sql = format!(
            "SELECT id, message FROM {} WHERE session_id = $1 {before} ORDER BY id DESC LIMIT {PAGE}",
            self.table
        );
        let found = session.run(&sql, &[session_of(which).into()]).await?;
        let row = |row: &model::Object| {
            let id = row.get("id").map(Value::to_js_string)?.parse().ok()?;
            let message = row.get("message")?.clone();
            Some(MessageRow { id, bytes: model::json::to_string(&message).len(), message })
        };
        Ok(found.iter().flat_map(|result| &result.rows).filter_map(row).collect())
    }

    async fn insert(
        &self,
        session: &mut dyn SqlSession,
        which: &ConversationId,
        turns: &[StoredTurn],
    ) -> Result<(), ConnectError> {
        let rows = turns.iter().flat_map(rows_of).collect();
        let sql = format!(
            "INSERT INTO {} (session_id, message) SELECT $1, message FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY \
             AS given (message, place) ORDER BY place",
            self.table
        );
        let rows = model::json::to_string(&without_nul(Value::array(rows)));
        session.run(&sql, &[session_of(which).into(), rows.into()]).await.map(drop)
    }

    async fn delete(
        &self,
        session: &mut dyn SqlSession,
        which: &ConversationId,
    ) -> Result<(), ConnectError> {
        let sql = format!("DELETE FROM {} WHERE session_id = $1", self.table);
        session.run(&sql, &[session_of(which).into()]).await.map(drop)
    }

    async fn try_append(
        &self,
        which: &ConversationId,
        turn: &StoredTurn,
    ) -> Result<(), ConnectError> {
        let mut session = self.begin(which).await?;
        let sql = format!(
            "SELECT 1 AS known FROM {} WHERE session_id = $1 AND message -> 'additional_kwargs' -> 'heddle' ->> 'turn' = $2 LIMIT 1",
            self.table
        );
        let known =
            session.run(&sql, &[session_of(which).into(), hashed_key(&turn.key).into()]).await?;
        if known.iter().all(|result| result.rows.is_empty()) {
            self.insert(session.as_mut(), which, std::slice::from_ref(turn)).await?;
        }
        commit(session).await
    }

    async fn try_rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
    ) -> Result<RewriteOutcome, ConnectError> {
        let mut session = self.begin(which).await?;
        let kept = self.read(session.as_mut(), which, RecallLimit::ALL).await?;
        if kept.len() < seen.len() || kept.iter().zip(seen).any(|(turn, key)| turn.key != *key) {
            return Ok(RewriteOutcome::Stale);
        }
        // Rows are in the order of their numbers: those that stay are written again, behind the new
        // ones.
        let rest = kept.into_iter().skip(seen.len());
        let all: Vec<StoredTurn> = turns.into_iter().chain(rest).collect();
        self.delete(session.as_mut(), which).await?;
        self.insert(session.as_mut(), which, &all).await?;
        commit(session).await?;
        Ok(RewriteOutcome::Done)
    }
}

#[async_trait::async_trait]
impl ConversationStore for PostgresConversations {
    async fn newest(
        &self,
        which: &ConversationId,
        most: RecallLimit,
        _lifetime: Lifetime,
    ) -> Result<Vec<StoredTurn>, MemoryError> {
        let mut session = self.session().await.map_err(unusable)?;
        let turns = self.read(session.as_mut(), which, most).await.map_err(unusable)?;
        session.finish().await;
        Ok(turns)
    }

    async fn append(
        &self,
        which: &ConversationId,
        turn: StoredTurn,
        _lifetime: Lifetime,
    ) -> Result<(), MemoryError> {
        self.try_append(which, &turn).await.map_err(unusable)
    }

    async fn rewrite(
        &self,
        which: &ConversationId,
        seen: &[TurnKey],
        turns: Vec<StoredTurn>,
        _: Lifetime,
    ) -> Result<RewriteOutcome, MemoryError> {
        self.try_rewrite(which, seen, turns).await.map_err(unusable)
    }

    async fn clear(&self, which: &ConversationId) -> Result<(), MemoryError> {
        let cleared = async {
            let mut session = self.begin(which).await?;
            self.delete(session.as_mut(), which).await?;
            commit(session).await
        };
        cleared.await.map_err(unusable)
    }
}

/// A row of the table.
struct MessageRow {
    id: i64,
    message: Value,
    bytes: usize,
}

async fn commit(mut session: Box<dyn SqlSession>) -> Result<(), ConnectError> {
    session.run("COMMIT", &[]).await?;
    session.finish().await;
    Ok(())
}

/// Held until the end of the transaction.
async fn lock(session: &mut dyn SqlSession, name: &str) -> Result<(), ConnectError> {
    let number = i64::from_str_radix(&hashed(name.as_bytes())[..15], 16).unwrap_or_default();
    session.run(&format!("SELECT pg_advisory_xact_lock({number})"), &[]).await.map(drop)
}

/// The session as it stands in the table: as it is, so that conversations of n8n go on, or hashed
/// where the column cannot hold it.
fn session_of(which: &ConversationId) -> String {
    let session = which.session.as_str();
    if session.chars().count() > MAX_SESSION_CHARS
        || session.contains('\0')
        || session.starts_with(HASHED)
    {
        return format!("{HASHED}{}", hashed(session.as_bytes()));
    }
    session.to_owned()
}

fn hashed_key(key: &TurnKey) -> String {
    hashed(key.0.as_bytes())
}

fn rows_of(turn: &StoredTurn) -> Vec<Value> {
    let mut rows: Vec<Value> = turn.messages.iter().flat_map(to_stored).collect();
    for row in &mut rows {
        mark(row, "turn", hashed_key(&turn.key).into());
        mark(row, "key", turn.key.0.clone().into());
    }
    rows
}

/// Rows, newest first, as turns, oldest first. What others have written begins a turn with every
/// message of the user.
fn turns_of(newest_first: &[MessageRow]) -> Vec<StoredTurn> {
    let mut turns: Vec<(TurnKey, Vec<Value>)> = Vec::new();
    for row in newest_first.iter().rev() {
        let key = ours(&row.message, "key").and_then(Value::as_str).map(|key| TurnKey(key.into()));
        let begins = || {
            from_stored(std::slice::from_ref(&row.message))
                .first()
                .is_none_or(|message| message.role == ChatRole::User)
        };
        match (turns.last_mut(), key) {
            (Some((last, rows)), Some(key)) if *last == key => rows.push(row.message.clone()),
            (Some((last, rows)), None) if is_external_key(last) && !begins() => {
                rows.push(row.message.clone())
            }
            (_, key) => {
                turns.push((key.unwrap_or_else(|| external_key(row.id)), vec![row.message.clone()]))
            }
        }
    }
    let turn = |(key, rows): (TurnKey, Vec<Value>)| {
        let messages: Vec<Message> = from_stored(&rows);
        StoredTurn::new(key, messages)
    };
    turns.into_iter().map(turn).filter(|turn| !turn.messages.is_empty()).collect()
}

/// What a turn is called that others have written.
fn external_key(id: i64) -> TurnKey {
    TurnKey(Str::from(format!("row {id}")))
}

fn is_external_key(key: &TurnKey) -> bool {
    key.0.starts_with("row ")
}

/// Postgres has no place for this one character in JSON.
fn without_nul(value: Value) -> Value {
    match value {
        Value::String(text) if text.contains('\0') => text.replace("\0", "\u{fffd}").into(),
        Value::Array(values) => Value::array(values.iter().cloned().map(without_nul).collect()),
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (key.replace("\0", "\u{fffd}"), without_nul(value.clone())))
            .collect::<model::Object>()
            .into(),
        other => other,
    }
}
