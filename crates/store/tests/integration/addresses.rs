//! Addresses and tags: who has them, and what becomes of those from before they had owners.

use crate::support::TempFolder;
use heddle_store::addresses::{AddressClaim, ClaimResult, EndpointKind};
use heddle_store::tags::{TagAccess, TagChange, TagTarget, TagsUpdate};
use heddle_store::workflows::{ActivatedVersion, NewVersion, StoredWorkflow};
use heddle_store::{OpenMode, Sqlite, TagStore as _, WorkflowStore as _};

fn version(id: &str, document: &str) -> NewVersion {
    NewVersion {
        id: id.into(),
        name: id.into(),
        document: document.into(),
        author: None,
        static_data: None,
    }
}

fn claims(paths: &[&str]) -> Vec<AddressClaim> {
    paths
        .iter()
        .map(|path| AddressClaim::new("n".into(), EndpointKind::Webhook, "POST", path))
        .collect()
}

async fn activate(store: &Sqlite, workflow: &StoredWorkflow, paths: &[&str]) -> ClaimResult<()> {
    store
        .activate(
            &workflow.id,
            ActivatedVersion::Newest(workflow.version_id.clone()),
            claims(paths),
        )
        .await
        .unwrap()
}

#[tokio::test]
async fn issue_14_03_an_address_has_one_owner_until_it_is_given_up() {
    let folder = TempFolder::absent("addresses");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let one = store.save_workflow(version("one", "{}")).await.unwrap();
    let two = store.save_workflow(version("two", "{}")).await.unwrap();
    assert!(activate(&store, &one, &["orders", "u/:id/x"]).await.done().is_some());
    for path in ["orders", "/orders/", "u/7/x", "u/:other/x", "u/7/:y", ":a/:b/:c"] {
        assert!(
            matches!(activate(&store, &two, &["free", path]).await, ClaimResult::Taken(_)),
            "{path}"
        );
        assert!(!store.workflow("two").await.unwrap().unwrap().active);
    }
    assert_eq!(store.addresses().await.unwrap().len(), 2, "what is refused leaves nothing behind");
    let outdated = store
        .activate("two", ActivatedVersion::Newest("old".into()), claims(&["free"]))
        .await
        .unwrap();
    assert!(matches!(outdated, ClaimResult::Outdated), "it was saved since");
    assert!(matches!(
        store.activate("three", ActivatedVersion::Newest("v".into()), Vec::new()).await.unwrap(),
        ClaimResult::Missing
    ));
    assert!(activate(&store, &two, &["free"]).await.done().is_some());
    assert!(store.deactivate("one").await.unwrap());
    assert!(activate(&store, &two, &["orders"]).await.done().is_some());
    assert!(store.delete_workflow("two").await.unwrap().is_some());
    assert!(store.addresses().await.unwrap().is_empty(), "what is removed has no address");
}

