//! Policies in SQLite.

use super::executions::rows;
use super::{Sqlite, now_ms};
use crate::Error;
use crate::policies::{MAX_POLICY_VERSIONS, PolicyStore, StoredPolicy};
use model::Str;
use rusqlite::{Connection, Row, params};

#[async_trait::async_trait]
impl PolicyStore for Sqlite {
    async fn policy_version(&self) -> Result<i64, Error> {
        self.read(newest_version).await
    }

    async fn policies(&self, limit: usize) -> Result<Vec<StoredPolicy>, Error> {
        self.read(move |connection| {
            let mut found = connection.prepare_cached(
                "SELECT version, text, changed_by, changed_ms FROM policies
                 ORDER BY version DESC LIMIT ?1",
            )?;
            rows(found.query_map([limit as i64], stored)?)
        })
        .await
    }

    async fn set_policy(
        &self,
        text: &str,
        seen: i64,
        by: &str,
    ) -> Result<Option<StoredPolicy>, Error> {
        let new = StoredPolicy {
            version: seen.saturating_add(1),
            text: text.into(),
            changed_by: by.into(),
            changed_ms: now_ms(),
        };
        self.write(move |connection| {
            if newest_version(connection)? != seen {
                return Ok(None);
            }
            let StoredPolicy { version, text, changed_by, changed_ms } = &new;
            connection.execute(
                "INSERT INTO policies (version, text, changed_by, changed_ms)
                 VALUES (?1, ?2, ?3, ?4)",
                params![version, text.as_str(), changed_by.as_str(), changed_ms],
            )?;
            connection.execute(
                "DELETE FROM policies WHERE version <= ?1",
                [version.saturating_sub(MAX_POLICY_VERSIONS)],
            )?;
            Ok(Some(new.clone()))
        })
        .await
    }
}

fn newest_version(connection: &Connection) -> Result<i64, Error> {
    let sql = "SELECT coalesce(max(version), 0) FROM policies";
    Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredPolicy> {
    let text = |at: usize| row.get::<_, String>(at).map(Str::from);
    Ok(StoredPolicy {
        version: row.get(0)?,
        text: text(1)?,
        changed_by: text(2)?,
        changed_ms: row.get(3)?,
    })
}
