//! Models of Anthropic: the node of our own and n8n's.

use super::options::{collection, own_options, own_params, read};
use super::{access, chosen_model, endpoint, field, known_or_open, model_spec, supply};
use node_api::ai::{ModelOptions, Supply};
use node_api::prelude::*;
use node_api::{Credential, Supplier, SupplyCtx};
use providers::models::anthropic::{
    Anthropic, AnthropicSettings, BASE_URL, OLD_VERSION, PromptCache, Thinking,
};
use providers::models::catalog::{Catalog, CatalogModel};

/// The longest answer of n8n's node where it says nothing and the model's own limit is not known.
const MAX_TOKENS: u64 = 4_096;

pub(crate) struct AnthropicModel;

impl Supplier for AnthropicModel {
    fn spec() -> Spec {
        let caches = [("off", "Off"), ("5m", "Five minutes"), ("1h", "One hour")];
        model_spec(
            Spec::new("anthropic-model", &[1.0], "Anthropic Model", "Anthropic chat model")
                .recommended(),
        )
        .credential("anthropicApi", true)
        .params(own_params(
            "claude-3-5-sonnet-20241022",
            1.0,
            &[
                "topP",
                "topK",
                "stop",
                "reasoningEffort",
                "thinking",
                "thinkingBudget",
                "timeout",
                "maxRetries",
            ],
        ))
        .param(Param::choice("promptCache", "Prompt cache", &caches).help(
            "How long the provider caches the beginning of a conversation, so that it \
                         costs less to read again.",
        ))
        .hint("Connect it to an agent. Requires an Anthropic API key.")
        .alias(&["claude", "sonnet", "opus", "haiku", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (options, raw) = own_options(&ctx)?;
        let cache = match ctx.ctx().text("promptCache", ctx.item())?.as_str() {
            "5m" => PromptCache::FiveMinutes,
            "1h" => PromptCache::OneHour,
            _ => PromptCache::Off,
        };
        let known = Catalog::current().find("anthropic", &chosen_model(&ctx, "model")?);
        client(&ctx, known, options, &raw, cache)
    }
}

pub(crate) struct LmChatAnthropic;

impl Supplier for LmChatAnthropic {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.lmChatAnthropic",
            &[1.0, 1.1, 1.2, 1.3, 1.4, 1.5],
            "Anthropic Chat Model",
            "Anthropic chat model, compatible with n8n",
        )
        .compatible();
        let named = |default: &str| {
            Param::text("model", "Model", default).help("Model name as used by the provider.")
        };
        let newest = json!({ "__rl": true, "mode": "list", "value": "claude-sonnet-4-5-20250929", "cachedResultName": "Claude Sonnet 4.5" });
        model_spec(spec)
            .credential("anthropicApi", true)
            .params([
                named("claude-2").versions(&[1.0]),
                named("claude-3-sonnet-20240229").versions(&[1.1]),
                named("claude-3-5-sonnet-20240620").versions(&[1.2]),
                Param::locator("model", "Model", &["list", "id"])
                    .preset(newest)
                    .since(1.3)
                    .help("From the list, or by ID."),
                collection(&[
                    "maxTokensToSample",
                    "temperature",
                    "topK",
                    "topP",
                    "thinking",
                    "thinkingBudget",
                ]),
            ])
            .hint("Connect it to an agent or a chain. Requires an Anthropic API key.")
            .alias(&["claude", "sonnet", "opus", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let raw = ctx.ctx().param("options", ctx.item())?;
        let known = known_or_open("anthropic", &chosen_model(&ctx, "model")?);
        client(&ctx, known, read(&raw), &raw, PromptCache::Off)
    }
}

fn client(
    ctx: &SupplyCtx,
    known: CatalogModel,
    options: ModelOptions,
    raw: &Value,
    cache: PromptCache,
) -> Result<Supply, NodeError> {
    let credential = ctx.ctx().host().credential("anthropicApi", ctx.item())?;
    let mut settings = settings(&credential, &known, options, raw);
    settings.cache = cache;
    let place = endpoint(&credential, "url", BASE_URL);
    Ok(supply(Anthropic::new(known.info, settings, place, &access(ctx, raw)?)))
}

/// How a model is asked, as its options and the credential say.
pub(in crate::ai) fn settings(
    credential: &Credential,
    known: &CatalogModel,
    mut options: ModelOptions,
    raw: &Value,
) -> AnthropicSettings {
    let thinks = raw.get("thinking").is_some_and(Value::is_truthy);
    let budget = raw.get("thinkingBudget").and_then(Value::as_f64).unwrap_or(1_024.0).max(1_024.0);
    if options.max_tokens.is_none() && known.info.capabilities.max_output.is_none() {
        options.max_tokens = Some(MAX_TOKENS);
    }
    let samples =
        options.temperature.is_some() || options.top_p.is_some() || options.top_k.is_some();
    let traits = known.traits.clone();
    let mut settings = AnthropicSettings { options, traits, ..AnthropicSettings::default() };
    settings.thinking = if thinks { Thinking::Budget(budget as u64) } else { Thinking::ByDefault };
    match field(credential, "version") {
        version if !version.trim().is_empty() => settings.version = version.trim().into(),
        // Only the older version of the API knows sampling.
        _ if samples && known.info.capabilities.sampling => settings.version = OLD_VERSION.into(),
        _ => {}
    }
    settings
}
