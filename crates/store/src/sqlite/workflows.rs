//! Workflows and their versions in SQLite.

use super::executions::{remove, rows};
use super::{Sqlite, addresses, new_id, now_ms, schedules};
use crate::Error;
use crate::addresses::{Address, AddressClaim, ClaimResult, LostAddress};
use crate::workflows::{
    ActivatedVersion, ImportedWorkflow, ListeningWorkflow, NewVersion, StaticDataChange,
    StoredWorkflow, VersionLabel, WorkflowFilter, WorkflowImport, WorkflowStore, WorkflowVersion,
};
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

const COLUMNS: &str = "id, name, active, archived, version_id, document, static_data, created_ms, updated_ms, project_id, active_version_id, folder_id, activations";

#[async_trait::async_trait]
impl WorkflowStore for Sqlite {
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
                   AND (?8 = 0 OR ?8 = (SELECT count(DISTINCT t.name) FROM workflow_tags w JOIN tags t ON t.id = w.tag_id
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
            let mut found = connection.prepare_cached(
                "SELECT id, name FROM workflows WHERE id IN (SELECT value FROM json_each(?1))",
            )?;
            rows(
                found
                    .query_map([super::json_list(ids)], |row| Ok((text(row, 0)?, text(row, 1)?)))?,
            )
        })
        .await
    }

    async fn save_workflow(&self, workflow: NewVersion) -> Result<StoredWorkflow, Error> {
        let id = workflow.id.clone();
        let saved = self.add_workflow(workflow, crate::projects::PERSONAL, None).await?;
        saved.done().ok_or(Error::Taken { what: "an active workflow", name: id })
    }

    async fn add_workflow(
        &self,
        workflow: NewVersion,
        project: &str,
        claims: Option<Vec<AddressClaim>>,
    ) -> Result<ClaimResult<StoredWorkflow>, Error> {
        let project = project.to_owned();
        self.write(move |connection| add(connection, &workflow, &project, claims.as_deref())).await
    }

    async fn replace_version(
        &self,
        workflow: NewVersion,
        seen: &str,
        claims: Option<Vec<AddressClaim>>,
    ) -> Result<ClaimResult<StoredWorkflow>, Error> {
        let seen = seen.to_owned();
        self.write(move |connection| {
            let Some(known) = find(connection, &workflow.id)? else {
                return Ok(ClaimResult::Missing);
            };
            if known.version_id != seen.as_str() {
                return Ok(ClaimResult::Outdated);
            }
            add(connection, &workflow, &known.project_id, claims.as_deref())
        })
        .await
    }

    async fn import_workflows(
        &self,
        imports: Vec<WorkflowImport>,
        project: &str,
    ) -> Result<Vec<ClaimResult<ImportedWorkflow>>, Error> {
        let project = project.to_owned();
        self.write(move |connection| {
            let mut imported = Vec::with_capacity(imports.len());
            for WorkflowImport { workflow, claims, activate } in imports {
                let saved = match add(connection, &workflow, &project, claims.as_deref())? {
                    ClaimResult::Done(saved) => saved,
                    refused => {
                        imported.push(
                            refused.map(|workflow| ImportedWorkflow { workflow, activated: None }),
                        );
                        break;
                    }
                };
                let newest = ActivatedVersion::Newest(saved.version_id.clone());
                let activated = match claims.filter(|_| activate) {
                    Some(claims) => Some(start_listening(connection, &saved.id, &newest, &claims)?),
                    None => None,
                };
                imported.push(ClaimResult::Done(ImportedWorkflow { workflow: saved, activated }));
            }
            Ok(imported)
        })
        .await
    }

    async fn activate(
        &self,
        id: &str,
        version: ActivatedVersion,
        claims: Vec<AddressClaim>,
    ) -> Result<ClaimResult<()>, Error> {
        let id = id.to_owned();
        self.write(move |connection| start_listening(connection, &id, &version, &claims)).await
    }

    async fn deactivate(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            addresses::release(connection, &id)?;
            stop_listening(connection, &id)
        })
        .await
    }

    async fn claim_or_deactivate(
        &self,
        id: &str,
        version_id: &str,
        claims: Vec<AddressClaim>,
    ) -> Result<ClaimResult<()>, Error> {
        let (id, version_id) = (id.to_owned(), version_id.to_owned());
        self.write(move |connection| {
            let Some(known) = find(connection, &id)? else { return Ok(ClaimResult::Missing) };
            if !known.active || *known.listening_version() != version_id {
                return Ok(ClaimResult::Outdated);
            }
            let Some(taken) = addresses::taken(connection, &id, &claims)? else {
                addresses::assign(connection, &id, &claims)?;
                return Ok(ClaimResult::Done(()));
            };
            addresses::release(connection, &id)?;
            addresses::record_loss(connection, &id, taken)?;
            stop_listening(connection, &id)?;
            Ok(ClaimResult::Taken(taken.clone()))
        })
        .await
    }

    async fn addresses(&self) -> Result<Vec<(Str, Address)>, Error> {
        self.read(|connection| addresses::of(connection, None)).await
    }

    async fn addresses_of(&self, workflows: Vec<Str>) -> Result<Vec<(Str, Address)>, Error> {
        self.read(move |connection| addresses::of(connection, Some(&workflows))).await
    }

    async fn listening(&self, of: Option<Vec<Str>>) -> Result<Vec<ListeningWorkflow>, Error> {
        self.read(move |connection| {
            let columns = "SELECT id, coalesce(active_version_id, version_id), project_id, created_ms, activations FROM workflows";
            let Some(of) = of else {
                let mut found = connection.prepare_cached(&format!("{columns} INDEXED BY workflows_listening WHERE active = 1"))?;
                return rows(found.query_map([], listening)?);
            };
            let mut found = connection.prepare_cached(&format!("{columns} WHERE id = ?1 AND active = 1"))?;
            let mut all = Vec::new();
            for workflow in of {
                all.extend(found.query_row([workflow.as_str()], listening).optional()?);
            }
            Ok(all)
        })
        .await
    }

    async fn lost_addresses(&self) -> Result<Vec<LostAddress>, Error> {
        self.read(addresses::lost).await
    }

    async fn name_version(&self, version_id: &str, words: VersionLabel) -> Result<bool, Error> {
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
            if archived {
                addresses::release(connection, &id)?;
                schedules::remove_of(connection, &id)?;
            }
            let sql = "UPDATE workflows SET archived = ?2, active = active AND NOT ?2, updated_ms = ?3 WHERE id = ?1";
            let changed = connection.prepare_cached(sql)?.execute(params![id, archived, now_ms()])?;
            if changed > 0 {
                record_change(connection, &id)?;
            }
            Ok(changed > 0)
        })
        .await
    }

    async fn delete_workflow(&self, id: &str) -> Result<Option<Vec<i64>>, Error> {
        let mut callers = Vec::new();
        // Writers wait for no more than one step.
        loop {
            let workflow = id.to_owned();
            let removed = self.write(move |connection| remove_runs(connection, &workflow)).await?;
            self.remove_files(removed.with_files).await;
            callers.extend(removed.callers);
            if removed.was_last {
                break;
            }
        }
        let workflow = id.to_owned();
        let deleted = self.write(move |connection| {
            // Those that were begun meanwhile.
            let mut all = Vec::new();
            loop {
                let removed = remove_runs(connection, &workflow)?;
                let was_last = removed.was_last;
                all.push(removed);
                if was_last {
                    break;
                }
            }
            for sql in [
                "DELETE FROM schedules WHERE workflow_id = ?1",
                "DELETE FROM conversations WHERE workflow_id = ?1",
                "DELETE FROM conversation_keys WHERE workflow_id = ?1",
                "DELETE FROM attempts WHERE workflow_id = ?1",
                "DELETE FROM workflow_versions WHERE workflow_id = ?1",
            ] {
                connection.execute(sql, [&workflow])?;
            }
            let was_there =
                connection.execute("DELETE FROM workflows WHERE id = ?1", [&workflow])? > 0;
            if was_there {
                record_change(connection, &workflow)?;
            }
            Ok((was_there, all))
        });
        let (was_there, all) = deleted.await?;
        for removed in all {
            self.remove_files(removed.with_files).await;
            callers.extend(removed.callers);
        }
        Ok(was_there.then_some(callers))
    }

    async fn version(&self, version_id: &str) -> Result<Option<Str>, Error> {
        let version_id = version_id.to_owned();
        self.read(move |connection| {
            let mut found =
                connection.prepare_cached("SELECT document FROM workflow_versions WHERE id = ?")?;
            Ok(found.query_row([version_id], |row| text(row, 0)).optional()?)
        })
        .await
    }

    async fn forget_versions(&self, keep: usize) -> Result<usize, Error> {
        self.remove_needless_versions(keep).await
    }

    async fn versions(&self, workflow_id: &str) -> Result<Vec<WorkflowVersion>, Error> {
        let workflow_id = workflow_id.to_owned();
        self.read(move |connection| {
            let mut found = connection.prepare_cached(
                "SELECT id, author, created_ms, name, description FROM workflow_versions WHERE workflow_id = ? ORDER BY created_ms DESC, rowid DESC",
            )?;
            rows(found.query_map([workflow_id], |row| {
                let label = VersionLabel { name: optional(row, 3)?, description: optional(row, 4)? };
                Ok(WorkflowVersion { id: text(row, 0)?, author: optional(row, 1)?, label, created_ms: row.get(2)? })
            })?)
        })
        .await
    }

    async fn save_static_data(&self, id: &str, data: StaticDataChange) -> Result<(), Error> {
        let id = id.to_owned();
        self.write(move |connection| keep_static_data(connection, &id, &data)).await
    }

    async fn workflows_containing(&self, part: &str) -> Result<Vec<Str>, Error> {
        let wanted = part.to_owned();
        self.read(move |connection| {
            let mut found = connection
                .prepare_cached("SELECT id FROM workflows WHERE instr(document, ?1) > 0")?;
            rows(found.query_map([wanted], |row| text(row, 0))?)
        })
        .await
    }

    async fn workflows_changed(&self) -> Result<i64, Error> {
        self.read(|connection| {
            let noted: Option<String> = connection
                .query_row("SELECT value FROM facts WHERE key = 'workflows_changed'", [], |row| {
                    row.get(0)
                })
                .optional()?;
            Ok(noted.and_then(|text| text.parse().ok()).unwrap_or(0))
        })
        .await
    }

    async fn changed_since(&self, change: i64) -> Result<Vec<Str>, Error> {
        self.read(move |connection| {
            let mut found = connection
                .prepare_cached("SELECT workflow_id FROM changed_workflows WHERE number > ?1")?;
            rows(found.query_map([change], |row| text(row, 0))?)
        })
        .await
    }
}

