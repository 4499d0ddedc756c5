//! Variables in SQLite.

use super::executions::rows;
use super::{Sqlite, new_id};
use crate::Error;
use crate::variables::{Variable, Variables};
use model::Str;
use rusqlite::{OptionalExtension, Row, params};

#[async_trait::async_trait]
impl Variables for Sqlite {
    async fn variable(&self, id: &str) -> Result<Option<Variable>, Error> {
        let id = id.to_owned();
        self.read(move |connection| {
            let mut found = connection.prepare_cached("SELECT id, key, value FROM variables WHERE id = ?")?;
            Ok(found.query_row([id], variable).optional()?)
        })
        .await
    }

    async fn variables(&self) -> Result<Vec<Variable>, Error> {
        self.read(|connection| {
            let mut found = connection.prepare_cached("SELECT id, key, value FROM variables ORDER BY key")?;
            rows(found.query_map([], variable)?)
        })
        .await
    }

    async fn add_variable(&self, key: &str, value: &str) -> Result<Variable, Error> {
        let new = Variable { id: new_id(), key: key.into(), value: value.into() };
        self.write(move |connection| {
            let sql = "INSERT INTO variables (id, key, value) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING";
            let added = connection.execute(sql, [new.id.as_str(), &new.key, &new.value])?;
            if added > 0 { Ok(new) } else { Err(Error::Taken { what: "a variable", name: new.key }) }
        })
        .await
    }

    async fn change_variable(&self, id: &str, key: &str, value: &str) -> Result<bool, Error> {
        let (id, key, value) = (id.to_owned(), Str::from(key), value.to_owned());
        self.write(move |connection| {
            let others = "SELECT 1 FROM variables WHERE key = ?1 AND id <> ?2";
            if connection.query_row(others, [key.as_str(), &id], |_| Ok(())).optional()?.is_some() {
                return Err(Error::Taken { what: "a variable", name: key });
            }
            let sql = "UPDATE variables SET key = ?2, value = ?3 WHERE id = ?1";
            Ok(connection.execute(sql, params![id, key.as_str(), value])? > 0)
        })
        .await
    }

    async fn delete_variable(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| Ok(connection.execute("DELETE FROM variables WHERE id = ?1", [id])? > 0)).await
    }
}

fn variable(row: &Row<'_>) -> rusqlite::Result<Variable> {
    Ok(Variable { id: row.get_ref(0)?.as_str()?.into(), key: row.get_ref(1)?.as_str()?.into(), value: row.get_ref(2)?.as_str()?.into() })
}
