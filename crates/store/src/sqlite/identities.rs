//! Identities at an OpenID Connect provider in SQLite.

use super::Sqlite;
use super::executions::rows;
use super::users::{COLUMNS, add, user};
use crate::Error;
use crate::identities::{Identity, IdentityStore};
use crate::users::{NewUser, User};
use rusqlite::{Connection, OptionalExtension, params};

#[async_trait::async_trait]
impl IdentityStore for Sqlite {
    async fn user_of_identity(&self, identity: Identity) -> Result<Option<User>, Error> {
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM identities i JOIN users u ON u.id = i.user_id
                 WHERE i.issuer = ?1 AND i.subject = ?2 AND u.disabled = 0"
            );
            let of = [identity.issuer.as_str(), identity.subject.as_str()];
            Ok(connection.prepare_cached(&sql)?.query_row(of, user).optional()?)
        })
        .await
    }

    async fn link_identity(&self, user_id: &str, identity: Identity) -> Result<bool, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| link(connection, &user_id, &identity)).await
    }

    async fn add_user_with_identity(
        &self,
        new: NewUser,
        identity: Identity,
    ) -> Result<User, Error> {
        self.write(move |connection| {
            let added = add(connection, &new)?;
            match link(connection, &added.id, &identity)? {
                true => Ok(added),
                false => Err(Error::Taken { what: "an identity", name: identity.subject.clone() }),
            }
        })
        .await
    }

    async fn identities_of(&self, user_id: &str) -> Result<Vec<Identity>, Error> {
        let user_id = user_id.to_owned();
        self.read(move |connection| {
            let sql = "SELECT issuer, subject FROM identities WHERE user_id = ?1 ORDER BY 1, 2";
            let mut found = connection.prepare_cached(sql)?;
            rows(found.query_map([user_id], |row| {
                Ok(Identity {
                    issuer: row.get_ref(0)?.as_str()?.into(),
                    subject: row.get_ref(1)?.as_str()?.into(),
                })
            })?)
        })
        .await
    }

    async fn unlink_identities(&self, user_id: &str) -> Result<usize, Error> {
        let user_id = user_id.to_owned();
        self.write(move |connection| {
            Ok(connection.execute("DELETE FROM identities WHERE user_id = ?1", [user_id])?)
        })
        .await
    }
}

fn link(connection: &Connection, user_id: &str, identity: &Identity) -> Result<bool, Error> {
    let sql = "INSERT INTO identities (issuer, subject, user_id)
               SELECT ?1, ?2, id FROM users WHERE id = ?3 ON CONFLICT DO NOTHING";
    let row = params![identity.issuer.as_str(), identity.subject.as_str(), user_id];
    Ok(connection.execute(sql, row)? > 0)
}
