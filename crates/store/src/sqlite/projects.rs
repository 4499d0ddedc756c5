//! Projects and their members in SQLite.

use super::executions::rows;
use super::users::{N_COLUMNS as USER_COLUMNS, user};
use super::{Sqlite, decisions, new_id, now_ms};
use crate::Error;
use crate::projects::{PERSONAL, Project, ProjectKind, ProjectRole, ProjectStore};
use crate::users::User;
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

/// A personal project is called after its person.
const COLUMNS: &str = "p.id, CASE WHEN p.kind = 'team' THEN p.name WHEN u.id IS NULL THEN 'Personal'
    ELSE trim(u.first_name || ' ' || u.last_name || ' <' || u.email || '>') END, p.kind, p.owner_id, p.created_ms, p.updated_ms";
const FROM: &str = "FROM projects p LEFT JOIN users u ON u.id = p.owner_id";

#[async_trait::async_trait]
impl ProjectStore for Sqlite {
    fn project_of_workflow(&self, id: &str) -> Result<Option<String>, Error> {
        self.read_now(|connection| {
            let mut found =
                connection.prepare_cached("SELECT project_id FROM workflows WHERE id = ?1")?;
            Ok(found.query_row([id], |row| row.get(0)).optional()?)
        })
    }

    async fn project(&self, id: &str) -> Result<Option<Project>, Error> {
        let id = id.to_owned();
        self.read(move |connection| find(connection, &id)).await
    }

    async fn projects(&self) -> Result<Vec<Project>, Error> {
        self.read(|connection| {
            let sql = format!("SELECT {COLUMNS} {FROM} ORDER BY p.kind, 2, p.id");
            rows(connection.prepare_cached(&sql)?.query_map([], project)?)
        })
        .await
    }

    async fn add_project(&self, name: &str) -> Result<Project, Error> {
        let name = Str::from(name);
        self.write(move |connection| {
            let id = new_id();
            let sql =
                "INSERT INTO projects (id, name, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?3)
                       ON CONFLICT (name) WHERE kind = 'team' DO NOTHING";
            if connection.execute(sql, params![id.as_str(), name.as_str(), now_ms()])? == 0 {
                return Err(Error::Taken { what: "a project", name });
            }
            find(connection, &id)?
                .ok_or_else(|| Error::Corrupt { what: "the table of projects".into() })
        })
        .await
    }

    async fn rename_project(&self, id: &str, name: &str) -> Result<bool, Error> {
        let (id, name) = (id.to_owned(), Str::from(name));
        self.write(move |connection| {
            let others = "SELECT 1 FROM projects WHERE name = ?1 AND kind = 'team' AND id <> ?2";
            if connection.query_row(others, [name.as_str(), &id], |_| Ok(())).optional()?.is_some()
            {
                return Err(Error::Taken { what: "a project", name });
            }
            let sql =
                "UPDATE projects SET name = ?2, updated_ms = ?3 WHERE id = ?1 AND kind = 'team'";
            Ok(connection.execute(sql, params![id, name.as_str(), now_ms()])? > 0)
        })
        .await
    }

