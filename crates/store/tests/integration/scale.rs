//! Issue 15: lists, figures, retention and imports among many. What is found, counted and removed
//! is what a plain look at every row says.

use crate::support;
use crate::support::{Run, TempFolder, WriteOutcome, folder_with_workflow, raw_database};
use heddle_store::addresses::{AddressClaim, ClaimResult, EndpointKind};
use heddle_store::executions::{
    Execution, ExecutionFilter, ExecutionState, ExecutionStore, NewExecution, ParentCall,
    RetentionLimits,
};
use heddle_store::insights::{DAYS_COUNTED, InsightStore, RunCount, RunCountFilter};
use heddle_store::projects::ProjectStore as _;
use heddle_store::workflows::{
    ActivatedVersion, ImportedWorkflow, NewVersion, WorkflowImport, WorkflowStore,
};
use heddle_store::{Error, OpenMode, Sqlite, StoreStatus as _};
use model::{RunEvent, RunStatus, Str};
use std::collections::BTreeSet;
use std::sync::Arc;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Numbers that look random and are the same every time.
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

fn run_of(execution: i64, workflow: &str, state: ExecutionState, started_ms: i64) -> Arc<Run> {
    Run::with(execution, |piece| {
        let started = piece.started.take().unwrap_or_default();
        piece.started = Some(NewExecution { workflow_id: workflow.into(), started_ms, ..started });
        piece.state = Some(state);
    })
}

fn ended(status: RunStatus, stopped_ms: i64) -> ExecutionState {
    ExecutionState { stopped_ms: Some(stopped_ms), ..ExecutionState::of(status) }
}

/// Executions of eight workflows in three projects, in every status.
async fn filled(folder: &TempFolder, n_runs: i64) -> Sqlite {
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let raw = raw_database(folder);
    raw.pragma_update(None, "foreign_keys", false).unwrap();
    for number in 0..8 {
        let sql = "INSERT INTO workflows (id, name, version_id, document, created_ms, updated_ms, project_id) VALUES (?1, ?1, 'v', '{}', 1, 1, ?2)";
        raw.execute(sql, [format!("w{number}"), format!("p{}", number % 3)]).unwrap();
    }
    let mut noise = Noise(15);
    for id in 1..=n_runs {
        let workflow = format!("w{}", noise.below(8));
        let started_ms = id * 10 + noise.below(30) as i64;
        let stopped_ms = started_ms + noise.below(500) as i64;
        let state = match noise.below(10) {
            0 => ExecutionState::of(RunStatus::Running),
            1 => ExecutionState { wait_till_ms: Some(1), ..ExecutionState::of(RunStatus::Waiting) },
            2 => ExecutionState::of(RunStatus::Uncertain),
            3 => ended(RunStatus::Error, stopped_ms),
            4 => ended(RunStatus::Cancelled, stopped_ms),
            _ => ended(RunStatus::Success, stopped_ms),
        };
        let mode = if noise.below(2) == 0 { "manual" } else { "webhook" };
        let from = noise.below(id as u64) as i64 + 1;
        let parent = (noise.below(4) == 0 && from < id).then_some(ParentCall {
            execution: from,
            step: 0,
            number: id,
        });
        let run = run_of(id, &workflow, state, started_ms);
        run.change(|piece| {
            piece.started = piece.started.take().map(|started| NewExecution {
                mode: mode.into(),
                parent,
                ..started
            });
            piece.parent = parent.map(|parent| parent.execution);
        });
        store.flush(run).await.unwrap();
    }
    store
}

async fn all(store: &Sqlite) -> Vec<Execution> {
    store
        .executions(ExecutionFilter { limit: 100_000, ..ExecutionFilter::default() })
        .await
        .unwrap()
}

fn ids<'e>(executions: impl IntoIterator<Item = &'e Execution>) -> Vec<i64> {
    executions.into_iter().map(|execution| execution.id).collect()
}

