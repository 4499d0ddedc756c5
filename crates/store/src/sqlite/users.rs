//! People, their sessions and invitations in SQLite.

use super::access::{COLUMNS as KEY_COLUMNS, key};
use super::executions::rows;
use super::{Sqlite, decisions, new_id, now_ms};
use crate::Error;
use crate::access::ApiKey;
use crate::users::{NewSession, NewUser, User, UserRole, UserSession, UserStore};
use model::Str;
use rusqlite::{Connection, OptionalExtension, Row, params};

pub(super) const COLUMNS: &str = "u.id, u.email, u.first_name, u.last_name, u.role, u.password IS NULL, u.created_ms, u.updated_ms, u.generation, EXISTS (SELECT 1 FROM second_factors f WHERE f.user_id = u.id AND f.is_enabled)";
pub(super) const N_COLUMNS: usize = 10;

/// Sessions of one person; beyond them the oldest end.
const MAX_SESSIONS: i64 = 100;

#[async_trait::async_trait]
impl UserStore for Sqlite {
    async fn user(&self, id_or_email: &str) -> Result<Option<User>, Error> {
        let wanted = id_or_email.to_owned();
        self.read(move |connection| {
            let sql =
                format!("SELECT {COLUMNS} FROM users u WHERE u.id = ?1 OR u.email = lower(?1)");
            Ok(connection.prepare_cached(&sql)?.query_row([wanted], user).optional()?)
        })
        .await
    }

