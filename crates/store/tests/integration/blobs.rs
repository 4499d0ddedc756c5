//! Large files beside the journal: kept once an execution, whole before they are named, and gone
//! with it.

use crate::support::{Run, TempFolder, WriteOutcome, folder_with_workflow};
use heddle_store::blobs::{FileHash, INLINE_LIMIT};
use heddle_store::executions::{ExecutionStore, RetentionLimits};
use heddle_store::workflows::WorkflowStore;
use heddle_store::{Error, OpenMode, Sqlite, inspect};
use model::{Binary, Code, Item, Items, Object, RunEvent};
use std::path::PathBuf;
use std::sync::Arc;

fn files_of(folder: &TempFolder, execution: i64) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.0.join(format!("binary/{execution}")));
    entries.map(|entries| entries.map(|entry| entry.unwrap().path()).collect()).unwrap_or_default()
}

/// A run that was handed a file over and over.
fn run(execution: i64, data: &[u8], times: usize, outcome: WriteOutcome) -> Arc<Run> {
    let handed = || {
        let mut item = Item::new(Object::new());
        item.set_binary("data", Binary::new(data.to_vec(), "image/png", Some("a.png".into())));
        RunEvent::RunResumed { items: Some(Items::one(item)) }
    };
    Run::new(execution, &(0..times).map(|_| handed()).collect::<Vec<_>>(), outcome)
}

