//! Workflows and their versions in SQLite.

use super::approvals::remove_of;
use super::executions::{remove_journal, rows};
use super::{Sqlite, new_id, now_ms};
use crate::Error;
use crate::workflows::{NewVersion, StaticData, StoredWorkflow, Version, VersionWords, WorkflowFilter, Workflows};
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

const COLUMNS: &str =
    "id, name, active, archived, version_id, document, static_data, created_ms, updated_ms, project_id, active_version_id, folder_id";

#[async_trait::async_trait]
impl Workflows for Sqlite {
    async fn workflow(&self, id: &str) -> Result<Option<StoredWorkflow>, Error> {
        let id = id.to_owned();
        self.read(move |connection| find(connection, &id)).await
    }

    async fn workflows(&self, filter: WorkflowFilter) -> Result<Vec<StoredWorkflow>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM workflows
                 WHERE (?1 IS NULL OR active = ?1) AND (?2 IS NULL OR name LIKE '%' || ?2 || '%') AND (?3 IS NULL OR archived = ?3)
                   AND (?4 IS NULL OR (updated_ms, id) < (?4, ?5))
                   AND (?7 IS NULL OR project_id = ?7)
                   AND (?10 IS NULL OR project_id IN (SELECT value FROM json_each(?10)))
                   AND (?11 = 0 OR folder_id IS ?12)
                   AND (?8 = 0 OR ?8 = (SELECT count(*) FROM workflow_tags w JOIN tags t ON t.id = w.tag_id
                                        WHERE w.workflow_id = workflows.id AND t.name IN (SELECT value FROM json_each(?9))))
                 ORDER BY updated_ms DESC, id DESC LIMIT ?6"
            );
            let (moment, last) = filter.after.map(|(moment, last)| (moment, last.to_string())).unzip();
            let mut found = connection.prepare_cached(&sql)?;
            let (name, project) = (filter.name.as_deref(), filter.project_id.as_deref());
            let mut tags = filter.tags;
            tags.sort();
            tags.dedup();
            let (n_tags, limit) = (tags.len() as i64, filter.limit as i64);
            let tags = super::json_list(tags);
            let within = filter.within.map(super::json_list);
            let (by_folder, folder) = (filter.folder.is_some(), filter.folder.flatten());
            let folder = folder.as_deref();
            let values =
                params![filter.active, name, filter.archived, moment, last, limit, project, n_tags, tags, within, by_folder, folder];
            rows(found.query_map(values, stored)?)
        })
        .await
    }

    async fn workflow_names(&self, ids: Vec<Str>) -> Result<Vec<(Str, Str)>, Error> {
        self.read(move |connection| {
            let mut found = connection.prepare_cached("SELECT id, name FROM workflows WHERE id IN (SELECT value FROM json_each(?1))")?;
            rows(found.query_map([super::json_list(ids)], |row| Ok((text(row, 0)?, text(row, 1)?)))?)
        })
        .await
    }

    async fn save_workflow(&self, workflow: NewVersion) -> Result<StoredWorkflow, Error> {
        self.add_workflow(workflow, crate::projects::PERSONAL).await
    }

    async fn add_workflow(&self, workflow: NewVersion, project: &str) -> Result<StoredWorkflow, Error> {
        let project = project.to_owned();
        self.write(move |connection| {
            let known = find(connection, &workflow.id)?;
            if let Some(same) = known.filter(|known| known.document == workflow.document && known.name == workflow.name) {
                return Ok(same);
            }
            let now = now_ms();
            let version = new_id();
            let author = workflow.author.as_deref();
            connection
                .prepare_cached(
                    "INSERT INTO workflow_versions (id, workflow_id, document, author, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
                )?
                .execute(params![version.as_str(), workflow.id.as_str(), workflow.document.as_str(), author, now])?;
            connection
                .prepare_cached(
                    "INSERT INTO workflows (id, name, version_id, document, static_data, created_ms, updated_ms, project_id)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)
                     ON CONFLICT (id) DO UPDATE SET name = excluded.name, version_id = excluded.version_id,
                       document = excluded.document, updated_ms = excluded.updated_ms, active_version_id = NULL",
                )?
                .execute(params![
                    workflow.id.as_str(),
                    workflow.name.as_str(),
                    version.as_str(),
                    workflow.document.as_str(),
                    workflow.static_data.as_deref(),
                    now,
                    project
                ])?;
            note_change(connection)?;
            find(connection, &workflow.id)?.ok_or_else(|| Error::Corrupt { what: "the table of workflows".into() })
        })
        .await
    }

    async fn set_active(&self, id: &str, active: bool) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            let sql = "UPDATE workflows SET active = ?2, active_version_id = NULL WHERE id = ?1";
            let changed = connection.prepare_cached(sql)?.execute(params![id, active])?;
            note_change(connection)?;
            Ok(changed > 0)
        })
        .await
    }

    async fn activate_version(&self, id: &str, version_id: &str) -> Result<bool, Error> {
        let (id, version_id) = (id.to_owned(), version_id.to_owned());
        self.write(move |connection| {
            let sql = "UPDATE workflows SET active = 1, active_version_id = nullif(?2, version_id)
                       WHERE id = ?1 AND EXISTS (SELECT 1 FROM workflow_versions WHERE id = ?2 AND workflow_id = ?1)";
            let changed = connection.prepare_cached(sql)?.execute(params![id, version_id])?;
            note_change(connection)?;
            Ok(changed > 0)
        })
        .await
    }

    async fn name_version(&self, version_id: &str, words: VersionWords) -> Result<bool, Error> {
        let version_id = version_id.to_owned();
        self.write(move |connection| {
            let sql = "UPDATE workflow_versions SET name = coalesce(?2, name), description = coalesce(?3, description) WHERE id = ?1";
            let values = params![version_id, words.name.as_deref(), words.description.as_deref()];
            Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
        })
        .await
    }

    async fn set_archived(&self, id: &str, archived: bool) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            let sql = "UPDATE workflows SET archived = ?2, active = active AND NOT ?2, updated_ms = ?3 WHERE id = ?1";
            let changed = connection.prepare_cached(sql)?.execute(params![id, archived, now_ms()])?;
            note_change(connection)?;
            Ok(changed > 0)
        })
        .await
    }

    async fn delete_workflow(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        let deleted = self.write(move |connection| {
            let sql = "SELECT DISTINCT execution_id FROM blobs WHERE execution_id IN (SELECT id FROM executions WHERE workflow_id = ?1)";
            let with_files: Vec<i64> = rows(connection.prepare_cached(sql)?.query_map([&id], |row| row.get(0))?)?;
            let runs = "SELECT id FROM executions WHERE workflow_id = ?1";
            let runs: Vec<i64> = rows(connection.prepare_cached(runs)?.query_map([&id], |row| row.get(0))?)?;
            for run in runs {
                remove_journal(connection, run)?;
                remove_of(connection, run)?;
            }
            for sql in [
                "DELETE FROM blobs WHERE execution_id IN (SELECT id FROM executions WHERE workflow_id = ?1)",
                "DELETE FROM executions WHERE workflow_id = ?1",
                "DELETE FROM schedules WHERE workflow_id = ?1",
                "DELETE FROM conversations WHERE workflow_id = ?1",
                "DELETE FROM workflow_versions WHERE workflow_id = ?1",
            ] {
                connection.execute(sql, [&id])?;
            }
            note_change(connection)?;
            Ok((connection.execute("DELETE FROM workflows WHERE id = ?1", [&id])? > 0, with_files))
        });
        let (was_there, with_files) = deleted.await?;
        self.remove_files(with_files).await;
        Ok(was_there)
    }

    async fn version(&self, version_id: &str) -> Result<Option<Str>, Error> {
        let version_id = version_id.to_owned();
        self.read(move |connection| {
            let mut found = connection.prepare_cached("SELECT document FROM workflow_versions WHERE id = ?")?;
            Ok(found.query_row([version_id], |row| text(row, 0)).optional()?)
        })
        .await
    }

    async fn versions(&self, workflow_id: &str) -> Result<Vec<Version>, Error> {
        let workflow_id = workflow_id.to_owned();
        self.read(move |connection| {
            let mut found = connection.prepare_cached(
                "SELECT id, author, created_ms, name, description FROM workflow_versions WHERE workflow_id = ? ORDER BY created_ms DESC, rowid DESC",
            )?;
            rows(found.query_map([workflow_id], |row| {
                let words = VersionWords { name: optional(row, 3)?, description: optional(row, 4)? };
                Ok(Version { id: text(row, 0)?, author: optional(row, 1)?, words, created_ms: row.get(2)? })
            })?)
        })
        .await
    }

    async fn save_static_data(&self, id: &str, data: StaticData) -> Result<(), Error> {
        let id = id.to_owned();
        self.write(move |connection| keep_static_data(connection, &id, &data)).await
    }

    async fn workflows_changed(&self) -> Result<i64, Error> {
        self.read(|connection| {
            let noted: Option<String> =
                connection.query_row("SELECT value FROM facts WHERE key = 'workflows_changed'", [], |row| row.get(0)).optional()?;
            Ok(noted.and_then(|text| text.parse().ok()).unwrap_or(0))
        })
        .await
    }
}

