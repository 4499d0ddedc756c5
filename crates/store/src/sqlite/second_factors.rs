//! Authenticator apps in SQLite. Their secrets are sealed with the vault's key.

use super::Sqlite;
use super::executions::rows;
use super::users::{end_sessions, find};
use crate::Error;
use crate::second_factors::{EnabledSecondFactor, SecondFactor, SecondFactorStore};
use crate::users::User;
use crate::vault::VaultKey;
use rusqlite::{Connection, OptionalExtension, Row, params};

#[async_trait::async_trait]
impl SecondFactorStore for Sqlite {
    async fn second_factor(&self, user_id: &str) -> Result<Option<SecondFactor>, Error> {
        let (user_id, store) = (user_id.to_owned(), self.clone());
        self.read(move |connection| {
            store.shared.vault.with_key(connection, |key| look_up(connection, key, &user_id))
        })
        .await
    }

    async fn begin_second_factor(
        &self,
        user_id: &str,
        generation: i64,
        secret: Vec<u8>,
    ) -> Result<bool, Error> {
        let (user_id, setup_id) = (user_id.to_owned(), super::new_id());
        self.sealing(move |connection, key| {
            let sealed = key.seal(&sealed_name(&user_id), &secret)?;
            let sql = "INSERT INTO second_factors (user_id, setup_id, secret)
                       SELECT id, ?3, ?4 FROM users WHERE id = ?1 AND generation = ?2
                       ON CONFLICT (user_id) DO UPDATE SET setup_id = ?3, secret = ?4 WHERE NOT is_enabled";
            Ok(connection.execute(sql, params![user_id, generation, setup_id.as_str(), sealed])? > 0)
        })
        .await
    }

    async fn enable_second_factor(
        &self,
        enabled: EnabledSecondFactor,
    ) -> Result<Option<User>, Error> {
        self.write(move |connection| {
            let EnabledSecondFactor { user_id, generation, setup_id, step, recovery_hashes } =
                &enabled;
            let sql = "UPDATE second_factors SET is_enabled = 1, last_step = ?4
                       WHERE user_id = ?1 AND setup_id = ?3 AND NOT is_enabled
                         AND EXISTS (SELECT 1 FROM users WHERE id = ?1 AND generation = ?2)";
            let changed = params![user_id.as_str(), generation, setup_id.as_str(), step];
            if connection.execute(sql, changed)? == 0 {
                return Ok(None);
            }
            replace_recovery_codes(connection, user_id, recovery_hashes)?;
            end_sessions(connection, user_id)?;
            find(connection, user_id)
        })
        .await
    }

    async fn count_second_factor_attempt(
        &self,
        user_id: &str,
        known: u32,
        now_ms: i64,
    ) -> Result<bool, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            let sql = "UPDATE second_factors SET attempts = attempts + 1, attempted_ms = ?3
                       WHERE user_id = ?1 AND attempts = ?2";
            Ok(connection.execute(sql, params![user_id, known, now_ms])? > 0)
        })
        .await
    }

    async fn use_second_factor_step(&self, user_id: &str, step: i64) -> Result<bool, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            let sql = "UPDATE second_factors SET last_step = ?2, attempts = 0
                       WHERE user_id = ?1 AND last_step < ?2";
            Ok(connection.execute(sql, params![user_id, step])? > 0)
        })
        .await
    }

    async fn use_recovery_code(&self, user_id: &str, hash: Vec<u8>) -> Result<bool, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            let sql = "DELETE FROM recovery_codes WHERE user_id = ?1 AND hash = ?2";
            let is_used = connection.execute(sql, params![user_id, hash])? > 0;
            if is_used {
                let sql = "UPDATE second_factors SET attempts = 0 WHERE user_id = ?1";
                connection.execute(sql, [&user_id])?;
            }
            Ok(is_used)
        })
        .await
    }

    async fn set_recovery_codes(&self, user_id: &str, hashes: Vec<Vec<u8>>) -> Result<bool, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            let sql = "SELECT 1 FROM second_factors WHERE user_id = ?1 AND is_enabled";
            if !connection.prepare_cached(sql)?.exists([&user_id])? {
                return Ok(false);
            }
            replace_recovery_codes(connection, &user_id, &hashes)?;
            Ok(true)
        })
        .await
    }

    async fn remove_second_factor(&self, user_id: &str) -> Result<bool, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            Ok(connection.execute("DELETE FROM second_factors WHERE user_id = ?1", [user_id])? > 0)
        })
        .await
    }
}

fn look_up(
    connection: &Connection,
    key: &VaultKey,
    user_id: &str,
) -> Result<Option<SecondFactor>, Error> {
    let sql = "SELECT setup_id, secret, is_enabled,
                 (SELECT count(*) FROM recovery_codes c WHERE c.user_id = f.user_id),
                 attempts, attempted_ms
               FROM second_factors f WHERE user_id = ?1";
    let of_row = |row: &Row<'_>| {
        Ok(SecondFactor {
            setup_id: row.get_ref(0)?.as_str()?.into(),
            secret: row.get(1)?,
            is_enabled: row.get(2)?,
            recovery_codes_left: row.get(3)?,
            attempts: row.get(4)?,
            attempted_ms: row.get(5)?,
        })
    };
    let found = connection.prepare_cached(sql)?.query_row([user_id], of_row).optional()?;
    let Some(sealed) = found else { return Ok(None) };
    let name = sealed_name(user_id);
    let secret = key.open(&name, &sealed.secret).ok_or_else(|| damaged(&name))?;
    Ok(Some(SecondFactor { secret, ..sealed }))
}

fn replace_recovery_codes(
    connection: &Connection,
    user_id: &str,
    hashes: &[Vec<u8>],
) -> Result<(), Error> {
    connection.execute("DELETE FROM recovery_codes WHERE user_id = ?1", [user_id])?;
    let mut insert =
        connection.prepare_cached("INSERT INTO recovery_codes (user_id, hash) VALUES (?1, ?2)")?;
    for hash in hashes {
        insert.execute(params![user_id, hash])?;
    }
    Ok(())
}

/// Sealed data opens only under its own name: a row that is copied to somebody else is of no use.
fn sealed_name(user_id: &str) -> String {
    format!("second factor {user_id}")
}

/// Seals all secrets with a new key.
pub(super) fn reseal(connection: &Connection, old: &VaultKey, new: &VaultKey) -> Result<(), Error> {
    let mut found = connection.prepare("SELECT user_id, secret FROM second_factors")?;
    let sealed: Vec<(String, Vec<u8>)> =
        rows(found.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?)?;
    for (user_id, sealed) in sealed {
        let name = sealed_name(&user_id);
        let plain = old.open(&name, &sealed).ok_or_else(|| damaged(&name))?;
        connection.execute(
            "UPDATE second_factors SET secret = ?2 WHERE user_id = ?1",
            params![user_id, new.seal(&name, &plain)?],
        )?;
    }
    Ok(())
}

fn damaged(name: &str) -> Error {
    Error::Corrupt { what: format!("the {name}").into() }
}
