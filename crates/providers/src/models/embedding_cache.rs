//! Vectors of texts that were asked for a short while ago: the same request gives the same vector
//! and is not paid for twice.

use super::failure::node_error;
use super::wire::WireRequest;
use aws_lc_rs::digest::{Context, SHA256};
use model::Str;
use node_api::NodeError;
use node_api::ai::{Embeddings, ModelError};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// What the newer half of the cache may take; there are two halves at most.
const MAX_BYTES: usize = 16 << 20;

/// A hash of all that goes to the provider, its address and key included: whoever has another key
/// asks for themselves.
type CacheKey = [u8; 32];

static CACHE: LazyLock<Mutex<EmbeddingCache>> = LazyLock::new(Mutex::default);

/// Vectors in two halves: once the newer one is full it becomes the older one, which is dropped.
#[derive(Default)]
struct EmbeddingCache {
    newer: HashMap<CacheKey, Vec<f32>>,
    older: HashMap<CacheKey, Vec<f32>>,
    newer_bytes: usize,
}

impl EmbeddingCache {
    fn get(&mut self, key: &CacheKey) -> Option<Vec<f32>> {
        if let Some(vector) = self.newer.get(key) {
            return Some(vector.clone());
        }
        let vector = self.older.remove(key)?;
        self.put(*key, vector.clone());
        Some(vector)
    }

    fn put(&mut self, key: CacheKey, vector: Vec<f32>) {
        let bytes = size_of::<CacheKey>() + size_of_val(vector.as_slice());
        if self.newer_bytes + bytes > MAX_BYTES {
            self.older = std::mem::take(&mut self.newer);
            self.newer_bytes = 0;
        }
        self.newer_bytes += bytes;
        self.newer.insert(key, vector);
    }
}

/// The key of a request for one text.
fn key_of(request: &WireRequest) -> CacheKey {
    let mut hash = Context::new(&SHA256);
    let mut add = |part: &[u8]| {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(request.url.as_bytes());
    for (name, value) in &request.headers {
        add(name.as_bytes());
        add(value.as_bytes());
    }
    add(request.body.as_deref().unwrap_or_default());
    // Where requests are signed, nothing in them tells whose they are until they are sent.
    for secret in request.signer.iter().flat_map(|signer| signer.secrets()) {
        add(secret.reveal().as_bytes());
    }
    let mut key = CacheKey::default();
    key.copy_from_slice(hash.finish().as_ref());
    key
}

/// A model that takes several texts in one request. Implemented by the clients of providers.
#[async_trait::async_trait]
pub(super) trait BatchEmbedder: Sync {
    fn request(&self, texts: &[Str]) -> Result<WireRequest, ModelError>;
    async fn embed_batch(&self, texts: &[Str]) -> Result<Embeddings, ModelError>;
}

/// The vectors of texts, from the cache or in requests of so many texts.
pub(super) async fn embed_cached(
    embedder: &dyn BatchEmbedder,
    texts: &[Str],
    batch: usize,
) -> Result<Embeddings, NodeError> {
    let key = |text: &Str| embedder.request(std::slice::from_ref(text)).map(|one| key_of(&one));
    let keys: Result<Vec<_>, _> = texts.iter().map(key).collect();
    cached(texts, &keys.map_err(node_error)?, async |missing| {
        let mut all = Embeddings::default();
        for batch in missing.chunks(batch.max(1)) {
            all.extend(embedder.embed_batch(batch).await.map_err(node_error)?);
        }
        Ok(all)
    })
    .await
}

/// The vectors of texts with these keys. Those that are not known are fetched, once each.
async fn cached(
    texts: &[Str],
    keys: &[CacheKey],
    fetch: impl AsyncFnOnce(&[Str]) -> Result<Embeddings, NodeError>,
) -> Result<Embeddings, NodeError> {
    let mut vectors: Vec<Option<Vec<f32>>> = {
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| cache.get(key)).collect()
    };
    let mut places: HashMap<CacheKey, usize> = HashMap::new();
    let mut missing = Vec::new();
    for ((text, key), vector) in texts.iter().zip(keys).zip(&vectors) {
        if vector.is_none() && !places.contains_key(key) {
            places.insert(*key, missing.len());
            missing.push(text.clone());
        }
    }
    if missing.is_empty() {
        return Ok(Embeddings { vectors: vectors.into_iter().flatten().collect(), tokens: 0 });
    }
    let fetched = fetch(&missing).await?;
    for (key, vector) in keys.iter().zip(&mut vectors) {
        if vector.is_none() {
            *vector = places.get(key).and_then(|place| fetched.vectors.get(*place)).cloned();
        }
    }
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    for (key, place) in places {
        if let Some(vector) = fetched.vectors.get(place) {
            cache.put(key, vector.clone());
        }
    }
    Ok(Embeddings { vectors: vectors.into_iter().flatten().collect(), tokens: fetched.tokens })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> CacheKey {
        let mut key = CacheKey::default();
        key[..8].copy_from_slice(&number.to_le_bytes());
        // Other tests of this process have keys of their own.
        key[31] = 0xee;
        key
    }

    #[tokio::test]
    async fn issue_17_01_a_text_is_asked_for_and_paid_for_once() {
        let made = |texts: &[Str]| Embeddings {
            vectors: texts.iter().map(|text| vec![text.len() as f32]).collect(),
            tokens: texts.len() as u64,
        };
        let texts: Vec<Str> = ["a", "bb", "a"].map(Str::from).into();
        let keys = [key(1), key(2), key(1)];
        let first = cached(&texts, &keys, async |missing| {
            assert_eq!(missing.len(), 2, "the same text twice is one");
            Ok(made(missing))
        });
        let first = first.await.unwrap();
        assert_eq!((first.vectors, first.tokens), (vec![vec![1.0], vec![2.0], vec![1.0]], 2));
        let (texts, keys) = ([texts[1].clone(), "ccc".into()], [key(2), key(3)]);
        let second = cached(&texts, &keys, async |missing| {
            assert_eq!(missing, ["ccc"]);
            Ok(made(missing))
        });
        let second = second.await.unwrap();
        assert_eq!((second.vectors, second.tokens), (vec![vec![2.0], vec![3.0]], 1));
    }

    #[test]
    fn the_cache_stays_within_its_limit_and_keeps_what_is_used() {
        let mut cache = EmbeddingCache::default();
        cache.put(key(0), vec![0.0; 1024]);
        for number in 1..20_000 {
            cache.put(key(number), vec![0.0; 1024]);
            assert!(cache.get(&key(0)).is_some(), "{number}");
        }
        let count = cache.newer.len() + cache.older.len();
        assert!(count * 4096 <= 2 * MAX_BYTES, "{count}");
    }
}