/// Saves a version, as [`WorkflowStore::add_workflow`] does.
fn add(
    connection: &Connection,
    workflow: &NewVersion,
    project: &str,
    claims: Option<&[AddressClaim]>,
) -> Result<ClaimResult<StoredWorkflow>, Error> {
    let known = find(connection, &workflow.id)?;
    if known.as_ref().is_some_and(|known| known.active) {
        let Some(claims) = claims else { return Ok(ClaimResult::Outdated) };
        if let Some(taken) = addresses::taken(connection, &workflow.id, claims)? {
            return Ok(ClaimResult::Taken(taken.clone()));
        }
        addresses::assign(connection, &workflow.id, claims)?;
    }
    let is_same =
        |known: &StoredWorkflow| known.document == workflow.document && known.name == workflow.name;
    match known.filter(is_same) {
        Some(same) if same.chosen_version.is_none() => return Ok(ClaimResult::Done(same)),
        // Saving again ends the choice of an older version.
        Some(_) => {
            let sql = "UPDATE workflows SET active_version_id = NULL WHERE id = ?1";
            connection.prepare_cached(sql)?.execute([workflow.id.as_str()])?;
        }
        None => insert(connection, workflow, project)?,
    }
    record_change(connection, &workflow.id)?;
    let saved = find(connection, &workflow.id)?
        .ok_or_else(|| Error::Corrupt { what: "the table of workflows".into() })?;
    Ok(ClaimResult::Done(saved))
}

