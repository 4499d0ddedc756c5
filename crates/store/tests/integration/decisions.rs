//! Decisions that are held until they take effect.

use crate::support::{Run, folder_with_workflow};
use heddle_store::decisions::{HeldDecision, HeldDecisionFilter, HeldDecisionStore as _};
use heddle_store::executions::{ExecutionState, ExecutionStore as _};
use heddle_store::projects::{ProjectRole, ProjectStore as _};
use heddle_store::users::{NewUser, User, UserRole, UserStore as _};
use heddle_store::{OpenMode, Sqlite};
use model::RunStatus;

async fn user(store: &Sqlite, email: &str) -> User {
    let new = NewUser {
        email: email.into(),
        first_name: "".into(),
        last_name: "".into(),
        role: UserRole::Admin,
        password_hash: None,
    };
    store.add_user(new).await.unwrap()
}

async fn decided_by(store: &Sqlite) -> Vec<String> {
    let filter = HeldDecisionFilter { limit: 10, ..HeldDecisionFilter::default() };
    let held = store.held_decisions(filter).await.unwrap();
    held.iter().map(|held| held.decided_by.to_string()).collect()
}

#[tokio::test]
async fn what_somebody_may_no_longer_decide_is_forgotten_until_then() {
    let folder = folder_with_workflow("held-decisions");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let (ann, bob) = (user(&store, "ann@b.c").await, user(&store, "bob@b.c").await);
    let project = store.add_project("team").await.unwrap();
    store.set_members(&project.id, vec![(ann.id.clone(), ProjectRole::Editor)]).await.unwrap();
    for id in 1..=2 {
        let uncertain = ExecutionState::of(RunStatus::Uncertain);
        store.flush(Run::with(id, |piece| piece.state = Some(uncertain))).await.unwrap();
    }
    let hold = async || {
        let held = [(1, &ann), (2, &bob)].map(|(execution, who)| HeldDecision {
            execution,
            batch: "batch".into(),
            result: None,
            seen: 1,
            decided_by: who.id.clone(),
            due_ms: 1_000,
        });
        assert_eq!(store.hold_decisions(held.into()).await.unwrap(), 2);
    };
    let of_bob = vec![bob.id.to_string()];
    hold().await;
    store.set_role(&ann.id, UserRole::Viewer).await.unwrap();
    assert_eq!(decided_by(&store).await, of_bob, "another role");
    hold().await;
    store.set_members(&project.id, vec![(ann.id.clone(), ProjectRole::Viewer)]).await.unwrap();
    assert_eq!(decided_by(&store).await, of_bob, "another role in a project");
    hold().await;
    store.remove_member(&project.id, &ann.id).await.unwrap();
    assert_eq!(decided_by(&store).await, of_bob, "no member any more");
    hold().await;
    store.delete_user(&ann.id).await.unwrap();
    assert_eq!(decided_by(&store).await, of_bob, "gone");
}
