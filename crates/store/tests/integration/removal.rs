//! What is removed stays removed: no id is given twice, and nothing of a run that is gone is
//! written.

use crate::support::{Run, TempFolder, WriteOutcome, folder_with_workflow, raw_database};
use heddle_store::executions::{ExecutionState, ExecutionStore, ParentCall};
use heddle_store::interruptions::InterruptionStore as _;
use heddle_store::workflows::{NewVersion, WorkflowStore as _};
use heddle_store::{Error, OpenMode, Sqlite};
use model::{RunStatus, Str};

fn count(folder: &TempFolder, table: &str) -> i64 {
    raw_database(folder)
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        .unwrap()
}

#[tokio::test]
async fn issue_15_04_the_id_of_a_run_is_never_given_again() {
    let folder = folder_with_workflow("ids");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    store.flush(Run::with_line(1, "said")).await.unwrap();
    assert_eq!(store.delete_workflow("w").await.unwrap(), Some(Vec::new()));
    drop(store);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let next = store.next_execution_id().await.unwrap();
    assert!(next > 1, "{next}");
    // A clean stop leaves no gap.
    store.record_clean_stop(Vec::new(), 1).await.unwrap();
    assert_eq!(store.next_execution_id().await.unwrap(), 2);
}

#[tokio::test]
async fn issue_15_04_the_id_of_a_run_that_nobody_keeps_is_not_given_again_either() {
    let folder = folder_with_workflow("discarded");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for id in 1..=250 {
        store.flush(Run::new(id, &[], WriteOutcome::Discarded)).await.unwrap();
    }
    assert_eq!(count(&folder, "executions"), 0);
    drop(store);
    let next = Sqlite::open(&folder.0, OpenMode::Serve).unwrap().next_execution_id().await.unwrap();
    assert!((251..500).contains(&next), "{next}");
}

#[tokio::test]
async fn issue_15_04_nothing_is_written_of_a_run_that_is_gone_and_others_do_not_notice() {
    let folder = folder_with_workflow("gone");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    store.flush(Run::with_line(1, "said")).await.unwrap();
    store.flush(Run::with_line(2, "said")).await.unwrap();
    assert!(store.delete_execution(1).await.unwrap());
    let later = |id: i64| Run::with(id, |piece| (piece.started, piece.seq) = (None, 3));
    let both = tokio::join!(store.flush(later(1)), store.flush(later(2)));
    assert!(matches!(both, (Err(Error::Gone { execution: 1 }), Ok(()))), "{both:?}");
    // Whoever took the run up while it was deleted found no pieces, and counts from the first.
    let first = store.flush(Run::with(1, |piece| piece.started = None)).await;
    assert!(matches!(first, Err(Error::Gone { execution: 1 })), "{first:?}");
    assert_eq!((count(&folder, "executions"), count(&folder, "journal")), (1, 2));
    assert!(store.delete_workflow("w").await.unwrap().is_some());
    assert!(matches!(
        store.flush(Run::with_line(3, "late")).await,
        Err(Error::Gone { execution: 3 })
    ));
    assert!(matches!(store.flush(later(2)).await, Err(Error::Gone { execution: 2 })));
    assert_eq!(
        (count(&folder, "executions"), count(&folder, "journal"), count(&folder, "journal_parts")),
        (0, 0, 0)
    );
    assert_eq!(store.delete_workflow("w").await.unwrap(), None);
}

#[tokio::test]
async fn issue_15_04_a_workflow_with_many_runs_is_removed_whole() {
    let folder = folder_with_workflow("many");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for id in 1..=450 {
        store.flush(Run::with_line(id, "said")).await.unwrap();
    }
    assert!(store.delete_workflow("w").await.unwrap().is_some());
    assert_eq!(
        (count(&folder, "executions"), count(&folder, "journal"), count(&folder, "workflows")),
        (0, 0, 0)
    );
}

#[tokio::test]
async fn issue_15_04_a_workflow_that_was_made_again_has_no_runs_of_versions_that_are_gone() {
    let folder = folder_with_workflow("again");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let version = |document: &str| NewVersion {
        id: "again".into(),
        name: "again".into(),
        document: document.into(),
        author: None,
        static_data: None,
    };
    let of = |id: i64, version: &Str| {
        Run::with(id, |piece| {
            let begun = piece.started.as_mut().unwrap();
            (begun.workflow_id, begun.version_id) = ("again".into(), version.clone());
        })
    };
    let first = store.save_workflow(version("{}")).await.unwrap().version_id;
    let second = store.save_workflow(version(r#"{ "nodes": [] }"#)).await.unwrap().version_id;
    store.flush(of(1, &first)).await.unwrap();
    store.flush(of(2, &second)).await.unwrap();
    assert!(store.delete_workflow("again").await.unwrap().is_some());
    let third = store.save_workflow(version("{}")).await.unwrap().version_id;
    assert!(matches!(store.flush(of(3, &second)).await, Err(Error::Gone { execution: 3 })));
    store.flush(of(4, &third)).await.unwrap();
    store.flush(of(5, &Str::new())).await.unwrap();
}

#[tokio::test]
async fn issue_15_04_whoever_was_waited_for_by_a_run_that_is_gone_is_found() {
    let folder = folder_with_workflow("abandoned");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let called = |id: i64, parent: i64, is_awaited: bool| {
        Run::with(id, |piece| {
            piece.state = Some(ExecutionState::of(RunStatus::Waiting));
            piece.parent = Some(parent);
            let begun = piece.started.as_mut().unwrap();
            (begun.parent, begun.is_awaited) =
                (Some(ParentCall { execution: parent, step: id, number: 0 }), is_awaited);
        })
    };
    let unfinished =
        |id: i64| Run::with(id, |piece| piece.state = Some(ExecutionState::of(RunStatus::Waiting)));
    for run in [
        unfinished(1),
        unfinished(2),
        called(3, 1, true),
        called(4, 1, false),
        called(5, 1, true),
        called(6, 2, true),
    ] {
        store.flush(run).await.unwrap();
    }
    assert_eq!(store.abandoned(None).await.unwrap(), [0_i64; 0]);
    store.set_status(1, RunStatus::Cancelled).await.unwrap();
    assert_eq!(
        (store.abandoned(None).await.unwrap(), store.abandoned(Some(2)).await.unwrap()),
        (vec![3, 5], Vec::new())
    );
    store.set_status(3, RunStatus::Cancelled).await.unwrap();
    assert!(store.delete_execution(2).await.unwrap());
    assert_eq!(
        (store.abandoned(None).await.unwrap(), store.abandoned(Some(2)).await.unwrap()),
        (vec![5, 6], vec![6])
    );
}
