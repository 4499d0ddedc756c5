//! Vectors in the memory of this process: bounded in size, the longest unused store goes first, and
//! all go with the process.

use super::new_id;
use model::{Object, Str, Value};
use node_api::NodeError;
use node_api::ai::{Document, ScoredDocument, VectorQuery, VectorStore, cosine_similarity};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

#[derive(Clone, Copy, Debug)]
pub struct VectorLimits {
    /// What all stores may take together, in bytes.
    pub bytes: usize,
}

impl Default for VectorLimits {
    fn default() -> Self {
        Self { bytes: 256 << 20 }
    }
}

/// All stores of a process.
pub struct ProcessVectors {
    limits: VectorLimits,
    cache: Mutex<StoreCache>,
}

#[derive(Default)]
struct StoreCache {
    stores: HashMap<Str, StoreEntries>,
    bytes: usize,
    n_uses: u64,
}

#[derive(Default)]
struct StoreEntries {
    entries: Vec<VectorEntry>,
    bytes: usize,
    used: u64,
}

struct VectorEntry {
    id: Str,
    document: Document,
    vector: Vec<f32>,
}

impl ProcessVectors {
    pub fn new(limits: VectorLimits) -> Self {
        Self { limits, cache: Mutex::default() }
    }

    /// Those that the nodes of this process share.
    pub fn shared() -> Arc<Self> {
        static SHARED: OnceLock<Arc<ProcessVectors>> = OnceLock::new();
        SHARED.get_or_init(|| Arc::new(Self::new(VectorLimits::default()))).clone()
    }

    /// The store with a key. Whoever makes the key says who shares it.
    pub fn store(self: &Arc<Self>, key: Str) -> ProcessStore {
        ProcessStore { all: self.clone(), key }
    }

    fn lock_cache(&self) -> MutexGuard<'_, StoreCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One store of a process.
pub struct ProcessStore {
    all: Arc<ProcessVectors>,
    key: Str,
}

impl ProcessStore {
    pub fn clear(&self) {
        let mut kept = self.all.lock_cache();
        let gone = kept.stores.remove(&self.key).map_or(0, |entries| entries.bytes);
        kept.bytes -= gone;
    }
}

#[async_trait::async_trait]
impl VectorStore for ProcessStore {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError> {
        let mut ids = Vec::new();
        let mut new = Vec::new();
        for (document, vector) in documents.into_iter().zip(vectors) {
            let id = new_id()?;
            ids.push(id.clone());
            new.push(VectorEntry { id, document, vector });
        }
        let added: usize = new.iter().map(bytes_of).sum();
        if added > self.all.limits.bytes {
            return Err(NodeError::failed(format!(
                "The documents exceed the memory limit of {} bytes",
                self.all.limits.bytes
            ))
            .hint("Store them in a collection with the Knowledge Base node, or in a database."));
        }
        let mut kept = self.all.lock_cache();
        kept.n_uses += 1;
        let used = kept.n_uses;
        let entries = kept.stores.entry(self.key.clone()).or_default();
        let dimensions =
            entries.entries.first().or(new.first()).map_or(0, |entry| entry.vector.len());
        if let Some(other) =
            new.iter().map(|entry| entry.vector.len()).find(|length| *length != dimensions)
        {
            return Err(NodeError::failed(format!(
                "The store contains vectors with {dimensions} dimensions, but these have {other}"
            ))
            .hint("Use the embedding model that the store was filled with, or clear the store."));
        }
        entries.entries.extend(new);
        entries.bytes += added;
        entries.used = used;
        kept.bytes += added;
        while kept.bytes > self.all.limits.bytes {
            let oldest = kept
                .stores
                .iter()
                .filter(|(key, _)| **key != self.key)
                .min_by_key(|(_, entries)| entries.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                // The store itself is too large: what was there before goes.
                let own =
                    kept.stores.get_mut(&self.key).map_or(0, |entries| drop_oldest(entries, added));
                kept.bytes -= own;
                break;
            };
            let gone = kept.stores.remove(&oldest).map_or(0, |entries| entries.bytes);
            kept.bytes -= gone;
        }
        Ok(ids)
    }

    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let mut kept = self.all.lock_cache();
        kept.n_uses += 1;
        let used = kept.n_uses;
        let Some(entries) = kept.stores.get_mut(&self.key) else { return Ok(Vec::new()) };
        entries.used = used;
        if let Some(other) = entries
            .entries
            .first()
            .map(|entry| entry.vector.len())
            .filter(|length| *length != vector.len())
        {
            return Err(NodeError::failed(format!(
                "The store contains vectors with {other} dimensions, but the query has {}",
                vector.len()
            ))
            .hint("Use the embedding model that the store was filled with."));
        }
        let fits = |entry: &&VectorEntry| has(&entry.document.metadata, &wanted.metadata);
        let mut scored: Vec<(f64, &VectorEntry)> = entries
            .entries
            .iter()
            .filter(fits)
            .map(|entry| (cosine_similarity(vector, &entry.vector), entry))
            .collect();
        scored.retain(|(score, _)| wanted.min_score.is_none_or(|least| *score >= least));
        scored.sort_by(|one, other| other.0.total_cmp(&one.0));
        let found = scored.into_iter().take(wanted.limit);
        Ok(found
            .map(|(score, entry)| ScoredDocument {
                id: entry.id.clone(),
                document: entry.document.clone(),
                score,
            })
            .collect())
    }

    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError> {
        let mut kept = self.all.lock_cache();
        let Some(entries) = kept.stores.get_mut(&self.key) else { return Ok(()) };
        let gone: usize =
            entries.entries.iter().filter(|entry| ids.contains(&entry.id)).map(bytes_of).sum();
        entries.entries.retain(|entry| !ids.contains(&entry.id));
        entries.bytes -= gone;
        kept.bytes -= gone;
        Ok(())
    }
}

