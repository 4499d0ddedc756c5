//! What a million executions cost whoever looks at them or writes beside them:
//! `cargo run --release -p heddle-store --example scale [EXECUTIONS]`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that prints its results"
)]

use heddle_store::executions::{
    ExecutionFilter, ExecutionState, ExecutionStore, JournalSegment, NewExecution, RetentionLimits,
    SegmentSource,
};
use heddle_store::insights::{InsightStore, RunCountFilter};
use heddle_store::{OpenMode, Sqlite};
use model::RunStatus;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Executions of the last thirty days, nearly all of them of a hundred workflows; every thousandth
/// failed.
const WORKFLOWS: usize = 100;
const DAYS: i64 = 30;
const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Executions of the workflow that hardly ever runs.
const RARE: i64 = 20;
/// How often a figure is taken; the middle one counts.
const TIMES: usize = 9;
/// How long somebody writes while nothing else goes on.
const QUIET: Duration = Duration::from_secs(5);
/// Between two writes.
const APART: Duration = Duration::from_millis(1);
/// How often it is measured how long writes take.
const ROUNDS: i64 = 3;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    let n_runs: i64 =
        std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let folder = std::env::temp_dir().join(format!("heddle-scale-example-{}", std::process::id()));
    drop(Sqlite::open(&folder, OpenMode::Serve).unwrap());
    fill(&folder, n_runs);
    count(&folder);
    let store = Sqlite::open(&folder, OpenMode::Serve).unwrap();
    println!("among {n_runs} executions:");
    lists(&store, n_runs).await;
    insights(&store).await;
    retention(&store, n_runs).await;
    drop(store);
    let _ = std::fs::remove_dir_all(folder);
}

/// Rows as the store writes them, in one transaction.
fn fill(folder: &Path, n_runs: i64) {
    let connection = rusqlite::Connection::open(folder.join("heddle.db")).unwrap();
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis()
            as i64;
    let (first_ms, apart_ms) = (now - DAYS * DAY_MS, DAYS * DAY_MS / n_runs.max(1));
    connection.execute_batch("PRAGMA synchronous = OFF; BEGIN").unwrap();
    let workflow = "INSERT INTO workflows (id, name, version_id, document, created_ms, updated_ms, project_id) VALUES (?1, ?1, 'versionversion01', '{}', 1, 1, ?2)";
    let mut add = connection.prepare(workflow).unwrap();
    for number in 0..WORKFLOWS {
        add.execute([&format!("workflow-{number:07}"), "personal"]).unwrap();
    }
    add.execute(["rare-workflow-01", "small"]).unwrap();
    // About the same numbers every time, without a source of random ones.
    let runs = format!(
        "WITH RECURSIVE runs (id, noise) AS (
           SELECT 1, 12345 UNION ALL SELECT id + 1, (noise * 1103515245 + 12345) & 0x7fffffff FROM runs WHERE id < ?1
         )
         INSERT INTO executions (id, workflow_id, version_id, mode, status, started_ms, stopped_ms, bytes)
         SELECT id, CASE WHEN id % (?1 / {RARE}) = 7 THEN 'rare-workflow-01' ELSE printf('workflow-%07d', (noise >> 8) % {WORKFLOWS}) END,
           'versionversion01', 'webhook', iif(id % 1000 = 3, 'error', 'success'), ?2 + id * ?3,
           ?2 + id * ?3 + ((noise >> 12) % 10 + 1) * (1 << ((noise >> 20) % 12)), 600 FROM runs"
    );
    connection.execute(&runs, [n_runs, first_ms, apart_ms]).unwrap();
    connection.execute("INSERT INTO journal (place, sum, events) SELECT id << 24, 0, zeroblob(600) FROM executions", []).unwrap();
    drop(add);
    connection.execute_batch("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    // What the system still has to write is not to be waited for later.
    std::fs::File::open(folder.join("heddle.db")).unwrap().sync_all().unwrap();
}

/// Counts the executions as the store does when it finds them uncounted.
fn count(folder: &Path) {
    let connection = rusqlite::Connection::open(folder.join("heddle.db")).unwrap();
    let migration = include_str!("../src/sqlite/migrations/0011_scale.sql");
    let (_, rest) = migration.split_once("INSERT INTO run_days").unwrap();
    let (counts, _) = rest.split_once(';').unwrap();
    let began = Instant::now();
    connection.execute(&format!("INSERT INTO run_days {counts}"), []).unwrap();
    connection
        .execute(
            "UPDATE facts SET value = (SELECT max(id) FROM executions) WHERE key = 'counted_to'",
            [],
        )
        .unwrap();
    println!("  counting all of them once, at the first start: {:.1?}", began.elapsed());
}

async fn lists(store: &Sqlite, n_runs: i64) {
    let any = || ExecutionFilter { limit: 101, ..ExecutionFilter::default() };
    let rare = || Some("rare-workflow-01".into());
    let floor = middle(async || drop(store.execution(n_runs / 2).await.unwrap())).await;
    println!("  one execution by its id                   {floor:9.3} ms (baseline)");
    let cases = [
        ("the newest", any()),
        ("of a rare workflow", ExecutionFilter { workflow_id: rare(), ..any() }),
        (
            "of a rare workflow, older than one",
            ExecutionFilter { workflow_id: rare(), before: Some(n_runs / 2), ..any() },
        ),
        (
            "of a rare workflow that failed",
            ExecutionFilter { workflow_id: rare(), status: Some(RunStatus::Error), ..any() },
        ),
        ("of a small project", ExecutionFilter { within: Some(vec!["small".into()]), ..any() }),
        ("of a large project", ExecutionFilter { within: Some(vec!["personal".into()]), ..any() }),
        ("that failed", ExecutionFilter { status: Some(RunStatus::Error), ..any() }),
        (
            "that were stopped (none)",
            ExecutionFilter { status: Some(RunStatus::Cancelled), ..any() },
        ),
        ("that wait (none)", ExecutionFilter { status: Some(RunStatus::Waiting), ..any() }),
    ];
    for (name, filter) in cases {
        let mut found = 0;
        let took =
            middle(async || found = store.executions(filter.clone()).await.unwrap().len()).await;
        println!(
            "  those {name:36} {took:9.3} ms (goal: 10 ms), {found} found, {:.1} x floor",
            took / floor
        );
    }
}

