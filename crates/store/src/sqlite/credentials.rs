//! Credentials in SQLite, sealed with the key beside it.

#![cfg_attr(
    not(test),
    expect(clippy::disallowed_methods, reason = "encrypts and decrypts credential data")
)]

use super::access::SECRET;
use super::conversations::CONVERSATION_KEY;
use super::executions::rows;
use super::{Sqlite, connect, now_ms, second_factors};
use crate::Error;
use crate::credentials::{
    CredentialChange, CredentialStore, NewCredential, SecretFields, StoredCredential,
};
use crate::vault::{KeyFiles, VaultKey};
use model::{Object, Str};
use node_api::credential::{CredentialRegistry, secrets_to_reenter};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use std::sync::{Arc, Mutex, PoisonError};

const COLUMNS: &str = "id, name, kind, project_id, created_ms, updated_ms";

/// The key as it was last found to fit.
pub(super) struct Vault {
    files: KeyFiles,
    opened: Mutex<Option<Arc<OpenedVault>>>,
}

struct OpenedVault {
    key: VaultKey,
    /// The check value of the database that the key fits.
    check: String,
}

/// How far a change of the key has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rotation {
    KeyWritten,
    Sealed,
    Committed,
}

impl Vault {
    pub(super) fn new(folder: &std::path::Path) -> Self {
        Self { files: KeyFiles::new(folder), opened: Mutex::default() }
    }

    /// The key that fits the database; made if nothing has been sealed yet.
    pub(super) fn open(&self, connection: &Connection) -> Result<(), Error> {
        self.opened(connection).map(drop)
    }

    /// The same vault for another process of a simulation.
    #[cfg(feature = "simulation")]
    pub(super) fn again(&self) -> Self {
        let opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { files: self.files.clone(), opened: Mutex::new(opened) }
    }

    /// Looks something sealed up and opens it.
    pub(super) fn with_key<T>(
        &self,
        connection: &Connection,
        look: impl Fn(&VaultKey) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match look(&self.opened(connection)?.key) {
            // Another process may have changed the key between two looks.
            Err(Error::Corrupt { .. }) => look(&self.opened(connection)?.key),
            other => other,
        }
    }

    fn opened(&self, connection: &Connection) -> Result<Arc<OpenedVault>, Error> {
        let known = self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let (Some(known), Some(check)) = (known, check_value(connection)?)
            && known.check == check
        {
            return Ok(known);
        }
        let _lock = self.files.lock()?;
        let opened = Arc::new(self.find_or_make(connection)?);
        self.remember(opened.clone());
        Ok(opened)
    }

    fn remember(&self, opened: Arc<OpenedVault>) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
    }

    fn find_or_make(&self, connection: &Connection) -> Result<OpenedVault, Error> {
        let current = self.files.current();
        if let Some(check) = check_value(connection)? {
            if let Ok(Some(key)) = &current
                && key.fits(&check)
            {
                return current
                    .map(|key| key.map(|key| OpenedVault { key, check }))?
                    .ok_or(Error::Key);
            }
            if let Some(key) = self.files.next()?.filter(|key| key.fits(&check)) {
                // A change of the key was interrupted after everything had been sealed.
                self.files.promote()?;
                return Ok(OpenedVault { key, check });
            }
        }
        let sql = "SELECT (SELECT count(*) FROM credentials) + (SELECT count(*) FROM second_factors) + (SELECT count(*) FROM facts WHERE key = ?1)
                   + (SELECT count(*) FROM executions WHERE status = 'waiting')";
        let n_sealed: i64 = connection.query_row(sql, [CONVERSATION_KEY], |row| row.get(0))?;
        if n_sealed > 0 {
            return Err(Error::Key);
        }
        // Other secrets sign links and cookies. As no run waits for a link, they are made anew.
        connection.execute("DELETE FROM facts WHERE key GLOB ?1 || '*'", [SECRET])?;
        let key = current?.map_or_else(|| self.files.make_current(), Ok)?;
        let check = key.check_value()?;
        set_check_value(connection, &check)?;
        Ok(OpenedVault { key, check })
    }

    /// Seals everything with a new key. `reached` is told of each step, and may end it there.
    pub(super) fn rotate(
        &self,
        connection: &mut Connection,
        reached: impl Fn(Rotation) -> Result<(), Error>,
    ) -> Result<usize, Error> {
        let _lock = self.files.lock()?;
        let old = self.find_or_make(connection)?;
        let key = self.files.make_next()?;
        reached(Rotation::KeyWritten)?;
        let check = key.check_value()?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let sealed: Vec<(String, Vec<u8>)> = rows(
            transaction
                .prepare("SELECT id, data FROM credentials")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?,
        )?;
        for (id, data) in &sealed {
            let plain = old.key.open(id, data).ok_or_else(|| damaged(id))?;
            transaction.execute(
                "UPDATE credentials SET data = ?2 WHERE id = ?1",
                params![id, key.seal(id, &plain)?],
            )?;
        }
        reseal_facts(&transaction, &old.key, &key)?;
        second_factors::reseal(&transaction, &old.key, &key)?;
        set_check_value(&transaction, &check)?;
        reached(Rotation::Sealed)?;
        transaction.commit()?;
        reached(Rotation::Committed)?;
        self.files.promote()?;
        self.remember(Arc::new(OpenedVault { key, check }));
        Ok(sealed.len())
    }
}

