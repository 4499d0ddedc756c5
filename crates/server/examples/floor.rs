//! The floor that the server is measured against: a bare handler that reads a JSON body, keeps it on disk and answers.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark's other side")]

use axum::Router;
use axum::extract::State;
use axum::routing::any;
use rusqlite::Connection;
use std::sync::mpsc::{Sender, channel};
use tokio::sync::oneshot;

type Job = (Vec<u8>, oneshot::Sender<()>);

#[tokio::main(worker_threads = 2)]
async fn main() {
    let folder = std::env::args().nth(1).unwrap();
    let (jobs, received) = channel::<Job>();
    std::thread::spawn(move || {
        let connection = Connection::open(format!("{folder}/floor.db")).unwrap();
        connection
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE calls (id INTEGER PRIMARY KEY, body BLOB)")
            .unwrap();
        while let Ok(first) = received.recv() {
            connection.prepare_cached("BEGIN IMMEDIATE").unwrap().execute([]).unwrap();
            let mut told = Vec::new();
            let mut next = Some(first);
            while let Some((body, tell)) = next.take() {
                connection.prepare_cached("INSERT INTO calls (body) VALUES (?)").unwrap().execute([body]).unwrap();
                told.push(tell);
                next = received.try_recv().ok().filter(|_| told.len() < 256);
            }
            connection.prepare_cached("COMMIT").unwrap().execute([]).unwrap();
            for tell in told {
                let _ = tell.send(());
            }
        }
    });
    let app = Router::new().fallback(any(handle)).with_state(jobs);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("listens on http://{}", listener.local_addr().unwrap());
    axum::serve(listener, app).await.unwrap();
}

async fn handle(State(jobs): State<Sender<Job>>, headers: axum::http::HeaderMap, body: axum::body::Bytes) -> &'static str {
    let json: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
    let headers: Vec<(String, String)> =
        headers.iter().map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned())).collect();
    let kept = serde_json::to_vec(&(headers, json)).unwrap();
    let (tell, told) = oneshot::channel();
    jobs.send((kept, tell)).unwrap();
    told.await.unwrap();
    "{\"message\":\"Workflow was started\"}"
}