async fn insights(store: &Sqlite) {
    let today =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
            as i64
            / 86400;
    for days in [7, 30, 90] {
        let filter = RunCountFilter {
            first_day: today - days + 1,
            last_day: today,
            ..RunCountFilter::default()
        };
        let (mut n_rows, mut n_runs) = (0, 0);
        let took = middle(async || {
            let counts = store.run_counts(filter.clone()).await.unwrap();
            (n_rows, n_runs) = (counts.len(), counts.iter().map(|count| count.runs).sum::<usize>());
        })
        .await;
        println!(
            "  insights of {days:2} days                       {took:9.3} ms (goal: 50 ms), {n_runs} runs in {n_rows} rows"
        );
    }
}

/// The longest that somebody waits who writes one run after the other, alone and beside retention.
async fn retention(store: &Sqlite, n_runs: i64) {
    let keep = |at_most: i64| RetentionLimits {
        newer_than_ms: 0,
        at_most: at_most as usize,
        bytes: i64::MAX,
        step: 50,
    };
    let next = Arc::new(Mutex::new(n_runs + 1));
    for round in 1..=ROUNDS {
        let quiet = pauses(store, &next, tokio::time::sleep(QUIET)).await;
        println!("  a write alone                          {} (baseline)", quiet.text());
        let mut removed = 0;
        let look =
            pauses(store, &next, async { removed = store.prune(keep(2 * n_runs)).await.unwrap() })
                .await;
        println!("  during a scan with {removed:6} to remove   {}", look.text());
        let removing = pauses(store, &next, async {
            removed = store.prune(keep(n_runs - round * n_runs / 50)).await.unwrap()
        })
        .await;
        println!("  during the removal of {removed:6}           {}", removing.text());
        let shrinking =
            pauses(store, &next, async { while store.shrink().await.unwrap() {} }).await;
        println!("  while returning disk space             {}", shrinking.text());
    }
}

struct Pauses {
    times: Vec<Duration>,
    took: Duration,
}

impl Pauses {
    fn text(&self) -> String {
        let at = |share: f64| {
            self.times
                .get(((self.times.len() as f64 - 1.0) * share) as usize)
                .map_or(0.0, |time| time.as_secs_f64() * 1e3)
        };
        let (longest, n_writes) = (at(1.0), self.times.len());
        format!(
            "longest {longest:6.1} ms (goal: 20 ms), p99.9 {:5.1} ms, p99 {:4.1} ms, p50 {:4.1} ms of {n_writes} writes in {:.1?}",
            at(0.999),
            at(0.99),
            at(0.5),
            self.took
        )
    }
}

/// Writes run after run until the work is done, at the rate of a busy server.
async fn pauses(store: &Sqlite, next: &Arc<Mutex<i64>>, work: impl Future<Output = ()>) -> Pauses {
    let is_done = Arc::new(AtomicBool::new(false));
    let (store, next, done) = (store.clone(), next.clone(), is_done.clone());
    let writing = tokio::spawn(async move {
        let mut times = Vec::new();
        while !done.load(Ordering::Relaxed) {
            let id = {
                let mut next = next.lock().unwrap();
                *next += 1;
                *next
            };
            tokio::time::sleep(APART).await;
            let began = Instant::now();
            store.flush(Arc::new(ScaleRun(id, Mutex::new(Some(piece(id)))))).await.unwrap();
            times.push(began.elapsed());
        }
        times.sort_unstable();
        times
    });
    let began = Instant::now();
    work.await;
    let took = began.elapsed();
    is_done.store(true, Ordering::Relaxed);
    Pauses { times: writing.await.unwrap(), took }
}

struct ScaleRun(i64, Mutex<Option<JournalSegment>>);

impl SegmentSource for ScaleRun {
    fn execution(&self) -> i64 {
        self.0
    }
    fn take(&self) -> Option<JournalSegment> {
        self.1.lock().unwrap().take()
    }
    fn give_back(&self, piece: JournalSegment) {
        *self.1.lock().unwrap() = Some(piece);
    }
}

fn piece(execution: i64) -> JournalSegment {
    let (workflow_id, version_id, mode) =
        ("workflow-0000001".into(), "versionversion01".into(), "webhook".into());
    JournalSegment {
        execution,
        seq: 0,
        parent: None,
        started: Some(NewExecution {
            workflow_id,
            version_id,
            mode,
            started_ms: 1,
            ..NewExecution::default()
        }),
        commit_with: None,
        state: Some(ExecutionState {
            stopped_ms: Some(2),
            ..ExecutionState::of(RunStatus::Success)
        }),
        parts: Vec::new(),
        bytes_before: 0,
        events: vec![0; 600],
        spent: Vec::new(),
        static_data: None,
        workflow_id: "w".into(),
        approvals: Vec::new(),
        files: Vec::new(),
        has_files: false,
        discard: false,
    }
}

/// Milliseconds that something takes, the middle of some times.
async fn middle(mut work: impl AsyncFnMut()) -> f64 {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let began = Instant::now();
        work().await;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}
