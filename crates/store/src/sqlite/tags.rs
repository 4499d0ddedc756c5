//! Tags in SQLite.

use super::executions::rows;
use super::{Sqlite, new_id, now_ms};
use crate::Error;
use crate::tags::{Tag, Tagged, Tags};
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

const COLUMNS: &str = "t.id, t.name, t.created_ms, t.updated_ms";

#[async_trait::async_trait]
impl Tags for Sqlite {
    async fn tag(&self, id: &str) -> Result<Option<Tag>, Error> {
        let id = id.to_owned();
        self.read(move |connection| find(connection, &id)).await
    }

    async fn tags(&self, after: Option<&str>, limit: usize) -> Result<Vec<Tag>, Error> {
        let after = after.map(str::to_owned);
        self.read(move |connection| {
            let sql = format!("SELECT {COLUMNS} FROM tags t WHERE ?1 IS NULL OR name > ?1 ORDER BY name LIMIT ?2");
            rows(connection.prepare_cached(&sql)?.query_map(params![after, limit as i64], tag)?)
        })
        .await
    }

    async fn add_tag(&self, name: &str) -> Result<Tag, Error> {
        let name = Str::from(name);
        self.write(move |connection| {
            let now = now_ms();
            let tag = Tag { id: new_id(), name: name.clone(), created_ms: now, updated_ms: now };
            let sql = "INSERT INTO tags (id, name, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?3) ON CONFLICT (name) DO NOTHING";
            let added = connection.execute(sql, params![tag.id.as_str(), name.as_str(), now])?;
            if added > 0 { Ok(tag) } else { Err(Error::Taken { what: "a tag", name }) }
        })
        .await
    }

    async fn rename_tag(&self, id: &str, name: &str) -> Result<Option<Tag>, Error> {
        let (id, name) = (id.to_owned(), Str::from(name));
        self.write(move |connection| {
            let others = "SELECT 1 FROM tags WHERE name = ?1 AND id <> ?2";
            if connection.query_row(others, [name.as_str(), &id], |_| Ok(())).optional()?.is_some() {
                return Err(Error::Taken { what: "a tag", name });
            }
            connection.execute("UPDATE tags SET name = ?2, updated_ms = ?3 WHERE id = ?1", params![id, name.as_str(), now_ms()])?;
            find(connection, &id)
        })
        .await
    }

    async fn delete_tag(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| Ok(connection.execute("DELETE FROM tags WHERE id = ?1", [id])? > 0)).await
    }

    async fn tags_of(&self, tagged: Tagged) -> Result<Vec<Tag>, Error> {
        self.read(move |connection| match tagged {
            Tagged::Workflow(id) => {
                let sql =
                    format!("SELECT {COLUMNS} FROM tags t JOIN workflow_tags w ON w.tag_id = t.id WHERE w.workflow_id = ? ORDER BY t.name");
                rows(connection.prepare_cached(&sql)?.query_map([id.as_str()], tag)?)
            }
            Tagged::Execution(id) => {
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

    async fn set_tags(&self, tagged: Tagged, tags: Vec<Str>) -> Result<bool, Error> {
        self.write(move |connection| {
            for tag in &tags {
                if find(connection, tag)?.is_none() {
                    return Ok(false);
                }
            }
            match &tagged {
                Tagged::Workflow(id) => connection.execute("DELETE FROM workflow_tags WHERE workflow_id = ?", [id.as_str()])?,
                Tagged::Execution(id) => connection.execute("DELETE FROM execution_tags WHERE execution_id = ?", [id])?,
            };
            for tag in &tags {
                match &tagged {
                    Tagged::Workflow(id) => connection.execute(
                        "INSERT INTO workflow_tags (workflow_id, tag_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                        [id.as_str(), tag.as_str()],
                    )?,
                    Tagged::Execution(id) => connection.execute(
                        "INSERT INTO execution_tags (execution_id, tag_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
                        params![id, tag.as_str()],
                    )?,
                };
            }
            Ok(true)
        })
        .await
    }
}

fn find(connection: &Connection, id: &str) -> Result<Option<Tag>, Error> {
    let mut found = connection.prepare_cached("SELECT id, name, created_ms, updated_ms FROM tags WHERE id = ?")?;
    Ok(found.query_row([id], tag).optional()?)
}

fn tag(row: &Row<'_>) -> rusqlite::Result<Tag> {
    Ok(Tag {
        id: row.get_ref(0)?.as_str()?.into(),
        name: row.get_ref(1)?.as_str()?.into(),
        created_ms: row.get(2)?,
        updated_ms: row.get(3)?,
    })
}