impl Sqlite {
    fn unseal(&self, connection: &Connection, id: &str) -> Result<Option<SecretFields>, Error> {
        self.shared.vault.with_key(connection, |key| unseal(connection, key, id))
    }

    /// Writes with the key that fits. The writer never waits for the files of the key: if another
    /// process has changed the key meanwhile, the work is done again.
    pub(super) async fn sealing<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection, &VaultKey) -> Result<T, Error> + Send + Sync + 'static,
    ) -> Result<T, Error> {
        let work = Arc::new(work);
        for _ in 0..5 {
            let store = self.clone();
            let opened = self.read(move |connection| store.shared.vault.opened(connection)).await?;
            let work = work.clone();
            let done = self.write(move |connection| match check_value(connection)? {
                Some(check) if check == opened.check => work(connection, &opened.key).map(Some),
                _ => Ok(None),
            });
            if let Some(done) = done.await? {
                return Ok(done);
            }
        }
        Err(Error::Key)
    }
}

#[async_trait::async_trait]
impl CredentialStore for Sqlite {
    fn open_vault(&self) -> Result<(), Error> {
        self.read_now(|connection| self.shared.vault.open(connection))
    }

    async fn credential(&self, id: &str) -> Result<Option<StoredCredential>, Error> {
        let id = id.to_owned();
        self.read(move |connection| find(connection, &id)).await
    }

