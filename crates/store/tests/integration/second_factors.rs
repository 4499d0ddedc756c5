//! Authenticator apps and identities: what is kept of them, and what ends them.

use crate::support::TempFolder;
use heddle_store::credentials::CredentialStore as _;
use heddle_store::identities::{Identity, IdentityStore as _};
use heddle_store::second_factors::{EnabledSecondFactor, SecondFactorStore as _};
use heddle_store::users::{NewUser, User, UserRole, UserStore as _};
use heddle_store::{OpenMode, Sqlite};

const SECRET: &[u8] = b"canary-secret-of-app";

async fn add(store: &Sqlite, email: &str) -> User {
    let new = NewUser {
        email: email.into(),
        first_name: "".into(),
        last_name: "".into(),
        role: UserRole::Editor,
        password_hash: None,
    };
    store.add_user(new).await.unwrap()
}

async fn start(name: &str) -> (TempFolder, Sqlite, User) {
    let folder = TempFolder::absent(name);
    let store = Sqlite::open(&folder.0, OpenMode::Shared).unwrap();
    store.open_vault().unwrap();
    let user = add(&store, "a@b.c").await;
    (folder, store, user)
}

async fn enable(store: &Sqlite, user: &User, step: i64) -> Option<User> {
    let setup_id = store.second_factor(&user.id).await.unwrap().unwrap().setup_id;
    let enabled = EnabledSecondFactor {
        user_id: user.id.clone(),
        generation: user.generation,
        setup_id,
        step,
        recovery_hashes: vec![vec![1], vec![2]],
    };
    store.enable_second_factor(enabled).await.unwrap()
}

#[tokio::test]
async fn a_secret_is_sealed_on_disk_and_outlives_new_keys_of_the_vault() {
    let (folder, store, user) = start("second-factor").await;
    assert!(store.begin_second_factor(&user.id, user.generation, SECRET.into()).await.unwrap());
    for file in ["heddle.db", "heddle.db-wal"] {
        let bytes = std::fs::read(folder.0.join(file)).unwrap_or_default();
        assert!(!bytes.windows(SECRET.len()).any(|window| window == SECRET), "{file}");
    }
    store.rotate_key().await.unwrap();
    let secret = || async { store.second_factor(&user.id).await.unwrap().unwrap().secret };
    assert_eq!(secret().await, SECRET);
    let beside = Sqlite::open(&folder.0, OpenMode::Shared).unwrap();
    beside.rotate_key().await.unwrap();
    assert_eq!(secret().await, SECRET, "after another process has changed the key");
    drop(beside);
    // Without the key the secret is lost, so nothing is made anew in its place.
    std::fs::remove_file(folder.0.join("vault.key")).unwrap();
    assert!(
        Sqlite::open(&folder.0, OpenMode::Shared).and_then(|store| store.open_vault()).is_err()
    );
}

#[tokio::test]
async fn codes_count_once_and_a_set_up_belongs_to_the_access_that_began_it() {
    let (_folder, store, user) = start("codes").await;
    let id = &user.id;
    assert!(!store.begin_second_factor(id, user.generation + 1, SECRET.into()).await.unwrap());
    assert!(store.begin_second_factor(id, user.generation, b"first".to_vec()).await.unwrap());
    let former = store.second_factor(id).await.unwrap().unwrap().setup_id;
    assert!(store.begin_second_factor(id, user.generation, SECRET.into()).await.unwrap());
    let stale = EnabledSecondFactor {
        user_id: id.clone(),
        generation: user.generation,
        setup_id: former,
        step: 1,
        recovery_hashes: Vec::new(),
    };
    assert!(store.enable_second_factor(stale).await.unwrap().is_none());
    assert!(!store.user(id).await.unwrap().unwrap().has_second_factor);
    let enabled = enable(&store, &user, 100).await.unwrap();
    assert!(enabled.has_second_factor && enabled.generation > user.generation);
    assert!(enable(&store, &enabled, 101).await.is_none(), "it is on already");
    assert!(!store.begin_second_factor(id, enabled.generation, b"x".to_vec()).await.unwrap());

    for (step, expected) in [(100, false), (99, false), (101, true), (101, false), (102, true)] {
        assert_eq!(store.use_second_factor_step(id, step).await.unwrap(), expected, "{step}");
    }
    for (hash, expected) in [(1, true), (1, false), (3, false), (2, true)] {
        assert_eq!(store.use_recovery_code(id, vec![hash]).await.unwrap(), expected, "{hash}");
    }
    assert!(store.set_recovery_codes(id, vec![vec![7], vec![8], vec![9]]).await.unwrap());
    assert_eq!(store.second_factor(id).await.unwrap().unwrap().recovery_codes_left, 3);
    for (known, expected) in [(0, true), (0, false), (1, true)] {
        assert_eq!(store.count_second_factor_attempt(id, known, 5).await.unwrap(), expected);
    }
    assert!(store.remove_second_factor(id).await.unwrap());
    assert!(!store.use_recovery_code(id, vec![7]).await.unwrap());
    assert!(!store.set_recovery_codes(id, vec![vec![7]]).await.unwrap());
    assert!(!store.remove_second_factor(id).await.unwrap());
}

#[tokio::test]
async fn an_identity_belongs_to_one_person_and_ends_with_them() {
    let (_folder, store, user) = start("identities").await;
    let other = add(&store, "b@b.c").await;
    let of =
        |issuer: &str, subject: &str| Identity { issuer: issuer.into(), subject: subject.into() };
    let owner = |identity: Identity| async {
        store.user_of_identity(identity).await.unwrap().map(|user| user.id)
    };
    assert!(store.link_identity(&user.id, of("https://a", "1")).await.unwrap());
    assert!(!store.link_identity(&other.id, of("https://a", "1")).await.unwrap());
    assert!(!store.link_identity("nobody", of("https://a", "2")).await.unwrap());
    assert!(store.link_identity(&other.id, of("https://b", "1")).await.unwrap());
    assert_eq!(owner(of("https://a", "1")).await, Some(user.id.clone()));
    assert_eq!(owner(of("https://b", "1")).await, Some(other.id.clone()));
    assert_eq!(owner(of("https://a", "2")).await, None);
    store.delete_user(&user.id).await.unwrap();
    assert_eq!(owner(of("https://a", "1")).await, None);
    assert_eq!(store.unlink_identities(&other.id).await.unwrap(), 1);
    assert!(store.identities_of(&other.id).await.unwrap().is_empty());

    let new = |email: &str| NewUser {
        email: email.into(),
        first_name: "".into(),
        last_name: "".into(),
        role: UserRole::Viewer,
        password_hash: None,
    };
    let added = store.add_user_with_identity(new("c@b.c"), of("https://a", "9")).await.unwrap();
    assert_eq!(owner(of("https://a", "9")).await, Some(added.id));
    assert!(store.add_user_with_identity(new("d@b.c"), of("https://a", "9")).await.is_err());
    assert!(store.user("d@b.c").await.unwrap().is_none(), "nothing of a failed addition stays");
}