    async fn delete_project(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            if find(connection, &id)?.is_none_or(|project| project.kind == ProjectKind::Personal) {
                return Ok(false);
            }
            empty(connection, &id)?;
            Ok(connection.execute("DELETE FROM projects WHERE id = ?1", [&id])? > 0)
        })
        .await
    }

    async fn projects_of(&self, user_id: &str) -> Result<Vec<(Str, ProjectRole)>, Error> {
        let user_id = user_id.to_owned();
        self.read(move |connection| {
            let sql = "SELECT id, 'project:admin' FROM projects WHERE owner_id = ?1
                       UNION ALL SELECT project_id, role FROM project_members WHERE user_id = ?1";
            let pair = |row: &Row<'_>| Ok((row.get_ref(0)?.as_str()?.into(), role(row, 1)?));
            rows(connection.prepare_cached(sql)?.query_map([user_id], pair)?)
        })
        .await
    }

    async fn personal_project(&self, user_id: &str) -> Result<Option<Str>, Error> {
        let user_id = user_id.to_owned();
        self.read(move |connection| {
            let mut found =
                connection.prepare_cached("SELECT id FROM projects WHERE owner_id = ?1")?;
            Ok(found.query_row([user_id], |row| Ok(row.get_ref(0)?.as_str()?.into())).optional()?)
        })
        .await
    }

    async fn members(&self, project: &str) -> Result<Vec<(User, ProjectRole)>, Error> {
        let project = project.to_owned();
        self.read(move |connection| {
            let sql = format!(
                "SELECT {}, m.role FROM users u JOIN
                   (SELECT user_id, role FROM project_members WHERE project_id = ?1
                    UNION ALL SELECT owner_id, 'project:admin' FROM projects WHERE id = ?1 AND owner_id IS NOT NULL) m ON m.user_id = u.id
                 ORDER BY u.created_ms, u.id",
                super::users::COLUMNS
            );
            let pair = |row: &Row<'_>| Ok((user(row)?, role(row, USER_COLUMNS)?));
            rows(connection.prepare_cached(&sql)?.query_map([project], pair)?)
        })
        .await
    }

    async fn set_members(
        &self,
        project: &str,
        members: Vec<(Str, ProjectRole)>,
    ) -> Result<bool, Error> {
        let project = project.to_owned();
        self.write(move |connection| {
            for (user_id, _) in &members {
                let mut known = connection.prepare_cached("SELECT 1 FROM users WHERE id = ?1")?;
                if !known.exists([user_id.as_str()])? {
                    return Ok(false);
                }
            }
            for (user_id, role) in &members {
                decisions::remove_by(connection, user_id)?;
                connection.execute(
                    "INSERT INTO project_members (project_id, user_id, role) VALUES (?1, ?2, ?3)
                     ON CONFLICT (project_id, user_id) DO UPDATE SET role = excluded.role",
                    [&project, user_id.as_str(), role.name()],
                )?;
            }
            Ok(true)
        })
        .await
    }

    async fn remove_member(&self, project: &str, user_id: &str) -> Result<bool, Error> {
        let (project, user_id) = (project.to_owned(), user_id.to_owned());
        self.write(move |connection| {
            decisions::remove_by(connection, &user_id)?;
            let sql = "DELETE FROM project_members WHERE project_id = ?1 AND user_id = ?2";
            Ok(connection.execute(sql, [project, user_id])? > 0)
        })
        .await
    }

    async fn move_workflow(&self, id: &str, project: &str) -> Result<bool, Error> {
        let (id, project) = (id.to_owned(), project.to_owned());
        self.write(move |connection| {
            let moved = connection.execute(
                "UPDATE workflows SET project_id = ?2, folder_id = NULL WHERE id = ?1",
                [&id, &project],
            )? > 0;
            if moved {
                super::workflows::record_change(connection, &id)?;
            }
            Ok(moved)
        })
        .await
    }

    async fn move_credential(&self, id: &str, project: &str) -> Result<bool, Error> {
        let (id, project) = (id.to_owned(), project.to_owned());
        self.write(move |connection| {
            connection.execute("DELETE FROM credential_shares WHERE credential_id = ?1", [&id])?;
            let sql = "UPDATE credentials SET project_id = ?2, updated_ms = ?3 WHERE id = ?1";
            Ok(connection.execute(sql, params![id, project, now_ms()])? > 0)
        })
        .await
    }

    async fn share_credential(&self, id: &str, projects: Vec<Str>) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            for project in &projects {
                if find(connection, project)?.is_none() {
                    return Ok(false);
                }
            }
            connection.execute("DELETE FROM credential_shares WHERE credential_id = ?1", [&id])?;
            for project in &projects {
                let sql = "INSERT INTO credential_shares (credential_id, project_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
                connection.execute(sql, [&id, project.as_str()])?;
            }
            Ok(true)
        })
        .await
    }

    async fn inaccessible_credentials(
        &self,
        project: &str,
        credentials: Vec<Str>,
    ) -> Result<Vec<Str>, Error> {
        let project = project.to_owned();
        self.read(move |connection| {
            let ids = super::json_list(credentials);
            let sql = "SELECT c.id FROM credentials c WHERE c.id IN (SELECT value FROM json_each(?2)) AND c.project_id <> ?1
                       AND NOT EXISTS (SELECT 1 FROM credential_shares s WHERE s.credential_id = c.id AND s.project_id = ?1)";
            rows(connection.prepare_cached(sql)?.query_map([project, ids], |row| Ok(row.get_ref(0)?.as_str()?.into()))?)
        })
        .await
    }
}

