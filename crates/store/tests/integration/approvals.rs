//! Open approvals follow what the events of their runs say, in the same transaction.

use crate::support::{Run, folder_with_workflow};
use heddle_store::approvals::{ApprovalChange, ApprovalFilter, ApprovalStore as _, NewApproval};
use heddle_store::executions::{ExecutionState, ExecutionStore as _};
use heddle_store::{OpenMode, Sqlite};
use model::RunStatus;

fn approval(call: &str, until_ms: i64) -> ApprovalChange {
    ApprovalChange::Asked(NewApproval {
        call: call.into(),
        node: "Agent".into(),
        tool: "send".into(),
        arguments: r#"{"to":"ada"}"#.into(),
        digest: "d".into(),
        asked_ms: 1,
        until_ms,
    })
}

/// A sleeping run whose first piece says this.
async fn sleeping(store: &Sqlite, id: i64, changes: Vec<ApprovalChange>) {
    let run = Run::with(id, |piece| {
        piece.state = Some(ExecutionState::of(RunStatus::Waiting));
        piece.approvals = changes;
    });
    store.flush(run).await.unwrap();
}

/// A later piece of a run, which leaves it as it stands.
async fn later(store: &Sqlite, id: i64, seq: i64, changes: Vec<ApprovalChange>) {
    let run = Run::with(id, |piece| {
        (piece.seq, piece.started, piece.state, piece.approvals) = (seq, None, None, changes);
    });
    store.flush(run).await.unwrap();
}

async fn open(store: &Sqlite) -> Vec<String> {
    let filter = ApprovalFilter { now_ms: 50, limit: 10, ..ApprovalFilter::default() };
    store
        .approvals(filter)
        .await
        .unwrap()
        .iter()
        .map(|open| format!("{} {}", open.execution, open.asked.call))
        .collect()
}

async fn decided(store: &Sqlite) -> Vec<i64> {
    store.decided(0, 10).await.unwrap().iter().map(|execution| execution.id).collect()
}

#[tokio::test]
async fn what_is_asked_is_open_until_it_is_decided_made_late_or_over() {
    let folder = folder_with_workflow("approvals");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    sleeping(
        &store,
        1,
        vec![approval("tool 1.1", 100), approval("tool 1.2", 100), approval("tool 1.3", 40)],
    )
    .await;
    sleeping(&store, 2, vec![approval("tool 1.1", 100)]).await;
    assert_eq!(
        open(&store).await,
        ["2 tool 1.1", "1 tool 1.2", "1 tool 1.1"],
        "the newest first, without the late one"
    );
    later(&store, 1, 1, vec![ApprovalChange::Decided("tool 1.1".into())]).await;
    assert_eq!(open(&store).await, ["2 tool 1.1", "1 tool 1.2"]);
    assert_eq!(decided(&store).await, [1], "a run that was told nothing yet is found");
    later(&store, 1, 2, vec![ApprovalChange::TakenUp]).await;
    assert!(decided(&store).await.is_empty(), "it is told once");
    later(&store, 1, 3, vec![approval("tool 1.2", 100), ApprovalChange::Made("tool 1.2".into())])
        .await;
    assert_eq!(open(&store).await, ["2 tool 1.1"]);
    later(
        &store,
        2,
        1,
        vec![ApprovalChange::Decided("tool 1.1".into()), approval("tool 1.1", 200)],
    )
    .await;
    assert_eq!(
        (open(&store).await, decided(&store).await),
        (vec!["2 tool 1.1".to_owned()], vec![]),
        "asked anew, it is open again"
    );
    later(&store, 2, 2, vec![ApprovalChange::Over]).await;
    assert!(open(&store).await.is_empty());
}

#[tokio::test]
async fn a_run_that_is_stopped_or_removed_asks_for_nothing() {
    let folder = folder_with_workflow("approvals-over");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for id in 1..=3 {
        sleeping(&store, id, vec![approval("tool 1.1", 100)]).await;
    }
    store.set_status(1, RunStatus::Cancelled).await.unwrap();
    store.delete_execution(2).await.unwrap();
    assert_eq!(open(&store).await, ["3 tool 1.1"]);
    store.set_status(3, RunStatus::Uncertain).await.unwrap();
    assert!(open(&store).await.is_empty(), "somebody decides about the step first");
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    let left: i64 = raw.query_row("SELECT count(*) FROM approvals", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 1, "it asks again when it goes on");
}
