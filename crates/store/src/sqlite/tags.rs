//! Tags in SQLite.

use super::executions::rows;
use super::{Sqlite, new_id, now_ms};
use crate::Error;
use crate::tags::{Tag, TagAccess, TagChange, TagCursor, TagStore, TagTarget, TagsUpdate};
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

const COLUMNS: &str = "t.id, t.name, t.created_ms, t.updated_ms";

/// Whether whoever asks has the tag `t`: `?1` is who, or nothing for everybody, `?2` the projects
/// that they see.
const IS_SEEN: &str = "(?1 IS NULL OR t.owner_id = ?1
    OR EXISTS (SELECT 1 FROM workflow_tags c JOIN workflows w ON w.id = c.workflow_id
               WHERE c.tag_id = t.id AND w.project_id IN (SELECT value FROM json_each(?2)))
    OR EXISTS (SELECT 1 FROM execution_tags c JOIN executions e ON e.id = c.execution_id JOIN workflows w ON w.id = e.workflow_id
               WHERE c.tag_id = t.id AND w.project_id IN (SELECT value FROM json_each(?2))))";

/// Whether something carries the tag `?1` outside of the projects `?2`.
const IS_FOREIGN: &str = "SELECT EXISTS (SELECT 1 FROM workflow_tags c JOIN workflows w ON w.id = c.workflow_id
               WHERE c.tag_id = ?1 AND w.project_id NOT IN (SELECT value FROM json_each(?2)))
    OR EXISTS (SELECT 1 FROM execution_tags c JOIN executions e ON e.id = c.execution_id LEFT JOIN workflows w ON w.id = e.workflow_id
               WHERE c.tag_id = ?1 AND coalesce(w.project_id, '') NOT IN (SELECT value FROM json_each(?2)))";

#[async_trait::async_trait]
impl TagStore for Sqlite {
    async fn tag(&self, id: &str, whose: Option<TagAccess>) -> Result<Option<Tag>, Error> {
        let id = id.to_owned();
        self.read(move |connection| find(connection, &id, &TagViewer::of(whose.as_ref()))).await
    }

    async fn tags(
        &self,
        whose: Option<TagAccess>,
        after: Option<TagCursor>,
        limit: usize,
    ) -> Result<Vec<Tag>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM tags t WHERE {IS_SEEN} AND (?3 IS NULL OR (t.name, t.id) > (?3, ?4)) ORDER BY t.name, t.id LIMIT ?5"
            );
            let seen = TagViewer::of(whose.as_ref());
            let (name, id) = after.map(|place| (place.name.to_string(), place.id.to_string())).unzip();
            rows(connection.prepare_cached(&sql)?.query_map(params![seen.user, seen.projects, name, id, limit as i64], tag)?)
        })
        .await
    }

    async fn add_tag(
        &self,
        name: &str,
        owner: &str,
        whose: Option<TagAccess>,
    ) -> Result<Tag, Error> {
        let (name, owner) = (Str::from(name), owner.to_owned());
        self.write(move |connection| {
            check_name(connection, &name, "", &TagViewer::of(whose.as_ref()))?;
            let now = now_ms();
            let tag = Tag { id: new_id(), name: name.clone(), created_ms: now, updated_ms: now };
            let sql = "INSERT INTO tags (id, name, owner_id, created_ms, updated_ms) VALUES (?1, ?2, (SELECT id FROM users WHERE id = ?3), ?4, ?4)";
            connection.prepare_cached(sql)?.execute(params![tag.id.as_str(), name.as_str(), owner, now])?;
            Ok(tag)
        })
        .await
    }

    async fn rename_tag(
        &self,
        id: &str,
        name: &str,
        whose: Option<TagAccess>,
    ) -> Result<TagChange, Error> {
        let (id, name) = (id.to_owned(), Str::from(name));
        self.write(move |connection| {
            let seen = TagViewer::of(whose.as_ref());
            match own(connection, &id, &seen, whose.as_ref())? {
                TagChange::Done(_) => {}
                refused => return Ok(refused),
            }
            check_name(connection, &name, &id, &seen)?;
            connection.execute(
                "UPDATE tags SET name = ?2, updated_ms = ?3 WHERE id = ?1",
                params![id, name.as_str(), now_ms()],
            )?;
            Ok(find(connection, &id, &seen)?.map_or(TagChange::Missing, TagChange::Done))
        })
        .await
    }

    async fn delete_tag(&self, id: &str, whose: Option<TagAccess>) -> Result<TagChange, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            let found = own(connection, &id, &TagViewer::of(whose.as_ref()), whose.as_ref())?;
            if matches!(found, TagChange::Done(_)) {
                connection.execute("DELETE FROM tags WHERE id = ?1", [id])?;
            }
            Ok(found)
        })
        .await
    }

    async fn tags_of(&self, tagged: TagTarget) -> Result<Vec<Tag>, Error> {
        self.read(move |connection| match tagged {
            TagTarget::Workflow(id) => {
                let sql =
                    format!("SELECT {COLUMNS} FROM tags t JOIN workflow_tags w ON w.tag_id = t.id WHERE w.workflow_id = ? ORDER BY t.name");
                rows(connection.prepare_cached(&sql)?.query_map([id.as_str()], tag)?)
            }
            TagTarget::Execution(id) => {
                let sql = format!(
                    "SELECT {COLUMNS} FROM tags t JOIN execution_tags e ON e.tag_id = t.id WHERE e.execution_id = ? ORDER BY t.name"
                );
                rows(connection.prepare_cached(&sql)?.query_map([id], tag)?)
            }
        })
        .await
    }

    async fn tags_of_workflows(&self, ids: Vec<Str>) -> Result<Vec<(Str, Tag)>, Error> {
        self.read(move |connection| {
            let ids = super::json_list(ids);
            let sql = format!(
                "SELECT {COLUMNS}, w.workflow_id FROM tags t JOIN workflow_tags w ON w.tag_id = t.id
                 WHERE w.workflow_id IN (SELECT value FROM json_each(?)) ORDER BY t.name"
            );
            let pair = |row: &Row<'_>| Ok((row.get_ref(4)?.as_str()?.into(), tag(row)?));
            rows(connection.prepare_cached(&sql)?.query_map([ids], pair)?)
        })
        .await
    }

    async fn set_tags(
        &self,
        tagged: TagTarget,
        tags: Vec<Str>,
        whose: Option<TagAccess>,
    ) -> Result<TagsUpdate, Error> {
        self.write(move |connection| {
            let seen = TagViewer::of(whose.as_ref());
            let given = TagViewer::to_give(whose.as_ref());
            for tag in &tags {
                if find(connection, tag, &seen)?.is_none() {
                    return Ok(TagsUpdate::Missing);
                }
                if !is_carried(connection, &tagged, tag)? && find(connection, tag, &given)?.is_none() {
                    return Ok(TagsUpdate::Foreign);
                }
            }
            match &tagged {
                TagTarget::Workflow(id) => connection.execute("DELETE FROM workflow_tags WHERE workflow_id = ?", [id.as_str()])?,
                TagTarget::Execution(id) => connection.execute("DELETE FROM execution_tags WHERE execution_id = ?", [id])?,
            };
            for tag in &tags {
                match &tagged {
                    TagTarget::Workflow(id) => connection.execute(
                        "INSERT INTO workflow_tags (workflow_id, tag_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                        [id.as_str(), tag.as_str()],
                    )?,
                    TagTarget::Execution(id) => connection.execute(
                        "INSERT INTO execution_tags (execution_id, tag_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                        params![id, tag.as_str()],
                    )?,
                };
            }
            Ok(TagsUpdate::Done)
        })
        .await
    }
}

