//! Long-term memory as its port promises it: what is found, what is refused, what is gone, and who
//! sees what.

use super::*;
use crate::conversations::ConversationCleanup as _;
use crate::{CredentialStore as _, OpenMode};
use model::Code;
use node_api::ai::{Embedding, EntryKind, EntryRef, EntrySource};
use std::path::PathBuf;

struct MemoryFolder(PathBuf);

impl MemoryFolder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("heddle-memories-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn open(&self) -> Sqlite {
        Sqlite::open(&self.0, OpenMode::Shared).unwrap()
    }
}

impl Drop for MemoryFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn embedding(vector: [f32; 3]) -> Option<Embedding> {
    Some(Embedding { model: "m".into(), vector: vector.to_vec() })
}

fn entry(subject: &str, text: &str, vector: [f32; 3]) -> NewEntry {
    NewEntry {
        subject: subject.into(),
        kind: EntryKind::Fact,
        text: text.into(),
        embedding: embedding(vector),
        ..NewEntry::default()
    }
}

fn about(subject: &str) -> MemoryQuery {
    MemoryQuery { subject: Some(subject.into()), limit: 10, ..MemoryQuery::default() }
}

async fn texts(store: &Sqlite, space: &str, query: MemoryQuery) -> Vec<String> {
    let found = store.search_entries(space, query).await.unwrap();
    found.iter().map(|found| found.entry.text.to_string()).collect()
}

async fn add(store: &Sqlite, space: &str, new: NewEntry) -> Str {
    store.add_entries(space, vec![new]).await.unwrap().remove(0).id
}

#[tokio::test]
async fn entries_are_found_by_meaning_words_tags_and_time() {
    let folder = MemoryFolder::new("find");
    let store = folder.open();
    let space = store.open_space("m").await.unwrap().id;
    assert_eq!(store.open_space("m").await.unwrap().id, space, "the same name is the same space");
    let cat = NewEntry {
        tags: vec!["pets".into()],
        valid_ms: Some(1000),
        ..entry("ada", "has a cat called Ada's Zorro", [1.0, 0.0, 0.0])
    };
    let city = NewEntry { valid_ms: Some(2000), ..entry("ada", "lives in Bern", [0.0, 1.0, 0.0]) };
    let plain = NewEntry {
        embedding: None,
        valid_ms: Some(3000),
        ..entry("ada", "invoice ZX-81 is paid", [0.0; 3])
    };
    let other = entry("bob", "has a dog", [1.0, 0.0, 0.0]);
    store.add_entries(&space, vec![cat, city, plain, other]).await.unwrap();
    let near =
        MemoryQuery { embedding: embedding([0.9, 0.1, 0.0]), min_score: 0.5, ..about("ada") };
    let found = store.search_entries(&space, near.clone()).await.unwrap();
    assert_eq!(found.len(), 1);
    assert!(found[0].entry.text.contains("Zorro") && found[0].score > 0.9);
    let words = MemoryQuery { words: Some("was ZX 81 paid?".into()), ..about("ada") };
    assert_eq!(texts(&store, &space, words.clone()).await, ["invoice ZX-81 is paid"]);
    let both = MemoryQuery { embedding: near.embedding.clone(), min_score: 0.5, ..words };
    assert_eq!(texts(&store, &space, both).await.len(), 2, "what has no vector is found by words");
    let tagged = MemoryQuery { tags: vec!["pets".into()], ..about("ada") };
    assert_eq!(texts(&store, &space, tagged).await.len(), 1);
    let newest = texts(&store, &space, about("ada")).await;
    assert_eq!(newest, ["invoice ZX-81 is paid", "lives in Bern", "has a cat called Ada's Zorro"]);
    let between = MemoryQuery { from_ms: Some(1500), until_ms: Some(3000), ..about("ada") };
    assert_eq!(texts(&store, &space, between).await, ["lives in Bern"]);
    let all = MemoryQuery { subject: None, ..near };
    assert_eq!(texts(&store, &space, all).await.len(), 2, "without a subject, of all");
    let statistics = store.spaces().await.unwrap()[0].statistics;
    assert_eq!((statistics.entries, statistics.writes), (4, 4));
    assert_eq!((statistics.reads, statistics.hits, statistics.misses), (7, 7, 0));
}

