//! What is written down about the past does not grow for ever.

use crate::support::{folder_with_workflow, raw_database};
use heddle_store::spending::{SpendingFilter, SpendingStore as _};
use heddle_store::workflows::{ActivatedVersion, NewVersion, VersionLabel, WorkflowStore as _};
use heddle_store::{OpenMode, Sqlite};

async fn save(store: &Sqlite, number: usize) -> String {
    let document = format!(r#"{{"name":"{number}"}}"#).into();
    let new =
        NewVersion { id: "w".into(), name: "W".into(), document, author: None, static_data: None };
    store.save_workflow(new).await.unwrap();
    store.workflow("w").await.unwrap().unwrap().version_id.to_string()
}

#[tokio::test]
async fn issue_15_00_versions_that_nobody_needs_go_and_the_others_stay() {
    let folder = folder_with_workflow("versions");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let mut versions = Vec::new();
    for number in 0..20 {
        versions.push(save(&store, number).await);
    }
    store
        .name_version(&versions[2], VersionLabel { name: Some("good".into()), description: None })
        .await
        .unwrap();
    store
        .activate("w", ActivatedVersion::Chosen(versions[4].as_str().into()), Vec::new())
        .await
        .unwrap();
    let ran = "INSERT INTO executions (id, workflow_id, version_id, mode, status, started_ms, stopped_ms) VALUES (7, 'w', ?1, 'manual', 'success', 1, 2)";
    raw_database(&folder).execute(ran, [&versions[6]]).unwrap();
    assert_eq!(store.forget_versions(5).await.unwrap(), 12);
    let left: Vec<String> = store
        .versions("w")
        .await
        .unwrap()
        .iter()
        .rev()
        .map(|version| version.id.to_string())
        .collect();
    let expected: Vec<String> =
        [2, 4, 6, 15, 16, 17, 18, 19].map(|place| versions[place].clone()).to_vec();
    assert_eq!(left, expected);
    assert_eq!(store.forget_versions(5).await.unwrap(), 0);
}

#[tokio::test]
async fn issue_15_00_which_session_spent_what_is_forgotten_and_the_sums_stay() {
    let folder = folder_with_workflow("sessions");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let insert = "INSERT INTO spending (day, workflow_id, session, provider, model, calls, input, cached, output, dollars)
                  VALUES (?1, 'w', ?2, 'p', 'm', 1, 10, 1, 5, 0.5)";
    for session in 0..500 {
        raw_database(&folder).execute(insert, ["2026-01-01", &format!("s{session}")]).unwrap();
    }
    raw_database(&folder).execute(insert, ["2026-01-03", "today"]).unwrap();
    let sums = || async { store.spending(SpendingFilter::default()).await.unwrap() };
    let before = sums().await;
    store.merge_sessions("2026-01-03".into()).await.unwrap();
    assert_eq!(sums().await, before);
    let count: i64 = raw_database(&folder)
        .query_row("SELECT count(*) FROM spending", [], |row| row.get(0))
        .unwrap();
    assert_eq!(count, 2, "one for the day that is over, and the session of the other");
}
