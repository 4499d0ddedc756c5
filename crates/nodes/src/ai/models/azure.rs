//! Models of OpenAI on Azure, where a model is the name of a deployment.

use super::openai::{OPTIONS, with_json_mode};
use super::options::{collection, own_options, own_params, read};
use super::{access, chosen_model, field, model_spec, secret, supply};
use node_api::ai::{ModelInfo, Supply};
use node_api::prelude::*;
use node_api::{Credential, Supplier, SupplyCtx};
use providers::models::catalog::Catalog;
use providers::models::openai::{OpenAiAuth, OpenAiChat, OpenAiSettings};

pub(crate) struct AzureOpenAiModel;

impl Supplier for AzureOpenAiModel {
    fn spec() -> Spec {
        model_spec(
            Spec::new(
                "azure-openai-model",
                &[1.0],
                "Azure OpenAI Model",
                "Azure OpenAI chat model",
            )
            .recommended(),
        )
        .credential("azureOpenAiApi", true)
        .params(own_params("", 2.0, OPTIONS))
        .hint("The model is the name of an Azure deployment.")
        .alias(&["gpt", "microsoft", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let settings = azure_settings(&ctx.ctx().host().credential("azureOpenAiApi", ctx.item())?)?;
        let model = chosen_model(&ctx, "model")?;
        let (options, raw) = own_options(&ctx)?;
        let settings = OpenAiSettings { options: with_json_mode(options, &raw), ..settings };
        Ok(supply(OpenAiChat::new(deployment(&model), settings, &access(&ctx, &raw)?)))
    }
}

pub(crate) struct LmChatAzureOpenAi;

impl Supplier for LmChatAzureOpenAi {
    fn spec() -> Spec {
        let options = [
            "frequencyPenalty",
            "maxTokens",
            "responseFormat",
            "presencePenalty",
            "temperature",
            "timeout",
            "maxRetries",
            "topP",
        ];
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.lmChatAzureOpenAi",
            &[1.0],
            "Azure OpenAI Chat Model",
            "Azure OpenAI chat model, compatible with n8n",
        )
        .compatible();
        model_spec(spec)
            .credential("azureOpenAiApi", true)
            .params([
                Param::choice("authentication", "Authentication", &[("azureOpenAiApi", "API key")])
                    .help("How to send the API key."),
                Param::text("model", "Model (deployment)", "")
                    .required()
                    .help("Name of the Azure deployment."),
                collection(&options),
            ])
            .differs("Entra sign-in is not supported. Use an API key.")
            .hint("The model is the name of an Azure deployment.")
            .alias(&["gpt", "microsoft", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let settings = azure_settings(&ctx.ctx().host().credential("azureOpenAiApi", ctx.item())?)?;
        let model = chosen_model(&ctx, "model")?;
        let raw = ctx.ctx().param("options", ctx.item())?;
        let settings = OpenAiSettings { options: with_json_mode(read(&raw), &raw), ..settings };
        Ok(supply(OpenAiChat::new(deployment(&model), settings, &access(&ctx, &raw)?)))
    }
}

/// A deployment is often called like its model; then what is known of that holds.
pub(in crate::ai) fn deployment(name: &str) -> ModelInfo {
    let catalog = Catalog::current();
    let mut info = match catalog.find("openai", name) {
        known if known.info.price.is_some() => known.info,
        _ => catalog.find("azure", name).info,
    };
    info.model = name.into();
    info
}

/// The resource and the key of a credential: an endpoint or the name of the resource, and for the
/// older surface its date.
pub(in crate::ai) fn azure_settings(credential: &Credential) -> Result<OpenAiSettings, NodeError> {
    let auth = OpenAiAuth::ApiKey(secret(credential, "apiKey"));
    let endpoint = match (field(credential, "endpoint"), field(credential, "resourceName")) {
        (endpoint, _) if !endpoint.trim().is_empty() => endpoint,
        (_, name) if !name.trim().is_empty() => format!("https://{}.openai.azure.com", name.trim()),
        _ => {
            return Err(NodeError::failed(
                "The credential has neither an endpoint nor a resource name",
            ));
        }
    };
    Ok(match field(credential, "apiVersion").trim() {
        "" | "v1" | "preview" => OpenAiSettings::azure(&endpoint, auth),
        version => OpenAiSettings::azure_dated(&endpoint, version, auth),
    })
}
