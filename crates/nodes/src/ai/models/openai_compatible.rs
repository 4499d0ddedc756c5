//! Providers that speak OpenAI's format: each is a row of data.

use super::openai::with_json_mode;
use super::options::{collection, read, split_list};
use super::{access, chosen_model, field, model_spec, secret, supply};
use node_api::ai::{ModelOptions, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::catalog::Catalog;
use providers::models::openai::{OpenAiChat, OpenAiSettings};
use std::marker::PhantomData;

/// What tells one provider from the others.
pub(crate) struct VendorSpec {
    /// The end of n8n's type.
    node: &'static str,
    name: &'static str,
    /// In the catalogue.
    provider: &'static str,
    credential: &'static str,
    base_url: &'static str,
    default_model: &'static str,
    options: &'static [&'static str],
    /// Whether the server wants to be asked for the usage of a stream; one that does not know the
    /// field refuses it.
    asks_for_usage: bool,
    /// Options that only this provider has, as fields of the request.
    extra_fields: fn(&Value, &mut ModelOptions) -> Object,
}

/// A provider as a type.
pub(crate) trait Vendor: 'static {
    const SPEC: VendorSpec;
}

const ALL_OPTIONS: &[&str] = &[
    "frequencyPenalty",
    "maxTokens",
    "responseFormat",
    "presencePenalty",
    "temperature",
    "timeout",
    "maxRetries",
    "topP",
];

pub(crate) struct OpenRouter;

impl Vendor for OpenRouter {
    const SPEC: VendorSpec = VendorSpec {
        node: "lmChatOpenRouter",
        name: "OpenRouter Chat Model",
        provider: "openrouter",
        credential: "openRouterApi",
        base_url: "https://openrouter.ai/api/v1",
        default_model: "openai/gpt-4.1-mini",
        options: ALL_OPTIONS,
        asks_for_usage: true,
        extra_fields: provider_routing,
    };
}

pub(crate) struct Groq;

impl Vendor for Groq {
    const SPEC: VendorSpec = VendorSpec {
        node: "lmChatGroq",
        name: "Groq Chat Model",
        provider: "groq",
        credential: "groqApi",
        base_url: "https://api.groq.com/openai/v1",
        default_model: "llama3-8b-8192",
        options: &["maxTokensToSample", "temperature"],
        asks_for_usage: true,
        extra_fields: no_extra_fields,
    };
}

pub(crate) struct DeepSeek;

impl Vendor for DeepSeek {
    const SPEC: VendorSpec = VendorSpec {
        node: "lmChatDeepSeek",
        name: "DeepSeek Chat Model",
        provider: "deepseek",
        credential: "deepSeekApi",
        base_url: "https://api.deepseek.com",
        default_model: "deepseek-chat",
        options: ALL_OPTIONS,
        asks_for_usage: true,
        extra_fields: no_extra_fields,
    };
}

pub(crate) struct XAi;

impl Vendor for XAi {
    const SPEC: VendorSpec = VendorSpec {
        node: "lmChatXAiGrok",
        name: "xAI Grok Chat Model",
        provider: "xai",
        credential: "xAiApi",
        base_url: "https://api.x.ai/v1",
        default_model: "grok-2-vision-1212",
        options: &[
            "frequencyPenalty",
            "maxTokens",
            "responseFormat",
            "presencePenalty",
            "temperature",
            "timeout",
            "maxRetries",
            "topP",
            "priority",
            "reasoning",
        ],
        asks_for_usage: false,
        extra_fields: xai_fields,
    };
}

pub(crate) struct Mistral;

impl Vendor for Mistral {
    const SPEC: VendorSpec = VendorSpec {
        node: "lmChatMistralCloud",
        name: "Mistral Cloud Chat Model",
        provider: "mistral",
        credential: "mistralCloudApi",
        base_url: "https://api.mistral.ai/v1",
        default_model: "mistral-small",
        options: &["maxTokens", "temperature", "maxRetries", "topP", "safeMode", "randomSeed"],
        asks_for_usage: false,
        extra_fields: mistral_fields,
    };
}

/// The node of a provider.
pub(crate) struct VendorChatModel<V>(PhantomData<V>);

