//! Embedding models of providers that have a format of their own.

use super::{embedding_spec, model_param, supply};
use crate::ai::models::{access, chosen_model, place};
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::client::{EmbeddingClient, Embeds};
use providers::models::{cohere, gemini, ollama};

pub(crate) struct EmbeddingsGoogleGemini;

impl Supplier for EmbeddingsGoogleGemini {
    fn spec() -> Spec {
        embedding_spec("embeddingsGoogleGemini", &[1.0], "Embeddings Google Gemini", "googlePalmApi")
            .param(model_param("modelName", "models/gemini-embedding-001"))
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        embedder(&ctx, "modelName", "googlePalmApi", "host", gemini::BASE_URL, gemini::Settings::default())
    }
}

pub(crate) struct EmbeddingsOllama;

impl Supplier for EmbeddingsOllama {
    fn spec() -> Spec {
        embedding_spec("embeddingsOllama", &[1.0], "Embeddings Ollama", "ollamaApi").param(model_param("model", "llama3.2"))
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        embedder(&ctx, "model", "ollamaApi", "baseUrl", ollama::BASE_URL, ollama::Settings::default())
    }
}

pub(crate) struct EmbeddingsCohere;

impl Supplier for EmbeddingsCohere {
    fn spec() -> Spec {
        embedding_spec("embeddingsCohere", &[1.0], "Embeddings Cohere", "cohereApi").param(model_param("modelName", "embed-english-v2.0"))
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        embedder(&ctx, "modelName", "cohereApi", "url", cohere::BASE_URL, cohere::Settings::default())
    }
}

fn embedder<P: Embeds>(
    ctx: &SupplyCtx,
    model_param: &str,
    credential: &str,
    url_field: &str,
    base_url: &str,
    settings: P,
) -> Result<Supply, NodeError> {
    let place = place(&ctx.ctx().host().credential(credential, ctx.item())?, url_field, base_url);
    Ok(supply(EmbeddingClient::new(&chosen_model(ctx, model_param)?, settings, place, &access(ctx, &Value::Undefined)?)))
}
