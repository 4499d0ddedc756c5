//! Models behind OpenAI's format: OpenAI itself, and any server that speaks it.

use model::Kind;
use node_api::ai::{ModelInfo, ModelOptions, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use providers::models::ask::Access;
use providers::models::catalog::Catalog;
use providers::models::openai::{OpenAi, Settings};
use providers::models::secret::Secret;
use std::sync::Arc;

pub(crate) struct OpenAiModel;

impl Supplier for OpenAiModel {
    fn spec() -> Spec {
        model_spec(Spec::new("openai-model", &[1.0], "OpenAI Model", "A chat model of OpenAI"))
            .credential("openAiApi", true)
            .params(params("gpt-4o-mini"))
            .hint("Connect it to an agent; it needs an API key of OpenAI.")
            .alias(&["gpt", "chatgpt", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let credential = ctx.ctx().host().credential("openAiApi", ctx.item())?;
        let key = field(&credential, "apiKey");
        let mut settings = match credential.get("url").and_then(Value::as_str).filter(|url| !url.is_empty()) {
            Some(url) => {
                Settings { token_field: Settings::openai(Secret::new("")).token_field, ..Settings::compatible(url, Secret::new(key)) }
            }
            None => Settings::openai(Secret::new(key)),
        };
        settings.organization = Some(field(&credential, "organizationId").into()).filter(|id: &Str| !id.is_empty());
        let (model, options) = chosen(&ctx)?;
        let info = Catalog::shipped().find("openai", &model).info;
        supplied(&ctx, info, Settings { options, ..settings })
    }
}

pub(crate) struct OpenAiCompatibleModel;

impl Supplier for OpenAiCompatibleModel {
    fn spec() -> Spec {
        model_spec(Spec::new(
            "openai-compatible-model",
            &[1.0],
            "OpenAI-compatible Model",
            "A chat model of any server that speaks OpenAI's format",
        ))
        .params([
            Param::text("baseUrl", "Base URL", "http://localhost:11434/v1").required().help("Where the paths begin, up to /v1."),
            Param::choice("authentication", "Authentication", &[("none", "None"), ("openAiApi", "API key")])
                .help("Whether the server wants a key."),
            Param::flag("supportsTools", "Takes tools", true).help("Whether the model can call tools by itself."),
        ])
        .credential("openAiApi", false)
        .params(params(""))
        .hint("For vLLM, LM Studio, llama.cpp, OpenRouter, Groq and others. The operator opens private addresses with HEDDLE_EGRESS_ALLOW.")
        .alias(&["vllm", "lm studio", "llama.cpp", "groq", "openrouter", "local model"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let inner = ctx.ctx();
        let key = match inner.text("authentication", ctx.item())? == "openAiApi" {
            true => field(&inner.host().credential("openAiApi", ctx.item())?, "apiKey"),
            false => String::new(),
        };
        let base_url = inner.text("baseUrl", ctx.item())?;
        let (model, options) = chosen(&ctx)?;
        let mut info = Catalog::shipped().find("openai-compatible", &model).info;
        info.capabilities.tools = inner.flag("supportsTools", ctx.item())?;
        (info.capabilities.streaming, info.capabilities.sampling) = (true, true);
        supplied(&ctx, info, Settings { options, ..Settings::compatible(&base_url, Secret::new(key)) })
    }
}

fn model_spec(spec: Spec) -> Spec {
    spec.group(Group::Ai).inputs([]).outputs([Port::of(Kind::AiLanguageModel, "")])
}

fn params(default_model: &str) -> Vec<Param> {
    vec![
        Param::text("model", "Model", default_model).required().help("The model's name as the provider writes it."),
        Param::number("temperature", "Temperature", 0.7)
            .at_least(0.0)
            .help("From 0, the same each time, to 2; left out for models that take none."),
        Param::number("maxTokens", "Max tokens", 1000).at_least(1.0).help("The longest answer, in tokens."),
        Param::collection(
            "options",
            "Options",
            [
                Param::number("topP", "Top P", 1).at_least(0.0).help("From 0 to 1; change this or the temperature, not both."),
                Param::number("frequencyPenalty", "Frequency penalty", 0).help("From -2 to 2."),
                Param::number("presencePenalty", "Presence penalty", 0).help("From -2 to 2."),
                Param::text("seed", "Seed", "").help("A number, for answers that repeat as far as the provider can."),
                Param::text("stop", "Stop", "").help("Words that end the answer, at most four, with commas between."),
                Param::flag("jsonMode", "JSON mode", false).help("Ask for a JSON object."),
            ],
        )
        .help("How the model answers."),
    ]
}

/// The model's name and how it is to answer.
fn chosen(ctx: &SupplyCtx) -> Result<(Str, ModelOptions), NodeError> {
    let (inner, item) = (ctx.ctx(), ctx.item());
    let model = inner.text("model", item)?;
    if model.trim().is_empty() {
        return Err(NodeError::parameter("model", "No model is chosen").hint("Write the name of a model."));
    }
    let raw = inner.param("options", item)?;
    let given = |key: &str| raw.get(key).and_then(Value::as_f64);
    let extra = raw.get("jsonMode").is_some_and(Value::is_truthy).then(|| json!({ "response_format": { "type": "json_object" } }));
    let options = ModelOptions {
        temperature: Some(inner.number("temperature", item)?),
        max_tokens: Some(inner.number("maxTokens", item)? as u64),
        top_p: given("topP").filter(|value| *value != 1.0),
        frequency_penalty: given("frequencyPenalty").filter(|value| *value != 0.0),
        presence_penalty: given("presencePenalty").filter(|value| *value != 0.0),
        seed: raw.get("seed").and_then(|seed| seed.to_js_string().trim().parse().ok()),
        stop: raw
            .get("stop")
            .map(Value::to_js_string)
            .unwrap_or_default()
            .split(',')
            .map(|word| word.trim().into())
            .filter(|word: &Str| !word.is_empty())
            .take(4)
            .collect(),
        extra,
        ..ModelOptions::default()
    };
    Ok((model.trim().into(), options))
}

fn supplied(ctx: &SupplyCtx, info: ModelInfo, settings: Settings) -> Result<Supply, NodeError> {
    let http = ctx.host().shared_http().ok_or_else(|| NodeError::failed("There is no way out to a model here"))?;
    Ok(Supply::Model(Arc::new(OpenAi::new(info, settings, &Access::new(http)))))
}

fn field(credential: &Object, name: &str) -> String {
    credential.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
