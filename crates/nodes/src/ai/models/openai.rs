//! Models behind OpenAI's format: OpenAI itself, and any server that speaks it.

use super::options::{own_options, own_params};
use super::{access, chosen_model, custom_header, field, model_spec, secret, supply};
use node_api::ai::{ModelOptions, Supply};
use node_api::prelude::*;
use node_api::{Credential, Supplier, SupplyCtx};
use providers::models::catalog::Catalog;
use providers::models::openai::{OpenAiChat, OpenAiSettings};
use providers::models::secret::Secret;

/// The options of S0-12.
pub(super) const OPTIONS: &[&str] = &[
    "topP",
    "frequencyPenalty",
    "presencePenalty",
    "seed",
    "stop",
    "jsonMode",
    "reasoningEffort",
    "timeout",
    "maxRetries",
];

pub(crate) struct OpenAiModel;

impl Supplier for OpenAiModel {
    fn spec() -> Spec {
        model_spec(
            Spec::new("openai-model", &[1.0], "OpenAI Model", "OpenAI chat model").recommended(),
        )
        .credential("openAiApi", true)
        .params(own_params("gpt-4o-mini", 2.0, OPTIONS))
        .hint("Connect it to an agent. Requires an OpenAI API key.")
        .alias(&["gpt", "chatgpt", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let settings = openai_settings(&ctx.ctx().host().credential("openAiApi", ctx.item())?);
        let model = chosen_model(&ctx, "model")?;
        let (options, raw) = own_options(&ctx)?;
        let info = Catalog::current().find("openai", &model).info;
        Ok(supply(OpenAiChat::new(
            info,
            OpenAiSettings { options: with_json_mode(options, &raw), ..settings },
            &access(&ctx, &raw)?,
        )))
    }
}

pub(crate) struct OpenAiCompatibleModel;

impl Supplier for OpenAiCompatibleModel {
    fn spec() -> Spec {
        model_spec(Spec::new(
            "openai-compatible-model",
            &[1.0],
            "OpenAI-compatible Model",
            "Chat model on any OpenAI-compatible server",
        ))
        .params([
            Param::text("baseUrl", "Base URL", "").required().help(
                "Base URL, including /v1, such as https://models.example.com/v1 or \
                 http://localhost:11434/v1.",
            ),
            Param::choice(
                "authentication",
                "Authentication",
                &[("none", "None"), ("openAiApi", "API key")],
            )
            .help("Whether the server requires an API key."),
            Param::flag("supportsTools", "Takes tools", true).help(
                "Whether the model supports native tool calls. If not, tools are described in \
                     the prompt.",
            ),
        ])
        .credential("openAiApi", false)
        .params(own_params("", 2.0, OPTIONS))
        .hint(
            "For vLLM, LM Studio, llama.cpp and others. Private addresses must be allowed with \
             HEDDLE_EGRESS_ALLOW.",
        )
        .alias(&["vllm", "lm studio", "llama.cpp", "local model"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let inner = ctx.ctx();
        let key = match inner.text("authentication", ctx.item())? == "openAiApi" {
            true => secret(&inner.host().credential("openAiApi", ctx.item())?, "apiKey"),
            false => Secret::default(),
        };
        let base_url = inner.text("baseUrl", ctx.item())?;
        if base_url.trim().is_empty() {
            return Err(NodeError::parameter("baseUrl", "The base URL is empty")
                .hint("Enter the URL of the server, including /v1."));
        }
        let model = chosen_model(&ctx, "model")?;
        let (options, raw) = own_options(&ctx)?;
        let mut info = Catalog::current().find("openai-compatible", &model).info;
        info.capabilities.tools = inner.flag("supportsTools", ctx.item())?;
        (info.capabilities.streaming, info.capabilities.sampling) = (true, true);
        let settings = OpenAiSettings {
            options: with_json_mode(options, &raw),
            ..OpenAiSettings::compatible(&base_url, key)
        };
        Ok(supply(OpenAiChat::new(info, settings, &access(&ctx, &raw)?)))
    }
}

/// The server and the key of a credential of OpenAI's kind.
pub(in crate::ai) fn openai_settings(credential: &Credential) -> OpenAiSettings {
    let mut settings = OpenAiSettings::openai(secret(credential, "apiKey"));
    let url = field(credential, "url");
    if !url.trim().is_empty() {
        settings.base_url = url;
    }
    settings.organization =
        Some(field(credential, "organizationId").into()).filter(|id: &Str| !id.is_empty());
    settings.headers.extend(custom_header(credential));
    settings
}

/// With a JSON object asked for where the options say so.
pub(super) fn with_json_mode(options: ModelOptions, raw: &Value) -> ModelOptions {
    let wants_json = raw.get("jsonMode").is_some_and(Value::is_truthy)
        || raw.get("responseFormat").and_then(Value::as_str) == Some("json_object");
    let extra = wants_json
        .then(|| json!({ "response_format": { "type": "json_object" } }))
        .or(options.extra);
    ModelOptions { extra, ..options }
}