impl<V: Vendor> Supplier for VendorChatModel<V> {
    fn spec() -> Spec {
        let row = V::SPEC;
        let id = format!("@n8n/n8n-nodes-langchain.{}", row.node);
        model_spec(Spec::new(
            &id,
            &[1.0],
            row.name,
            "Chat model of an OpenAI-compatible provider, compatible with n8n",
        ))
        .credential(row.credential, true)
        .params([
            Param::text("model", "Model", row.default_model)
                .help("Model name as used by the provider."),
            collection(row.options),
        ])
        .hint("Connect it to an agent or a chain. Requires the provider's API key.")
        .alias(&["llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let row = V::SPEC;
        let credential = ctx.ctx().host().credential(row.credential, ctx.item())?;
        let raw = ctx.ctx().param("options", ctx.item())?;
        let mut options = with_json_mode(read(&raw), &raw);
        let own = (row.extra_fields)(&raw, &mut options);
        if !own.is_empty() {
            options.extra.get_or_insert_with(Value::empty_object).make_object().extend(own);
        }
        let url = field(&credential, "url");
        let base_url = if url.trim().is_empty() { row.base_url } else { &url };
        let settings = OpenAiSettings::compatible(base_url, secret(&credential, "apiKey"));
        let settings = OpenAiSettings { options, usage_in_streams: row.asks_for_usage, ..settings };
        let info = Catalog::current().find(row.provider, &chosen_model(&ctx, "model")?).info;
        Ok(supply(OpenAiChat::new(info, settings, &access(&ctx, &raw)?)))
    }
}

fn no_extra_fields(_raw: &Value, _options: &mut ModelOptions) -> Object {
    Object::new()
}

/// xAI thinks as long as it is told, and some requests go first.
fn xai_fields(raw: &Value, options: &mut ModelOptions) -> Object {
    if let Some(effort) =
        raw.get("reasoning").and_then(Value::as_str).filter(|effort| !effort.is_empty())
    {
        options.effort = Some(effort.into());
    }
    match raw.get("priority").is_some_and(Value::is_truthy) {
        true => Object::from_iter([("service_tier", "priority")]),
        false => Object::new(),
    }
}

/// Mistral calls the seed otherwise and has a prompt of its own for safety.
fn mistral_fields(raw: &Value, options: &mut ModelOptions) -> Object {
    let mut fields = Object::new();
    if let Some(seed) = options.seed.take() {
        fields.insert("random_seed", seed);
    }
    if raw.get("safeMode").is_some_and(Value::is_truthy) {
        fields.insert("safe_prompt", true);
    }
    fields
}

/// Which of the providers behind OpenRouter may answer.
fn provider_routing(raw: &Value, _options: &mut ModelOptions) -> Object {
    let routing = raw.get("providerRouting").cloned().unwrap_or_default();
    let mut provider = Object::new();
    for (name, key) in [("order", "order"), ("only", "only"), ("ignore", "ignore")] {
        let list: Vec<Value> =
            split_list(routing.get(name).and_then(Value::as_str).unwrap_or_default())
                .map(Value::from)
                .collect();
        if !list.is_empty() {
            provider.insert(key, list);
        }
    }
    let plain = [
        ("allowFallbacks", "allow_fallbacks"),
        ("requireParameters", "require_parameters"),
        ("dataCollection", "data_collection"),
        ("zdr", "zdr"),
        ("sort", "sort"),
    ];
    for (name, key) in plain {
        if let Some(value) =
            routing.get(name).filter(|value| !value.is_nullish() && value.as_str() != Some(""))
        {
            provider.insert(key, value.clone());
        }
    }
    if provider.is_empty() { Object::new() } else { Object::from_iter([("provider", provider)]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_routing_of_open_router_becomes_its_field() {
        let raw = json!({ "providerRouting": { "order": "anthropic, openai,", "allowFallbacks": false, "sort": "", "only": "" } });
        let fields = provider_routing(&raw, &mut ModelOptions::default());
        assert_eq!(
            Value::from(fields),
            json!({ "provider": { "order": ["anthropic", "openai"], "allow_fallbacks": false } })
        );
        assert!(provider_routing(&json!({}), &mut ModelOptions::default()).is_empty());
    }

    #[test]
    fn mistral_has_other_words_for_some_options() {
        let raw = json!({ "randomSeed": 5, "safeMode": true });
        let mut options = read(&raw);
        let fields = mistral_fields(&raw, &mut options);
        assert_eq!(
            (Value::from(fields), options.seed),
            (json!({ "random_seed": 5, "safe_prompt": true }), None)
        );
    }
}
