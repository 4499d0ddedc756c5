//! Moments at which triggers are due: none is fired twice, whoever plans and moves them side by
//! side.

use crate::support::{TempFolder, folder_with_workflow, raw_database};
use heddle_store::schedules::{MovedSchedule, PlannedSchedule, Schedule, ScheduleStore as _};
use heddle_store::{OpenMode, Sqlite};

const NOON: i64 = 43_200_000;

fn row(next_ms: i64, last_ms: Option<i64>, rule: &str) -> Schedule {
    Schedule {
        workflow_id: "w".into(),
        node: "Clock".into(),
        next_ms: Some(next_ms),
        last_ms,
        rule: rule.into(),
    }
}

async fn with_row(name: &str) -> (TempFolder, Sqlite) {
    let folder = folder_with_workflow(name);
    raw_database(&folder).execute("UPDATE workflows SET active = 1", []).unwrap();
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let set = PlannedSchedule { found: None, planned: row(NOON, None, "hourly") };
    assert!(store.change_schedules(vec![set], Vec::new()).await.unwrap());
    (folder, store)
}

#[tokio::test]
async fn issue_15_05_a_moment_that_was_fired_is_not_planned_again_by_whoever_read_it_before() {
    let (_folder, store) = with_row("planned").await;
    let found = store.schedules(None).await.unwrap().remove(0);
    // Somebody changes the rule; while that is planned, the clock fires.
    let fired =
        MovedSchedule { due_ms: Some(NOON), after: row(NOON + 3_600_000, Some(NOON), "hourly") };
    assert!(store.move_schedule(fired).await.unwrap());
    let late = PlannedSchedule { found: Some(found), planned: row(NOON, None, "daily") };
    assert!(!store.change_schedules(vec![late], Vec::new()).await.unwrap());
    let now = store.schedules(None).await.unwrap().remove(0);
    assert_eq!(
        (now.next_ms, now.last_ms, now.rule.as_str()),
        (Some(NOON + 3_600_000), Some(NOON), "hourly")
    );
    let again =
        PlannedSchedule { found: Some(now), planned: row(NOON + 86_400_000, Some(NOON), "daily") };
    assert!(store.change_schedules(vec![again], Vec::new()).await.unwrap());
}

#[tokio::test]
async fn issue_15_05_a_moment_of_one_rule_is_not_moved_by_another() {
    let (_folder, store) = with_row("moved").await;
    let claimed = store.claim_schedules(NOON, "here", 1000).await.unwrap().remove(0);
    let planned =
        PlannedSchedule { found: Some(claimed.clone()), planned: row(NOON, None, "daily") };
    assert!(store.change_schedules(vec![planned], Vec::new()).await.unwrap());
    let fired =
        MovedSchedule { due_ms: Some(NOON), after: row(NOON + 3_600_000, Some(NOON), "hourly") };
    assert!(!store.move_schedule(fired).await.unwrap(), "the run of the old rule does not begin");
    assert_eq!(
        store.claim_schedules(NOON, "here", 1000).await.unwrap().len(),
        1,
        "that of the new one does"
    );
}