/// Who asks, as statements take it.
struct TagViewer {
    user: Option<String>,
    projects: String,
}

impl TagViewer {
    fn of(whose: Option<&TagAccess>) -> Self {
        let projects = super::json_list(whose.map(|whose| whose.sees.clone()).unwrap_or_default());
        Self { user: whose.map(|whose| whose.user_id.to_string()), projects }
    }

    /// What they may give to something that does not carry it yet.
    fn to_give(whose: Option<&TagAccess>) -> Self {
        let projects =
            super::json_list(whose.map(|whose| whose.changes.clone()).unwrap_or_default());
        Self { user: whose.map(|whose| whose.user_id.to_string()), projects }
    }
}

fn find(connection: &Connection, id: &str, seen: &TagViewer) -> Result<Option<Tag>, Error> {
    let mut found = connection
        .prepare_cached(&format!("SELECT {COLUMNS} FROM tags t WHERE t.id = ?3 AND {IS_SEEN}"))?;
    Ok(found.query_row(params![seen.user, seen.projects, id], tag).optional()?)
}

fn is_carried(connection: &Connection, tagged: &TagTarget, tag: &str) -> Result<bool, Error> {
    Ok(match tagged {
        TagTarget::Workflow(id) => {
            let sql = "SELECT 1 FROM workflow_tags WHERE workflow_id = ?1 AND tag_id = ?2";
            connection.prepare_cached(sql)?.exists([id.as_str(), tag])?
        }
        TagTarget::Execution(id) => {
            let sql = "SELECT 1 FROM execution_tags WHERE execution_id = ?1 AND tag_id = ?2";
            connection.prepare_cached(sql)?.exists(params![id, tag])?
        }
    })
}

/// A tag that whoever asks may change.
fn own(
    connection: &Connection,
    id: &str,
    seen: &TagViewer,
    whose: Option<&TagAccess>,
) -> Result<TagChange, Error> {
    let Some(found) = find(connection, id, seen)? else { return Ok(TagChange::Missing) };
    let is_foreign = match whose {
        Some(whose) => {
            let changes = super::json_list(whose.changes.clone());
            connection
                .prepare_cached(IS_FOREIGN)?
                .query_row(params![id, changes], |row| row.get(0))?
        }
        None => false,
    };
    Ok(if is_foreign { TagChange::Foreign } else { TagChange::Done(found) })
}

/// Refuses a name that another tag has which whoever asks sees.
fn check_name(
    connection: &Connection,
    name: &Str,
    id: &str,
    seen: &TagViewer,
) -> Result<(), Error> {
    let sql = format!("SELECT 1 FROM tags t WHERE t.name = ?3 AND t.id <> ?4 AND {IS_SEEN}");
    match connection.prepare_cached(&sql)?.exists(params![
        seen.user,
        seen.projects,
        name.as_str(),
        id
    ])? {
        true => Err(Error::Taken { what: "a tag", name: name.clone() }),
        false => Ok(()),
    }
}

fn tag(row: &Row<'_>) -> rusqlite::Result<Tag> {
    Ok(Tag {
        id: row.get_ref(0)?.as_str()?.into(),
        name: row.get_ref(1)?.as_str()?.into(),
        created_ms: row.get(2)?,
        updated_ms: row.get(3)?,
    })
}
