//! Nobody else on the machine reads the data folder, and its secrets are sealed.

use crate::support::{Run, TempFolder, add_workflow};
use heddle_store::access::ApiKeyStore as _;
use heddle_store::{CredentialStore as _, Error, ExecutionStore as _, OpenMode, Sqlite, inspect};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

const WAITING_RUN: &str = "INSERT INTO executions (id, workflow_id, version_id, mode, status, started_ms) VALUES (77, 'w', 'v', 'webhook', 'waiting', 1)";

const FILES: [&str; 5] =
    ["heddle.db", "heddle.db-wal", "heddle.db-shm", "serving.lock", "vault.key"];

#[tokio::test]
async fn issue_14_15_a_new_data_folder_is_closed_to_others() {
    let folder = TempFolder::absent("private");
    let store = Sqlite::open(&folder.0.join("data"), OpenMode::Serve).unwrap();
    add_workflow(&folder.0.join("data"));
    store.flush(Run::with_line(1, "said")).await.unwrap();
    assert_eq!(mode(&folder.0.join("data")), 0o700);
    for name in FILES {
        assert_eq!(mode(&folder.0.join("data").join(name)), 0o600, "{name}");
    }
    assert!(inspect::open_to_others(&folder.0.join("data")).is_empty());
}

#[tokio::test]
async fn issue_14_15_what_an_earlier_version_left_open_is_closed_at_the_next_start() {
    let folder = TempFolder::absent("loose");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    add_workflow(&folder.0);
    store.flush(Run::with_line(1, "said")).await.unwrap();
    drop(store);
    std::fs::create_dir_all(folder.0.join("binary")).unwrap();
    let loosen = |path: &Path, mode: u32| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap()
    };
    for name in FILES.iter().map(|name| folder.0.join(name)).filter(|path| path.exists()) {
        loosen(&name, 0o644);
    }
    loosen(&folder.0.join("binary"), 0o755);
    loosen(&folder.0, 0o755);
    assert!(inspect::open_to_others(&folder.0).len() >= 4);
    // Whoever only looks changes nothing.
    drop(Sqlite::open(&folder.0, OpenMode::Shared).unwrap());
    assert_eq!(mode(&folder.0), 0o755);
    let _store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert!(
        inspect::open_to_others(&folder.0).is_empty(),
        "{:?}",
        inspect::open_to_others(&folder.0)
    );
    assert_eq!(
        (mode(&folder.0), mode(&folder.0.join("heddle.db")), mode(&folder.0.join("binary"))),
        (0o700, 0o600, 0o700)
    );
}

#[tokio::test]
async fn issue_14_15_a_secret_is_sealed_with_the_key_of_the_vault_and_one_of_before_signs_nothing_new()
 {
    let folder = TempFolder::absent("secret");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    raw.execute("INSERT INTO facts (key, value) VALUES ('resume_tickets', 'as it was before')", [])
        .unwrap();
    let tickets = store.secret("resume_tickets").await.unwrap();
    assert!(tickets != "as it was before" && tickets.len() > 20);
    assert_eq!(
        store.former_secret("resume_tickets").await.unwrap().as_deref(),
        Some("as it was before")
    );
    assert_eq!(store.former_secret("trace_ids").await.unwrap(), None);
    // Nor are its bytes left where the row was.
    raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let file = std::fs::read(folder.0.join("heddle.db")).unwrap();
    assert!(!file.windows(16).any(|bytes| bytes == b"as it was before"));
    let fresh = store.secret("trace_ids").await.unwrap();
    assert_eq!(store.secret("trace_ids").await.unwrap(), fresh);
    let mut facts = raw.prepare("SELECT key, value FROM facts").unwrap();
    let facts: Vec<(String, String)> = facts
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    for (key, value) in &facts {
        assert!(
            key != "resume_tickets"
                && !value.contains("as it was before")
                && !value.contains(&fresh),
            "{key}"
        );
    }
    // Another key, another process.
    store.rotate_key().await.unwrap();
    drop(store);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert_eq!(store.secret("resume_tickets").await.unwrap(), tickets);
    assert_eq!(
        store.former_secret("resume_tickets").await.unwrap().as_deref(),
        Some("as it was before")
    );
    drop(store);
    // Without the key a secret is made anew only where nothing waits for what the old one has
    // signed.
    std::fs::remove_file(folder.0.join("vault.key")).unwrap();
    let database = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    database.execute_batch(WAITING_RUN).unwrap();
    assert!(matches!(Sqlite::open(&folder.0, OpenMode::Serve), Err(Error::Key)));
    database.execute_batch("UPDATE executions SET status = 'success'").unwrap();
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert_ne!(store.secret("resume_tickets").await.unwrap(), "as it was before");
}