/// Lets a version listen, as [`WorkflowStore::activate`] does.
fn start_listening(
    connection: &Connection,
    id: &str,
    version: &ActivatedVersion,
    claims: &[AddressClaim],
) -> Result<ClaimResult<()>, Error> {
    let Some(known) = find(connection, id)? else { return Ok(ClaimResult::Missing) };
    let chosen = match version {
        ActivatedVersion::Newest(seen) if *seen != known.version_id => {
            return Ok(ClaimResult::Outdated);
        }
        ActivatedVersion::Newest(_) => None,
        ActivatedVersion::Chosen(version) => {
            let sql = "SELECT 1 FROM workflow_versions WHERE id = ?1 AND workflow_id = ?2";
            if !connection.prepare_cached(sql)?.exists([version.as_str(), id])? {
                return Ok(ClaimResult::Missing);
            }
            Some(version.as_str()).filter(|version| *version != known.version_id)
        }
    };
    if known.archived {
        return Ok(ClaimResult::Outdated);
    }
    if let Some(taken) = addresses::taken(connection, id, claims)? {
        return Ok(ClaimResult::Taken(taken.clone()));
    }
    addresses::assign(connection, id, claims)?;
    let sql = "UPDATE workflows SET active = 1, active_version_id = ?2, activations = activations + 1 WHERE id = ?1";
    connection.prepare_cached(sql)?.execute(params![id, chosen])?;
    record_change(connection, id)?;
    Ok(ClaimResult::Done(()))
}