#[tokio::test]
async fn recency_lifts_what_is_newer_and_superseded_or_expired_entries_stay_out() {
    let folder = MemoryFolder::new("recency");
    let store = folder.open();
    let space = store.open_space("m").await.unwrap().id;
    let old = NewEntry { valid_ms: Some(1), ..entry("ada", "old", [1.0, 0.0, 0.0]) };
    let new = NewEntry { valid_ms: Some(2), ..entry("ada", "new", [0.99, 0.1, 0.0]) };
    let old = add(&store, &space, old).await;
    add(&store, &space, new).await;
    let asked = MemoryQuery { embedding: embedding([1.0, 0.0, 0.0]), ..about("ada") };
    assert_eq!(texts(&store, &space, asked.clone()).await, ["old", "new"]);
    let recent = MemoryQuery { recency_weight: 1.0, ..asked.clone() };
    assert_eq!(texts(&store, &space, recent).await[0], "old", "a tie goes to the nearer");
    let newest = NewEntry {
        supersedes: vec![EntryRef::Existing(old.clone())],
        ..entry("ada", "newest", [1.0, 0.0, 0.0])
    };
    let newest = add(&store, &space, newest).await;
    assert_eq!(texts(&store, &space, asked.clone()).await, ["newest", "new"]);
    let seen = store.entry(&space, &old).await.unwrap();
    assert_eq!((seen.superseded_by.as_deref(), seen.version), (Some(newest.as_str()), 2));
    let all = MemoryQuery { with_superseded: true, ..asked.clone() };
    assert_eq!(texts(&store, &space, all).await.len(), 3);
    let gone = NewEntry { expires_ms: Some(1), ..entry("ada", "over", [1.0, 0.0, 0.0]) };
    add(&store, &space, gone).await;
    assert_eq!(texts(&store, &space, asked.clone()).await.len(), 2);
    let expired = MemoryQuery { with_expired: true, ..asked };
    assert_eq!(texts(&store, &space, expired.clone()).await.len(), 3);
    assert_eq!(store.delete_expired().await.unwrap(), 1);
    assert_eq!(texts(&store, &space, expired).await.len(), 2);
    let stranger = NewEntry {
        supersedes: vec![EntryRef::Existing(newest)],
        ..entry("bob", "mine", [1.0, 0.0, 0.0])
    };
    let error = store.add_entries(&space, vec![stranger]).await.unwrap_err();
    assert_eq!(error.code(), Code::MEMORY_NOT_FOUND, "nobody replaces what is somebody else's");
    assert_eq!(
        store
            .entries(&space, EntryQuery { limit: 10, ..EntryQuery::default() })
            .await
            .unwrap()
            .len(),
        3,
        "and nothing of it stays"
    );
}

#[tokio::test]
async fn a_stale_change_is_refused_and_the_same_entry_is_added_once() {
    let folder = MemoryFolder::new("stale");
    let store = folder.open();
    let space = store.open_space("m").await.unwrap().id;
    let keyed = NewEntry { key: Some("k".into()), ..entry("ada", "one", [1.0, 0.0, 0.0]) };
    let first = store.add_entries(&space, vec![keyed.clone(), keyed.clone()]).await.unwrap();
    assert!(first[0].is_new && !first[1].is_new && first[0].id == first[1].id);
    let id = first[0].id.clone();
    let change = |version, text: &str| EntryChange {
        version,
        text: Some((text.into(), embedding([0.0, 0.0, 1.0]))),
        ..EntryChange::default()
    };
    let writers: Vec<_> = (0..20)
        .map(|number| {
            let (store, space, id) = (store.clone(), space.clone(), id.clone());
            let change = change(1, &format!("by {number}"));
            tokio::spawn(async move { store.change_entry(&space, &id, change).await })
        })
        .collect();
    let mut done = Vec::new();
    for writer in writers {
        match writer.await.unwrap() {
            Ok(entry) => done.push(entry),
            Err(error) => assert_eq!(error.code(), Code::MEMORY_STALE),
        }
    }
    assert_eq!(done.len(), 1, "one writer wins");
    let kept = store.entry(&space, &id).await.unwrap();
    assert_eq!((kept.version, &kept.text), (2, &done[0].text));
    let near =
        MemoryQuery { embedding: embedding([0.0, 0.0, 1.0]), min_score: 0.9, ..about("ada") };
    assert_eq!(texts(&store, &space, near).await.len(), 1, "its vector changed with it");
    let far = MemoryQuery { embedding: embedding([1.0, 0.0, 0.0]), min_score: 0.5, ..about("ada") };
    assert!(texts(&store, &space, far).await.is_empty());
    assert_eq!(store.add_entries(&space, vec![keyed]).await.unwrap()[0].id, id);
}

