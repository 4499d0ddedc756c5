//! People, their sessions, keys and links: what a new password ends.

use crate::support::TempFolder;
use heddle_store::access::{ApiKey, ApiKeyStore as _};
use heddle_store::users::{NewSession, NewUser, User, UserRole, UserStore as _};
use heddle_store::{OpenMode, Sqlite};

const LATER_MS: i64 = 9_000_000_000_000;

async fn start(name: &str) -> (TempFolder, Sqlite, User) {
    let folder = TempFolder::absent(name);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let (first_name, last_name) = ("".into(), "".into());
    let new = NewUser {
        email: "a@b.c".into(),
        first_name,
        last_name,
        role: UserRole::Editor,
        password_hash: Some("old".into()),
    };
    let user = store.add_user(new).await.unwrap();
    (folder, store, user)
}

/// A session of somebody as they were when they showed their password.
async fn sign_in(store: &Sqlite, user: &User, token: u8) -> bool {
    let session = NewSession {
        user_id: user.id.clone(),
        generation: user.generation,
        csrf: "c".into(),
        expires_ms: LATER_MS,
    };
    store.add_session(vec![token], session).await.unwrap()
}

async fn add_key(store: &Sqlite, user: &User, hash: u8) -> bool {
    let (id, user_name, label, hint) =
        (heddle_store::new_id(), user.email.clone(), "k".into(), "".into());
    let key = ApiKey {
        id,
        user: user_name,
        label,
        hint,
        scopes: vec!["*".into()],
        created_ms: 0,
        expires_ms: None,
    };
    store.add_key_of(&user.id, user.generation, key, vec![hash]).await.unwrap()
}

#[tokio::test]
async fn issue_14_00_a_sign_in_that_was_under_way_ends_with_the_old_password() {
    let (_folder, store, _) = start("generation").await;
    let (before, _) = store.password_of("a@b.c").await.unwrap().unwrap();
    assert!(sign_in(&store, &before, 1).await);
    // The password is reset between the look at its hash and the session.
    assert!(store.set_password(&before.id, "new").await.unwrap());
    assert!(store.session(vec![1]).await.unwrap().is_none());
    assert!(!sign_in(&store, &before, 2).await);
    assert!(store.session(vec![2]).await.unwrap().is_none());
    assert!(
        store
            .change_password(&before.id, before.generation, "the attacker's")
            .await
            .unwrap()
            .is_none()
    );
    let (after, hash) = store.password_of("a@b.c").await.unwrap().unwrap();
    assert_eq!(hash.as_str(), "new");
    assert!(after.generation > before.generation && sign_in(&store, &after, 3).await);
}

#[tokio::test]
async fn issue_14_00_a_key_that_was_being_made_ends_with_the_old_password() {
    let (_folder, store, before) = start("keys").await;
    assert!(add_key(&store, &before, 1).await);
    assert!(store.set_password(&before.id, "new").await.unwrap());
    assert!(!add_key(&store, &before, 2).await);
    assert!(store.keys_of(&before.id).await.unwrap().is_empty());
    let after = store.user(&before.id).await.unwrap().unwrap();
    assert!(add_key(&store, &after, 3).await);
}

#[tokio::test]
async fn issue_14_00_links_to_choose_a_password_end_with_the_old_one() {
    let (_folder, store, user) = start("links").await;
    store.add_invitation(vec![1], &user.id, LATER_MS).await.unwrap();
    assert!(store.set_password(&user.id, "new").await.unwrap());
    assert!(!store.has_invitation(vec![1]).await.unwrap());
    assert!(store.accept_invitation(vec![1], "", "", "the attacker's").await.unwrap().is_none());
    // A link that is used ends the sessions that were being made too.
    let before = store.user(&user.id).await.unwrap().unwrap();
    store.add_invitation(vec![2], &user.id, LATER_MS).await.unwrap();
    let after = store.accept_invitation(vec![2], "", "", "mine").await.unwrap().unwrap();
    assert!(!sign_in(&store, &before, 1).await);
    assert!(sign_in(&store, &after, 2).await);
}

#[tokio::test]
async fn changing_ones_own_password_keeps_the_keys_and_ends_the_rest() {
    let (_folder, store, before) = start("own").await;
    assert!(sign_in(&store, &before, 1).await && add_key(&store, &before, 1).await);
    store.add_invitation(vec![1], &before.id, LATER_MS).await.unwrap();
    let after = store.change_password(&before.id, before.generation, "new").await.unwrap().unwrap();
    assert_eq!(after.generation, before.generation + 1);
    assert!(
        store.session(vec![1]).await.unwrap().is_none()
            && !store.has_invitation(vec![1]).await.unwrap()
    );
    assert_eq!(store.keys_of(&before.id).await.unwrap().len(), 1);
}

#[tokio::test]
async fn issue_14_00_one_person_has_only_so_many_sessions() {
    let (folder, store, user) = start("many").await;
    for token in 0..=120 {
        assert!(sign_in(&store, &user, token).await);
    }
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    let held: i64 = raw.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0)).unwrap();
    assert_eq!(held, 100);
    assert!(store.session(vec![120]).await.unwrap().is_some(), "the newest is among them");
}

/// A folder of the release whose journals hold the tokens of sessions.
#[tokio::test]
async fn issue_14_00_an_upgrade_ends_all_sessions_once() {
    let folder = TempFolder::absent("upgrade");
    std::fs::create_dir_all(&folder.0).unwrap();
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    raw.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;").unwrap();
    let migrations = [
        "0001_start",
        "0002_folders",
        "0003_approvals",
        "0004_addresses",
        "0005_tags",
        "0006_links",
        "0007_recovery",
    ];
    for migration in migrations {
        let file = format!("{}/src/sqlite/migrations/{migration}.sql", env!("CARGO_MANIFEST_DIR"));
        raw.execute_batch(&std::fs::read_to_string(file).unwrap()).unwrap();
    }
    raw.execute_batch(&format!(
        "PRAGMA user_version = 7;
         INSERT INTO users (id, email, password, role, created_ms, updated_ms) VALUES ('u', 'a@b.c', 'hash', 'editor', 1, 1);
         INSERT INTO sessions (token_hash, user_id, csrf, created_ms, expires_ms) VALUES (x'01', 'u', 'c', 1, {LATER_MS});"
    ))
    .unwrap();
    drop(raw);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert!(store.session(vec![1]).await.unwrap().is_none());
    let (user, _) = store.password_of("a@b.c").await.unwrap().unwrap();
    assert!(sign_in(&store, &user, 2).await);
    let other = Sqlite::open(&folder.0, OpenMode::Shared).unwrap();
    assert!(other.session(vec![2]).await.unwrap().is_some(), "the next start ends none");
}
