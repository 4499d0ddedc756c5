//! Turns that wait for consolidation.

use super::spaces::SpaceRow;
use super::{entries, subject_hash};
use crate::Error;
use crate::sqlite::conversations::hashed;
use crate::vault::VaultKey;
use model::{Object, Str, Value};
use node_api::ai::{EntrySource, LongTermError, MemoryLimits, PendingGroup, PendingTurn};
use rusqlite::{Connection, params};

/// How long the key of a turn that was consolidated stays.
const DONE_MS: i64 = 30 * 24 * 60 * 60 * 1000;

pub(super) fn add(
    connection: &Connection,
    row: &SpaceRow,
    key: &VaultKey,
    turn: &PendingTurn,
    limits: &MemoryLimits,
) -> Result<(), Error> {
    entries::check_subject(&turn.subject, limits)?;
    let hash = hashed(turn.key.as_bytes());
    let text: Str = match turn.text.len() > limits.turn_bytes {
        true => {
            let end = (0..=limits.turn_bytes).rev().find(|at| turn.text.is_char_boundary(*at));
            turn.text[..end.unwrap_or(0)].into()
        }
        false => turn.text.clone(),
    };
    let body = Object::from_iter([
        ("key", Value::from(turn.key.clone())),
        ("subject", turn.subject.clone().into()),
        ("text", text.into()),
        ("source", turn.source.to_value()),
    ]);
    let sealed =
        key.seal(&name(row.number, &hash), model::json::to_string(&body.into()).as_bytes())?;
    let subject = subject_hash(&turn.subject);
    let sql = "INSERT INTO memory_turns (space, key, subject, at_ms, body) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (space, key) DO NOTHING";
    let n_added = connection
        .prepare_cached(sql)?
        .execute(params![row.number, hash, subject, turn.at_ms, sealed])?;
    if n_added > 0 {
        // The oldest go beyond the limit; their keys stay.
        let sql = "UPDATE memory_turns SET body = NULL WHERE number IN (
                     SELECT number FROM memory_turns WHERE space = ?1 AND subject = ?2 AND body IS NOT NULL ORDER BY number DESC LIMIT -1 OFFSET ?3)";
        connection.prepare_cached(sql)?.execute(params![
            row.number,
            subject,
            limits.pending_turns as i64
        ])?;
    }
    Ok(())
}

pub(super) fn oldest(
    connection: &Connection,
    row: &SpaceRow,
    key: &VaultKey,
    subject: &str,
    limit: usize,
) -> Result<Vec<PendingTurn>, Error> {
    let sql = "SELECT key, at_ms, body FROM memory_turns WHERE space = ?1 AND subject = ?2 AND body IS NOT NULL ORDER BY number LIMIT ?3";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query(params![row.number, subject_hash(subject), limit as i64])?;
    let mut turns = Vec::new();
    while let Some(found) = found.next()? {
        turns.push(open(
            row,
            key,
            &found.get::<_, Vec<u8>>(0)?,
            found.get(1)?,
            &found.get::<_, Vec<u8>>(2)?,
        )?);
    }
    Ok(turns)
}

pub(super) fn groups(
    connection: &Connection,
    row: &SpaceRow,
    key: &VaultKey,
    limit: usize,
) -> Result<Vec<PendingGroup>, Error> {
    let sql = "SELECT t.key, t.at_ms, t.body, g.n_turns, g.newest_ms FROM
                 (SELECT min(number) AS first, count(*) AS n_turns, max(at_ms) AS newest_ms FROM memory_turns
                  WHERE space = ?1 AND body IS NOT NULL GROUP BY subject ORDER BY first LIMIT ?2) g
               JOIN memory_turns t ON t.number = g.first ORDER BY g.first";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query(params![row.number, limit as i64])?;
    let mut groups = Vec::new();
    while let Some(found) = found.next()? {
        let turn = open(
            row,
            key,
            &found.get::<_, Vec<u8>>(0)?,
            found.get(1)?,
            &found.get::<_, Vec<u8>>(2)?,
        )?;
        groups.push(PendingGroup {
            subject: turn.subject,
            n_turns: found.get::<_, i64>(3)?.max(0) as usize,
            newest_ms: found.get(4)?,
        });
    }
    Ok(groups)
}

/// Takes turns as consolidated, if all of them wait.
pub(super) fn take(
    connection: &Connection,
    row: &SpaceRow,
    subject: &str,
    turns: &[Str],
) -> Result<bool, Error> {
    let sql = "UPDATE memory_turns SET body = NULL WHERE space = ?1 AND key = ?2 AND subject = ?3 AND body IS NOT NULL";
    let mut statement = connection.prepare_cached(sql)?;
    let subject = subject_hash(subject);
    for turn in turns {
        if statement.execute(params![row.number, hashed(turn.as_bytes()), subject])? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Deletes what was said by somebody, and tells how many turns waited.
pub(super) fn delete_subject(
    connection: &Connection,
    space: i64,
    subject: &[u8],
) -> Result<usize, Error> {
    let sql = "UPDATE memory_turns SET body = NULL WHERE space = ?1 AND subject = ?2 AND body IS NOT NULL";
    Ok(connection.prepare_cached(sql)?.execute(params![space, subject])?)
}

/// Forgets the keys of turns that were consolidated long ago.
pub(super) fn forget_done(connection: &Connection, now_ms: i64, most: usize) -> Result<(), Error> {
    let sql = "DELETE FROM memory_turns WHERE number IN (SELECT number FROM memory_turns WHERE body IS NULL AND at_ms <= ?1 LIMIT ?2)";
    connection.prepare_cached(sql)?.execute(params![now_ms - DONE_MS, most as i64])?;
    Ok(())
}

fn open(
    row: &SpaceRow,
    key: &VaultKey,
    hash: &[u8],
    at_ms: i64,
    sealed: &[u8],
) -> Result<PendingTurn, Error> {
    let plain = key
        .open(&name(row.number, hash), sealed)
        .and_then(|plain| String::from_utf8(plain).ok())
        .and_then(|plain| model::json::parse(&plain).ok());
    let damaged = || LongTermError::value("A turn that waits for consolidation is damaged");
    let value = plain.ok_or_else(damaged)?;
    let text =
        |part: &str| value.get(part).and_then(Value::as_str).map(Str::from).unwrap_or_default();
    Ok(PendingTurn {
        key: text("key"),
        subject: text("subject"),
        text: text("text"),
        at_ms,
        source: value.get("source").map(EntrySource::from_value).unwrap_or_default(),
    })
}

fn name(space: i64, hash: &[u8]) -> String {
    format!("memory turn {space} {}", hex::encode(hash))
}