/// Adds a version, and makes it the newest of its workflow.
fn insert(connection: &Connection, workflow: &NewVersion, project: &str) -> Result<(), Error> {
    let (now, version) = (now_ms(), new_id());
    connection
        .prepare_cached("INSERT INTO workflow_versions (id, workflow_id, document, author, created_ms) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![version.as_str(), workflow.id.as_str(), workflow.document.as_str(), workflow.author.as_deref(), now])?;
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
    Ok(())
}

/// Runs of a workflow that were removed.
struct RemovedRuns {
    was_last: bool,
    with_files: Vec<i64>,
    /// The runs that called them.
    callers: Vec<i64>,
}

/// Removes some of the runs of a workflow.
fn remove_runs(connection: &Connection, workflow: &str) -> Result<RemovedRuns, Error> {
    const STEP: usize = 200;
    let sql = "SELECT id, parent FROM executions WHERE workflow_id = ?1 LIMIT ?2";
    let mut found = connection.prepare_cached(sql)?;
    let runs: Vec<(i64, Option<i64>)> = rows(
        found.query_map(params![workflow, STEP as i64], |row| Ok((row.get(0)?, row.get(1)?)))?,
    )?;
    let mut removed =
        RemovedRuns { was_last: runs.len() < STEP, with_files: Vec::new(), callers: Vec::new() };
    for (id, parent) in runs {
        if remove(connection, id)?.had_files {
            removed.with_files.push(id);
        }
        removed.callers.extend(parent);
    }
    Ok(removed)
}

/// Lets a workflow stop listening; `false` if it is not there.
fn stop_listening(connection: &Connection, id: &str) -> Result<bool, Error> {
    let sql = "UPDATE workflows SET active = 0, active_version_id = NULL WHERE id = ?1";
    let changed = connection.prepare_cached(sql)?.execute([id])?;
    schedules::remove_of(connection, id)?;
    if changed > 0 {
        record_change(connection, id)?;
    }
    Ok(changed > 0)
}

/// Lets a server that runs beside this process see that there is something new, and of which
/// workflow.
pub(super) fn record_change(connection: &Connection, id: &str) -> Result<(), Error> {
    connection
        .prepare_cached(
            "INSERT INTO facts (key, value) VALUES ('workflows_changed', '1')
             ON CONFLICT (key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        )?
        .execute([])?;
    connection
        .prepare_cached(
            "INSERT INTO changed_workflows (workflow_id, number)
             SELECT ?1, CAST(value AS INTEGER) FROM facts WHERE key = 'workflows_changed'
             ON CONFLICT (workflow_id) DO UPDATE SET number = excluded.number",
        )?
        .execute([id])?;
    Ok(())
}

/// A server that starts reads all workflows, whatever has changed before. On a full disk the rows
/// stay.
pub(super) fn forget_changes(connection: &Connection) -> Result<(), Error> {
    match connection.execute("DELETE FROM changed_workflows", []).map_err(Error::from) {
        Err(error) if !error.may_pass() => Err(error),
        _ => Ok(()),
    }
}

/// Puts what has changed over what is kept.
pub(super) fn keep_static_data(
    connection: &Connection,
    id: &str,
    data: &StaticDataChange,
) -> Result<(), Error> {
    let mut found = connection.prepare_cached("SELECT static_data FROM workflows WHERE id = ?")?;
    let kept: Option<Option<String>> = found.query_row([id], |row| row.get(0)).optional()?;
    let kept = kept.flatten().and_then(|text| model::json::parse(&text).ok());
    let mut merged =
        kept.filter(|kept| kept.as_object().is_some()).unwrap_or_else(|| data.whole.clone());
    let parts = merged.make_object();
    for (key, value) in data.changed.iter() {
        parts.insert(key.clone(), value.clone());
    }
    let text = model::json::to_string(&merged);
    connection
        .prepare_cached("UPDATE workflows SET static_data = ?2 WHERE id = ?1")?
        .execute(params![id, text])?;
    Ok(())
}

fn find(connection: &Connection, id: &str) -> Result<Option<StoredWorkflow>, Error> {
    let mut found =
        connection.prepare_cached(&format!("SELECT {COLUMNS} FROM workflows WHERE id = ?"))?;
    Ok(found.query_row([id], stored).optional()?)
}

fn text(row: &Row<'_>, index: usize) -> rusqlite::Result<Str> {
    Ok(row.get_ref(index)?.as_str()?.into())
}

fn optional(row: &Row<'_>, index: usize) -> rusqlite::Result<Option<Str>> {
    Ok(row.get::<_, Option<String>>(index)?.map(Into::into))
}

fn listening(row: &Row<'_>) -> rusqlite::Result<ListeningWorkflow> {
    let (id, version_id, project_id) = (text(row, 0)?, text(row, 1)?, text(row, 2)?);
    Ok(ListeningWorkflow {
        id,
        version_id,
        project_id,
        created_ms: row.get(3)?,
        activations: row.get(4)?,
    })
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
        activations: row.get(12)?,
    })
}
