//! Embedding models of providers that have a format of their own.

use super::{embedding_spec, model_param};
use crate::ai::models::{access, chosen_model, endpoint};
use node_api::ai::{Embedder, Supply};
use node_api::prelude::*;
use node_api::{Credential, Supplier, SupplyCtx};
use providers::models::catalog::Catalog;
use providers::models::client::{EmbeddingClient, EmbeddingProvider};
use providers::models::requester::ModelAccess;
use providers::models::{cohere, gemini, ollama};
use std::sync::Arc;

pub(crate) struct EmbeddingsGoogleGemini;

impl Supplier for EmbeddingsGoogleGemini {
    fn spec() -> Spec {
        embedding_spec("embeddingsGoogleGemini", &[1.0], "Embeddings Google Gemini")
            .credential("googlePalmApi", true)
            .param(model_param("modelName", "models/gemini-embedding-001"))
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        supply_of(&ctx, "modelName", "googlePalmApi", gemini)
    }
}

pub(crate) struct EmbeddingsOllama;

impl Supplier for EmbeddingsOllama {
    fn spec() -> Spec {
        embedding_spec("embeddingsOllama", &[1.0], "Embeddings Ollama")
            .credential("ollamaApi", true)
            .param(model_param("model", "llama3.2"))
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        supply_of(&ctx, "model", "ollamaApi", ollama)
    }
}

pub(crate) struct EmbeddingsCohere;

impl Supplier for EmbeddingsCohere {
    fn spec() -> Spec {
        embedding_spec("embeddingsCohere", &[1.0], "Embeddings Cohere")
            .credential("cohereApi", true)
            .param(model_param("modelName", "embed-english-v2.0"))
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        supply_of(&ctx, "modelName", "cohereApi", cohere)
    }
}

pub(super) fn gemini(
    model: &str,
    credential: &Credential,
    access: &ModelAccess,
) -> Arc<dyn Embedder> {
    client(
        "gemini",
        model,
        credential,
        "host",
        gemini::BASE_URL,
        gemini::GeminiSettings::default(),
        access,
    )
}

pub(super) fn ollama(
    model: &str,
    credential: &Credential,
    access: &ModelAccess,
) -> Arc<dyn Embedder> {
    client(
        "ollama",
        model,
        credential,
        "baseUrl",
        ollama::BASE_URL,
        ollama::OllamaSettings::default(),
        access,
    )
}

pub(super) fn cohere(
    model: &str,
    credential: &Credential,
    access: &ModelAccess,
) -> Arc<dyn Embedder> {
    client(
        "cohere",
        model,
        credential,
        "url",
        cohere::BASE_URL,
        cohere::CohereSettings::default(),
        access,
    )
}

fn client<P: EmbeddingProvider>(
    provider: &str,
    model: &str,
    credential: &Credential,
    url_field: &str,
    base_url: &str,
    settings: P,
    access: &ModelAccess,
) -> Arc<dyn Embedder> {
    Arc::new(EmbeddingClient::new(
        Catalog::current().find(provider, model).info,
        settings,
        endpoint(credential, url_field, base_url),
        access,
    ))
}

fn supply_of(
    ctx: &SupplyCtx,
    model_param: &str,
    credential: &str,
    make: fn(&str, &Credential, &ModelAccess) -> Arc<dyn Embedder>,
) -> Result<Supply, NodeError> {
    let credential = ctx.ctx().host().credential(credential, ctx.item())?;
    Ok(Supply::Embedder(make(
        &chosen_model(ctx, model_param)?,
        &credential,
        &access(ctx, &Value::Undefined)?,
    )))
}
