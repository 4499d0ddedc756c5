//! The floor that the server is measured against: a bare handler that reads a request, keeps as
//! much on disk, reaches outside as often and answers as much as a workflow does. What it shall do
//! stands in the query.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "the baseline of a benchmark")]

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::routing::any;
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

/// What one request is to do.
#[derive(serde::Deserialize)]
struct BaselineWork {
    keep: usize,
    /// In so many writes, one after the other.
    #[serde(default = "once")]
    writes: usize,
    answer: usize,
    #[serde(default)]
    calls: usize,
    #[serde(default)]
    service: String,
    #[serde(default)]
    file: usize,
    #[serde(default)]
    rows: usize,
}

struct CommitJob {
    kept: Vec<u8>,
    rows: Vec<Cells>,
    tell: oneshot::Sender<()>,
}

/// A row of the table: the columns of the corpus' table that are filled.
struct Cells {
    name: String,
    age: f64,
    is_active: bool,
}

#[derive(Clone)]
struct Baseline {
    jobs: Sender<CommitJob>,
    client: reqwest::Client,
    folder: String,
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let (jobs, received) = channel::<CommitJob>();
    let file = format!("{folder}/floor.db");
    std::thread::spawn(move || write(&file, &received));
    let floor = Baseline { jobs, client: reqwest::Client::new(), folder };
    let app = Router::new().fallback(any(handle)).with_state(floor);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("listens on http://{}", listener.local_addr().unwrap());
    axum::serve(listener, app).await.unwrap();
}

/// Any moment, in milliseconds.
const MOMENT: i64 = 946_782_245_000;

/// One writer, as many jobs in a commit as have come.
fn write(file: &str, received: &Receiver<CommitJob>) {
    let connection = Connection::open(file).unwrap();
    let tables = "CREATE TABLE calls (id INTEGER PRIMARY KEY, body BLOB); CREATE TABLE cells (id INTEGER PRIMARY KEY, created INTEGER, \
        updated INTEGER, name TEXT, age REAL, born INTEGER, active INTEGER, empty TEXT)";
    connection
        .execute_batch(&format!("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; {tables}"))
        .unwrap();
    while let Ok(first) = received.recv() {
        connection.prepare_cached("BEGIN IMMEDIATE").unwrap().execute([]).unwrap();
        let mut told = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next.take() {
            connection
                .prepare_cached("INSERT INTO calls (body) VALUES (?)")
                .unwrap()
                .execute([job.kept])
                .unwrap();
            for row in &job.rows {
                let insert = "INSERT INTO cells (created, updated, name, age, born, active) VALUES (?, ?, ?, ?, ?, ?)";
                let values = (MOMENT, MOMENT, &row.name, row.age, MOMENT, row.is_active);
                connection.prepare_cached(insert).unwrap().execute(values).unwrap();
            }
            told.push(job.tell);
            next = received.try_recv().ok().filter(|_| told.len() < 256);
        }
        connection.prepare_cached("COMMIT").unwrap().execute([]).unwrap();
        for tell in told {
            let _ = tell.send(());
        }
    }
}

async fn handle(
    State(floor): State<Baseline>,
    Query(work): Query<BaselineWork>,
    headers: HeaderMap,
    body: Bytes,
) -> Vec<u8> {
    let json: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
        .collect();
    let rows = if work.rows > 0 { rows_of(json.as_ref().unwrap()) } else { Vec::new() };
    let mut kept = serde_json::to_vec(&(headers, json)).unwrap();
    for _ in 0..work.calls {
        let answer =
            floor.client.get(format!("http://{}/events", work.service)).send().await.unwrap();
        let _: serde_json::Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    }
    let mut answer = vec![b' '; work.answer];
    if work.file > 0 {
        let name = next_name();
        // What is kept of the run is on disk before the row that names it, as rows are.
        let kept = format!("{}/{name:x}.kept", floor.folder);
        let (path, bytes) = (kept.clone(), body.clone());
        let keep = tokio::task::spawn_blocking(move || {
            let mut file = std::fs::File::create(path).unwrap();
            std::io::Write::write_all(&mut file, &bytes).unwrap();
            file.sync_all().unwrap();
        });
        let file = format!("{}/{name:x}.bin", floor.folder);
        tokio::fs::write(&file, &body).await.unwrap();
        answer = tokio::fs::read(&file).await.unwrap();
        keep.await.unwrap();
    }
    kept.resize(work.keep.max(work.writes), b' ');
    let mut rows = Some(rows);
    for piece in kept.chunks(kept.len().div_ceil(work.writes)) {
        let (tell, told) = oneshot::channel();
        floor
            .jobs
            .send(CommitJob { kept: piece.to_vec(), rows: rows.take().unwrap_or_default(), tell })
            .unwrap();
        told.await.unwrap();
    }
    answer
}

fn once() -> usize {
    1
}

fn rows_of(body: &serde_json::Value) -> Vec<Cells> {
    let items = body["items"].as_array().unwrap();
    let cells = |item: &serde_json::Value| Cells {
        name: item["firstName"].as_str().unwrap().to_owned(),
        age: item["age"].as_f64().unwrap(),
        is_active: item["isActive"].as_bool().unwrap(),
    };
    items.iter().map(cells).collect()
}

fn next_name() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