#[tokio::test]
async fn issue_15_a_list_holds_what_a_look_at_every_row_finds() {
    let folder = TempFolder::absent("lists");
    let store = filled(&folder, 400).await;
    let all = all(&store).await;
    assert_eq!(all.len(), 400);
    let project_of = |execution: &Execution| {
        format!("p{}", execution.started.workflow_id[1..].parse::<u32>().unwrap() % 3)
    };
    let mut noise = Noise(4);
    let mut n_found = 0;
    for _ in 0..3000 {
        let statuses = [
            RunStatus::Running,
            RunStatus::Success,
            RunStatus::Error,
            RunStatus::Waiting,
            RunStatus::Cancelled,
            RunStatus::Uncertain,
        ];
        let mut some = |share: u64| noise.below(share) == 0;
        let (by_workflow, by_status, by_mode, is_after, is_before, is_within, has_cursor) =
            (some(3), some(2), some(4), some(4), some(4), some(2), some(2));
        let filter = ExecutionFilter {
            workflow_id: by_workflow.then(|| format!("w{}", noise.below(9)).into()),
            status: by_status.then(|| statuses[noise.below(6) as usize]),
            mode: by_mode
                .then(|| if noise.below(2) == 0 { "manual".into() } else { "webhook".into() }),
            started_after_ms: is_after.then(|| noise.below(4200) as i64),
            started_before_ms: is_before.then(|| noise.below(4200) as i64),
            within: is_within.then(|| {
                (0..noise.below(3)).map(|_| format!("p{}", noise.below(4)).into()).collect()
            }),
            before: has_cursor.then(|| noise.below(420) as i64),
            limit: 1 + noise.below(60) as usize,
        };
        let fits = |one: &&Execution| {
            filter.workflow_id.as_ref().is_none_or(|id| one.started.workflow_id == *id)
                && filter.status.is_none_or(|status| one.state.status == status)
                && filter.mode.as_ref().is_none_or(|mode| one.started.mode == *mode)
                && filter.started_after_ms.is_none_or(|after| one.started.started_ms > after)
                && filter.started_before_ms.is_none_or(|before| one.started.started_ms < before)
                && filter
                    .within
                    .as_ref()
                    .is_none_or(|within| within.iter().any(|project| *project == project_of(one)))
                && filter.before.is_none_or(|before| one.id < before)
        };
        let expected = ids(all.iter().filter(fits).take(filter.limit));
        assert_eq!(ids(&store.executions(filter.clone()).await.unwrap()), expected, "{filter:?}");
        n_found += expected.len();
    }
    assert!(n_found > 10_000, "{n_found}");
}

/// The rule, as one statement over all rows: what is too old, too many or too much, unless its
/// caller is not over.
const TO_BE_REMOVED: &str = "
    SELECT id FROM (
      SELECT id, stopped_ms, parent, row_number() OVER newest AS place, sum(bytes) OVER newest AS bytes
      FROM executions WHERE stopped_ms IS NOT NULL WINDOW newest AS (ORDER BY id DESC)
    ) WHERE (place > ?1 OR bytes > ?2 OR stopped_ms < ?3)
      AND (parent IS NULL OR parent NOT IN (SELECT id FROM executions WHERE stopped_ms IS NULL))";

