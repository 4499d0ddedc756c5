//! Collections as their port promises them: what is found, what is refused, and who sees what.

use super::*;
use crate::workflows::NewVersion;
use crate::{OpenMode, ProjectStore as _, WorkflowStore as _};
use model::{Object, Value, json};
use node_api::ai::{Document, VectorQuery};
use std::path::PathBuf;

struct CollectionFolder(PathBuf);

impl CollectionFolder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("heddle-collections-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Self(path)
    }

    fn open(&self) -> Sqlite {
        Sqlite::open(&self.0, OpenMode::Shared).unwrap()
    }
}

impl Drop for CollectionFolder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn document(content: &str, metadata: Value) -> Document {
    Document {
        content: content.into(),
        metadata: metadata.as_object().cloned().unwrap_or_default(),
    }
}

fn of_source(source: &str, chunks: &[(&str, [f32; 3])]) -> NewChunks {
    NewChunks {
        model: "m".into(),
        source: source.into(),
        replaces_source: true,
        documents: chunks
            .iter()
            .map(|(content, _)| {
                document(content, json!({ "source": source, "length": (content.len()) }))
            })
            .collect(),
        vectors: chunks.iter().map(|(_, vector)| vector.to_vec()).collect(),
    }
}

fn near(vector: [f32; 3]) -> ChunkSearch {
    ChunkSearch {
        model: "m".into(),
        vector: vector.to_vec(),
        query: VectorQuery { limit: 10, ..VectorQuery::default() },
        words: None,
    }
}

async fn made(store: &Sqlite, name: &str) -> Str {
    store
        .create_collection(NewCollection { name: name.into(), ..NewCollection::default() })
        .await
        .unwrap()
        .id
}

async fn found(store: &Sqlite, id: &str, question: ChunkSearch) -> Vec<String> {
    store
        .search_chunks(id, question)
        .await
        .unwrap()
        .into_iter()
        .map(|found| found.document.content.to_string())
        .collect()
}

const REFUNDS: (&str, [f32; 3]) = ("Refunds within 30 days", [1.0, 0.1, 0.0]);
const SHIPPING: (&str, [f32; 3]) = ("Shipping takes a week", [0.1, 1.0, 0.0]);
const HOURS: (&str, [f32; 3]) = ("Open from nine to five", [0.0, 0.0, 2.0]);

#[tokio::test]
async fn the_nearest_chunks_come_first_with_how_near_they_are() {
    let folder = CollectionFolder::new("near");
    let store = folder.open();
    let id = made(&store, "shop").await;
    let ids =
        store.insert_chunks(&id, of_source("faq.md", &[SHIPPING, REFUNDS, HOURS])).await.unwrap();
    let all = store.search_chunks(&id, near([3.0, 0.0, 0.0])).await.unwrap();
    assert_eq!(
        all.iter().map(|found| found.id.clone()).collect::<Vec<_>>(),
        [ids[1].clone(), ids[0].clone(), ids[2].clone()]
    );
    assert!((all[0].score - 0.995).abs() < 1e-3 && all[2].score == 0.0, "{all:?}");
    assert_eq!(all[0].document.metadata.get("source").and_then(Value::as_str), Some("faq.md"));
    let mut strict = near([3.0, 0.0, 0.0]);
    strict.query = VectorQuery { limit: 10, min_score: Some(0.5), metadata: Object::new() };
    assert_eq!(found(&store, &id, strict).await, [REFUNDS.0]);
    let mut few = near([0.0, 0.0, 1.0]);
    few.query.limit = 1;
    assert_eq!(found(&store, &id, few).await, [HOURS.0]);
    let same = store.search_chunks(&id, near(HOURS.1)).await.unwrap();
    assert!(same[0].score <= 1.0 && same[0].score > 0.9999);
}

#[tokio::test]
async fn what_comes_and_goes_is_seen_by_the_next_search() {
    let folder = CollectionFolder::new("changes");
    let (store, other) = (folder.open(), folder.open());
    let id = made(&store, "shop").await;
    let question = || near([1.0, 1.0, 1.0]);
    store.insert_chunks(&id, of_source("a", &[REFUNDS])).await.unwrap();
    assert_eq!(found(&store, &id, question()).await.len(), 1);
    for number in 0..20 {
        other.insert_chunks(&id, of_source(&format!("b{number}"), &[SHIPPING])).await.unwrap();
        let mut many = question();
        many.query.limit = 100;
        assert_eq!(
            found(&store, &id, many).await.len(),
            number + 2,
            "another process adds, and the copy in memory follows"
        );
    }
    store.insert_chunks(&id, of_source("a", &[HOURS])).await.unwrap();
    let mut many = question();
    many.query.limit = 100;
    let contents = found(&other, &id, many).await;
    assert!(
        contents.len() == 21 && !contents.contains(&REFUNDS.0.to_owned()),
        "a source that comes again replaces itself"
    );
    assert_eq!(store.delete_chunks(&id, ChunkSelection::Source("a".into())).await.unwrap(), 1);
    assert_eq!(store.delete_chunks(&id, ChunkSelection::All).await.unwrap(), 20);
    assert!(found(&store, &id, question()).await.is_empty());
    let collection = store.collection(&CollectionName::Id(id)).await.unwrap();
    assert_eq!((collection.n_chunks, collection.bytes), (0, 0));
}

