//! Folders in SQLite.

use super::executions::rows;
use super::{Sqlite, new_id, now_ms};
use crate::Error;
use crate::folders::{
    FolderChange, FolderFilter, FolderStore, FolderUpdate, MAX_DEPTH, WorkflowFolder,
};
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

const COLUMNS: &str = "id, name, parent_id, project_id, created_ms, updated_ms";

#[async_trait::async_trait]
impl FolderStore for Sqlite {
    async fn find_folder(&self, id: &str) -> Result<Option<WorkflowFolder>, Error> {
        let id = id.to_owned();
        self.read(move |connection| find(connection, &id)).await
    }

    async fn folders(&self, filter: FolderFilter) -> Result<Vec<WorkflowFolder>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM folders WHERE (?1 IS NULL OR project_id = ?1) AND (?3 IS NULL OR id > ?3)
                   AND (?2 IS NULL OR project_id IN (SELECT value FROM json_each(?2))) ORDER BY id LIMIT ?4"
            );
            let within = filter.within.map(super::json_list);
            let values = params![filter.project_id.as_deref(), within, filter.after.as_deref(), filter.limit as i64];
            rows(connection.prepare_cached(&sql)?.query_map(values, folder)?)
        })
        .await
    }

    async fn add_folder(
        &self,
        name: &str,
        parent: Option<&str>,
        project: &str,
    ) -> Result<Option<WorkflowFolder>, Error> {
        let (name, parent, project) =
            (name.to_owned(), parent.map(str::to_owned), project.to_owned());
        self.write(move |connection| {
            if let Some(parent) = &parent
                && !may_hold(connection, parent, &project, None)?
            {
                return Ok(None);
            }
            let id = new_id();
            let sql = "INSERT INTO folders (id, name, parent_id, project_id, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?5)";
            connection.execute(sql, params![id.as_str(), name, parent, project, now_ms()])?;
            find(connection, &id)
        })
        .await
    }

    async fn change_folder(&self, id: &str, change: FolderChange) -> Result<FolderUpdate, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            let Some(before) = find(connection, &id)? else { return Ok(FolderUpdate::Missing) };
            if let Some(Some(parent)) = &change.parent
                && !may_hold(connection, parent, &before.project_id, Some(&id))?
            {
                return Ok(FolderUpdate::BadParent);
            }
            let name = change.name.unwrap_or(before.name);
            let parent = change.parent.unwrap_or(before.parent_id);
            let sql = "UPDATE folders SET name = ?2, parent_id = ?3, updated_ms = ?4 WHERE id = ?1";
            connection.execute(sql, params![id, name.as_str(), parent.as_deref(), now_ms()])?;
            Ok(find(connection, &id)?.map_or(FolderUpdate::Missing, FolderUpdate::Done))
        })
        .await
    }

    async fn delete_folder(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            let Some(folder) = find(connection, &id)? else { return Ok(false) };
            let parent = folder.parent_id.as_deref();
            connection.execute(
                "UPDATE folders SET parent_id = ?2 WHERE parent_id = ?1",
                params![id, parent],
            )?;
            connection.execute(
                "UPDATE workflows SET folder_id = ?2 WHERE folder_id = ?1",
                params![id, parent],
            )?;
            Ok(connection.execute("DELETE FROM folders WHERE id = ?1", [&id])? > 0)
        })
        .await
    }

    async fn move_to_folder(&self, workflow: &str, folder: Option<&str>) -> Result<bool, Error> {
        let (workflow, folder) = (workflow.to_owned(), folder.map(str::to_owned));
        self.write(move |connection| {
            let sql = "UPDATE workflows SET folder_id = ?2 WHERE id = ?1 AND
                       (?2 IS NULL OR EXISTS (SELECT 1 FROM folders f WHERE f.id = ?2 AND f.project_id = workflows.project_id))";
            Ok(connection.execute(sql, params![workflow, folder])? > 0)
        })
        .await
    }
}

/// Whether a folder may have another one in it: it is of the project, does not lie in the other
/// one, and has room below.
fn may_hold(
    connection: &Connection,
    parent: &str,
    project: &str,
    held: Option<&str>,
) -> Result<bool, Error> {
    let mut above = Some(Str::from(parent));
    let mut depth = 0;
    while let Some(id) = above {
        let Some(folder) = find(connection, &id)? else { return Ok(false) };
        depth += 1;
        if folder.project_id != project || held == Some(folder.id.as_str()) || depth > MAX_DEPTH {
            return Ok(false);
        }
        above = folder.parent_id;
    }
    let below = match held {
        Some(held) => height(connection, held)?,
        None => 1,
    };
    Ok(depth + below <= MAX_DEPTH)
}

/// How many folders deep a folder goes, itself counted.
fn height(connection: &Connection, id: &str) -> Result<usize, Error> {
    let sql = "WITH RECURSIVE below (id, depth) AS (
                 SELECT ?1, 1 UNION ALL SELECT f.id, below.depth + 1 FROM folders f JOIN below ON f.parent_id = below.id WHERE below.depth <= ?2)
               SELECT max(depth) FROM below";
    let found: i64 = connection.query_row(sql, params![id, MAX_DEPTH as i64], |row| row.get(0))?;
    Ok(found as usize)
}

fn find(connection: &Connection, id: &str) -> Result<Option<WorkflowFolder>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM folders WHERE id = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([id], folder).optional()?)
}

fn folder(row: &Row<'_>) -> rusqlite::Result<WorkflowFolder> {
    let parent: Option<String> = row.get(2)?;
    Ok(WorkflowFolder {
        id: row.get_ref(0)?.as_str()?.into(),
        name: row.get_ref(1)?.as_str()?.into(),
        parent_id: parent.map(Into::into),
        project_id: row.get_ref(3)?.as_str()?.into(),
        created_ms: row.get(4)?,
        updated_ms: row.get(5)?,
    })
}
