//! Embedding models behind OpenAI's format.

use super::{embedding_spec, model_param, supply};
use crate::ai::models::azure::{azure_settings, deployment};
use crate::ai::models::openai::openai_settings;
use crate::ai::models::{access, chosen_model, field, secret};
use node_api::ai::{ModelInfo, Supply};
use node_api::prelude::*;
use node_api::{Credential, Supplier, SupplyCtx};
use providers::models::catalog::Catalog;
use providers::models::openai::{OpenAiEmbedder, OpenAiSettings};

pub(crate) struct EmbeddingsOpenAi;

impl Supplier for EmbeddingsOpenAi {
    fn spec() -> Spec {
        embedding_spec("embeddingsOpenAi", &[1.0, 1.1, 1.2], "Embeddings OpenAI")
            .credential("openAiApi", true)
            .params([
                model_param("model", "text-embedding-ada-002").versions(&[1.0]),
                model_param("model", "text-embedding-3-small").since(1.1),
                options(&["dimensions", "baseURL", "batchSize", "stripNewLines", "timeout"]),
            ])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let mut settings = openai_settings(&ctx.ctx().host().credential("openAiApi", ctx.item())?);
        let raw = ctx.ctx().param("options", ctx.item())?;
        if let Some(url) =
            raw.get("baseURL").and_then(Value::as_str).filter(|url| !url.trim().is_empty())
        {
            settings.base_url = url.to_owned();
        }
        embedder(&ctx, settings, &raw, |model| Catalog::current().find("openai", model).info)
    }
}

pub(crate) struct EmbeddingsAzureOpenAi;

impl Supplier for EmbeddingsAzureOpenAi {
    fn spec() -> Spec {
        embedding_spec("embeddingsAzureOpenAi", &[1.0], "Embeddings Azure OpenAI")
            .credential("azureOpenAiApi", true)
            .params([
                Param::text("model", "Model (deployment)", "")
                    .required()
                    .help("Name of the Azure deployment."),
                options(&["batchSize", "stripNewLines", "timeout", "dimensions"]),
            ])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let settings = azure_settings(&ctx.ctx().host().credential("azureOpenAiApi", ctx.item())?)?;
        let raw = ctx.ctx().param("options", ctx.item())?;
        embedder(&ctx, settings, &raw, deployment)
    }
}

pub(crate) struct EmbeddingsMistralCloud;

impl Supplier for EmbeddingsMistralCloud {
    fn spec() -> Spec {
        embedding_spec("embeddingsMistralCloud", &[1.0], "Embeddings Mistral Cloud")
            .credential("mistralCloudApi", true)
            .params([
                model_param("model", "mistral-embed"),
                options(&["batchSize", "stripNewLines"]),
            ])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let credential = ctx.ctx().host().credential("mistralCloudApi", ctx.item())?;
        let raw = ctx.ctx().param("options", ctx.item())?;
        embedder(&ctx, mistral_settings(&credential), &raw, |model| {
            Catalog::current().find("mistral", model).info
        })
    }
}

pub(super) fn mistral_settings(credential: &Credential) -> OpenAiSettings {
    let url = field(credential, "url");
    let base_url = if url.trim().is_empty() { "https://api.mistral.ai/v1" } else { &url };
    OpenAiSettings::compatible(base_url, secret(credential, "apiKey"))
}

fn embedder(
    ctx: &SupplyCtx,
    settings: OpenAiSettings,
    raw: &Value,
    known: impl Fn(&str) -> ModelInfo,
) -> Result<Supply, NodeError> {
    let mut access = access(ctx, &Value::Undefined)?;
    let count = |name: &str| raw.get(name).and_then(Value::as_f64).filter(|number| *number >= 1.0);
    // Here, and nowhere else, the time is in seconds.
    if let Some(seconds) = count("timeout") {
        access.limits.whole_ms = (seconds * 1_000.0) as u64;
    }
    let mut embedder = OpenAiEmbedder::new(known(&chosen_model(ctx, "model")?), settings, &access);
    embedder.dimensions = count("dimensions").map(|number| number as u64);
    embedder.batch = count("batchSize").map_or(embedder.batch, |number| number as usize);
    embedder.strips_new_lines = raw.get("stripNewLines").is_none_or(Value::is_truthy);
    Ok(supply(embedder))
}

fn options(names: &[&str]) -> Param {
    let option = |name: &&str| match *name {
        "dimensions" => Param::number(name, "Dimensions", Value::Null)
            .help("Number of dimensions, for models that support it."),
        "baseURL" => Param::text(name, "Base URL", "https://api.openai.com/v1")
            .help("URL of another OpenAI-compatible server."),
        "batchSize" => Param::number(name, "Batch size", 512)
            .between(1.0, 2048.0)
            .help("Maximum number of texts per request."),
        "stripNewLines" => Param::flag(name, "Strip new lines", true)
            .help("Whether to replace new lines with spaces."),
        _ => Param::number(name, "Timeout", -1)
            .help("Request timeout in seconds. -1 uses the default."),
    };
    Param::collection("options", "Options", names.iter().map(option)).help("Request options.")
}
