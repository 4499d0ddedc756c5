//! Variables in SQLite.

use super::executions::rows;
use super::{Sqlite, new_id};
use crate::Error;
use crate::variables::{Variable, VariableStore};
use model::Str;
use rusqlite::{OptionalExtension, Row, params};

#[async_trait::async_trait]
impl VariableStore for Sqlite {
    async fn variable(&self, id: &str) -> Result<Option<Variable>, Error> {
        let id = id.to_owned();
        self.read(move |connection| {
            let mut found = connection
                .prepare_cached("SELECT id, key, value, project_id FROM variables WHERE id = ?")?;
            Ok(found.query_row([id], variable).optional()?)
        })
        .await
    }

    async fn variables(&self) -> Result<Vec<Variable>, Error> {
        self.read(|connection| {
            let mut found = connection.prepare_cached(
                "SELECT id, key, value, project_id FROM variables ORDER BY key, id",
            )?;
            rows(found.query_map([], variable)?)
        })
        .await
    }

    async fn add_variable(
        &self,
        key: &str,
        value: &str,
        project: Option<&str>,
    ) -> Result<Variable, Error> {
        let new = Variable {
            id: new_id(),
            key: key.into(),
            value: value.into(),
            project_id: project.map(Into::into),
        };
        self.write(move |connection| {
            let sql = "INSERT INTO variables (id, key, value, project_id) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
            let added =
                connection.execute(sql, params![new.id.as_str(), new.key.as_str(), new.value.as_str(), new.project_id.as_deref()])?;
            if added > 0 { Ok(new) } else { Err(Error::Taken { what: "a variable", name: new.key }) }
        })
        .await
    }

    async fn change_variable(
        &self,
        id: &str,
        key: &str,
        value: &str,
        project: Option<&str>,
    ) -> Result<bool, Error> {
        let (id, key, value, project) =
            (id.to_owned(), Str::from(key), value.to_owned(), project.map(str::to_owned));
        self.write(move |connection| {
            let others = "SELECT 1 FROM variables WHERE key = ?1 AND id <> ?2 AND project_id IS ?3";
            if connection
                .query_row(others, params![key.as_str(), id, project], |_| Ok(()))
                .optional()?
                .is_some()
            {
                return Err(Error::Taken { what: "a variable", name: key });
            }
            let sql = "UPDATE variables SET key = ?2, value = ?3, project_id = ?4 WHERE id = ?1";
            Ok(connection.execute(sql, params![id, key.as_str(), value, project])? > 0)
        })
        .await
    }

    async fn delete_variable(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            Ok(connection.execute("DELETE FROM variables WHERE id = ?1", [id])? > 0)
        })
        .await
    }
}

fn variable(row: &Row<'_>) -> rusqlite::Result<Variable> {
    let project_id: Option<String> = row.get(3)?;
    Ok(Variable {
        id: row.get_ref(0)?.as_str()?.into(),
        key: row.get_ref(1)?.as_str()?.into(),
        value: row.get_ref(2)?.as_str()?.into(),
        project_id: project_id.map(Into::into),
    })
}