    async fn credentials(
        &self,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<StoredCredential>, Error> {
        let after = after.map(str::to_owned);
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM credentials
                 WHERE ?1 IS NULL OR (created_ms, id) > ((SELECT created_ms FROM credentials WHERE id = ?1), ?1)
                 ORDER BY created_ms, id LIMIT ?2"
            );
            rows(connection.prepare_cached(&sql)?.query_map(params![after, limit as i64], credential)?)
        })
        .await
    }

    async fn credentials_of(
        &self,
        projects: Vec<Str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<StoredCredential>, Error> {
        let (projects, after) = (super::json_list(projects), after.map(str::to_owned));
        self.read(move |connection| {
            let sql = format!(
                "SELECT {COLUMNS} FROM credentials c
                 WHERE (?1 IS NULL OR (created_ms, id) > ((SELECT created_ms FROM credentials WHERE id = ?1), ?1))
                   AND (project_id IN (SELECT value FROM json_each(?3)) OR EXISTS
                     (SELECT 1 FROM credential_shares s WHERE s.credential_id = c.id AND s.project_id IN (SELECT value FROM json_each(?3))))
                 ORDER BY created_ms, id LIMIT ?2"
            );
            rows(connection.prepare_cached(&sql)?.query_map(params![after, limit as i64, projects], credential)?)
        })
        .await
    }

    async fn shares_of(&self, id: &str) -> Result<Vec<Str>, Error> {
        let id = id.to_owned();
        self.read(move |connection| {
            let mut found = connection.prepare_cached(
                "SELECT project_id FROM credential_shares WHERE credential_id = ?1 ORDER BY 1",
            )?;
            rows(found.query_map([id], |row| Ok(row.get_ref(0)?.as_str()?.into()))?)
        })
        .await
    }

    async fn save_credential(&self, new: NewCredential) -> Result<StoredCredential, Error> {
        self.sealing(move |connection, key| {
            let data = seal(key, &new.id, new.secret.clone())?;
            connection.execute(
                "INSERT INTO credentials (id, name, kind, data, project_id, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, coalesce(?5, 'personal'), ?6, ?6)
                 ON CONFLICT (id) DO UPDATE
                 SET name = excluded.name, kind = excluded.kind, data = excluded.data, updated_ms = excluded.updated_ms",
                params![new.id.as_str(), new.name.as_str(), new.kind.as_str(), data, new.project_id.as_deref(), now_ms()],
            )?;
            find(connection, &new.id)?.ok_or_else(|| damaged(&new.id))
        })
        .await
    }

    async fn change_credential(
        &self,
        id: &str,
        change: CredentialChange,
        types: Arc<CredentialRegistry>,
    ) -> Result<Option<StoredCredential>, Error> {
        let id = id.to_owned();
        self.sealing(move |connection, key| {
            let Some(known) = find(connection, &id)? else { return Ok(None) };
            let before = unseal(connection, key, &id)?.unwrap_or_default().reveal();
            check_destination(&known, &before, &change, &types)?;
            let (name, kind) = (change.name.as_deref(), change.kind.as_deref());
            connection.execute(
                "UPDATE credentials SET name = coalesce(?2, name), kind = coalesce(?3, kind), updated_ms = ?4 WHERE id = ?1",
                params![id, name, kind, now_ms()],
            )?;
            if let Some(secret) = change.secret.clone() {
                let mut fields = if change.is_partial { before } else { Object::new() };
                fields.extend(secret.reveal());
                let data = seal(key, &id, SecretFields::new(fields))?;
                connection.execute("UPDATE credentials SET data = ?2 WHERE id = ?1", params![id, data])?;
            }
            find(connection, &id)
        })
        .await
    }

    async fn delete_credential(&self, id: &str) -> Result<bool, Error> {
        let id = id.to_owned();
        self.write(move |connection| {
            Ok(connection.execute("DELETE FROM credentials WHERE id = ?1", [id])? > 0)
        })
        .await
    }

    async fn open_credential(&self, id: &str) -> Result<Option<SecretFields>, Error> {
        let (store, id) = (self.clone(), id.to_owned());
        self.read(move |connection| store.unseal(connection, &id)).await
    }

    fn credential_for_node(
        &self,
        workflow: &str,
        kind: &str,
        id: &str,
    ) -> Result<Option<SecretFields>, Error> {
        self.read_now(|connection| {
            let mut found = connection.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM credentials c JOIN workflows w ON w.id = ?3
                 WHERE c.kind = ?1 AND c.id = ?2 AND (c.project_id = w.project_id OR EXISTS
                   (SELECT 1 FROM credential_shares s WHERE s.credential_id = c.id AND s.project_id = w.project_id)))",
            )?;
            match found.query_row(params![kind, id, workflow], |row| row.get(0))? {
                true => self.unseal(connection, id),
                false => Ok(None),
            }
        })
    }

    async fn rotate_key(&self) -> Result<usize, Error> {
        let store = self.clone();
        let work = tokio::task::spawn_blocking(move || {
            let mut connection = connect(&store.shared.file)?;
            store.shared.vault.rotate(&mut connection, |_| Ok(()))
        });
        work.await.unwrap_or(Err(Error::Stopped))
    }
}

/// Refuses a change that keeps secrets and may lead them to another place.
fn check_destination(
    known: &StoredCredential,
    before: &Object,
    change: &CredentialChange,
    types: &CredentialRegistry,
) -> Result<(), Error> {
    let new_kind = change.kind.as_ref().filter(|kind| **kind != known.kind);
    let given = match &change.secret {
        // What is replaced as a whole keeps nothing.
        Some(_) if !change.is_partial => return Ok(()),
        Some(secret) => secret.clone().reveal(),
        None => Object::new(),
    };
    let fields = match new_kind {
        Some(_) => before.keys().filter(|name| !given.contains_key(name)).cloned().collect(),
        None => secrets_to_reenter(&types.get(&known.kind), before, &given),
    };
    if fields.is_empty() { Ok(()) } else { Err(Error::SecretNeeded { fields }) }
}

fn find(connection: &Connection, id: &str) -> Result<Option<StoredCredential>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM credentials WHERE id = ?");
    Ok(connection.prepare_cached(&sql)?.query_row([id], credential).optional()?)
}

