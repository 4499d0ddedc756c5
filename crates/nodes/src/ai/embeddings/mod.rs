//! Embedding models: what turns texts into vectors.

pub(super) mod embed_texts;
pub(super) mod openai;
pub(super) mod others;

use model::Kind;
use node_api::ai::{Embedder, Supply};
use node_api::prelude::*;
use std::sync::Arc;

/// The description of one of n8n's nodes that supply an embedding model.
fn embedding_spec(node: &str, versions: &[f64], name: &str, credential: &str) -> Spec {
    let id = format!("@n8n/n8n-nodes-langchain.{node}");
    Spec::new(&id, versions, name, "Turn texts into vectors, as n8n does it")
        .group(Group::Ai)
        .inputs([])
        .outputs([Port::of(Kind::AiEmbedding, "Embeddings")])
        .credential(credential, true)
        .hint("Connect it to a vector store; vectors of different models do not go together.")
        .alias(&["vector", "semantic search"])
}

fn model_param(name: &str, default: &str) -> Param {
    Param::text(name, "Model", default).help("The model's name as the provider writes it.")
}

fn supply(embedder: impl Embedder + 'static) -> Supply {
    Supply::Embedder(Arc::new(embedder))
}