    async fn users(&self, after: Option<&str>, limit: usize) -> Result<Vec<User>, Error> {
        let after = after.map(str::to_owned);
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM users u
                 WHERE ?1 IS NULL OR (u.created_ms, u.id) > ((SELECT created_ms FROM users WHERE id = ?1), ?1)
                 ORDER BY u.created_ms, u.id LIMIT ?2"
            );
            rows(connection.prepare_cached(&sql)?.query_map(params![after, limit as i64], user)?)
        })
        .await
    }

    async fn add_user(&self, new: NewUser) -> Result<User, Error> {
        self.write(move |connection| add(connection, &new)).await
    }

    async fn has_owner(&self) -> Result<bool, Error> {
        self.read(has_owner).await
    }

    async fn claim(&self, owner: NewUser) -> Result<Option<User>, Error> {
        self.write(move |connection| {
            if has_owner(connection)? {
                return Ok(None);
            }
            let sql = "SELECT id FROM users WHERE role = 'owner' AND password IS NULL ORDER BY created_ms LIMIT 1";
            let Some(id) = connection.query_row(sql, [], |row| row.get::<_, String>(0)).optional()? else {
                return add(connection, &owner).map(Some);
            };
            connection.execute(
                "UPDATE users SET email = ?2, first_name = ?3, last_name = ?4, password = ?5, updated_ms = ?6 WHERE id = ?1",
                params![
                    id,
                    owner.email.as_str(),
                    owner.first_name.as_str(),
                    owner.last_name.as_str(),
                    owner.password_hash.as_deref(),
                    now_ms()
                ],
            )?;
            find(connection, &id)
        })
        .await
    }

    async fn password_of(&self, email: &str) -> Result<Option<(User, Str)>, Error> {
        let email = email.to_owned();
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS}, u.password FROM users u WHERE u.email = lower(?1) AND u.password IS NOT NULL AND u.disabled = 0"
            );
            let found = |row: &Row<'_>| Ok((user(row)?, row.get_ref(N_COLUMNS)?.as_str()?.into()));
            Ok(connection.prepare_cached(&sql)?.query_row([email], found).optional()?)
        })
        .await
    }

    async fn set_password(&self, id: &str, hash: &str) -> Result<bool, Error> {
        let (id, hash) = (id.to_owned(), hash.to_owned());
        self.write(move |connection| {
            end_access(connection, &id, ApiKeyPolicy::Revoked)?;
            let sql = "UPDATE users SET password = ?2, updated_ms = ?3 WHERE id = ?1";
            Ok(connection.execute(sql, params![id, hash, now_ms()])? > 0)
        })
        .await
    }

    async fn change_password(
        &self,
        id: &str,
        generation: i64,
        hash: &str,
    ) -> Result<Option<User>, Error> {
        let (id, hash) = (id.to_owned(), hash.to_owned());
        self.write(move |connection| {
            let sql =
                "UPDATE users SET password = ?2, updated_ms = ?3 WHERE id = ?1 AND generation = ?4";
            if connection.execute(sql, params![id, hash, now_ms(), generation])? == 0 {
                return Ok(None);
            }
            end_access(connection, &id, ApiKeyPolicy::Kept)?;
            find(connection, &id)
        })
        .await
    }

    async fn set_name(&self, id: &str, first: &str, last: &str) -> Result<Option<User>, Error> {
        let (id, first, last) = (id.to_owned(), first.to_owned(), last.to_owned());
        self.write(move |connection| {
            let sql =
                "UPDATE users SET first_name = ?2, last_name = ?3, updated_ms = ?4 WHERE id = ?1";
            connection.execute(sql, params![id, first, last, now_ms()])?;
            find(connection, &id)
        })
        .await
    }

    async fn change_email(
        &self,
        id: &str,
        generation: i64,
        email: &str,
    ) -> Result<Option<User>, Error> {
        let (id, email) = (id.to_owned(), email.to_lowercase());
        self.write(move |connection| {
            let sql = "SELECT 1 FROM users WHERE email = ?1 AND id <> ?2";
            if connection.query_row(sql, params![email, id], |_| Ok(())).optional()?.is_some() {
                return Err(Error::Taken { what: "a user", name: email.into() });
            }
            let sql =
                "UPDATE users SET email = ?2, updated_ms = ?3 WHERE id = ?1 AND generation = ?4";
            if connection.execute(sql, params![id, email, now_ms(), generation])? == 0 {
                return Ok(None);
            }
            connection.execute("DELETE FROM invitations WHERE user_id = ?1", [&id])?;
            find(connection, &id)
        })
        .await
    }

    async fn set_role(&self, id: &str, role: UserRole) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            decisions::remove_by(connection, &id)?;
            let sql = "UPDATE users SET role = ?2, updated_ms = ?3 WHERE id = ?1";
            Ok(connection.execute(sql, params![id, role.name(), now_ms()])? > 0)
        })
        .await
    }

    async fn delete_user(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            super::projects::remove_personal_project(connection, &id)?;
            decisions::remove_by(connection, &id)?;
            Ok(connection.execute("DELETE FROM users WHERE id = ?1", [id])? > 0)
        })
        .await
    }

    async fn add_session(&self, token_hash: Vec<u8>, session: NewSession) -> Result<bool, Error> {
        self.write(move |connection| {
            let now = now_ms();
            connection.execute("DELETE FROM sessions WHERE expires_ms <= ?1", [now])?;
            connection.execute(
                "DELETE FROM sessions WHERE token_hash IN
                   (SELECT token_hash FROM sessions WHERE user_id = ?1 ORDER BY created_ms DESC, token_hash LIMIT -1 OFFSET ?2)",
                params![session.user_id.as_str(), MAX_SESSIONS - 1],
            )?;
            let sql = "INSERT INTO sessions (token_hash, user_id, csrf, created_ms, expires_ms)
                       SELECT ?1, id, ?3, ?4, ?5 FROM users WHERE id = ?2 AND generation = ?6";
            let (user_id, csrf) = (session.user_id.as_str(), session.csrf.as_str());
            Ok(connection.execute(sql, params![token_hash, user_id, csrf, now, session.expires_ms, session.generation])? > 0)
        })
        .await
    }

    async fn session(&self, token_hash: Vec<u8>) -> Result<Option<UserSession>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS}, s.csrf FROM sessions s JOIN users u ON u.id = s.user_id
                 WHERE s.token_hash = ?1 AND s.expires_ms > ?2 AND u.disabled = 0"
            );
            let found = |row: &Row<'_>| {
                Ok(UserSession { user: user(row)?, csrf: row.get_ref(N_COLUMNS)?.as_str()?.into() })
            };
            Ok(connection
                .prepare_cached(&sql)?
                .query_row(params![token_hash, now_ms()], found)
                .optional()?)
        })
        .await
    }

    async fn end_session(&self, token_hash: Vec<u8>) -> Result<(), Error> {
        self.write(move |connection| {
            connection.execute("DELETE FROM sessions WHERE token_hash = ?1", [token_hash])?;
            Ok(())
        })
        .await
    }

    async fn add_invitation(
        &self,
        token_hash: Vec<u8>,
        user_id: &str,
        expires_ms: i64,
    ) -> Result<(), Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            connection.execute(
                "DELETE FROM invitations WHERE user_id = ?1 OR expires_ms <= ?2",
                params![user_id, now_ms()],
            )?;
            let sql =
                "INSERT INTO invitations (token_hash, user_id, expires_ms) VALUES (?1, ?2, ?3)";
            connection.execute(sql, params![token_hash, user_id, expires_ms])?;
            Ok(())
        })
        .await
    }

    async fn has_invitation(&self, token_hash: Vec<u8>) -> Result<bool, Error> {
        self.read(move |connection| {
            let sql = "SELECT 1 FROM invitations WHERE token_hash = ?1 AND expires_ms > ?2";
            Ok(connection.prepare_cached(sql)?.exists(params![token_hash, now_ms()])?)
        })
        .await
    }

    async fn accept_invitation(
        &self,
        token_hash: Vec<u8>,
        first: &str,
        last: &str,
        password: &str,
    ) -> Result<Option<User>, Error> {
        let (first, last, password) = (first.to_owned(), last.to_owned(), password.to_owned());
        self.write(move |connection| {
            let sql = "DELETE FROM invitations WHERE token_hash = ?1 RETURNING user_id, expires_ms";
            let taken = connection.query_row(sql, [token_hash], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).optional()?;
            let Some((id, _)) = taken.filter(|(_, expires)| *expires > now_ms()) else { return Ok(None) };
            connection.execute(
                "UPDATE users SET first_name = coalesce(nullif(?2, ''), first_name), last_name = coalesce(nullif(?3, ''), last_name),
                   password = ?4, updated_ms = ?5 WHERE id = ?1",
                params![id, first, last, password, now_ms()],
            )?;
            end_access(connection, &id, ApiKeyPolicy::Revoked)?;
            find(connection, &id)
        })
        .await
    }

    async fn user_of_key(&self, key_hash: Vec<u8>) -> Result<Option<(User, ApiKey)>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {KEY_COLUMNS}, {COLUMNS} FROM api_keys k JOIN users u ON u.id = k.user_id
                 WHERE k.hash = ?1 AND u.disabled = 0 AND (k.expires_ms IS NULL OR k.expires_ms > ?2)"
            );
            let found = |row: &Row<'_>| Ok((user_at(row, 7)?, key(row)?));
            Ok(connection.prepare_cached(&sql)?.query_row(params![key_hash, now_ms()], found).optional()?)
        })
        .await
    }

    async fn set_setup_token(&self, hash: Option<Vec<u8>>) -> Result<(), Error> {
        self.write(move |connection| {
            connection.execute("DELETE FROM facts WHERE key = 'setup_token'", [])?;
            if let Some(hash) = hash {
                connection.execute(
                    "INSERT INTO facts (key, value) VALUES ('setup_token', ?1)",
                    [hex::encode(hash)],
                )?;
            }
            Ok(())
        })
        .await
    }

    async fn setup_token(&self) -> Result<Option<Vec<u8>>, Error> {
        self.read(|connection| {
            let sql = "SELECT value FROM facts WHERE key = 'setup_token'";
            let found: Option<String> =
                connection.query_row(sql, [], |row| row.get(0)).optional()?;
            Ok(found.and_then(|text| hex::decode(text).ok()))
        })
        .await
    }
}

