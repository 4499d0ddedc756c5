//! API keys in SQLite.

use super::executions::rows;
use super::{Sqlite, new_id, now_ms};
use crate::Error;
use crate::access::{ApiKey, ApiKeyStore};
use crate::vault::VaultKey;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) const COLUMNS: &str =
    "k.id, u.email, k.label, k.hint, k.scopes, k.created_ms, k.expires_ms";

#[async_trait::async_trait]
impl ApiKeyStore for Sqlite {
    async fn api_key(&self, hash: &[u8]) -> Result<Option<ApiKey>, Error> {
        let hash = hash.to_vec();
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM api_keys k JOIN users u ON u.id = k.user_id
                 WHERE k.hash = ?1 AND u.disabled = 0 AND (k.expires_ms IS NULL OR k.expires_ms > ?2)"
            );
            Ok(connection.prepare_cached(&sql)?.query_row(params![hash, now_ms()], key).optional()?)
        })
        .await
    }

    async fn api_keys(&self) -> Result<Vec<ApiKey>, Error> {
        self.read(|connection| {
            let sql = format!("SELECT {COLUMNS} FROM api_keys k JOIN users u ON u.id = k.user_id ORDER BY k.created_ms");
            let mut found = connection.prepare_cached(&sql)?;
            rows(found.query_map([], key)?)
        })
        .await
    }

    async fn add_api_key(&self, key: ApiKey, hash: Vec<u8>) -> Result<(), Error> {
        self.write(move |connection| {
            let user = owner(connection, &key.user)?;
            insert(connection, &user, &key, hash)
        })
        .await
    }

    async fn keys_of(&self, user_id: &str) -> Result<Vec<ApiKey>, Error> {
        let user_id = user_id.to_owned();
        self.read(move |connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM api_keys k JOIN users u ON u.id = k.user_id WHERE u.id = ?1 ORDER BY k.created_ms, k.id");
            rows(connection.prepare_cached(&sql)?.query_map([user_id], key)?)
        })
        .await
    }

    async fn add_key_of(
        &self,
        user_id: &str,
        generation: i64,
        key: ApiKey,
        hash: Vec<u8>,
    ) -> Result<bool, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            let is_theirs = "SELECT 1 FROM users WHERE id = ?1 AND generation = ?2";
            if !connection.prepare_cached(is_theirs)?.exists(params![user_id, generation])? {
                return Ok(false);
            }
            insert(connection, &user_id, &key, hash)?;
            Ok(true)
        })
        .await
    }

    async fn delete_key_of(&self, user_id: &str, id: &str) -> Result<bool, Error> {
        let (user_id, id) = (user_id.to_owned(), id.to_owned());
        self.write(move |connection| {
            Ok(connection
                .execute("DELETE FROM api_keys WHERE id = ?1 AND user_id = ?2", [id, user_id])?
                > 0)
        })
        .await
    }

    async fn secret(&self, name: &'static str) -> Result<String, Error> {
        self.sealing(move |connection, vault| {
            let fact = format!("{SECRET}{name}");
            if let Some(secret) = open_secret(connection, vault, &fact)? {
                return Ok(secret);
            }
            // Earlier versions kept it as it is, in a file that others may have read: nothing new
            // is signed with it.
            if let Some(former) = fact_of(connection, name)? {
                let sealed = hex::encode(vault.seal(&former_fact(name), former.as_bytes())?);
                connection.execute(
                    "INSERT OR REPLACE INTO facts (key, value) VALUES (?1, ?2)",
                    [&former_fact(name), &sealed],
                )?;
                // Its bytes go too, not only the row.
                let secure_delete = |is_on: &str| {
                    connection.query_row(&format!("PRAGMA secure_delete = {is_on}"), [], |_| Ok(()))
                };
                secure_delete("ON")?;
                let removed = connection.execute("DELETE FROM facts WHERE key = ?1", [name]);
                secure_delete("OFF")?;
                removed?;
            }
            let secret = format!("{}{}", super::new_id(), super::new_id());
            let sealed = hex::encode(vault.seal(&fact, secret.as_bytes())?);
            connection
                .execute("INSERT INTO facts (key, value) VALUES (?1, ?2)", [&fact, &sealed])?;
            Ok(secret)
        })
        .await
    }

    async fn former_secret(&self, name: &'static str) -> Result<Option<String>, Error> {
        self.sealing(move |connection, vault| open_secret(connection, vault, &former_fact(name)))
            .await
    }

    async fn links_named_waits_ms(&self) -> Result<i64, Error> {
        self.read(|connection| {
            let sql = "SELECT CAST(value AS INTEGER) FROM facts WHERE key = 'links_named_waits_ms'";
            Ok(connection.query_row(sql, [], |row| row.get(0)).optional()?.unwrap_or(0))
        })
        .await
    }

    async fn delete_api_key(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            Ok(connection.execute("DELETE FROM api_keys WHERE id = ?1", [id])? > 0)
        })
        .await
    }
}

/// What the facts begin with that hold secrets, sealed with the key of the vault.
pub(super) const SECRET: &str = "secret:";

/// Where a secret is kept that earlier versions used.
fn former_fact(name: &str) -> String {
    format!("{SECRET}former:{name}")
}

fn fact_of(connection: &Connection, key: &str) -> Result<Option<String>, Error> {
    Ok(connection
        .query_row("SELECT value FROM facts WHERE key = ?1", [key], |row| row.get(0))
        .optional()?)
}

fn open_secret(
    connection: &Connection,
    vault: &VaultKey,
    fact: &str,
) -> Result<Option<String>, Error> {
    let Some(sealed) = fact_of(connection, fact)? else { return Ok(None) };
    let opened = hex::decode(sealed)
        .ok()
        .and_then(|sealed| vault.open(fact, &sealed))
        .and_then(|text| String::from_utf8(text).ok());
    opened.map(Some).ok_or_else(|| Error::Corrupt { what: format!("the secret '{fact}'").into() })
}

fn insert(
    connection: &Connection,
    user_id: &str,
    key: &ApiKey,
    hash: Vec<u8>,
) -> Result<(), Error> {
    let scopes = key.scopes.join(" ");
    connection.execute(
        "INSERT INTO api_keys (id, user_id, label, hash, hint, scopes, created_ms, expires_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![key.id.as_str(), user_id, key.label.as_str(), hash, key.hint.as_str(), scopes, key.created_ms, key.expires_ms],
    )?;
    Ok(())
}

/// The id of a person; made as an owner without a password if there is none of that address.
fn owner(connection: &Connection, email: &str) -> Result<String, Error> {
    let email = email.to_lowercase();
    let found = connection
        .query_row("SELECT id FROM users WHERE email = ?1", [&email], |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    let id = new_id().to_string();
    connection.execute(
        "INSERT INTO users (id, email, role, created_ms, updated_ms) VALUES (?1, ?2, 'owner', ?3, ?3)",
        params![id, email, now_ms()],
    )?;
    super::projects::add_personal_project(connection, &id, true)?;
    Ok(id)
}

pub(super) fn key(row: &Row<'_>) -> rusqlite::Result<ApiKey> {
    let text = |index: usize| {
        row.get_ref(index)?.as_str().map(model::Str::from).map_err(rusqlite::Error::from)
    };
    let scopes: String = row.get(4)?;
    Ok(ApiKey {
        id: text(0)?,
        user: text(1)?,
        label: text(2)?,
        hint: text(3)?,
        scopes: scopes.split_whitespace().map(Into::into).collect(),
        created_ms: row.get(5)?,
        expires_ms: row.get(6)?,
    })
}