#[tokio::test]
async fn vectors_of_another_model_or_length_are_refused() {
    let folder = CollectionFolder::new("model");
    let store = folder.open();
    let id = made(&store, "shop").await;
    store.insert_chunks(&id, of_source("a", &[REFUNDS])).await.unwrap();
    let other = NewChunks { model: "another".into(), ..of_source("b", &[SHIPPING]) };
    let error = store.insert_chunks(&id, other).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The collection 'shop' contains vectors of the model 'm', but these come from 'another'"
    );
    assert_eq!(error.code(), model::Code::COLLECTION_MODEL);
    let long = NewChunks { vectors: vec![vec![1.0; 4]], ..of_source("b", &[SHIPPING]) };
    let error = store.insert_chunks(&id, long).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "The collection 'shop' contains vectors with 3 dimensions, but these have 4"
    );
    let asked = ChunkSearch { model: "another".into(), ..near(REFUNDS.1) };
    assert_eq!(
        store.search_chunks(&id, asked).await.unwrap_err().code(),
        model::Code::COLLECTION_MODEL
    );
    for vectors in
        [vec![], vec![vec![]], vec![vec![f32::NAN, 0.0, 0.0]], vec![vec![1.0; 3], vec![1.0; 3]]]
    {
        let wrong = NewChunks { vectors, ..of_source("a", &[SHIPPING]) };
        assert_eq!(
            store.insert_chunks(&id, wrong).await.unwrap_err().code(),
            model::Code::COLLECTION_VALUE
        );
    }
    assert_eq!(
        found(&store, &id, near(REFUNDS.1)).await,
        [REFUNDS.0],
        "what was refused has replaced nothing"
    );
}

#[tokio::test]
async fn words_change_the_order_and_belong_to_their_collection() {
    let folder = CollectionFolder::new("words");
    let store = folder.open();
    let (id, foreign) = (made(&store, "shop").await, made(&store, "other").await);
    store.insert_chunks(&id, of_source("a", &[REFUNDS, SHIPPING, HOURS])).await.unwrap();
    store
        .insert_chunks(&foreign, of_source("a", &[("Invoice ZX-81 is due", [0.0, 1.0, 0.0])]))
        .await
        .unwrap();
    store
        .insert_chunks(&id, of_source("b", &[("Invoice ZX-81 is paid", [0.0, 0.9, 0.4])]))
        .await
        .unwrap();
    let by_nearness = near([1.0, 0.2, 0.0]);
    assert_eq!(found(&store, &id, by_nearness.clone()).await[0], REFUNDS.0);
    let hybrid = |words: &str| ChunkSearch { words: Some(words.into()), ..near([1.0, 0.2, 0.0]) };
    let both = found(&store, &id, hybrid("what about ZX-81?")).await;
    assert!(
        both[0].contains("paid") && both.iter().all(|content| !content.contains("due")),
        "{both:?}"
    );
    for hostile in
        ["\"", "a OR", "NEAR(", "collection : c2", "*", "", "c2 AND (", "-x", "{content}:"]
    {
        assert!(
            found(&store, &id, hybrid(hostile))
                .await
                .iter()
                .all(|content| !content.contains("due")),
            "{hostile}"
        );
    }
}

#[tokio::test]
async fn metadata_limit_what_is_found_and_removed() {
    let folder = CollectionFolder::new("metadata");
    let store = folder.open();
    let id = made(&store, "shop").await;
    let mut chunks = of_source("a", &[REFUNDS, SHIPPING, HOURS]);
    chunks.documents[0].metadata =
        json!({ "lang": "en", "year": 2024, "draft": false }).as_object().cloned().unwrap();
    chunks.documents[1].metadata =
        json!({ "lang": "en", "year": 2023, "a\"b": "x" }).as_object().cloned().unwrap();
    store.insert_chunks(&id, chunks).await.unwrap();
    let only = |fields: Value| {
        let query = VectorQuery {
            limit: 10,
            min_score: None,
            metadata: fields.as_object().cloned().unwrap(),
        };
        ChunkSearch { query, ..near([1.0, 1.0, 1.0]) }
    };
    assert_eq!(
        found(&store, &id, only(json!({ "lang": "en", "year": "2024" }))).await,
        [REFUNDS.0]
    );
    assert_eq!(found(&store, &id, only(json!({ "draft": false }))).await, [REFUNDS.0]);
    assert_eq!(found(&store, &id, only(json!({ "a\"b": "x" }))).await, [SHIPPING.0]);
    assert!(found(&store, &id, only(json!({ "lang": "de" }))).await.is_empty());
    let fields = json!({ "lang": "en" }).as_object().cloned().unwrap();
    assert_eq!(store.delete_chunks(&id, ChunkSelection::Metadata(fields)).await.unwrap(), 2);
}