#[tokio::test]
async fn concurrent_writers_lose_nothing_and_another_process_sees_what_they_wrote() {
    let folder = MemoryFolder::new("writers");
    let (store, other) = (folder.open(), folder.open());
    let space = store.open_space("m").await.unwrap().id;
    let query = MemoryQuery { words: Some("entry".into()), limit: 100, ..MemoryQuery::default() };
    assert!(texts(&other, &space, query.clone()).await.is_empty());
    let writers: Vec<_> = (0..60)
        .map(|number| {
            let (store, space) =
                (if number % 2 == 0 { store.clone() } else { other.clone() }, space.clone());
            tokio::spawn(async move {
                let new = entry("ada", &format!("entry {number}"), [number as f32, 1.0, 0.0]);
                store.add_entries(&space, vec![new]).await.unwrap();
                let found = store
                    .search_entries(
                        &space,
                        MemoryQuery { words: Some(format!("{number}").into()), ..about("ada") },
                    )
                    .await
                    .unwrap();
                assert!(!found.is_empty(), "what was written is found at once");
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(texts(&store, &space, query.clone()).await.len(), 60);
    assert_eq!(texts(&other, &space, query.clone()).await.len(), 60);
    assert!(other.delete_subject(Some(&space), "ada").await.unwrap() == 60);
    assert!(texts(&store, &space, query).await.is_empty(), "a removal elsewhere is followed");
}

#[tokio::test]
async fn deleting_a_subject_leaves_nothing_of_it_anywhere() {
    let folder = MemoryFolder::new("forget");
    let store = folder.open();
    let space = store.open_space("m").await.unwrap();
    let number = space_number(&store).await;
    let space = space.id;
    add(&store, &space, entry("ada", "ada is here", [1.0, 0.0, 0.0])).await;
    add(&store, &space, entry("bob", "bob is here", [1.0, 0.0, 0.0])).await;
    store.add_turn(&space, turn("ada", "t1")).await.unwrap();
    let copy = store.seal_copy_of(&space, "ada").await;
    let bobs = store.seal_copy_of(&space, "bob").await;
    let here = MemoryQuery { words: Some("here".into()), limit: 9, ..MemoryQuery::default() };
    assert_eq!(texts(&store, &space, here.clone()).await.len(), 2);
    assert_eq!(store.shared.memories.n_alive(number), 2);
    assert_eq!(store.delete_subject(None, "ada").await.unwrap(), 2);
    assert_eq!(store.shared.memories.n_alive(number), 1, "the index has followed at once");
    assert_eq!(texts(&store, &space, here).await, ["bob is here"]);
    assert!(store.pending_turns(&space, "ada", 9).await.unwrap().is_empty());
    let open = async |subject: &str, sealed: &[u8]| {
        LongTermMemory::open_entries(&store, &space, subject, sealed).await.unwrap()
    };
    assert_eq!(open("ada", &copy).await, None, "journals cannot be read any more");
    assert_eq!(open("bob", &bobs).await.as_deref(), Some(&b"copy"[..]));
    assert_eq!(open("ada", &bobs).await, None);
    let again = store.seal_copy_of(&space, "ada").await;
    assert_eq!(open("ada", &again).await.as_deref(), Some(&b"copy"[..]));
    assert_eq!(open("ada", &copy).await, None, "also once the subject is back");
    let left: i64 = store
        .read(|connection| {
            let sql = "SELECT (SELECT count(*) FROM memory_entries WHERE vector IS NOT NULL) + (SELECT count(*) FROM memory_turns WHERE body IS NOT NULL)";
            Ok(connection.query_row(sql, [], |row| row.get(0))?)
        })
        .await
        .unwrap();
    assert_eq!(left, 1);
}

impl Sqlite {
    async fn seal_copy_of(&self, space: &str, subject: &str) -> Vec<u8> {
        LongTermMemory::seal_entries(self, space, subject, b"copy").await.unwrap()
    }
}

async fn space_number(store: &Sqlite) -> i64 {
    let sql = "SELECT number FROM memory_spaces";
    store
        .read(move |connection| Ok(connection.query_row(sql, [], |row| row.get(0))?))
        .await
        .unwrap()
}

fn turn(subject: &str, key: &str) -> PendingTurn {
    PendingTurn {
        key: key.into(),
        subject: subject.into(),
        text: format!("User: secret of {key}").into(),
        at_ms: now_ms(),
        source: EntrySource { execution: "7".into(), ..EntrySource::default() },
    }
}

#[tokio::test]
async fn turns_become_facts_once() {
    let folder = MemoryFolder::new("turns");
    let store = folder.open();
    let space = store.open_space("m").await.unwrap().id;
    for key in ["t1", "t2", "t1"] {
        store.add_turn(&space, turn("ada", key)).await.unwrap();
    }
    store.add_turn(&space, turn("bob", "t3")).await.unwrap();
    let groups = store.pending_subjects(&space, 10).await.unwrap();
    assert_eq!(
        groups.iter().map(|group| (group.subject.as_str(), group.n_turns)).collect::<Vec<_>>(),
        [("ada", 2), ("bob", 1)]
    );
    let waiting = store.pending_turns(&space, "ada", 10).await.unwrap();
    assert_eq!(waiting.iter().map(|turn| turn.key.as_str()).collect::<Vec<_>>(), ["t1", "t2"]);
    let made = |turns: &[&str], supersedes: Vec<EntryRef>| Consolidated {
        subject: "ada".into(),
        turns: turns.iter().map(|key| Str::from(*key)).collect(),
        facts: vec![NewEntry {
            key: Some("fact t1".into()),
            supersedes,
            ..entry("ada", "a fact", [1.0, 0.0, 0.0])
        }],
    };
    let missing = vec![EntryRef::Existing("nope".into())];
    let outcome = store.consolidate(&space, made(&["t1"], missing)).await.unwrap();
    assert_eq!(outcome, ConsolidationOutcome::Stale);
    assert_eq!(store.pending_turns(&space, "ada", 10).await.unwrap().len(), 2, "nothing was done");
    let (one, other) = tokio::join!(
        store.consolidate(&space, made(&["t1", "t2"], Vec::new())),
        store.consolidate(&space, made(&["t1", "t2"], Vec::new()))
    );
    let outcomes = [one.unwrap(), other.unwrap()];
    assert!(
        outcomes.contains(&ConsolidationOutcome::Done)
            && outcomes.contains(&ConsolidationOutcome::Stale)
    );
    let stolen = Consolidated { turns: vec!["t3".into()], ..made(&[], Vec::new()) };
    assert_eq!(store.consolidate(&space, stolen).await.unwrap(), ConsolidationOutcome::Stale);
    assert_eq!(texts(&store, &space, about("ada")).await, ["a fact"]);
    store.add_turn(&space, turn("ada", "t1")).await.unwrap();
    assert!(
        store.pending_turns(&space, "ada", 10).await.unwrap().is_empty(),
        "it was consolidated"
    );
}

#[tokio::test]
async fn nothing_is_in_clear_text_on_disk_and_a_new_key_of_the_vault_changes_nothing() {
    let folder = MemoryFolder::new("sealed");
    let store = folder.open();
    let space = store.open_space("m").await.unwrap().id;
    let new = NewEntry {
        tags: vec!["canarytag".into()],
        source: EntrySource { quote: "canaryquote".into(), ..EntrySource::default() },
        ..entry("canarysubject", "canarytext", [0.25, 0.5, 0.125])
    };
    add(&store, &space, new).await;
    store
        .add_turn(&space, PendingTurn { text: "canaryturn".into(), ..turn("canarysubject", "t") })
        .await
        .unwrap();
    store.rotate_key().await.unwrap();
    let again = folder.open();
    assert_eq!(texts(&again, &space, about("canarysubject")).await, ["canarytext"]);
    drop((store, again));
    let unit = to_bytes_of([0.25, 0.5, 0.125]);
    for file in std::fs::read_dir(&folder.0).unwrap().flatten().filter(|file| file.path().is_file())
    {
        let bytes = std::fs::read(file.path()).unwrap();
        for canary in ["canarytext", "canarytag", "canaryquote", "canarysubject", "canaryturn"] {
            assert!(
                !bytes.windows(canary.len()).any(|part| part == canary.as_bytes()),
                "{canary} in {:?}",
                file.path()
            );
        }
        assert!(
            !bytes.windows(unit.len()).any(|part| part == unit),
            "a vector in {:?}",
            file.path()
        );
    }
}

fn to_bytes_of(vector: [f32; 3]) -> Vec<u8> {
    crate::sqlite::collections::to_bytes(&crate::sqlite::collections::unit(&vector))
}

#[tokio::test]
async fn limits_hold_and_strange_subjects_are_their_own() {
    let folder = MemoryFolder::new("limits");
    let limits =
        MemoryLimits { entries: 12, entry_bytes: 100, pending_turns: 2, ..MemoryLimits::default() };
    let store = folder.open().with_memory_limits(limits);
    let space = store.open_space("m").await.unwrap().id;
    let code = async |new: NewEntry| {
        store.add_entries(&space, vec![new]).await.map_err(|error| error.code())
    };
    let plain = || NewEntry { subject: "s".into(), text: "x".into(), ..NewEntry::default() };
    assert_eq!(
        code(NewEntry { text: "x".repeat(101).into(), ..plain() }).await,
        Err(Code::MEMORY_LIMIT)
    );
    assert_eq!(
        code(NewEntry { text: " \u{200b}\n".into(), ..plain() }).await,
        Err(Code::MEMORY_VALUE)
    );
    assert_eq!(
        code(NewEntry { subject: "x".repeat(1 << 20).into(), ..plain() }).await,
        Err(Code::MEMORY_LIMIT)
    );
    assert_eq!(code(NewEntry { subject: "".into(), ..plain() }).await, Err(Code::MEMORY_VALUE));
    assert_eq!(
        code(NewEntry { tags: (0..17).map(|n| n.to_string().into()).collect(), ..plain() }).await,
        Err(Code::MEMORY_LIMIT)
    );
    assert_eq!(
        code(NewEntry { embedding: embedding([f32::NAN, 0.0, 0.0]), ..plain() }).await,
        Err(Code::MEMORY_VALUE)
    );
    let odd = [
        "a:b",
        "a",
        "a*",
        "*",
        "a\nb",
        "a\0b",
        "a\0",
        "caf\u{e9}",
        "cafe\u{301}",
        "memory subject\0a",
    ];
    for subject in odd {
        code(NewEntry {
            subject: subject.into(),
            text: format!("of {subject:?}").into(),
            ..plain()
        })
        .await
        .unwrap();
    }
    for subject in odd {
        assert_eq!(texts(&store, &space, about(subject)).await.len(), 1, "{subject:?}");
    }
    code(entry("s", "v", [1.0, 0.0, 0.0])).await.unwrap();
    let other = NewEntry {
        embedding: Some(Embedding { model: "n".into(), vector: vec![1.0; 3] }),
        ..plain()
    };
    assert_eq!(code(other).await, Err(Code::MEMORY_MODEL));
    code(plain()).await.unwrap();
    assert_eq!(code(plain()).await, Err(Code::MEMORY_LIMIT), "the space is full");
    assert_eq!(store.delete_subject(None, "*").await.unwrap(), 1, "no pattern is read in it");
    for key in ["1", "2", "3"] {
        store.add_turn(&space, turn("s", key)).await.unwrap();
    }
    let waiting = store.pending_turns(&space, "s", 10).await.unwrap();
    assert_eq!(waiting.iter().map(|turn| turn.key.as_str()).collect::<Vec<_>>(), ["2", "3"]);
    assert_eq!(store.open_space("").await.unwrap_err().code(), Code::MEMORY_VALUE);
}

#[tokio::test]
async fn a_workflow_sees_the_memories_of_its_project_only() {
    let folder = MemoryFolder::new("projects");
    let store = folder.open();
    let nowhere = store.memory_of_workflow("nope").unwrap();
    assert_eq!(nowhere.open_space("m").await.unwrap_err().code(), Code::MEMORY_VALUE);
    let space = store.open_space("m").await.unwrap().id;
    add(&store, &space, entry("ada", "x", [1.0, 0.0, 0.0])).await;
    assert!(nowhere.spaces().await.unwrap().is_empty());
    for error in [
        nowhere.search_entries(&space, about("ada")).await.map(drop).unwrap_err(),
        nowhere.entries(&space, EntryQuery::default()).await.map(drop).unwrap_err(),
        nowhere.delete_subject(Some(&space), "ada").await.map(drop).unwrap_err(),
        nowhere.delete_space(&space).await.unwrap_err(),
    ] {
        assert_eq!(error.code(), Code::MEMORY_NOT_FOUND);
    }
    assert_eq!(nowhere.delete_subject(None, "ada").await.unwrap(), 0);
    assert_eq!(texts(&store, &space, about("ada")).await.len(), 1);
}

#[tokio::test]
async fn indexes_that_are_not_used_leave_memory() {
    let folder = MemoryFolder::new("evict");
    let limits = MemoryLimits { index_bytes: 1, ..MemoryLimits::default() };
    let store = folder.open().with_memory_limits(limits);
    for name in ["a", "b", "c"] {
        let space = store.open_space(name).await.unwrap().id;
        add(&store, &space, entry("ada", name, [1.0, 0.0, 0.0])).await;
        assert_eq!(texts(&store, &space, about("ada")).await, [name]);
        assert_eq!(store.shared.memories.n_kept(), 1, "only the one in use stays");
    }
    let space = store.open_space("a").await.unwrap().id;
    assert_eq!(texts(&store, &space, about("ada")).await, ["a"], "and is read again");
    store.delete_space(&space).await.unwrap();
    assert_eq!(
        store.space(&SpaceName::Id(space)).await.unwrap_err().code(),
        Code::MEMORY_NOT_FOUND
    );
}