fn credential(row: &Row<'_>) -> rusqlite::Result<StoredCredential> {
    let text =
        |index: usize| row.get_ref(index)?.as_str().map(Str::from).map_err(rusqlite::Error::from);
    Ok(StoredCredential {
        id: text(0)?,
        name: text(1)?,
        kind: text(2)?,
        project_id: text(3)?,
        created_ms: row.get(4)?,
        updated_ms: row.get(5)?,
    })
}

fn seal(key: &VaultKey, id: &str, secret: SecretFields) -> Result<Vec<u8>, Error> {
    key.seal(id, model::json::to_string(&secret.reveal().into()).as_bytes())
}

fn unseal(
    connection: &Connection,
    key: &VaultKey,
    id: &str,
) -> Result<Option<SecretFields>, Error> {
    let mut found = connection.prepare_cached("SELECT data FROM credentials WHERE id = ?")?;
    let Some(sealed) = found.query_row([id], |row| row.get::<_, Vec<u8>>(0)).optional()? else {
        return Ok(None);
    };
    let plain = key.open(id, &sealed).and_then(|plain| String::from_utf8(plain).ok());
    let fields = plain
        .and_then(|text| model::json::parse(&text).ok())
        .and_then(|value| value.as_object().cloned());
    fields.map(|fields| Some(SecretFields::new(fields))).ok_or_else(|| damaged(id))
}

/// The key of the conversations, and other secrets.
fn reseal_facts(connection: &Connection, old: &VaultKey, new: &VaultKey) -> Result<(), Error> {
    let mut found =
        connection.prepare("SELECT key, value FROM facts WHERE key = ?1 OR key GLOB ?2 || '*'")?;
    let facts: Vec<(String, String)> =
        rows(found.query_map([CONVERSATION_KEY, SECRET], |row| Ok((row.get(0)?, row.get(1)?)))?)?;
    for (name, sealed) in facts {
        let damaged = || if name == CONVERSATION_KEY { damaged_key() } else { damaged(&name) };
        let plain = hex::decode(sealed)
            .ok()
            .and_then(|sealed| old.open(&name, &sealed))
            .ok_or_else(damaged)?;
        let sealed = hex::encode(new.seal(&name, &plain)?);
        connection.execute("UPDATE facts SET value = ?2 WHERE key = ?1", [&name, &sealed])?;
    }
    Ok(())
}

pub(super) fn damaged_key() -> Error {
    Error::Corrupt { what: "the conversation key".into() }
}

fn damaged(id: &str) -> Error {
    Error::Corrupt { what: format!("the credential '{id}'").into() }
}

pub(crate) fn check_value(connection: &Connection) -> Result<Option<String>, Error> {
    let mut found =
        connection.prepare_cached("SELECT value FROM facts WHERE key = 'vault_check'")?;
    Ok(found.query_row([], |row| row.get(0)).optional()?)
}

