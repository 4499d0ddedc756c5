//! Collections that Heddle keeps, as the nodes use them: named by a person, searched and filled
//! with an embedding model.

use crate::ai::embeddings::embedder_of;
use crate::ai::sub_nodes;
use model::Kind;
use node_api::ai::{
    Document, Embedder, LOCAL_EMBEDDING_MODEL, ScoredDocument, VectorQuery, VectorStore,
};
use node_api::collections::{
    ChunkSearch, ChunkSelection, Collection, CollectionError, CollectionName, Collections,
    NewChunks, NewCollection,
};
use node_api::prelude::*;
use std::sync::Arc;

/// A collection with the model of its vectors.
#[derive(Clone)]
pub(super) struct EmbeddedCollection {
    pub(super) collections: Arc<dyn Collections>,
    pub(super) id: Str,
    pub(super) embedder: Arc<dyn Embedder>,
}

impl EmbeddedCollection {
    pub(super) async fn find(
        &self,
        question: &str,
        wanted: VectorQuery,
        is_hybrid: bool,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let vectors = self.embedder.embed(&[question.into()]).await?;
        let vector = vectors
            .into_iter()
            .next()
            .ok_or_else(|| NodeError::failed("The embedding model returned no vector"))?;
        let words = is_hybrid.then(|| Str::from(question));
        Ok(self
            .collections
            .search_chunks(
                &self.id,
                ChunkSearch { model: self.embedder.model().into(), vector, query: wanted, words },
            )
            .await?)
    }
}

#[async_trait::async_trait]
impl VectorStore for EmbeddedCollection {
    async fn insert(
        &self,
        documents: Vec<Document>,
        vectors: Vec<Vec<f32>>,
    ) -> Result<Vec<Str>, NodeError> {
        let model = self.embedder.model().into();
        let new =
            NewChunks { model, source: Str::new(), replaces_source: false, documents, vectors };
        Ok(self.collections.insert_chunks(&self.id, new).await?)
    }

    async fn search(
        &self,
        vector: &[f32],
        wanted: &VectorQuery,
    ) -> Result<Vec<ScoredDocument>, NodeError> {
        let question = ChunkSearch {
            model: self.embedder.model().into(),
            vector: vector.to_vec(),
            query: wanted.clone(),
            words: None,
        };
        Ok(self.collections.search_chunks(&self.id, question).await?)
    }

    async fn delete(&self, ids: &[Str]) -> Result<(), NodeError> {
        Ok(self
            .collections
            .delete_chunks(&self.id, ChunkSelection::Ids(ids.to_vec()))
            .await
            .map(drop)?)
    }
}

/// What happens when there is no collection of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum IfMissing {
    Fail,
    Make,
}

/// The collection that is named, by its name or its id.
pub(super) async fn collection(
    ctx: &Ctx<'_>,
    item: usize,
    if_missing: IfMissing,
) -> Result<(Arc<dyn Collections>, Collection), NodeError> {
    let named = ctx.param("collection", item)?;
    let name = Str::from(named.get("value").unwrap_or(&named).to_js_string().trim());
    if name.is_empty() || named.is_nullish() {
        return Err(NodeError::parameter("collection", "No collection is selected").on_item(item));
    }
    let collections = ctx.host().collections();
    let found = match collections.collection(&CollectionName::Name(name.clone())).await {
        Err(CollectionError::NoCollection { .. }) => {
            match collections.collection(&CollectionName::Id(name.clone())).await {
                Err(CollectionError::NoCollection { .. }) if if_missing == IfMissing::Make => {
                    find_or_create(collections.as_ref(), name.clone()).await
                }
                // Whoever looks for it knows the name, not the id.
                Err(CollectionError::NoCollection { .. }) => Err(CollectionError::NoCollection {
                    name: format!("named '{}'", name.chars().take(100).collect::<String>()).into(),
                }),
                other => other,
            }
        }
        other => other,
    };
    Ok((collections, found?))
}

/// Two runs may make it at once; either will do.
async fn find_or_create(
    collections: &dyn Collections,
    name: Str,
) -> Result<Collection, CollectionError> {
    match collections
        .create_collection(NewCollection { name: name.clone(), ..NewCollection::default() })
        .await
    {
        Err(CollectionError::Taken { .. }) => {
            collections.collection(&CollectionName::Name(name)).await
        }
        other => other,
    }
}

/// The embedding model that is connected, or else the one that the collection was filled with, that
/// the credential pays for, or that is on this machine.
pub(super) async fn embedder(
    inner: &Ctx<'_>,
    item: usize,
    collection: &Collection,
) -> Result<Arc<dyn Embedder>, NodeError> {
    let host = inner.host();
    if !host.supplies(Kind::AiEmbedding, item).await?.is_empty() {
        return sub_nodes::embedder(inner, item).await;
    }
    if collection.model.as_deref() == Some(LOCAL_EMBEDDING_MODEL) {
        return host.local_models().embedder();
    }
    let credential = match host.credential("openAiApi", item) {
        Ok(credential) => credential,
        Err(error) => {
            // A credential that somebody chose and that cannot be had is no reason to fill a
            // collection with other vectors.
            let local = (!host.has_credential("openAiApi") && collection.uses_local_embeddings())
                .then(|| host.local_models().embedder());
            return local.and_then(Result::ok).ok_or_else(|| {
                NodeError::credential("No embedding model is connected and no credential is chosen")
                    .describe(error.message().clone())
                    .hint(
                        "Connect an embeddings node, choose an OpenAI credential, or ask an \
                         administrator to download the built-in model in Settings.",
                    )
            });
        }
    };
    let model = inner.text("embeddingModel", item)?;
    let http = host
        .shared_http()
        .ok_or_else(|| NodeError::failed("HTTP access to models is not available"))?;
    embedder_of("openAiApi", &credential, Some(&model).filter(|model| !model.is_empty()), http)
}

pub(super) fn collection_param() -> Param {
    Param::text("collection", "Collection", "").required().help("Name or ID of the collection.")
}

pub(super) fn model_param() -> Param {
    let models = [
        ("text-embedding-3-small", "Text Embedding 3 Small"),
        ("text-embedding-3-large", "Text Embedding 3 Large"),
        ("text-embedding-ada-002", "Text Embedding Ada 002"),
    ];
    Param::choice("embeddingModel", "Embedding model", &models).help(
        "OpenAI model to use with the credential. A connected embeddings node takes precedence. \
             Without either, the built-in model is used.",
    )
}