/// Lets a server that runs beside this process see that there is something new.
pub(super) fn note_change(connection: &Connection) -> Result<(), Error> {
    connection
        .prepare_cached(
            "INSERT INTO facts (key, value) VALUES ('workflows_changed', '1')
             ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        )?
        .execute([])?;
    Ok(())
}

/// Puts what has changed over what is kept.
pub(super) fn keep_static_data(connection: &Connection, id: &str, data: &StaticData) -> Result<(), Error> {
    let mut found = connection.prepare_cached("SELECT static_data FROM workflows WHERE id = ?")?;
    let kept: Option<Option<String>> = found.query_row([id], |row| row.get(0)).optional()?;
    let kept = kept.flatten().and_then(|text| model::json::parse(&text).ok());
    let mut merged = kept.filter(|kept| kept.as_object().is_some()).unwrap_or_else(|| data.whole.clone());
    let parts = merged.make_object();
    for (key, value) in data.changed.iter() {
        parts.insert(key.clone(), value.clone());
    }
    let text = model::json::to_string(&merged);
    connection.prepare_cached("UPDATE workflows SET static_data = ?2 WHERE id = ?1")?.execute(params![id, text])?;
    Ok(())
}

fn find(connection: &Connection, id: &str) -> Result<Option<StoredWorkflow>, Error> {
    let mut found = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM workflows WHERE id = ?"))?;
    Ok(found.query_row([id], stored).optional()?)
}

fn text(row: &Row<'_>, index: usize) -> rusqlite::Result<Str> {
    Ok(row.get_ref(index)?.as_str()?.into())
}

fn optional(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<Str>> {
    Ok(row.get::<_, Option<String>>(index)?.map(Into::into))
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredWorkflow> {
    Ok(StoredWorkflow {
        id: text(row, 0)?,
        name: text(row, 1)?,
        active: row.get(2)?,
        archived: row.get(3)?,
        version_id: text(row, 4)?,
        project_id: text(row, 9)?,
        document: text(row, 5)?,
        chosen_version: optional(row, 10)?,
        folder_id: optional(row, 11)?,
        static_data: optional(row, 6)?,
        created_ms: row.get(7)?,
        updated_ms: row.get(8)?,
    })
}
