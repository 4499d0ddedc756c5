//! The embedding model on this machine.

use model::Kind;
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

pub(crate) struct EmbeddingsLocal;

impl Supplier for EmbeddingsLocal {
    fn spec() -> Spec {
        Spec::new(
            "embeddings-local",
            &[1.0],
            "Embeddings Local",
            "Create embeddings on this machine, without an API key",
        )
        .icon("brain-circuit")
        .group(NodeGroup::Ai)
        .inputs([])
        .outputs([Port::of(Kind::AiEmbedding, "Embeddings")])
        .hint(
            "Connect it to a vector store or a knowledge base. Vectors of different models are \
                 not compatible.",
        )
        .alias(&["vector", "semantic search", "offline", "minilm", "sentence transformers"])
        .note(
            "The model is all-MiniLM-L6-v2: 384 dimensions, best for English. It reads the \
                 first 256 tokens of a text, about 180 words.",
        )
        .note(
            "Download its weights with `heddle models pull all-minilm-l6-v2`. No data leaves \
                 this machine.",
        )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Embedder(ctx.host().local_models().embedder()?))
    }
}