/// Drops what was there before the last bytes came, and tells how much that was.
fn drop_oldest(entries: &mut StoreEntries, keep: usize) -> usize {
    let mut gone = 0;
    while entries.bytes - gone > keep && !entries.entries.is_empty() {
        gone += bytes_of(&entries.entries.remove(0));
    }
    entries.bytes -= gone;
    gone
}

fn bytes_of(entry: &VectorEntry) -> usize {
    let metadata = model::json::to_string(&entry.document.metadata.clone().into()).len();
    entry.document.content.len() + metadata + 4 * entry.vector.len() + 128
}

fn has(metadata: &Object, wanted: &Object) -> bool {
    wanted
        .iter()
        .all(|(key, value)| metadata.get(key).is_some_and(|found| text(found) == text(value)))
}

fn text(value: &Value) -> Str {
    match value {
        Value::Object(_) | Value::Array(_) => model::json::to_string(value).into(),
        other => other.to_js_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(contents: &[&str]) -> Vec<Document> {
        contents
            .iter()
            .map(|content| Document {
                content: (*content).into(),
                metadata: Object::from_iter([("of", *content)]),
            })
            .collect()
    }

    async fn contents(store: &ProcessStore, vector: &[f32], wanted: VectorQuery) -> Vec<String> {
        store
            .search(vector, &wanted)
            .await
            .unwrap()
            .into_iter()
            .map(|found| found.document.content.to_string())
            .collect()
    }

    fn most(limit: usize) -> VectorQuery {
        VectorQuery { limit, ..VectorQuery::default() }
    }

    #[tokio::test]
    async fn stores_are_apart_and_find_the_nearest() {
        let all = Arc::new(ProcessVectors::new(VectorLimits::default()));
        let (one, other) = (all.store("a".into()), all.store("b".into()));
        let ids =
            one.insert(documents(&["x", "y"]), vec![vec![1.0, 0.0], vec![0.0, 1.0]]).await.unwrap();
        assert_eq!(contents(&one, &[1.0, 0.5], most(5)).await, ["x", "y"]);
        assert_eq!(contents(&one, &[1.0, 0.5], most(1)).await, ["x"]);
        let only = VectorQuery { metadata: Object::from_iter([("of", "y")]), ..most(5) };
        assert_eq!(contents(&one, &[1.0, 0.5], only).await, ["y"]);
        assert!(contents(&other, &[1.0, 0.5], most(5)).await.is_empty());
        one.delete(&ids[..1]).await.unwrap();
        assert_eq!(contents(&one, &[1.0, 0.5], most(5)).await, ["y"]);
        assert!(one.search(&[1.0], &most(1)).await.is_err());
        assert!(one.insert(documents(&["z"]), vec![vec![1.0]]).await.is_err());
        one.clear();
        assert!(contents(&one, &[1.0, 0.5], most(5)).await.is_empty());
        assert_eq!(all.lock_cache().bytes, 0);
    }

    #[tokio::test]
    async fn memory_is_bounded_and_the_longest_unused_store_goes_first() {
        let all = Arc::new(ProcessVectors::new(VectorLimits { bytes: 1000 }));
        let stores: Vec<ProcessStore> =
            ["a", "b", "c"].into_iter().map(|key| all.store(key.into())).collect();
        let text = "t".repeat(200);
        stores[0].insert(documents(&[&text]), vec![vec![1.0]]).await.unwrap();
        stores[1].insert(documents(&["b"]), vec![vec![1.0]]).await.unwrap();
        assert_eq!(contents(&stores[0], &[1.0], most(1)).await.len(), 1);
        stores[2].insert(documents(&[&text]), vec![vec![1.0]]).await.unwrap();
        assert!(contents(&stores[1], &[1.0], most(1)).await.is_empty());
        for _ in 0..10 {
            stores[2].insert(documents(&[&text]), vec![vec![1.0]]).await.unwrap();
            assert!(all.lock_cache().bytes <= 1000);
        }
        assert!(stores[2].insert(documents(&[&"t".repeat(2000)]), vec![vec![1.0]]).await.is_err());
    }
}
