//! Disk faults and crashes below the server: what a cut, a flip or a long reader does to the files
//! themselves.

use crate::support::{Run, folder_with_workflow};
use heddle_store::executions::{ExecutionFilter, ExecutionStore, RetentionLimits};
use heddle_store::{Error, OpenMode, Sqlite};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

fn run(execution: i64, length: usize) -> Arc<Run> {
    Run::with_line(execution, &"x".repeat(length))
}

/// Ids and journals of everything that is there, each journal read.
async fn whole(store: &Sqlite) -> Vec<i64> {
    let mut found = store
        .executions(ExecutionFilter { limit: 1000, ..ExecutionFilter::default() })
        .await
        .unwrap();
    found.reverse();
    for execution in &found {
        assert_eq!(
            store.journal(execution.id).await.unwrap().len(),
            1,
            "execution {}",
            execution.id
        );
    }
    found.iter().map(|execution| execution.id).collect()
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

/// The log of the database is cut at each byte of its newest commits, as a torn write
/// leaves it. Whatever the cut, what is there is a beginning of what was written, each run whole,
/// and the store goes on.
#[tokio::test]
async fn a_log_cut_at_any_byte_leaves_whole_runs_from_the_first_on() {
    let (folder, copy) = (folder_with_workflow("cut"), folder_with_workflow("cut-copy"));
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let log = folder.0.join("heddle.db-wal");
    let mut ends = Vec::new();
    for id in 1..=6 {
        store.flush(run(id, 300)).await.unwrap();
        ends.push(length(&log));
    }
    let (database, bytes) =
        (std::fs::read(folder.0.join("heddle.db")).unwrap(), std::fs::read(&log).unwrap());
    let mut n_cuts = 0;
    // Each byte around the edges of frames, and every 97th between them.
    let first = ends[2] as usize;
    for cut in first..=bytes.len() {
        let in_frame = (cut - 32) % 4120;
        if (3..4117).contains(&in_frame) && !(22..27).contains(&in_frame) && cut % 397 != 0 {
            continue;
        }
        let copy = copy.0.join(cut.to_string());
        std::fs::create_dir_all(&copy).unwrap();
        std::fs::write(copy.join("heddle.db"), &database).unwrap();
        std::fs::write(copy.join("heddle.db-wal"), &bytes[..cut]).unwrap();
        let reopened = Sqlite::open(&copy, OpenMode::Shared).unwrap();
        let expected = ends.iter().filter(|end| **end <= cut as u64).count() as i64;
        assert_eq!(whole(&reopened).await, (1..=expected).collect::<Vec<_>>(), "cut at {cut}");
        reopened.flush(run(100, 10)).await.unwrap();
        drop(reopened);
        let _ = std::fs::remove_dir_all(&copy);
        n_cuts += 1;
    }
    eprintln!("{n_cuts} cuts");
    drop(store);
}

/// A piece of the journal is cut at each byte. The run is named; the other one is there.
#[tokio::test]
async fn a_piece_cut_at_any_byte_is_told_with_its_run() {
    let folder = folder_with_workflow("piece");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    store.flush(run(1, 200)).await.unwrap();
    store.flush(run(2, 200)).await.unwrap();
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    let events: Vec<u8> = raw
        .query_row("SELECT events FROM journal WHERE place >> 24 = 1", [], |row| row.get(0))
        .unwrap();
    let damage = |bytes: &[u8]| {
        raw.execute("UPDATE journal SET events = ?1 WHERE place >> 24 = 1", [bytes]).unwrap()
    };
    for cut in 0..events.len() {
        damage(&events[..cut]);
        match store.journal(1).await {
            Err(Error::Corrupt { what }) => assert!(what.contains("execution 1"), "{what}"),
            other => panic!("cut at {cut}: {other:?}"),
        }
    }
    for bit in 0..events.len() * 8 {
        let mut flipped = events.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        damage(&flipped);
        assert!(matches!(store.journal(1).await, Err(Error::Corrupt { .. })), "bit {bit}");
    }
    assert_eq!(store.journal(2).await.unwrap().len(), 1);
    damage(&events);
    assert_eq!(store.journal(1).await.unwrap().len(), 1);
}

/// Under load beside many readers the log stays within 64 MB.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_log_stays_short_beside_readers_under_load() {
    let folder = folder_with_workflow("log");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let (stop, longest) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let mut readers = Vec::new();
    for _ in 0..2 {
        let (store, stop) = (store.clone(), stop.clone());
        readers.push(tokio::spawn(async move {
            while !stop.load(Ordering::Relaxed) {
                store
                    .executions(ExecutionFilter { limit: 250, ..ExecutionFilter::default() })
                    .await
                    .unwrap();
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            }
        }));
    }
    let mut written = 0;
    for group in 0..60 {
        let flushes: Vec<_> = (0..10)
            .map(|place| {
                let store = store.clone();
                tokio::spawn(async move { store.flush(run(1 + group * 10 + place, 200_000)).await })
            })
            .collect();
        for flush in flushes {
            flush.await.unwrap().unwrap();
            written += 200_000_u64;
        }
        longest.fetch_max(length(&folder.0.join("heddle.db-wal")), Ordering::Relaxed);
    }
    stop.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.await.unwrap();
    }
    let longest = longest.load(Ordering::Relaxed);
    assert!(longest <= 64 << 20, "{longest} bytes");
    eprintln!("{} MB written, the log had {} MB at most", written >> 20, longest >> 20);
}

/// Thousands of runs of mixed sizes come and go; the file has at most half as much again as
/// what lives.
#[tokio::test]
async fn after_pruning_runs_of_mixed_sizes_the_file_is_at_most_half_larger_than_what_lives() {
    let folder = folder_with_workflow("mixed");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let mut seed = 7_u64;
    let mut writing = Vec::new();
    for id in 1..=4000 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let size = match (seed >> 33) % 10 {
            0..=6 => 500 + (seed >> 40) % 3000,
            7 | 8 => 4000 + (seed >> 40) % 8000,
            _ => 20_000,
        };
        let (store, run) = (store.clone(), run(id, size as usize));
        writing.push(tokio::spawn(async move { store.flush(run).await }));
        if writing.len() == 40 {
            for written in writing.drain(..) {
                written.await.unwrap().unwrap();
            }
        }
    }
    let keep = RetentionLimits { newer_than_ms: 0, at_most: 1000, bytes: i64::MAX, step: 200 };
    while store.prune(keep).await.unwrap() > 0 {}
    while store.shrink().await.unwrap() {}
    let left = store
        .executions(ExecutionFilter { limit: 2000, ..ExecutionFilter::default() })
        .await
        .unwrap();
    assert_eq!(left.len(), 1000);
    let live: i64 = left.iter().map(|execution| execution.bytes).sum();
    // The store is still open: its own work makes the file shorter.
    for _ in 0..3_000 {
        if length(&folder.0.join("heddle.db")) as f64 <= 1.5 * live as f64 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let size = length(&folder.0.join("heddle.db"));
    eprintln!("{live} bytes live in a file of {size}");
    assert!(size as f64 <= 1.5 * live as f64, "{size} bytes for {live} that live");
}