fn files(events: &[RunEvent]) -> Vec<Binary> {
    let of = |event: &RunEvent| match event {
        RunEvent::RunResumed { items: Some(items) } => {
            items.first().unwrap().binary("data").cloned()
        }
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

fn picture(seed: u8) -> Vec<u8> {
    (0..100_000u32).map(|at| (at as u8).wrapping_mul(31).wrapping_add(seed)).collect()
}

#[tokio::test]
async fn a_file_that_ten_steps_pass_on_is_kept_read_and_counted_once() {
    let folder = folder_with_workflow("once");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let data = picture(1);
    store.flush(run(1, &data, 10, WriteOutcome::Written)).await.unwrap();
    assert_eq!(files_of(&folder, 1).len(), 1);
    let bytes = store.execution(1).await.unwrap().unwrap().bytes;
    assert!((100_000..105_000).contains(&bytes), "{bytes}");

    let read = files(&store.journal(1).await.unwrap());
    assert_eq!(read.len(), 10);
    assert!(read.iter().all(|file| file.data == data
        && file.data.as_ptr() == read[0].data.as_ptr()
        && file.extra.is_empty()));
    let shown = files(&store.outline(1).await.unwrap());
    let value = shown[9].to_value();
    let text = |key: &str| value.get(key).and_then(model::Value::as_str).unwrap().to_owned();
    assert!(shown.iter().all(|file| file.data.is_empty()));
    assert_eq!(
        (text("data").as_str(), text("fileSize").as_str(), text("fileName").as_str()),
        ("filesystem-v2", "100 kB", "a.png")
    );
    let found = store.file(1, FileHash::parse(&text("id")).unwrap()).await.unwrap().unwrap();
    assert_eq!(
        (found.size, found.mime_type.as_str(), found.file_name.as_deref()),
        (100_000, "image/png", Some("a.png"))
    );
    assert!(
        store.file(2, FileHash::parse(&text("id")).unwrap()).await.unwrap().is_none(),
        "files are those of their execution"
    );
    assert_eq!(inspect::run_files(&folder.0).unwrap().count, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_that_write_one_file_at_a_time_do_not_get_in_each_others_way() {
    let folder = folder_with_workflow("at-once");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for id in 1..=20 {
        let (data, flushing) =
            (picture(id as u8), run(id, &picture(id as u8), 1, WriteOutcome::Written));
        let others: Vec<_> = (0..4)
            .map(|_| {
                tokio::spawn({
                    let (store, run) = (store.clone(), flushing.clone());
                    async move { store.flush(run).await }
                })
            })
            .collect();
        for other in others {
            other.await.unwrap().unwrap();
        }
        assert_eq!(files(&store.journal(id).await.unwrap())[0].data, data);
        assert_eq!(files_of(&folder, id).len(), 1);
    }
}

#[tokio::test]
async fn small_files_stay_in_the_journal() {
    let folder = folder_with_workflow("small");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let data = vec![7; INLINE_LIMIT];
    store.flush(run(1, &data, 2, WriteOutcome::Written)).await.unwrap();
    assert!(!folder.0.join("binary").exists());
    assert!(files(&store.outline(1).await.unwrap()).iter().all(|file| file.data == data));
}

#[tokio::test]
async fn files_go_with_their_execution_however_it_goes() {
    let folder = folder_with_workflow("gone");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for id in 1..=4 {
        store.flush(run(id, &picture(id as u8), 1, WriteOutcome::Written)).await.unwrap();
    }
    assert!(store.delete_execution(1).await.unwrap());
    assert!(files_of(&folder, 1).is_empty() && !files_of(&folder, 2).is_empty());
    let room_for_two =
        RetentionLimits { newer_than_ms: 0, at_most: 100, bytes: 250_000, step: 100 };
    assert_eq!(
        store.prune(room_for_two).await.unwrap(),
        1,
        "files count against the room for executions"
    );
    assert!(files_of(&folder, 2).is_empty() && !files_of(&folder, 3).is_empty());
    store.flush(run(5, &picture(5), 1, WriteOutcome::Discarded)).await.unwrap();
    assert!(files_of(&folder, 5).is_empty());
    assert!(store.delete_workflow("w").await.unwrap().is_some());
    assert!(files_of(&folder, 3).is_empty() && files_of(&folder, 4).is_empty());
    assert_eq!(inspect::run_files(&folder.0).unwrap().count, 0);
}

#[tokio::test]
async fn files_that_a_crash_left_before_their_commit_are_swept() {
    let folder = folder_with_workflow("swept");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    store.flush(run(1, &picture(1), 1, WriteOutcome::Written)).await.unwrap();
    store.flush(run(2, &picture(2), 1, WriteOutcome::CutOff)).await.unwrap();
    assert_eq!(files_of(&folder, 2).len(), 1, "the file is there before the piece that names it");
    assert!(store.execution(2).await.unwrap().is_none());
    std::fs::create_dir_all(folder.0.join("binary/mine")).unwrap();
    Sqlite::open(&folder.0, OpenMode::Shared).unwrap();
    assert_eq!(files_of(&folder, 2).len(), 1, "only the one that runs workflows sweeps");
    drop(store);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    // Beside everything else, so that the server need not wait.
    while !files_of(&folder, 2).is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    assert_eq!(files_of(&folder, 1).len(), 1);
    assert!(folder.0.join("binary/mine").exists());
    assert_eq!(files(&store.journal(1).await.unwrap())[0].data, picture(1));
}

#[tokio::test]
async fn a_lost_file_is_told_with_its_run_and_the_others_go_on() {
    let folder = folder_with_workflow("lost");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    for id in 1..=3 {
        store.flush(run(id, &picture(id as u8), 1, WriteOutcome::Written)).await.unwrap();
    }
    let mut data = picture(1);
    data[500] ^= 1;
    std::fs::write(&files_of(&folder, 1)[0], data).unwrap();
    std::fs::remove_file(&files_of(&folder, 2)[0]).unwrap();
    for id in [1, 2] {
        let error = store.journal(id).await.unwrap_err();
        assert!(matches!(error, Error::LostFile { execution, .. } if execution == id), "{error}");
        assert_eq!(error.code(), Code::EXECUTION_FILE_LOST);
        assert_eq!(
            files(&store.outline(id).await.unwrap()).len(),
            1,
            "what the run did can still be looked at"
        );
        let sum = FileHash::parse(
            files(&store.outline(id).await.unwrap())[0].extra.get("id").unwrap().as_str().unwrap(),
        )
        .unwrap();
        assert_eq!(store.file(id, sum).await.unwrap_err().code(), Code::EXECUTION_FILE_LOST);
    }
    assert_eq!(store.journal(3).await.unwrap().len(), 1);
    assert_eq!(inspect::run_files(&folder.0).unwrap().lost.len(), 1);
}

/// Two writes of one run may share a transaction: what the second has to tell rests upon the first.
#[tokio::test]
async fn issue_15_07_nobody_is_told_that_a_run_is_on_disk_while_a_piece_of_it_is_not() {
    let folder = folder_with_workflow("held-back");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    // A folder that cannot be made: there is a file in its place.
    std::fs::write(folder.0.join("binary"), "").unwrap();
    let run = run(1, &picture(1), 1, WriteOutcome::FilesLater);
    let blocked = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    blocked.execute_batch("BEGIN IMMEDIATE").unwrap();
    // They wait for each other, and then for the same transaction.
    let first = store.flush(Run::with_line(2, "said"));
    let (both, ()) = tokio::join!(
        async {
            tokio::join!(
                first,
                store.flush(run.clone()),
                store.flush(run.clone()),
                store.flush(Run::with_line(3, "said"))
            )
        },
        async {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            blocked.execute_batch("ROLLBACK").unwrap();
        }
    );
    let (first, piece, empty, last) = both;
    assert!(piece.is_err() && empty.is_err(), "{piece:?} {empty:?}");
    assert!(first.is_ok() && last.is_ok(), "{first:?} {last:?}");
    assert!(run.left().is_some(), "it is there for the next try");
}
