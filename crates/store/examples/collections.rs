//! What searching a collection costs: `cargo run --release -p heddle-store --example collections
//! [CHUNKS] [DIMENSIONS]`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that prints its results"
)]

use heddle_store::{OpenMode, Sqlite};
use model::{Object, Value};
use node_api::ai::{Document, VectorQuery};
use node_api::collections::{ChunkSearch, ChunkSelection, Collections, NewChunks, NewCollection};
use std::time::Instant;

/// Numbers that look like chance and are the same every time.
struct SeededNumbers(u64);

impl SeededNumbers {
    fn roll(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        (0..dimensions).map(|_| (self.roll() % 2001) as f32 / 1000.0 - 1.0).collect()
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| format!("word{} ", self.roll() % 5000)).collect()
    }
}

#[tokio::main]
async fn main() {
    let argument = |at: usize, usual: usize| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (n_chunks, dimensions) = (argument(1, 100_000), argument(2, 384));
    let folder =
        std::env::temp_dir().join(format!("heddle-collections-example-{}", std::process::id()));
    let store = Sqlite::open(&folder, OpenMode::Serve).unwrap();
    let id = store
        .create_collection(NewCollection { name: "c".into(), ..NewCollection::default() })
        .await
        .unwrap()
        .id;
    let mut dice = SeededNumbers(7);
    let began = Instant::now();
    let mut slowest = 0.0_f64;
    for batch in 0..n_chunks.div_ceil(500) {
        let count = 500.min(n_chunks - batch * 500);
        let source = format!("file {}", batch / 10);
        let metadata =
            Object::from_iter([("source", Value::from(source.as_str())), ("batch", batch.into())]);
        let documents = (0..count)
            .map(|_| Document { content: dice.text(120).into(), metadata: metadata.clone() })
            .collect();
        let vectors = (0..count).map(|_| dice.vector(dimensions)).collect();
        let began = Instant::now();
        let new = NewChunks {
            model: "m".into(),
            source: source.as_str().into(),
            replaces_source: false,
            documents,
            vectors,
        };
        store.insert_chunks(&id, new).await.unwrap();
        slowest = slowest.max(began.elapsed().as_secs_f64());
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / n_chunks as f64;
    println!(
        "{n_chunks} chunks of {dimensions} dimensions: insert {each:.0} us per chunk, slowest \
             500 in {:.0} ms",
        slowest * 1e3
    );
    let mut ask = |metadata: Object, words: Option<&str>| ChunkSearch {
        model: "m".into(),
        vector: dice.vector(dimensions),
        query: VectorQuery { limit: 5, min_score: None, metadata },
        words: words.map(Into::into),
    };
    for (what, metadata, words) in [
        ("first search (reads from disk)", Object::new(), None),
        ("nearest", Object::new(), None),
        ("with metadata", Object::from_iter([("batch", 3)]), None),
        ("hybrid, rare words", Object::new(), Some("word17 word4711")),
    ] {
        let rounds = if what.starts_with("first") { 1 } else { 20 };
        let began = Instant::now();
        for _ in 0..rounds {
            store.search_chunks(&id, ask(metadata.clone(), words)).await.unwrap();
        }
        println!("{what}: {:.1} ms", began.elapsed().as_secs_f64() * 1e3 / f64::from(rounds));
    }
    let began = Instant::now();
    store.delete_chunks(&id, ChunkSelection::All).await.unwrap();
    println!("removing all: {:.0} ms", began.elapsed().as_secs_f64() * 1e3);
    drop(store);
    let _ = std::fs::remove_dir_all(folder);
}
