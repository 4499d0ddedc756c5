//! What searching long-term memory costs, and what it finds compared with looking at everything:
//! `cargo run --release -p heddle-store --example memories [ENTRIES] [DIMENSIONS]`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that prints its results"
)]

use heddle_store::{OpenMode, Sqlite};
use model::Str;
use node_api::ai::{Embedding, LongTermMemory, MemoryQuery, NewEntry};
use std::time::Instant;

const QUESTIONS: usize = 200;
const TOP: usize = 5;

/// Topics around which vectors lie, as those of texts do.
const TOPICS: usize = 500;

/// Numbers that look like chance and are the same every time.
struct SeededNumbers(u64);

impl SeededNumbers {
    fn roll(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn number(&mut self) -> f32 {
        (self.roll() % 2001) as f32 / 1000.0 - 1.0
    }

    fn near(&mut self, topic: &[f32]) -> Vec<f32> {
        unit(&topic.iter().map(|number| number + self.number()).collect::<Vec<_>>())
    }

    /// Few words are in most texts, as in languages.
    fn text(&mut self, words: usize) -> String {
        let mut text = String::new();
        for _ in 0..words {
            let (one, other) = (self.roll() % 20_000, self.roll() % 20_000);
            text.push_str(&format!("word{} ", one * other / 20_000));
        }
        text
    }
}

fn unit(vector: &[f32]) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter().map(|number| number / length).collect()
}

#[tokio::main]
async fn main() {
    let argument = |at: usize, usual: usize| {
        std::env::args().nth(at).and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (n_entries, dimensions) = (argument(1, 100_000), argument(2, 384));
    let folder =
        std::env::temp_dir().join(format!("heddle-memories-example-{}", std::process::id()));
    let store = Sqlite::open(&folder, OpenMode::Serve).unwrap();
    let space = store.open_space("bench").await.unwrap().id;
    let mut dice = SeededNumbers(7);
    let topics: Vec<Vec<f32>> =
        (0..TOPICS).map(|_| (0..dimensions).map(|_| dice.number()).collect()).collect();
    let embedding = |vector: &[f32]| Some(Embedding { model: "m".into(), vector: vector.to_vec() });
    let began = Instant::now();
    let mut all: Vec<(Str, Vec<f32>)> = Vec::with_capacity(n_entries);
    while all.len() < n_entries {
        let vectors: Vec<Vec<f32>> = (0..1000.min(n_entries - all.len()))
            .map(|_| {
                let topic = &topics[dice.roll() as usize % TOPICS];
                dice.near(topic)
            })
            .collect();
        let new = vectors.iter().map(|vector| NewEntry {
            subject: format!("user {}", dice.roll() % 100).into(),
            text: dice.text(25).into(),
            embedding: embedding(vector),
            ..NewEntry::default()
        });
        let added = store.add_entries(&space, new.collect()).await.unwrap();
        all.extend(added.into_iter().map(|entry| entry.id).zip(vectors));
    }
    println!("{n_entries} entries of {dimensions} dimensions added in {:?}", began.elapsed());
    let began = Instant::now();
    let warm = MemoryQuery { limit: 1, ..MemoryQuery::default() };
    store.search_entries(&space, warm).await.unwrap();
    println!("index read in {:?}", began.elapsed());
    let mut found_of_best = 0;
    let mut took = [const { Vec::new() }; 3];
    for number in 0..QUESTIONS {
        let topic = &topics[dice.roll() as usize % TOPICS];
        let question = dice.near(topic);
        let meaning =
            MemoryQuery { embedding: embedding(&question), limit: TOP, ..MemoryQuery::default() };
        let hybrid = MemoryQuery {
            words: Some(dice.text(8).into()),
            recency_weight: 0.3,
            ..meaning.clone()
        };
        let own = MemoryQuery {
            subject: Some(format!("user {}", number % 100).into()),
            ..hybrid.clone()
        };
        let began = Instant::now();
        let found = store.search_entries(&space, meaning).await.unwrap();
        took[0].push(began.elapsed());
        let mut exact: Vec<(f32, &Str)> = all
            .iter()
            .map(|(id, vector)| (vector.iter().zip(&question).map(|(x, y)| x * y).sum(), id))
            .collect();
        exact.sort_by(|one, other| other.0.total_cmp(&one.0));
        found_of_best += exact[..TOP]
            .iter()
            .filter(|(_, id)| found.iter().any(|found| found.entry.id == **id))
            .count();
        for (at, query) in [(1, hybrid), (2, own)] {
            let began = Instant::now();
            store.search_entries(&space, query).await.unwrap();
            took[at].push(began.elapsed());
        }
    }
    println!(
        "recall@{TOP} against brute force: {:.4}",
        found_of_best as f64 / (QUESTIONS * TOP) as f64
    );
    for (name, mut took) in
        ["semantic", "hybrid", "hybrid, one of 100 subjects"].into_iter().zip(took)
    {
        took.sort_unstable();
        let at = |share: f64| took[((took.len() as f64 * share) as usize).min(took.len() - 1)];
        println!("{name}: p50 {:?}, p95 {:?}, p99 {:?}", at(0.5), at(0.95), at(0.99));
    }
    drop(store);
    let _ = std::fs::remove_dir_all(&folder);
}
