//! The embedding model on this machine.

use model::Kind;
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

pub(crate) struct EmbeddingsLocal;

impl Supplier for EmbeddingsLocal {
    fn spec() -> Spec {
        Spec::new("embeddings-local", &[1.0], "Embeddings Local", "Turn texts into vectors on this machine, with no key")
            .group(NodeGroup::Ai)
            .inputs([])
            .outputs([Port::of(Kind::AiEmbedding, "Embeddings")])
            .hint("Connect it to a vector store or a knowledge base; vectors of different models do not go together.")
            .alias(&["vector", "semantic search", "offline", "minilm", "sentence transformers"])
            .note("The model is all-MiniLM-L6-v2: 384 numbers a vector, best for English. Of a text it reads the first 256 tokens, about 180 words.")
            .note("Its weights are put in place by `heddle models pull all-minilm-l6-v2`; nothing is sent anywhere.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Embedder(ctx.host().local_models().embedder()?))
    }
}
