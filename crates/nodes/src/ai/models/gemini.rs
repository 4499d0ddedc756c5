//! Models of Google: the node of our own and n8n's.

use super::options::{collection, own_options, own_params, read};
use super::{access, chosen_model, endpoint, known_or_open, model_spec, supply};
use node_api::ai::{ModelOptions, Supply};
use node_api::prelude::*;
use node_api::{ParamKind, Supplier, SupplyCtx};
use providers::models::catalog::{Catalog, CatalogModel};
use providers::models::gemini::{BASE_URL, Gemini, GeminiSettings, GeminiVersion};

pub(crate) struct GeminiModel;

impl Supplier for GeminiModel {
    fn spec() -> Spec {
        model_spec(
            Spec::new("gemini-model", &[1.0], "Gemini Model", "Google chat model").recommended(),
        )
        .credential("googlePalmApi", true)
        .params(own_params(
            "gemini-2.5-flash",
            2.0,
            &[
                "topP",
                "topK",
                "seed",
                "stop",
                "reasoningEffort",
                "thinkingBudget",
                "timeout",
                "maxRetries",
            ],
        ))
        .hint("Connect it to an agent. Requires a Google AI Studio API key.")
        .alias(&["google", "bard", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (options, raw) = own_options(&ctx)?;
        client(
            &ctx,
            Catalog::current().find("gemini", &chosen_model(&ctx, "model")?),
            options,
            &raw,
        )
    }
}

pub(crate) struct LmChatGoogleGemini;

impl Supplier for LmChatGoogleGemini {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.lmChatGoogleGemini",
            &[1.0, 1.1],
            "Google Gemini Chat Model",
            "Google chat model, compatible with n8n",
        )
        .compatible();
        let safety = [
            Param::text("category", "Category", "HARM_CATEGORY_HARASSMENT")
                .help("Category of the filter."),
            Param::text("threshold", "Threshold", "HARM_BLOCK_THRESHOLD_UNSPECIFIED")
                .help("Threshold for blocking."),
        ];
        let mut options = collection(&["maxOutputTokens", "temperature", "topK", "topP"]);
        if let ParamKind::Collection { params } = &mut options.kind {
            let groups = [FieldGroup::new("values", "Safety settings", safety)];
            params.push(
                Param::repeated("safetySettings", "Safety settings", groups)
                    .help("Safety filters of the provider."),
            );
        }
        model_spec(spec)
            .credential("googlePalmApi", true)
            .params([
                Param::text("modelName", "Model", "models/gemini-2.5-flash")
                    .help("Model name as used by the provider."),
                options,
            ])
            .hint("Connect it to an agent or a chain. Requires a Google AI Studio API key.")
            .alias(&["google", "bard", "llm"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let raw = ctx.ctx().param("options", ctx.item())?;
        client(&ctx, known_or_open("gemini", &chosen_model(&ctx, "modelName")?), read(&raw), &raw)
    }
}

fn client(
    ctx: &SupplyCtx,
    known: CatalogModel,
    mut options: ModelOptions,
    raw: &Value,
) -> Result<Supply, NodeError> {
    let credential = ctx.ctx().host().credential("googlePalmApi", ctx.item())?;
    options.extra = search_tools(raw);
    let settings = GeminiSettings {
        // Previews land there first, and all others are there too.
        version: GeminiVersion::V1Beta,
        thinking_budget: raw
            .get("thinkingBudget")
            .and_then(Value::as_f64)
            .map(|budget| budget as i64),
        safety: raw
            .get("safetySettings")
            .and_then(|safety| safety.get("values"))
            .filter(|values| values.is_array())
            .cloned(),
        options,
        traits: known.traits,
        ..GeminiSettings::default()
    };
    Ok(supply(Gemini::new(
        known.info,
        settings,
        endpoint(&credential, "host", BASE_URL),
        &access(ctx, raw)?,
    )))
}

/// Tools of the provider's own that the options ask for.
fn search_tools(raw: &Value) -> Option<Value> {
    let wanted = |name: &str| raw.get(name).is_some_and(Value::is_truthy);
    let tools: Vec<Value> =
        [("urlContext", json!({ "urlContext": {} })), ("search", json!({ "googleSearch": {} }))]
            .into_iter()
            .filter_map(|(name, tool)| wanted(name).then_some(tool))
            .collect();
    (!tools.is_empty()).then(|| Object::from_iter([("tools", Value::from(tools))]).into())
}