#[tokio::test]
async fn issue_14_03_a_version_and_its_addresses_are_saved_together_or_not_at_all() {
    let folder = TempFolder::absent("saved-together");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let one = store.save_workflow(version("one", "{}")).await.unwrap();
    let two = store.save_workflow(version("two", "{}")).await.unwrap();
    assert!(
        activate(&store, &one, &["a"]).await.done().is_some()
            && activate(&store, &two, &["b"]).await.done().is_some()
    );
    let next = || version("two", r#"{"nodes":[]}"#);
    assert!(
        store.save_workflow(next()).await.is_err(),
        "one that listens is not saved as if it did not"
    );
    assert!(matches!(
        store.add_workflow(next(), "personal", None).await.unwrap(),
        ClaimResult::Outdated
    ));
    assert!(matches!(
        store.add_workflow(next(), "personal", Some(claims(&["c", "a"]))).await.unwrap(),
        ClaimResult::Taken(_)
    ));
    assert_eq!(store.versions("two").await.unwrap().len(), 1);
    let held = store.addresses().await.unwrap();
    assert!(held.iter().any(|(id, address)| id == "two" && address.pattern() == "b"), "{held:?}");
    assert!(
        store
            .add_workflow(next(), "personal", Some(claims(&["c"])))
            .await
            .unwrap()
            .done()
            .is_some()
    );
    let held = store.addresses().await.unwrap();
    assert!(
        held.iter().any(|(id, address)| id == "two" && address.pattern() == "c") && held.len() == 2,
        "{held:?}"
    );
}

#[tokio::test]
async fn issue_14_00_a_tag_is_there_for_its_maker_and_where_it_is_carried() {
    let folder = TempFolder::absent("tags-of-projects");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let reach = |user: &str, sees: &[&str], changes: &[&str]| {
        let list = |ids: &[&str]| ids.iter().map(|id| (*id).into()).collect();
        Some(TagAccess { user_id: user.into(), sees: list(sees), changes: list(changes) })
    };
    let mine = || reach("ada", &["personal"], &["personal"]);
    let theirs = || reach("bob", &["other"], &["other"]);
    store.save_workflow(version("w", "{}")).await.unwrap();
    let tag = store.add_tag("live", "ada", None).await.unwrap();
    let give = async |whose| {
        store.set_tags(TagTarget::Workflow("w".into()), vec![tag.id.clone()], whose).await.unwrap()
    };
    assert_eq!(give(mine()).await, TagsUpdate::Missing, "it is not hers yet");
    assert_eq!(give(None).await, TagsUpdate::Done);
    assert_eq!(store.tags(mine(), None, 10).await.unwrap().len(), 1);
    assert!(
        store.tags(theirs(), None, 10).await.unwrap().is_empty()
            && store.tag(&tag.id, theirs()).await.unwrap().is_none()
    );
    assert_eq!(store.delete_tag(&tag.id, theirs()).await.unwrap(), TagChange::Missing);
    assert_eq!(
        store.rename_tag(&tag.id, "mine", reach("eve", &["personal"], &[])).await.unwrap(),
        TagChange::Foreign
    );
    // Whoever only looks on cannot carry a tag off to where its people could not change it any
    // more.
    store.save_workflow(version("eves", "{}")).await.unwrap();
    let eves = async |whose| {
        store
            .set_tags(TagTarget::Workflow("eves".into()), vec![tag.id.clone()], whose)
            .await
            .unwrap()
    };
    assert_eq!(eves(reach("eve", &["personal", "eves"], &["eves"])).await, TagsUpdate::Foreign);
    assert_eq!(
        eves(reach("bob", &["personal", "eves"], &["personal", "eves"])).await,
        TagsUpdate::Done
    );
    assert_eq!(
        eves(reach("eve", &["personal", "eves"], &["eves"])).await,
        TagsUpdate::Done,
        "what is carried already stays"
    );
    // A name that one does not see is free, and the other way round.
    let second = store.add_tag("live", "bob", theirs()).await.unwrap();
    assert!(store.add_tag("live", "ada", mine()).await.is_err());
    assert_eq!(store.tags(None, None, 10).await.unwrap().len(), 2);
    assert!(matches!(store.delete_tag(&tag.id, mine()).await.unwrap(), TagChange::Done(_)));
    assert!(store.tag(&second.id, None).await.unwrap().is_some());
}

/// A folder of the release before addresses had owners.
#[tokio::test]
async fn issue_14_03_what_older_releases_have_kept_stays() {
    let folder = TempFolder::absent("older");
    std::fs::create_dir_all(&folder.0).unwrap();
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    raw.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;").unwrap();
    for migration in ["0001_start", "0002_folders", "0003_approvals"] {
        let file = format!("{}/src/sqlite/migrations/{migration}.sql", env!("CARGO_MANIFEST_DIR"));
        raw.execute_batch(&std::fs::read_to_string(file).unwrap()).unwrap();
    }
    raw.execute_batch(
        "PRAGMA user_version = 3;
         INSERT INTO workflows (id, name, active, version_id, document, created_ms, updated_ms) VALUES ('w', 'W', 1, 'v', '{}', 1, 1);
         INSERT INTO tags (id, name, created_ms, updated_ms) VALUES ('t', 'live', 1, 1);
         INSERT INTO workflow_tags (workflow_id, tag_id) VALUES ('w', 't');",
    )
    .unwrap();
    drop(raw);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let stored = store.workflow("w").await.unwrap().unwrap();
    assert!(stored.active && store.addresses().await.unwrap().is_empty());
    assert_eq!(store.tags_of(TagTarget::Workflow("w".into())).await.unwrap().len(), 1);
    assert!(
        heddle_store::ApiKeyStore::links_named_waits_ms(&store).await.unwrap() > 1_700_000_000_000
    );
    assert!(
        store.claim_or_deactivate("w", "v", claims(&["orders"])).await.unwrap().done().is_some()
    );
}
