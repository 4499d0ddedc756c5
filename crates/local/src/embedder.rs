//! The embedding model behind the port that collections and vector stores use.

use crate::library::{Library, LoadedModel};
use crate::registry;
use futures::{StreamExt as _, TryStreamExt as _};
use model::Str;
use ports::NodeError;
use ports::ai::{Embedder, Embeddings, LOCAL_EMBEDDING_MODEL};

/// Texts that one piece of work has: a piece takes about a second at most, and whoever waits can
/// stop waiting after it.
const TEXTS_AT_ONCE: usize = 8;

pub(crate) struct LocalEmbedder {
    pub(crate) library: Library,
}

#[async_trait::async_trait]
impl Embedder for LocalEmbedder {
    fn model(&self) -> &str {
        LOCAL_EMBEDDING_MODEL
    }

    async fn embeddings(&self, texts: &[Str]) -> Result<Embeddings, NodeError> {
        let LoadedModel { model, slots } = self.library.embeddings().await?;
        let pieces: Vec<Vec<Str>> = texts.chunks(TEXTS_AT_ONCE).map(<[Str]>::to_vec).collect();
        let work = pieces.into_iter().map(|texts| {
            let (model, slots) = (model.clone(), slots.clone());
            slots.run(registry::EMBEDDINGS.name, move || {
                texts.iter().map(|text| model.embed(text)).collect::<Vec<_>>()
            })
        });
        let vectors: Vec<Vec<Vec<f32>>> =
            futures::stream::iter(work).buffered(slots.parallelism()).try_collect().await?;
        Ok(Embeddings { vectors: vectors.into_iter().flatten().collect(), tokens: 0 })
    }
}