/// Gives a new person a project; the first owner gets the one that is there from the start.
pub(super) fn add_personal_project(
    connection: &Connection,
    user_id: &str,
    is_owner: bool,
) -> Result<(), Error> {
    let first = "UPDATE projects SET owner_id = ?1 WHERE id = ?2 AND owner_id IS NULL";
    if is_owner && connection.execute(first, [user_id, PERSONAL])? > 0 {
        return Ok(());
    }
    let sql = "INSERT INTO projects (id, name, kind, owner_id, created_ms, updated_ms) VALUES (?1, '', 'personal', ?2, ?3, ?3)";
    connection.execute(sql, params![new_id().as_str(), user_id, now_ms()])?;
    Ok(())
}

/// Takes the project of a person who leaves; what it holds goes to the first owner.
pub(super) fn remove_personal_project(connection: &Connection, user_id: &str) -> Result<(), Error> {
    let sql = "SELECT id FROM projects WHERE owner_id = ?1 AND id <> ?2";
    let own: Option<String> =
        connection.query_row(sql, [user_id, PERSONAL], |row| row.get(0)).optional()?;
    if let Some(id) = own {
        empty(connection, &id)?;
        connection.execute("DELETE FROM projects WHERE id = ?1", [&id])?;
    }
    Ok(())
}

fn empty(connection: &Connection, id: &str) -> Result<(), Error> {
    let mut move_all = connection.prepare(
        "UPDATE workflows SET project_id = ?2, folder_id = NULL WHERE project_id = ?1 RETURNING id",
    )?;
    let moved: Vec<String> =
        super::executions::rows(move_all.query_map([id, PERSONAL], |row| row.get(0))?)?;
    for workflow in moved {
        super::workflows::record_change(connection, &workflow)?;
    }
    connection.execute("UPDATE folders SET parent_id = NULL WHERE project_id = ?1", [id])?;
    connection
        .execute("UPDATE credentials SET project_id = ?2 WHERE project_id = ?1", [id, PERSONAL])?;
    connection
        .execute("UPDATE data_tables SET project_id = ?2 WHERE project_id = ?1", [id, PERSONAL])?;
    // A name may be taken there already.
    let sql = "UPDATE collections SET project_id = ?2, name = CASE WHEN EXISTS
                 (SELECT 1 FROM collections other WHERE other.project_id = ?2 AND other.name = collections.name)
               THEN name || ' ' || id ELSE name END WHERE project_id = ?1";
    connection.execute(sql, [id, PERSONAL])?;
    let sql = "UPDATE memory_spaces SET project_id = ?2, name = CASE WHEN EXISTS
                 (SELECT 1 FROM memory_spaces other WHERE other.project_id = ?2 AND other.name = memory_spaces.name)
               THEN name || ' ' || id ELSE name END WHERE project_id = ?1";
    connection.execute(sql, [id, PERSONAL])?;
    Ok(())
}

fn find(connection: &Connection, id: &str) -> Result<Option<Project>, Error> {
    let sql = format!("SELECT {COLUMNS} {FROM} WHERE p.id = ?1");
    Ok(connection.prepare_cached(&sql)?.query_row([id], project).optional()?)
}

fn project(row: &Row<'_>) -> rusqlite::Result<Project> {
    let kind = if row.get_ref(2)?.as_str()? == "personal" {
        ProjectKind::Personal
    } else {
        ProjectKind::Team
    };
    let owner_id: Option<String> = row.get(3)?;
    Ok(Project {
        id: row.get_ref(0)?.as_str()?.into(),
        name: row.get_ref(1)?.as_str()?.into(),
        kind,
        owner_id: owner_id.map(Into::into),
        created_ms: row.get(4)?,
        updated_ms: row.get(5)?,
    })
}

/// A role that we do not know allows the least.
fn role(row: &Row<'_>, index: usize) -> rusqlite::Result<ProjectRole> {
    Ok(ProjectRole::from_name(row.get_ref(index)?.as_str()?).unwrap_or(ProjectRole::Viewer))
}