/// What becomes of somebody's API keys when their password changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ApiKeyPolicy {
    /// They changed it themselves.
    Kept,
    /// Somebody else had to: whoever knew the old one may have made keys.
    Revoked,
}

/// Ends everything by which somebody with the old password could still come in, what is only just
/// being made included.
fn end_access(connection: &Connection, id: &str, keys: ApiKeyPolicy) -> Result<(), Error> {
    end_sessions(connection, id)?;
    connection.execute("DELETE FROM invitations WHERE user_id = ?1", [id])?;
    if keys == ApiKeyPolicy::Revoked {
        connection.execute("DELETE FROM api_keys WHERE user_id = ?1", [id])?;
    }
    Ok(())
}

/// Ends every session, those that are only just being made included.
pub(super) fn end_sessions(connection: &Connection, id: &str) -> Result<(), Error> {
    connection.execute("UPDATE users SET generation = generation + 1 WHERE id = ?1", [id])?;
    connection.execute("DELETE FROM sessions WHERE user_id = ?1", [id])?;
    Ok(())
}

fn has_owner(connection: &Connection) -> Result<bool, Error> {
    let sql = "SELECT 1 FROM users WHERE role = 'owner' AND password IS NOT NULL LIMIT 1";
    Ok(connection.query_row(sql, [], |_| Ok(())).optional()?.is_some())
}

pub(super) fn add(connection: &Connection, new: &NewUser) -> Result<User, Error> {
    let id = new_id();
    let email = new.email.to_lowercase();
    let added = connection.execute(
        "INSERT INTO users (id, email, first_name, last_name, password, role, created_ms, updated_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7) ON CONFLICT (email) DO NOTHING",
        params![
            id.as_str(),
            email.as_str(),
            new.first_name.as_str(),
            new.last_name.as_str(),
            new.password_hash.as_deref(),
            new.role.name(),
            now_ms()
        ],
    )?;
    if added == 0 {
        return Err(Error::Taken { what: "a user", name: email });
    }
    super::projects::add_personal_project(connection, &id, new.role == UserRole::Owner)?;
    find(connection, &id)?.ok_or_else(|| Error::Corrupt { what: "the table of users".into() })
}

pub(super) fn find(connection: &Connection, id: &str) -> Result<Option<User>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM users u WHERE u.id = ?");
    Ok(connection.prepare_cached(&sql)?.query_row([id], user).optional()?)
}

pub(super) fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    user_at(row, 0)
}

/// A person whose columns begin here.
fn user_at(row: &Row<'_>, first: usize) -> rusqlite::Result<User> {
    let text = |index: usize| {
        row.get_ref(first + index)?.as_str().map(Str::from).map_err(rusqlite::Error::from)
    };
    let role = text(4)?;
    Ok(User {
        id: text(0)?,
        email: text(1)?,
        first_name: text(2)?,
        last_name: text(3)?,
        // A role that we do not know allows the least.
        role: UserRole::from_name(&role).unwrap_or(UserRole::Viewer),
        is_pending: row.get(first + 5)?,
        created_ms: row.get(first + 6)?,
        updated_ms: row.get(first + 7)?,
        generation: row.get(first + 8)?,
        has_second_factor: row.get(first + 9)?,
    })
}
