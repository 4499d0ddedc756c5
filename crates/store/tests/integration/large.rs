//! Executions that are far larger than what may be held in memory: written in parts, and read by
//! the page.

use crate::support;
use crate::support::{Run, folder_with_workflow};
use heddle_store::executions::{ExecutionStore, JournalLength, READ_FACTOR};
use heddle_store::journal::{PART_BYTES, SegmentWriter};
use heddle_store::{Error, OpenMode, Sqlite};
use model::{
    Item, Items, ItemsBuilder, Object, RunEvent, RunRange, Spill, SpillError, Spilled, Str, Value,
    json,
};
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

/// A run that began with about so many bytes, a thousand an item.
fn started(bytes: usize) -> RunEvent {
    let text = "x".repeat(1000);
    started_with(
        (0..bytes / 1000)
            .map(|number| Item::new(json!({ "number": number, "text": text.as_str() })))
            .collect(),
    )
}

fn started_with(items: Items) -> RunEvent {
    RunEvent::RunStarted {
        run_id: "1".into(),
        workflow_id: "w".into(),
        workflow_name: "W".into(),
        mode: "manual".into(),
        started_ms: 0,
        start_node: None,
        items: Some(items),
        extent: RunRange::default(),
        called_by_model: None,
    }
}

fn items_of(event: &RunEvent) -> &Items {
    match event {
        RunEvent::RunStarted { items: Some(items), .. } => items,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn issue_14_09_a_large_list_is_read_by_the_chunk_and_no_row_is_large() {
    let folder = folder_with_workflow("large");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    support::write_streamed(&store, 1, &[started(40 << 20)]).await;
    let row = store.execution(1).await.unwrap().unwrap();
    assert!(row.bytes > 40 << 20, "{}", row.bytes);
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    let largest: i64 = raw
        .query_row("SELECT max(length(bytes)) FROM journal_parts", [], |row| row.get(0))
        .unwrap();
    assert!(largest as usize <= PART_BYTES);
    let largest: i64 =
        raw.query_row("SELECT max(length(events)) FROM journal", [], |row| row.get(0)).unwrap();
    assert!(largest < 10_000, "{largest}");
    assert!(store.outline_bytes(1).await.unwrap() < 100_000);
    // One item of the middle costs a chunk, not the whole.
    let began = Instant::now();
    let events = store.outline(1).await.unwrap();
    let items = items_of(&events[0]);
    assert_eq!(items.len(), (40 << 20) / 1000);
    assert_eq!(items.get(20_000).unwrap().json.get("number").unwrap().as_f64(), Some(20_000.0));
    assert!(began.elapsed().as_secs() < 30, "{:?}", began.elapsed());
    // Whoever goes on with the run gets all of it.
    let events = store.journal(1).await.unwrap();
    assert_eq!(items_of(&events[0]).iter().count(), (40 << 20) / 1000);
    assert!(items_of(&events[0]).failure().is_none());
    let beginning = store.first_event(1).await.unwrap().unwrap();
    assert_eq!(items_of(&beginning).iter().count(), (40 << 20) / 1000);
    let JournalLength { segments, parts } = store.journal_length(1).await.unwrap();
    assert!(segments == 1 && parts > 10, "{segments} {parts}");
    assert!(store.delete_execution(1).await.unwrap());
    let left: i64 =
        raw.query_row("SELECT count(*) FROM journal_parts", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn issue_14_11_what_large_events_hold_besides_lists_counts_for_their_readers() {
    let folder = folder_with_workflow("large-lines");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    let line =
        |bytes: usize| RunEvent::NodeLog { node: "A".into(), line: "x".repeat(bytes).into() };
    support::write_streamed(
        &store,
        1,
        &[started(4 << 20), line(5 << 20), line(100), line(1 << 20)],
    )
    .await;
    let weight = store.outline_bytes(1).await.unwrap();
    assert!(weight > (6 << 20) * READ_FACTOR && weight < (7 << 20) * READ_FACTOR, "{weight}");
    assert_eq!(store.outline(1).await.unwrap().len(), 4);
}

#[tokio::test]
async fn issue_14_09_a_damaged_part_is_told_before_a_run_goes_on() {
    let folder = folder_with_workflow("large-damaged");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    support::write_streamed(&store, 1, &[started(8 << 20)]).await;
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    raw.execute("UPDATE journal_parts SET bytes = x'00ff' WHERE place & 0xffffff = 3", []).unwrap();
    match store.journal(1).await {
        Err(Error::Corrupt { what }) => {
            assert!(what.contains("part 3 of the journal of execution 1"), "{what}")
        }
        other => panic!("{}", other.is_ok()),
    }
    let events = store.outline(1).await.unwrap();
    let items = items_of(&events[0]);
    assert!(items.get(0).is_some() && items.failure().is_none(), "what is whole can be shown");
    assert!(items.iter().count() < items.len() && items.failure().is_some(), "what is not is told");
}

/// Written by a version that knew nothing of parts.
#[tokio::test]
async fn a_piece_of_an_earlier_version_is_read() {
    let folder = folder_with_workflow("large-old");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    store.flush(Run::with_line(1, "said")).await.unwrap();
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    let piece: Vec<u8> = raw.query_row("SELECT events FROM journal", [], |row| row.get(0)).unwrap();
    // A length, the kind of the event, the node and the line: nothing of it has changed.
    assert_eq!(piece, [&[8, 3, 1][..], b"A", &[4], b"said"].concat());
    assert_eq!(store.journal(1).await.unwrap().len(), 1);
}

#[tokio::test]
async fn issue_14_09_parts_of_a_run_that_never_began_are_swept_at_the_next_start() {
    let folder = folder_with_workflow("large-stray");
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    support::write_streamed(&store, 1, &[started(4 << 20)]).await;
    drop(store);
    let raw = rusqlite::Connection::open(folder.0.join("heddle.db")).unwrap();
    raw.execute(
        "INSERT INTO journal_parts SELECT place + 16777216 * 7, sum, bytes FROM journal_parts",
        [],
    )
    .unwrap();
    let count = || -> i64 {
        raw.query_row("SELECT count(DISTINCT place >> 24) FROM journal_parts", [], |row| row.get(0))
            .unwrap()
    };
    assert_eq!(count(), 2);
    let store = Sqlite::open(&folder.0, OpenMode::Serve).unwrap();
    assert_eq!(count(), 1);
    assert_eq!(items_of(&store.journal(1).await.unwrap()[0]).iter().count(), (4 << 20) / 1000);
}

/// A disk that knows which of the chunks that were read back are still held.
#[derive(Clone, Default)]
struct TrackedSpill(Arc<Mutex<Vec<Weak<Vec<Item>>>>>);

struct TrackedChunk {
    items: Vec<Item>,
    shelf: TrackedSpill,
}

impl Spill for TrackedSpill {
    fn keep(&self, items: Vec<Item>, _bytes: usize) -> Arc<dyn Spilled> {
        Arc::new(TrackedChunk { items, shelf: self.clone() })
    }

    fn failure(&self) -> Option<SpillError> {
        None
    }
}

impl Spilled for TrackedChunk {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn load(&self) -> Arc<Vec<Item>> {
        let read = Arc::new(self.items.clone());
        let mut all = self.shelf.0.lock().unwrap();
        all.push(Arc::downgrade(&read));
        let held = all.iter().filter(|chunk| chunk.strong_count() > 0).count();
        assert!(held <= 2, "{held} chunks are in memory at the same time");
        read
    }

    fn held(&self) -> Option<Arc<Vec<Item>>> {
        None
    }
}

#[test]
fn issue_14_05_a_list_on_disk_is_written_with_a_chunk_or_two_in_memory() {
    let shelf = TrackedSpill::default();
    let mut builder = ItemsBuilder::new(Some(Arc::new(shelf.clone())));
    // The text is shared here, and counts for each item as it would if it were not.
    let text: Str = "x".repeat(200_000).into();
    for number in 0..2000 {
        builder.push(Item::new(Object::from_iter([
            ("number", Value::from(number)),
            ("text", Value::String(text.clone())),
        ])));
    }
    let mut writer = SegmentWriter::default();
    writer.add(&started_with(builder.finish()));
    let mut bytes = 0;
    while !writer.is_empty() {
        bytes += writer.take().0.iter().map(|part| part.bytes.len()).sum::<usize>();
        writer.advance();
    }
    assert!(bytes > 2000 * 200_000);
    // Four megabytes a chunk, of which one goes to disk at a time.
    let n_read = shelf.0.lock().unwrap().len();
    assert!(n_read < 600, "a hundred chunks were read {n_read} times");
}
