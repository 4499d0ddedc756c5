//! The store on a real file: what was written is there, what failed left no trace, and the file
//! does not grow for ever.

use crate::support::{Run, TempFolder, folder_with_workflow};
use heddle_store::executions::{
    ExecutionFilter, ExecutionState, ExecutionStore, NewExecution, ParentCall, RetentionLimits,
};
use heddle_store::workflows::{NewVersion, WorkflowStore};
use heddle_store::{Error, OpenMode, Sqlite};
use model::{RunEvent, RunStatus};
use std::sync::Arc;

fn size(folder: &TempFolder) -> u64 {
    std::fs::metadata(folder.0.join("heddle.db")).unwrap().len()
}

#[tokio::test]
async fn what_a_flush_has_returned_from_is_there_for_another_process() {
    let folder = folder_with_workflow("flush");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert_eq!(store.next_execution_id().await.unwrap(), 1);
    store.flush(Run::with_line(1, "said")).await.unwrap();
    let other = Sqlite::open(&folder.0, OpenMode::Shared).unwrap();
    assert_eq!(other.execution(1).await.unwrap().unwrap().state.status, RunStatus::Success);
    assert!(
        matches!(&other.journal(1).await.unwrap()[..], [RunEvent::NodeLog { line, .. }] if line == "said")
    );
    assert!(other.delete_execution(1).await.unwrap());
    assert!(
        store.next_execution_id().await.unwrap() > 1,
        "the id of a deleted run is not used again"
    );
}

#[tokio::test]
async fn a_piece_that_cannot_be_written_goes_back_to_its_run() {
    let folder = folder_with_workflow("refused");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    store.flush(Run::with_line(1, "first")).await.unwrap();
    let again = Run::with_line(1, "second");
    assert!(store.flush(again.clone()).await.is_err(), "the row is there already");
    assert!(again.left().is_some());
    store.flush(Run::with_line(2, "third")).await.unwrap();
    assert_eq!(
        store
            .executions(ExecutionFilter { limit: 10, ..ExecutionFilter::default() })
            .await
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn a_flipped_bit_is_told_with_its_run_and_the_others_go_on() {
    let folder = folder_with_workflow("damaged");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    store.flush(Run::with_line(1, "first")).await.unwrap();
    store.flush(Run::with_line(2, "second")).await.unwrap();
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    raw.execute("UPDATE journal SET events = x'00ff' WHERE place >> 24 = 1", []).unwrap();
    match store.journal(1).await {
        Err(Error::Corrupt { what }) => assert!(what.contains("execution 1")),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.journal(2).await.unwrap().len(), 1);
}

#[tokio::test]
async fn pruning_removes_the_oldest_and_gives_the_room_back() {
    let folder = folder_with_workflow("prune");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let text = "x".repeat(100_000);
    for id in 1..=200 {
        store.flush(Run::with_line(id, &text)).await.unwrap();
    }
    let keep = RetentionLimits { newer_than_ms: 0, at_most: 20, bytes: i64::MAX, step: 50 };
    while store.prune(keep).await.unwrap() > 0 {}
    while store.shrink().await.unwrap() {}
    let left = store
        .executions(ExecutionFilter { limit: 1000, ..ExecutionFilter::default() })
        .await
        .unwrap();
    assert_eq!(
        left.iter().map(|execution| execution.id).collect::<Vec<_>>(),
        (181..=200).rev().collect::<Vec<_>>()
    );
    let live: i64 = left.iter().map(|execution| execution.bytes).sum();
    drop(store);
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    // The store's own checkpoint may still be under way: then this one has not happened, and says
    // so.
    let is_busy = || {
        raw.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0)).unwrap()
    };
    let began = std::time::Instant::now();
    while is_busy() {
        assert!(began.elapsed().as_secs() < 30, "the log is held");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(
        size(&folder) as f64 <= 1.5 * live as f64,
        "{} bytes for {live} that live",
        size(&folder)
    );
}

#[tokio::test]
async fn saving_makes_versions_and_the_same_document_makes_none() {
    let folder = TempFolder::absent("versions");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let version = |document: &str| NewVersion {
        id: "w".into(),
        name: "W".into(),
        document: document.into(),
        author: None,
        static_data: None,
    };
    let first = store.save_workflow(version("{}")).await.unwrap();
    assert_eq!(store.save_workflow(version("{}")).await.unwrap().version_id, first.version_id);
    let second = store.save_workflow(version("{\"nodes\":[]}")).await.unwrap();
    assert_ne!(second.version_id, first.version_id);
    assert_eq!(store.version(&first.version_id).await.unwrap().as_deref(), Some("{}"));
    assert_eq!(store.versions("w").await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_folder_of_a_newer_heddle_and_a_second_server_are_refused() {
    let folder = folder_with_workflow("refusals");
    let first = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert!(matches!(Sqlite::open(&folder.0, OpenMode::Serve), Err(Error::Locked { .. })));
    drop(first);
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    raw.pragma_update(None, "user_version", 999).unwrap();
    assert!(matches!(
        Sqlite::open(&folder.0, OpenMode::Shared),
        Err(Error::Newer { found: 999, .. })
    ));
}

/// A run in a state, and where it was called from.
fn standing(execution: i64, state: ExecutionState, from: Option<ParentCall>) -> Arc<Run> {
    Run::with(execution, |piece| {
        (piece.state, piece.parent) = (Some(state), from.map(|from| from.execution));
        piece.started =
            piece.started.take().map(|started| NewExecution { parent: from, ..started });
    })
}

/// A run that execution 1 has called and that went well.
fn called(execution: i64, number: i64) -> Arc<Run> {
    let from = ParentCall { execution: 1, step: 2, number };
    standing(
        execution,
        ExecutionState { stopped_ms: Some(2), ..ExecutionState::of(RunStatus::Success) },
        Some(from),
    )
}

#[tokio::test]
async fn a_called_run_stays_as_long_as_its_caller_may_ask_for_it() {
    let folder = folder_with_workflow("called");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let waiting = ExecutionState { waits_for: Some(3), ..ExecutionState::of(RunStatus::Waiting) };
    store.flush(standing(1, waiting, None)).await.unwrap();
    let unwanted = called(2, 0);
    unwanted.change(|piece| piece.discard = true);
    store.flush(unwanted).await.unwrap();
    store.flush(called(3, 1)).await.unwrap();
    assert!(store.flush(called(4, 1)).await.is_err(), "a call starts no more than one run");
    let found =
        store.called(ParentCall { execution: 1, step: 2, number: 0 }).await.unwrap().unwrap();
    assert_eq!(found.id, 2);
    let answered = store.unblocked(0, 10).await.unwrap();
    assert_eq!(answered.iter().map(|execution| execution.id).collect::<Vec<_>>(), [1]);
    assert!(matches!(store.delete_execution(3).await, Err(Error::Needed { id: 3, by: 1 })));
    let keep = RetentionLimits { newer_than_ms: i64::MAX, at_most: 0, bytes: 0, step: 50 };
    assert_eq!(store.prune(keep).await.unwrap(), 0);
    // With the end of the caller goes what nobody wants to keep; the rest is as old as any other.
    store.flush(Run::with(1, |piece| (piece.seq, piece.started) = (1, None))).await.unwrap();
    assert!(store.execution(2).await.unwrap().is_none());
    assert_eq!(store.prune(keep).await.unwrap(), 2);
}