fn set_check_value(connection: &Connection, check: &str) -> Result<(), Error> {
    connection.execute(
        "INSERT INTO facts (key, value) VALUES ('vault_check', ?1) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        [check],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenMode;
    use crate::projects::{PERSONAL, ProjectStore as _};
    use crate::workflows::{NewVersion, WorkflowStore as _};
    use std::path::PathBuf;

    struct VaultFolder(PathBuf);

    impl VaultFolder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("heddle-vault-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            Self(path)
        }

        fn open(&self) -> Result<Sqlite, Error> {
            Sqlite::open(&self.0, OpenMode::Shared)
                .and_then(|store| store.open_vault().map(|()| store))
        }

        fn key(&self) -> String {
            std::fs::read_to_string(self.0.join("vault.key")).unwrap()
        }
    }

    impl Drop for VaultFolder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn header(id: &str, value: &str) -> NewCredential {
        let secret = SecretFields::new(Object::from_iter([("name", "X-Key"), ("value", value)]));
        NewCredential {
            id: id.into(),
            name: id.into(),
            kind: "httpHeaderAuth".into(),
            secret,
            project_id: None,
        }
    }

    async fn value(store: &Sqlite, id: &str) -> Option<String> {
        let secret = store.open_credential(id).await.unwrap()?;
        secret.reveal().get("value").and_then(|value| value.as_str().map(str::to_owned))
    }

    #[tokio::test]
    async fn a_credential_is_sealed_on_disk_and_opens_again() {
        let folder = VaultFolder::new("seal");
        let store = folder.open().unwrap();
        store.save_credential(header("a", "canary-4711")).await.unwrap();
        drop(store);
        for file in ["heddle.db", "heddle.db-wal"] {
            let bytes = std::fs::read(folder.0.join(file)).unwrap_or_default();
            assert!(!bytes.windows(11).any(|window| window == b"canary-4711"), "{file}");
        }
        assert_eq!(value(&folder.open().unwrap(), "a").await.unwrap(), "canary-4711");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_its_owner_can_read_the_key() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = VaultFolder::new("mode");
        folder.open().unwrap();
        assert_eq!(
            std::fs::metadata(folder.0.join("vault.key")).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }

    #[tokio::test]
    async fn a_wrong_or_missing_key_is_refused_and_nothing_is_changed() {
        let folder = VaultFolder::new("wrong");
        folder.open().unwrap().save_credential(header("a", "one")).await.unwrap();
        let right = folder.key();
        for wrong in [Some("00".repeat(32)), Some("no key".to_owned()), None] {
            match &wrong {
                Some(text) => std::fs::write(folder.0.join("vault.key"), text).unwrap(),
                None => std::fs::remove_file(folder.0.join("vault.key")).unwrap(),
            }
            assert!(matches!(folder.open(), Err(Error::Key)), "{wrong:?}");
            assert!(
                matches!(Sqlite::open(&folder.0, OpenMode::Serve), Err(Error::Key)),
                "{wrong:?}"
            );
            assert_eq!(std::fs::read_to_string(folder.0.join("vault.key")).ok(), wrong);
        }
        std::fs::write(folder.0.join("vault.key"), right).unwrap();
        assert_eq!(value(&folder.open().unwrap(), "a").await.unwrap(), "one");
    }

    #[tokio::test]
    async fn a_change_of_the_key_ends_well_wherever_it_is_interrupted() {
        for step in [Rotation::KeyWritten, Rotation::Sealed, Rotation::Committed] {
            let folder = VaultFolder::new(&format!("rotate-{step:?}"));
            let store = folder.open().unwrap();
            for id in ["a", "b", "c"] {
                store.save_credential(header(id, id)).await.unwrap();
            }
            let mut connection = connect(&store.shared.file).unwrap();
            let killed = store.shared.vault.rotate(&mut connection, |reached| {
                if reached == step { Err(Error::Stopped) } else { Ok(()) }
            });
            assert!(matches!(killed, Err(Error::Stopped)));
            drop((connection, store));
            let store = folder.open().unwrap();
            assert_eq!(value(&store, "b").await.unwrap(), "b", "{step:?}");
            let before = folder.key();
            assert_eq!(store.rotate_key().await.unwrap(), 3);
            assert_ne!(folder.key(), before);
            assert_eq!(value(&folder.open().unwrap(), "c").await.unwrap(), "c", "{step:?}");
        }
    }

    #[tokio::test]
    async fn another_process_may_change_the_key_beside_us() {
        let folder = VaultFolder::new("beside");
        let (here, there) = (folder.open().unwrap(), folder.open().unwrap());
        workflow(&here, "w", PERSONAL).await;
        here.save_credential(header("a", "one")).await.unwrap();
        there.rotate_key().await.unwrap();
        assert_eq!(value(&here, "a").await.unwrap(), "one");
        there.rotate_key().await.unwrap();
        here.save_credential(header("b", "two")).await.unwrap();
        assert!(matches!(here.credential_for_node("w", "httpHeaderAuth", "a"), Ok(Some(_))));
        assert_eq!(value(&there, "b").await.unwrap(), "two");
    }

    #[tokio::test]
    async fn issue_14_07_a_node_finds_a_credential_by_its_id_only() {
        let folder = VaultFolder::new("choose");
        let store = folder.open().unwrap();
        workflow(&store, "w", PERSONAL).await;
        store.save_credential(header("a", "one")).await.unwrap();
        assert!(matches!(store.credential_for_node("w", "httpHeaderAuth", "a"), Ok(Some(_))));
        for (kind, id) in [
            ("httpHeaderAuth", ""),
            ("httpHeaderAuth", "A"),
            ("httpHeaderAuth", "b"),
            ("httpBasicAuth", "a"),
        ] {
            assert!(matches!(store.credential_for_node("w", kind, id), Ok(None)), "{kind} {id}");
        }
    }

    #[tokio::test]
    async fn a_workflow_uses_only_what_its_project_has_or_was_let_use() {
        let folder = VaultFolder::new("projects");
        let store = folder.open().unwrap();
        let team = store.add_project("Team").await.unwrap().id;
        workflow(&store, "mine", PERSONAL).await;
        workflow(&store, "theirs", &team).await;
        store.save_credential(header("a", "one")).await.unwrap();
        let finds = |workflow: &str, id: &str| {
            matches!(store.credential_for_node(workflow, "httpHeaderAuth", id), Ok(Some(_)))
        };
        assert!(
            finds("mine", "a")
                && !finds("theirs", "a")
                && !finds("nowhere", "a")
                && !finds("", "a")
        );
        assert_eq!(
            store
                .inaccessible_credentials(&team, vec!["a".into(), "unknown".into()])
                .await
                .unwrap(),
            ["a"]
        );
        assert!(store.share_credential("a", vec![team.clone()]).await.unwrap());
        assert!(finds("mine", "a") && finds("theirs", "a"));
        assert!(store.inaccessible_credentials(&team, vec!["a".into()]).await.unwrap().is_empty());
        store.move_credential("a", &team).await.unwrap();
        assert!(!finds("mine", "a") && finds("theirs", "a"));
    }

    fn types() -> Arc<CredentialRegistry> {
        use node_api::credential::{CredentialField, CredentialSpec};
        let header = CredentialSpec::service("httpHeaderAuth", "Header").fields([
            CredentialField::destination("name", "Header name"),
            CredentialField::secret("value", "Header value"),
        ]);
        Arc::new(CredentialRegistry::new([header]))
    }

    async fn workflow(store: &Sqlite, id: &str, project: &str) {
        let version = NewVersion {
            id: id.into(),
            name: id.into(),
            document: "{}".into(),
            author: None,
            static_data: None,
        };
        store.add_workflow(version, project, None).await.unwrap();
    }

    #[tokio::test]
    async fn issue_14_08_a_new_host_needs_the_secret_again() {
        let folder = VaultFolder::new("host");
        let store = folder.open().unwrap();
        store.save_credential(header("a", "one")).await.unwrap();
        let change = |fields: &[(&str, &str)]| CredentialChange {
            secret: Some(SecretFields::new(
                fields.iter().map(|(name, value)| (*name, *value)).collect(),
            )),
            is_partial: true,
            ..CredentialChange::default()
        };
        // It went anywhere before, so that a list only takes hosts away.
        let bound = [("allowedHttpRequestDomains", "domains"), ("allowedDomains", "a.test")];
        store.change_credential("a", change(&bound), types()).await.unwrap().unwrap();
        for to_evil in [
            ("allowedDomains", "a.test, evil.test"),
            ("allowedHttpRequestDomains", "all"),
            ("name", "Host"),
        ] {
            let refused = store.change_credential("a", change(&[to_evil]), types()).await;
            assert!(
                matches!(&refused, Err(Error::SecretNeeded { fields }) if *fields == ["value"]),
                "{refused:?}"
            );
        }
        assert_eq!(
            store.open_credential("a").await.unwrap().unwrap().reveal().len(),
            4,
            "nothing was changed"
        );
        let kind =
            CredentialChange { kind: Some("openAiApi".into()), ..CredentialChange::default() };
        assert!(matches!(
            store.change_credential("a", kind, types()).await,
            Err(Error::SecretNeeded { .. })
        ));
        let with_secret = [
            ("allowedHttpRequestDomains", "domains"),
            ("allowedDomains", "b.test"),
            ("value", "two"),
        ];
        store.change_credential("a", change(&with_secret), types()).await.unwrap().unwrap();
        assert_eq!(value(&store, "a").await.unwrap(), "two");
    }

    #[tokio::test]
    async fn fields_are_replaced_or_laid_over_those_that_are_there() {
        let folder = VaultFolder::new("change");
        let store = folder.open().unwrap();
        store.save_credential(header("a", "one")).await.unwrap();
        let new = || Some(SecretFields::new(Object::from_iter([("value", "two")])));
        let change =
            CredentialChange { secret: new(), is_partial: true, ..CredentialChange::default() };
        store.change_credential("a", change, types()).await.unwrap().unwrap();
        assert_eq!(store.open_credential("a").await.unwrap().unwrap().reveal().len(), 2);
        store
            .change_credential(
                "a",
                CredentialChange { secret: new(), ..CredentialChange::default() },
                types(),
            )
            .await
            .unwrap()
            .unwrap();
        assert_eq!(store.open_credential("a").await.unwrap().unwrap().reveal().len(), 1);
    }
}