#[tokio::test]
async fn a_workflow_sees_the_collections_of_its_project_alone() {
    let folder = CollectionFolder::new("projects");
    let store = folder.open();
    let team = store.add_project("Team").await.unwrap().id;
    for (workflow, project) in [("mine", PERSONAL), ("theirs", team.as_str())] {
        let version = NewVersion {
            id: workflow.into(),
            name: workflow.into(),
            document: "{}".into(),
            author: None,
            static_data: None,
        };
        store.add_workflow(version, project, None).await.unwrap();
    }
    let (mine, theirs) = (
        Collections::scoped_to(&store, "mine").unwrap(),
        Collections::scoped_to(&store, "theirs").unwrap(),
    );
    let collection = mine
        .create_collection(NewCollection { name: "shop".into(), ..NewCollection::default() })
        .await
        .unwrap();
    assert_eq!(collection.project_id, PERSONAL);
    mine.insert_chunks(&collection.id, of_source("a", &[REFUNDS])).await.unwrap();
    let name = CollectionName::Name("shop".into());
    assert!(mine.collection(&name).await.is_ok());
    let missing = model::Code::COLLECTION_NOT_FOUND;
    assert_eq!(theirs.collection(&name).await.unwrap_err().code(), missing);
    assert_eq!(
        theirs.search_chunks(&collection.id, near(REFUNDS.1)).await.unwrap_err().code(),
        missing
    );
    assert_eq!(
        theirs.insert_chunks(&collection.id, of_source("a", &[HOURS])).await.unwrap_err().code(),
        missing
    );
    assert_eq!(
        theirs.delete_chunks(&collection.id, ChunkSelection::All).await.unwrap_err().code(),
        missing
    );
    assert_eq!(theirs.delete_collection(&collection.id).await.unwrap_err().code(), missing);
    assert!(
        theirs.chunks(&collection.id, ChunkQuery::default()).await.is_err()
            && theirs.sources(&collection.id).await.is_err()
    );
    assert!(theirs.collections().await.unwrap().is_empty());
    assert_eq!(
        (mine.scoped_project().await.unwrap().as_str(), theirs.scoped_project().await.unwrap()),
        (PERSONAL, team)
    );
    let stray = Collections::scoped_to(&store, "nowhere").unwrap();
    assert!(
        stray
            .create_collection(NewCollection { name: "x".into(), ..NewCollection::default() })
            .await
            .is_err()
    );
    assert!(
        stray.collection(&name).await.is_err() && stray.scoped_project().await.unwrap().is_empty()
    );
    theirs
        .create_collection(NewCollection { name: "shop".into(), ..NewCollection::default() })
        .await
        .unwrap();
    let again = mine
        .create_collection(NewCollection { name: "shop".into(), ..NewCollection::default() })
        .await;
    assert_eq!(again.unwrap_err().code(), model::Code::NAME_TAKEN);
}

#[tokio::test]
async fn limits_are_kept_and_what_was_too_much_leaves_no_trace() {
    let folder = CollectionFolder::new("limits");
    let mut store = folder.open();
    store.collection_limits = CollectionLimits {
        collections: 1,
        chunks_per_call: 2,
        collection_bytes: 400,
        ..CollectionLimits::default()
    };
    let id = made(&store, "shop").await;
    let second = store
        .create_collection(NewCollection { name: "b".into(), ..NewCollection::default() })
        .await;
    assert_eq!(second.unwrap_err().code(), model::Code::COLLECTION_LIMIT);
    assert!(store.insert_chunks(&id, of_source("a", &[REFUNDS, SHIPPING, HOURS])).await.is_err());
    store.insert_chunks(&id, of_source("a", &[REFUNDS, SHIPPING])).await.unwrap();
    assert_eq!(
        store.insert_chunks(&id, of_source("b", &[HOURS, HOURS])).await.unwrap_err().code(),
        model::Code::COLLECTION_LIMIT
    );
    assert_eq!(
        store.sources(&id).await.unwrap().iter().map(|source| source.n_chunks).collect::<Vec<_>>(),
        [2]
    );
    let page = store.chunks(&id, ChunkQuery { limit: 1, ..ChunkQuery::default() }).await.unwrap();
    let next = store
        .chunks(&id, ChunkQuery { limit: 5, after: Some(page[0].id.clone()), source: None })
        .await
        .unwrap();
    assert_eq!(
        (page[0].document.content.as_str(), next[0].document.content.as_str(), next.len()),
        (REFUNDS.0, SHIPPING.0, 1)
    );
    for name in ["", " ", "a\nb"] {
        assert!(
            store
                .create_collection(NewCollection { name: name.into(), ..NewCollection::default() })
                .await
                .is_err()
        );
    }
}
