//! What is known of runs that a process left unfinished.

use crate::support::{Run, WriteOutcome, folder_with_workflow};
use heddle_store::executions::{ExecutionState, ExecutionStore};
use heddle_store::interruptions::{Interruption, InterruptionStore};
use heddle_store::{OpenMode, Sqlite};
use model::{RunEvent, RunStatus, Value};

fn started(node: &str) -> RunEvent {
    RunEvent::NodeStarted { node: node.into(), run_index: 0, started_ms: 0 }
}

async fn unfinished(store: &Sqlite, id: i64, status: RunStatus, events: &[RunEvent]) {
    let run = Run::new(id, events, WriteOutcome::Written);
    run.change(|piece| piece.state = Some(ExecutionState::of(status)));
    store.flush(run).await.unwrap();
}

#[tokio::test]
async fn issue_14_02_the_trail_of_a_run_tells_its_last_step_and_whether_it_came_further() {
    let folder = folder_with_workflow("trail");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let noted =
        RunEvent::StepRecorded { node: "Agent".into(), key: "model 1".into(), value: Value::Null };
    unfinished(
        &store,
        1,
        RunStatus::Running,
        &[started("A"), RunEvent::NodeSilent { node: "A".into() }, started("B")],
    )
    .await;
    let trail = store.journal_trail(1, 0).await.unwrap();
    assert_eq!(
        (trail.pieces, trail.events, trail.last_step.as_deref(), trail.has_progress),
        (1, 3, Some("B"), true)
    );
    assert!(!store.journal_trail(1, 1).await.unwrap().has_progress, "nothing since then");
    let again = Run::with(1, |piece| {
        (piece.started, piece.seq, piece.state) = (None, 1, None);
    });
    again.change(|piece| {
        piece.events = Run::new(9, &[started("B")], WriteOutcome::Written).left().unwrap().events
    });
    store.flush(again).await.unwrap();
    assert!(
        !store.journal_trail(1, 1).await.unwrap().has_progress,
        "that a step began again is no progress"
    );
    unfinished(&store, 2, RunStatus::Running, &[started("Agent"), noted]).await;
    assert!(store.journal_trail(2, 0).await.unwrap().has_progress, "what an agent notes is");
}

#[tokio::test]
async fn issue_14_02_a_clean_stop_forgives_what_it_leaves_and_forgets_the_rest() {
    let folder = folder_with_workflow("forgive");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for (id, status) in
        [(1, RunStatus::Running), (2, RunStatus::Running), (3, RunStatus::Uncertain)]
    {
        unfinished(&store, id, status, &[started("A")]).await;
        store
            .record_interruption(id, Interruption { deaths: 1, pieces: 1, was_stopped: false })
            .await
            .unwrap();
    }
    store.record_clean_stop(vec![2], 3).await.unwrap();
    assert_eq!(store.interruption(1).await.unwrap(), None);
    assert_eq!(
        store.interruption(2).await.unwrap(),
        Some(Interruption { deaths: 0, pieces: 0, was_stopped: true })
    );
    let kept = store.interruption(3).await.unwrap().unwrap();
    assert_eq!((kept.deaths, kept.was_stopped), (1, false), "a person has yet to decide");
    store.set_status(3, RunStatus::Cancelled).await.unwrap();
    store.forget_interruptions().await.unwrap();
    assert_eq!(store.interruption(3).await.unwrap(), None);
}

#[tokio::test]
async fn issue_14_12_what_is_begun_and_never_ended_is_counted_until_a_clean_stop() {
    let folder = folder_with_workflow("attempts");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for before in 0..3 {
        assert_eq!(store.begin_attempt("w", "look A").await.unwrap(), before);
    }
    assert_eq!(store.begin_attempt("w", "look B").await.unwrap(), 0, "each by itself");
    store.end_attempt("w", "look A").await.unwrap();
    assert_eq!(store.begin_attempt("w", "look A").await.unwrap(), 0);
    store.record_clean_stop(Vec::new(), 0).await.unwrap();
    assert_eq!(store.begin_attempt("w", "look B").await.unwrap(), 0);
}
