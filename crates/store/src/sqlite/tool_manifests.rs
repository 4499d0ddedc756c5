//! Registered tool manifests in SQLite.

use super::executions::rows;
use super::{Sqlite, now_ms};
use crate::Error;
use crate::tool_manifests::{
    MAX_PROJECT_MANIFESTS, SetToolManifest, StoredToolManifest, ToolManifestStore,
};
use model::Str;
use rusqlite::{OptionalExtension as _, Row, params};

#[async_trait::async_trait]
impl ToolManifestStore for Sqlite {
    async fn tool_manifest_changes(&self) -> Result<i64, Error> {
        self.read(|connection| {
            let sql = "SELECT changes FROM tool_manifest_changes";
            Ok(connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
        })
        .await
    }

    async fn tool_manifests(&self) -> Result<Vec<StoredToolManifest>, Error> {
        self.read(|connection| {
            let mut found = connection.prepare_cached(
                "SELECT project_id, name, version, text, changed_by, changed_ms
                 FROM tool_manifests ORDER BY project_id, name",
            )?;
            rows(found.query_map([], stored)?)
        })
        .await
    }

    async fn set_tool_manifest(
        &self,
        manifest: StoredToolManifest,
        seen: i64,
    ) -> Result<SetToolManifest, Error> {
        self.write(move |connection| {
            let StoredToolManifest { project, name, text, changed_by, .. } = &manifest;
            let known = "SELECT version FROM tool_manifests WHERE project_id = ?1 AND name = ?2";
            let version: Option<i64> = connection
                .prepare_cached(known)?
                .query_row([project.as_str(), name.as_str()], |row| row.get(0))
                .optional()?;
            if version.unwrap_or(0) != seen {
                return Ok(SetToolManifest::Changed);
            }
            let count = "SELECT count(*) FROM tool_manifests WHERE project_id = ?1";
            let count: i64 = connection
                .prepare_cached(count)?
                .query_row([project.as_str()], |row| row.get(0))?;
            if version.is_none() && count >= MAX_PROJECT_MANIFESTS {
                return Ok(SetToolManifest::Full);
            }
            let version = seen.saturating_add(1);
            connection.execute(
                "INSERT INTO tool_manifests
                   (project_id, name, version, text, changed_by, changed_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (project_id, name) DO UPDATE SET version = excluded.version,
                   text = excluded.text, changed_by = excluded.changed_by,
                   changed_ms = excluded.changed_ms",
                params![
                    project.as_str(),
                    name.as_str(),
                    version,
                    text.as_str(),
                    changed_by.as_str(),
                    now_ms()
                ],
            )?;
            Ok(SetToolManifest::Done { version })
        })
        .await
    }

    async fn delete_tool_manifest(&self, project: &str, name: &str) -> Result<bool, Error> {
        let (project, name) = (project.to_owned(), name.to_owned());
        self.write(move |connection| {
            let sql = "DELETE FROM tool_manifests WHERE project_id = ?1 AND name = ?2";
            Ok(connection.execute(sql, [&project, &name])? > 0)
        })
        .await
    }
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredToolManifest> {
    let text = |at: usize| row.get::<_, String>(at).map(Str::from);
    Ok(StoredToolManifest {
        project: text(0)?,
        name: text(1)?,
        version: row.get(2)?,
        text: text(3)?,
        changed_by: text(4)?,
        changed_ms: row.get(5)?,
    })
}