#[tokio::test]
async fn issue_15_pruning_in_small_steps_removes_what_the_rule_says() {
    let endless =
        RetentionLimits { newer_than_ms: 0, at_most: usize::MAX, bytes: i64::MAX, step: 7 };
    let cases = [
        endless,
        RetentionLimits { at_most: 100, ..endless },
        RetentionLimits { newer_than_ms: 1500, ..endless },
        RetentionLimits { bytes: 3000, ..endless },
        RetentionLimits { newer_than_ms: 900, at_most: 120, bytes: 5000, ..endless },
        RetentionLimits { at_most: 0, step: 1000, ..endless },
    ];
    for keep in cases {
        let folder = TempFolder::absent("rule");
        let store = filled(&folder, 300).await;
        let before: BTreeSet<i64> = ids(&all(&store).await).into_iter().collect();
        let goes: BTreeSet<i64> = {
            let raw = raw_database(&folder);
            let mut found = raw.prepare(TO_BE_REMOVED).unwrap();
            let at_most = i64::try_from(keep.at_most).unwrap_or(i64::MAX);
            found
                .query_map([at_most, keep.bytes, keep.newer_than_ms], |row| row.get(0))
                .unwrap()
                .map(Result::unwrap)
                .collect()
        };
        assert_eq!(store.prune(keep).await.unwrap(), goes.len(), "{keep:?}");
        let left: BTreeSet<i64> = ids(&all(&store).await).into_iter().collect();
        assert_eq!(left, before.difference(&goes).copied().collect(), "{keep:?}");
        let journals: BTreeSet<i64> = {
            let raw = raw_database(&folder);
            let mut found = raw.prepare("SELECT DISTINCT place >> 24 FROM journal").unwrap();
            found.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(journals, left);
        assert!(store.next_execution_id().await.unwrap() > 300, "no id is given again");
    }
}

#[tokio::test]
async fn issue_15_a_run_that_is_larger_than_a_step_goes_as_a_whole() {
    let folder = folder_with_workflow("larger");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let line = RunEvent::NodeLog { node: "A".into(), line: "x".repeat(400_000).into() };
    support::write_streamed(&store, 1, &vec![line; 20]).await;
    store.flush(Run::with_line(2, "small")).await.unwrap();
    let rows = |table: &str| {
        raw_database(&folder)
            .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert!(rows("journal") + rows("journal_parts") > 20);
    let keep = RetentionLimits { newer_than_ms: 0, at_most: 1, bytes: i64::MAX, step: 50 };
    assert_eq!(store.prune(keep).await.unwrap(), 1);
    assert_eq!(ids(&all(&store).await), [2]);
    assert_eq!((rows("journal"), rows("journal_parts")), (1, 0));
    assert_eq!(store.journal(2).await.unwrap().len(), 1);
}

async fn counts(store: &Sqlite, first_day: i64, last_day: i64) -> Vec<RunCount> {
    store
        .run_counts(RunCountFilter { first_day, last_day, ..RunCountFilter::default() })
        .await
        .unwrap()
}

fn count(day: i64, status: RunStatus, took_ms: i64, runs: usize) -> RunCount {
    RunCount { day, workflow_id: "w".into(), status, took_ms, runs }
}

#[tokio::test]
async fn issue_15_every_kept_run_is_counted_once_and_stays_counted_when_it_is_removed() {
    let folder = folder_with_workflow("counted");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let day = |number: i64| number * DAY_MS;
    // In one piece, in two, and some of them in one commit.
    store.flush(run_of(1, "w", ended(RunStatus::Success, day(3) + 1234), day(3))).await.unwrap();
    store.flush(run_of(2, "w", ExecutionState::of(RunStatus::Running), day(3))).await.unwrap();
    assert_eq!(counts(&store, 0, 9).await, [count(3, RunStatus::Success, 1200, 1)]);
    let end = |id: i64, state: ExecutionState| {
        let run =
            Run::with(id, |piece| (piece.started, piece.seq, piece.state) = (None, 1, Some(state)));
        store.flush(run)
    };
    end(2, ended(RunStatus::Error, day(4) + 10)).await.unwrap();
    let writing: Vec<_> = (3..40)
        .map(|id| store.flush(run_of(id, "w", ended(RunStatus::Success, day(4) + 70), day(4))))
        .collect();
    for written in writing {
        written.await.unwrap();
    }
    // One that sleeps is counted when somebody stops it, and not a second time.
    store.flush(run_of(40, "w", ExecutionState::of(RunStatus::Waiting), day(5))).await.unwrap();
    store.set_status(40, RunStatus::Cancelled).await.unwrap();
    store.set_status(40, RunStatus::Cancelled).await.unwrap();
    // Not counted: what nobody keeps, what is not over, what cannot be written.
    store.flush(Run::new(41, &[], WriteOutcome::Discarded)).await.unwrap();
    store.flush(run_of(42, "w", ExecutionState::of(RunStatus::Uncertain), day(5))).await.unwrap();
    store.flush(run_of(1, "w", ended(RunStatus::Success, day(6)), day(6))).await.unwrap_err();
    let expected = async || {
        let found = counts(&store, 0, 9).await;
        let (cancelled, others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|count| count.status == RunStatus::Cancelled);
        let failed = count(3, RunStatus::Error, 85_000_000, 1);
        assert_eq!(
            others,
            [failed, count(3, RunStatus::Success, 1200, 1), count(4, RunStatus::Success, 70, 37)]
        );
        assert_eq!(
            cancelled.iter().map(|count| (count.day, count.runs)).collect::<Vec<_>>(),
            [(5, 1)]
        );
    };
    expected().await;
    store.delete_execution(3).await.unwrap();
    expected().await;
    let one_day = RunCountFilter {
        first_day: 4,
        last_day: 4,
        workflow_id: Some("w".into()),
        ..RunCountFilter::default()
    };
    assert_eq!(
        store.run_counts(one_day.clone()).await.unwrap(),
        [count(4, RunStatus::Success, 70, 37)]
    );
    let other = RunCountFilter { workflow_id: Some("other".into()), ..one_day.clone() };
    assert!(store.run_counts(other).await.unwrap().is_empty());
    let elsewhere =
        RunCountFilter { workflow_id: None, within: Some(vec!["elsewhere".into()]), ..one_day };
    assert!(store.run_counts(elsewhere).await.unwrap().is_empty());
}

#[tokio::test]
async fn issue_15_runs_are_counted_together_and_none_is_missed_or_counted_again() {
    let folder = folder_with_workflow("together");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let began = 3 * DAY_MS;
    let end_of = |id: i64, status: RunStatus| run_of(id, "w", ended(status, began + 70), began);
    let counted = || {
        raw_database(&folder)
            .query_row("SELECT coalesce(sum(runs), 0) FROM run_days", [], |row| {
                row.get::<_, i64>(0)
            })
            .unwrap()
    };
    // The first is still at work when later ones are counted.
    store.flush(run_of(1, "w", ExecutionState::of(RunStatus::Running), began)).await.unwrap();
    for id in 2..256 {
        store.flush(end_of(id, RunStatus::Success)).await.unwrap();
    }
    assert_eq!(counted(), 0, "they wait for others");
    store.flush(end_of(256, RunStatus::Success)).await.unwrap();
    assert_eq!(counted(), 255);
    let end = Run::with(1, |piece| {
        (piece.started, piece.seq, piece.state) =
            (None, 1, Some(ended(RunStatus::Success, began + 70)))
    });
    store.flush(end).await.unwrap();
    // One that began before those and is written after them.
    store.flush(end_of(258, RunStatus::Success)).await.unwrap();
    store.delete_execution(258).await.unwrap();
    assert_eq!(counted(), 257, "it was counted before it went");
    store.flush(end_of(257, RunStatus::Success)).await.unwrap();
    assert_eq!(counts(&store, 0, 9).await, [count(3, RunStatus::Success, 70, 258)]);
    // Neither a write that fails nor a process that dies changes any of it.
    store.flush(end_of(300, RunStatus::Success)).await.unwrap();
    store.flush(end_of(300, RunStatus::Error)).await.unwrap_err();
    drop(store);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for _ in 0..2 {
        assert_eq!(counts(&store, 0, 9).await, [count(3, RunStatus::Success, 70, 259)]);
    }
}

#[tokio::test]
async fn issue_15_days_that_nobody_can_ask_for_are_forgotten_and_the_others_outlive_their_runs() {
    let folder = folder_with_workflow("days");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let today =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
            as i64
            / 86_400;
    for (id, day) in
        [(1, today - DAYS_COUNTED - 1), (2, today - DAYS_COUNTED), (3, today - 89), (4, today)]
    {
        store
            .flush(run_of(id, "w", ended(RunStatus::Success, day * DAY_MS + id), day * DAY_MS))
            .await
            .unwrap();
    }
    let keep = RetentionLimits { newer_than_ms: 0, at_most: 0, bytes: i64::MAX, step: 2 };
    assert_eq!(store.prune(keep).await.unwrap(), 4);
    let days: Vec<i64> =
        counts(&store, today - 200, today).await.iter().map(|count| count.day).collect();
    assert_eq!(days, [today - DAYS_COUNTED, today - 89, today]);
}

fn version(id: &str, document: &str) -> NewVersion {
    NewVersion {
        id: id.into(),
        name: id.into(),
        document: document.into(),
        author: None,
        static_data: None,
    }
}

fn at(path: &str) -> Vec<AddressClaim> {
    vec![AddressClaim::new("Hook".into(), EndpointKind::Webhook, "GET", path)]
}

#[tokio::test]
async fn issue_15_many_workflows_are_saved_and_activated_in_one_transaction() {
    let folder = TempFolder::absent("import");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let import = |number: usize| WorkflowImport {
        workflow: version(&format!("w{number}"), "{}"),
        claims: Some(at(&format!("hook-{number}"))),
        activate: true,
    };
    let commits = || store.writer_metrics().commit.count();
    let before = commits();
    let imported =
        store.import_workflows((0..500).map(import).collect(), "personal").await.unwrap();
    assert_eq!(commits() - before, 1, "one transaction");
    assert!(imported.iter().all(|one| matches!(
        one,
        ClaimResult::Done(ImportedWorkflow { activated: Some(ClaimResult::Done(())), .. })
    )));
    assert_eq!(
        (store.listening(None).await.unwrap().len(), store.addresses().await.unwrap().len()),
        (500, 500)
    );
    // The same again changes no document, and makes no version.
    let again = store.import_workflows((0..2).map(import).collect(), "personal").await.unwrap();
    assert_eq!(again.len(), 2);
    assert_eq!(store.versions("w0").await.unwrap().len(), 1);
}

#[tokio::test]
async fn issue_15_an_import_ends_behind_the_first_workflow_that_cannot_be_saved() {
    let folder = TempFolder::absent("refused-import");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let inactive =
        |id: &str| WorkflowImport { workflow: version(id, "{}"), claims: None, activate: false };
    let active = |id: &str, path: &str| WorkflowImport {
        workflow: version(id, "{}"),
        claims: Some(at(path)),
        activate: true,
    };
    let imported = store
        .import_workflows(vec![active("a", "here"), active("b", "here"), inactive("c")], "personal")
        .await
        .unwrap();
    let [ClaimResult::Done(first), ClaimResult::Done(second), ClaimResult::Done(third)] =
        &imported[..]
    else {
        panic!("{imported:?}")
    };
    assert!(matches!(first.activated, Some(ClaimResult::Done(()))));
    assert!(
        matches!(second.activated, Some(ClaimResult::Taken(_))),
        "it is saved, and stays inactive"
    );
    assert!(third.activated.is_none());
    // An active one needs its addresses, and nothing is saved of one that does not have them.
    let changed =
        WorkflowImport { workflow: version("a", "{\"nodes\":[]}"), claims: None, activate: false };
    let imported = store
        .import_workflows(vec![inactive("d"), changed, inactive("e")], "personal")
        .await
        .unwrap();
    assert!(matches!(&imported[..], [ClaimResult::Done(_), ClaimResult::Outdated]), "{imported:?}");
    assert_eq!(store.versions("a").await.unwrap().len(), 1);
    let there = async |id: &str| store.workflow(id).await.unwrap().is_some();
    assert_eq!((there("d").await, there("e").await), (true, false));
}

#[tokio::test]
async fn issue_15_a_batch_that_cannot_be_written_leaves_nothing() {
    let folder = TempFolder::absent("broken-import");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    raw_database(&folder)
        .execute_batch("CREATE TRIGGER broken BEFORE INSERT ON workflows WHEN new.id = 'w3' BEGIN SELECT RAISE(ABORT, 'no'); END")
        .unwrap();
    let import = |number: usize| WorkflowImport {
        workflow: version(&format!("w{number}"), "{}"),
        claims: None,
        activate: false,
    };
    let failed: Result<_, Error> =
        store.import_workflows((0..5).map(import).collect(), "personal").await;
    assert!(failed.is_err());
    assert!(store.workflow("w0").await.unwrap().is_none());
}

#[tokio::test]
async fn issue_15_whoever_asks_what_has_changed_is_told_of_those_and_no_others() {
    let folder = TempFolder::absent("changes");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let team = store.add_project("team").await.unwrap();
    for name in ["saved", "again", "on", "off", "archived", "moved", "left", "gone", "same"] {
        store.save_workflow(version(name, "{}")).await.unwrap();
    }
    let newest = async |id: &str| {
        ActivatedVersion::Newest(store.workflow(id).await.unwrap().unwrap().version_id)
    };
    store.activate("off", newest("off").await, at("off")).await.unwrap();
    store.move_workflow("left", &team.id).await.unwrap();
    let seen = store.workflows_changed().await.unwrap();
    assert!(store.changed_since(seen).await.unwrap().is_empty());

    store.save_workflow(version("saved", "{\"nodes\":[]}")).await.unwrap();
    store.save_workflow(version("same", "{}")).await.unwrap();
    store.activate("on", newest("on").await, at("on")).await.unwrap();
    store.deactivate("off").await.unwrap();
    store.set_archived("archived", true).await.unwrap();
    store.move_workflow("moved", &team.id).await.unwrap();
    store.delete_project(&team.id).await.unwrap();
    store.delete_workflow("gone").await.unwrap();
    for document in ["[]", "[1]"] {
        store.save_workflow(version("again", document)).await.unwrap();
    }
    let changed: BTreeSet<Str> = store.changed_since(seen).await.unwrap().into_iter().collect();
    assert_eq!(
        changed,
        ["again", "archived", "gone", "left", "moved", "off", "on", "saved"].map(Str::from).into()
    );
    let listening = store.listening(Some(changed.into_iter().collect())).await.unwrap();
    assert_eq!(listening.iter().map(|workflow| workflow.id.as_str()).collect::<Vec<_>>(), ["on"]);
    let now = store.workflows_changed().await.unwrap();
    assert!(now > seen && store.changed_since(now).await.unwrap().is_empty());
}
