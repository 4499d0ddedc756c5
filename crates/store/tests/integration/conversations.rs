//! Conversations in the data folder: what ends is removed, and the key that seals them goes with
//! the vault.

use crate::support::TempFolder;
use heddle_store::{ConversationCleanup as _, CredentialStore as _, Error, OpenMode, Sqlite};
use node_api::ai::{
    ConversationId, ConversationStore as _, Lifetime, Message, RecallLimit, Sealer as _, SessionId,
    StoredTurn, TurnKey,
};

fn open(folder: &TempFolder) -> Sqlite {
    Sqlite::open(&folder.0, OpenMode::Shared).unwrap()
}

fn conversation(session: &str) -> ConversationId {
    ConversationId {
        owner: "w".into(),
        scope: "".into(),
        session: SessionId::new(session).unwrap(),
    }
}

async fn append(store: &Sqlite, session: &str, lifetime: Lifetime) {
    let turn = StoredTurn::new(TurnKey("1".into()), vec![Message::user("hi")]);
    store.append(&conversation(session), turn, lifetime).await.unwrap();
}

async fn length(store: &Sqlite, session: &str) -> usize {
    store.newest(&conversation(session), RecallLimit::ALL, Lifetime::Endless).await.unwrap().len()
}

#[tokio::test]
async fn what_has_outlived_its_time_is_not_seen_and_then_removed() {
    let folder = TempFolder::absent("end");
    let store = open(&folder);
    append(&store, "over", Lifetime::Seconds(0)).await;
    append(&store, "soon", Lifetime::Seconds(3_600)).await;
    append(&store, "never", Lifetime::Endless).await;
    assert_eq!(
        (length(&store, "over").await, length(&store, "soon").await, length(&store, "never").await),
        (0, 1, 1)
    );
    assert_eq!(store.delete_expired().await.unwrap(), 1);
    assert_eq!(store.delete_expired().await.unwrap(), 0);
    assert_eq!((length(&store, "soon").await, length(&store, "never").await), (1, 1));
}

#[tokio::test]
async fn a_change_of_the_vaults_key_leaves_conversations_readable_here_and_elsewhere() {
    let folder = TempFolder::absent("rotate");
    let store = open(&folder);
    append(&store, "s", Lifetime::Endless).await;
    let sealed = store.seal("name", b"kept in Redis").await.unwrap();
    for _ in 0..2 {
        store.rotate_key().await.unwrap();
        let again = open(&folder);
        assert_eq!((length(&store, "s").await, length(&again, "s").await), (1, 1));
        assert_eq!(again.open("name", &sealed).await.unwrap(), b"kept in Redis");
        assert!(again.open("another name", &sealed).await.is_err());
    }
}

/// Without a credential to protect, a lost key was replaced; with conversations it must not be.
#[tokio::test]
async fn a_lost_key_is_not_replaced_while_there_are_conversations() {
    let folder = TempFolder::absent("lost");
    append(&open(&folder), "s", Lifetime::Endless).await;
    let key = folder.0.join("vault.key");
    let held = std::fs::read(&key).unwrap();
    std::fs::remove_file(&key).unwrap();
    let store = open(&folder);
    assert!(matches!(store.open_vault(), Err(Error::Key)));
    assert!(store.newest(&conversation("s"), RecallLimit::ALL, Lifetime::Endless).await.is_err());
    assert!(!key.exists(), "nothing was made in its place");
    std::fs::write(&key, held).unwrap();
    assert_eq!(length(&open(&folder), "s").await, 1);
}
